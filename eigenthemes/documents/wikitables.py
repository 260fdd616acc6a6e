"""Tables of Wikipedia as TabEL published them (`tables.json`), one per line; the paper's Wikilinks-Random is made of these.

    {"_id": "7-1", "pgTitle": "Ulster Rugby", "pgId": 7, "tableCaption": "Squad", "tableHeaders": [[{"text": "Player", ...}]],
     "tableData": [[{"text": "O'Neill (fly-half)", "surfaceLinks": [{"surface": "O'Neill", "linkType": "INTERNAL",
                     "target": {"id": 42, "language": "en", "title": "Shane_O'Neill"}, ...}]}]]}

Every link of a cell to a page of the English Wikipedia is a mention of its own, so a cell may have several; links of the header
are none, for it names columns, not entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any

import orjson

from eigenthemes.documents.aida import dbpedia_iri
from eigenthemes.documents.json_lines import BOM, numbered_lines
from eigenthemes.documents.located import located
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, Mention, Table

_TABLE_KEY = re.compile(rb'"table(?:Data|Headers)"\s*:\s*\[')
_PASSED_ON = ("pgTitle", "pgId", "sectionTitle", "tableCaption")

Cell = tuple[str, list[Any]]  # text, links


def is_wikitables(head: bytes) -> bool:
    """Return whether a file begins with one of these tables; a quote inside a text is escaped, so no text has the key."""
    first = head.removeprefix(BOM).lstrip().partition(b"\n")[0]
    return first.startswith(b"{") and _TABLE_KEY.search(first) is not None


def read_wikitables(lines: Iterable[bytes], *, origin: str) -> Iterator[Document]:
    """Yield the document of each line that is not blank; errors name the origin and the line."""
    for number, line in numbered_lines(lines):
        try:
            document = parse_wikitable(line)
        except DocumentError as error:
            raise located(f"{origin}:{number}", error) from None
        yield document


def parse_wikitable(line: bytes) -> Document:
    """Parse the document of a line with one table."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        problem = f"no JSON at character {error.pos + 1} ({error.msg})"
        raise DocumentError(f"{problem}; expected one whole table on the line, as in TabEL's tables.json") from None
    return _document(record)


def _document(record: Any) -> Document:
    if not isinstance(record, dict) or not isinstance(record.get("tableData"), list):
        raise DocumentError('the table has no list "tableData"; expected its rows of cells, as in TabEL\'s tables.json')
    rows = _rows(record["tableData"], "tableData")
    headers = [[text for text, _ in row] for row in _rows(record.get("tableHeaders") or [], "tableHeaders")]
    table = Table(_header(headers), tuple(tuple(text for text, _ in row) for row in rows))
    mentions = (
        mention
        for number, row in enumerate(rows)
        for col, (text, links) in enumerate(row)
        for link in links
        if (mention := _mention(link, text, number, col)) is not None
    )
    source = {name: record[name] for name in _PASSED_ON if record.get(name) is not None}
    return Document(id=_document_id(record), table=table, mentions=tuple(mentions), source=source)


def _document_id(record: dict[str, Any]) -> str | int | None:
    external_id = record.get("_id")
    return external_id if isinstance(external_id, str | int) else None


def _rows(rows: Any, field: str) -> list[list[Cell]]:
    if not isinstance(rows, list):
        raise DocumentError(f'"{field}" is no list; expected rows of cells')
    for number, row in enumerate(rows):
        if not isinstance(row, list):
            raise DocumentError(f'row {number} of "{field}" is no list; expected cells with "text" and "surfaceLinks"')
    return [[_cell(cell, f'row {number} of "{field}"') for cell in row] for number, row in enumerate(rows)]


def _cell(cell: Any, where: str) -> Cell:
    text = cell.get("text") if isinstance(cell, dict) else None
    if not isinstance(text, str):
        raise DocumentError(f'{where} has a cell without a text; expected an object with the string "text"')
    links = cell.get("surfaceLinks") or []
    if not isinstance(links, list):
        raise DocumentError(f'{where} has a cell whose "surfaceLinks" is no list; expected a list of links')
    return text, links


def _header(rows: list[list[str]]) -> tuple[str, ...]:
    """Return one name per column: what its header cells say, each once (a cell over two rows comes twice)."""
    columns = zip_longest(*rows, fillvalue="")
    return tuple(" ".join(dict.fromkeys(text.strip() for text in column if text.strip())) for column in columns)


def _mention(link: Any, cell: str, row: int, col: int) -> Mention | None:
    """Return the mention of a link to a page of the English Wikipedia; None for any other, and where it cannot be read."""
    target = link.get("target") if isinstance(link, dict) else None
    if not isinstance(target, dict) or link.get("linkType") != "INTERNAL" or target.get("language") != "en":
        return None
    title, surface = target.get("title"), link.get("surface")
    name = surface if isinstance(surface, str) and surface.strip() else cell
    if not isinstance(title, str) or not title.strip() or not name.strip():
        return None
    return Mention(name, row=row, col=col, gold=_gold(title.replace("_", " ").strip(), target.get("id")))


def _gold(title: str, page: Any) -> tuple[str, ...]:
    """Return the title as WNED has it, its IRI, and the id of the page, which a page that was moved keeps; -1 is no page."""
    number = (str(page),) if type(page) is int and page > 0 else ()
    return tuple(dict.fromkeys((title, dbpedia_iri(title), *number)))
