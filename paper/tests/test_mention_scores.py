"""Where the best method is marked as significantly better."""

from __future__ import annotations

import numpy as np

from eigenthemes_paper.mention_scores import MentionScores


def scores_of(**of: list[float]) -> MentionScores:
    n = len(next(iter(of.values())))
    values = {name: {"p_at_1": np.array(each), "mrr": np.array(each)} for name, each in of.items()}
    return MentionScores(np.arange(n), np.zeros(n, dtype=np.int8), np.ones(n, dtype=bool), values)


def test_a_mark_needs_significance() -> None:
    clear = scores_of(good=[1.0] * 50, bad=[0.0, 1.0] * 25)
    assert clear.significant_bests() == {"good": ["overall_p_at_1", "overall_mrr", "easy_p_at_1", "easy_mrr"], "bad": []}
    near = scores_of(good=[1.0] * 49 + [0.0], bad=[1.0] * 48 + [0.0] * 2)
    assert near.significant_bests() == {"good": [], "bad": []}
    assert scores_of(alone=[1.0]).significant_bests() == {"alone": []}
