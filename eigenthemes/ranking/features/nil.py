"""NIL features, and the functions of the two logit models: softmax within groups, sigmoid, and weights by column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.names.alignment import COVERAGE
from eigenthemes.pipeline.mention_groups import MentionGroups

Floats = NDArray[np.float64]


def softmax(utility: Floats, bounds: NDArray[np.int64]) -> Floats:
    """Compute the softmax of the utilities within each group: those of group i are bounds[i]:bounds[i + 1]."""
    counts = np.diff(bounds)
    group = np.repeat(np.arange(len(counts)), counts)
    weight = np.exp(utility - np.repeat(highest(utility, bounds), counts))
    return np.asarray(weight / np.repeat(np.bincount(group, weights=weight, minlength=len(counts)), counts))


def highest(values: Floats, bounds: NDArray[np.int64]) -> Floats:
    """Return the highest value of each group [m]; minus infinity where it has none."""
    having = np.flatnonzero(bounds[1:] > bounds[:-1])
    best = np.full(len(bounds) - 1, -np.inf)
    if len(having):
        best[having] = np.maximum.reduceat(values, bounds[having])
    return best


def highest_beside(values: Floats, bounds: NDArray[np.int64]) -> Floats:
    """Return the highest value of its group for each value [n]."""
    return np.repeat(highest(values, bounds), np.diff(bounds))


def sigmoid(values: Floats) -> Floats:
    """Compute 1 / (1 + e^-x) without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * values)))


def logit(probability: Floats, certain: float) -> Floats:
    """Compute the log-odds of probabilities, none of them nearer to 0 or 1 than `certain`."""
    clipped = np.clip(probability, certain, 1 - certain)
    return np.asarray(np.log(clipped / (1 - clipped)))


def to_named(columns: tuple[str, ...], weights: Floats) -> dict[str, float]:
    """Return weights by the names of their columns, for the manifest."""
    return {column: round(float(weight), 4) for column, weight in zip(columns, weights, strict=True)}


def from_named(columns: tuple[str, ...], weights: dict[str, float]) -> Floats:
    """Return the weights of columns by name; 0 for columns that have none."""
    return np.array([weights.get(column, 0.0) for column in columns])


def dot(rows: NDArray[Any], weights: Floats) -> Floats:
    """Multiply row by row: BLAS would round a row differently in another batch."""
    return np.asarray(np.einsum("ij,j->i", rows, weights))


_RIVAL = 0.8  # share of the best coverage from which a candidate counts as a rival

NIL_COLUMNS = {
    "none": "1: there are candidates",
    "alone": "the document has no other name",
    "candidates": "log of the number of candidates whose names fit nearly as well as the best",
    "doubt": "minus the log of the best candidate's probability among them",
}  # of a mention group; the columns of its best candidate follow: no two may have one name


def nil_features(groups: MentionGroups, features: NDArray[np.float32], probability: NDArray[np.float64]) -> NDArray[np.float32]:
    """Compute NIL_COLUMNS of each mention group, and the columns of its best candidate [m, g]; zeros without candidates.

    probability  [n] of each candidate, if one of them is right
    """
    best_row = best_rows(groups, probability)
    having = np.flatnonzero(best_row >= 0)
    best = best_row[having]
    of_having = np.empty((len(having), len(NIL_COLUMNS) + features.shape[1]), np.float32)
    of_having[:, 0] = 1
    of_having[:, 1] = groups.other_names[having] == 0
    of_having[:, 2] = np.log(_rivals(groups, features[:, COVERAGE]))[having]
    of_having[:, 3] = -np.log(np.maximum(probability[best], 1e-6))
    of_having[:, len(NIL_COLUMNS) :] = np.take(features, best, axis=0)
    if len(having) == len(groups):
        return of_having
    columns = np.zeros((len(groups), of_having.shape[1]), np.float32)
    columns[having] = of_having
    return columns


def _rivals(groups: MentionGroups, coverage: NDArray[np.float32]) -> NDArray[np.float64]:
    """Count the candidates of each group whose names fit nearly as well as the best one's [m]; 1 at least."""
    close = coverage >= _RIVAL * highest_beside(coverage.astype(np.float64), groups.bounds)
    return np.maximum(1, np.bincount(groups.group, weights=close, minlength=len(groups)))


def best_rows(groups: MentionGroups, probability: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the row of the best candidate of each mention group [m], of equal ones the first; -1 without candidates."""
    best = np.flatnonzero(probability == highest_beside(probability, groups.bounds))[::-1]
    best_row = np.full(len(groups), -1)
    best_row[groups.group[best]] = best
    return best_row
