"""Formats of published benchmarks: the JSON of the paper's authors, TabEL's tables, WNED XML, AIDA-CoNLL.

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

AIDA-CoNLL (`AIDA-YAGO2-dataset.tsv`) has one token per line, and no running text: tokens are joined with spaces and sentences
with line breaks.

    -DOCSTART- (1 EU)
    German   B   German   Germany   http://en.wikipedia.org/wiki/Germany   11867   /m/0345h
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8 as BOM
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote
from xml.etree import ElementTree

from eigenthemes.core.storage import check_input
from eigenthemes.documents.json_lines import candidates_of, gold_of
from eigenthemes.documents.splitting import at_line, decode_line, load_json, split_blocks
from eigenthemes.documents.standoff import dbpedia_iri
from eigenthemes.errors import DocumentError, SourceError
from eigenthemes.records import Document, Mention, Table

_TABLE_KEY = re.compile(rb'"table(?:Data|Headers)"\s*:\s*\[')
_PASSED_ON = ("pgTitle", "pgId", "sectionTitle", "tableCaption")
_NEAR = 20  # maximal error of the offsets of the published WNED files, in characters

_START = re.compile(r"-DOCSTART-\s*\((.*)\)\s*")
_NO_ENTITY = "--NME--"

Cell = tuple[str, list[Any]]  # text, links


# the authors' JSON


def read_authors(source: IO[bytes]) -> Iterator[Document]:
    """Yield the documents of the authors' JSON; as in their program, candidates without a vector are dropped."""
    expected = "expected one JSON object with a list of mentions for each document"
    documents = load_json(source.read().removeprefix(BOM), 1, expected)
    if not isinstance(documents, dict):
        raise DocumentError(f"the file holds no JSON object; {expected}")
    for name, items in documents.items():
        if not isinstance(items, list):
            raise DocumentError(f'document "{name}" is no list; expected a list of objects with "mention"')
        try:
            mentions = tuple(_authors_mention(item, number) for number, item in enumerate(items))
        except DocumentError as error:
            raise DocumentError(f'document "{name}", {error}') from None
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


# TabEL


def is_wikitables(head: bytes) -> bool:
    """Return whether a file begins with a table of TabEL; no text contains the key, as quotes in texts are escaped."""
    first = head.removeprefix(BOM).lstrip().partition(b"\n")[0]
    return first.startswith(b"{") and _TABLE_KEY.search(first) is not None


def parse_wikitable(data: bytes, line: int = 1) -> Document:
    """Parse the document of a line with one table."""
    record = load_json(data, line, "expected one whole table on the line, as in TabEL's tables.json")
    if not isinstance(record, dict) or not isinstance(record.get("tableData"), list):
        raise DocumentError('the table has no list "tableData"; expected its rows of cells, as in TabEL\'s tables.json')
    rows = _rows(record, "tableData")
    columns = zip_longest(*_rows(record, "tableHeaders"), fillvalue=("", []))
    header = tuple(" ".join(dict.fromkeys(text.strip() for text, _ in column if text.strip())) for column in columns)
    mentions = (
        mention
        for number, row in enumerate(rows)
        for col, (text, links) in enumerate(row)
        for link in links
        if (mention := _cell_mention(link, text, number, col)) is not None
    )
    source = {name: record[name] for name in _PASSED_ON if record.get(name) is not None}
    external_id = record.get("_id")
    return Document(
        id=external_id if isinstance(external_id, str | int) else None,
        table=Table(header, tuple(tuple(text for text, _ in row) for row in rows)),
        mentions=tuple(mentions),
        source=source,
    )


def _rows(record: dict[str, Any], field: str) -> list[list[Cell]]:
    try:
        rows = [[(cell["text"], cell.get("surfaceLinks") or []) for cell in row] for row in record.get(field) or ()]
        is_valid = all(isinstance(text, str) and isinstance(links, list) for row in rows for text, links in row)
    except (TypeError, KeyError, AttributeError):
        is_valid = False
    if not is_valid:
        raise DocumentError(f'"{field}" has other cells; expected rows of objects with "text" and the list "surfaceLinks"')
    return rows


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


# WNED


def read_wned(stream: IO[bytes], folder: Path | None) -> Iterator[Document]:
    """Yield the documents of WNED XML; their texts are in `RawText` in the folder or in its parent."""
    folders = [] if folder is None else [folder / "RawText", folder.resolve().parent / "RawText"]
    try:
        events = ElementTree.iterparse(stream, events=("start", "end"))
        _, root = next(events)
        if not root.tag.endswith("entityAnnotation"):
            raise DocumentError(f"the XML has the root <{root.tag}>; expected WNED's <wikipedia.entityAnnotation> or its like")
        for event, element in events:
            if event == "end" and element.tag == "document":
                yield _wned_document(element, folders)
                root.clear()  # frees the memory of the document
    except ElementTree.ParseError as error:
        line, column = error.position
        raise at_line(line, f"broken XML at column {column + 1} ({error.msg}); mend the file") from None


