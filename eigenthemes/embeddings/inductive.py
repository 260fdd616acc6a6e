"""Vectors for entities without one, new or isolated: from their neighbours, or from their descriptions.

Only rows without a vector change.

Means and regressions are nearer to the centre than the vectors they are made from, and Eigenthemes favour the centre: with such
vectors, new entities also win mentions of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import sum_rows, unit_rows
from eigenthemes.core.threads import one_thread
from eigenthemes.errors import VectorError
from eigenthemes.kb.graph import Graph

Matrix = NDArray[np.float32]
Square = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]

_ROWS = 1 << 14


def from_neighbors(graph: Graph, vectors: Matrix, has: Mask) -> tuple[Matrix, Mask]:
    """Return the vectors [n, d] and which entities have one [n]; those without get the mean of their neighbours' vectors."""
    _check_shapes(len(graph), vectors, has)
    return _filled(lambda rows: _neighbor_sums(graph, vectors, has, rows), vectors, has, np.flatnonzero(~has))


def from_descriptions(description_rows: Matrix, vectors: Matrix, has: Mask) -> tuple[Matrix, Mask]:
    """Return the vectors [n, d] and which entities have one [n]; those with only a description get one from it.

    The map from description vectors [n, w] (zero for no description) to vectors is a ridge regression over the entities with
    both: (X^T X + I)^-1 X^T Y, in float64.
    """
    _check_shapes(len(description_rows), vectors, has)
    described = description_rows.any(axis=1)
    has_both = np.flatnonzero(described & has)
    if not len(has_both):
        raise VectorError(
            f"none of the {int(has.sum()):,} entities with a vector has a description with known words, so no map from "
            "descriptions to vectors can be learned; use the neighbours' vectors, or give word vectors in their language"
        )
    learned = _ridge_map(description_rows, vectors, has_both).astype(np.float32)
    with one_thread():
        return _filled(lambda rows: description_rows[rows] @ learned, vectors, has, np.flatnonzero(described & ~has))


def _check_shapes(entities: int, vectors: Matrix, has: Mask) -> None:
    if not entities == len(vectors) == len(has):
        raise VectorError(
            f"{entities:,} entities, {len(vectors):,} vectors and {len(has):,} marks do not go together; give one for each"
        )


def _neighbor_sums(graph: Graph, vectors: Matrix, has: Mask, nodes: Rows) -> Matrix:
    """Return the sum of the vectors of each node's neighbours that have one."""
    degree = graph.degree[nodes]
    shift = graph.indptr[nodes] - (np.cumsum(degree) - degree)
    neighbors = graph.neighbors[np.repeat(shift, degree) + np.arange(degree.sum())]
    known = has[neighbors]
    counts = np.bincount(np.repeat(np.arange(len(nodes)), degree)[known], minlength=len(nodes))
    return sum_rows(vectors, neighbors[known], counts)


def _ridge_map(inputs: Matrix, outputs: Matrix, rows: Rows) -> Square:
    gram = np.eye(inputs.shape[1])
    product = np.zeros((inputs.shape[1], outputs.shape[1]))
    with one_thread():  # more threads would add in another order
        for block in _blocks(rows):
            x, y = inputs[block].astype(np.float64), outputs[block].astype(np.float64)
            gram += x.T @ x
            product += x.T @ y
        return np.asarray(np.linalg.solve(gram, product))


def _filled(make: Callable[[Rows], Matrix], vectors: Matrix, has: Mask, rows: Rows) -> tuple[Matrix, Mask]:
    """Return copies with the vectors that `make` returns for `rows`, at unit length; a zero row is no vector."""
    new, new_has = vectors.copy(), has.copy()
    for block in _blocks(rows):
        new[block] = made = unit_rows(make(block))
        new_has[block] = made.any(axis=1)
    return new, new_has


def _blocks(rows: Rows) -> Iterator[Rows]:
    return (rows[first : first + _ROWS] for first in range(0, len(rows), _ROWS))
