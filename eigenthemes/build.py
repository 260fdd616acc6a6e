"""Build a KB from source files, and make or import its vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eigenthemes.assembly.content import assemble, describe_kb, options_in_manifest, write_content
from eigenthemes.assembly.entity_names import name_by_id
from eigenthemes.assembly.nodes import check_buildable, read_ids
from eigenthemes.core.checks import check_arguments, check_jobs, check_seed
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.core.scratch import scratch_for
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
from eigenthemes.embeddings.word_vectors import KeptWordVectors, WordVectors
from eigenthemes.errors import EigenthemesError, KBNotFoundError, VectorError
from eigenthemes.kb.store import KB
from eigenthemes.kb.writer import KBWriter, check_writable
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.read import read_sources
from eigenthemes.kg.tabular import read_pairs
from eigenthemes.names.lexicon import DerivedName, read_lexicon
from eigenthemes.names.name_memory import Memory
from eigenthemes.train import add_memory, add_trained_ranker


@check_arguments
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
    lexicon: str | Path | None = None,
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
    sources : path or sequence of paths
        Files of the knowledge graph; ``"-"`` for standard input.
    out : str or Path
        Folder of the new KB.
    options : ReadOptions, optional
        How to read the files.
    format_name : str, optional
        Format of the files; by default it is detected.
    keep : str or Path, optional
        Text file of ids, one per line; nothing else becomes part of the KB.
    names_from_ids : bool
        Name entities without a name by the last part of their id.
    only_types : sequence of str
        Only entities of these types are linkable; all others only connect. A type is given by id, its last part, or label.
    not_types : sequence of str
        Entities of these types are not linkable. With ``"none"``, concept schemes, collections and categories are linkable.
    embedding : str or None
        Method that makes vectors from the edges; None for no vectors.
    dimensions : int, optional
        Dimensions of the vectors.
    train : bool
        Train the ranker, on synthetic documents.
    word_vectors : path or gensim.models.KeyedVectors, optional
        Word vectors to store in the KB, for the methods local-context and global-context.
    names : sequence of (str, str)
        Pairs of a name and an entity id: names that the sources lack.
    lexicon : str or Path, optional
        File of forms and the names of their entities ("Hoosiers", "Indiana"), besides the demonyms and species words that the
        package knows; ``"none"``: not even these.
    seed : int
        Seed of the random numbers; the same seed gives the same bytes.
    force : bool
        Replace an existing KB; the corrections that it remembers are kept.
    jobs : int
        Number of processes.
    max_memory : str or int, optional
        Limit in bytes, or like ``"4G"``; the rest is kept in temporary files. The KB is the same. Mapped files do not count.
    temporary : str or Path, optional
        Folder of the temporary files; by default the one of the KB.
    progress : Progress, optional
        Receives the steps and their progress.

    Returns
    -------
    KB
        The new KB, open.

    Raises
    ------
    SourceError
        If a file cannot be read.
    BuildError
        If the files contain no named entity.
    KBExistsError
        If there is a KB already and `force` is False.
    """
    sources = [sources] if isinstance(sources, str | Path) else sources
    options, progress = options or ReadOptions(), progress or Silent()
    check_writable(Path(out), force=force)
    check_embedding(embedding, dimensions)
    check_seed(seed)
    check_jobs(jobs)
    if word_vectors is not None:
        WordVectors.open(word_vectors)  # raises its errors before hours of reading
    kept_ids, derived = None if keep is None else read_ids(keep), _lexicon(lexicon)
    all_options = options_in_manifest(
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
        lexicon=None if lexicon is None else Path(lexicon).name,
        seed=seed,
    )
    with scratch_for(Path(out), max_memory, temporary, jobs) as scratch:
        with Workers(jobs) as workers:
            statements, described = read_sources(
                sources, options, format_name=format_name, workers=workers, progress=progress, scratch=scratch
            )
            if names_from_ids:
                name_by_id(statements)
            check_buildable(statements, options)
            content = assemble(statements, kept_ids, (only_types, not_types), derived, workers, progress)
        graph, vectors = content.nodes.graph, None
        if embedding is not None and graph.edges:
            size: dict[str, Any] = {"dimensions": dimensions, "seed": seed, "jobs": jobs}
            vectors = make_vectors(graph, method=embedding, progress=progress, scratch=scratch, **size)
        with KBWriter(out, force=force) as writer:
            with progress.step("writing", total=None, unit="files"):
                write_content(writer, statements, content)
                description = describe_kb(statements, content, described, all_options)
                del statements, content, graph  # training needs the memory
                if vectors is not None:
                    description["vectors"] = add_vectors(writer, vectors)
            description = _add_old_memory(writer, description, names)
            if word_vectors is not None:
                made = KeptWordVectors.make(writer.preview(description), WordVectors.open(word_vectors))
                for name, array in made.files().items():
                    writer.add(name, array)
                description["word_vectors"] = {"source": name_of_source(word_vectors)}
            if train:
                description = add_trained_ranker(
                    writer, writer.preview(description), description, seed=seed, jobs=jobs, progress=progress
                )
            return writer.commit(description)


