"""Metrics of detected and linked spans against annotated ones.

Two ways to compare. Strong: the same span. Weak: spans that overlap. Each link is right at most once, and so is each
annotation. Annotations whose entity the KB does not have are left out: nobody could find them, and a link on one of them counts
neither way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from eigenthemes.metrics.precision import Figures, precision_recall_f1

WRONG, RIGHT, LEFT_OUT = 0, 1, -1


class GoldSpan(NamedTuple):
    """An annotated span, and the entities of the KB that are right; none: it is outside the KB."""

    start: int
    end: int
    entities: frozenset[int]


class FoundSpan(NamedTuple):
    """A span that was found, and the entity it was linked to."""

    start: int
    end: int
    entity: int = -1


def match_spans(found: Sequence[FoundSpan], gold: Sequence[GoldSpan], *, weak: bool, entities: bool) -> list[int]:
    """Return of each found span whether it is RIGHT, WRONG or LEFT_OUT.

    weak      overlapping spans match, those that are the same first
    entities  the entity must be right, too
    """
    inside = [span for span in gold if span.entities]
    outside = [span for span in gold if not span.entities]
    taken = [False] * len(inside)
    outcome = [WRONG] * len(found)
    for exactly in (True, False) if weak else (True,):
        for number, span in enumerate(found):
            if outcome[number] == RIGHT:
                continue
            at = next((i for i, other in enumerate(inside) if not taken[i] and _fits(span, other, exactly, entities)), None)
            if at is not None:
                taken[at] = True
                outcome[number] = RIGHT
    for number, span in enumerate(found):
        if outcome[number] == WRONG and any(_overlap(span, other) for other in outside):
            outcome[number] = LEFT_OUT
    return outcome


def _fits(span: FoundSpan, gold: GoldSpan, exactly: bool, entities: bool) -> bool:
    same = (span.start, span.end) == (gold.start, gold.end) if exactly else _overlap(span, gold)
    return same and (not entities or span.entity in gold.entities)


def _overlap(span: FoundSpan, gold: GoldSpan) -> bool:
    return span.start < gold.end and gold.start < span.end


@dataclass(slots=True)
class SpanCounts:
    """Counts per document: (right, detected, annotated)."""

    documents: list[tuple[int, int, int]] = field(default_factory=list)

    def add(self, outcome: Iterable[int], gold: Sequence[GoldSpan]) -> None:
        """Count a document."""
        counted = [each for each in outcome if each != LEFT_OUT]
        self.documents.append((sum(counted), len(counted), sum(bool(span.entities) for span in gold)))

    def figures(self) -> dict[str, Figures]:
        """Return precision, recall and F1 over all spans (micro), and their means over documents with something to find."""
        right, found, annotated = (sum(column) for column in zip((0, 0, 0), *self.documents, strict=True))
        each = [precision_recall_f1(*counts) for counts in self.documents if counts[2]]
        macro = {name: sum(row[name] for row in each) / max(1, len(each)) for name in ("precision", "recall", "f1")}
        micro = {"right": right, "found": found, "annotated": annotated, **precision_recall_f1(right, found, annotated)}
        return {"micro": micro, "macro": {"documents": len(each), **macro}}
