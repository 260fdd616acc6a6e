"""Large arrays of a build, in memory or, within a limit of memory, on disk.

`Scratch` allocates and sorts arrays in memory; `SpillScratch` (`core.spill`) overrides both for files. All other operations are
written once, by blocks of rows; results are the same, byte for byte, wherever arrays are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import Strings, hash_strings

Column = NDArray[Any]
_ROWS = 1 << 20  # rows worked on at a time: a temporary array takes 8 MB


class Scratch:
    """Arrays in memory, sorted by numpy."""

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Column:
        """Return an array whose content is not defined yet."""
        return np.empty(shape, dtype=dtype)

    def sort_words(self, words: list[NDArray[np.uint64]]) -> list[NDArray[np.uint64]]:
        """Sort rows of 64-bit words, the first word first; the arrays may be written over."""
        if len(words) == 1:
            words[0].sort()
            return words
        order = np.lexsort(words[::-1])
        return [word[order] for word in words]

    def order_of_strings(self, strings: Strings) -> NDArray[np.int64]:
        """Return the rows of strings in the order of their code points."""
        texts = list(strings)
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)

    def columns_at_once(self, bytes_each: int, most: int) -> int:
        """Return how many columns of `bytes_each` bytes fit into memory at a time, `most` at most."""
        return most

    # the same in memory and on disk

    def by_blocks(
        self,
        function: Callable[..., Sequence[Column]],
        columns: Sequence[Column],
        dtypes: Sequence[Any],
        *,
        most: int | None = None,
    ) -> tuple[Column, ...]:
        """Join what a function returns for each block of rows: one array for each of `dtypes`, of any common length.

        most  rows that it returns in all at the most; None: as many as it gets
        """
        size = len(columns[0])
        made = [self.empty(size if most is None else most, dtype) for dtype in dtypes]
        at = 0
        for first, last in blocks(size):
            parts = function(*(column[first:last] for column in columns))
            for array, part in zip(made, parts, strict=True):
                array[at : at + len(part)] = part
            at += len(parts[0])
        return tuple(array[:at] for array in made)

    def joined(self, parts: Sequence[Column], dtype: Any) -> Column:
        """Return the concatenation of arrays."""
        whole = self.empty(sum(map(len, parts)), dtype)
        at = 0
        for part in parts:
            whole[at : at + len(part)] = part
            at += len(part)
        return whole

    def row_numbers(self, size: int) -> NDArray[np.uint32]:
        """Return 0, 1, ..., size - 1."""
        numbers = self.empty(size, np.uint32)
        for first, last in blocks(size):
            numbers[first:last] = np.arange(first, last, dtype=np.uint32)
        return numbers

    def take(self, column: Column, rows: Column) -> Column:
        """Return `column[rows]`."""
        return self.by_blocks(lambda some: (column[some],), (rows,), (column.dtype,))[0]

    def take_strings(self, strings: Strings, rows: Column) -> Strings:
        """Return `strings.take(rows)`."""
        begins, ends = strings.offsets[:-1], strings.offsets[1:]
        offsets = self.offsets(self.by_blocks(lambda some: (ends[some] - begins[some],), (rows,), (np.int64,))[0])
        blob = self.empty(int(offsets[-1]), np.uint8)
        for first, last in blocks(len(rows)):
            blob[offsets[first] : offsets[last]] = strings.take(rows[first:last]).blob
        return Strings(blob, offsets)

    def offsets(self, lengths: Column) -> NDArray[np.int64]:
        """Return the bounds of parts of these lengths: 0, and the running sums, [n + 1]."""
        offsets = self.empty(len(lengths) + 1, np.int64)
        offsets[0] = 0
        for first, last in blocks(len(lengths)):
            np.cumsum(lengths[first:last], dtype=np.int64, out=offsets[first + 1 : last + 1])
            offsets[first + 1 : last + 1] += offsets[first]
        return offsets

    def indptr(self, ascending: Column, rows: int) -> NDArray[np.int64]:
        """Return the first position of each of the numbers 0, ..., rows - 1 in an ascending column, [rows + 1]."""
        bounds = self.empty(rows + 1, np.int64)
        for first, last in blocks(rows):
            bounds[first:last] = np.searchsorted(ascending, np.arange(first, last).astype(ascending.dtype))
        bounds[rows] = len(ascending)
        return bounds

    def counts(self, numbers: Column, size: int) -> NDArray[np.int64]:
        """Return how often each of the numbers 0, ..., size - 1 occurs."""
        counts = np.zeros(size, dtype=np.int64)
        for first, last in blocks(len(numbers), max(_ROWS, size)):
            counts += np.bincount(numbers[first:last], minlength=size)
        return counts

    def hashes(self, strings: Strings) -> NDArray[np.uint64]:
        """Return `hash_strings` of many strings."""
        made = self.empty(len(strings), np.uint64)
        for first, last in blocks(len(strings)):
            made[first:last] = hash_strings(part_of(strings, first, last))
        return made

    def first_of_equal(self, *columns: Column) -> NDArray[np.bool_]:
        """Return which rows of sorted columns differ from the row before."""
        first_row = self.empty(len(columns[0]), np.bool_)
        for first, last in blocks(len(first_row)):
            differs = np.zeros(last - first, dtype=bool)
            begin = max(first, 1)
            for column in columns:
                differs[begin - first :] |= column[begin:last] != column[begin - 1 : last - 1]
            differs[: begin - first] = True
            first_row[first:last] = differs
        return first_row

    def chosen(self, wanted: NDArray[np.bool_], *columns: Column) -> tuple[Column, ...]:
        """Return the wanted rows of columns."""
        return self.by_blocks(
            lambda some, *parts: [part[some] for part in parts],
            (wanted, *columns),
            [column.dtype for column in columns],
            most=int(np.count_nonzero(wanted)),
        )

    def sort_rows(self, columns: Sequence[Column], limits: Sequence[int]) -> tuple[Column, ...]:
        """Return rows in lexicographic order, as uint32, or uint64 where numbers are too large for it.

        limits  what the numbers of each column are less than: they are joined to as few 64-bit words as they fit into, which
                sorts several times faster
        """
        layout = _layout(limits)
        words = [
            self.by_blocks(_joining(fields), [columns[column] for column, _ in fields], (np.uint64,))[0] for fields in layout
        ]
        words = self.sort_words(words)
        unjoined: list[Column] = []
        for word, fields in zip(words, layout, strict=True):
            dtypes = [np.uint32 if width <= 32 else np.uint64 for _, width in fields]
            unjoined += self.by_blocks(_unjoining(fields), (word,), dtypes)
        return tuple(unjoined)


class GrowingColumn:
    """A column that grows by parts, which are copied into the scratch from time to time."""

    def __init__(self, scratch: Scratch, dtype: Any) -> None:
        self._scratch, self._dtype = scratch, dtype
        self._laid: list[Column] = []
        self._waiting: list[Column] = []
        self._size = self._rows_waiting = 0

    def __len__(self) -> int:
        return self._size

    def append(self, part: Column) -> None:
        """Add some rows at the end."""
        self._waiting.append(part)
        self._size += len(part)
        self._rows_waiting += len(part)
        if self._rows_waiting > 2 * _ROWS:
            self._lay()

    def _lay(self) -> None:
        self._laid.append(self._scratch.joined(self._waiting, self._dtype))
        self._waiting, self._rows_waiting = [], 0

    def concatenate(self) -> Column:
        """Return all rows; the column must not be used afterwards."""
        if self._waiting or not self._laid:
            self._lay()
        laid, self._laid = self._laid, []
        return laid[0] if len(laid) == 1 else self._scratch.joined(laid, self._dtype)


def blocks(size: int, rows: int = _ROWS) -> Iterator[tuple[int, int]]:
    """Yield the bounds of blocks of rows."""
    for first in range(0, size, rows):
        yield first, min(first + rows, size)


def part_of(strings: Strings, first: int, last: int) -> Strings:
    """Return the strings of consecutive rows; only the offsets are copied."""
    offsets = strings.offsets[first : last + 1]
    return Strings(strings.blob[offsets[0] : offsets[-1]], offsets - offsets[0])


_Fields = list[tuple[int, int]]  # (column, bits) of what one word holds


def _layout(limits: Sequence[int]) -> list[_Fields]:
    layout: list[_Fields] = []
    left = 0
    for column, limit in enumerate(limits):
        width = max(1, int(limit - 1).bit_length())
        if width > left:
            layout.append([])
            left = 64
        layout[-1].append((column, width))
        left -= width
    return layout


def _joining(fields: _Fields) -> Callable[..., Sequence[Column]]:
    def join(*parts: Column) -> Sequence[Column]:
        word = parts[0].astype(np.uint64)
        for part, (_, width) in zip(parts[1:], fields[1:], strict=True):
            word <<= np.uint64(width)
            word |= part.astype(np.uint64)
        return (word,)

    return join


def _unjoining(fields: _Fields) -> Callable[..., Sequence[Column]]:
    def unjoin(word: Column) -> Sequence[Column]:
        parts = []
        for _, width in reversed(fields[1:]):
            parts.append(word & np.uint64((1 << width) - 1))
            word = word >> np.uint64(width)
        return [word, *reversed(parts)]

    return unjoin
