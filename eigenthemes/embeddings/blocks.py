"""Tall matrices in blocks of rows, over threads. The graph alone decides the blocks: any number of threads, the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from eigenthemes.graph import Graph

_ROWS = 8192
SMALL = 20_000  # edges up to which numpy does the sums: numba would take longer to load


class Blocks:
    """Row-wise work on [n, d] float32 matrices, BLAS held to one thread meanwhile."""

    def __init__(self, indptr: NDArray[np.int64], jobs: int) -> None:
        self._spans = list(pairwise([*range(0, len(indptr) - 1, _ROWS), len(indptr) - 1]))
        self._jobs = jobs

    def __enter__(self) -> Blocks:
        self._limit = threadpool_limits(1)
        self._pool = ThreadPoolExecutor(self._jobs)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._limit.restore_original_limits()

    def each(self, function: Callable[[int, int], Any]) -> list[Any]:
        """`function(first, last)` of every block of rows, in order."""
        return list(self._pool.map(lambda span: function(*span), self._spans))

    def weighted_sum(
        self,
        graph: Graph,
        dense: NDArray[np.float32],
        out: NDArray[np.float32],
        of_row: NDArray[np.float32] | None = None,
        of_column: NDArray[np.float32] | None = None,
    ) -> None:
        """out = B dense with B_ij = of_row[i] + of_column[j] on the edges; without them B is the adjacency matrix."""
        row = np.ones(len(graph), dtype=np.float32) if of_row is None else of_row
        column = np.zeros(len(graph), dtype=np.float32) if of_column is None else of_column
        if graph.edges <= SMALL:
            out[:] = row[:, None] * neighbor_sums(graph, dense) + neighbor_sums(graph, column[:, None] * dense)
            return
        from eigenthemes.kernels.spmm import weighted_rows

        self.each(lambda first, last: weighted_rows(graph.indptr, graph.neighbors, row, column, dense, out, first, last))

    def averaged_sum(
        self,
        graph: Graph,
        dense: NDArray[np.float32],
        own: float,
        averaged: float,
        more: NDArray[np.float32],
        of_more: float,
        out: NDArray[np.float32],
    ) -> None:
        """out = own * dense + averaged * (mean over a node and its neighbours) + of_more * more."""
        if graph.edges <= SMALL:
            share = (averaged / (1 + graph.degree)).astype(np.float32)[:, None]
            out[:] = (np.float32(own) + share) * dense + share * neighbor_sums(graph, dense) + np.float32(of_more) * more
            return
        from eigenthemes.kernels.spmm import averaged_rows

        scalars = np.float32(own), np.float32(averaged), np.float32(of_more)

        def block(first: int, last: int) -> None:
            averaged_rows(graph.indptr, graph.neighbors, dense, scalars[0], scalars[1], more, scalars[2], out, first, last)

        self.each(block)

    def eigen(self, dense: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Eigenvalues, largest first, and eigenvectors of dense^T dense, in float64."""

        def gram(first: int, last: int) -> NDArray[np.float64]:
            rows = dense[first:last].astype(np.float64)
            return rows.T @ rows

        total = np.zeros((dense.shape[1], dense.shape[1]))
        for part in self.each(gram):
            total += part
        values, vectors = np.linalg.eigh(total)
        return values[::-1], vectors[:, ::-1]

    def times(self, dense: NDArray[np.float32], small: NDArray[np.float64]) -> NDArray[np.float32]:
        """dense @ small, [n, d] @ [d, k]."""
        factor = small.astype(np.float32)
        out = np.empty((len(dense), factor.shape[1]), dtype=np.float32)

        def block(first: int, last: int) -> None:
            np.matmul(dense[first:last], factor, out=out[first:last])

        self.each(block)
        return out


def neighbor_sums(graph: Graph, dense: NDArray[np.float32]) -> NDArray[np.float32]:
    """The sum of the rows of each node's neighbours, in plain numpy."""
    sums = np.zeros_like(dense)
    linked = np.flatnonzero(graph.degree)
    sums[linked] = np.add.reduceat(dense[graph.neighbors], graph.indptr[linked], axis=0)
    return sums
