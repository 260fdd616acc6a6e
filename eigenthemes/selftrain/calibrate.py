"""How far the probabilities can be trusted, and the threshold of links: measured on synthetic documents kept aside.

Real documents are not like synthetic ones. How sure to be is measured on documents of a harsher recipe than those the weights
were fitted on: what holds there, too, will be nearer to the truth elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.metrics.calibration import calibration_error, reliability
from eigenthemes.ranking.confidence import Confidence

Floats = NDArray[np.float64]

_THRESHOLDS = np.round(np.arange(0.0, 1.0, 0.01), 2)
# Made-up documents cannot tell how much less certain real ones are: chosen on the calibration error of docs/selftrained.md.
CONFIDENCE = Confidence(slope=0.75, shift=0.35)
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
    return float(_THRESHOLDS[int(np.argmax(_f1_of_links(probability, right, has_answer)))])


def threshold_for_f1(probability: Floats, right: Floats, has_answer: NDArray[np.bool_]) -> float:
    """Return half of the highest F1 of links.

    One link more, right with probability p, raises an F1 of F where p > F / 2: where probabilities can be trusted, that is the
    best threshold. The one that happens to be best on some documents is as far off as .2, since F1 hardly changes around it.
    """
    return round(float(_f1_of_links(probability, right, has_answer).max()) / 2, 2)


def _f1_of_links(probability: Floats, right: Floats, has_answer: NDArray[np.bool_]) -> Floats:
    """Return the F1 of links at or above each of the thresholds."""
    links = np.array([(probability >= step).sum() for step in _THRESHOLDS])
    hits = np.array([right[probability >= step].sum() for step in _THRESHOLDS])
    return np.asarray(2 * hits / np.maximum(1, links + int(has_answer.sum())))


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
