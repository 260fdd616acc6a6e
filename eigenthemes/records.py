"""Public records: frozen data classes, each with `to_dict` for JSON.

Document (Mention, Table)               the input
LinkedDocument (Link, RankedCandidate)  a document with a link for each mention
LinkedTable                             a table with a link for each cell
Candidate, Entity, Neighbor             what a KB holds

Explanations of links are in `explanations`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from eigenthemes.display import Displayed, short, short_repr
from eigenthemes.errors import DocumentError

if TYPE_CHECKING:
    from eigenthemes.explanations import Explanation

FRAGMENTS = "fragments"  # field of a mention in several pieces: their spans, in code points

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a mention may be linked to.

    Parameters
    ----------
    rank : int
        Place by prior among the candidates of the mention, from 1.
    id, label : str
        Of the entity.
    matched_name : str
        The name that matched the mention.
    match_type : str
        How it matched: a value of `names.retrieval.MATCH_TYPES`.
    prior : float
        Popularity of the entity.
    description : str
        Of the entity.
    """

    rank: int
    id: str
    label: str
    matched_name: str
    match_type: str
    prior: float
    description: str = ""

    __repr__ = short_repr

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a text or a table.

    Parameters
    ----------
    text : str
        The name as written.
    start, end : int, optional
        Half-open span in code points of the document's text.
    row, col : int, optional
        Cell of the document's table, from 0.
    gold : tuple of str, optional
        Correct ids, any of which is right. Empty: annotated as not in the KB. None: not annotated.
    candidates : tuple of str, optional
        Ids of candidates, best first. None: candidates are looked up in the KB.
    priors : tuple of float, optional
        A number for each of these candidates, which then ranks them, highest first.
    only_types : tuple of str
        Types of the entities it may be linked to. Empty: any.
    full_name : str, optional
        The full name where the text has another form: "breast cancer" for the span "breast" of "breast and ovarian cancer",
        "Haus" for "Häusern". Candidates are looked up by it.
    source : dict
        The JSON object it was read from; unknown fields pass through.
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

    __repr__ = short_repr

    @property
    def name(self) -> str:
        """Name by which candidates are looked up: the full name, or the text."""
        return self.full_name or self.text

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object it was read from, with its place, text and full name."""
        places = {"start": self.start, "end": self.end, "row": self.row, "col": self.col, "full_name": self.full_name}
        return {**self.source, **{name: value for name, value in places.items() if value is not None}, "text": self.text}


@dataclass(eq=False, repr=False)
class PlainMentions(Sequence[Mention]):
    """The mentions of a document as columns: a sequence whose `Mention` objects are made when they are first used.

    Linking reads only the columns, which is faster where a document has dozens of mentions.

    Parameters
    ----------
    texts : list of str
        Names as written.
    starts, ends : list of int, optional
        Their spans. None: no mention has one.
    sources : list of dict
        The JSON objects they were read from; "gold" is an id, a list of ids, null or missing.
    fields : set of str
        All field names of these objects.
    candidates : list of list of str, optional
        Ids of candidates of each, with or without repetitions. None: they are looked up in the KB.
    """

    texts: list[str]
    starts: list[int] | None
    ends: list[int] | None
    sources: list[dict[str, Any]]
    fields: set[str]
    candidates: list[list[str]] | None = None

    @cached_property
    def made(self) -> tuple[Mention, ...]:
        """The mentions as a tuple."""
        none = [None] * len(self.texts)
        given = none if self.candidates is None else [tuple(dict.fromkeys(ids)) for ids in self.candidates]
        columns = zip(self.texts, self.starts or none, self.ends or none, given, self.sources, strict=True)
        return tuple(
            Mention(text, start, end, gold=_plain_gold(source), candidates=ids, source=source)
            for text, start, end, ids, source in columns
        )

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
    """A table.

    Parameters
    ----------
    header : tuple of str
        Names of the columns.
    rows : tuple of tuple of str
        Cells of each row.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column_name(self, column: int) -> str:
        """Return the name of a column; "column N", counted from 1, if it has none."""
        return (self.header[column] if column < len(self.header) else "") or f"column {column + 1}"

    def __repr__(self) -> str:
        return f"Table(header={short(self.header)}, {len(self.rows):,} {'row' if len(self.rows) == 1 else 'rows'})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text, a table or a list of mentions that are linked together.

    Parameters
    ----------
    id : str or int, optional
    text : str, optional
    table : Table, optional
    mentions : tuple of Mention, optional
        None: detect them in the text, or use every cell of the table that may be a name.
    about : str, optional
        Text about the source, such as a heading, a place or a file name. Its words and names are evidence, not mentions.
    embedded_only : bool
        Drop candidates without a vector before counting them, as the authors' input layout does.
    source : dict
        The JSON object it was read from; unknown fields pass through.
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

    __repr__ = short_repr

    def spans_of(self, mention: Mention) -> list[Span]:
        """Return the spans of a mention in code points; without a given span, the first occurrence of its text."""
        text = self.text or ""
        _check_mention(mention)
        if mention.start is not None and mention.end is not None:
            return [(mention.start, mention.end)]
        fragments = mention.source.get(FRAGMENTS)
        if isinstance(fragments, list) and fragments and all(_is_span(fragment, len(text)) for fragment in fragments):
            return [(start, end) for start, end in fragments]
        start = text.find(mention.text)
        return [(start, start + len(mention.text))] if start >= 0 and mention.text else []

    def start_of(self, mention: Mention) -> int:
        """Return the start of a mention; without a given span, of the first occurrence of its text; -1 if there is none."""
        _check_mention(mention)
        return (self.text or "").find(mention.text) if mention.start is None else mention.start


