"""Where the best method is marked as significantly better."""

from __future__ import annotations

import numpy as np

from eigenthemes_paper.mention_scores import MentionScores, is_significant


def scores_of(document: list[int] | None = None, **of: list[float]) -> MentionScores:
    n = len(next(iter(of.values())))
    values = {name: {"p_at_1": np.array(each), "mrr": np.array(each)} for name, each in of.items()}
    return MentionScores(
        np.arange(n) if document is None else np.array(document), np.zeros(n, dtype=np.int8), np.ones(n, dtype=bool), values
    )


def test_a_mark_needs_significance() -> None:
    clear = scores_of(good=[1.0] * 50, bad=[0.0, 1.0] * 25)
    assert clear.significant_bests() == {"good": ["overall_p_at_1", "overall_mrr", "easy_p_at_1", "easy_mrr"], "bad": []}
    near = scores_of(good=[1.0] * 49 + [0.0], bad=[1.0] * 48 + [0.0] * 2)
    assert near.significant_bests() == {"good": [], "bad": []}
    assert scores_of(alone=[1.0]).significant_bests() == {"alone": []}


def test_a_mark_needs_the_bootstrap_over_documents_as_well_as_the_t_test() -> None:
    """The mentions of one document agree: they are no 30 independent findings."""
    one_document = [0] * 30 + list(range(1, 21))
    better, worse = [1.0] * 30 + [0.0] * 20, [0.0] * 50
    assert scores_of(one_document, good=better, bad=worse).significant_bests()["good"] == []
    assert scores_of(None, good=better, bad=worse).significant_bests()["good"] != []
    assert not scores_of(one_document, good=better, bad=worse).differs_from("good")["bad"]


def test_a_significant_difference_needs_both_tests_and_several_documents() -> None:
    better, worse, many = np.array([1.0, 1.0, 0.0] * 20), np.zeros(60), np.arange(60)
    assert is_significant(better, worse, many)
    assert not is_significant(better, worse, np.zeros(60, np.int64)), "one document"
    assert not is_significant(np.array([1.0] * 30 + [0.0] * 30), worse, np.array([0] * 30 + list(range(1, 31))))
    assert not is_significant(better, better, many)
