"""Tell the processor which line of a matrix is needed soon: sums over a graph wait for memory most of the time."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel

LINE = 16  # float32 numbers in a line of the processor's cache

try:
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic
except ImportError:  # kernels run as they are written then

    def _ask_for(matrix: Any, row: Any, column: Any) -> None:
        """Nothing to ask for in plain Python."""

else:

    def _ask_for_code(_: Any, matrix: Any, row: Any, column: Any) -> Any:
        """Emit the processor's instruction for fetching a line."""

        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, values[0])
            address = cgutils.get_item_pointer(context, builder, signature.args[0], array, [values[1], values[2]])  # type: ignore[no-untyped-call]
            pointer = builder.bitcast(address, ir.IntType(8).as_pointer())
            number = ir.IntType(32)
            fetch = builder.module.declare_intrinsic(
                "llvm.prefetch", [pointer.type], ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
            )
            builder.call(fetch, [pointer, number(0), number(3), number(1)])
            return context.get_dummy_value()

        return types.void(matrix, types.uintp, types.uintp), code

    def _ask_for_entry_code(_: Any, values: Any, at: Any) -> Any:
        """Emit the same for an array of one dimension."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            address = cgutils.get_item_pointer(context, builder, signature.args[0], array, [arguments[1]])  # type: ignore[no-untyped-call]
            pointer = builder.bitcast(address, ir.IntType(8).as_pointer())
            number = ir.IntType(32)
            fetch = builder.module.declare_intrinsic(
                "llvm.prefetch", [pointer.type], ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
            )
            builder.call(fetch, [pointer, number(0), number(3), number(1)])
            return context.get_dummy_value()

        return types.void(values, types.uintp), code

    _ask_for: Any = intrinsic(_ask_for_code)  # type: ignore[no-redef]
    _ask_for_entry: Any = intrinsic(_ask_for_entry_code)


@kernel
def ask_for_row(matrix: Any, row: Any) -> None:
    """Ask for all lines of a row of a float32 matrix."""
    for column in range(0, matrix.shape[1], LINE):
        _ask_for(matrix, np.uint64(row), np.uint64(column))


def _nothing(values: Any, at: Any) -> None:
    """Nothing to ask for in plain Python."""


@kernel(plain=_nothing)
def ask_for_entry(values: Any, at: Any) -> None:
    """Ask for the line of an entry of an array; where there is no such entry, nothing happens."""
    _ask_for_entry(values, np.uint64(at))


@kernel(plain=_nothing)
def ask_for_bit(h: Any, bits: Any) -> None:
    """Ask for the line of a `bit_filter` that `may_hold` reads for a hash."""
    _ask_for_entry(bits, (h & np.uint64(8 * len(bits) - 1)) >> np.uint64(3))
