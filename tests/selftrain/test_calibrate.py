"""Calibration on synthetic documents: the temperature, and the threshold of links."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.selftrain.fit import TEMPERATURES, best_temperature, best_threshold


def f1(probability: np.ndarray, right: np.ndarray, has_answer: np.ndarray, threshold: float) -> float:
    linked = probability >= threshold
    return float(2 * right[linked].sum() / (linked.sum() + has_answer.sum()))


def test_the_temperature_of_the_least_loss() -> None:
    assert best_temperature(lambda temperature: (temperature - 1.3) ** 2) == 1.3
    assert best_temperature(lambda temperature: temperature) == TEMPERATURES[0]
    assert TEMPERATURES[0] < 1 < TEMPERATURES[-1]


@given(st.floats(0.7, 3.2), st.floats(0.1, 3.0), st.floats(0.1, 3.0))
def test_few_temperatures_are_tried_and_none_is_better(least: float, before: float, after: float) -> None:
    tried = list[float]()

    def loss(temperature: float) -> float:
        tried.append(temperature)
        return before * max(0.0, least - temperature) + after * max(0.0, temperature - least)

    assert best_temperature(loss) == min(TEMPERATURES, key=loss)
    assert len(tried) - len(TEMPERATURES) <= len(TEMPERATURES) / 2


def test_it_does_not_depend_on_which_of_equal_thresholds_comes_first() -> None:
    probability, right = np.array([0.9, 0.9, 0.1]), np.array([1.0, 1.0, 0.0])
    assert best_threshold(probability, right, right > 0) == 0.11
