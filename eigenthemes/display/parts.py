"""The parts of which everything shown is made: each one that shows them knows all of these, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eigenthemes.records import Link

Span = tuple[int, int]

_DEEPEST = 8  # marks within marks that are shown


@dataclass(frozen=True, slots=True)
class Heading:
    """What it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    """Some sentences; quiet ones are beside the point."""

    text: str
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text with its links; one mention may have several spans."""

    text: str
    placed: Sequence[tuple[Span, Link]]

    def pieces(self) -> Iterator[tuple[str, list[Link]]]:
        """Yield the text in pieces, each with the links it is within, the longest first; a crossing one is cut in two."""
        placed = self.placed
        opening: dict[int, list[int]] = {}
        for number, ((start, _), _) in enumerate(placed):
            opening.setdefault(start, []).append(number)
        inside: list[int] = []  # open mentions, the longest first
        at = 0
        for place in sorted(opening.keys() | {end for (_, end), _ in placed}):
            if self.text[at:place]:
                yield self.text[at:place], [placed[number][1] for number in inside]
            inside = [number for number in inside if placed[number][0][1] > place] + opening.get(place, [])
            inside.sort(key=lambda number: -placed[number][0][1])
            inside = inside[-_DEEPEST:]
            at = place
        if self.text[at:]:
            yield self.text[at:], []


@dataclass(frozen=True, slots=True)
class EntityId:
    """The id of an entity; one that is a web address leads there."""

    text: str


@dataclass(frozen=True, slots=True)
class MarkedCell:
    """A cell of a table with its link."""

    text: str
    link: Link


Cell = str | EntityId | MarkedCell


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values, a line each."""

    rows: Sequence[tuple[str, Cell]]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; the columns `right` hold figures."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    right: Sequence[int] = ()


Part = Heading | Prose | MarkedText | Facts | Grid
