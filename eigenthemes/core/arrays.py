"""Operations on arrays of numbers, and on the types of Arrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

CACHE_LINE = 16  # float32 numbers in a line of the processor's cache


def sum_rows(matrix: NDArray[Any], rows: NDArray[Any], counts: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return sums of rows of `matrix` [m, d]: of the first counts[0] of `rows`, of the next counts[1], ... [len(counts), d].

    A sparse product: no copy of the rows is made, however many they are. They are added up in their order.
    """
    from scipy.sparse import csr_array

    bounds = np.concatenate(([0], np.cumsum(counts)))
    ones = np.ones(len(rows), dtype=np.float32)
    chosen = csr_array((ones, rows.astype(np.int64), bounds), shape=(len(counts), len(matrix)))
    return np.asarray(chosen @ matrix, dtype=np.float32)


def spans_joined(first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return all numbers from first[0] to last[0], then from first[1] to last[1], ...; the last ones are not part of it."""
    counts = last - first
    ends = np.cumsum(counts)
    return np.repeat(first - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)


def lists_of(lists: tuple[NDArray[np.int64], NDArray[Any]], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the lists (indptr, values) of some rows, in that order; the same arrays where these are all rows in order."""
    indptr, values = lists
    if len(rows) == len(indptr) - 1 and np.array_equal(rows, np.arange(len(rows))):
        return lists
    places = spans_joined(indptr[rows], indptr[rows + 1])
    return np.concatenate(([0], np.cumsum(indptr[rows + 1] - indptr[rows]))).astype(np.int64), values[places]


def aligned(rows: int, columns: int, allocate: Callable[..., Any] = np.zeros) -> NDArray[np.float32]:
    """Return a matrix, by np.empty or np.zeros, that begins with a line of the cache."""
    whole = allocate(rows * columns + CACHE_LINE, dtype=np.float32)
    first = -whole.ctypes.data // whole.itemsize % CACHE_LINE
    return np.asarray(whole[first : first + rows * columns].reshape(rows, columns))


def unit_rows(dense: NDArray[np.float32]) -> NDArray[np.float32]:
    """Divide each row by its length, in float64; a zero row stays."""
    lengths = np.sqrt(np.einsum("ij,ij->i", dense, dense, dtype=np.float64))[:, None]
    return (dense / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written: kernels are compiled once for it and for the mapped arrays of a KB, not twice."""
    view = array.view()
    view.flags.writeable = False
    return view


def is_text(type_: Any) -> bool:
    """Return whether a type of Arrow is one of text."""
    import pyarrow.types as types

    value = type_.value_type if types.is_dictionary(type_) else type_
    views = getattr(types, "is_string_view", lambda each: False)
    return bool(types.is_string(value) or types.is_large_string(value) or views(value))
