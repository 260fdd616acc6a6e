"""Sets of vectors for a KB: made from its graph or descriptions, or imported; completed for entities without one.

Entities without a vector, new or isolated, get one from their neighbours, or from their descriptions. Such means and
regressions are nearer to the centre than the vectors they are made from, and Eigenthemes favour the centre: new entities also
win mentions of others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import spans_joined, sum_rows, unit_rows
from eigenthemes.core.checks import MOST_DIMENSIONS, check_integer, check_jobs, check_seed
from eigenthemes.core.progress import Progress
from eigenthemes.core.scratch import Scratch, blocks
from eigenthemes.core.threads import hold_blas_to_one_thread
from eigenthemes.errors import OptionError, VectorError
from eigenthemes.kb.graph import Graph
from eigenthemes.kb.store import KB
from eigenthemes.kb.writer import KBWriter

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]

# Functions `graph, *, dimensions, seed, jobs, progress, ... -> [n, d]` in the modules of these names, with further options.
GRAPH_METHODS = ("prone", "deepwalk", "netsmf")
METHODS = (*GRAPH_METHODS, "descriptions")
DIMENSIONS = 128  # by default, but at most a fifth of the nodes: more would overfit a small graph

_ROWS = 1 << 14  # completed at a time
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class VectorSet:
    """Vectors for a KB, and their description in the manifest."""

    name: str
    rows: Floats  # [entities, d], of unit length; zero for no vector
    described: dict[str, Any]
    lengths: Floats | None = None  # [entities], before scaling to unit length, if known

    @property
    def has(self) -> NDArray[np.bool_]:
        """Return which entities have a vector."""
        return np.asarray(self.rows.any(axis=1))


def make_vectors(
    graph: Graph,
    *,
    method: str = "prone",
    dimensions: int | None = None,
    seed: int = 0,
    name: str | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
    scratch: Scratch | None = None,
    **own: Any,
) -> VectorSet:
    """Make vectors from a graph by one of GRAPH_METHODS, with the options of that method."""
    check_embedding(method, dimensions)
    check_seed(seed)
    check_jobs(jobs)
    check_name(name or method)
    if not graph.edges:
        raise VectorError("the graph has no edges, so no vectors can be made from it; import vectors", code="no-edges")
    make = getattr(import_module(f"eigenthemes.embeddings.{method}"), method)
    size = dimensions or min(DIMENSIONS, max(2, len(graph) // 5))
    if scratch is not None and method == "prone":  # the others hold their matrices in memory
        own["scratch"] = scratch
    for option in own:
        if option not in signature(make).parameters:
            raise OptionError(f"{method} has no option {option}; leave it out, or choose another method")
    rows = make(graph, dimensions=size, seed=seed, jobs=jobs, progress=progress, **own)
    rows, lengths = _unit(rows) if own.get("unit_length") is False else (rows, None)
    own.pop("scratch", None)
    return VectorSet(name or method, rows, {"method": method, "seed": seed, **own}, lengths)


def description_vector_set(kb: KB, word_vectors: Any, *, name: str | None = None) -> VectorSet:
    """Make vectors from the words of descriptions."""
    from eigenthemes.embeddings.word_vectors import WordVectors, description_vectors

    if word_vectors is None:
        raise OptionError("vectors from descriptions need word vectors; give a file of them", code="word-vectors-needed")
    rows, coverage = description_vectors(kb, WordVectors.open(word_vectors))
    about = {
        "method": "descriptions",
        "source": name_of_source(word_vectors),
        "described": coverage.described,
        "words_known": round(coverage.share, 4),
    }
    return VectorSet(check_name(name or "descriptions"), rows, about)


def complete(kb: KB, made: VectorSet, word_vectors: Any = None) -> VectorSet:
    """Give vectors to entities without one: from their neighbours, then, with word vectors, from their descriptions."""
    before = int(made.has.sum())
    rows, has = from_neighbors(kb.graph, made.rows, made.has)
    about: dict[str, Any] = {"from_neighbors": int(has.sum()) - before}
    if word_vectors is not None:
        between = int(has.sum())
        rows, has = from_descriptions(description_vector_set(kb, word_vectors).rows, rows, has)
        about |= {"from_descriptions": int(has.sum()) - between, "word_vectors": name_of_source(word_vectors)}
    return replace(made, rows=rows, described={**made.described, **about})


def from_neighbors(graph: Graph, vectors: Floats, has: Mask) -> tuple[Floats, Mask]:
    """Return the vectors [n, d] and which entities have one [n]; those without get the mean of their neighbours' vectors."""
    return _filled(lambda rows: _neighbor_sums(graph, vectors, has, rows), vectors, has, np.flatnonzero(~has))


