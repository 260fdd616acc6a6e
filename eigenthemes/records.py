"""The records people see: frozen, and each turns into JSON by itself.

A document is what somebody wants linked; a linked document is the same with an answer for each mention.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a mention may mean, and why it was found."""

    rank: int
    id: str
    label: str
    name: str
    how: str
    prior: float
    description: str = ""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a text or a table that means an entity.

    start, end   half-open span in code points of the document's text
    row, col     cell of the document's table, from 0
    gold         ids of which any is right; empty: annotated as outside every KB; None: not annotated
    candidates   ids the document brings itself, best first; None: they are looked up in the KB
    priors       a number for each of these candidates, or None
    source       the JSON object it came from: unknown fields pass through
    """

    text: str
    start: int | None = None
    end: int | None = None
    row: int | None = None
    col: int | None = None
    gold: tuple[str, ...] | None = None
    candidates: tuple[str, ...] | None = None
    priors: tuple[float, ...] | None = None
    source: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object it came from, with its place and text if they were not there."""
        places = {"start": self.start, "end": self.end, "row": self.row, "col": self.col}
        return {**self.source, **{name: value for name, value in places.items() if value is not None}, "text": self.text}


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the names of its columns, and its rows of cells."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A text, a table or a mere list of mentions, linked as a whole.

    mentions       None: to be found in the text, or every cell of the table that may be a name
    embedded_only  candidates without a vector are dropped before they are counted (the authors' input layout)
    source         the JSON object it came from: unknown fields pass through
    """

    mentions: tuple[Mention, ...] | None = None
    id: str | int | None = None
    text: str | None = None
    table: Table | None = None
    embedded_only: bool = False
    source: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def start_of(self, mention: Mention) -> int:
        """Where a mention starts in the text; without a place of its own, where its name first stands; -1: nowhere."""
        return (self.text or "").find(mention.text) if mention.start is None else mention.start


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score."""

    id: str
    label: str
    score: float

    def to_dict(self) -> dict[str, Any]:
        return {"id": self.id, "label": self.label, "score": self.score}


@dataclass(frozen=True, slots=True)
class Link:
    """What a mention means.

    entity, label       the answer; None where there is none, and then nil_reason says why
    score               of the answer, by the method that was chosen; only comparable within the document
    probability         None for methods that are not calibrated
    ranking             the best candidates, highest score first
    unknown_candidates  ids the document gave that are not in the KB
    explanation         why, where it was asked for
    """

    mention: Mention
    entity: str | None
    label: str | None
    score: float | None
    ranking: tuple[Ranked, ...] = ()
    probability: float | None = None
    nil_reason: str | None = None
    unknown_candidates: tuple[str, ...] = ()
    explanation: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        found = {
            **self.mention.to_dict(),
            "entity": self.entity,
            "label": self.label,
            "score": self.score,
            "probability": self.probability,
            "ranking": [each.to_dict() for each in self.ranking],
            "nil_reason": self.nil_reason,
        }
        found.pop("unknown_candidates", None)  # of an earlier linking, by another KB
        if self.unknown_candidates:
            found["unknown_candidates"] = list(self.unknown_candidates)
        if self.explanation is not None:
            found["explanation"] = self.explanation
        return found


@dataclass(frozen=True, slots=True)
class LinkedDocument:
    """A document with a link for each of its mentions."""

    document: Document
    links: tuple[Link, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of the document with the links in place of its mentions."""
        document = self.document
        found: dict[str, Any] = {} if document.id is None else {"id": document.id}
        if document.text is not None:
            found["text"] = document.text
        if document.table is not None:
            found["table"] = {"header": document.table.header, "rows": document.table.rows}
        return {**found, **document.source, "mentions": [link.to_dict() for link in self.links]}
