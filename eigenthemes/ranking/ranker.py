"""The weights of the ranker, and how they are applied: each round weighs candidates by how likely the last one found them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.ranking.batch import Batch
from eigenthemes.ranking.features import (
    COLUMNS,
    LOCAL,
    NONE_COLUMNS,
    FeatureContext,
    MentionGroups,
    local_features,
    none_features,
    theme_features,
)
from eigenthemes.ranking.logit import shares, sigmoid

Floats = NDArray[np.float64]
Features = NDArray[np.float32]

ROUNDS = 3  # in the first, each mention speaks for itself


class Weights(NamedTuple):
    """Of one round: `choice` [c] of a candidate's columns, `none` [g] of NONE_COLUMNS and the best candidate's columns."""

    choice: Floats
    none: Floats


@dataclass(frozen=True, slots=True)
class Ranker:
    """A trained ranker.

    rounds     weights of each round; the first knows the columns LOCAL only, the others all COLUMNS
    temperature  the last round's utilities are divided by it: how much less sure to be than the made-up documents suggest
    threshold    a less likely answer is none
    about      how it was trained, and how far its probabilities could be trusted there
    """

    rounds: tuple[Weights, ...]
    temperature: float = 1.0
    threshold: float = 0.0
    about: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """For the KB's manifest: names and weights a person can read."""
        rounds = [
            {"choice": _named(columns, each.choice), "none": _named((*NONE_COLUMNS, *columns), each.none)}
            for columns, each in zip(_columns(len(self.rounds)), self.rounds, strict=True)
        ]
        figures = {"threshold": round(self.threshold, 4), "temperature": round(self.temperature, 4)}
        return {**figures, **self.about, "rounds": rounds}

    @classmethod
    def of(cls, described: dict[str, Any]) -> Ranker:
        """From the manifest. A column it does not know weighs nothing."""
        rounds = tuple(
            Weights(_weights(columns, each["choice"]), _weights((*NONE_COLUMNS, *columns), each["none"]))
            for columns, each in zip(_columns(len(described["rounds"])), described["rounds"], strict=True)
        )
        about = {key: value for key, value in described.items() if key not in ("rounds", "threshold", "temperature")}
        return cls(rounds, float(described["temperature"]), float(described["threshold"]), about)


def _columns(rounds: int) -> list[tuple[str, ...]]:
    return [LOCAL] + [COLUMNS] * (rounds - 1)


def _named(columns: tuple[str, ...], weights: Floats) -> dict[str, float]:
    return {name: round(float(weight), 4) for name, weight in zip(columns, weights, strict=True)}


def _weights(columns: tuple[str, ...], named: dict[str, float]) -> Floats:
    return np.array([named.get(name, 0.0) for name in columns])


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the ranker makes of the names of a batch.

    names        the distinct names of each document, and their candidates
    features     [n, c] COLUMNS of each candidate in the last round
    probability  [n] of each candidate
    none         [m] of "none of them"; 1 where there is no candidate
    weight       [n] how likely each candidate was when it supported others in the last round
    """

    names: MentionGroups
    features: Features
    probability: Floats
    none: Floats
    weight: Floats


def judge(ranker: Ranker, batch: Batch, around: FeatureContext) -> Judgement:
    """Rank the candidates of a batch."""
    names = MentionGroups.of(batch)
    local = local_features(names, around)
    first, *others = ranker.rounds
    features, weight = local, np.zeros(len(local))
    probability, none = chances(first, local, names)
    for number, weights in enumerate(others, start=1):
        weight = probability
        features = np.concatenate((local, theme_features(names, around, weight)), axis=1)
        last = number == len(others)
        probability, none = chances(weights, features, names, temperature=ranker.temperature if last else 1.0)
    return Judgement(names, features, probability, none, weight)


def _dot(rows: Features, weights: Floats) -> Floats:
    """Row by row: BLAS would round a row differently in another batch."""
    return np.asarray(np.einsum("ij,j->i", rows, weights))


def chances(weights: Weights, features: Features, names: MentionGroups, *, temperature: float = 1.0) -> tuple[Floats, Floats]:
    """The probability of each candidate [n], and of none [m], by one round's weights."""
    utility = _dot(features, weights.choice)
    none = sigmoid(_dot(none_features(names, features, shares(utility, names.bounds)), weights.none) / temperature)
    none[np.diff(names.bounds) == 0] = 1.0
    return shares(utility / temperature, names.bounds) * (1 - none[names.name]), none
