"""What an explanation holds."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

EDGE, SHARED, SAME, LONGER, CLOSE = "edge", "shared", "same entity", "longer name", "close in the vectors"
GIVEN = "given by the document"


@dataclass(frozen=True, slots=True)
class Considered:
    """A candidate as the ranker saw it.

    shown          its label, told apart from the mention and from other candidates of the same label
    how, name      how its name matched (a value of `matching.HOW`, or GIVEN), and which
    contributions  group of features -> what it adds; 1 more than another candidate is 2.7 times as likely
    linked         do the other names share an edge, a neighbour or the entity itself with it?
    """

    id: str
    label: str
    shown: str
    description: str
    probability: float
    prior: float
    how: str
    name: str
    contributions: dict[str, float]
    linked: bool

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = _rounded(asdict(self))
        return found


@dataclass(frozen=True, slots=True)
class Reason:
    """How a candidate of another name supports.

    how       EDGE, SHARED, SAME, LONGER or CLOSE
    relation  of the edge; of both edges, where shared neighbours are reached by the same one
    reverse   the statement runs from the other candidate to the one it supports
    shared    labels of the shared neighbours, the rarest first
    """

    how: str
    relation: str = ""
    reverse: bool = False
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Support:
    """Another name of the document that pulled, and its candidate that pulled most.

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
class Explanation:
    """Why a mention was linked as it was.

    nil_reason    None where the best candidate is the answer
    none          the probability that no candidate is right
    choices       how many candidates there were
    other_names   how many other names the document has
    more_popular  the candidate of the highest prior, if that is not the best one
    shares        group of features -> its share of what speaks for the best candidate against the runner-up; sums to 1
    against       the same for what speaks against it, in the same measure
    support       the names that pulled most
    others        the share of the support by further names
    words         all this in a sentence
    """

    text: str
    nil_reason: str | None
    none: float
    threshold: float
    choices: int = 0
    other_names: int = 0
    best: Considered | None = None
    runner_up: Considered | None = None
    more_popular: Considered | None = None
    shares: dict[str, float] = field(default_factory=dict)
    against: dict[str, float] = field(default_factory=dict)
    support: tuple[Support, ...] = ()
    others: float = 0.0

    @property
    def words(self) -> str:
        from eigenthemes.ranking.explain.words import in_words

        return in_words(self)

    def to_dict(self) -> dict[str, Any]:
        """For JSON, the words first."""
        found: dict[str, Any] = _rounded({"words": self.words, **asdict(self)})
        return found


def shares_of(best: Considered, runner_up: Considered | None) -> tuple[dict[str, float], dict[str, float]]:
    """What speaks for the best candidate, and against it; without a runner-up, what it adds by itself."""
    ahead = ahead_in(best, runner_up)
    total = sum(value for value in ahead.values() if value > 0)
    if not total > 0:
        return {}, {}
    shares = {group: value / total for group, value in ahead.items()}
    ordered = sorted(shares.items(), key=lambda item: -abs(item[1]))
    return {group: value for group, value in ordered if value > 0}, {group: -value for group, value in ordered if value < 0}


def ahead_in(best: Considered, other: Considered | None) -> dict[str, float]:
    less = other.contributions if other is not None else dict.fromkeys(best.contributions, 0.0)
    return {group: value - less[group] for group, value in best.contributions.items()}


# in words


def _rounded(value: Any) -> Any:
    """Figures as people read them."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list | tuple) else value
