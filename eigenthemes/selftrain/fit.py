"""Fit the two models of the ranker; both are convex."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from eigenthemes.ranking.logit import sigmoid, softmax

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
    """Fit the weights [f] under which the right candidates of mention groups that have one are most likely.

    Drawn towards `start` (else 0) by `strength`: a column that never varies within a group keeps the weight it starts with.
    """
    counts = np.diff(bounds)
    group = np.repeat(np.arange(len(counts)), counts)
    useful = (np.bincount(group, weights=gold, minlength=len(counts)) > 0)[group]
    x, y = features[useful].astype(np.float64), gold[useful]
    _, group, counts = np.unique(group[useful], return_inverse=True, return_counts=True)
    bounds = np.concatenate(([0], np.cumsum(counts)))

    def loss(weights: Floats) -> tuple[float, Floats]:
        probability = softmax(x @ weights, bounds)
        right = np.maximum(np.bincount(group, weights=probability * y, minlength=len(counts)), 1e-300)
        return float(-np.log(right).sum()), x.T @ (probability - probability * y / right[group])

    return _minimize(loss, features.shape[1], start, strength)


def fit_nil(features: Features, is_nil: NDArray[np.bool_], *, start: Floats | None = None, strength: float = 1.0) -> Floats:
    """Fit the weights [g] of the logistic regression that tells groups without a right candidate, from features [m, g]."""
    return fit_soft(features.astype(np.float64), is_nil.astype(np.float64), start=start, strength=strength)


def fit_soft(
    x: Floats, y: Floats, *, start: Floats | None = None, strength: float = 1.0, amount: Floats | None = None
) -> Floats:
    """Fit the weights [g] of a logistic regression on labels that may be shares, y [m] in 0..1.

    amount  [m] how much each row counts; None: 1
    """
    counts = np.ones(len(y)) if amount is None else amount

    def loss(weights: Floats) -> tuple[float, Floats]:
        utility = x @ weights
        value = counts @ (np.logaddexp(0, utility) - y * utility)
        return float(value), x.T @ (counts * (sigmoid(utility) - y))

    return _minimize(loss, x.shape[1], start, strength)


def _minimize(loss: Callable[[Floats], tuple[float, Floats]], size: int, start: Floats | None, strength: float) -> Floats:
    from scipy.optimize import minimize

    origin = np.zeros(size) if start is None else start.astype(np.float64)

    def penalised(weights: Floats) -> tuple[float, Floats]:
        value, slope = loss(weights)
        distance = weights - origin
        return value + 0.5 * strength * float(distance @ distance), slope + strength * distance

    return np.asarray(minimize(penalised, origin, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x)
