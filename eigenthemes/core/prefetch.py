"""Ask the processor for memory that is needed soon: sums over a graph and look-ups wait for memory most of the time."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel

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


def _nothing(array: Any, at: Any) -> None:
    """Do nothing: plain Python cannot prefetch."""


@kernel(plain=_nothing)
def prefetch_row(matrix: Any, row: Any) -> None:
    """Prefetch all lines of a row of a float32 matrix."""
    for column in range(0, matrix.shape[1], _LINE):
        _prefetch(matrix, (np.uint64(row), np.uint64(column)))
