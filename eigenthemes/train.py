"""Train the ranker of a KB: from its graph, from corrections, from documents without labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from eigenthemes.core.checks import check_arguments, check_jobs, check_seed
from eigenthemes.core.progress import Progress
from eigenthemes.embeddings.vector_sets import name_of_source
from eigenthemes.embeddings.word_vectors import KeptWordVectors, WordVectors
from eigenthemes.kb.store import KB
from eigenthemes.kb.writer import KBWriter
from eigenthemes.names.name_memory import FILES, GONE, Answer, Memory
from eigenthemes.ranking.ranker import Ranker
from eigenthemes.records import Document


@check_arguments
def train_kb(
    path: str | Path,
    gold: Iterable[Document] | None = None,
    *,
    names: Sequence[tuple[str, str]] = (),
    vectors: str | None = None,
    word_vectors: Any = None,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> KB:
    """Train the ranker of a KB and store it there.

    Parameters
    ----------
    path : str or Path
        Folder of the KB.
    gold : iterable of Document, optional
        Documents whose mentions have gold. They are remembered; from 20 remembered mentions on, the weights are also fitted
        on them, starting from the self-trained ones.
    names : sequence of (str, str)
        Pairs of a name and an entity id, to be remembered, too.
    vectors : str, optional
        Set of vectors to use the ranker with; by default the one made or imported last, if any.
    word_vectors : path or gensim.models.KeyedVectors, optional
        Word vectors to store in the KB, for the methods local-context and global-context.
    seed : int
        Seed of the random numbers.
    jobs : int
        Number of processes.
    progress : Progress, optional
        Receives the steps and their progress.

    Returns
    -------
    KB
        The KB with its new ranker.

    Raises
    ------
    DocumentError
        If no mention has gold, or no gold is in the KB.
    OptionError
        If a name is for an id that the KB lacks.
    """
    check_seed(seed)
    check_jobs(jobs)
    from eigenthemes.selftrain.gold import check_gold, check_names, refit, self_trained
    from eigenthemes.selftrain.training import self_train

    kb = KB.open(path)
    corrections = [] if gold is None else check_gold(gold, kb)  # before minutes of training
    memory = Memory.of(kb).with_documents(corrections).carried_over(kb, kb).with_names(check_names(names, kb))
    kept_words = None if word_vectors is None else KeptWordVectors.make(kb, WordVectors.open(word_vectors))
    ranker = self_trained(kb, vectors, seed=seed) if corrections or names else None
    with KBWriter(kb.path, base=kb) as writer:
        description = add_memory(writer, kb.described, memory)
        if kept_words is not None:
            for file, array in kept_words.files().items():
                writer.add(file, array)
            description["word_vectors"] = {"source": name_of_source(word_vectors)}
        _add_evidence(writer, kb)
        changed = writer.preview(description)
        ranker = ranker or self_train(changed, vectors=vectors, seed=seed, jobs=jobs, progress=progress)
        documents = [_without_gone(document, kb) for document in corrections]
        ranker = refit(changed, ranker, documents, vectors=vectors, progress=progress)
        name = vectors or next(iter(kb.vector_sets), "")
        return writer.commit(description | _with_ranker(description, {name: ranker.to_dict()}))


def _without_gone(document: Document, kb: KB) -> Document:
    """Return a document without the mentions whose entities were in an earlier version of the KB only."""
    said = (
        mention for mention in document.mentions or () if not (mention.source.get(GONE) and not Answer.of(mention).entities(kb))
    )
    return replace(document, mentions=tuple(said))


def adapt_kb(
    path: str | Path,
    documents: Iterable[Document] = (),
    *,
    vectors: str | None = None,
    reset: bool = False,
    into: str | Path | None = None,
    progress: Progress | None = None,
) -> KB:
    """Adapt a KB to a corpus without labels: how its texts write names and, from 100 documents on, its topics.

    vectors  the set of vectors whose ranker is adapted; None for the one made or imported last
    reset    forget what was learned
    into     write the adapted KB to this new folder and leave the KB unchanged; files that stay the same are shared
    """
    from eigenthemes.ranking.ranker import ranker_of
    from eigenthemes.selftrain.adapt import ENOUGH, adapt, has_text, learn_corpus_prior

    kb = KB.open(path)
    ranker = replace(ranker_of(kb, vectors or next(iter(kb.vector_sets), None)), adaptation=None, corpus_prior=None)
    corpus = list(documents)
    learned = ranker
    if not reset and (len(corpus) < ENOUGH or any(map(has_text, corpus))):
        learned = adapt(kb, ranker, corpus, vectors=vectors, progress=progress)
    if len(corpus) >= ENOUGH:
        learned = replace(learned, corpus_prior=learn_corpus_prior(kb, ranker, corpus, vectors=vectors, progress=progress))
    return store_ranker(kb, learned, vectors, into=into)


def forget(path: str | Path, *, names: Sequence[str] = (), documents: Sequence[str] = (), everything: bool = False) -> KB:
    """Forget the corrections of some names, of some documents, or all. Fitted weights do not change."""
    kb = KB.open(path)
    memory = Memory() if everything else Memory.of(kb).without(names=names, document_ids=documents)
    with KBWriter(kb.path, base=kb) as writer:
        return writer.commit(add_memory(writer, kb.described, memory), left_out=set() if memory else set(FILES))


def store_ranker(kb: KB, ranker: Ranker, vectors: str | None = None, *, into: str | Path | None = None) -> KB:
    """Write a ranker into a KB, or into a copy of it in a new folder, in one commit."""
    name = vectors or next(iter(kb.vector_sets), "")
    with KBWriter(kb.path if into is None else into, base=kb) as writer:
        description = kb.described
        if ranker.topic > 0:
            _add_evidence(writer, kb)
        return writer.commit(description | _with_ranker(description, {name: ranker.to_dict()}))


def train_ranker(kb: KB, *, seed: int, jobs: int = 1, progress: Progress | None = None) -> dict[str, Any]:
    """Train a ranker with the vectors that a KB uses; return the manifest's entry for it."""
    from eigenthemes.selftrain.gold import refit
    from eigenthemes.selftrain.training import self_train

    ranker = self_train(kb, seed=seed, jobs=jobs, progress=progress)
    ranker = refit(kb, ranker, progress=progress)
    return {next(iter(kb.vector_sets), ""): ranker.to_dict()}