def document_fields(document: Document) -> dict[str, Any]:
    """Return the JSON object that a document was read from, with what the source of another format does not have in front."""
    source, table = document.source, document.table
    fields: dict[str, Any] = {"id": document.id, "about": document.about, "text": document.text}
    if table is not None and "table" not in source:
        fields["table"] = {"header": list(table.header), "rows": list(map(list, table.rows))}
    missing = {name: value for name, value in fields.items() if value is not None and name not in source}
    return {**missing, **source} if missing else source


def _check_mention(mention: object) -> None:
    if not isinstance(mention, Mention):
        raise TypeError(f"mention is {mention!r:.40}; expected a Mention")


def _is_span(fragment: Any, length: int) -> bool:
    if not isinstance(fragment, list | tuple) or len(fragment) != 2:
        return False
    start, end = fragment
    return type(start) is int and type(end) is int and 0 <= start < end <= length


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A candidate with its score.

    Parameters
    ----------
    id, label : str
        Of the entity.
    score : float
        By the method of the linker; comparable only within a document.
    """

    id: str
    label: str
    score: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, for JSON."""
        return {"id": self.id, "label": self.label, "score": self.score}


@dataclass(frozen=True, slots=True)
class Link:
    """The decision for a mention: an entity, or NIL.

    Parameters
    ----------
    mention : Mention
    entity, label : str, optional
        Id and label of the linked entity. None: NIL.
    score : float, optional
        Of the entity, by the method of the linker; comparable only within a document.
    ranking : tuple of RankedCandidate
        The best candidates, highest score first.
    probability : float, optional
        Calibrated probability of the link, counting mentions whose entity is missing from the KG. None: the method is not
        calibrated, or NIL.
    probability_if_in_kg : float, optional
        The same, if the right entity is in the KG.
    nil_reason : str, optional
        Why there is no link: "no_candidate", "low_probability", "no_embedding" or "no_name_match".
    unknown_candidates : tuple of str
        Ids given by the document that are not in the KB.
    ambiguous_with : tuple of str
        Ids of other entities of that very name which are nearly as probable, best first.
    explanation : Explanation, optional
        Present if the linker explains.
    """

    mention: Mention
    entity: str | None
    label: str | None
    score: float | None
    ranking: tuple[RankedCandidate, ...] = ()
    probability: float | None = None
    probability_if_in_kg: float | None = None
    nil_reason: str | None = None
    unknown_candidates: tuple[str, ...] = ()
    ambiguous_with: tuple[str, ...] = ()
    explanation: Explanation | None = None

    def __repr__(self) -> str:
        if self.entity is None:
            return f"Link({short(self.mention.text)} -> NIL, {self.nil_reason})"
        sure = "" if self.probability is None else f", {self.probability:.3f}"
        return f"Link({short(self.mention.text)} -> {short(self.entity)}, {short(self.label)}{sure})"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the mention, with the fields of the link."""
        record = {
            **self.mention.to_dict(),
            **{name: getattr(self, name) for name in _ANSWER},
            "ranking": [candidate.to_dict() for candidate in self.ranking],
            "nil_reason": self.nil_reason,
        }
        for name, ids in (("unknown_candidates", self.unknown_candidates), ("ambiguous_with", self.ambiguous_with)):
            record.pop(name, None)  # of an earlier run with another KB
            if ids:
                record[name] = list(ids)
        if self.explanation is not None:
            record["explanation"] = self.explanation.to_dict()
        return record


_ANSWER = ("entity", "label", "score", "probability", "probability_if_in_kg")  # fields of a link


@dataclass(frozen=True, slots=True)
class LinkedDocument(Displayed):
    """A document with a link for each of its mentions.

    Parameters
    ----------
    document : Document
    links : tuple of Link
        In the order of the mentions.
    """

    document: Document
    links: tuple[Link, ...]
    _view_function = "view_of_document"

    def __repr__(self) -> str:
        from eigenthemes.display.views import counted_links

        document = self.document
        name = "" if document.id is None else f"id={document.id!r}, "
        what = "" if document.text is None else f"text={short(document.text)}, "
        return f"LinkedDocument({name}{what}{counted_links(self.links)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the document, with the links in place of its mentions."""
        return {**document_fields(self.document), "mentions": [link.to_dict() for link in self.links]}

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat dict per mention, for data frames."""
        return [
            {
                "document": self.document.id,
                **{name: getattr(link.mention, name) for name in ("text", "start", "end", "row", "col")},
                **{name: getattr(link, name) for name in (*_ANSWER, "nil_reason")},
            }
            for link in self.links
        ]


@dataclass(frozen=True, slots=True)
class LinkedTable(Displayed):
    """A table with a link for each cell that may be a name, ordered by row and column.

    Parameters
    ----------
    table : Table
    columns : tuple of int
        Numbers of the linked columns, from 0.
    links : tuple of Link
    context : str
        Cells that were decided together: "table", "column", "row" or "none".
    id : str or int, optional
    """

    table: Table
    columns: tuple[int, ...]
    links: tuple[Link, ...]
    context: str = "table"
    id: str | int | None = None
    _view_function = "view_of_table"

    def __repr__(self) -> str:
        from eigenthemes.display.views import counted_links

        columns = tuple(self.column_name(column) for column in self.columns)
        return f"LinkedTable({self.table!r}, columns={short(columns)}, {counted_links(self.links)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the table as a document, with its columns and context."""
        document = Document(id=self.id, table=self.table, mentions=())
        names = [self.column_name(column) for column in self.columns]
        return {**LinkedDocument(document, self.links).to_dict(), "columns": names, "context": self.context}

    def column_name(self, column: int) -> str:
        """Return the name of a column; "column N", counted from 1, if it has none."""
        return self.table.column_name(column)

    def link_of(self, row: int, column: int) -> Link | None:
        """Return the link of a cell; None if the cell is no name, or its column is not linked."""
        return self._links_by_cell().get((row, column))

    def to_table(self, *, suffixes: tuple[str, str, str] = ("_id", "_label", "_probability")) -> Table:
        """Return the table with three more columns for each linked one; their cells are empty where there is no link.

        Parameters
        ----------
        suffixes : tuple of str
            Appended to the name of a column for its ids, labels and probabilities.

        Returns
        -------
        Table
        """
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
class Entity(Displayed):
    """An entity of a KB.

    Parameters
    ----------
    id, label : str
    aliases : tuple of str
        All names but the label.
    description : str
    types : tuple of str
        Ids of its types.
    prior : float
        Popularity: its degree, or a value from the sources.
    """

    id: str
    label: str
    aliases: tuple[str, ...]
    description: str
    types: tuple[str, ...]
    prior: float
    _view_function = "view_of_entity"

    __repr__ = short_repr

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Neighbor:
    """An entity that has an edge with another one.

    Parameters
    ----------
    id, label : str
    relation : str
        As named in the sources.
    reverse : bool
        The statement leads from this neighbour to the other entity.
    """

    id: str
    label: str
    relation: str
    reverse: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, for JSON."""
        return asdict(self)
