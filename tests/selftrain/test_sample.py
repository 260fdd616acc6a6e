"""Synthetic documents: sizes, gold, removed entities."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.rankers import rng

from eigenthemes import KB
from eigenthemes.pipeline.batch import Batch, BatchMaker
from eigenthemes.ranking.features import (
    FeatureContext,
)
from eigenthemes.records import Document
from eigenthemes.selftrain.fit import without_removed
from eigenthemes.selftrain.sampling import REMOVED, Sampler
from eigenthemes.selftrain.training import TrainingBatch


@pytest.fixture(scope="module")
def synthetic_documents(demo_kb: KB) -> list[Document]:
    return list(Sampler(demo_kb, rng(3)).documents(300))


def test_synthetic_documents_are_seeded(demo_kb: KB) -> None:
    one, again, other = (list(Sampler(demo_kb, rng(seed)).documents(30)) for seed in (1, 1, 2))
    assert one == again
    assert [mention.source for d in one for mention in d.mentions or ()] == [m.source for d in again for m in d.mentions or ()]
    assert [document.mentions for document in one] != [document.mentions for document in other]


def test_synthetic_documents_are_of_all_sizes(synthetic_documents: list[Document]) -> None:
    sizes = [len(document.mentions or ()) for document in synthetic_documents]
    assert min(sizes) == 1
    assert 0.02 < sizes.count(1) / len(sizes) < 0.3
    assert 5 < np.mean(sizes) < 25
    assert [document.id for document in synthetic_documents] == list(range(300))


def test_gold_is_in_the_kb_or_empty(demo_kb: KB, synthetic_documents: list[Document]) -> None:
    mentions = [mention for document in synthetic_documents for mention in document.mentions or ()]
    golds = [mention.gold for mention in mentions]
    assert None not in golds
    assert 0.01 < golds.count(()) / len(golds) < 0.1
    for mention in mentions:
        assert mention.text.strip()
        for each in mention.gold or ():
            entity = demo_kb.index_of(each)
            assert entity is not None
            assert demo_kb.names_of(entity)
        assert len(mention.gold or ()) <= 1
    removed = sum(REMOVED in mention.source for mention in mentions)
    assert 0.03 < removed / len(mentions) < 0.15


def test_names_are_mostly_found_again(demo_kb: KB, synthetic_documents: list[Document], demo_batches: BatchMaker) -> None:
    """Documents nobody could link would teach nothing."""
    found = TrainingBatch.of(demo_batches.make(synthetic_documents), demo_kb, FeatureContext(demo_kb, None))
    assert found.gold.sum() > 0.7 * len(found.groups)


def candidates_by_mention(batch: Batch, kb: KB) -> list[list[tuple[str, int]]]:
    found: list[list[tuple[str, int]]] = [[] for _ in batch.mentions]
    for i, entity, rank in zip(batch.table.mention_of, batch.table.entity, batch.table.rank, strict=True):
        found[i].append((kb.id_of(int(entity)), int(rank)))
    return found


def test_removed_mentions_lose_their_gold_and_nothing_else(
    demo_kb: KB, synthetic_documents: list[Document], demo_batches: BatchMaker
) -> None:
    whole = demo_batches.make(synthetic_documents)
    batch = without_removed(whole, demo_kb)
    before, after = candidates_by_mention(whole, demo_kb), candidates_by_mention(batch, demo_kb)
    for mention, old, new in zip(whole.mentions, before, after, strict=True):
        gone = set(mention.gold or ()) if REMOVED in mention.source else set()
        assert [each for each, _ in new] == [each for each, _ in old if each not in gone]
        assert [rank for _, rank in new] == list(range(1, len(new) + 1))
    assert np.array_equal(batch.bounds, np.searchsorted(batch.table.mention_of, batch.mention_bounds))
    assert len(batch.table) < len(whole.table)
