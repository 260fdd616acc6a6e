"""Sorting inside kernels; numba's own takes ten times as long to compile."""

from __future__ import annotations

from typing import Any

from eigenthemes.core.jit import kernel


def _sort(values: Any) -> None:
    values.sort()


@kernel(plain=_sort)
def sort(values: Any) -> None:
    """Sort some hundred numbers [n] in place, ascending: Shell's sort, with Knuth's gaps."""
    gap = 1
    while gap < len(values) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, len(values)):
            value, at = values[i], i
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value
        gap //= 3
