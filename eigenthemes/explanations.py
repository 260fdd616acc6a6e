"""Records that explain links: frozen data classes, each with `to_dict` for JSON.

Explanation (ExplainedCandidate, Support, Reason, ColumnReason, RowReason, TopicReason, MemoryReason)   of a link
CandidateMap (MapPoint, MapSupport)   the candidates of a document in the plane of its two strongest eigenthemes
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from eigenthemes.display import Displayed, plain, short

# Values of `Reason.type`.
EDGE, SHARED, SAME, LONGER, CLOSE = "edge", "shared", "same entity", "longer name", "close in the vectors"
GIVEN = "given by the document"  # a match type beside those of `names.retrieval.MATCH_TYPES`


@dataclass(frozen=True, slots=True)
class ExplainedCandidate:
    """A candidate with what its features contribute.

    Parameters
    ----------
    id, label, description : str
        Of the entity.
    display_label : str
        Label, extended where the mention or another candidate has the same.
    probability, prior : float
    match_type : str
        How its name matched: a value of `names.retrieval.MATCH_TYPES`, or GIVEN.
    matched_name : str
        The name that matched.
    contributions : dict
        Feature group -> what it adds to the utility; one more makes a candidate 2.7 times as likely.
    connected : bool
        The other names share an edge, a neighbour or the entity itself with it.
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
        """Return the fields, for JSON."""
        record: dict[str, Any] = _rounded(asdict(self))
        return record


@dataclass(frozen=True, slots=True)
class Reason:
    """One connection between a candidate and the candidate of another name that supports it.

    Parameters
    ----------
    type : str
        EDGE, SHARED, SAME, LONGER or CLOSE.
    relation : str
        Relation of the edge, or of both edges to shared neighbours.
    reverse : bool
        The statement leads from the supporting candidate.
    shared : tuple of str
        Labels of shared neighbours, the rarest first.
    """

    type: str
    relation: str = ""
    reverse: bool = False
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Support:
    """Another name of the document that supports a candidate.

    Parameters
    ----------
    text : str
        The name.
    mention : int
        Number of its first mention in the document, from 0.
    id, label : str
        Of its candidate that supports most.
    probability : float
        Of that candidate.
    share : float
        Of the support by all other names.
    reasons : tuple of Reason
        The strongest first.
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
    """A type or relation that a candidate shares with the other names of its column or text.

    Parameters
    ----------
    attribute : str
        Id of the type, or the relation as named in the sources.
    label : str
        Label of the type, or the relation in words.
    is_type : bool
        False: a relation.
    reverse : bool
        The statement of the relation leads from the neighbour.
    having : int
        Number of other names whose entity may have the attribute.
    others : int
        Number of other names that were counted.
    """

    attribute: str
    label: str
    is_type: bool
    reverse: bool
    having: int
    others: int


@dataclass(frozen=True, slots=True)
class TopicReason:
    """The topic of a text: an entity related to the best candidate and to most entities of the other names.

    Parameters
    ----------
    id, label : str
        Of the topic.
    probability : float
        That it is the topic.
    having : int
        Number of names that are most likely related to it.
    names : int
        Number of names of the text.
    """

    id: str
    label: str
    probability: float
    having: int
    names: int


@dataclass(frozen=True, slots=True)
class RowReason:
    """A relation between a candidate and the entity of another cell of its row, as in other rows.

    Parameters
    ----------
    relation, label : str
        The relation as named in the sources, and in words.
    reverse : bool
        It leads from the other cell to this one.
    text : str
        Of the other cell.
    id, neighbor : str
        Id and label of the entity of the other cell.
    having : int
        Number of rows that most likely have the relation.
    rows : int
        Number of rows with other names, both of them in the KG.
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
    """Corrections of a name: the number of documents with each answer.

    Parameters
    ----------
    linked : int
        The best candidate.
    otherwise : int
        Another entity of the KG.
    none : int
        Not in the KG.
    not_a_name : int
        Not a name.
    here : bool
        One of them is this document.
    """

    linked: int
    otherwise: int
    none: int
    not_a_name: int
    here: bool


