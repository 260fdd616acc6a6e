"""Large arrays of a build, in memory or, within a limit of memory, on disk.

`Scratch` allocates and sorts arrays in memory; `SpillScratch` allocates them in memory-mapped files, and sorts with duckdb what
does not fit into memory. All other operations are written once, by blocks of rows; results are the same, byte for byte.

A file is reserved before it is mapped, so that a full disk is an error here and not a crash later, and unlinked at once, so
that it disappears with its array, however the program ends. Only the files of duckdb have names, in a folder that is removed at
the end.
"""

from __future__ import annotations

import mmap
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.storage import is_full, reason
from eigenthemes.core.strings import Strings, hash_strings, part_of
from eigenthemes.errors import BuildError, MissingExtraError, OptionError

Column = NDArray[Any]
_ROWS = 1 << 20  # rows worked on at a time: a temporary array takes 8 MB
_SMALL = 1 << 20  # bytes up to which an array stays in memory
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_MB = 10**6
_EACH_PROCESS = 200 * _MB  # interpreter, libraries, one block of a source and its statements
LEAST = 400 * _MB  # with one process
_LOADED, _OF_COLUMNS = 300 * _MB, 0.6  # the program with its compiled code; what columns may take of the rest
_BATCH = 1 << 18  # rows that duckdb returns at a time


class Scratch:
    """Arrays in memory, sorted by numpy."""

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Column:
        """Return an array whose content is not defined yet."""
        return np.empty(shape, dtype=dtype)

    def open_file(self) -> IO[bytes] | None:
        """Return a temporary file for a column that grows; None if it stays in memory."""
        return None

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
        return np.concatenate([*parts, np.empty(0, dtype=dtype)], out=whole, casting="unsafe")

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
        first_row[:1] = True
        for first, last in blocks(len(first_row) - 1):
            rows, before = slice(first + 1, last + 1), slice(first, last)
            first_row[rows] = np.any([column[rows] != column[before] for column in columns], axis=0)
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
        layout, left = _layout(limits), iter(columns)
        words = [self.by_blocks(partial(_join, widths), [next(left) for _ in widths], (np.uint64,))[0] for widths in layout]
        words = self.sort_words(words)
        split: list[Column] = []
        for word, widths in zip(words, layout, strict=True):
            dtypes = [np.uint32 if width <= 32 else np.uint64 for width in widths]
            split += self.by_blocks(partial(_split, widths), (word,), dtypes)
        return tuple(split)


class GrowingColumn:
    """A column that grows by parts; a scratch on disk writes them to a file at once."""

    def __init__(self, scratch: Scratch, dtype: Any) -> None:
        self._scratch, self._dtype, self._size = scratch, dtype, 0
        self._file = scratch.open_file()
        self._parts: list[Column] = []

    def __len__(self) -> int:
        return self._size

    def append(self, part: Column) -> None:
        """Add some rows at the end."""
        self._size += len(part)
        if self._file is None:
            self._parts.append(part)
        else:
            self._file.write(np.ascontiguousarray(part, dtype=self._dtype).data)

    def concatenate(self) -> Column:
        """Return all rows; the column must not be used afterwards."""
        if self._file is not None:
            with self._file:
                return _mapped(self._file, self._dtype)
        parts, self._parts = self._parts, []
        return self._scratch.joined(parts, self._dtype)


