"""Records that say why: explanations of links, and the map of a document's candidates; each turns into JSON by itself.

Explanation (ExplainedCandidate, Support, Reason, ColumnReason, RowReason)   why a mention was linked as it was
CandidateMap (MapPoint, MapSupport)                               where the candidates of a document lie, and what supports what
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from eigenthemes.display import Shown
from eigenthemes.display.plain import plain
from eigenthemes.display.short import short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eigenthemes.display.parts import Part

# Why a candidate of another name supports one: the values of `Reason.type`.
EDGE, SHARED, SAME, LONGER, CLOSE = "edge", "shared", "same entity", "longer name", "close in the vectors"
GIVEN = "given by the document"  # a match type beside those of `candidates.rules.MATCH_TYPES`


@dataclass(frozen=True, slots=True)
class ExplainedCandidate:
    """A candidate as the ranker saw it.

    display_label  its label, told apart from the mention and from other candidates of the same label
    match_type     how its name matched: a value of `candidates.rules.MATCH_TYPES`, or GIVEN; and which name did, matched_name
    contributions  feature group -> what it adds to the utility; 1 more than another candidate is 2.7 times as likely
    connected      do the other names share an edge, a neighbour or the entity itself with it?
    """

    id: str
    label: str
    display_label: str
    description: str
    probability: float
    prior: float
    match_type: str
    matched_name: str
    contributions: dict[str, float]
    connected: bool

    def __repr__(self) -> str:
        return f"ExplainedCandidate({short(self.id)}, {short(self.display_label)}, {self.probability:.3f})"

    def to_dict(self) -> dict[str, Any]:
        record: dict[str, Any] = _rounded(asdict(self))
        return record


@dataclass(frozen=True, slots=True)
class Reason:
    """How a candidate of another name supports.

    type      EDGE, SHARED, SAME, LONGER or CLOSE
    relation  of the edge; of both edges, where shared neighbours are reached by the same one
    reverse   the statement runs from the other candidate to the one it supports
    shared    labels of the shared neighbours, the rarest first
    """

    type: str
    relation: str = ""
    reverse: bool = False
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Support:
    """Another name of the document that supports, and its candidate that supports most.

    mention  the number of the (first) mention of that name in the document, from 0
    share    of the support by all other names
    reasons  the most telling first
    """

    text: str
    mention: int
    id: str
    label: str
    probability: float
    share: float
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class ColumnReason:
    """What the other names of a table's column have in common with a candidate.

    attribute  the id of a type, or a relation as the sources name it
    label      of the type, or the relation as words
    is_type    False: it is a relation; reverse: one whose statement runs from the neighbour
    having     so many of the `others`, the other names of the column that were counted, can have it
    """

    attribute: str
    label: str
    is_type: bool
    reverse: bool
    having: int
    others: int


@dataclass(frozen=True, slots=True)
class RowReason:
    """The cell of the same row that speaks for a candidate: a relation leads from it to what that cell means, as in other rows.

    relation   as the sources name it; label: as words
    reverse    it leads from the other cell to this one
    text       of the other cell; id, neighbor: of the entity that it means, and its label
    having     so many of the `rows` with other names, both in the KG, have the relation, by what is likely
    """

    relation: str
    label: str
    reverse: bool
    text: str
    id: str
    neighbor: str
    having: int
    rows: int


@dataclass(frozen=True, slots=True)
class MemoryReason:
    """What corrections say of a name: in how many documents each.

    linked      it meant the best candidate
    otherwise   it meant something else of the KG
    none        it was none of the KG
    not_a_name  it was no name
    here        this very document is one of them
    """

    linked: int
    otherwise: int
    none: int
    not_a_name: int
    here: bool


@dataclass(frozen=True, slots=True)
class Explanation(Shown):
    """Why a mention was linked as it was.

    sentence         all this in plain English
    nil_reason       None where the best candidate is the answer
    nil_probability  that no candidate is right
    candidate_count  how many candidates there were
    other_names      how many other names the document has
    more_popular     the candidate of the highest prior, if that is not the best one
    shares           feature group -> its share of what speaks for the best candidate against the runner-up; sums to 1
    against          the same for what speaks against it, in the same measure
    support          the names that support most
    other_support    the share of the support by further names
    detection        how likely a name found by its spelling is a name at all: a factor of all probabilities; None: it was given
    stands_for       what the text itself defines the name to stand for, where that speaks against it
    column           what the column of a table has in common with the best candidate; None: nothing, or it is no cell
    row              the cell of its row that speaks for the best candidate; None: there is none, or it is no cell
    memory           what people's corrections say of the name; None: nothing
    """

    text: str
    nil_reason: str | None
    nil_probability: float
    threshold: float
    candidate_count: int = 0
    other_names: int = 0
    best: ExplainedCandidate | None = None
    runner_up: ExplainedCandidate | None = None
    more_popular: ExplainedCandidate | None = None
    shares: dict[str, float] = field(default_factory=dict)
    against: dict[str, float] = field(default_factory=dict)
    support: tuple[Support, ...] = ()
    other_support: float = 0.0
    detection: float | None = None
    stands_for: str = ""
    column: ColumnReason | None = None
    row: RowReason | None = None
    memory: MemoryReason | None = None
    sentence: str = ""

    def __repr__(self) -> str:
        return f"Explanation({plain(self.sentence or self.text)})"

    def _view(self) -> Iterator[Part]:
        from eigenthemes.display.views import view_of_explanation

        return view_of_explanation(self)

    def to_dict(self) -> dict[str, Any]:
        """For JSON, the sentence first."""
        record: dict[str, Any] = _rounded({"sentence": self.sentence, **asdict(self)})
        for absent in ("column", "row", "memory"):
            if record[absent] is None:
                del record[absent]
        return record


def _rounded(value: Any) -> Any:
    """Figures as people read them."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class MapPoint:
    """A candidate on the map of its document.

    mentions  the numbers of the mentions it is a candidate of, from 0
    x, y      where it lies on the strongest eigentheme, and on the second
    chosen    is it what one of them was linked to?
    score     the best of its scores, by the method that was chosen
    """

    mentions: tuple[int, ...]
    id: str
    label: str
    x: float
    y: float
    chosen: bool
    score: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "mentions": list(self.mentions),
            "id": self.id,
            "label": self.label,
            "x": round(self.x, 5),
            "y": round(self.y, 5),
            "chosen": self.chosen,
            "score": self.score,
        }


@dataclass(frozen=True, slots=True)
class MapSupport:
    """A line of the map: a candidate supports that of another mention.

    supporter, supported  numbers of points, from 0
    share                 of all the support for the second one
    words                 why
    """

    supporter: int
    supported: int
    share: float
    words: str

    def to_dict(self) -> dict[str, Any]:
        return {"from": self.supporter, "to": self.supported, "share": round(self.share, 4), "words": self.words}


@dataclass(frozen=True, slots=True)
class CandidateMap:
    """The candidates of a document on its two strongest eigenthemes: figure 1 of the paper.

    points     candidates that have a vector, each entity once: those chosen first, then those of the highest scores
    supports   which of them supports which, where explanations were asked for
    explained  the share of the candidates' weighted variance that each of the two axes shows
    """

    points: tuple[MapPoint, ...]
    supports: tuple[MapSupport, ...]
    explained: tuple[float, float]

    def to_dict(self) -> dict[str, Any]:
        return {
            "points": [point.to_dict() for point in self.points],
            "supports": [support.to_dict() for support in self.supports],
            "explained": [round(share, 4) for share in self.explained],
        }
