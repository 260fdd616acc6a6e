"""A ranker into a KB: trained on the KG itself and, where somebody has some, on a little gold."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from eigenthemes.kb import KB, KBWriter
from eigenthemes.progress import Progress
from eigenthemes.records import Document
from eigenthemes.selftrain.ranker import Ranker


def train_kb(
    path: str | Path,
    gold: Iterable[Document] | None = None,
    *,
    vectors: str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> KB:
    """Train the ranker of a KB and keep it there.

    gold     documents whose mentions have gold: the weights are fitted on them, too, starting from the self-trained ones
    vectors  the set of vectors it is to be used with; None: the one made or imported last, if there is any
    """
    from eigenthemes.selftrain.gold import gold_train
    from eigenthemes.selftrain.train import self_train

    kb = KB.open(path)
    ranker = self_train(kb, vectors=vectors, seed=seed, progress=progress)
    if gold is not None:
        ranker = gold_train(kb, ranker, gold, vectors=vectors, progress=progress)
    return store_ranker(kb, ranker, vectors)


def store_ranker(kb: KB, ranker: Ranker, vectors: str | None = None) -> KB:
    """Write a ranker into a KB; the manifest is replaced last, and nothing else changes."""
    name = vectors or next(iter(kb.vector_sets), "")
    with KBWriter(kb.path, base=kb) as writer:
        return writer.commit({**kb.described, "rankers": {**kb.rankers, name: ranker.to_dict()}})
