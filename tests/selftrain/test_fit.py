"""Fitting the two models: slopes, planted weights, priors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from helpers.rankers import rng
from numpy.typing import NDArray

from eigenthemes.ranking.features.nil import softmax
from eigenthemes.selftrain.fit import fit_choice, fit_nil


class Made(NamedTuple):
    """A set drawn from a model whose weights are known."""

    features: NDArray[np.float32]
    bounds: NDArray[np.int64]
    gold: NDArray[np.bool_]


PLANTED = np.array([2.0, -1.0, 0.5])


def made_choices(names: int = 4000, candidates: int = 5) -> Made:
    draw = rng(5)
    features = draw.normal(size=(names * candidates, 3)).astype(np.float32)
    bounds = np.arange(names + 1) * candidates
    chance = softmax(features @ PLANTED, bounds).reshape(names, candidates)
    right = (draw.random((names, 1)) > np.cumsum(chance, axis=1)).sum(axis=1)
    gold = np.zeros((names, candidates), bool)
    gold[np.arange(names), np.minimum(right, candidates - 1)] = True
    return Made(features, bounds, gold.ravel())


@pytest.fixture
def objective(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The functions that are minimised."""
    import scipy.optimize

    seen: list[Any] = []
    minimize = scipy.optimize.minimize

    def spy(function: Any, *arguments: Any, **options: Any) -> Any:
        seen.append(function)
        return minimize(function, *arguments, **options)

    monkeypatch.setattr(scipy.optimize, "minimize", spy)
    return seen


def assert_slope_is_right(function: Any, size: int) -> None:
    for seed in range(3):
        at = rng(seed).normal(size=size)
        _, slope = function(at)
        steps = np.eye(size) * 1e-5
        numeric = [(function(at + step)[0] - function(at - step)[0]) / 2e-5 for step in steps]
        assert slope == pytest.approx(np.array(numeric), rel=1e-4, abs=1e-4)


def test_the_slope_of_the_choice_is_right(objective: list[Any]) -> None:
    made = made_choices(50)
    gold = made.gold.copy()
    gold[:3] = True  # several may be right
    gold[5:10] = False  # or none
    fit_choice(made.features, made.bounds, gold, start=np.ones(3), strength=0.7)
    assert_slope_is_right(objective[0], 3)


def test_the_slope_of_none_is_right(objective: list[Any]) -> None:
    fit_nil(rng().normal(size=(60, 4)).astype(np.float32), rng(1).random(60) < 0.4, start=np.ones(4), strength=0.7)
    assert_slope_is_right(objective[0], 4)


def test_the_choice_is_the_least_of_the_objective_as_written() -> None:
    made = made_choices(40)
    start, strength = np.array([0.5, 0.5, 0.5]), 2.0

    def loss(weights: NDArray[np.float64]) -> float:
        chance = softmax(made.features.astype(np.float64) @ weights, made.bounds)
        return float(-np.log(chance[made.gold]).sum() + 0.5 * strength * ((weights - start) ** 2).sum())

    best = fit_choice(made.features, made.bounds, made.gold, start=start, strength=strength)
    for seed in range(20):
        assert loss(best) <= loss(best + 0.05 * rng(seed).normal(size=3)) + 1e-6


def test_planted_weights_come_back() -> None:
    made = made_choices()
    assert fit_choice(made.features, made.bounds, made.gold) == pytest.approx(PLANTED, abs=0.12)
    x = rng(8).normal(size=(20000, 3)).astype(np.float32)
    none = rng(9).random(len(x)) < 1 / (1 + np.exp(-x @ PLANTED))
    assert fit_nil(x, none) == pytest.approx(PLANTED, abs=0.12)


def test_strength_draws_to_the_start() -> None:
    made = made_choices(300)
    start = np.array([-1.0, 1.0, 3.0])
    x, none = made.features[:300], made.gold[:300]

    def distances(fit: Any) -> list[float]:
        return [float(np.linalg.norm(fit(strength) - start)) for strength in (0.1, 10, 1e3, 1e7)]

    for fit in (
        lambda strength: fit_choice(made.features, made.bounds, made.gold, start=start, strength=strength),
        lambda strength: fit_nil(x, none, start=start, strength=strength),
    ):
        found = distances(fit)
        assert found == sorted(found, reverse=True)
        assert found[-1] < 1e-3 < found[0]


def test_a_column_that_never_varies_keeps_its_start() -> None:
    made = made_choices(200)
    names = np.repeat(np.arange(200), 5)
    constant = rng(3).normal(size=200)[names]  # differs from name to name, never within one
    features = np.column_stack((made.features, constant, np.zeros(len(names)))).astype(np.float32)
    start = np.array([0.0, 0.0, 0.0, 1.25, -2.5])
    assert fit_choice(features, made.bounds, made.gold, start=start)[3:] == pytest.approx([1.25, -2.5], abs=1e-6)
    assert fit_choice(features, made.bounds, made.gold)[3:] == pytest.approx([0, 0], abs=1e-6)
    assert fit_nil(features, made.gold, start=start)[4] == -2.5


def test_names_without_a_right_candidate_say_nothing_of_the_choice() -> None:
    made = made_choices(100)
    gold = made.gold.copy()
    gold[250:] = False
    half = fit_choice(made.features[:250], made.bounds[:51], made.gold[:250])
    assert fit_choice(made.features, made.bounds, gold) == pytest.approx(half)


def test_nothing_to_learn_from_leaves_the_start() -> None:
    nothing, start = np.zeros((0, 2), np.float32), np.array([1.0, -1.0])
    for bounds in (np.array([0]), np.array([0, 0, 0])):
        assert fit_choice(nothing, bounds, np.zeros(0, bool), start=start).tolist() == [1, -1]
    assert fit_nil(nothing, np.zeros(0, bool), start=start).tolist() == [1, -1]
    some = np.ones((3, 2), np.float32)
    assert fit_choice(some, np.array([0, 3]), np.zeros(3, bool)).tolist() == [0, 0]


def test_weights_keep_to_their_limits() -> None:
    made = made_choices()
    limits = ((0.0, 0.7), (-np.inf, np.inf), (-np.inf, np.inf))
    found = fit_choice(made.features, made.bounds, made.gold, limits=limits)
    assert found[0] == pytest.approx(0.7)
    assert found[1] < -0.5
