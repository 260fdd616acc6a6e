"""Mentions with gold in batches: how hard they are, and where their gold is among the candidates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.store import KB
from eigenthemes.metrics.precision import difficulty
from eigenthemes.pipeline.batch import Batch, gold_rows, has_gold


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
