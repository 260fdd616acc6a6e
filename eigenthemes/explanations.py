"""Records that say why: explanations of links, and the map of a document's candidates; each turns into JSON by itself.

Explanation (ExplainedCandidate, Support, Reason, ColumnReason, RowReason, TopicReason, MemoryReason)   why a link is as it is
CandidateMap (MapPoint, MapSupport)   where the candidates of a document lie, and what supports what
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from eigenthemes.display import Shown
from eigenthemes.display.parts import plain, short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eigenthemes.display.parts import Part

# Why a candidate of another name supports one: the values of `Reason.type`.
EDGE, SHARED, SAME, LONGER, CLOSE = "edge", "shared", "same entity", "longer name", "close in the vectors"
GIVEN = "given by the document"  # a match type beside those of `candidates.rules.MATCH_TYPES`


@dataclass(frozen=True, slots=True)
class ExplainedCandidate:
    """A candidate as the ranker saw it.

    Attributes
    ----------
    display_label
        Its label, told apart from the mention and from other candidates of the same label.
    match_type
        How its name matched: a value of `candidates.rules.MATCH_TYPES`, or GIVEN; and which name did, matched_name.
    contributions
        Feature group -> what it adds to the utility; 1 more than another candidate is 2.7 times as likely.
    connected
        Do the other names share an edge, a neighbour or the entity itself with it?
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

    Attributes
    ----------
    type
        EDGE, SHARED, SAME, LONGER or CLOSE.
    relation
        Of the edge; of both edges, where shared neighbours are reached by the same one.
    reverse
        The statement runs from the other candidate to the one it supports.
    shared
        Labels of the shared neighbours, the rarest first.
    """

    type: str
    relation: str = ""
    reverse: bool = False
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Support:
    """Another name of the document that supports, and its candidate that supports most.

    Attributes
    ----------
    mention
        The number of the (first) mention of that name in the document, from 0.
    share
        Of the support by all other names.
    reasons
        The most telling first.
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
    """What the other names of a table's column, or of a text, have in common with a candidate.

    Attributes
    ----------
    attribute
        The id of a type, or a relation as the sources name it.
    label
        Of the type, or the relation as words.
    is_type
        False: it is a relation; reverse: one whose statement runs from the neighbour.
    having
        So many of the `others`, the other names of the column or text that were counted, can have it.
    """

    attribute: str
    label: str
    is_type: bool
    reverse: bool
    having: int
    others: int


@dataclass(frozen=True, slots=True)
class TopicReason:
    """What a text is about: an entity that the best candidate has to do with, as have most of what the other names mean.

    Attributes
    ----------
    probability
        That the text is about it.
    having
        So many of all `names` of the text most likely have to do with it.
    """

    id: str
    label: str
    probability: float
    having: int
    names: int


@dataclass(frozen=True, slots=True)
class RowReason:
    """The cell of the same row that speaks for a candidate: a relation leads from it to what that cell means, as in other rows.

    Attributes
    ----------
    relation
        As the sources name it; label: as words.
    reverse
        It leads from the other cell to this one.
    text
        Of the other cell; id, neighbor: of the entity that it means, and its label.
    having
        So many of the `rows` with other names, both in the KG, have the relation, by what is likely.
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

    Attributes
    ----------
    linked
        It meant the best candidate.
    otherwise
        It meant something else of the KG.
    none
        It was none of the KG.
    not_a_name
        It was no name.
    here
        This very document is one of them.
    """

    linked: int
    otherwise: int
    none: int
    not_a_name: int
    here: bool


@dataclass(frozen=True, slots=True)
class Explanation(Shown):
    """Why a mention was linked as it was.

    Attributes
    ----------
    sentence
        All this in plain English.
    nil_reason
        None where the best candidate is the answer.
    nil_probability
        That no candidate is right.
    candidate_count
        How many candidates there were.
    other_names
        How many other names the document has.
    more_popular
        The candidate of the highest prior, if that is not the best one.
    shares
        Feature group -> its share of what speaks for the best candidate against the runner-up; sums to 1.
    against
        The same for what speaks against it, in the same measure.
    support
        The names that support most.
    other_support
        The share of the support by further names.
    detection
        How likely a name found by its spelling is a name at all: a factor of all probabilities; None: it was given.
    stands_for
        What the text itself defines the name to stand for, where that speaks against it.
    column
        What the column of a table has in common with the best candidate; None: nothing, or it is no cell.
    row
        The cell of its row that speaks for the best candidate; None: there is none, or it is no cell.
    memory
        What people's corrections say of the name; None: nothing.
    coincidence
        What the other names of a text could have in common with it; None: nothing that speaks for it.
    topic
        What the text is about, if that speaks for it; None: nothing can be told.
    words
        Words near the name that are in its description or in its neighbours' labels, the rarest first.
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
    coincidence: ColumnReason | None = None
    topic: TopicReason | None = None
    words: tuple[str, ...] = ()
    sentence: str = ""

    def __repr__(self) -> str:
        return f"Explanation({plain(self.sentence or self.text)})"

    def _view(self) -> Iterator[Part]:
        from eigenthemes.display.views import view_of_explanation

        return view_of_explanation(self)

    def to_dict(self) -> dict[str, Any]:
        """For JSON, the sentence first."""
        record: dict[str, Any] = _rounded({"sentence": self.sentence, **asdict(self)})
        for absent in ("column", "row", "memory", "coincidence", "topic", "words"):
            if not record[absent]:
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

    Attributes
    ----------
    mentions
        The numbers of the mentions it is a candidate of, from 0.
    x, y
        Where it lies on the strongest eigentheme, and on the second.
    chosen
        Is it what one of them was linked to?
    score
        The best of its scores, by the method that was chosen.
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

    Attributes
    ----------
    supporter, supported
        Numbers of points, from 0.
    share
        Of all the support for the second one.
    words
        Why.
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

    Attributes
    ----------
    points
        Candidates that have a vector, each entity once: those chosen first, then those of the highest scores.
    supports
        Which of them supports which, where explanations were asked for.
    explained
        The share of the candidates' weighted variance that each of the two axes shows.
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
