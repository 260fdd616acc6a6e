"""Read the values of a workbook's cells, within Excel's own limits. Nothing in a workbook is computed or run.

calamine keeps a complete sheet in memory, as the rectangle that its cells cover. A small file can take more memory than there
is, and its process is aborted. Therefore it runs in another process, of limited memory: this module as a script, which gets a
workbook on standard input and writes pickles to standard output: a status with a message, then lists of rows.
"""

from __future__ import annotations

import datetime
import importlib.util
import io
import os
import pickle
import subprocess
import sys
import tempfile
import weakref
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import IO, Any

from eigenthemes.errors import MissingExtraError, OptionError, SourceError

MOST_ROWS = 1_048_576  # of a sheet, including the header
MOST_COLUMNS = 16_384
LONGEST_CELL = 32_767  # characters
MOST_CELLS = 100_000_000  # of the rectangle that a sheet covers
MOST_UNPACKED = 2 << 30  # bytes of all parts of the archive

# address space for reading a sheet: a small file gets little, so that it cannot be made to take much
LEAST_MEMORY = 1 << 30
MOST_MEMORY = 4 << 30
MEMORY_PER_BYTE = 40  # of the file

_ROWS_AT_A_TIME = 1_000
_DONE, _LOCKED, _DAMAGED, _TOO_LARGE = "done", "locked", "damaged", "too large"

Row = list[Any]


class Workbook:
    """A workbook: xlsx, xlsm, xlsb, xls or ods.

    sheets  names of its worksheets
    """

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._data = data
        self._files: dict[str | None, IO[bytes]] = {}  # sheet -> its rows; None -> the names of all sheets
        self._check_archive()
        if importlib.util.find_spec("python_calamine") is None:
            raise MissingExtraError("reading spreadsheets", "python-calamine", "excel")
        self.sheets: list[str] = list(self._read(None))

    def rows(self, sheet: str) -> Iterator[Row]:
        """Yield the rows of a sheet without the empty cells and rows at their end; other empty cells are None."""
        width = empty = 0
        for number, values in enumerate(self._read(sheet), 1):
            row = [self._value(sheet, value) for value in values]
            while row and row[-1] is None:
                row.pop()
            width = max(width, len(row))
            if number > MOST_ROWS or width > MOST_COLUMNS:
                raise self._too_large(
                    f"has {number:,} or more rows of {width:,} cells in the sheet {sheet!r}, and at most {MOST_ROWS:,} rows "
                    f"and {MOST_COLUMNS:,} columns are read"
                )
            if row:
                yield from ([] for _ in range(empty))
                yield row
            empty = 0 if row else empty + 1

    def choose_sheet(self, wanted: str | None) -> str:
        """Return the name of a sheet given by name or number from 1; None: of the first one that has cells."""
        if wanted in self.sheets:
            return str(wanted)
        if wanted is None:
            for sheet in self.sheets:
                if next(self.rows(sheet), None) is not None:
                    return sheet
            raise SourceError(f"{self.name} has no sheet with cells; give a file that holds a table", where=self.name)
        if wanted.isdigit() and 1 <= int(wanted) <= len(self.sheets):
            return self.sheets[int(wanted) - 1]
        listed = ", ".join(map(repr, self.sheets[:12]))
        raise OptionError(f"{self.name} has no sheet {wanted!r}; it has {listed}", code="sheet-unknown", where=wanted)

    def _check_archive(self) -> None:
        """Refuse an archive that is damaged or unpacks to too much; an xls file is no archive."""
        if not self._data.startswith(b"PK"):
            return
        try:
            with zipfile.ZipFile(io.BytesIO(self._data)) as archive:
                size = sum(part.file_size for part in archive.infolist())
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise self._damaged(error) from None
        if size > MOST_UNPACKED:
            raise self._too_large(f"unpacks to {size:,} bytes, and at most {MOST_UNPACKED:,} are read")

    def _read(self, sheet: str | None) -> Iterator[Any]:
        """Yield the rows of a sheet, or the names of all sheets; calamine runs once for each sheet."""
        if sheet not in self._files:
            self._files[sheet] = self._run_calamine(sheet)
        return chain.from_iterable(islice(_unpickled(self._files[sheet]), 1, None))

    def _run_calamine(self, sheet: str | None) -> IO[bytes]:
        """Return a temporary file of pickles: a status, and lists of rows of a sheet or of names of sheets."""
        memory = min(MOST_MEMORY, LEAST_MEMORY + MEMORY_PER_BYTE * len(self._data))
        command = [sys.executable, "-P", "-m", __name__, str(memory), str(MOST_CELLS), *([] if sheet is None else [sheet])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        file = tempfile.TemporaryFile()  # noqa: SIM115
        weakref.finalize(self, file.close)
        done = subprocess.run(command, input=self._data, stdout=file, stderr=subprocess.DEVNULL, env=environment, check=False)
        if done.returncode > 1:  # an error number: the temporary file cannot be written
            raise OSError(done.returncode, os.strerror(done.returncode))
        status, message = next(_unpickled(file), (_TOO_LARGE, "")) if done.returncode == 0 else (_TOO_LARGE, "")
        if status == _LOCKED:
            raise SourceError(f"{self.name} is locked by a password; save it without one", where=self.name)
        if status == _TOO_LARGE:
            raise self._too_large(f"takes more than {memory / 2**30:.1f} GB of memory or {MOST_CELLS:,} cells")
        if status != _DONE:
            raise self._damaged(message, "" if sheet is None else f"the sheet {sheet!r} of ")
        return file

    def _value(self, sheet: str, value: Any) -> Any:
        if isinstance(value, str) and len(value) > LONGEST_CELL:
            raise self._too_large(
                f"has a cell of {len(value):,} characters in the sheet {sheet!r}, and Excel allows {LONGEST_CELL:,}"
            )
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
            return int(value)
        return None if value == "" else value

    def _too_large(self, what: str) -> SourceError:
        return SourceError(
            f"{self.name} {what}; delete cells far from the table, or save it as CSV", code="spreadsheet-size", where=self.name
        )

    def _damaged(self, error: object, sheet: str = "") -> SourceError:
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        return SourceError(f"{sheet}{self.name} is not a complete spreadsheet ({reason}); save it again", where=self.name)


def cell_text(value: Any) -> str:
    """Return a cell as people read it: whole numbers without a point, dates in ISO format."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)


# in the other process


def _unpickled(file: IO[bytes]) -> Iterator[Any]:
    """Yield the pickles of a file; several iterators may read it in turns."""
    position = 0
    with suppress(EOFError):
        while True:
            file.seek(position)
            value = pickle.load(file)
            position = file.tell()
            yield value


def _main(arguments: list[str]) -> None:
    """Write the pickles that `Workbook` reads to standard output."""
    import python_calamine

    memory, cells, *sheet = arguments
    _limit_memory(int(memory))
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(sys.stdin.buffer.read()))
        parts = _rows(book.get_sheet_by_name(*sheet), int(cells)) if sheet else iter([_sheet_names(book)])
        first = next(parts, [])
    except python_calamine.PasswordError:
        _write((_LOCKED, ""))
    except MemoryError:
        raise SystemExit(1) from None
    except BaseException as error:  # whatever calamine finds wrong with a damaged file; it also panics
        _write((_DAMAGED, " ".join(str(error).split())[:120] or type(error).__name__))
    else:
        _write((_DONE, ""))
        for part in chain([first], parts):
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
        _main(sys.argv[1:])
        sys.stdout.flush()
    except OSError as error:
        sys.exit(error.errno)
