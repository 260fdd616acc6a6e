"""Synthetic documents as they are linked: answers that are not to be found, and what a ranker makes of the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.store import KB
from eigenthemes.metrics.precision import credit
from eigenthemes.ranking.batch import Batch, gold_of, gold_rows
from eigenthemes.ranking.features import FeatureContext
from eigenthemes.ranking.ranker import Ranker, rank_batch
from eigenthemes.selftrain.sample import REMOVED

Floats = NDArray[np.float64]


def without_removed(batch: Batch, kb: KB) -> Batch:
    """Take the right answers of mentions marked REMOVED out of the candidates, as if they were not in the KG."""
    removed = np.array([REMOVED in mention.source for mention in batch.mentions], dtype=bool)
    table = batch.table
    return keep_rows(batch, ~(gold_rows(batch, kb) & removed[table.mention_of]) if len(table) else np.ones(0, dtype=bool))


def keep_rows(batch: Batch, kept: NDArray[np.bool_]) -> Batch:
    """Return a batch with some of its candidates only."""
    table = batch.table
    columns = {name: getattr(table, name)[kept] for name in ("mention_of", "entity", "prior", "match_type")}
    mention_of = columns["mention_of"]  # ranks without gaps: a gap would give it away
    columns["rank"] = (1 + np.arange(len(mention_of)) - np.searchsorted(mention_of, mention_of)).astype(np.int32)
    smaller = replace(table, **columns)
    return replace(batch, table=smaller, bounds=np.searchsorted(smaller.mention_of, batch.mention_bounds))


def outcomes(ranker: Ranker, batch: Batch, kb: KB, context: FeatureContext) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return of each mention the probability of its best candidate, whether it is right, and whether there is a right one."""
    table = batch.table
    golds, gold = gold_of(batch, kb)
    probability = rank_batch(ranker, batch, context).candidate_probability
    best = np.zeros(table.mentions)
    np.maximum.at(best, table.mention_of, probability)
    right, _ = credit(table.mentions, table.mention_of, gold, probability)
    has_answer = [bool(of_kb) and REMOVED not in mention.source for of_kb, mention in zip(golds, batch.mentions, strict=True)]
    return best, right, np.array(has_answer, dtype=bool)
