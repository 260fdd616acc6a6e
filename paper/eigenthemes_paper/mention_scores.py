"""Scores of methods mention by mention, difficulty of mentions, and the metrics that rows are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.evaluation.comparison import Evaluation
from eigenthemes.kb.store import KB
from eigenthemes.metrics.precision import EASY, HARD, NOT_FOUND, difficulty, paired_bootstrap, paired_t_test
from eigenthemes.pipeline.batch import Batch, gold_rows, has_gold
from eigenthemes_paper.rows import GROUPS, METRICS, SIGNIFICANT, Row

Floats = NDArray[np.float64]


def is_significant(a: Floats, b: Floats, document_of_mention: NDArray[np.int64], *, level: float = 0.05) -> bool:
    """Return whether a difference is significant by the t-test over mentions and by the bootstrap over documents.

    The t-test alone takes the mentions of a document as independent, and finds too many differences.
    """
    if paired_t_test(a, b) >= level or len(np.unique(document_of_mention)) < 2:
        return False
    low, high = paired_bootstrap(a, b, document_of_mention, level=1 - level)
    return low > 0 or high < 0


@dataclass(frozen=True, slots=True)
class MentionScores:
    """Arrays [mentions], of the mentions with gold.

    document    which document a mention is in
    difficulty  EASY, HARD or NOT_FOUND
    in_kb       is its gold in the KB?
    values      method -> metric -> the value of each mention
    settings    method -> vectors, generator, T and options with which it was evaluated
    """

    document: NDArray[np.int64]
    difficulty: NDArray[np.int8]
    in_kb: NDArray[np.bool_]
    values: dict[str, dict[str, Floats]]
    settings: dict[str, Row] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Evaluation) -> MentionScores:
        """Return the scores of an evaluation."""
        values = {name: {"p_at_1": method.p_at_1, "mrr": method.reciprocal_rank} for name, method in run.methods.items()}
        settings = {name: method.settings for name, method in run.methods.items()}
        return cls(run.document, run.difficulty, run.in_kb, values, settings)

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
        """Return P@1 and MRR of a method, `overall_p_at_1`, `easy_p_at_1` ..., and its settings."""
        return self.settings.get(method, {}) | {
            f"{group}_{metric}": mean(values[self.among(group)])
            for group in groups
            for metric, values in self.values[method].items()
        }

    def differs_from(self, one: str) -> dict[str, bool]:
        """Return method -> whether its P@1 differs significantly from that of `one`."""
        if one not in self.values:
            return {}
        p_at_1 = self.values[one]["p_at_1"]
        return {
            name: is_significant(p_at_1, other["p_at_1"], self.document, level=SIGNIFICANT)
            for name, other in self.values.items()
        }

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
                if mean(best) > mean(second) and is_significant(best, second, self.document[members], level=SIGNIFICANT):
                    bests[ranked[0]].append(f"{group}_{metric}")
        return bests


def mean(values: NDArray[Any]) -> float:
    """Return the mean; of no values, 0."""
    return float(values.mean()) if len(values) else 0.0


@dataclass(frozen=True, slots=True)
class GoldMentions:
    """Arrays [mentions], of the mentions with gold.

    difficulty  EASY, HARD or NOT_FOUND
    candidates  how many it has
    in_kb       is its gold in the KB?
    gold_rank   rank of its first gold candidate; infinite: not found
    """

    difficulty: NDArray[np.int8]
    candidates: NDArray[np.int64]
    in_kb: NDArray[np.bool_]
    gold_rank: NDArray[np.float64]

    @classmethod
    def of(cls, batches: Iterable[Batch], kb: KB) -> GoldMentions:
        """Count those of some batches."""
        parts = [_counted(batch, kb) for batch in batches]
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def difficulty_of(batch: Batch, kb: KB) -> NDArray[np.int8]:
    """Return the difficulty of every mention of a batch."""
    table = batch.table
    return difficulty(table.mentions, table.mention_of, table.rank, gold_rows(batch, kb))


def _counted(batch: Batch, kb: KB) -> tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64]]:
    table, with_gold = batch.table, has_gold(batch)
    candidates = np.bincount(table.mention_of, minlength=table.mentions)
    in_kb = np.array(
        [any(kb.index_of(gold) is not None for gold in mention.gold or ()) for mention in batch.mentions], dtype=bool
    )
    is_gold, rank = gold_rows(batch, kb), np.full(table.mentions, np.inf)
    np.minimum.at(rank, table.mention_of[is_gold], table.rank[is_gold].astype(np.float64))
    return difficulty_of(batch, kb)[with_gold], candidates[with_gold], np.array(in_kb, dtype=bool)[with_gold], rank[with_gold]
