"""From source files to a KB folder: the offline story."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from eigenthemes.assemble import (
    Content,
    _check_buildable,
    _description,
    _descriptions,
    _name_by_id,
    _options,
    _read_ids,
    _redirect_targets,
    _types,
    _write,
    choose_universe,
    collect_names,
    order_nodes,
    resolve_redirects,
)
from eigenthemes.candidates.name_index import build_name_index
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.core.workers import Workers
from eigenthemes.embeddings.vector_sets import (
    VectorSet,
    _check_name,
    add_vectors,
    check_embedding,
    complete,
    describe,
    make_vectors,
    place_vectors,
)
from eigenthemes.embeddings.word_context import WordContext
from eigenthemes.embeddings.word_vectors import WordVectors
from eigenthemes.errors import OptionError, VectorError
from eigenthemes.kb.store import KB
from eigenthemes.kb.writer import KBWriter, check_place
from eigenthemes.kg import read_sources
from eigenthemes.kg.options import ReadOptions
from eigenthemes.ranking.ranker import Ranker
from eigenthemes.records import Document


def build_kb(
    sources: Sequence[str | Path],
    out: str | Path,
    *,
    options: ReadOptions | None = None,
    format_name: str | None = None,
    keep: str | Path | None = None,
    names_from_ids: bool = False,
    embedding: str | None = "prone",
    dimensions: int | None = None,
    train: bool = True,
    word_vectors: Any = None,
    seed: int = 0,
    force: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
) -> KB:
    """Build a KB from the files of a knowledge graph.

    embedding  how vectors are made from its edges; None: not at all
    train      train its ranker, on documents made up from it; with word_vectors the words around a name count, see `train_kb`
    """
    options, progress = options or ReadOptions(), progress or Silent()
    check_place(Path(out), force=force)
    check_embedding(embedding, dimensions)
    if word_vectors is not None:
        if not train:
            raise OptionError("word vectors are for the ranker, and it is not to be trained; leave one of the two options out")
        WordVectors.open(word_vectors)  # whatever is wrong with them is said before hours of reading
    wanted = None if keep is None else _read_ids(keep)
    with Workers(jobs) as workers:
        statements, described = read_sources(sources, options, format_name=format_name, workers=workers, progress=progress)
        if names_from_ids:
            _name_by_id(statements)
        _check_buildable(statements, options)
        redirects = resolve_redirects(statements)
        universe = choose_universe(statements, redirects, wanted)
        nodes = order_nodes(statements, universe, redirects)
        names = collect_names(statements, nodes)
        index = build_name_index(names.texts, names.entity, names.is_label, len(nodes), workers=workers, progress=progress)
    content = Content(
        nodes, names, index, _descriptions(statements, nodes), *_types(statements, nodes), _redirect_targets(redirects, nodes)
    )
    vectors = None
    if embedding is not None and nodes.graph.edges:
        vectors = make_vectors(nodes.graph, method=embedding, dimensions=dimensions, seed=seed, jobs=jobs, progress=progress)
    with progress.step("writing", total=None, unit="files"), KBWriter(out, force=force) as writer:
        _write(writer, statements, content)
        given = _options(options, keep, names_from_ids)
        about = _description(statements, content, described, given)
        kb = writer.commit(about if vectors is None else {**about, "vectors": add_vectors(writer, vectors)})
    return _trained(kb, word_vectors, seed, progress) if train else kb


def _trained(kb: KB, word_vectors: Any, seed: int, progress: Progress) -> KB:
    try:
        return train_kb(kb.path, word_vectors=word_vectors, seed=seed, progress=progress)
    except KeyboardInterrupt:
        told = f"interrupted; {kb.path} is built, but its ranker is not trained: eigenthemes train {kb.path}"
        raise KeyboardInterrupt(told) from None


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

    method        one of METHODS; what else it can be told (walks, window, ...) is in `own`
    word_vectors  a file of word vectors or gensim's KeyedVectors, for `descriptions` and for `inductive`
    inductive     entities left without a vector get one from their neighbours, or from their descriptions
    train         train a ranker with them
    """
    kb = KB.open(path)
    if method == "descriptions":
        made = describe(kb, word_vectors, name=name)
    else:
        made = make_vectors(
            kb.graph, method=method, dimensions=dimensions, seed=seed, name=name, jobs=jobs, progress=progress, **own
        )
    made = complete(kb, made, word_vectors) if inductive else made
    return store(kb, made, train=train, seed=seed, progress=progress)


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
    from eigenthemes.embeddings.imported import read_vectors

    kb = KB.open(path)
    _check_name(name)
    external, vectors = read_vectors(file, ids=ids, format_name=format_name)
    rows, lengths, matched = place_vectors(external, vectors, kb)
    if not matched:
        raise VectorError(
            f"none of the {len(external):,} ids of {file} is in the KB (they are like {external[0]}, the KB's are like "
            f"{kb.id(0)}); give vectors with the KB's ids"
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
    kb = KB.open(path)
    old = kb.vectors(vectors)
    made = VectorSet(_check_name(name or old.name), old.rows, kb.vector_sets[old.name])
    return store(kb, complete(kb, made, word_vectors), train=train, seed=seed, progress=progress)


def store(kb: KB, vectors: VectorSet, *, train: bool = True, seed: int = 0, progress: Progress | None = None) -> KB:
    """Write a set of vectors into a KB, new files beside the old ones, the manifest last; then train its ranker with them."""
    with KBWriter(kb.path, base=kb) as writer:
        others = {name: described for name, described in kb.vector_sets.items() if name != vectors.name}
        rankers = {name: ranker for name, ranker in kb.rankers.items() if name not in ("", vectors.name)}
        sets = {**add_vectors(writer, vectors), **others}
        outdated = {f"vectors-{vectors.name}-lengths"} if vectors.lengths is None else set()
        changed = writer.commit({**kb.described, "vectors": sets, "rankers": rankers}, left_out=outdated)
    return train_kb(changed.path, seed=seed, progress=progress) if train else changed


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
