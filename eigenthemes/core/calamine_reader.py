"""Read a workbook with calamine in a separate process of limited memory.

calamine keeps a complete sheet in memory, as the rectangle that its cells cover. A small file can take more memory than there
is, and the process is aborted: this one, not the user's. As a script: a workbook on standard input, pickles on standard output.
"""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import IO, Any

_ROWS_AT_A_TIME = 1_000

# the first pickle, which says whether others follow
DONE, LOCKED, DAMAGED, TOO_LARGE = "done", "locked", "damaged", "too large"


def run_calamine(data: bytes, memory: int, cells: int, sheet: str | None = None) -> tuple[str, str, IO[bytes]]:
    """Return the status, a message, and a temporary file for `unpickled`: lists of rows of a sheet, or of names of sheets.

    memory  limit in bytes of address space
    cells   limit for the rectangle from the first cell of a sheet to its last
    """
    file = tempfile.TemporaryFile()  # noqa: SIM115
    command = [sys.executable, "-P", __file__, str(memory), str(cells), *([] if sheet is None else [sheet])]
    done = subprocess.run(command, input=data, stdout=file, stderr=subprocess.DEVNULL, check=False)
    if done.returncode > 1:  # an error number: the temporary file cannot be written
        raise OSError(done.returncode, os.strerror(done.returncode))
    status, message = next(unpickled(file), (TOO_LARGE, "")) if done.returncode == 0 else (TOO_LARGE, "")
    return status, message, file


def unpickled(file: IO[bytes]) -> Iterator[Any]:
    """Yield the pickles of a file; several iterators may read it in turns."""
    position = 0
    with suppress(EOFError):
        while True:
            file.seek(position)
            value = pickle.load(file)
            position = file.tell()
            yield value


def main(arguments: list[str]) -> None:
    """Write the pickles that `run_calamine` reads to standard output."""
    import python_calamine

    memory, cells, *sheet = arguments
    _limit_memory(int(memory))
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(sys.stdin.buffer.read()))
        parts = _rows(book.get_sheet_by_name(*sheet), int(cells)) if sheet else iter([_sheet_names(book)])
        first = next(parts, [])
    except python_calamine.PasswordError:
        _write((LOCKED, ""))
    except MemoryError:
        raise SystemExit(1) from None
    except BaseException as error:  # whatever calamine finds wrong with a damaged file; it also panics
        _write((DAMAGED, " ".join(str(error).split())[:120] or type(error).__name__))
    else:
        _write((DONE, ""))
        _write(first)
        for part in parts:
            _write(part)


def _sheet_names(book: Any) -> list[str]:
    import python_calamine

    return [sheet.name for sheet in book.sheets_metadata if sheet.typ == python_calamine.SheetTypeEnum.WorkSheet]


def _rows(sheet: Any, most_cells: int) -> Iterator[list[list[Any]]]:
    """Yield lists of rows, beginning with the first row and the first column of the sheet."""
    if sheet.start is None:
        return
    if (sheet.end[0] + 1) * (sheet.end[1] + 1) > most_cells:
        raise MemoryError
    rows, before = iter(sheet.iter_rows()), [""] * sheet.start[1]
    while some := [before + row for row in islice(rows, _ROWS_AT_A_TIME)]:
        yield some


def _write(value: Any) -> None:
    pickle.dump(value, sys.stdout.buffer)


def _limit_memory(memory: int) -> None:
    try:
        import resource
    except ImportError:  # Windows: only an allocation that is far too large fails
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
        sys.stdout.flush()
    except OSError as error:
        sys.exit(error.errno)
