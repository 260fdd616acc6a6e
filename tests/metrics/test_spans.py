"""Links of a text against annotated ones: outcomes that can be counted by hand."""

from __future__ import annotations

import pytest

from eigenthemes.metrics.spans import LEFT_OUT, RIGHT, WRONG, FoundSpan, GoldSpan, SpanCounts, match_spans

GOLD = [GoldSpan(0, 5, frozenset({1})), GoldSpan(10, 15, frozenset({2, 3})), GoldSpan(20, 25, frozenset())]


def test_strong_matching_wants_the_same_span_and_a_right_entity() -> None:
    found = [FoundSpan(0, 5, 1), FoundSpan(10, 15, 4), FoundSpan(11, 15, 2), FoundSpan(30, 31, 1)]
    assert match_spans(found, GOLD, weak=False, entities=True) == [RIGHT, WRONG, WRONG, WRONG]
    assert match_spans(found, GOLD, weak=False, entities=False) == [RIGHT, RIGHT, WRONG, WRONG]


def test_weak_matching_wants_an_overlap_and_counts_an_annotation_once() -> None:
    found = [FoundSpan(11, 12, 3), FoundSpan(12, 15, 2), FoundSpan(4, 9, 1), FoundSpan(5, 9, 1)]
    assert match_spans(found, GOLD, weak=True, entities=True) == [RIGHT, WRONG, RIGHT, WRONG]


def test_weak_matching_takes_the_same_span_first() -> None:
    found = [FoundSpan(0, 3, 1), FoundSpan(0, 5, 1)]
    assert match_spans(found, GOLD, weak=True, entities=True) == [WRONG, RIGHT]


def test_what_touches_an_annotation_outside_the_kb_counts_neither_way() -> None:
    found = [FoundSpan(20, 25, 1), FoundSpan(24, 30, 1), FoundSpan(25, 30, 1)]
    assert match_spans(found, GOLD, weak=False, entities=True) == [LEFT_OUT, LEFT_OUT, WRONG]


def test_figures_over_all_spans_and_over_documents() -> None:
    counts = SpanCounts()
    counts.add([RIGHT, WRONG, LEFT_OUT], GOLD)  # 1 of 2 found, 1 of 2 annotated
    counts.add([RIGHT], [GoldSpan(0, 1, frozenset({1}))])
    counts.add([WRONG], [])  # nothing to find: no part of the macro figures
    figures = counts.figures()
    assert figures["micro"] == {
        "right": 2, "found": 4, "annotated": 3,
        "precision": pytest.approx(1 / 2), "recall": pytest.approx(2 / 3), "f1": pytest.approx(4 / 7),
    }  # fmt: skip
    assert figures["macro"] == {"documents": 2, "precision": 0.75, "recall": 0.75, "f1": 0.75}


def test_of_nothing_every_figure_is_zero() -> None:
    assert SpanCounts().figures()["micro"]["f1"] == 0