def _lexicon(lexicon: str | Path | None) -> list[DerivedName]:
    """Return the derived names of the user, then those of the package."""
    if lexicon == "none":
        return []
    own = () if lexicon is None else read_pairs(lexicon, "form", "name")
    return [*(DerivedName(form, "", (name,)) for form, name in own), *read_lexicon()]


def _add_old_memory(writer: KBWriter, description: dict[str, Any], names: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Write the memory of the KB that is replaced, with further names; return the description with it."""
    from eigenthemes.selftrain.gold import check_names

    new, memory, notes = writer.preview(description), Memory(), list[str]()
    try:
        old = KB.open(writer.path)
        memory = Memory.of(old).carried_over(old, new)
    except KBNotFoundError:
        pass
    except EigenthemesError as error:
        notes = [f"corrections that the old KB may have had are lost ({error})"]
    memory = memory.with_names(check_names(names, new))
    if gone := memory.described().get("memory", {}).get("gone"):
        notes = [f"{gone:,} corrections are to entities that the new KG lacks; they are kept, and have no effect"]
    return add_memory(writer, {**description, "notes": [*description["notes"], *notes]}, memory)


@check_arguments
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
    """Make vectors for a KB and store them there; they become the default vectors.

    Parameters
    ----------
    path : str or Path
        Folder of the KB.
    method : str
        One of prone, deepwalk, netsmf, descriptions.
    dimensions : int, optional
        Dimensions of the vectors.
    seed : int
        Seed of the random numbers.
    name : str, optional
        Name of the set of vectors; by default the method.
    word_vectors : path or gensim.models.KeyedVectors, optional
        Word vectors, for the method descriptions and for `inductive`.
    inductive : bool
        Give entities without a vector one from their neighbours, or from their descriptions.
    train : bool
        Train a ranker with the vectors.
    jobs : int
        Number of processes.
    progress : Progress, optional
        Receives the steps and their progress.
    **own
        Options of the method, such as ``walks`` or ``window``.

    Returns
    -------
    KB
        The KB with the new vectors.

    Raises
    ------
    VectorError
        If no vectors can be made.
    OptionError
        If the method or one of its options is unknown.
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


@check_arguments
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
    """Store vectors from a file in a KB; they become the default vectors.

    Parameters
    ----------
    path : str or Path
        Folder of the KB.
    file : str or Path
        Vectors in the text or binary format of word2vec, as ``.npy``, ``.npz`` or Parquet.
    ids : str or Path, optional
        Text file with the id of each row, for files that only have vectors.
    format_name : str, optional
        Format of the file; by default it is detected.
    name : str
        Name of the set of vectors.
    word_vectors : path or gensim.models.KeyedVectors, optional
        Word vectors, for `inductive`.
    inductive : bool
        Give entities without a vector one from their neighbours, or from their descriptions.
    train : bool
        Train a ranker with the vectors.
    seed : int
        Seed of the random numbers.
    progress : Progress, optional
        Receives the steps and their progress.

    Returns
    -------
    KB
        The KB with the new vectors.

    Raises
    ------
    VectorError
        If the file cannot be read or has no id of the KB.
    """
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


@check_arguments
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
    """Give vectors to entities that a set of vectors lacks; the other vectors stay unchanged.

    Parameters
    ----------
    path : str or Path
        Folder of the KB.
    vectors : str, optional
        Set of vectors to complete; by default the one made or imported last.
    name : str, optional
        Name of the completed set; by default it replaces the old one.
    word_vectors : path or gensim.models.KeyedVectors, optional
        Word vectors, for entities without neighbours but with a description.
    train : bool
        Train a ranker with the vectors.
    seed : int
        Seed of the random numbers.
    progress : Progress, optional
        Receives the steps and their progress.

    Returns
    -------
    KB
        The KB with the completed vectors.

    Raises
    ------
    VectorError
        If the KB has no such set of vectors.
    """
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
            description = add_trained_ranker(
                writer, kb, description, seed=seed, jobs=jobs, progress=progress, left_out=outdated
            )
        return writer.commit(description, left_out=outdated)
