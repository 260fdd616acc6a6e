"""Sparse matrix times dense matrix, over the graph's own arrays: no second copy of the edges with values beside them.

Each kernel fills the rows `first` to `last` of `out`; rows do not depend on each other, so any split over threads gives the
same bytes. Sums run in the order of the neighbours. The rows of neighbours lie all over memory: each is asked for `AHEAD` edges
before it is added, which makes a sum over a million nodes three times as fast where rows begin with a line of the cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.array_kernels import fill
from eigenthemes.core.jit import kernel

AHEAD = 16  # edges; 8 was slower, 32 a little faster for 16 aligned columns and slower for all others
_LINE = 16  # float32 numbers in a line of the processor's cache


def _prefetch(array: Any, indices: Any) -> None:
    """Do nothing: plain Python cannot prefetch."""


try:
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic
except ImportError:
    pass
else:

    @intrinsic
    def _prefetch(_: Any, array: Any, indices: Any) -> Any:
        """Emit the processor's instruction for fetching the line of array[indices], a tuple of uint64."""

        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            view = context.make_array(signature.args[0])(context, builder, values[0])
            place = cgutils.unpack_tuple(builder, values[1])  # type: ignore[no-untyped-call]
            address = cgutils.get_item_pointer(context, builder, signature.args[0], view, place)  # type: ignore[no-untyped-call]
            pointer, number = builder.bitcast(address, ir.IntType(8).as_pointer()), ir.IntType(32)
            instruction = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
            fetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], instruction)
            builder.call(fetch, [pointer, number(0), number(3), number(1)])  # to read, into all caches, data
            return context.get_dummy_value()

        return types.void(array, indices), code


@kernel(plain=lambda matrix, row: None)
def prefetch_row(matrix: Any, row: Any) -> None:
    """Prefetch all lines of a row of a float32 matrix; plain Python cannot."""
    for column in range(0, matrix.shape[1], _LINE):
        _prefetch(matrix, (np.uint64(row), np.uint64(column)))


@kernel
def weighted_rows(
    indptr: Any, neighbors: Any, of_row: Any, of_column: Any, dense: Any, out: Any, first: int, last: int
) -> None:
    """out[i] = sum over neighbours j of (of_row[i] + of_column[j]) * dense[j]; dense and out are [n, d] float32."""
    total = np.empty(dense.shape[1], dtype=np.float32)
    for i in range(first, last):
        fill(total, 0, len(total), 0)
        row = of_row[i]
        for edge in range(indptr[i], indptr[i + 1]):
            if edge + AHEAD < indptr[last]:
                prefetch_row(dense, neighbors[edge + AHEAD])
            j = neighbors[edge]
            weight = row + of_column[j]
            for c in range(dense.shape[1]):
                total[c] += weight * dense[j, c]
        for c in range(dense.shape[1]):  # a slice would be checked for its size, by code that takes seconds to compile
            out[i, c] = total[c]


@kernel
def averaged_rows(indptr: Any, neighbors: Any, dense: Any, more: Any, factors: Any, out: Any, first: int, last: int) -> None:
    """out[i] = own * dense[i] + averaged * (mean of dense over i and its neighbours) + of_more * more[i] + of_out * out[i].

    factors  (own, averaged, of_more, of_out)

    Where of_out is 0, what stands in `out` does not matter.
    """
    own, averaged, of_more, of_out = factors
    total = np.empty(dense.shape[1], dtype=np.float32)
    for i in range(first, last):
        share = averaged / (1 + indptr[i + 1] - indptr[i])
        for c in range(dense.shape[1]):
            total[c] = (own + share) * dense[i, c] + of_more * more[i, c]
        for edge in range(indptr[i], indptr[i + 1]):
            if edge + AHEAD < indptr[last]:
                prefetch_row(dense, neighbors[edge + AHEAD])
            j = neighbors[edge]
            for c in range(dense.shape[1]):
                total[c] += share * dense[j, c]
        if of_out != 0:
            for c in range(dense.shape[1]):
                total[c] += of_out * out[i, c]
        for c in range(dense.shape[1]):
            out[i, c] = total[c]
