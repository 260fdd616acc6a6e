"""Annotations that point into a text by offsets: units of offsets, mentions in several pieces, ids, fields to write back.

Formats define what offsets count, but their tools often count UTF-16 units (Java, JavaScript) or UTF-8 bytes. Annotations
repeat the text they mark, so the unit can be inferred.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from eigenthemes.errors import DocumentError
from eigenthemes.records import FRAGMENTS, Document, Mention, Span

CODE_POINTS, UTF_16, UTF_8 = UNITS = ("code points", "UTF-16 units", "UTF-8 bytes")
OWN = "urn:x-eigenthemes:"  # prefix of the IRIs of ids that are no IRIs
_NONE = frozenset(("-", "-1", "NIL", "nil", "null", "None"))
_SEPARATORS = re.compile(r"[|,;+]")
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]+")
_DBPEDIA = "http://dbpedia.org/resource/"
_NOT_IN_IRI = str.maketrans({letter: f"%{ord(letter):02X}" for letter in '"#%<>?[\\]^`{|}'}) | {ord(" "): "_"}

# offsets


class Offsets:
    """Converts offsets in some unit to and from code points of a text."""

    def __init__(self, text: str, unit: str) -> None:
        self.text, self.unit = text, CODE_POINTS if text.isascii() else unit
        self._places = [] if self.unit == CODE_POINTS else [0, *accumulate(width(letter, unit) for letter in text)]

    def to_code_points(self, offset: int) -> int | None:
        """Return the code points before an offset; None if it is outside of the text, or within a letter."""
        if self.unit == CODE_POINTS:
            return offset if 0 <= offset <= len(self.text) else None
        place = bisect_left(self._places, offset)
        return place if place < len(self._places) and self._places[place] == offset else None

    def from_code_points(self, place: int) -> int:
        """Return the offset of a position in code points."""
        return place if self.unit == CODE_POINTS else self._places[place]

    def spans(self, spans: Sequence[Span]) -> list[Span] | None:
        """Return spans in code points; None if one of them is no span of the text."""
        converted = []
        for start, end in spans:
            first, last = self.to_code_points(start), self.to_code_points(end)
            if first is None or last is None or first >= last:
                return None
            converted.append((first, last))
        return converted


def width(text: str, unit: str) -> int:
    """Return the length of a text in a unit."""
    if unit == CODE_POINTS or text.isascii():
        return len(text)
    return (
        len(text.encode("utf-8", "surrogatepass")) if unit == UTF_8 else len(text) + sum(letter > "\uffff" for letter in text)
    )


def unit_of(texts: Mapping[str, str], annotations: Sequence[Annotation]) -> str:
    """Return the unit in which most annotations mark their names; the first one if several are as good.

    texts  unit -> the text, if the offsets count that
    """
    right = {}
    for unit, text in texts.items():
        offsets = Offsets(text, unit)
        right[unit] = sum(each.name is None or marks(text, offsets.spans(each.spans), each.name) for each in annotations)
        if right[unit] == len(annotations):
            return unit
    return max(right, key=right.__getitem__)


def marks(text: str, spans: Sequence[Span] | None, name: str) -> bool:
    """Return whether spans of a text contain a name, apart from line breaks and the sign for left-out words, [...]."""
    if spans is None:
        return False
    words = " ".join(text[start:end] for start, end in spans).split()
    return words == name.split() or (len(spans) > 1 and words == name.replace("[...]", " ").split())


class Annotation(NamedTuple):
    """An annotation as it was read.

    spans   of its pieces, in the unit of the file
    name    text that the annotation repeats, if any
    gold    ids of its entity, as of a `Mention`
    source  fields of the mention
    line    in the file, for errors
    """

    spans: Sequence[Span]
    name: str | None
    gold: tuple[str, ...] | None
    source: dict[str, Any]
    line: int | None = None


def mentions_of(text: str, annotations: Sequence[Annotation], unit: str | None = None) -> list[Mention]:
    """Return the mentions of annotations; by default, the unit of their offsets is inferred from the names."""
    offsets = Offsets(text, unit or unit_of(dict.fromkeys(UNITS, text), annotations))
    return [_mention(offsets, annotation) for annotation in annotations]


def _mention(offsets: Offsets, annotation: Annotation) -> Mention:
    """Return the mention of an annotation; if more than white space separates its pieces, it has no single span."""
    text, (spans, name, gold, source, line) = offsets.text, annotation
    converted = offsets.spans(spans)
    at = ";".join(f"{start} {end}" for start, end in spans)
    where = None if line is None else str(line)
    if converted is None:
        problem = f"the span {at} is no part of the text, which has {width(text, offsets.unit)} {offsets.unit}"
        raise DocumentError(f"{problem}; expected start and end, the end not included", where=where)
    pieces = " ".join(text[start:end] for start, end in converted)
    if name is not None and not marks(text, converted, name):
        problem = f"{name[:40]!r} is marked at {at}, but {pieces[:40]!r} stands there"
        raise DocumentError(f"{problem}; expected the text of the span", where=where)
    if gold is not None:
        source = {**source, "gold": list(gold)}
    if all(text[end:start].isspace() for (_, end), (start, _) in pairwise(converted)):
        start, end = converted[0][0], converted[-1][1]
        return Mention(text[start:end], start, end, gold=gold, source=source)
    return Mention(pieces, gold=gold, source={**source, FRAGMENTS: [list(span) for span in converted]})


def spans_of(document: Document, mention: Mention) -> list[Span]:
    """Return the spans of a mention in code points; refuse a mention without any."""
    spans = document.spans_of(mention)
    if not spans:
        raise DocumentError(f"the mention {mention.text[:40]!r} has no place in the text; expected its start and end")
    return spans


def extent_of(document: Document, mention: Mention) -> Span:
    """Return the span from the first to the last piece of a mention."""
    spans = spans_of(document, mention)
    return spans[0][0], spans[-1][1]


def text_of(document: Document, format_name: str) -> str:
    """Return the text of a document; refuse one that has none."""
    if document.text is None:
        kind = "a table" if document.table is not None else "a list of mentions"
        raise DocumentError(f"the document is {kind} without a text, which {format_name} needs; write JSON lines, or HTML")
    return document.text


# lines that are written


def encode_lines(lines: Iterable[str]) -> bytes:
    """Return lines as UTF-8, each with a line end."""
    return "".join(line + "\n" for line in lines).encode("utf-8", "replace")


def one_line(text: str, blanks: str = "\t\n\r") -> str:
    """Return a text of the same length with spaces for tabs and line breaks."""
    return text.translate(dict.fromkeys(map(ord, blanks), " "))


# ids


def document_name(document: Document, number: int) -> str:
    """Return the id of a document, or its number in the file."""
    return str(number if document.id is None else document.id)


def gold_of_field(value: str) -> tuple[str, ...] | None:
    """Return the ids of a field that may hold several, as in biomedical corpora: the full value first, then each id.

    None if the field is empty, so that no gold is given; no ids if it says that none is right.
    """
    value = value.strip()
    if not value:
        return None
    if value in _NONE:
        return ()
    return tuple(dict.fromkeys([value, *(part.strip() for part in _SEPARATORS.split(value) if part.strip())]))


def iri_of(entity_id: str, kind: str = "entity") -> str:
    """Return an id as an IRI: itself, or with our own prefix."""
    if _IRI.fullmatch(entity_id) and ("://" in entity_id or entity_id.startswith("urn:")):
        return entity_id
    return own_iri(entity_id, kind)


def own_iri(entity_id: str, kind: str) -> str:
    """Return an id as an IRI with our own prefix."""
    return f"{OWN}{kind}:{quote(entity_id, safe='')}"


def id_of_iri(iri: str, kind: str = "entity") -> str:
    """Undo `iri_of`."""
    own = f"{OWN}{kind}:"
    return unquote(iri[len(own) :]) if iri.startswith(own) else iri


def dbpedia_iri(title: str) -> str:
    """Return the DBpedia IRI of a Wikipedia page; letters of all scripts stay unescaped."""
    return _DBPEDIA + title.translate(_NOT_IN_IRI)


# fields of the source that are written back


def dict_of(source: dict[str, Any], *fields: str) -> dict[str, Any]:
    """Return the object in a field of a source, or in a field of that; {} if it is missing or something else."""
    for field in fields:
        value = source.get(field)
        source = value if isinstance(value, dict) else {}
    return source


def strings_of(source: dict[str, Any], field: str) -> list[str]:
    """Return the strings of a field of a source that is a list."""
    value = source.get(field)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
