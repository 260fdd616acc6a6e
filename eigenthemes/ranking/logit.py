"""Two small convex models: which candidate of a name is right, if one is; and whether none is.

Which: a conditional logit, softmax over the utilities x . w of a name's candidates, fitted on names that have a right one.
None: a logistic regression on what is known of the best candidate. A dozen weights each, which a person can read. They are
apart because the weights that tell two candidates from each other are not those that tell a good best one from a bad one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
