"""A ranker into a KB: trained on the KG itself and, where somebody has some, on a little gold."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from eigenthemes.context import WordContext
from eigenthemes.embeddings.descriptions import WordVectors
from eigenthemes.kb import KB, KBWriter
from eigenthemes.progress import Progress
from eigenthemes.records import Document
from eigenthemes.selftrain.ranker import Ranker


def train_kb(
    path: str | Path,
    gold: Iterable[Document] | None = None,
    *,
    vectors: str | None = None,
    word_vectors: Any = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> KB:
    """Train the ranker of a KB and keep it there.

    gold          documents whose mentions have gold: the weights are fitted on them, too, starting from the self-trained ones
    vectors       the set of vectors it is to be used with; None: the one made or imported last, if there is any
    word_vectors  a file of word vectors or gensim's KeyedVectors: they are kept in the KB, and the words around a name count;
                  None: those the KB holds, if it does
    """
    from eigenthemes.selftrain.gold import gold_train, labelled
    from eigenthemes.selftrain.train import self_train

    kb = KB.open(path)
    given = None if gold is None else labelled(gold, kb)  # before minutes of training
    brought = None if word_vectors is None else WordContext.make(kb, WordVectors.open(word_vectors))
    context = brought or WordContext.of(kb)
    ranker = self_train(kb, vectors=vectors, context=context, seed=seed, progress=progress)
    if given is not None:
        ranker = gold_train(kb, ranker, given, vectors=vectors, context=context, progress=progress)
    return store_ranker(kb, ranker, vectors, context=brought)


def store_ranker(kb: KB, ranker: Ranker, vectors: str | None = None, *, context: WordContext | None = None) -> KB:
    """Write a ranker into a KB, and word vectors it was trained with; the manifest is replaced last."""
    name = vectors or next(iter(kb.vector_sets), "")
    with KBWriter(kb.path, base=kb) as writer:
        if context is not None:
            context.write(writer)
        return writer.commit({**kb.described, "rankers": {**kb.rankers, name: ranker.to_dict()}})
