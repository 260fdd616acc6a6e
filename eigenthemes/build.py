"""From source files to a KB folder: the offline story."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from eigenthemes.assembly.assemble import assemble
from eigenthemes.assembly.checks import check_buildable, name_by_id, read_ids
from eigenthemes.assembly.content import describe_kb, options_in_manifest, write_content
from eigenthemes.core.checks import check_jobs, check_seed
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.core.scratch import Scratch
from eigenthemes.core.spill import scratch_for
from eigenthemes.core.workers import Workers
from eigenthemes.embeddings.vector_sets import (
    VectorSet,
    add_vectors,
    align_vectors,
    check_embedding,
    check_name,
    complete,
    description_vector_set,
    make_vectors,
    name_of_source,
)
from eigenthemes.embeddings.word_context import WordContext
from eigenthemes.embeddings.word_vectors import WordVectors
from eigenthemes.errors import EigenthemesError, OptionError, VectorError
from eigenthemes.kb.name_memory import FILES, Memory
from eigenthemes.kb.store import KB
from eigenthemes.kb.writer import KBWriter, check_writable
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.read import read_sources
from eigenthemes.kg.statements import Statements
from eigenthemes.ranking.ranker import Ranker
from eigenthemes.records import Document


def build_kb(
    sources: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    options: ReadOptions | None = None,
    format_name: str | None = None,
    keep: str | Path | None = None,
    names_from_ids: bool = False,
    only_types: Sequence[str] = (),
    not_types: Sequence[str] = (),
    embedding: str | None = "prone",
    dimensions: int | None = None,
    train: bool = True,
    word_vectors: Any = None,
    names: Sequence[tuple[str, str]] = (),
    seed: int = 0,
    force: bool = False,
    jobs: int = 1,
    max_memory: str | int | None = None,
    temporary: str | Path | None = None,
    progress: Progress | None = None,
) -> KB:
    """Build a KB from the files of a knowledge graph.

    Parameters
    ----------
    only_types
        Only entities of one of these types are answers, all others connect; by id, its last part, or label.
    not_types
        Entities of these types connect and are no answers; "none": concept schemes, collections, categories are, too.
    embedding
        How vectors are made from its edges; None: not at all.
    train
        Train its ranker, on documents made up from it; with word_vectors the words around a name count, see `train_kb`.
    max_memory
        Bytes, or 4G, 500M: what does not fit is kept in temporary files; the same KB. Mapped files do not count.
    temporary
        The folder for these; None: the one the KB is in.
    names
        Pairs of a name and the id of an entity: names that people know, and the sources lack.
    force
        Replace the KB that is there; corrections that it remembers are kept.
    """
    sources = [sources] if isinstance(sources, str | Path) else sources
    options, progress = options or ReadOptions(), progress or Silent()
    check_writable(Path(out), force=force)
    check_embedding(embedding, dimensions)
    check_seed(seed)
    check_jobs(jobs)
    _check_word_vectors(word_vectors, train=train)
    wanted = None if keep is None else read_ids(keep)
    told = options_in_manifest(
        options,
        format=format_name,
        keep=None if keep is None else Path(keep).name,
        names_from_ids=names_from_ids,
        only_type=list(only_types),
        not_type=list(not_types),
        embedding=embedding,
        dimensions=dimensions,
        train=train,
        word_vectors=None if word_vectors is None else name_of_source(word_vectors),
        seed=seed,
    )
    with scratch_for(Path(out), max_memory, temporary, jobs) as scratch:
        with Workers(jobs) as workers:
            statements, described = _read(
                sources, options, format_name, workers, progress, scratch, names_from_ids=names_from_ids
            )
            content = assemble(statements, wanted, (only_types, not_types), workers, progress)
        graph, vectors = content.nodes.graph, None
        if embedding is not None and graph.edges:
            size: dict[str, Any] = {"dimensions": dimensions, "seed": seed, "jobs": jobs}
            vectors = make_vectors(graph, method=embedding, progress=progress, scratch=scratch, **size)
        with KBWriter(out, force=force) as writer:
            with progress.step("writing", total=None, unit="files"):
                write_content(writer, statements, content)
                description = describe_kb(statements, content, described, told)
                del statements, content, graph  # training needs the room
                if vectors is not None:
                    description["vectors"] = add_vectors(writer, vectors)
            description = _remember(writer, description, names)
            if word_vectors is not None:
                description = _add_words(writer, description, word_vectors)
            if train:
                description = _add_trained(
                    writer, writer.preview(description), description, seed=seed, jobs=jobs, progress=progress
                )
            return writer.commit(description)


def _read(
    sources: Sequence[str | Path],
    options: ReadOptions,
    format_name: str | None,
    workers: Workers,
    progress: Progress,
    scratch: Scratch,
    *,
    names_from_ids: bool,
) -> tuple[Statements, list[dict[str, Any]]]:
    """Read what sources state, and what the manifest says of them; refuse what no KB can be built from."""
    statements, described = read_sources(
        sources, options, format_name=format_name, workers=workers, progress=progress, scratch=scratch
    )
    if names_from_ids:
        name_by_id(statements)
    check_buildable(statements, options)
    return statements, described


def _check_word_vectors(word_vectors: Any, *, train: bool) -> None:
    """Say whatever is wrong with them before hours of reading."""
    if word_vectors is not None:
        if not train:
            raise OptionError("word vectors are for the ranker, and it is not to be trained; leave one of the two options out")
        WordVectors.open(word_vectors)


def embed_kb(
    path: str | Path,
    *,
    method: str = "prone",
    dimensions: int | None = None,
    seed: int = 0,
    name: str | None = None,
    word_vectors: Any = None,
    inductive: bool = False,
    train: bool = True,
    jobs: int = 1,
    progress: Progress | None = None,
    **own: Any,
) -> KB:
    """Make vectors for a KB and keep them in it; they become the ones used unless others are asked for.

    Parameters
    ----------
    method
        One of METHODS; what else it can be told (walks, window, ...) is in `own`.
    word_vectors
        A file of word vectors or gensim's KeyedVectors, for `descriptions` and for `inductive`.
    inductive
        Entities left without a vector get one from their neighbours, or from their descriptions.
    train
        Train a ranker with them.
    """
    check_seed(seed)
    kb = KB.open(path)
    if method == "descriptions":
        made = description_vector_set(kb, word_vectors, name=name)
    else:
        made = make_vectors(
            kb.graph, method=method, dimensions=dimensions, seed=seed, name=name, jobs=jobs, progress=progress, **own
        )
    made = complete(kb, made, word_vectors) if inductive else made
    return store(kb, made, train=train, seed=seed, jobs=jobs, progress=progress)


def import_vectors(
    path: str | Path,
    file: str | Path,
    *,
    ids: str | Path | None = None,
    format_name: str | None = None,
    name: str = "imported",
    word_vectors: Any = None,
    inductive: bool = False,
    train: bool = True,
    seed: int = 0,
    progress: Progress | None = None,
) -> KB:
    """Keep vectors somebody already has in a KB; they become the ones used unless others are asked for."""
    check_seed(seed)
    from eigenthemes.embeddings.imported import read_vectors

    kb = KB.open(path)
    check_name(name)
    external, vectors = read_vectors(file, ids=ids, format_name=format_name)
    rows, lengths, matched = align_vectors(external, vectors, kb)
    if not matched:
        raise VectorError(
            f"none of the {len(external):,} ids of {file} is in the KB (they are like {external[0]}, the KB's are like "
            f"{kb.id_of(0)}); give vectors with the KB's ids",
            where=str(file),
        )
    described = {"method": "import", "source": Path(file).name, "rows": len(external), "matched": matched}
    made = VectorSet(name, rows, described, lengths)
    made = complete(kb, made, word_vectors) if inductive else made
    return store(kb, made, train=train, seed=seed, progress=progress)


def complete_vectors(
    path: str | Path,
    *,
    vectors: str | None = None,
    name: str | None = None,
    word_vectors: Any = None,
    train: bool = True,
    seed: int = 0,
    progress: Progress | None = None,
) -> KB:
    """Give vectors to entities that came after a set of vectors was made; the rows that are there stay as they are."""
    check_seed(seed)
    kb = KB.open(path)
    old = kb.vectors(vectors)
    made = VectorSet(check_name(name or old.name), old.rows, kb.vector_sets[old.name])
    return store(kb, complete(kb, made, word_vectors), train=train, seed=seed, progress=progress)


def store(
    kb: KB, vectors: VectorSet, *, train: bool = True, seed: int = 0, jobs: int = 1, progress: Progress | None = None
) -> KB:
    """Write a set of vectors into a KB, and a ranker trained with them, in one commit."""
    others = {name: described for name, described in kb.vector_sets.items() if name != vectors.name}
    rankers = {name: ranker for name, ranker in kb.rankers.items() if name not in ("", vectors.name)}
    outdated = {f"vectors-{vectors.name}-lengths"} if vectors.lengths is None else set()
    with KBWriter(kb.path, base=kb) as writer:
        description = {**kb.described, "vectors": {**add_vectors(writer, vectors), **others}, "rankers": rankers}
        if train:
            description = _add_trained(writer, kb, description, seed=seed, jobs=jobs, progress=progress, left_out=outdated)
        return writer.commit(description, left_out=outdated)


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
    """Train the ranker of a KB and keep it there.

    Parameters
    ----------
    gold
        Documents whose mentions have gold: what they say is remembered, and from 20 mentions on, in all, the weights are fitted
        on what is remembered, too, starting from the self-trained ones.
    names
        Pairs of a name and the id of an entity, to be remembered, too.
    vectors
        The set of vectors it is to be used with; None: the one made or imported last, if there is any.
    word_vectors
        A file of word vectors or gensim's KeyedVectors: they are kept in the KB, and the words around a name count; None: those
        the KB holds, if it does.
    """
    check_seed(seed)
    check_jobs(jobs)
    from eigenthemes.selftrain.gold import check_gold, check_names, refit, self_trained
    from eigenthemes.selftrain.training import self_train

    kb = KB.open(path)
    said = [] if gold is None else check_gold(gold, kb)  # before minutes of training
    memory = Memory.of(kb).with_documents(said).with_names(check_names(names, kb))
    new_context = None if word_vectors is None else WordContext.make(kb, WordVectors.open(word_vectors))
    context = new_context or WordContext.of(kb)
    ranker = self_trained(kb, vectors, seed=seed) if (said or names) and new_context is None else None
    with KBWriter(kb.path, base=kb) as writer:
        description = _add_memory(writer, kb.described, memory)
        if new_context is not None:
            new_context.write(writer)
            description["word_vectors"] = {"source": name_of_source(word_vectors)}
        _add_evidence(writer, kb)
        changed = writer.preview(description)
        ranker = ranker or self_train(changed, vectors=vectors, context=context, seed=seed, jobs=jobs, progress=progress)
        ranker = refit(changed, ranker, said, vectors=vectors, context=context, progress=progress)
        name = vectors or next(iter(kb.vector_sets), "")
        return writer.commit(description | _add_ranker(description, {name: ranker.to_dict()}))


def adapt_kb(
    path: str | Path,
    documents: Iterable[Document] = (),
    *,
    vectors: str | None = None,
    reset: bool = False,
    into: str | Path | None = None,
    progress: Progress | None = None,
) -> KB:
    """Learn from a pile of documents without labels how names are written there and what it is about; keep it in the KB.

    How names are written, texts tell; what the pile is about, 100 documents or more, with mentions or without.

    vectors  the set of vectors whose ranker is adapted; None: the one made or imported last
    reset    forget what was learned
    into     write the adapted KB here, a new place, and leave the KB itself as it is; the files that stay the same are shared
    """
    from eigenthemes.ranking.ranker import ranker_of
    from eigenthemes.selftrain.adapt import ENOUGH, adapt, has_text, learn_corpus_prior

    kb = KB.open(path)
    ranker = replace(ranker_of(kb, vectors or next(iter(kb.vector_sets), None)), adaptation=None, corpus_prior=None)
    pile = list(documents)
    learned = ranker
    if not reset and (len(pile) < ENOUGH or any(map(has_text, pile))):
        learned = adapt(kb, ranker, pile, vectors=vectors, progress=progress)
    if len(pile) >= ENOUGH:
        learned = replace(learned, corpus_prior=learn_corpus_prior(kb, ranker, pile, vectors=vectors, progress=progress))
    return store_ranker(kb, learned, vectors, into=into)


def forget(path: str | Path, *, names: Sequence[str] = (), documents: Sequence[str] = (), everything: bool = False) -> KB:
    """Forget corrections: what was said of some names, what some documents said, or all. Fitted weights stay as they are."""
    kb = KB.open(path)
    memory = Memory() if everything else Memory.of(kb).without(names=names, document_ids=documents)
    with KBWriter(kb.path, base=kb) as writer:
        return writer.commit(_add_memory(writer, kb.described, memory), left_out=set() if memory else set(FILES))


def store_ranker(kb: KB, ranker: Ranker, vectors: str | None = None, *, into: str | Path | None = None) -> KB:
    """Write a ranker into a KB, or into a copy of it at a new place, in one commit."""
    name = vectors or next(iter(kb.vector_sets), "")
    with KBWriter(kb.path if into is None else into, base=kb) as writer:
        description = kb.described
        if ranker.topic > 0:
            _add_evidence(writer, kb)
        return writer.commit(description | _add_ranker(description, {name: ranker.to_dict()}))


def train_ranker(kb: KB, *, seed: int, jobs: int = 1, progress: Progress | None = None) -> dict[str, Any]:
    """Train a ranker with the vectors and word vectors that a KB uses; return the manifest's entry for it."""
    from eigenthemes.selftrain.gold import refit
    from eigenthemes.selftrain.training import self_train

    context = WordContext.of(kb)
    ranker = self_train(kb, context=context, seed=seed, jobs=jobs, progress=progress)
    ranker = refit(kb, ranker, context=context, progress=progress)
    return {next(iter(kb.vector_sets), ""): ranker.to_dict()}


