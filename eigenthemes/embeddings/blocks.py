"""Tall matrices in blocks, over threads. Blocks depend on the graph only, so any number of threads gives the same bytes.

Sums over the graph use blocks of columns (`WIDTH` of them are one cache line, fetched once per neighbour); everything else uses
blocks of rows, in place if possible, to avoid copies of millions of rows.
`ColumnBlocks` is a matrix that may be larger than memory: each block of columns is a separate array of a scratch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import CACHE_LINE, aligned
from eigenthemes.core.scratch import Scratch
from eigenthemes.core.threads import hold_blas_to_one_thread
from eigenthemes.kb.graph import Graph

Matrix = NDArray[np.float32]

WIDTH = CACHE_LINE
SMALL = 20_000  # edges; up to these, numpy is faster than loading numba
_ROWS = 8192
_COPIES = 5  # maximal number of arrays of a block of columns in a step


class ColumnBlocks:
    """A matrix [n, d] float32 of blocks of `WIDTH` columns, each stored row by row.

    `matrix[first:last]` is a copy of rows; assigning to it writes their first columns.
    """

    def __init__(self, parts: list[Matrix]) -> None:
        self.parts = parts

    @classmethod
    def empty(cls, rows: int, columns: int, scratch: Scratch) -> ColumnBlocks:
        """Return an uninitialised matrix."""
        widths = [min(WIDTH, columns - first) for first in range(0, columns, WIDTH)]
        return cls([scratch.empty((rows, width), np.float32) for width in widths or [0]])

    @property
    def shape(self) -> tuple[int, int]:
        """Return the numbers of rows and columns."""
        return len(self.parts[0]), sum(part.shape[1] for part in self.parts)

    def __getitem__(self, rows: slice) -> Matrix:
        return np.concatenate([part[rows] for part in self.parts], axis=1)

    def __setitem__(self, rows: slice, values: Matrix) -> None:
        """Write the first columns of these rows."""
        for number, part in enumerate(self.first(values.shape[1]).parts):
            part[rows] = values[:, number * WIDTH : number * WIDTH + part.shape[1]]

    def first(self, columns: int) -> ColumnBlocks:
        """Return the first columns."""
        parts = [part[:, : columns - number * WIDTH] for number, part in enumerate(self.parts) if columns > number * WIDTH]
        return ColumnBlocks(parts or [self.parts[0][:, :0]])

    def rows_together(self, scratch: Scratch) -> Matrix:
        """Return the matrix as one array."""
        joined = scratch.empty(self.shape, np.float32)
        for first in range(0, len(joined), _ROWS):
            joined[first : first + _ROWS] = self[first : first + _ROWS]
        return np.asarray(joined)


AnyMatrix = TypeVar("AnyMatrix", Matrix, ColumnBlocks)


class Blocks:
    """Operations on [n, d] float32 matrices over the nodes of a graph, with BLAS limited to one thread.

    scratch  stores `ColumnBlocks`
    """

    def __init__(self, graph: Graph, jobs: int, scratch: Scratch | None = None) -> None:
        self.graph = graph
        self.scratch = scratch or Scratch()
        self._narrow = self.scratch.columns_at_once(4 * _COPIES * len(graph), WIDTH)
        self._spans = list(pairwise([*range(0, len(graph), _ROWS), len(graph)]))
        self._jobs = jobs

    def __enter__(self) -> Blocks:
        hold_blas_to_one_thread()
        self._pool = ThreadPoolExecutor(self._jobs)
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def map_rows(self, function: Callable[[int, int], Any]) -> Iterator[Any]:
        """Yield `function(first, last)` of every block of rows, in order."""
        return self._pool.map(lambda span: function(*span), self._spans)

    def apply(self, function: Callable[[Matrix], Matrix], dense: ColumnBlocks, into: ColumnBlocks) -> Iterator[int]:
        """Write `function(columns)` of all columns into another matrix, or the same; yield the numbers of columns done.

        Columns are independent: with little memory, fewer than `WIDTH` are processed at a time.
        """
        for source, target in zip(dense.parts, into.parts, strict=True):
            for first in range(0, source.shape[1], self._narrow):
                some = slice(first, min(first + self._narrow, source.shape[1]))
                columns = self.empty(some.stop - some.start)
                columns[:] = source[:, some]
                target[:, some] = function(columns)
                yield some.stop - some.start

    def empty(self, columns: int) -> Matrix:
        """Return an uninitialised matrix in memory, aligned."""
        return aligned(len(self.graph), columns, np.empty)

    def for_rows(self, function: Callable[[int, int], Any]) -> None:
        """Call `function(first, last)` for every block of rows."""
        for _ in self.map_rows(function):
            pass

    # sums over the graph

    def weighted_sum(
        self, dense: Matrix, of_row: NDArray[np.float32], of_column: NDArray[np.float32], out: Matrix | None = None
    ) -> Matrix:
        """Return B dense with B_ij = of_row[i] + of_column[j] on the edges; it may be written into `out`."""
        graph = self.graph
        if graph.edges <= SMALL:
            return of_row[:, None] * neighbor_sums(graph, dense) + neighbor_sums(graph, of_column[:, None] * dense)
        from eigenthemes.embeddings.spmm import weighted_rows

        into = self.empty(dense.shape[1]) if out is None else out
        self.for_rows(lambda *rows: weighted_rows(graph.indptr, graph.neighbors, of_row, of_column, dense, into, *rows))
        return into

    def averaged_sum(
        self, dense: Matrix, own: float, averaged: float, more: Matrix, of_more: float, out: Matrix, of_out: float = 0.0
    ) -> None:
        """Write own * dense + averaged * (mean over a node and its neighbours) + of_more * more + of_out * out into out."""
        graph = self.graph
        of_dense, of_mean, of_more32, of_out32 = map(np.float32, (own, averaged, of_more, of_out))
        if graph.edges <= SMALL:
            share = (of_mean / (1 + graph.degree)).astype(np.float32)[:, None]
            before = of_out32 * out if of_out else 0
            out[:] = (of_dense + share) * dense + share * neighbor_sums(graph, dense) + of_more32 * more + before
            return
        from eigenthemes.embeddings.spmm import averaged_rows

        factors = of_dense, of_mean, of_more32, of_out32
        self.for_rows(lambda *rows: averaged_rows(graph.indptr, graph.neighbors, dense, more, factors, out, *rows))

    # small matrices beside tall ones

    def eigen(self, dense: ColumnBlocks) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the eigenvalues, largest first, and eigenvectors of dense^T dense, in float64."""

        def gram(first: int, last: int) -> NDArray[np.float64]:
            rows = dense[first:last].astype(np.float64)
            return rows.T @ rows

        total = np.zeros((dense.shape[1], dense.shape[1]))
        for part in self.map_rows(gram):
            total += part
        values, vectors = np.linalg.eigh(total)
        return values[::-1], vectors[:, ::-1]

    def times(self, dense: ColumnBlocks, small: NDArray[np.float64]) -> ColumnBlocks:
        """Return dense @ small, [n, d] @ [d, k] with k <= d; written over dense, whose first k columns are returned."""
        factor = small.astype(np.float32)
        kept = dense.first(factor.shape[1])

        def block(first: int, last: int) -> None:
            kept[first:last] = dense[first:last] @ factor

        self.for_rows(block)
        return kept

    def unit_rows(self, dense: AnyMatrix) -> AnyMatrix:
        """Divide each row by its length, in place; a zero row stays."""

        def block(first: int, last: int) -> None:
            rows = dense[first:last]
            lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
            dense[first:last] = rows / np.where(lengths > 0, lengths, 1).astype(np.float32)[:, None]

        self.for_rows(block)
        return dense


def neighbor_sums(graph: Graph, dense: Matrix) -> Matrix:
    """Return the sum of the rows of each node's neighbours, in plain numpy."""
    sums = np.zeros_like(dense)
    linked = np.flatnonzero(graph.degree)
    sums[linked] = np.add.reduceat(dense[graph.neighbors], graph.indptr[linked], axis=0)
    return sums
