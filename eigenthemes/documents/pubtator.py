"""PubTator: title and abstract, then tab-separated fields for each annotation; a blank line ends a document.

    354896|t|Lidocaine-induced cardiac asystole.
    354896|a|Intravenous administration of a single 50-mg bolus of lidocaine ...
    354896	0	9	Lidocaine	Chemical	D008012

Offsets count code points of title, one character, abstract. Other lines (relations) are kept. `-` and `-1` mean that no id is
right; several ids are separated by `|`, `,`, `;` or `+`, and any of them is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from eigenthemes.documents import standoff
from eigenthemes.documents.splitting import at_line, decode_line, split_blocks
from eigenthemes.records import Document, LinkedDocument

OTHER_LINES = "pubtator"  # field of a document: its lines that are neither text nor annotation, without the id
_SECTION = re.compile(r"([^|\t]+)\|([A-Za-z])\|(.*)", re.DOTALL)
_TITLE = re.compile(rb"([^|\t\n]{1,200})\|t\|")
_BREAKS = "\n\r"
_LONGEST_OFFSET = 15  # digits
_EXPECTED = "expected id|t|title, id|a|abstract, then lines of id, start, end, text, type and entity separated by tabs"


def is_pubtator(head: bytes) -> bool:
    """Return whether a file begins with a title."""
    return _TITLE.match(head) is not None


def split_pubtator(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield each document as bytes, with the number of its first line; a title begins a new one even without a blank line."""
    return split_blocks(lines, is_pubtator, ends=lambda line: not line.strip(b"\r\n\t "))


def parse_pubtator(data: bytes, line: int) -> Document:
    """Parse a document that begins in a line."""
    sections: list[str] = []
    rows: list[tuple[int, list[str]]] = []
    document_id = None
    for number, raw in enumerate(data.split(b"\n"), line):
        text = decode_line(raw, number)
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


def _same(known: str | None, found: str, number: int) -> str:
    if known is not None and found != known:
        raise at_line(number, f"a line of {found[:40]!r} stands among those of {known[:40]!r}; {_EXPECTED}")
    return found


def _document(document_id: str, text: str, rows: list[tuple[int, list[str]]]) -> Document:
    annotations = [_annotation(number, cells) for number, cells in rows if cells and cells[0].isdecimal()]
    others = ["\t".join(cells) for _, cells in rows if not cells or not cells[0].isdecimal()]
    source = {OTHER_LINES: others} if others else {}
    mentions = tuple(standoff.mentions_of(text, annotations))
    return Document(id=document_id, text=text, mentions=mentions or None, source=source)


def _annotation(number: int, cells: list[str]) -> standoff.Annotation:
    if len(cells) < 3 or not cells[1].isdecimal() or max(map(len, cells[:2])) > _LONGEST_OFFSET:
        raise at_line(number, f"the fields {[cell[:20] for cell in cells[:3]]} are no annotation; {_EXPECTED}")
    start, end, name, kind, ids, *more = *cells, *[""] * (5 - len(cells))
    source: dict[str, object] = {"type": kind} if kind else {}
    if any(more):
        source[OTHER_LINES] = more
    return standoff.Annotation([(int(start), int(end))], name, standoff.gold_of_field(ids), source, number)


# out


def pubtator_of(linked: LinkedDocument, number: int) -> bytes:
    """Return a linked document; line breaks after the first become spaces, as a section is one line."""
    document = linked.document
    text = standoff.text_of(document, "PubTator")
    title, _, abstract = text.partition("\n")
    name = standoff.one_line(standoff.document_name(document, number)).replace("|", "_") or str(number)
    lines = [f"{name}|t|{standoff.one_line(title, _BREAKS)}", f"{name}|a|{standoff.one_line(abstract, _BREAKS)}"]
    for link in linked.links:
        start, end = standoff.extent_of(document, link.mention)
        kind = link.mention.source.get("type")
        fields = [text[start:end], kind if isinstance(kind, str) and kind else "Entity", link.entity or "-"]
        fields += standoff.strings_of(link.mention.source, OTHER_LINES)
        lines.append("\t".join([name, str(start), str(end), *map(standoff.one_line, fields)]))
    lines += [f"{name}\t{standoff.one_line(other, _BREAKS)}" for other in standoff.strings_of(document.source, OTHER_LINES)]
    return standoff.encode_lines([*lines, ""])
