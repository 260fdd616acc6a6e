"""Sparse matrix times dense matrix, over the graph's own arrays: no second copy of the edges with values beside them.

Each kernel fills the rows `first` to `last` of `out`; rows do not depend on each other, so any split over threads gives the
same bytes. Sums run in the order of the neighbours.
"""

from __future__ import annotations

from typing import Any

from eigenthemes.core.jit import kernel


@kernel
def weighted_rows(
    indptr: Any, neighbors: Any, of_row: Any, of_column: Any, dense: Any, out: Any, first: int, last: int
) -> None:
    """out[i] = sum over neighbours j of (of_row[i] + of_column[j]) * dense[j]; dense and out are [n, d] float32."""
    for i in range(first, last):
        out[i, :] = 0
        row = of_row[i]
        for edge in range(indptr[i], indptr[i + 1]):
            j = neighbors[edge]
            weight = row + of_column[j]
            for c in range(dense.shape[1]):
                out[i, c] += weight * dense[j, c]


@kernel
def averaged_rows(
    indptr: Any,
    neighbors: Any,
    dense: Any,
    own: float,
    averaged: float,
    more: Any,
    of_more: float,
    out: Any,
    first: int,
    last: int,
) -> None:
    """out[i] = own * dense[i] + averaged * (mean of dense over i and its neighbours) + of_more * more[i]."""
    for i in range(first, last):
        share = averaged / (1 + indptr[i + 1] - indptr[i])
        for c in range(dense.shape[1]):
            out[i, c] = (own + share) * dense[i, c] + of_more * more[i, c]
        for edge in range(indptr[i], indptr[i + 1]):
            j = neighbors[edge]
            for c in range(dense.shape[1]):
                out[i, c] += share * dense[j, c]
