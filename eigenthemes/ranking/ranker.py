"""The self-trained ranker: its weights, and how they rank the candidates of a batch.

Each round weighs candidates by how likely the round before found them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.ranking.adaptation import Adaptation
from eigenthemes.ranking.batch import Batch
from eigenthemes.ranking.detection import ChanceModel, Detection, detect
from eigenthemes.ranking.features import COLUMNS, LOCAL, FeatureContext, local_features, theme_features
from eigenthemes.ranking.features.nil import NIL_COLUMNS, nil_features
from eigenthemes.ranking.logit import sigmoid, softmax
from eigenthemes.ranking.mention_groups import MentionGroups

Floats = NDArray[np.float64]
Features = NDArray[np.float32]

ROUNDS = 3  # in the first, each mention speaks for itself
_FIELDS = ("rounds", "threshold", "temperature", "chance", "adapted")


class Weights(NamedTuple):
    """Of one round: `choice` [c] of a candidate's columns, `nil` [g] of NIL_COLUMNS and the best candidate's columns."""

    choice: Floats
    nil: Floats


@dataclass(frozen=True, slots=True)
class Ranker:
    """A trained ranker.

    rounds       weights of each round; the first knows the columns LOCAL only, the others all COLUMNS
    temperature  the last round's utilities are divided by it: how much less sure to be than synthetic documents suggest
    threshold    the least probability of a link
    about        how it was trained, and how far its probabilities could be trusted there
    chance       tells names from chance, for mentions found by their spelling; None: trained before there was such a model
    adaptation   what was learned from a pile of documents without labels; None: nothing
    """

    rounds: tuple[Weights, ...]
    temperature: float = 1.0
    threshold: float = 0.0
    about: dict[str, Any] = field(default_factory=dict)
    chance: ChanceModel | None = None
    adaptation: Adaptation | None = None

    def to_dict(self) -> dict[str, Any]:
        """Describe it for the KB's manifest: names and weights a person can read."""
        rounds = [
            {"choice": _to_named(columns, weights.choice), "none": _to_named((*NIL_COLUMNS, *columns), weights.nil)}
            for columns, weights in zip(_columns(len(self.rounds)), self.rounds, strict=True)
        ]
        figures = {"threshold": round(self.threshold, 4), "temperature": round(self.temperature, 4)}
        parts = {"chance": self.chance, "adapted": self.adaptation}
        return {
            **figures,
            **self.about,
            "rounds": rounds,
            **{name: part.to_dict() for name, part in parts.items() if part is not None},
        }

    @classmethod
    def of(cls, described: dict[str, Any]) -> Ranker:
        """Make it from the manifest. A column it does not know weighs nothing."""
        rounds = tuple(
            Weights(_from_named(columns, weights["choice"]), _from_named((*NIL_COLUMNS, *columns), weights["none"]))
            for columns, weights in zip(_columns(len(described["rounds"])), described["rounds"], strict=True)
        )
        about = {key: value for key, value in described.items() if key not in _FIELDS}
        chance = ChanceModel.of(described["chance"]) if "chance" in described else None
        adapted = Adaptation.of(described["adapted"]) if "adapted" in described else None
        return cls(rounds, float(described["temperature"]), float(described["threshold"]), about, chance, adapted)


def _columns(rounds: int) -> list[tuple[str, ...]]:
    return [LOCAL] + [COLUMNS] * (rounds - 1)


def _to_named(columns: tuple[str, ...], weights: Floats) -> dict[str, float]:
    return {column: round(float(weight), 4) for column, weight in zip(columns, weights, strict=True)}


def _from_named(columns: tuple[str, ...], weights: dict[str, float]) -> Floats:
    return np.array([weights.get(column, 0.0) for column in columns])


@dataclass(frozen=True, slots=True)
class BatchRanking:
    """What the ranker makes of a batch; everything that decisions and explanations need.

    groups           the mention groups of the batch, and their candidates
    features         [n, c] COLUMNS of each candidate in the last round
    probability      [n] of each candidate
    nil_probability  [m] that no candidate of a group is right; 1 where there is none
    weight           [n] how likely each candidate was when it supported others in the last round
    detection        how likely names found by their spelling are names at all; None: all mentions were given
    """

    groups: MentionGroups
    features: Features
    probability: Floats
    nil_probability: Floats
    weight: Floats
    detection: Detection | None = None

    @property
    def candidate_probability(self) -> Floats:
        """The probability of each candidate in the order of the batch's table."""
        return self.probability[self.groups.row_of_candidate]

    @property
    def detection_factor(self) -> Floats | None:
        """How likely each mention is a name of this KG at all [mentions]; None: all were given."""
        return None if self.detection is None else self.detection.factor[self.groups.group_of]


def rank_batch(ranker: Ranker, batch: Batch, context: FeatureContext) -> BatchRanking:
    """Rank the candidates of a batch."""
    groups = MentionGroups.of(batch)
    local = local_features(groups, context)
    first, *others = ranker.rounds
    features, weight = local, np.zeros(len(local))
    probability, nil_probability = probabilities(first, local, groups)
    for number, weights in enumerate(others, start=1):
        weight = probability
        features = np.concatenate((local, theme_features(groups, context, weight)), axis=1)
        temperature = ranker.temperature if number == len(others) else 1.0
        probability, nil_probability = probabilities(weights, features, groups, temperature=temperature)
    detection = detect(groups, features, probability, nil_probability, context, ranker.chance, ranker.adaptation)
    return BatchRanking(groups, features, probability, nil_probability, weight, detection)


def probabilities(
    weights: Weights, features: Features, groups: MentionGroups, *, temperature: float = 1.0
) -> tuple[Floats, Floats]:
    """Compute the probability of each candidate [n], and of NIL [m], by one round's weights."""
    utility = _dot(features, weights.choice)
    choice = softmax(utility, groups.bounds)
    nil = sigmoid(_dot(nil_features(groups, features, choice), weights.nil) / temperature)
    nil[np.diff(groups.bounds) == 0] = 1.0
    if temperature != 1.0:
        choice = softmax(utility / temperature, groups.bounds)
    return choice * (1 - nil[groups.group]), nil


def _dot(rows: Features, weights: Floats) -> Floats:
    """Multiply row by row: BLAS would round a row differently in another batch."""
    return np.asarray(np.einsum("ij,j->i", rows, weights))
