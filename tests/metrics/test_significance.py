"""Tests and intervals for the difference of two methods, against scipy and against simulated truth."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from eigenthemes.metrics.precision import compare, paired_bootstrap, paired_t_test

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]
NOTHING = np.zeros(0)

halves = st.sampled_from([0.0, 0.5, 1.0])
pairs = st.lists(st.tuples(halves, halves), max_size=12)


def columns(rows: list[tuple[float, float]]) -> tuple[Floats, Floats]:
    table = np.array(rows, dtype=np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


@given(pairs)
def test_the_p_value_is_scipys_where_that_is_defined(rows: list[tuple[float, float]]) -> None:
    from scipy.stats import ttest_rel  # type: ignore[import-untyped, unused-ignore]

    a, b = columns(rows)
    p_value = paired_t_test(a, b)
    assert p_value == paired_t_test(b, a)
    if len(a) < 2 or (a == b).all():
        assert p_value == 1
    elif (a - b == (a - b)[0]).all():
        assert p_value == 0
    else:
        assert p_value == pytest.approx(ttest_rel(a, b).pvalue)


def test_a_p_value_by_hand() -> None:
    # Differences 0 and 1: mean 1/2, standard error 1/2, so t = 1 on one degree of freedom, where t is Cauchy.
    assert paired_t_test(np.array([0.0, 1.0]), np.zeros(2)) == pytest.approx(0.5)


def test_the_p_value_does_not_depend_on_the_unit() -> None:
    a, b = np.array([0.0, 1.0, 1.0]), np.zeros(3)
    assert paired_t_test(a * 1e-300, b) == pytest.approx(paired_t_test(a, b))


def test_a_constant_difference_that_rounds_is_still_constant() -> None:
    assert paired_t_test(np.full(7, 0.1), np.zeros(7)) == 0


def clustered(rng: np.random.Generator, *, documents: int = 60, advantage: float = 0.1) -> tuple[Floats, Floats, Ints]:
    """Differences that agree within a document; documents have 1 to 8 mentions."""
    document = np.repeat(np.arange(documents), rng.integers(1, 9, size=documents))
    difference = advantage + rng.normal(size=documents)[document] + 0.3 * rng.normal(size=len(document))
    b = rng.normal(size=len(document))
    return b + difference, b, document


def coverage(*, by_document: bool, runs: int) -> float:
    """How often the interval holds the true advantage."""
    rng, held = np.random.default_rng(7), 0
    for seed in range(runs):
        a, b, document = clustered(rng)
        low, high = paired_bootstrap(a, b, document if by_document else np.arange(len(a)), seed=seed, samples=400)
        held += low <= 0.1 <= high
    return held / runs


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    assert 0.91 <= coverage(by_document=True, runs=1000) <= 0.98


def test_drawing_mentions_instead_of_documents_would_promise_too_much() -> None:
    assert coverage(by_document=False, runs=200) < 0.8


def test_the_interval_is_about_micro_means() -> None:
    # One document of 9 mentions won, one of 1 lost: a draw of two gives 1, 0.8, 0.8 or -1.
    a, b = np.array([1.0] * 9 + [0.0]), np.array([0.0] * 9 + [1.0])
    document = np.array([5] * 9 + [2])
    assert compare(a, b, document)["difference"] == pytest.approx(0.8)
    assert paired_bootstrap(a, b, document) == (-1, 1)
    assert paired_bootstrap(a, b, document, level=0.4) == pytest.approx((0.8, 0.8))


def test_the_same_seed_gives_the_same_interval() -> None:
    a, b, document = clustered(np.random.default_rng(0))
    assert paired_bootstrap(a, b, document, seed=3) == paired_bootstrap(a, b, document, seed=3)
    assert paired_bootstrap(a, b, document, seed=3) != paired_bootstrap(a, b, document, seed=4)


def test_a_wider_level_gives_a_wider_interval() -> None:
    a, b, document = clustered(np.random.default_rng(0))
    (low, high), (lower, higher) = (paired_bootstrap(a, b, document, level=level) for level in (0.8, 0.99))
    assert lower < low < (a - b).mean() < high < higher


def test_swapping_the_methods_turns_the_interval_round() -> None:
    a, b, document = clustered(np.random.default_rng(0))
    low, high = paired_bootstrap(a, b, document)
    assert paired_bootstrap(b, a, document) == pytest.approx((-high, -low))


def test_documents_may_be_numbered_and_ordered_in_any_way() -> None:
    a, b, document = clustered(np.random.default_rng(0))
    order = np.random.default_rng(1).permutation(len(a))
    shuffled = paired_bootstrap(a[order], b[order], document[order] * 1000 - 5)
    assert shuffled == pytest.approx(paired_bootstrap(a, b, document))


def test_with_fewer_than_two_documents_the_interval_is_the_difference() -> None:
    nowhere = np.zeros(0, dtype=np.int64)
    assert compare(NOTHING, NOTHING, nowhere) == {"difference": 0, "low": 0, "high": 0, "p_value": 1}
    a, b = np.array([1.0, 1.0, 0.0]), np.zeros(3)
    assert paired_bootstrap(a, b, np.array([4, 4, 4])) == pytest.approx((2 / 3, 2 / 3))


def test_the_time_grows_with_the_documents_and_no_faster() -> None:
    def seconds(documents: int) -> float:
        a, b, document = clustered(np.random.default_rng(0), documents=documents)
        start = time.process_time()
        paired_bootstrap(a, b, document)
        return time.process_time() - start

    few, many = (min(seconds(documents) for _ in range(3)) for documents in (500, 2_000))
    assert many < 10 * few
