"""What methods scored on a set, mention by mention, and the metrics that rows are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.evaluation.comparison import Run
from eigenthemes.metrics.precision import EASY, HARD, NOT_FOUND
from eigenthemes.metrics.significance import paired_t_test
from eigenthemes.reproduction.rows import GROUPS, METRICS, Row

Floats = NDArray[np.float64]

SIGNIFICANT = 0.01  # the paper's level, of Student's paired t-test


@dataclass(frozen=True, slots=True)
class MentionScores:
    """Arrays [mentions], of the mentions with gold.

    document    which document a mention is in
    difficulty  EASY, HARD or NOT_FOUND
    in_kb       is its gold in the KB?
    values      method -> metric -> the value of each mention
    """

    document: NDArray[np.int64]
    difficulty: NDArray[np.int8]
    in_kb: NDArray[np.bool_]
    values: dict[str, dict[str, Floats]]

    @classmethod
    def of(cls, run: Run) -> MentionScores:
        """Join the parts of an evaluation."""
        values = {
            name: {"p_at_1": np.concatenate(method.p_at_1), "mrr": np.concatenate(method.reciprocal_rank)}
            for name, method in run.methods.items()
        }
        return cls(np.concatenate(run.document), np.concatenate(run.difficulty), np.concatenate(run.in_kb), values)

    def among(self, group: str) -> NDArray[np.bool_]:
        """Return which mentions belong to a group."""
        if group == "overall":
            return np.ones(len(self.difficulty), dtype=bool)
        return np.asarray(self.difficulty == {"easy": EASY, "hard": HARD}[group])

    def counts(self) -> Row:
        """Return what does not depend on a method."""
        return {
            "mentions": len(self.difficulty),
            "easy": int((self.difficulty == EASY).sum()),
            "hard": int((self.difficulty == HARD).sum()),
            "not_found": int((self.difficulty == NOT_FOUND).sum()),
            "ceiling": mean(self.difficulty != NOT_FOUND),
            "gold_in_kb": mean(self.in_kb),
        }

    def metrics(self, method: str, groups: Sequence[str] = GROUPS) -> Row:
        """Return P@1 and MRR of a method: `overall_p_at_1`, `easy_p_at_1` ..."""
        return {
            f"{group}_{metric}": mean(values[self.among(group)])
            for group in groups
            for metric, values in self.values[method].items()
        }

    def p_values(self, one: str) -> dict[str, float]:
        """Return method -> the p-value of the t-test between its P@1 and that of `one`."""
        if one not in self.values:
            return {}
        p_at_1 = self.values[one]["p_at_1"]
        return {name: paired_t_test(p_at_1, other["p_at_1"]) for name, other in self.values.items()}

    def significant_bests(self) -> dict[str, list[str]]:
        """Return method -> the metrics in which it is best, and significantly better than the second best."""
        bests: dict[str, list[str]] = {name: [] for name in self.values}
        for group in GROUPS:
            members = self.among(group)
            for metric in METRICS:
                values = {name: of_method[metric][members] for name, of_method in self.values.items()}
                ranked = sorted(values, key=lambda name: -mean(values[name]))
                if len(ranked) < 2:
                    continue
                best, second = (values[name] for name in ranked[:2])
                if mean(best) > mean(second) and paired_t_test(best, second) < SIGNIFICANT:
                    bests[ranked[0]].append(f"{group}_{metric}")
        return bests


def mean(values: NDArray[Any]) -> float:
    """Return the mean; of no values, 0."""
    return float(values.mean()) if len(values) else 0.0
