"""Fit the two models of the ranker; both are convex."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from eigenthemes.ranking.logit import shares, sigmoid

Floats = NDArray[np.float64]
Features = NDArray[np.float32]


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