def _wned_document(element: ElementTree.Element, folders: list[Path]) -> Document:
    name = element.get("docName")
    if name is None:
        raise DocumentError("a document has no name; expected <document docName=...>")
    text = _raw_text(name, folders)
    annotations = enumerate(element.iter("annotation"))
    try:
        mentions = tuple(_wned_mention(annotation, text, f"annotation {number}") for number, annotation in annotations)
    except DocumentError as error:
        raise DocumentError(f'document "{name}", {error}') from None
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
            path = str(folder / name)
            raise SourceError(f"{path} cannot be read ({error.strerror}); check its permissions", where=path) from None
    return None


def _wned_mention(annotation: ElementTree.Element, text: str | None, label: str) -> Mention:
    name, title, offset = (annotation.findtext(field) or "" for field in ("mention", "wikiName", "offset"))
    title = title.strip()
    if not name.strip():
        raise DocumentError(f"{label} has no text; expected <mention> with the name")
    gold = () if title in ("", "NIL") else tuple(dict.fromkeys((title, dbpedia_iri(title))))
    try:
        start = _nearest(name, text, int(offset)) if text is not None and offset.strip() else None
    except ValueError:
        raise DocumentError(f"{label} has the offset {offset!r}; expected a whole number") from None
    return Mention(name, gold=gold) if start is None else Mention(name, start, start + len(name), gold=gold)


def _nearest(name: str, text: str, offset: int) -> int | None:
    """Return the position of the mention that is nearest to the offset."""
    near = sorted(range(max(0, offset - _NEAR), offset + _NEAR + 1), key=lambda start: abs(start - offset))
    return next((start for start in near if text.startswith(name, start)), None)


# AIDA-CoNLL


def split_aida(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield each document as bytes, with the number of its first line."""
    return split_blocks(lines, lambda line: line.startswith(b"-DOCSTART-"))


def parse_aida(data: bytes, line: int) -> Document:
    """Parse a document that begins in a line; its id is in brackets after `-DOCSTART-`."""
    first, *tokens = data.split(b"\n")
    start_line = decode_line(first, line).partition("\t")[0]
    if not (start := _START.fullmatch(start_line)):
        raise at_line(line, f"{start_line!r} has no document id; expected '-DOCSTART- (1 EU)' as in AIDA-YAGO2-dataset.tsv")
    text = gap = ""
    spans: list[tuple[int, int, tuple[str, ...]]] = []
    is_inside = False  # the last token was part of a mention
    for number, raw in enumerate(tokens, line + 1):
        token, *cells = decode_line(raw, number).split("\t")
        if not token.strip() and not "".join(cells).strip():  # the end of a sentence
            gap, is_inside = "\n" if text else "", False
            continue
        if cells and (len(cells) < 3 or not token or cells[0] not in ("B", "I")):
            columns = f"{len(cells) + 1} columns that begin with {[token, *cells][:2]}"
            raise at_line(number, f"{columns}; expected token, B or I, mention, entity, ... as in AIDA-YAGO2-dataset.tsv")
        begin = len(text) + len(gap)
        text += gap + token
        gap = " "
        if cells and cells[0] == "I" and is_inside:
            begin, _, gold = spans.pop()
            spans.append((begin, len(text), gold))
        elif cells:
            spans.append((begin, len(text), _aida_gold(cells[2:])))
        is_inside = bool(cells)
    mentions = [Mention(text[begin:end], begin, end, gold=gold, source={"gold": list(gold)}) for begin, end, gold in spans]
    return Document(id=start[1], text=text, mentions=tuple(mentions))


def _aida_gold(cells: list[str]) -> tuple[str, ...]:
    """Return all ids of the entity: the KB may have any of them."""
    yago, url, number, mid, *_ = [cell.strip() for cell in cells] + [""] * 4
    if yago == _NO_ENTITY:
        return ()
    _, _, title = url.partition("/wiki/")
    iri = dbpedia_iri(unquote(title)) if title else ""
    return tuple(dict.fromkeys(name for name in (url, iri, number, mid, _unescaped(yago)) if name))


def _unescaped(name: str) -> str:
    r"""Undo the escapes of YAGO, which writes letters beyond ASCII as \u00e9, and those beyond 16 bits as two of these."""
    halves = re.sub(r"\\u([0-9a-fA-F]{4})", lambda escape: chr(int(escape[1], 16)), name)
    return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
