"""Two small convex models: which candidate of a name is right, if one is; and whether none is.

Which: a conditional logit, softmax over the utilities x . w of a name's candidates, fitted on names that have a right one.
None: a logistic regression on what is known of the best candidate. A dozen weights each, which a person can read. They are
apart because the weights that tell two candidates from each other are not those that tell a good best one from a bad one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Features = NDArray[np.float32]


def shares(utility: Floats, bounds: NDArray[np.int64]) -> Floats:
    """Softmax of the utilities within each name: candidates of name i are bounds[i]:bounds[i + 1]."""
    counts = np.diff(bounds)
    name = np.repeat(np.arange(len(counts)), counts)
    top = np.full(len(counts), -np.inf)
    np.maximum.at(top, name, utility)
    weight = np.exp(utility - top[name])
    return np.asarray(weight / np.bincount(name, weights=weight, minlength=len(counts))[name])


def sigmoid(values: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * values)))


def fit_choice(
    features: Features,
    bounds: NDArray[np.int64],
    gold: NDArray[np.bool_],
    *,
    start: Floats | None = None,
    strength: float = 1.0,
) -> Floats:
    """The weights [f] under which the right candidates of names that have one are most likely.

    Drawn towards `start` (else 0) by `strength`: a column that never varies within a name keeps the weight it starts with.
    """
    counts = np.diff(bounds)
    name = np.repeat(np.arange(len(counts)), counts)
    useful = (np.bincount(name, weights=gold, minlength=len(counts)) > 0)[name]
    x, y = features[useful].astype(np.float64), gold[useful]
    _, name, counts = np.unique(name[useful], return_inverse=True, return_counts=True)
    bounds = np.concatenate(([0], np.cumsum(counts)))

    def loss(weights: Floats) -> tuple[float, Floats]:
        chance = shares(x @ weights, bounds)
        right = np.maximum(np.bincount(name, weights=chance * y, minlength=len(counts)), 1e-300)
        return float(-np.log(right).sum()), x.T @ (chance - chance * y / right[name])

    return _minimum(loss, features.shape[1], start, strength)


def fit_none(features: Features, none: NDArray[np.bool_], *, start: Floats | None = None, strength: float = 1.0) -> Floats:
    """The weights [g] of the logistic regression that tells names without a right candidate, from features [m, g]."""
    x, y = features.astype(np.float64), none.astype(np.float64)

    def loss(weights: Floats) -> tuple[float, Floats]:
        utility = x @ weights
        return float(np.logaddexp(0, utility).sum() - y @ utility), x.T @ (sigmoid(utility) - y)

    return _minimum(loss, features.shape[1], start, strength)


def _minimum(loss: Callable[[Floats], tuple[float, Floats]], size: int, start: Floats | None, strength: float) -> Floats:
    from scipy.optimize import minimize

    origin = np.zeros(size) if start is None else start.astype(np.float64)

    def drawn(weights: Floats) -> tuple[float, Floats]:
        value, slope = loss(weights)
        away = weights - origin
        return value + 0.5 * strength * float(away @ away), slope + strength * away

    return np.asarray(minimize(drawn, origin, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x)
