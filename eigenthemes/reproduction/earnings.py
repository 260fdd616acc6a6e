"""What methods earned on a set, mention by mention, and the figures tables are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.evaluation.run import Run
from eigenthemes.metrics.precision import EASY, HARD, NOT_FOUND
from eigenthemes.metrics.significance import paired_t_test

Row = dict[str, Any]
Floats = NDArray[np.float64]

# the paper's methods and ours, in the order of tables
THEIRS = (
    "namematch", "local-context", "global-context", "degree", "average-unweighted", "average", "eigen-unweighted", "eigen",
)  # fmt: skip
OURS = ("prior-name", "selftrained")
NEURAL = ("taumil", "taumil-weighted")

GROUPS = ("overall", "easy", "hard")
FIGURES = ("p_at_1", "mrr")
SIGNIFICANT = 0.01  # the paper's level, of Student's paired t-test


@dataclass(frozen=True, slots=True)
class Earnings:
    """Arrays [mentions], of the mentions with gold.

    document    which document a mention is in
    difficulty  EASY, HARD or NOT_FOUND
    in_kb       is its gold in the KB?
    earned      method -> figure -> what each mention earned
    """

    document: NDArray[np.int64]
    difficulty: NDArray[np.int8]
    in_kb: NDArray[np.bool_]
    earned: dict[str, dict[str, Floats]]

    @classmethod
    def of(cls, run: Run) -> Earnings:
        earned = {
            name: {"p_at_1": np.concatenate(each.p_at_1), "mrr": np.concatenate(each.reciprocal_rank)}
            for name, each in run.methods.items()
        }
        return cls(np.concatenate(run.document), np.concatenate(run.difficulty), np.concatenate(run.in_kb), earned)

    def among(self, group: str) -> NDArray[np.bool_]:
        """Which mentions belong to a group."""
        if group == "overall":
            return np.ones(len(self.difficulty), dtype=bool)
        return np.asarray(self.difficulty == {"easy": EASY, "hard": HARD}[group])

    def counts(self) -> Row:
        """What does not depend on a method."""
        return {
            "mentions": len(self.difficulty),
            "easy": int((self.difficulty == EASY).sum()),
            "hard": int((self.difficulty == HARD).sum()),
            "not_found": int((self.difficulty == NOT_FOUND).sum()),
            "ceiling": mean(self.difficulty != NOT_FOUND),
            "gold_in_kb": mean(self.in_kb),
        }

    def figures(self, method: str, groups: Sequence[str] = GROUPS) -> Row:
        """P@1 and MRR of a method: `overall_p_at_1`, `easy_p_at_1` ..."""
        return {
            f"{group}_{figure}": mean(values[self.among(group)])
            for group in groups
            for figure, values in self.earned[method].items()
        }

    def p_values(self, one: str) -> dict[str, float]:
        """Method -> the p-value of the t-test between its P@1 and that of another."""
        if one not in self.earned:
            return {}
        mine = self.earned[one]["p_at_1"]
        return {name: paired_t_test(mine, each["p_at_1"]) for name, each in self.earned.items()}

    def marks(self) -> dict[str, list[str]]:
        """Method -> the figures in which it is best, and significantly better than the second best."""
        found: dict[str, list[str]] = {name: [] for name in self.earned}
        for group in GROUPS:
            of = self.among(group)
            for figure in FIGURES:
                ranked = sorted(self.earned, key=lambda name, of=of, figure=figure: -mean(self.earned[name][figure][of]))  # type: ignore[misc]
                if len(ranked) < 2:
                    continue
                best, second = (self.earned[name][figure][of] for name in ranked[:2])
                if mean(best) > mean(second) and paired_t_test(best, second) < SIGNIFICANT:
                    found[ranked[0]].append(f"{group}_{figure}")
        return found


def mean(values: NDArray[Any]) -> float:
    """Of no values, 0."""
    return float(values.mean()) if len(values) else 0.0