def from_descriptions(description_rows: Floats, vectors: Floats, has: Mask) -> tuple[Floats, Mask]:
    """Return the vectors [n, d] and which entities have one [n]; those with only a description get one from it.

    The map from description vectors [n, w] (zero for no description) to vectors is a ridge regression over the entities with
    both: (X^T X + I)^-1 X^T Y, in float64.
    """
    described = description_rows.any(axis=1)
    has_both = np.flatnonzero(described & has)
    if not len(has_both):
        raise VectorError(
            f"none of the {int(has.sum()):,} entities with a vector has a description with known words, so no map from "
            "descriptions to vectors can be learned; use the neighbours' vectors, or give word vectors in their language"
        )
    learned = _ridge_map(description_rows, vectors, has_both).astype(np.float32)
    hold_blas_to_one_thread()
    return _filled(lambda rows: description_rows[rows] @ learned, vectors, has, np.flatnonzero(described & ~has))


def _neighbor_sums(graph: Graph, vectors: Floats, has: Mask, nodes: Rows) -> Floats:
    """Return the sum of the vectors of each node's neighbours that have one."""
    neighbors = graph.neighbors[spans_joined(graph.indptr[nodes], graph.indptr[nodes + 1])]
    known = has[neighbors]
    counts = np.bincount(np.repeat(np.arange(len(nodes)), graph.degree[nodes])[known], minlength=len(nodes))
    return sum_rows(vectors, neighbors[known], counts)


def _ridge_map(inputs: Floats, outputs: Floats, rows: Rows) -> NDArray[np.float64]:
    gram = np.eye(inputs.shape[1])
    product = np.zeros((inputs.shape[1], outputs.shape[1]))
    hold_blas_to_one_thread()  # more threads would add in another order
    for first, last in blocks(len(rows), _ROWS):
        x, y = (matrix[rows[first:last]].astype(np.float64) for matrix in (inputs, outputs))
        gram += x.T @ x
        product += x.T @ y
    return np.asarray(np.linalg.solve(gram, product))


def _filled(make: Callable[[Rows], Floats], vectors: Floats, has: Mask, rows: Rows) -> tuple[Floats, Mask]:
    """Return copies with the vectors that `make` returns for `rows`, at unit length; a zero row is no vector."""
    new, new_has = vectors.copy(), has.copy()
    for first, last in blocks(len(rows), _ROWS):
        some = rows[first:last]
        new[some] = made = unit_rows(make(some))
        new_has[some] = made.any(axis=1)
    return new, new_has


def check_embedding(method: str | None, dimensions: int | None) -> None:
    """Raise OptionError for a method or dimensions that cannot make vectors from a graph, before hours of reading."""
    if method == "descriptions":
        raise OptionError(
            "vectors from descriptions are not made by a build; make them for the KB once it is built",
            code="vectors-from-descriptions",
        )
    if method is not None and method not in GRAPH_METHODS:
        raise OptionError(f"embedding {method!r} is unknown; expected one of {', '.join(METHODS)}, or none")
    if dimensions is not None:
        check_integer("dimensions", dimensions, most=MOST_DIMENSIONS)


def align_vectors(ids: Sequence[str], vectors: Floats, kb: KB) -> tuple[Floats, Floats, int]:
    """Return the vectors in the order of the KB's entities at unit length, their original lengths, and the number of known ids.

    If an id and a redirect to it both have a vector, the first counts.
    """
    rows = np.zeros((len(kb), vectors.shape[1]), dtype=np.float32)
    lengths = np.zeros(len(kb), dtype=np.float32)
    indices = kb.indices_of(ids)
    known = np.flatnonzero(indices >= 0)[::-1]  # the first one is written last
    rows[indices[known]], lengths[indices[known]] = _unit(vectors[known])
    return rows, lengths, len(known)


def _unit(vectors: Floats) -> tuple[Floats, Floats]:
    """Return the rows at unit length, and their original lengths; a zero row stays."""
    precise = vectors.astype(np.float64)
    lengths = np.linalg.norm(precise, axis=1)
    unit = precise / np.where(lengths > 0, lengths, 1)[:, None]
    return unit.astype(np.float32), lengths.astype(np.float32)


def add_vectors(writer: KBWriter, vectors: VectorSet) -> dict[str, Any]:
    """Write the arrays; return the manifest's entry for them."""
    has = vectors.has
    writer.add(f"vectors-{vectors.name}", vectors.rows)
    writer.add(f"vectors-{vectors.name}-has", has)
    if vectors.lengths is not None:
        writer.add(f"vectors-{vectors.name}-lengths", vectors.lengths)
    return {vectors.name: {**vectors.described, "dimensions": vectors.rows.shape[1], "entities": int(has.sum())}}


def name_of_source(word_vectors: Any) -> str:
    """Return the name of word vectors for the manifest: that of the file, or of the type of the object."""
    return Path(word_vectors).name if isinstance(word_vectors, str | Path) else type(word_vectors).__name__


def check_name(name: str) -> str:
    """Raise OptionError for a name that cannot be part of a file name."""
    if not _NAME.fullmatch(name):
        raise OptionError(f"{name!r} cannot name a set of vectors; expected small letters, digits and hyphens, 40 at most")
    return name
