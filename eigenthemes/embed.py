"""Vectors into a KB: made from its graph or its descriptions, or brought by the user; completed for entities without one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.errors import OptionError, VectorError
from eigenthemes.graph import Graph
from eigenthemes.kb import KB, KBWriter
from eigenthemes.progress import Progress
from eigenthemes.train import train_kb

# Functions `graph, *, dimensions, seed, jobs, progress, ... -> [n, d]` of the modules of these names in `embeddings`; what else
# each can be told is in its own signature.
GRAPH_METHODS = ("prone", "deepwalk", "netsmf", "louvainne")
METHODS = (*GRAPH_METHODS, "descriptions")
DIMENSIONS = 128  # unless told otherwise, and a fifth of the nodes at most: more would tell every node of a small graph apart

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class VectorSet:
    """Vectors ready for a KB, and how they came about."""

    name: str
    rows: NDArray[np.float32]  # [entities, d], of unit length; zero: no vector
    described: dict[str, Any]
    lengths: NDArray[np.float32] | None = None  # [entities], before they were of unit length, where that is known

    @property
    def has(self) -> NDArray[np.bool_]:
        return np.asarray(self.rows.any(axis=1))


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


def make_vectors(
    graph: Graph,
    *,
    method: str = "prone",
    dimensions: int | None = None,
    seed: int = 0,
    name: str | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
    **own: Any,
) -> VectorSet:
    """Vectors from a graph by one of GRAPH_METHODS."""
    check_embedding(method, dimensions)
    _check_name(name or method)
    if not graph.edges:
        raise VectorError("the graph has no edges, so no vectors can be made from it; import vectors with embed --import")
    make = getattr(import_module(f"eigenthemes.embeddings.{method}"), method)
    size = dimensions or min(DIMENSIONS, max(2, len(graph) // 5))
    try:
        rows = make(graph, dimensions=size, seed=seed, jobs=jobs, progress=progress, **own)
    except TypeError as error:
        unknown = re.search(r"unexpected keyword argument '(\w+)'", str(error))
        if unknown is None:
            raise
        raise OptionError(f"{method} has no option {unknown[1]}; leave it out, or choose another method") from None
    rows, lengths = _unit(rows) if own.get("unit_length") is False else (rows, None)
    return VectorSet(name or method, rows, {"method": method, "seed": seed, **own}, lengths)


def describe(kb: KB, word_vectors: Any, *, name: str | None = None) -> VectorSet:
    """The average of the word vectors of each entity's description."""
    from eigenthemes.embeddings.descriptions import WordVectors, description_vectors

    if word_vectors is None:
        raise OptionError("vectors from descriptions need word vectors; give a file of them with --word-vectors")
    rows, coverage = description_vectors(kb, WordVectors.open(word_vectors))
    about = {
        "method": "descriptions",
        "source": _source(word_vectors),
        "described": coverage.described,
        "words_known": round(coverage.share, 4),
    }
    return VectorSet(_check_name(name or "descriptions"), rows, about)


def complete(kb: KB, made: VectorSet, word_vectors: Any = None) -> VectorSet:
    """Vectors for entities without one: from their neighbours, then, with word vectors, from their descriptions."""
    from eigenthemes.embeddings.inductive import from_descriptions, from_neighbors

    before = int(made.has.sum())
    rows, has = from_neighbors(kb.graph, made.rows, made.has)
    about = {"from_neighbors": int(has.sum()) - before}
    if word_vectors is not None:
        between = int(has.sum())
        rows, has = from_descriptions(describe(kb, word_vectors).rows, rows, has)
        about["from_descriptions"] = int(has.sum()) - between
    return replace(made, rows=rows, described={**made.described, **about})


def check_embedding(method: str | None, dimensions: int | None) -> None:
    """Can vectors be made so from a graph? Asked before hours of reading."""
    if method == "descriptions":
        raise OptionError(
            "vectors from descriptions are made with: eigenthemes embed KB --method descriptions --word-vectors FILE"
        )
    if method is not None and method not in GRAPH_METHODS:
        raise OptionError(f"embedding {method!r} is unknown; expected one of {', '.join(METHODS)}, or none")
    if dimensions is not None and dimensions < 1:
        raise OptionError(f"dimensions is {dimensions}; expected 1 or more")


def place_vectors(
    ids: Sequence[str], vectors: NDArray[np.float32], kb: KB
) -> tuple[NDArray[np.float32], NDArray[np.float32], int]:
    """The vectors in the order of the KB's entities, of unit length; their lengths before; and how many ids were known.

    Where an id and a redirect to it both have a vector, the first of them counts.
    """
    rows = np.zeros((len(kb), vectors.shape[1]), dtype=np.float32)
    lengths = np.zeros(len(kb), dtype=np.float32)
    entities = kb.entities(ids)
    known = np.flatnonzero(entities >= 0)[::-1]  # the first one is written last
    rows[entities[known]], lengths[entities[known]] = _unit(vectors[known])
    return rows, lengths, len(known)


def _unit(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Rows of unit length, and how long they were; a zero row stays."""
    precise = vectors.astype(np.float64)
    lengths = np.linalg.norm(precise, axis=1)
    unit = precise / np.where(lengths > 0, lengths, 1)[:, None]
    return unit.astype(np.float32), lengths.astype(np.float32)


def store(kb: KB, vectors: VectorSet, *, train: bool = True, seed: int = 0, progress: Progress | None = None) -> KB:
    """Write a set of vectors into a KB, new files beside the old ones, the manifest last; then train its ranker with them."""
    with KBWriter(kb.path, base=kb) as writer:
        others = {name: described for name, described in kb.vector_sets.items() if name != vectors.name}
        rankers = {name: ranker for name, ranker in kb.rankers.items() if name not in ("", vectors.name)}
        sets = {**add_vectors(writer, vectors), **others}
        outdated = {f"vectors-{vectors.name}-lengths"} if vectors.lengths is None else set()
        changed = writer.commit({**kb.described, "vectors": sets, "rankers": rankers}, left_out=outdated)
    return train_kb(changed.path, seed=seed, progress=progress) if train else changed


def add_vectors(writer: KBWriter, vectors: VectorSet) -> dict[str, Any]:
    """Write the arrays; the manifest's entry for them."""
    has = vectors.has
    writer.add(f"vectors-{vectors.name}", vectors.rows)
    writer.add(f"vectors-{vectors.name}-has", has)
    if vectors.lengths is not None:
        writer.add(f"vectors-{vectors.name}-lengths", vectors.lengths)
    return {vectors.name: {**vectors.described, "dimensions": vectors.rows.shape[1], "entities": int(has.sum())}}


def _source(word_vectors: Any) -> str:
    return Path(word_vectors).name if isinstance(word_vectors, str | Path) else type(word_vectors).__name__


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise OptionError(f"{name!r} cannot name a set of vectors; expected small letters, digits and hyphens, 40 at most")
    return name
