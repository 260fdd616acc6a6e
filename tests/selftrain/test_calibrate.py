"""Calibration on synthetic documents: the temperature, and the threshold of links."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.rankers import rng
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.selftrain.fit import TEMPERATURES, best_temperature, best_threshold, threshold_for_f1


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


@given(st.floats(0.2, 5.0), st.integers(0, 1000))
def test_half_of_the_best_f1_is_the_best_threshold_of_trustworthy_probabilities(shape: float, seed: int) -> None:
    draw = rng(seed)
    probability = draw.random(20_000) ** shape
    right = draw.random(20_000) < probability
    has_answer = right | (draw.random(20_000) < 0.3)
    threshold = threshold_for_f1(probability, right.astype(float), has_answer)
    best = best_threshold(probability, right.astype(float), has_answer)
    assert f1(probability, right, has_answer, threshold) == pytest.approx(f1(probability, right, has_answer, best), abs=0.005)


def test_it_does_not_depend_on_which_of_equal_thresholds_comes_first() -> None:
    probability, right = np.array([0.9, 0.9, 0.1]), np.array([1.0, 1.0, 0.0])
    assert best_threshold(probability, right, right > 0) == 0.11
    assert threshold_for_f1(probability, right, right > 0) == 0.5
    assert threshold_for_f1(probability, np.zeros(3), right > 0) == 0.0