def add_trained_ranker(
    writer: KBWriter,
    kb: KB,
    description: dict[str, Any],
    *,
    seed: int,
    jobs: int,
    progress: Progress | None,
    left_out: set[str] | None = None,
) -> dict[str, Any]:
    """Train a ranker for a KB that is being written; return the description with it."""
    _add_evidence(writer, kb)
    ranker = train_ranker(writer.preview(description, left_out=left_out), seed=seed, jobs=jobs, progress=progress)
    return description | _with_ranker(description, ranker)


def add_memory(writer: KBWriter, description: dict[str, Any], memory: Memory) -> dict[str, Any]:
    """Write a memory of corrections, if there is one; return the description with its counts."""
    if memory:
        memory.write(writer)
    return {**{key: value for key, value in description.items() if key != "memory"}, **memory.described()}


def _add_evidence(writer: KBWriter, kb: KB) -> None:
    """Write the arrays that the features of a ranker need, unless the KB has them."""
    from eigenthemes.selftrain.cell_training import evidence_of

    files = (part.files().items() for part in evidence_of(kb) if part is not None)
    for name, array in chain.from_iterable(files):
        if not kb.has(name):
            writer.add(name, array)


def _with_ranker(description: dict[str, Any], rankers: dict[str, Any]) -> dict[str, Any]:
    """Return the manifest's entries for rankers: the rankers themselves, and that the KB is expected to have one."""
    expected = [*description.get("expects", []), *(["ranker"] if rankers else [])]
    return {"rankers": {**description.get("rankers", {}), **rankers}, "expects": list(dict.fromkeys(expected))}
