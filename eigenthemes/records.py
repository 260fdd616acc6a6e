"""The records people see: frozen, and each turns into JSON by itself.

Document (Mention, Table)               what somebody wants linked
LinkedDocument (Link, RankedCandidate)  the same with an answer for each mention
LinkedTable                             a table with an answer for each cell
Candidate, Entity                       what a KB holds

Why a link is as it is: `explanations`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, overload

from eigenthemes.display import Shown
from eigenthemes.display.parts import short, short_repr
from eigenthemes.errors import DocumentError

if TYPE_CHECKING:
    from eigenthemes.display.parts import Part
    from eigenthemes.explanations import Explanation

FRAGMENTS = "fragments"  # field of a mention in several pieces: their spans, in code points

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a mention may mean, and why it was found."""

    rank: int
    id: str
    label: str
    matched_name: str
    match_type: str
    prior: float
    description: str = ""

    def __repr__(self) -> str:
        return short_repr(self)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a text or a table that means an entity.

    Attributes
    ----------
    start, end
        Half-open span in code points of the document's text.
    row, col
        Cell of the document's table, from 0.
    gold
        Ids of which any is right; empty: annotated as outside every KB; None: not annotated.
    candidates
        Ids the document brings itself, best first; None: they are looked up in the KB.
    priors
        A number for each of these candidates, or None.
    only_types
        It can only mean entities of one of these types; empty: of any.
    full_name
        The name that the text stands for, where it has it in another form: "breast cancer" for the span "breast" of "breast and
        ovarian cancer", "Haus" for "Häusern"; candidates are looked up by it.
    source
        The JSON object it came from: unknown fields pass through.
    """

    text: str
    start: int | None = None
    end: int | None = None
    row: int | None = None
    col: int | None = None
    gold: tuple[str, ...] | None = None
    candidates: tuple[str, ...] | None = None
    priors: tuple[float, ...] | None = None
    only_types: tuple[str, ...] = ()
    full_name: str | None = None
    source: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __repr__(self) -> str:
        return short_repr(self)

    @property
    def name(self) -> str:
        """The name that is looked up: the full name, or the text."""
        return self.full_name or self.text

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object it came from, with its place, text and full name if they were not there."""
        places = {"start": self.start, "end": self.end, "row": self.row, "col": self.col, "full_name": self.full_name}
        return {**self.source, **{name: value for name, value in places.items() if value is not None}, "text": self.text}


class PlainMentions(Sequence[Mention]):
    """Mentions that are nothing but names, with or without places and candidates: columns; each is made for who asks for it.

    Linking reads the columns only, and a document has dozens of mentions. They can be used like a tuple of mentions.

    Parameters
    ----------
    texts
        Of each starts, ends of each; None: none of them has a place.
    sources
        The JSON objects they came from, whose "gold" is an id, a list of ids, null or missing.
    fields
        That any of these objects has.
    candidates
        Ids that each brings, maybe more than once; None: none of them brings any.
    """

    __slots__ = ("_made", "candidates", "ends", "fields", "sources", "starts", "texts")

    def __init__(
        self,
        texts: list[str],
        starts: list[int] | None,
        ends: list[int] | None,
        sources: list[dict[str, Any]],
        fields: set[str],
        candidates: list[list[str]] | None = None,
    ) -> None:
        self.texts, self.starts, self.ends, self.sources, self.fields = texts, starts, ends, sources, fields
        self.candidates = candidates
        self._made: tuple[Mention, ...] | None = None

    @property
    def made(self) -> tuple[Mention, ...]:
        """All of them, as a tuple."""
        if self._made is None:
            none = [None] * len(self.texts)
            given = none if self.candidates is None else [tuple(dict.fromkeys(ids)) for ids in self.candidates]
            columns = zip(self.texts, self.starts or none, self.ends or none, given, self.sources, strict=True)
            self._made = tuple(
                Mention(text, start, end, gold=_plain_gold(source), candidates=ids, source=source)
                for text, start, end, ids, source in columns
            )
        return self._made

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, number: int) -> Mention: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Mention, ...]: ...
    def __getitem__(self, number: int | slice) -> Mention | tuple[Mention, ...]:
        return self.made[number]

    def __iter__(self) -> Iterator[Mention]:
        return iter(self.made)

    def __add__(self, others: Sequence[Mention]) -> tuple[Mention, ...]:
        return (*self.made, *others)

    def __radd__(self, others: Sequence[Mention]) -> tuple[Mention, ...]:
        return (*others, *self.made)

    def __eq__(self, other: object) -> bool:
        return self.made == (other.made if isinstance(other, PlainMentions) else other)

    def __hash__(self) -> int:
        return hash(self.made)

    def __repr__(self) -> str:
        return short(self.made)


