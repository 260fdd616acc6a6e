"""Formats of published benchmarks: the JSON of the paper's authors, TabEL's tables, WNED XML.

The authors' JSON is one object for all documents:

    {document id: [{"mention", "posI", "wikidata_id", "difficulty", "candidates": [[id, score, name], ...]}, ...]}

TabEL's `tables.json` has one table of Wikipedia per line; the paper's Wikilinks-Random is made of these. Each link of a cell to
a page of the English Wikipedia is a mention, so a cell may have several; links of the header are not read.

    {"_id": "7-1", "pgTitle": "Ulster Rugby", "pgId": 7, "tableCaption": "Squad", "tableHeaders": [[{"text": "Player", ...}]],
     "tableData": [[{"text": "O'Neill (fly-half)", "surfaceLinks": [{"surface": "O'Neill", "linkType": "INTERNAL",
                     "target": {"id": 42, "language": "en", "title": "Shane_O'Neill"}, ...}]}]]}

WNED XML (`wikipedia.xml`, `clueweb.xml`) has its texts in a folder `RawText` beside it. Expat fetches no external entity and
limits their expansion.

    <wikipedia.entityAnnotation>
      <document docName="Paris">
        <annotation><mention>Paris</mention><wikiName>Paris, Texas</wikiName><offset>12</offset><length>5</length></annotation>
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8 as BOM
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree

import orjson

from eigenthemes.core.storage import check_input
from eigenthemes.documents.json_lines import candidates_of, gold_of
from eigenthemes.documents.standoff import dbpedia_iri, located
from eigenthemes.errors import DocumentError, SourceError
from eigenthemes.records import Document, Mention, Table

_TABLE_KEY = re.compile(rb'"table(?:Data|Headers)"\s*:\s*\[')
_PASSED_ON = ("pgTitle", "pgId", "sectionTitle", "tableCaption")
_NEAR = 20  # maximal error of the offsets of the published WNED files, in characters

Cell = tuple[str, list[Any]]  # text, links


def read_authors(source: IO[bytes] | bytes, *, origin: str = "the authors' file") -> Iterator[Document]:
    """Yield the documents of the authors' JSON; as in their program, candidates without a vector are dropped."""
    data = source if isinstance(source, bytes) else source.read()
    try:
        documents = orjson.loads(data.removeprefix(BOM))
    except orjson.JSONDecodeError as error:
        problem = f"no JSON at column {error.colno} ({error.msg})"
        expected = "expected one JSON object with a list of mentions for each document"
        raise located(f"{origin}:{error.lineno}", f"{problem}; {expected}") from None
    if not isinstance(documents, dict):
        raise located(origin, "the file holds no JSON object; expected one with a list of mentions for each document")
    for name, items in documents.items():
        if not isinstance(items, list):
            raise located(origin, f'document "{name}" is no list; expected a list of objects with "mention"')
        try:
            mentions = tuple(_authors_mention(item, number) for number, item in enumerate(items))
        except DocumentError as error:
            raise located(origin, f'document "{name}", {error}') from None
        yield Document(id=name, mentions=mentions, embedded_only=True)


def _authors_mention(item: Any, number: int) -> Mention:
    if not isinstance(item, dict) or not isinstance(item.get("mention"), str):
        raise DocumentError(f'mention {number} has no text; expected an object with the string "mention"')
    try:
        gold = gold_of(item["wikidata_id"]) if "wikidata_id" in item else None
        candidates, priors = candidates_of(item.get("candidates") or [])
    except DocumentError as error:
        raise DocumentError(f"mention {number}: {error}") from None
    return Mention(item["mention"], gold=gold, candidates=candidates, priors=priors, source=item)


def is_wikitables(head: bytes) -> bool:
    """Return whether a file begins with a table of TabEL; no text contains the key, as quotes in texts are escaped."""
    first = head.removeprefix(BOM).lstrip().partition(b"\n")[0]
    return first.startswith(b"{") and _TABLE_KEY.search(first) is not None


