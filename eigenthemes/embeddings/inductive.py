"""Vectors for entities without one, new or isolated: from their neighbours, or from their descriptions.

Only rows without a vector change.

Means and regressions are nearer to the centre than the vectors they are made from, and Eigenthemes favour the centre: with such
vectors, new entities also win mentions of others. `matched` corrects this by a linear map after which estimates of entities
that have a vector have the same second moments as their vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import sum_rows, unit_rows
from eigenthemes.core.checks import check_integer, check_number
from eigenthemes.core.threads import one_thread
from eigenthemes.errors import VectorError
from eigenthemes.kb.graph import Graph

Matrix = NDArray[np.float32]
Square = NDArray[np.float64]
Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]

_ROWS = 1 << 14
_NOTHING = 1e-6  # of the largest second moment: directions with less are ignored


def from_neighbors(graph: Graph, vectors: Matrix, has: Mask, *, rounds: int = 1, matched: bool = False) -> tuple[Matrix, Mask]:
    """Return the vectors [n, d] and which entities have one [n]; those without get the mean of their neighbours' vectors.

    rounds  in round 2, vectors of round 1 count as well, and so on; each entity gets its vector once
    """
    check_integer("rounds", rounds)
    _check_shapes(len(graph), vectors, has)

    def means(rows: Rows) -> Matrix:
        return _neighbor_sums(graph, vectors, has, rows)  # scaled to unit length later

    stretch = _stretch(means, vectors, np.flatnonzero(has)) if matched else None
    for _ in range(rounds):
        vectors, has = _filled(means, vectors, has, np.flatnonzero(~has), stretch)
    return vectors, has


def from_descriptions(
    description_rows: Matrix, vectors: Matrix, has: Mask, *, ridge: float = 1.0, matched: bool = False
) -> tuple[Matrix, Mask]:
    """Return the vectors [n, d] and which entities have one [n]; those with only a description get one from it.

    The map from description vectors [n, w] (zero for no description) to vectors is a ridge regression over the entities with
    both: (X^T X + ridge I)^-1 X^T Y, in float64.
    """
    check_number("ridge", ridge, "a number above 0", above=0)
    _check_shapes(len(description_rows), vectors, has)
    described = description_rows.any(axis=1)
    has_both = np.flatnonzero(described & has)
    if not len(has_both):
        raise VectorError(
            f"none of the {int(has.sum()):,} entities with a vector has a description with known words, so no map from "
            "descriptions to vectors can be learned; use the neighbours' vectors, or give word vectors in their language"
        )
    learned = _ridge_map(description_rows, vectors, has_both, ridge).astype(np.float32)

    def mapped(rows: Rows) -> Matrix:
        with one_thread():
            return description_rows[rows] @ learned

    stretch = _stretch(mapped, vectors, has_both) if matched else None
    return _filled(mapped, vectors, has, np.flatnonzero(described & ~has), stretch)


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


def _ridge_map(inputs: Matrix, outputs: Matrix, rows: Rows, ridge: float) -> Square:
    gram = ridge * np.eye(inputs.shape[1])
    product = np.zeros((inputs.shape[1], outputs.shape[1]))
    with one_thread():  # more threads would add in another order
        for block in _blocks(rows):
            x, y = inputs[block].astype(np.float64), outputs[block].astype(np.float64)
            gram += x.T @ x
            product += x.T @ y
        return np.asarray(np.linalg.solve(gram, product))


def _filled(
    make: Callable[[Rows], Matrix], vectors: Matrix, has: Mask, rows: Rows, stretch: Matrix | None
) -> tuple[Matrix, Mask]:
    """Return copies with the vectors that `make` returns for `rows`, at unit length; a zero row is no vector."""
    new, new_has = vectors.copy(), has.copy()
    for block in _blocks(rows):
        made = unit_rows(make(block))
        if stretch is not None:
            with one_thread():
                made = unit_rows(made @ stretch)
        new[block], new_has[block] = made, made.any(axis=1)
    return new, new_has


def _stretch(make: Callable[[Rows], Matrix], vectors: Matrix, rows: Rows) -> Matrix:
    """Return the symmetric map [d, d] that gives the estimates of `make` the second moments of the vectors of `rows`.

    With moments A of the estimates and B of the vectors: A^-1/2 (A^1/2 B A^1/2)^1/2 A^-1/2, the smallest such change (optimal
    transport). Null directions of A do not change.
    """
    given, own = (np.zeros((vectors.shape[1], vectors.shape[1])) for _ in range(2))
    with one_thread():
        for block in _blocks(rows):
            made, real = unit_rows(make(block)).astype(np.float64), vectors[block].astype(np.float64)
            nonzero = made.any(axis=1)
            given += made[nonzero].T @ made[nonzero]
            own += real[nonzero].T @ real[nonzero]
        root, inverse, absent = _roots(given)
        return (inverse @ _roots(root @ own @ root)[0] @ inverse + absent).astype(np.float32)


def _roots(moments: Square) -> tuple[Square, Square, Square]:
    """Return the square root of a symmetric matrix, its inverse, and the projection on its null space."""
    values, vectors = np.linalg.eigh(moments)
    there = values > _NOTHING * max(values[-1], 0.0)
    basis, values, rest = vectors[:, there], values[there], vectors[:, ~there]
    return (basis * values**0.5) @ basis.T, (basis * values**-0.5) @ basis.T, rest @ rest.T


def _blocks(rows: Rows) -> Iterator[Rows]:
    return (rows[first : first + _ROWS] for first in range(0, len(rows), _ROWS))
