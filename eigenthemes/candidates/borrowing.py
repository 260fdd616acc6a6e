"""Kernels that borrow every array they touch, and make none.

numba counts who holds an array: each look into a tuple of arrays adds one holder and takes one away, and loops keep it from
leaving that out. A kernel over some dozen arrays that does little with each spends a third of its time so. Where the caller
holds them all, nobody needs to count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eigenthemes.core.jit import Kernel
from eigenthemes.core.lazy import lazy

_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
}  # the last: kernels that it calls inherit it


class BorrowingKernel(Kernel):
    """A kernel for arrays that its caller holds; neither it nor the kernels that it calls make any, and it returns none."""

    @lazy
    def compiled(self) -> Callable[..., Any]:
        """The function compiled by numba; where that is not installed, as it is written."""
        try:
            import numba
        except ImportError:
            return self.plain
        from eigenthemes.core.kernel_cache import KernelCache

        compiled = numba.njit(**_OPTIONS)(self._calling_inner)
        compiled._cache = KernelCache(self._file_name, self._file_stem, self._folders)
        return compiled  # type: ignore[no-any-return]

    @lazy
    def digest(self) -> str:
        """What the compiled code depends on, and how it is compiled."""
        return f"{super().digest}-borrowing"


def borrowing(function: Callable[..., Any]) -> Any:
    """Make a borrowing kernel of a function."""
    return BorrowingKernel(function)
