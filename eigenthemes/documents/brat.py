"""BRAT standoff: annotations in `doc.ann` beside the text in `doc.txt`.

    T1	Organization 0 4	Sony
    N1	Reference T1 Wikipedia:27848	Sony
    T2	Location 10 15;25 32	North America

T marks a text (in several pieces where it is interrupted, as at a line break), N gives its entity; of several, any is right.
Events, relations, attributes and notes are kept; the trigger of an event is no mention. Offsets count code points of the text
file, line ends included.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8 as BOM
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import Source
from eigenthemes.documents import standoff
from eigenthemes.documents.splitting import at_line, decode_line
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, LinkedDocument, Mention, Span

BRAT = "brat"  # field of a document: its other lines; of a mention: the id of its annotation
NO_DATABASE = "KB"  # prefix of ids without a database
_TEXT_BOUND = re.compile(r"(T\S*)\t(\S+) (\d{1,15} \d{1,15}(?:;\d{1,15} \d{1,15})*)(?:\t(.*))?", re.DOTALL)
_NORMALISATION = re.compile(r"(N\S*)\t(\S+) (T\S*) (\S+)(?:\t(.*))?", re.DOTALL)
_TRIGGER = re.compile(r"E\S*\t[^\s:]+:(T\S+)")
_HEAD = re.compile(rb"T\d+\t\S{1,200} \d{1,15} \d{1,15}[;\t\r\n]")
_CURIE = re.compile(r"[A-Za-z][\w.-]*:[^\s/][^\s]*")
_NUMBER = re.compile(r"([A-Z#])(\d{1,9})\b")
_TYPE = re.compile(r"[^\w-]+")
_EXPECTED = "expected T1, a tab, type start end, a tab, text, as BRAT writes it"


def is_brat(head: bytes) -> bool:
    """Return whether a file begins with an annotation of a text."""
    return _HEAD.match(head) is not None


def read_brat(path: str, name: str, diagnostics: Diagnostics) -> Iterator[Document]:
    """Read annotations and the text beside them.

    path  of `doc.ann` or `doc.txt`
    name  of the file in messages and the id
    """
    base = path.removesuffix(".ann").removesuffix(".txt")
    text_file, annotations = Path(f"{base}.txt"), Path(f"{base}.ann")
    if path == "-" or not text_file.is_file() or not annotations.is_file():
        missing = "text" if path.endswith(".ann") or path == "-" else "annotations"
        raise DocumentError(f"{name} has no {missing}; expected a file of the same name that ends in .txt, one in .ann")
    with Source(text_file, diagnostics, lambda amount: None) as source:
        text = source.text().read().decode("utf-8", "replace")
    with Source(annotations, diagnostics, lambda amount: None) as source:
        yield parse_brat(source.stream, text, name.removesuffix(".ann").removesuffix(".txt"))


def parse_brat(lines: Iterable[bytes], text: str, document_id: str) -> Document:
    """Parse the annotations of a text; without any, mentions are to be detected."""
    annotations, others = _parse(lines)
    triggers = {match[1] for line in others if (match := _TRIGGER.match(line))}
    mentions = []
    for mention in standoff.mentions_of(text, annotations):
        key, kind = mention.source[BRAT], mention.source["type"]
        if key in triggers:
            others.append(_text_line(key, kind, text, Document(text=text).spans_of(mention)))
        else:
            mentions.append(mention)
    source = {BRAT: others} if others else {}
    return Document(id=document_id, text=text, mentions=tuple(mentions) if annotations else None, source=source)


def _parse(lines: Iterable[bytes]) -> tuple[list[standoff.Annotation], list[str]]:
    """Return the annotations of the lines T and N, and the other lines."""
    texts: dict[str, tuple[int, re.Match[str]]] = {}  # id of a line T -> its number, and its parts
    references: dict[str, list[str]] = {}
    others: list[str] = []
    for number, raw in enumerate(lines, 1):
        line = decode_line(raw.removeprefix(BOM), number)
        if (match := _TEXT_BOUND.fullmatch(line)) is not None:
            if match[1] in texts:
                raise at_line(number, f"{match[1]} is there twice; expected ids that differ")
            texts[match[1]] = number, match
        elif (match := _NORMALISATION.fullmatch(line)) is not None:
            references.setdefault(match[3], []).append(match[4])
        elif line.strip():
            if line[0] not in "NEARM#*":
                raise at_line(number, f"the line is {line[:40]!r}; {_EXPECTED}")
            others.append(line)
    unknown = next((key for key in references if key not in texts), None)
    if unknown is not None:
        raise DocumentError(f"a line N refers to {unknown}, which marks nothing; expected the id of a line T")
    annotations = []
    for number, match in texts.values():
        key, kind, places, name = match.groups()
        spans = [(int(start), int(end)) for start, end in (piece.split(" ") for piece in places.split(";"))]
        gold = _gold(references[key]) if key in references else None
        annotations.append(standoff.Annotation(spans, name, gold, {"type": kind, BRAT: key}, number))
    return annotations, others


def _gold(references: list[str]) -> tuple[str, ...]:
    """Return all ids, with and without the name of the database."""
    ids = [spelling for reference in references for spelling in (reference, reference.partition(":")[2]) if spelling]
    return tuple(dict.fromkeys(ids + [unquote(each) for each in ids if "%" in each]))


# out


def brat_of(linked: LinkedDocument) -> tuple[bytes, bytes]:
    """Return the text and the annotations of a linked document."""
    document = linked.document
    text = standoff.text_of(document, "BRAT")
    kept = [standoff.one_line(line, "\n\r") for line in standoff.strings_of(document.source, BRAT)]
    keys = _keys(linked, kept)
    numbers = _free_numbers("N", kept)
    lines = []
    for link, key in zip(linked.links, keys, strict=True):
        lines.append(_text_line(key, _type(link.mention), text, standoff.spans_of(document, link.mention)))
        if link.entity is not None:
            label = standoff.one_line(link.label or "")
            lines.append(f"N{next(numbers)}\tReference {key} {reference_of(link.entity)}\t{label}")
    return text.encode("utf-8", "replace"), standoff.encode_lines(lines + kept)


def reference_of(entity_id: str) -> str:
    """Return an id as BRAT writes it: a database, a colon, the id, with white space escaped."""
    escaped = re.sub(r"\s", lambda blank: "".join(f"%{byte:02X}" for byte in blank[0].encode()), entity_id)
    return escaped if _CURIE.fullmatch(escaped) else f"{NO_DATABASE}:{escaped}"


def _text_line(key: str, kind: str, text: str, spans: list[Span]) -> str:
    pieces = [piece for span in spans for piece in _without_breaks(text, span)]
    places = ";".join(f"{start} {end}" for start, end in pieces)
    return f"{key}\t{kind} {places}\t{' '.join(standoff.one_line(text[start:end]) for start, end in pieces)}"


def _without_breaks(text: str, span: Span) -> list[Span]:
    """Return the pieces of a span between its line breaks."""
    start, end = span
    pieces = [(start + match.start(), start + match.end()) for match in re.finditer(r"[^\r\n]+", text[start:end])]
    return pieces or [span]


def _type(mention: Mention) -> str:
    kind = mention.source.get("type")
    return (_TYPE.sub("_", kind) if isinstance(kind, str) else "") or "Entity"


def _keys(linked: LinkedDocument, kept: list[str]) -> list[str]:
    """Return the ids of the annotations: the old ones, or new ones."""
    given = [link.mention.source.get(BRAT) for link in linked.links]
    taken = {key for key in given if isinstance(key, str)}
    free = _free_numbers("T", [*kept, *taken])
    keys: list[str] = []
    for key in given:
        usable = isinstance(key, str) and re.fullmatch(r"T\d+", key) is not None and key not in keys
        keys.append(str(key) if usable else f"T{next(free)}")
    return keys


def _free_numbers(letter: str, lines: Iterable[str]) -> Iterator[int]:
    used = [int(match[2]) for line in lines if (match := _NUMBER.match(line)) and match[1] == letter]
    return iter(range(max(used, default=0) + 1, 1 << 62))
