"""Keep the arrays of a build on disk, in memory-mapped files, and sort them with duckdb within a limit of memory.

A file is reserved before it is mapped, so that a full disk is an error here and not a crash later, and unlinked at once, so
that it disappears with its array, however the program ends. Only the files of duckdb and the Arrow files of the statements
have names, in a folder that is removed at the end.
"""

from __future__ import annotations

import mmap
import os
import re
import shutil
import tempfile
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.scratch import Column, Scratch
from eigenthemes.core.storage import translate_os_errors
from eigenthemes.core.strings import Strings
from eigenthemes.errors import BuildError, MissingExtraError, OptionError

_SMALL = 1 << 20  # bytes up to which an array stays in memory
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_MB = 10**6
_EACH_PROCESS = 200 * _MB  # interpreter, libraries, one block of a source and its statements
LEAST = 400 * _MB  # with one process
_LOADED, _OF_COLUMNS = 300 * _MB, 0.6  # the program with its compiled code; what columns may take of the rest
_BATCH = 1 << 18  # rows that duckdb returns at a time


def parse_memory(text: str | int) -> int:
    """Return the bytes of `4G`, `500M`, `1.5GB` or a number of bytes."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", str(text).strip(), re.IGNORECASE)
    if match is None:
        raise OptionError(f"{text!r} is no amount of memory; expected a number followed by K, M, G or T, like 4G or 800M")
    return int(float(match[1]) * _UNITS[match[2].upper()])


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

    def __enter__(self) -> SpillScratch:
        with spill_errors(self._parent):
            existing = next(folder for folder in (self._parent, *self._parent.absolute().parents) if folder.exists())
            self.folder = Path(tempfile.mkdtemp(prefix=".eigenthemes-", dir=existing))
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def at_once(self) -> int:
        """Bytes that a single step may use."""
        return self.own_memory // 8

    def empty(self, shape: int | tuple[int, ...], dtype: Any) -> Column:
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        if size <= _SMALL:
            return np.empty(shape, dtype=dtype)
        with spill_errors(self.folder), tempfile.TemporaryFile(dir=self.folder) as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            else:
                file.truncate(size)
            mapped = mmap.mmap(file.fileno(), size)
        return np.frombuffer(mapped, dtype=dtype).reshape(shape)

    def sort_words(self, words: list[NDArray[np.uint64]]) -> list[NDArray[np.uint64]]:
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
        except (duckdb.IOException, duckdb.OutOfMemoryException, OSError) as error:
            text = str(error).lower()
            if "no space" in text or "temp_directory" in text or isinstance(error, duckdb.IOException):
                raise disk_full(self.folder.parent) from error
            raise BuildError(
                f"duckdb could not sort {rows.num_rows:,} rows within its limit of memory; give the build more",
                code="too-little-memory",
            ) from error


def scratch_for(
    out: Path, max_memory: str | int | None, temporary: str | Path | None, jobs: int
) -> AbstractContextManager[Scratch]:
    """Return the scratch of a build: memory, or disk if there is a limit of memory."""
    if max_memory is None:
        return nullcontext(Scratch())
    return SpillScratch(spill_folder(out, temporary), check_memory(max_memory, jobs), jobs=jobs)


def spill_folder(out: Path, folder: str | Path | None) -> Path:
    """Return the folder for temporary files: the chosen one, $EIGENTHEMES_TMP, or that of the KB."""
    chosen = folder or os.environ.get("EIGENTHEMES_TMP")
    return Path(chosen) if chosen else out.absolute().parent


def disk_full(folder: Path) -> BuildError:
    """Return the error for a disk that is too full for temporary files."""
    return BuildError(
        f"the disk of {folder} is too full for the temporary files of the build, and nothing was changed; free some space, or "
        "choose another disk for them",
        code="spill",
        where=str(folder),
    )


def _import_duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError("a build within a limit of memory", "duckdb", "big") from None
    return duckdb


def spill_errors(folder: Path) -> AbstractContextManager[None]:
    """Translate errors of the operating system about temporary files."""

    def cannot(reason: str) -> BuildError:
        return BuildError(
            f"temporary files cannot be written to {folder} ({reason}); choose another folder for them",
            code="spill",
            where=str(folder),
        )

    return translate_os_errors(lambda: disk_full(folder), cannot)
