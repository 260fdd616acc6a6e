"""Where a name is in a text: spans of other formats as code points, whatever they count, and mentions in several pieces.

The formats say what offsets count, their tools often count something else: UTF-16 units (Java, JavaScript) or UTF-8 bytes.
Annotations repeat the text they mark, so that what was counted can be told.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from eigenthemes.errors import DocumentError
from eigenthemes.records import FRAGMENTS, Document, Mention, Span

CODE_POINTS, UTF_16, UTF_8 = UNITS = ("code points", "UTF-16 units", "UTF-8 bytes")


class Offsets:
    """The places between the letters of a text, counted in a unit."""

    def __init__(self, text: str, unit: str) -> None:
        self.text, self.unit = text, CODE_POINTS if text.isascii() else unit
        self._places = [] if self.unit == CODE_POINTS else [0, *accumulate(width(letter, unit) for letter in text)]

    def to_code_points(self, offset: int) -> int | None:
        """Return the code points before an offset; None where it is outside of the text, or within a letter."""
        if self.unit == CODE_POINTS:
            return offset if 0 <= offset <= len(self.text) else None
        place = bisect_left(self._places, offset)
        return place if place < len(self._places) and self._places[place] == offset else None

    def from_code_points(self, place: int) -> int:
        return place if self.unit == CODE_POINTS else self._places[place]

    def spans(self, spans: Sequence[Span]) -> list[Span] | None:
        """Return spans in code points; None where one of them is none."""
        found = []
        for start, end in spans:
            first, last = self.to_code_points(start), self.to_code_points(end)
            if first is None or last is None or first >= last:
                return None
            found.append((first, last))
        return found


def width(text: str, unit: str) -> int:
    """Return how long a text is in a unit."""
    if unit == CODE_POINTS or text.isascii():
        return len(text)
    return (
        len(text.encode("utf-8", "surrogatepass")) if unit == UTF_8 else len(text) + sum(letter > "\uffff" for letter in text)
    )


def unit_of(text: str, annotations: Sequence[tuple[Sequence[Span], str]]) -> str:
    """Return the unit in which most annotations (their spans, the text they mark) are right; code points where all are."""
    if text.isascii() or not annotations:
        return CODE_POINTS
    right = {}
    for unit in UNITS:
        offsets = Offsets(text, unit)
        right[unit] = sum(marks(text, offsets.spans(spans), name) for spans, name in annotations)
        if right[unit] == len(annotations):
            return unit
    return max(UNITS, key=lambda unit: right[unit])


def marks(text: str, spans: Sequence[Span] | None, name: str) -> bool:
    """Return whether the spans of a text are a name; line breaks, and what stands for left-out words, make no difference."""
    if spans is None:
        return False
    words = " ".join(text[start:end] for start, end in spans).split()
    return words == name.split() or (len(spans) > 1 and words == name.replace("[...]", " ").split())


def mention_at(
    offsets: Offsets, spans: Sequence[Span], name: str | None, *, gold: tuple[str, ...] | None, source: dict[str, Any]
) -> Mention:
    """Return the mention of an annotation; one whose pieces are further apart than a line break has no span of its own.

    spans  pieces of the mention, in the unit of the offsets
    name   what the annotation says is marked; None: it does not say
    """
    text, found = offsets.text, offsets.spans(spans)
    at = ";".join(f"{start} {end}" for start, end in spans)
    if found is None:
        problem = f"the span {at} is no part of the text, which has {width(text, offsets.unit)} {offsets.unit}"
        raise DocumentError(f"{problem}; expected start and end, the end not included")
    pieces = " ".join(text[start:end] for start, end in found)
    if name is not None and not marks(text, found, name):
        raise DocumentError(f"{name[:40]!r} is marked at {at}, but {pieces[:40]!r} stands there; expected the text of the span")
    if gold is not None:
        source = {**source, "gold": list(gold)}
    if all(text[end:start].isspace() for (_, end), (start, _) in pairwise(found)):
        start, end = found[0][0], found[-1][1]
        return Mention(text[start:end], start, end, gold=gold, source=source)
    return Mention(pieces, gold=gold, source={**source, FRAGMENTS: [list(span) for span in found]})


def spans_of(document: Document, mention: Mention) -> list[Span]:
    """Return where a mention is in the text, in code points; refuse one that is nowhere."""
    spans = document.spans_of(mention)
    if not spans:
        raise DocumentError(f"the mention {mention.text[:40]!r} has no place in the text; expected its start and end")
    return spans


def text_of(document: Document, format_name: str) -> str:
    """Return the text of a document; refuse one that has none, for most formats mark texts."""
    if document.text is None:
        kind = "a table" if document.table is not None else "a list of mentions"
        raise DocumentError(f"the document is {kind} without a text, which {format_name} needs; write JSON lines, or HTML")
    return document.text