def _add_trained(
    writer: KBWriter,
    kb: KB,
    description: dict[str, Any],
    *,
    seed: int,
    jobs: int,
    progress: Progress | None,
    left_out: set[str] | None = None,
) -> dict[str, Any]:
    """Write what a ranker is trained with, unless the KB has it, and train one; return the description with it."""
    _add_evidence(writer, kb)
    ranker = train_ranker(writer.preview(description, left_out=left_out), seed=seed, jobs=jobs, progress=progress)
    return description | _add_ranker(description, ranker)


def _add_words(writer: KBWriter, description: dict[str, Any], word_vectors: Any) -> dict[str, Any]:
    """Write word vectors; return the description with what the manifest says of them."""
    WordContext.make(writer.preview(description), WordVectors.open(word_vectors)).write(writer)
    return {**description, "word_vectors": {"source": name_of_source(word_vectors)}}


def _remember(writer: KBWriter, description: dict[str, Any], names: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Write the memory of the KB that is to be replaced, with some more names; return the description with it."""
    from eigenthemes.selftrain.gold import check_names

    memory = _memory_there(writer.path).with_names(check_names(names, writer.preview(description)))
    return _add_memory(writer, description, memory)


def _add_memory(writer: KBWriter, description: dict[str, Any], memory: Memory) -> dict[str, Any]:
    """Write a memory, if there is one; return the description with what the manifest says of it."""
    if memory:
        memory.write(writer)
    return {**{key: value for key, value in description.items() if key != "memory"}, **memory.described()}


def _memory_there(path: Path) -> Memory:
    """Return the memory of the KB that is to be replaced: corrections outlive it."""
    try:
        return Memory.of(KB.open(path))
    except EigenthemesError:  # there is none, or it is damaged
        return Memory()


def _add_evidence(writer: KBWriter, kb: KB) -> None:
    """Write what the features of a ranker are computed from, unless the KB has it."""
    from eigenthemes.selftrain.evidence import Evidence

    for name, array in Evidence.of(kb).files().items():
        if not kb.has(name):
            writer.add(name, array)


def _add_ranker(description: dict[str, Any], rankers: dict[str, Any]) -> dict[str, Any]:
    """Return what the manifest says where a ranker was trained: the ranker, and that the KB is meant to have one."""
    expected = [*description.get("expects", []), *(["ranker"] if rankers else [])]
    return {"rankers": {**description.get("rankers", {}), **rankers}, "expects": list(dict.fromkeys(expected))}