def parse_wikitable(line: bytes) -> Document:
    """Parse the document of a line with one table."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        problem = f"no JSON at character {error.pos + 1} ({error.msg})"
        raise DocumentError(f"{problem}; expected one whole table on the line, as in TabEL's tables.json") from None
    return _table_document(record)


def _table_document(record: Any) -> Document:
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
        if (mention := _cell_mention(link, text, number, col)) is not None
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
    """Return one name per column: the distinct texts of its header cells."""
    columns = zip_longest(*rows, fillvalue="")
    return tuple(" ".join(dict.fromkeys(text.strip() for text in column if text.strip())) for column in columns)


def _cell_mention(link: Any, cell: str, row: int, col: int) -> Mention | None:
    """Return the mention of a link to a page of the English Wikipedia; None for any other link."""
    target = link.get("target") if isinstance(link, dict) else None
    if not isinstance(target, dict) or link.get("linkType") != "INTERNAL" or target.get("language") != "en":
        return None
    title, surface = target.get("title"), link.get("surface")
    name = surface if isinstance(surface, str) and surface.strip() else cell
    if not isinstance(title, str) or not title.strip() or not name.strip():
        return None
    return Mention(name, row=row, col=col, gold=_page_gold(title.replace("_", " ").strip(), target.get("id")))


def _page_gold(title: str, page: Any) -> tuple[str, ...]:
    """Return the title, its DBpedia IRI and the page id, which stays when a page is moved; -1 is no page."""
    number = (str(page),) if type(page) is int and page > 0 else ()
    return tuple(dict.fromkeys((title, dbpedia_iri(title), *number)))


def read_wned(stream: IO[bytes], *, origin: str, folder: Path | None = None) -> Iterator[Document]:
    """Yield the documents of WNED XML; their texts are in `RawText` in the folder or in its parent."""
    folders = [] if folder is None else [folder / "RawText", folder.resolve().parent / "RawText"]
    try:
        events = ElementTree.iterparse(stream, events=("start", "end"))
        _, root = next(events)
        if not root.tag.endswith("entityAnnotation"):
            raise SourceError(
                f"{origin} is XML with the root <{root.tag}>; expected WNED's <wikipedia.entityAnnotation> or its like",
                where=origin,
            )
        for event, element in events:
            if event == "end" and element.tag == "document":
                yield _wned_document(element, folders, origin)
                root.clear()  # frees the memory of the document
    except ElementTree.ParseError as error:
        line, column = error.position
        raise located(f"{origin}:{line}", f"broken XML at column {column + 1} ({error.msg}); mend the file") from None


def _wned_document(element: ElementTree.Element, folders: list[Path], origin: str) -> Document:
    name = element.get("docName")
    if name is None:
        raise located(origin, "a document has no name; expected <document docName=...>")
    text = _raw_text(name, folders)
    annotations = enumerate(element.iter("annotation"))
    try:
        mentions = tuple(_wned_mention(annotation, text, f"annotation {number}") for number, annotation in annotations)
    except DocumentError as error:
        raise located(origin, f'document "{name}", {error}') from None
    return Document(id=name, text=text, mentions=mentions)


def _raw_text(name: str, folders: list[Path]) -> str | None:
    if Path(name).name != name:  # no files elsewhere
        return None
    for folder in folders:
        check_input(folder / name, remedy="expected the text of a document there")
        try:
            return (folder / name).read_bytes().decode("utf-8-sig", "replace")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise SourceError(
                f"{folder / name} cannot be read ({error.strerror}); check its permissions", where=str(folder / name)
            ) from None
    return None


def _wned_mention(annotation: ElementTree.Element, text: str | None, label: str) -> Mention:
    name, title = annotation.findtext("mention") or "", (annotation.findtext("wikiName") or "").strip()
    if not name.strip():
        raise DocumentError(f"{label} has no text; expected <mention> with the name")
    gold = () if title in ("", "NIL") else tuple(dict.fromkeys((title, dbpedia_iri(title))))
    start = None if text is None else _nearest(name, text, _offset(annotation, label))
    if start is None:
        return Mention(name, gold=gold)
    return Mention(name, start, start + len(name), gold=gold)


def _offset(annotation: ElementTree.Element, label: str) -> int | None:
    offset = (annotation.findtext("offset") or "").strip()
    if not offset:
        return None
    try:
        return int(offset)
    except ValueError:
        raise DocumentError(f"{label} has the offset {offset!r}; expected a whole number") from None


def _nearest(name: str, text: str, offset: int | None) -> int | None:
    """Return the position of the mention that is nearest to the offset."""
    if offset is None:
        return None
    near = sorted(range(max(0, offset - _NEAR), offset + _NEAR + 1), key=lambda start: abs(start - offset))
    return next((start for start in near if text.startswith(name, start)), None)
