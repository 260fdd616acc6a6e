"""PubTator: title and abstract, then a line of tab-separated fields for each annotation; a blank line ends a document.

    354896|t|Lidocaine-induced cardiac asystole.
    354896|a|Intravenous administration of a single 50-mg bolus of lidocaine ...
    354896	0	9	Lidocaine	Chemical	D008012

Offsets count code points of title, one character, abstract. Other lines (relations) are kept. `-` and `-1` mean that no id is
right; several ids are separated by `|`, `,`, `;` or `+`, and any of them is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from eigenthemes.documents.identifiers import gold_of_field, one_line
from eigenthemes.documents.json_lines import BOM
from eigenthemes.documents.located import at_line
from eigenthemes.documents.offsets import Offsets, mention_at, spans_of, text_of, unit_of
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, LinkedDocument, Mention

OTHER_LINES = "pubtator"  # field of a document: its lines that are neither text nor annotation, without the id
_SECTION = re.compile(r"([^|\t]+)\|([A-Za-z])\|(.*)", re.DOTALL)
_TITLE = re.compile(rb"([^|\t\n]{1,200})\|t\|")
_EXPECTED = "expected id|t|title, id|a|abstract, then lines of id, start, end, text, type and entity separated by tabs"


def is_pubtator(head: bytes) -> bool:
    """Return whether a file begins with a title."""
    return _TITLE.match(head) is not None


def split_pubtator(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield each document as bytes, with the number of its first line; a title begins a new one even without a blank line."""
    block: list[bytes] = []
    first = 1
    for number, line in enumerate(lines, 1):
        line = line.removeprefix(BOM) if number == 1 else line
        if block and (not line.strip(b"\r\n\t ") or _TITLE.match(line)):
            yield first, b"".join(block)
            block = []
        if line.strip(b"\r\n\t "):
            first = first if block else number
            block.append(line)
    if block:
        yield first, b"".join(block)


def parse_pubtator(data: bytes, line: int) -> Document:
    """Parse a document that begins in a line."""
    sections: list[str] = []
    rows: list[tuple[int, list[str]]] = []
    document_id = None
    for number, text in enumerate(_decoded(data, line).split("\n"), line):
        text = text.removesuffix("\r")
        section = _SECTION.fullmatch(text) if not rows else None
        if section:
            document_id = _same(document_id, section[1], number)
            sections.append(section[3])
        elif text.strip():
            cells = text.split("\t")
            document_id = _same(document_id, cells[0], number)
            rows.append((number, cells[1:]))
    if not sections or document_id is None:
        raise at_line(line, f"the document has no title; {_EXPECTED}")
    while len(sections) > 1 and not sections[-1]:
        sections.pop()
    return _document(document_id, "\n".join(sections), rows)


def _decoded(data: bytes, line: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        at = line + data.count(b"\n", 0, error.start)
        raise at_line(at, "the line is not UTF-8; save the file as UTF-8") from None


def _same(known: str | None, found: str, number: int) -> str:
    if known is not None and found != known:
        raise at_line(number, f"a line of {found[:40]!r} stands among those of {known[:40]!r}; {_EXPECTED}")
    return found


def _document(document_id: str, text: str, rows: list[tuple[int, list[str]]]) -> Document:
    annotations = [(number, cells) for number, cells in rows if cells and cells[0].isdecimal()]
    others = ["\t".join(cells) for _, cells in rows if not cells or not cells[0].isdecimal()]
    spans = [_span(number, cells) for number, cells in annotations]
    offsets = Offsets(text, unit_of(text, [([span], cells[2]) for span, (_, cells) in zip(spans, annotations, strict=True)]))
    mentions = []
    for span, (number, cells) in zip(spans, annotations, strict=True):
        try:
            mentions.append(_mention(offsets, span, cells))
        except DocumentError as error:
            raise at_line(number, error) from None
    source = {OTHER_LINES: others} if others else {}
    return Document(id=document_id, text=text, mentions=tuple(mentions) if mentions else None, source=source)


def _span(number: int, cells: list[str]) -> tuple[int, int]:
    if len(cells) < 3 or not cells[1].isdecimal():
        raise at_line(number, f"the fields {cells[:3]} are no annotation; {_EXPECTED}")
    try:
        return int(cells[0]), int(cells[1])
    except ValueError:  # thousands of digits
        raise at_line(number, f"the offset {cells[0][:20]}... is no place in a text; {_EXPECTED}") from None


def _mention(offsets: Offsets, span: tuple[int, int], cells: list[str]) -> Mention:
    _, _, name, *fields = cells
    kind, ids, *more = *fields, *[""] * (2 - len(fields))
    source: dict[str, object] = {"type": kind} if kind else {}
    if any(more):
        source[OTHER_LINES] = more
    return mention_at(offsets, [span], name, gold=gold_of_field(ids), source=source)


# out


def pubtator_of(linked: LinkedDocument, number: int) -> bytes:
    """Return a linked document; line breaks after the first are written as spaces, for a section is a line."""
    document = linked.document
    text = text_of(document, "PubTator")
    title, _, abstract = text.partition("\n")
    name = one_line(str(number if document.id is None else document.id)).replace("|", "_") or str(number)
    lines = [f"{name}|t|{one_line_of(title)}", f"{name}|a|{one_line_of(abstract)}"]
    for link in linked.links:
        spans = spans_of(document, link.mention)
        start, end = spans[0][0], spans[-1][1]
        kind = link.mention.source.get("type")
        fields = [text[start:end], kind if isinstance(kind, str) and kind else "Entity", link.entity or "-"]
        fields += _strings(link.mention.source.get(OTHER_LINES))
        lines.append("\t".join([name, str(start), str(end), *map(one_line, fields)]))
    lines += [f"{name}\t{one_line_of(other)}" for other in _strings(document.source.get(OTHER_LINES))]
    return "".join(line + "\n" for line in [*lines, ""]).encode("utf-8", "replace")


def one_line_of(text: str) -> str:
    """Return a text without line breaks, as long as it was; tabs stay."""
    return text.replace("\n", " ").replace("\r", " ")


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
