"""Whether probabilities can be believed: by hand, by plain loops, and for what must hold whatever the numbers are."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from eigenthemes.metrics.calibration import (
    area_under_risk,
    brier,
    calibration_error,
    link_figures,
    reliability,
    risk_coverage,
    risk_table,
    summarize_confidence,
)

Array = NDArray[Any]
Row = tuple[float, float, bool, bool]  # probability, right, in_kb, linked
NOTHING = np.zeros(0)
NONE = np.zeros(0, dtype=bool)

probabilities = st.one_of(st.sampled_from([0.0, 0.1, 0.29, 0.5, 0.7, 1.0]), st.floats(0, 1))
credits = st.sampled_from([0.0, 1 / 3, 0.5, 1.0])
tables = st.lists(st.tuples(probabilities, credits, st.booleans(), st.booleans()), max_size=25)
filled_tables = st.lists(st.tuples(probabilities, credits, st.booleans(), st.booleans()), min_size=1, max_size=25)


def columns(rows: list[Row]) -> tuple[Array, Array, Array, Array]:
    probability, right, in_kb, linked = zip(*rows, strict=True) if rows else ((), (), (), ())
    return np.array(probability, float), np.array(right, float), np.array(in_kb, bool), np.array(linked, bool)


# Reliability and its error


def test_reliability_by_hand() -> None:
    low, high = reliability(np.array([0.1, 0.3, 0.9]), np.array([0.0, 1.0, 0.5]), bins=2)
    assert low == {"from": 0.0, "to": 0.5, "mentions": 2, "confidence": pytest.approx(0.2), "accuracy": 0.5}
    assert high == {"from": 0.5, "to": 1.0, "mentions": 1, "confidence": 0.9, "accuracy": 0.5}


def test_the_calibration_error_by_hand() -> None:
    # Bins: two mentions promised 0.2 and got 0.5; one promised 0.9 and got 0.5.
    error = calibration_error(np.array([0.1, 0.3, 0.9]), np.array([0.0, 1.0, 0.5]), bins=2)
    assert error == pytest.approx((2 * 0.3 + 1 * 0.4) / 3)


@pytest.mark.parametrize("bins", [1, 3, 10, 100])
def test_an_edge_belongs_to_the_bin_it_opens_and_one_to_the_last(bins: int) -> None:
    edges = np.array([i / bins for i in range(bins + 1)])
    found = reliability(edges, np.zeros(bins + 1), bins=bins)
    assert [each["mentions"] for each in found] == [1] * (bins - 1) + [2]
    assert [each["from"] for each in found] == edges[:-1].tolist()


def test_a_bin_without_mentions_has_no_means() -> None:
    first, second = reliability(np.array([0.9]), np.array([1.0]), bins=2)
    assert first == {"from": 0.0, "to": 0.5, "mentions": 0, "confidence": None, "accuracy": None}
    assert second["mentions"] == 1


@given(tables, st.integers(1, 12))
def test_the_error_is_that_of_plain_loops(rows: list[Row], bins: int) -> None:
    probability, right, _, _ = columns(rows)
    total = 0.0
    for i in range(bins):
        inside = [row for row in rows if i / bins <= row[0] < (i + 1) / bins or (row[0] == 1 and i == bins - 1)]
        total += abs(sum(row[0] for row in inside) - sum(row[1] for row in inside))
    error = calibration_error(probability, right, bins=bins)
    assert error == pytest.approx(total / max(1, len(rows)))
    assert 0 <= error <= 1


@given(tables, st.integers(1, 12))
def test_the_error_is_that_of_the_bins_shown(rows: list[Row], bins: int) -> None:
    probability, right, _, _ = columns(rows)
    shown = [each for each in reliability(probability, right, bins=bins) if each["mentions"]]
    assert sum(each["mentions"] for each in shown) == len(rows)
    error = sum(each["mentions"] * abs(each["confidence"] - each["accuracy"]) for each in shown) / max(1, len(rows))
    assert calibration_error(probability, right, bins=bins) == pytest.approx(error, abs=1e-12)


@given(st.lists(st.integers(1, 8).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), max_size=6), st.integers(1, 12))
def test_probabilities_that_come_true_have_no_error(groups: list[tuple[int, int]], bins: int) -> None:
    """Of n mentions promised k/n, k are right."""
    probability = np.array([k / n for k, n in groups for _ in range(n)])
    right = np.array([float(i < k) for k, n in groups for i in range(n)])
    assert calibration_error(probability, right, bins=bins) == pytest.approx(0, abs=1e-12)


def test_certain_and_always_wrong_is_the_worst_there_is() -> None:
    assert calibration_error(np.ones(3), np.zeros(3)) == 1
    assert brier(np.ones(3), np.zeros(3)) == 1
    assert brier(np.ones(3), np.ones(3)) == 0


def test_the_brier_score_of_a_tie_is_the_expected_one() -> None:
    assert brier(np.array([0.8, 0.8]), np.array([1.0, 0.0])) == pytest.approx((0.04 + 0.64) / 2)
    assert brier(np.array([0.8]), np.array([0.5])) == pytest.approx((0.04 + 0.64) / 2)


def test_no_promise_beats_the_truth_in_the_brier_score() -> None:
    right = np.array([1.0, 1.0, 0.0, 1.0])
    scores = {promised: brier(np.full(4, promised), right) for promised in (0.0, 0.5, 0.7, 0.75, 0.8, 1.0)}
    assert min(scores, key=scores.__getitem__) == 0.75


# Links and NILs


def test_links_and_nils_by_hand() -> None:
    # Linked: right, wrong, half right, outside. NIL: inside (missed), outside twice.
    right = np.array([1, 0, 0.5, 0, 1, 0, 0])
    in_kb = np.array([1, 1, 1, 0, 1, 0, 0], dtype=bool)
    linked = np.array([1, 1, 1, 1, 0, 0, 0], dtype=bool)
    found = link_figures(right, in_kb, linked)
    assert found["links"] == {"given": 4, "gold": 4, "right": 1.5, "precision": 0.375, "recall": 0.375, "f1": 0.375}
    assert found["nil"] == pytest.approx({"given": 3, "gold": 3, "right": 2, "precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3})


def test_a_link_outside_the_kb_is_wrong_whatever_it_claims_to_earn() -> None:
    yes, no = np.ones(1, dtype=bool), np.zeros(1, dtype=bool)
    assert link_figures(np.ones(1), no, yes)["links"] == {
        "given": 1, "gold": 0, "right": 0, "precision": 0, "recall": 0, "f1": 0,
    }  # fmt: skip


def test_all_nil() -> None:
    outside, none = np.zeros(3, dtype=bool), np.zeros(3, dtype=bool)
    found = link_figures(np.zeros(3), outside, none)
    assert found["links"] == {"given": 0, "gold": 0, "right": 0, "precision": 0, "recall": 0, "f1": 0}
    assert found["nil"] == {"given": 3, "gold": 3, "right": 3, "precision": 1, "recall": 1, "f1": 1}


@given(tables)
def test_links_and_nils_are_those_of_plain_loops(rows: list[Row]) -> None:
    _, right, in_kb, linked = columns(rows)
    found = link_figures(right, in_kb, linked)
    right_links = right_nils = 0.0
    for _, earned, inside, link in rows:
        if link and inside:
            right_links += earned
        if not link and not inside:
            right_nils += 1
    links, insiders = sum(row[3] for row in rows), sum(row[2] for row in rows)
    for part, hits, given_, gold in (
        (found["links"], right_links, links, insiders),
        (found["nil"], right_nils, len(rows) - links, len(rows) - insiders),
    ):
        precision, recall = (hits / whole if whole else 0 for whole in (given_, gold))
        f1 = 2 * precision * recall / (precision + recall) if hits else 0
        expected = {"given": given_, "gold": gold, "right": hits, "precision": precision, "recall": recall, "f1": f1}
        assert part == pytest.approx(expected)


# Risk and coverage


def test_risk_by_hand_with_ties_that_enter_together() -> None:
    probability = np.array([0.5, 0.9, 0.5, 0.0, 0.5])
    right = np.array([1.0, 1.0, 0.0, 0.0, 0.5])
    coverage, risk = risk_coverage(probability, right)
    assert coverage.tolist() == [0.2, 0.8, 1.0]
    assert risk == pytest.approx([0, 1.5 / 4, 2.5 / 5])
    assert area_under_risk(coverage, risk) == pytest.approx(0.2 * 0 + 0.6 * 1.5 / 4 + 0.2 * 0.5)
    assert risk_table(coverage, risk) == pytest.approx({"0.5": 0.375, "0.7": 0.375, "0.8": 0.375, "0.9": 0.5, "1.0": 0.5})


def test_a_wanted_coverage_that_is_a_point_is_that_point() -> None:
    """0.7 of ten mentions are seven, and not eight because of rounding."""
    for mentions in (10, 30, 1_000, 7_770):
        right = (np.arange(mentions) < mentions * 7 // 10).astype(float)
        assert risk_table(*risk_coverage(1 - np.arange(mentions) / mentions, right), wanted=(0.7,)) == {"0.7": 0}


@given(tables)
def test_risk_is_that_of_plain_loops(rows: list[Row]) -> None:
    probability, right, _, _ = columns(rows)
    coverage, risk = risk_coverage(probability, right)
    levels = sorted({row[0] for row in rows}, reverse=True)
    covered = [[row for row in rows if row[0] >= level] for level in levels]
    assert coverage.tolist() == [len(each) / len(rows) for each in covered]
    assert risk == pytest.approx([sum(1 - row[1] for row in each) / len(each) for each in covered])
    assert all(0 <= each <= 1 for each in risk)


@given(filled_tables)
def test_at_full_coverage_the_risk_is_the_error_rate(rows: list[Row]) -> None:
    probability, right, _, _ = columns(rows)
    coverage, risk = risk_coverage(probability, right)
    assert coverage[-1] == 1
    assert risk[-1] == pytest.approx(1 - right.mean())
    assert risk_table(coverage, risk)["1.0"] == risk[-1]


@given(filled_tables)
def test_a_probability_that_tells_nothing_has_the_error_rate_as_area(rows: list[Row]) -> None:
    _, right, _, _ = columns(rows)
    assert area_under_risk(*risk_coverage(np.full(len(rows), 0.4), right)) == pytest.approx(1 - right.mean())


@given(filled_tables)
def test_only_the_order_of_probabilities_matters_to_the_risk(rows: list[Row]) -> None:
    probability, right, _, _ = columns(rows)
    _, order = np.unique(probability, return_inverse=True)
    for one, other in zip(risk_coverage(probability, right), risk_coverage(order.astype(float), right), strict=True):
        assert one.tolist() == other.tolist()


@given(st.lists(st.booleans(), min_size=1, max_size=20))
def test_without_ties_the_area_is_the_mean_risk(answers: list[bool]) -> None:
    right = np.array(answers, dtype=float)
    risks = [Fraction(answers[:n].count(False), n) for n in range(1, len(answers) + 1)]
    area = area_under_risk(*risk_coverage(1 - np.arange(len(answers)) / len(answers), right))
    assert area == pytest.approx(float(sum(risks) / len(risks)))


@given(filled_tables)
def test_the_right_ones_first_give_the_least_area(rows: list[Row]) -> None:
    probability, right, _, _ = columns(rows)
    assert area_under_risk(*risk_coverage(right, right)) <= area_under_risk(*risk_coverage(probability, right)) + 1e-12


# The summary


def test_the_summary_says_which_mentions_each_figure_is_about() -> None:
    probability, right = np.array([0.9, 0.2, 0.6]), np.array([1.0, 0.0, 1.0])
    in_kb, linked = np.array([True, True, False]), np.array([True, False, True])
    found = summarize_confidence(probability, right, in_kb, linked)
    assert found["ece"] == pytest.approx((0.1 + 0.2) / 2)
    assert found["ece_all"] == pytest.approx((0.1 + 0.2 + 0.6) / 3)  # the one outside is wrong
    assert found["brier"] == pytest.approx((0.01 + 0.04) / 2)
    assert found["reliability"] == reliability(probability[in_kb], right[in_kb])
    assert found["links"] == pytest.approx({"given": 2, "gold": 2, "right": 1, "precision": 0.5, "recall": 0.5, "f1": 0.5})
    assert found["nil"]["right"] == 0
    assert found["risk_coverage"]["area"] == pytest.approx((0 + 1 / 2 + 2 / 3) / 3)
    at = {"0.5": 1 / 2, "0.7": 2 / 3, "0.8": 2 / 3, "0.9": 2 / 3, "1.0": 2 / 3}
    assert found["risk_coverage"]["at"] == pytest.approx(at)


@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_mentions_does_not_matter(rows: list[Row], random: Any) -> None:
    shuffled = random.sample(rows, len(rows))
    one, other = (flat(summarize_confidence(*columns(each))) for each in (rows, shuffled))
    assert one == pytest.approx(other, abs=1e-12)


def flat(value: Any) -> list[float]:
    """All figures in order; -1 for None."""
    if isinstance(value, dict | list):
        return [each for part in (value.values() if isinstance(value, dict) else value) for each in flat(part)]
    return [-1 if value is None else value]


def test_of_no_mentions_every_figure_is_zero() -> None:
    found = summarize_confidence(NOTHING, NOTHING, NONE, NONE)
    assert (found["ece"], found["ece_all"], found["brier"]) == (0, 0, 0)
    assert [each["mentions"] for each in found["reliability"]] == [0] * 10
    assert set(found["links"].values()) == set(found["nil"].values()) == {0}
    assert found["risk_coverage"] == {"area": 0, "at": {"0.5": 0, "0.7": 0, "0.8": 0, "0.9": 0, "1.0": 0}}
    json.dumps(found, allow_nan=False)


def test_a_set_without_gold_in_the_kb_is_summarized() -> None:
    found = summarize_confidence(np.array([0.4, 0.0]), np.zeros(2), np.zeros(2, dtype=bool), np.zeros(2, dtype=bool))
    assert (found["ece"], found["ece_all"], found["nil"]["f1"]) == (0, pytest.approx(0.2), 1)
    assert found["risk_coverage"]["area"] == 1
    json.dumps(found, allow_nan=False)