@dataclass(frozen=True, slots=True)
class Explanation(Displayed):
    """The explanation of a link.

    Parameters
    ----------
    text : str
        The mention.
    nil_reason : str, optional
        None: the best candidate is linked.
    nil_probability : float
        Probability that no candidate is right.
    threshold : float
        Least probability of a link.
    candidate_count, other_names : int
        Number of candidates of the mention, and of other names of the document.
    best, runner_up : ExplainedCandidate, optional
        The first and the second candidate.
    more_popular : ExplainedCandidate, optional
        The candidate of the highest prior, if it is not the best one.
    shares : dict
        Feature group -> its share of the advantage of the best candidate over the runner-up; sums to 1.
    against : dict
        Feature group -> its share of the disadvantage, in the same unit.
    support : tuple of Support
        The names that support most.
    other_support : float
        Share of the support by further names.
    detection : float, optional
        Probability that a name found by its spelling is a name: a factor of all probabilities. None: it was given.
    stands_for : str
        Definition of an abbreviation in the text that contradicts the candidate.
    column : ColumnReason, optional
        What the column of a table has in common with the best candidate.
    row : RowReason, optional
        The cell of the same row that supports the best candidate.
    memory : MemoryReason, optional
        Corrections of the name.
    coincidence : ColumnReason, optional
        What the other names of a text have in common with the best candidate.
    topic : TopicReason, optional
        The topic of the text, if it supports the best candidate.
    words : tuple of str
        Words near the name that occur in its description or in labels of its neighbours, the rarest first.
    sentence : str
        All this in plain English.
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
    _view_function = "view_of_explanation"

    def __repr__(self) -> str:
        return f"Explanation({plain(self.sentence or self.text)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, for JSON, the sentence first."""
        record: dict[str, Any] = _rounded({"sentence": self.sentence, **asdict(self)})
        for absent in ("column", "row", "memory", "coincidence", "topic", "words"):
            if not record[absent]:
                del record[absent]
        return record


def _rounded(value: Any) -> Any:
    """Round all numbers to four digits."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class MapPoint:
    """A candidate on the map of its document.

    Parameters
    ----------
    mentions : tuple of int
        Numbers of the mentions that it is a candidate of, from 0.
    id, label : str
    x, y : float
        Coordinates on the strongest eigentheme and on the second.
    chosen : bool
        A mention is linked to it.
    score : float
        The best of its scores.
    """

    mentions: tuple[int, ...]
    id: str
    label: str
    x: float
    y: float
    chosen: bool
    score: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, for JSON."""
        return {**asdict(self), "mentions": list(self.mentions), "x": round(self.x, 5), "y": round(self.y, 5)}


@dataclass(frozen=True, slots=True)
class MapSupport:
    """A line of the map: a candidate supports that of another mention.

    Parameters
    ----------
    supporter, supported : int
        Numbers of points, from 0.
    share : float
        Of all support for the second one.
    words : str
        The reason.
    """

    supporter: int
    supported: int
    share: float
    words: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, for JSON."""
        return {"from": self.supporter, "to": self.supported, "share": round(self.share, 4), "words": self.words}


@dataclass(frozen=True, slots=True)
class CandidateMap:
    """The candidates of a document in the plane of its two strongest eigenthemes: figure 1 of the paper.

    Parameters
    ----------
    points : tuple of MapPoint
        Distinct candidates with a vector: linked ones first, then by score.
    supports : tuple of MapSupport
        Which of them supports which, if the linker explains.
    explained : tuple of float
        Share of the candidates' weighted variance on each axis.
    """

    points: tuple[MapPoint, ...]
    supports: tuple[MapSupport, ...]
    explained: tuple[float, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, for JSON."""
        return {
            "points": [point.to_dict() for point in self.points],
            "supports": [support.to_dict() for support in self.supports],
            "explained": [round(share, 4) for share in self.explained],
        }
