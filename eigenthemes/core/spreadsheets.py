"""Read the values of a workbook's cells, within Excel's own limits. Nothing in a workbook is computed or run."""

from __future__ import annotations

import datetime
import importlib.util
import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from itertools import islice
from typing import Any

from eigenthemes.errors import MissingExtraError, OptionError, SourceError

MOST_ROWS = 1_048_576  # of a sheet, including the header
MOST_COLUMNS = 16_384
LONGEST_CELL = 32_767  # characters
MOST_CELLS = 100_000_000  # of the rectangle that a sheet covers
MOST_UNPACKED = 2 << 30  # bytes of all parts of the archive

_ROWS_AT_A_TIME = 1_000
_ERRORS = {"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A"}
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")  # how a workbook writes characters that XML cannot hold

Row = list[Any]


class Workbook:
    """A workbook: xlsx and xlsm are read with openpyxl row by row; xlsb, xls and ods with calamine into memory.

    sheets  names of its worksheets
    """

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._data = data
        self._sheets: dict[str, list[Row]] = {}  # rows read with calamine
        self.is_xlsx = self._check_archive()
        _check_installed("openpyxl" if self.is_xlsx else "python_calamine")
        self._book = self._load_xlsx() if self.is_xlsx else None
        self.sheets: list[str] = self._sheet_names()

    def rows(self, sheet: str) -> Iterator[Row]:
        """Yield the rows of a sheet without the empty cells and rows at their end; other empty cells are None."""
        width = empty = 0
        for number, values in enumerate(self._values(sheet), 1):
            row = self._stripped(sheet, values)
            width = max(width, len(row))
            self._check_size(sheet, number, width)
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

    def _check_archive(self) -> bool:
        """Refuse an archive that unpacks to too much; return whether it is an xlsx or xlsm file."""
        if not self._data.startswith(b"PK"):
            return False
        try:
            with zipfile.ZipFile(io.BytesIO(self._data)) as archive:  # never unpacks more than a part declares
                size, names = sum(part.file_size for part in archive.infolist()), archive.namelist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise self._damaged(error) from None
        if size > MOST_UNPACKED:
            raise self._too_large(f"unpacks to {size:,} bytes, and at most {MOST_UNPACKED:,} are read")
        return "xl/workbook.bin" not in names and "content.xml" not in names

    def _load_xlsx(self) -> Any:
        import openpyxl

        try:
            with warnings.catch_warnings(action="ignore"):  # about formats that are not read anyway
                return openpyxl.load_workbook(io.BytesIO(self._data), read_only=True, data_only=True)
        except Exception as error:  # whatever openpyxl finds wrong with a damaged file
            raise self._damaged(error) from None

    def _sheet_names(self) -> list[str]:
        if self._book is not None:
            return [sheet.title for sheet in self._book.worksheets]
        names: list[str] = self._calamine(None)
        return names

    def _values(self, sheet: str) -> Iterator[Any]:
        if self._book is None:
            if sheet not in self._sheets:
                self._sheets[sheet] = self._calamine(sheet)
            yield from self._sheets[sheet]
            return
        self._book[sheet].reset_dimensions()  # those that the file declares may be wrong
        rows = self._book[sheet].iter_rows(values_only=True)
        while some := self._read_some(sheet, rows):
            yield from some

    def _read_some(self, sheet: str, rows: Iterator[Any]) -> list[Any]:
        try:
            with warnings.catch_warnings(action="ignore"):
                return list(islice(rows, _ROWS_AT_A_TIME))
        except Exception as error:
            raise self._damaged(error, f"the sheet {sheet!r} of ") from None

    def _calamine(self, sheet: str | None) -> Any:
        from eigenthemes.core.calamine_reader import DONE, LOCKED, run_calamine

        status, value = run_calamine(self._data, sheet)
        if status == DONE:
            return value
        if status == LOCKED:
            raise SourceError(f"{self.name} is locked by a password; save it without one", where=self.name)
        raise self._damaged(value, "" if sheet is None else f"the sheet {sheet!r} of ")

    def _stripped(self, sheet: str, values: Any) -> Row:
        row = [self._value(sheet, value) for value in values]
        while row and row[-1] is None:
            row.pop()
        return row

    def _value(self, sheet: str, value: Any) -> Any:
        if isinstance(value, str):
            if len(value) > LONGEST_CELL:
                raise self._too_large(
                    f"has a cell of {len(value):,} characters in the sheet {sheet!r}, and Excel allows {LONGEST_CELL:,}"
                )
            return None if not value or value in _ERRORS else value if "_x" not in value else _ESCAPED.sub(_character, value)
        if isinstance(value, float):
            return int(value) if value.is_integer() and abs(value) < 1e15 else value
        if isinstance(value, datetime.datetime) and value.time() == datetime.time():
            return value.date()
        return value

    def _check_size(self, sheet: str, rows: int, columns: int) -> None:
        if rows > MOST_ROWS or columns > MOST_COLUMNS or rows * columns > MOST_CELLS:
            raise self._too_large(
                f"has {rows:,} or more rows of {columns:,} cells in the sheet {sheet!r}, and at most {MOST_ROWS:,} rows, "
                f"{MOST_COLUMNS:,} columns and {MOST_CELLS:,} cells are read"
            )

    def _too_large(self, what: str) -> SourceError:
        return SourceError(
            f"{self.name} {what}; delete cells far from the table, or save it as CSV", code="spreadsheet-size", where=self.name
        )

    def _damaged(self, error: object, sheet: str = "") -> SourceError:
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        return SourceError(f"{sheet}{self.name} is not a complete spreadsheet ({reason}); save it again", where=self.name)


def _check_installed(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise MissingExtraError("reading spreadsheets", module.replace("_", "-"), "excel")


def _character(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))


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