def mention_texts(mentions: Sequence[Mention]) -> list[str]:
    """Return the texts of mentions."""
    return mentions.texts if isinstance(mentions, PlainMentions) else [mention.text for mention in mentions]


def _plain_gold(source: dict[str, Any]) -> tuple[str, ...] | None:
    if "gold" not in source:
        return None
    gold = source["gold"]
    return (gold,) if isinstance(gold, str) else tuple(gold or ())


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the names of its columns, and its rows of cells."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        return f"Table(header={short(self.header)}, {len(self.rows):,} {'row' if len(self.rows) == 1 else 'rows'})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text, a table or a mere list of mentions, linked as a whole.

    Parameters
    ----------
    mentions
        None: to be found in the text, or every cell of the table that may be a name.
    about
        Text about the source, as a heading, a place or a file name: its words and names are evidence, not mentions.
    embedded_only
        Candidates without a vector are dropped before they are counted (the authors' input layout).
    source
        The JSON object it came from: unknown fields pass through.
    """

    id: str | int | None = None
    text: str | None = None
    table: Table | None = None
    mentions: tuple[Mention, ...] | PlainMentions | None = None
    about: str | None = None
    embedded_only: bool = False
    source: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if type(self.text) is not str and self.text is not None:
            raise DocumentError(f"the text of a document is of the type {type(self.text).__name__}; expected a string")
        if type(self.about) is not str and self.about is not None:
            raise DocumentError(f"the about of a document is of the type {type(self.about).__name__}; expected a string")
        if type(self.mentions) not in (tuple, PlainMentions) and self.mentions is not None:
            raise DocumentError(f"the mentions of a document are of the type {type(self.mentions).__name__}; expected a tuple")
        if self.text is None and self.table is None and self.mentions is None:
            raise DocumentError("a document has neither text nor table nor mentions; give one of them")

    def __repr__(self) -> str:
        return short_repr(self)

    def spans_of(self, mention: Mention) -> list[Span]:
        """Where a mention is in the text, in code points; without a place of its own, where its name first occurs."""
        text = self.text or ""
        if mention.start is not None and mention.end is not None:
            return [(mention.start, mention.end)]
        fragments = mention.source.get(FRAGMENTS)
        if isinstance(fragments, list) and fragments and all(_is_span(fragment, len(text)) for fragment in fragments):
            return [(start, end) for start, end in fragments]
        start = text.find(mention.text)
        return [(start, start + len(mention.text))] if start >= 0 and mention.text else []

    def start_of(self, mention: Mention) -> int:
        """Where a mention starts in the text; without a span of its own, where its name first occurs; -1: nowhere."""
        return (self.text or "").find(mention.text) if mention.start is None else mention.start


def _is_span(fragment: Any, length: int) -> bool:
    if not isinstance(fragment, list | tuple) or len(fragment) != 2:
        return False
    start, end = fragment
    return type(start) is int and type(end) is int and 0 <= start < end <= length


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A candidate with its score."""

    id: str
    label: str
    score: float

    def to_dict(self) -> dict[str, Any]:
        return {"id": self.id, "label": self.label, "score": self.score}


@dataclass(frozen=True, slots=True)
class Link:
    """What a mention means.

    Attributes
    ----------
    entity, label
        The answer; None where there is none, and then nil_reason says why.
    score
        Of the answer, by the method that was chosen; only comparable within the document.
    probability
        None for methods that are not calibrated.
    ranking
        The best candidates, highest score first.
    unknown_candidates
        Ids the document gave that are not in the KB.
    explanation
        Why, where it was asked for.
    """

    mention: Mention
    entity: str | None
    label: str | None
    score: float | None
    ranking: tuple[RankedCandidate, ...] = ()
    probability: float | None = None
    nil_reason: str | None = None
    unknown_candidates: tuple[str, ...] = ()
    explanation: Explanation | None = None

    def __repr__(self) -> str:
        if self.entity is None:
            return f"Link({short(self.mention.text)} -> NIL, {self.nil_reason})"
        sure = "" if self.probability is None else f", {self.probability:.3f}"
        return f"Link({short(self.mention.text)} -> {short(self.entity)}, {short(self.label)}{sure})"

    def to_dict(self) -> dict[str, Any]:
        record = {
            **self.mention.to_dict(),
            "entity": self.entity,
            "label": self.label,
            "score": self.score,
            "probability": self.probability,
            "ranking": [candidate.to_dict() for candidate in self.ranking],
            "nil_reason": self.nil_reason,
        }
        record.pop("unknown_candidates", None)  # of an earlier linking, by another KB
        if self.unknown_candidates:
            record["unknown_candidates"] = list(self.unknown_candidates)
        if self.explanation is not None:
            record["explanation"] = self.explanation.to_dict()
        return record


@dataclass(frozen=True, slots=True)
class LinkedDocument(Shown):
    """A document with a link for each of its mentions."""

    document: Document
    links: tuple[Link, ...]

    def __repr__(self) -> str:
        from eigenthemes.display.views import counted_links

        document = self.document
        name = "" if document.id is None else f"id={document.id!r}, "
        what = "" if document.text is None else f"text={short(document.text)}, "
        return f"LinkedDocument({name}{what}{counted_links(self.links)})"

    def _view(self) -> Iterator[Part]:
        from eigenthemes.display.views import view_of_document

        return view_of_document(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the document with the links in place of its mentions."""
        document = self.document
        record: dict[str, Any] = {} if document.id is None else {"id": document.id}
        if document.text is not None:
            record["text"] = document.text
        if document.table is not None:
            record["table"] = {"header": list(document.table.header), "rows": [list(row) for row in document.table.rows]}
        if document.about is not None:
            record["about"] = document.about
        return {**record, **document.source, "mentions": [link.to_dict() for link in self.links]}

    def to_rows(self) -> list[dict[str, Any]]:
        """One flat record per mention, for data frames: where it is, and what it means."""
        return [
            {
                "document": self.document.id,
                "text": link.mention.text,
                "start": link.mention.start,
                "end": link.mention.end,
                "row": link.mention.row,
                "col": link.mention.col,
                "entity": link.entity,
                "label": link.label,
                "score": link.score,
                "probability": link.probability,
                "nil_reason": link.nil_reason,
            }
            for link in self.links
        ]


@dataclass(frozen=True, slots=True)
class LinkedTable(Shown):
    """A table with a link for each cell of some columns that may be a name, in order of row and column.

    Attributes
    ----------
    columns
        The numbers of these columns, from 0.
    context
        Which cells were decided together: "table", "column", "row" or "none".
    """

    table: Table
    columns: tuple[int, ...]
    links: tuple[Link, ...]
    context: str = "table"
    id: str | int | None = None

    def __repr__(self) -> str:
        from eigenthemes.display.views import counted_links

        columns = tuple(self.column_name(column) for column in self.columns)
        return f"LinkedTable({self.table!r}, columns={short(columns)}, {counted_links(self.links)})"

    def _view(self) -> Iterator[Part]:
        from eigenthemes.display.views import view_of_table

        return view_of_table(self)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: a document that could be linked again, with the columns and the context beside it."""
        document = Document(id=self.id, table=self.table, mentions=())
        names = [self.column_name(column) for column in self.columns]
        return {**LinkedDocument(document, self.links).to_dict(), "columns": names, "context": self.context}

    def column_name(self, column: int) -> str:
        """Return what the header calls a column; "column N", counted from 1, where it has no name."""
        header = self.table.header
        return (header[column] if column < len(header) else "") or f"column {column + 1}"

    def link_of(self, row: int, column: int) -> Link | None:
        """Return the link of a cell; None where the cell holds no name, or is of another column."""
        return self._links_by_cell().get((row, column))

    def to_table(self, *, suffixes: tuple[str, str, str] = ("_id", "_label", "_probability")) -> Table:
        """Return the table with columns for id, label and probability of each linked column; empty without a link."""
        by_cell = self._links_by_cell()
        width = max([len(self.table.header), *map(len, self.table.rows)], default=0)
        header = _padded(self.table.header, width)
        header += tuple(self.column_name(column) + suffix for column in self.columns for suffix in suffixes)
        rows = tuple(
            _padded(row, width) + tuple(value for column in self.columns for value in _answer(by_cell.get((number, column))))
            for number, row in enumerate(self.table.rows)
        )
        return Table(header, rows)

    def _links_by_cell(self) -> dict[tuple[int, int], Link]:
        return {(link.mention.row or 0, link.mention.col or 0): link for link in self.links}


def _padded(cells: tuple[str, ...], width: int) -> tuple[str, ...]:
    return cells + ("",) * (width - len(cells))


def _answer(link: Link | None) -> tuple[str, str, str]:
    if link is None or link.entity is None:
        return "", "", ""
    return link.entity, link.label or "", "" if link.probability is None else f"{link.probability:.4f}"


@dataclass(frozen=True, slots=True)
class Entity(Shown):
    """An entity of a KB.

    Attributes
    ----------
    aliases
        All names but the label.
    prior
        How popular it is: its degree, or what the sources give.
    """

    id: str
    label: str
    aliases: tuple[str, ...]
    description: str
    types: tuple[str, ...]
    prior: float

    def __repr__(self) -> str:
        return short_repr(self)

    def _view(self) -> Iterator[Part]:
        from eigenthemes.display.views import view_of_entity

        return view_of_entity(self)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Neighbor:
    """An entity that shares an edge with another one.

    Attributes
    ----------
    relation
        As the sources name it.
    reverse
        The statement runs from this neighbour to the other entity.
    """

    id: str
    label: str
    relation: str
    reverse: bool

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