class GrowingStrings:
    """Strings that grow by parts."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._bytes, self._lengths = GrowingColumn(scratch, np.uint8), GrowingColumn(scratch, np.int64)

    def __len__(self) -> int:
        return len(self._lengths)

    def append(self, strings: Strings) -> None:
        """Add some strings at the end."""
        self._bytes.append(strings.blob)
        self._lengths.append(np.diff(strings.offsets))

    def concatenate(self) -> Strings:
        """Return all strings; nothing may be appended afterwards."""
        return Strings(self._bytes.concatenate(), self._scratch.offsets(self._lengths.concatenate()))


def blocks(size: int, rows: int = _ROWS) -> Iterator[tuple[int, int]]:
    """Yield the bounds of blocks of rows."""
    for first in range(0, size, rows):
        yield first, min(first + rows, size)


def _layout(limits: Sequence[int]) -> list[list[int]]:
    """Return how many bits each column takes, those of one word together."""
    layout: list[list[int]] = []
    for limit in limits:
        width = max(1, int(limit - 1).bit_length())
        if not layout or sum(layout[-1]) + width > 64:
            layout.append([])
        layout[-1].append(width)
    return layout


def _join(widths: Sequence[int], first: Column, *others: Column) -> Sequence[Column]:
    word = first.astype(np.uint64)
    for part, width in zip(others, widths[1:], strict=True):
        word <<= np.uint64(width)
        word |= part.astype(np.uint64)
    return (word,)


def _split(widths: Sequence[int], word: Column) -> Sequence[Column]:
    parts = []
    for width in reversed(widths[1:]):
        parts.append(word & np.uint64((1 << width) - 1))
        word = word >> np.uint64(width)
    return [word, *reversed(parts)]


class SpillScratch(Scratch):
    """Arrays in memory-mapped files.

    folder      parent of the temporary folder
    max_memory  limit in bytes for all processes of the build together; mapped files do not count
    """

    def __init__(self, folder: Path, max_memory: int, *, jobs: int = 1) -> None:
        _import_duckdb()  # reports that it is missing before hours of reading
        self.own_memory = max_memory - (jobs - 1) * _EACH_PROCESS
        self.jobs = jobs
        self._parent = folder
        self._open_files: list[IO[bytes]] = []

    def __enter__(self) -> SpillScratch:
        try:
            existing = next(folder for folder in (self._parent, *self._parent.absolute().parents) if folder.exists())
            self.folder = Path(tempfile.mkdtemp(prefix=".eigenthemes-", dir=existing))
        except OSError as error:
            message = f"temporary files cannot be written to {self._parent} ({reason(error)}); choose another folder for them"
            raise BuildError(message, code="spill", where=str(self._parent)) from None
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        for file in self._open_files:
            with suppress(OSError):  # what is not written yet may not fit on the disk
                file.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        if isinstance(error, OSError) and is_full(error):
            raise self._disk_full() from error

    def _disk_full(self) -> BuildError:
        message = (
            f"the disk of {self._parent} is too full for the temporary files of the build, and nothing was changed; free some "
            "space, or choose another disk for them"
        )
        return BuildError(message, code="spill", where=str(self._parent))

    @property
    def at_once(self) -> int:
        """Bytes that a single step may use."""
        return self.own_memory // 8

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Column:
        """Return an array without contents, in a file if it is large."""
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        if size <= _SMALL:
            return np.empty(shape, dtype=dtype)
        with tempfile.TemporaryFile(dir=self.folder) as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            else:
                file.truncate(size)
            return _mapped(file, dtype).reshape(shape)

    def open_file(self) -> IO[bytes]:
        """Return a temporary file that is closed with the others at the end."""
        self._open_files.append(tempfile.TemporaryFile(dir=self.folder))  # noqa: SIM115  closed at the end
        return self._open_files[-1]

    def sort_words(self, words: list[NDArray[np.uint64]]) -> list[NDArray[np.uint64]]:
        """Sort rows by their words, on disk if they do not fit."""
        needed = 8 * len(words[0]) * (1 if len(words) == 1 else 3)  # of two words the order and a copy are made
        if needed <= self.at_once:
            return [self.joined([word], np.uint64) for word in super().sort_words(words)]
        import pyarrow as pa

        names = [f"word{number}" for number in range(len(words))]
        rows = pa.table({name: pa.array(word) for name, word in zip(names, words, strict=True)})
        sorted_words = [self.empty(len(word), np.uint64) for word in words]
        self._sorted(rows, f"SELECT {', '.join(names)} FROM rows ORDER BY {', '.join(names)}", sorted_words)
        return sorted_words

    def order_of_strings(self, strings: Strings) -> NDArray[np.int64]:
        """Return the order of strings, sorted on disk if they do not fit."""
        if len(strings.blob) + 150 * len(strings) <= self.at_once:
            return super().order_of_strings(strings)
        import pyarrow as pa

        texts = pa.Array.from_buffers(
            pa.large_binary(), len(strings), [None, pa.py_buffer(strings.offsets), pa.py_buffer(strings.blob)]
        )
        rows = pa.table({"text": texts, "row": pa.array(np.arange(len(strings)))})
        order = self.empty(len(strings), np.int64)
        self._sorted(rows, 'SELECT "row" FROM rows ORDER BY "text"', [order])  # bytes of UTF-8 sort as code points do
        return order

    def columns_at_once(self, bytes_each: int, most: int) -> int:
        """Return how many columns fit in memory: a power of two, or all."""
        fitting = int(_OF_COLUMNS * max(0, self.own_memory - _LOADED)) // max(1, bytes_each)
        return max(1, min(most, 1 << (max(1, fitting).bit_length() - 1)))

    def _sorted(self, rows: Any, query: str, into: list[Column]) -> None:
        """Sort an Arrow table with duckdb; write its columns into arrays."""
        duckdb = _import_duckdb()
        settings = {
            "memory_limit": f"{self.own_memory // 4 // _MB}MB",
            "temp_directory": str(self.folder / "engine"),
            "threads": self.jobs,
            "preserve_insertion_order": False,
        }
        try:
            with duckdb.connect(config=settings) as connection:
                connection.register("rows", rows)
                at = 0
                for batch in connection.sql(query).to_arrow_reader(_BATCH):
                    for array, column in zip(into, batch.columns, strict=True):
                        array[at : at + len(column)] = column.to_numpy()
                    at += batch.num_rows
        except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
            if isinstance(error, duckdb.IOException) or "temp_directory" in str(error):
                raise self._disk_full() from error
            raise BuildError(
                f"duckdb could not sort {rows.num_rows:,} rows within its limit of memory; give the build more",
                code="too-little-memory",
            ) from error


def _mapped(file: IO[bytes], dtype: Any) -> Column:
    """Return the content of a file as an array, which stays valid when the file is closed."""
    file.flush()
    size = os.fstat(file.fileno()).st_size
    return np.frombuffer(mmap.mmap(file.fileno(), size), dtype=dtype) if size else np.empty(0, dtype=dtype)


def _import_duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError("a build within a limit of memory", "duckdb", "big") from None
    return duckdb


def scratch_for(
    out: Path, max_memory: str | int | None, temporary: str | Path | None, jobs: int
) -> AbstractContextManager[Scratch]:
    """Return the scratch of a build: memory, or if there is a limit of memory, a folder.

    That is the given one, $EIGENTHEMES_TMP, or the one of the KB.
    """
    if max_memory is None:
        return nullcontext(Scratch())
    folder = temporary or os.environ.get("EIGENTHEMES_TMP") or out.absolute().parent
    return SpillScratch(Path(folder), check_memory(max_memory, jobs), jobs=jobs)


def check_memory(max_memory: str | int, jobs: int) -> int:
    """Return the limit in bytes; refuse one that is too small for a build."""
    size, least = parse_memory(max_memory), LEAST + (jobs - 1) * _EACH_PROCESS
    if size < least:
        fewer = ", or fewer processes" if jobs > 1 else ""
        raise OptionError(
            f"a build cannot do with {max_memory} of memory; give it {least // _MB}M at least with "
            f"{jobs} process{'es' * (jobs > 1)}{fewer}",
            code="too-little-memory",
        )
    return size


def parse_memory(text: str | int) -> int:
    """Return the bytes of `4G`, `500M`, `1.5GB` or a number of bytes."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", str(text).strip(), re.IGNORECASE)
    if match is None:
        raise OptionError(f"{text!r} is no amount of memory; expected a number followed by K, M, G or T, like 4G or 800M")
    return int(float(match[1]) * _UNITS[match[2].upper()])
