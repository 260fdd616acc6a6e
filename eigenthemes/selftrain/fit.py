"""Fit the ranker's weights, and calibrate its probabilities on held-out synthetic documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.store import KB
from eigenthemes.metrics.calibration import calibration_error, reliability
from eigenthemes.metrics.precision import credit
from eigenthemes.pipeline.batch import Batch, gold_of, gold_rows
from eigenthemes.ranking.features import FeatureContext
from eigenthemes.ranking.features.nil import sigmoid, softmax
from eigenthemes.ranking.ranker import Confidence, Ranker, rank_batch
from eigenthemes.selftrain.sampling import REMOVED

Floats = NDArray[np.float64]
Features = NDArray[np.float32]


def fit_choice(
    features: Features,
    bounds: NDArray[np.int64],
    gold: NDArray[np.bool_],
    *,
    start: Floats | None = None,
    strength: float = 1.0,
    limits: Sequence[tuple[float, float]] | None = None,
) -> Floats:
    """Fit the weights [f] under which the right candidates of mention groups that have one are most likely.

    Drawn towards `start` (else 0) by `strength`: a column that never varies within a group keeps the weight it starts with.

    limits  the least and the most of each weight; None: there are none
    """
    counts = np.diff(bounds)
    group = np.repeat(np.arange(len(counts)), counts)
    useful = (np.bincount(group, weights=gold, minlength=len(counts)) > 0)[group]
    x, y = features[useful].astype(np.float64), gold[useful]
    _, group, counts = np.unique(group[useful], return_inverse=True, return_counts=True)
    bounds = np.concatenate(([0], np.cumsum(counts)))

    def loss(weights: Floats) -> tuple[float, Floats]:
        """Return the negative log-likelihood of the right candidates, and its gradient."""
        probability = softmax(x @ weights, bounds)
        right = np.maximum(np.bincount(group, weights=probability * y, minlength=len(counts)), 1e-300)
        return float(-np.log(right).sum()), x.T @ (probability - probability * y / right[group])

    return _minimize(loss, features.shape[1], start, strength, limits)


def fit_nil(features: Features, is_nil: NDArray[np.bool_], *, start: Floats | None = None, strength: float = 1.0) -> Floats:
    """Fit the NIL weights [g] of a logistic regression on features [m, g]."""
    return fit_soft(features.astype(np.float64), is_nil.astype(np.float64), start=start, strength=strength)


def fit_soft(
    x: Floats, y: Floats, *, start: Floats | None = None, strength: float = 1.0, amount: Floats | None = None
) -> Floats:
    """Fit the weights [g] of a logistic regression on labels that may be shares, y [m] in 0..1.

    amount  [m] how much each row counts; None: 1
    """
    counts = np.ones(len(y)) if amount is None else amount

    def loss(weights: Floats) -> tuple[float, Floats]:
        """Return the weighted cross-entropy, and its gradient."""
        utility = x @ weights
        value = counts @ (np.logaddexp(0, utility) - y * utility)
        return float(value), x.T @ (counts * (sigmoid(utility) - y))

    return _minimize(loss, x.shape[1], start, strength)


def _minimize(
    loss: Callable[[Floats], tuple[float, Floats]],
    size: int,
    start: Floats | None,
    strength: float,
    limits: Sequence[tuple[float, float]] | None = None,
) -> Floats:
    from scipy.optimize import minimize

    origin = np.zeros(size) if start is None else start.astype(np.float64)

    def penalised(weights: Floats) -> tuple[float, Floats]:
        """Return the loss and its gradient with a penalty on the distance from the start."""
        value, slope = loss(weights)
        distance = weights - origin
        return value + 0.5 * strength * float(distance @ distance), slope + strength * distance

    fitted = minimize(penalised, origin, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": 500})
    return np.asarray(fitted.x)


def without_removed(batch: Batch, kb: KB) -> Batch:
    """Take the right answers of mentions marked REMOVED out of the candidates, as if they were not in the KG."""
    removed = np.array([REMOVED in mention.source for mention in batch.mentions], dtype=bool)
    return keep_rows(batch, ~(gold_rows(batch, kb) & removed[batch.table.mention_of]))


def keep_rows(batch: Batch, kept: NDArray[np.bool_]) -> Batch:
    """Return a batch with some of its candidates only."""
    table = batch.table
    columns = {name: getattr(table, name)[kept] for name in ("mention_of", "entity", "prior", "match_type")}
    mention_of = columns["mention_of"]  # ranks without gaps: a gap would give it away
    columns["rank"] = (1 + np.arange(len(mention_of)) - np.searchsorted(mention_of, mention_of)).astype(np.int32)
    smaller = replace(table, **columns)
    return replace(batch, table=smaller, bounds=np.searchsorted(smaller.mention_of, batch.mention_bounds))


def outcomes(ranker: Ranker, batch: Batch, kb: KB, context: FeatureContext) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return of each mention the probability of its best candidate, whether it is right, and whether there is a right one."""
    table = batch.table
    golds, gold = gold_of(batch, kb)
    probability = rank_batch(ranker, batch, context).candidate_probability
    best = np.zeros(table.mentions)
    np.maximum.at(best, table.mention_of, probability)
    right, _ = credit(table.mentions, table.mention_of, gold, probability)
    has_answer = [bool(of_kb) and REMOVED not in mention.source for of_kb, mention in zip(golds, batch.mentions, strict=True)]
    return best, right, np.array(has_answer, dtype=bool)


_THRESHOLDS = np.round(np.arange(0.0, 1.0, 0.01), 2)
# Made-up documents cannot tell how much less certain real ones are, nor how many entities a KG lacks. Chosen on eight sets of
# gold, each predicted by the others: the error over all their mentions falls from .109 to .032 (docs/selftrained.md).
CONFIDENCE = Confidence(slope=0.75, shift=0.35, overall=0.7, coverage=2.4)
THRESHOLD = 0.4  # the highest mean F1 of links on these sets; .35 and .45 are nearly as good
TEMPERATURES = np.round(np.arange(0.8, 3.01, 0.05), 2)
_STEP = 5


def best_temperature(loss: Callable[[float], float]) -> float:
    """Return the temperature of the least loss: it falls before, and rises after. Tried in steps of five, then of one."""
    temperatures: list[float] = TEMPERATURES.tolist()
    coarse = range(_STEP // 2, len(temperatures), _STEP)
    best = min(coarse, key=lambda at: loss(temperatures[at]))
    return min(temperatures[max(0, best - _STEP + 1) : best + _STEP], key=loss)


def best_threshold(probability: Floats, right: Floats, has_answer: NDArray[np.bool_]) -> float:
    """Return the threshold with the highest F1 of links: answers at or above it, against the mentions that have one.

    Among equals the lowest, in steps of 0.01.
    """
    links = np.array([(probability >= step).sum() for step in _THRESHOLDS])
    hits = np.array([right[probability >= step].sum() for step in _THRESHOLDS])
    f1 = 2 * hits / np.maximum(1, links + int(has_answer.sum()))
    return float(_THRESHOLDS[int(np.argmax(f1))])


def reliability_report(probability: Floats, right: Floats) -> dict[str, Any]:
    """Describe for the manifest how often answers of each probability were right."""
    return {
        "p_at_1": round(float(right.mean()), 4) if len(right) else 0.0,
        "calibration_error": round(calibration_error(probability, right), 4),
        "reliability": [
            {key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()}
            for row in reliability(probability, right)
        ],
    }
