"""Spreadsheets: the sheets of a workbook and their cells, values only. Nothing in them is computed or run."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterable
from typing import Any

from eigenthemes.errors import MissingExtraError, OptionError, SourceError

MOST_ROWS = 1_048_576  # of a sheet, the header among them
MOST_COLUMNS = 16_384
LONGEST_CELL = 32_767  # letters

Cell = str | int | float | bool | datetime.date | datetime.time | datetime.timedelta | None
Grid = list[list[Any]]


class Workbook:
    """An opened workbook (xlsx, xlsm, xlsb, xls, ods).

    sheets  the names of those that hold cells
    """

    def __init__(self, data: bytes, name: str) -> None:
        try:
            import python_calamine
        except ImportError:
            raise MissingExtraError("reading spreadsheets", "python-calamine", "excel") from None
        self.name = name
        try:
            self._book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        except python_calamine.PasswordError:
            raise SourceError(f"{name} is locked by a password; save it without one", where=name) from None
        except (python_calamine.CalamineError, OSError, ValueError) as error:
            raise SourceError(f"{name} is not a whole spreadsheet ({_one_line(error)}); save it again", where=name) from None
        kinds = python_calamine.SheetTypeEnum
        self.sheets = [sheet.name for sheet in self._book.sheets_metadata if sheet.typ == kinds.WorkSheet]

    def sheet(self, wanted: str | None = None) -> tuple[str, Grid]:
        """Return the name and the cells of a sheet, from the upper left corner on; None: of the first one that has any."""
        if wanted is not None:
            name = self._named(wanted)
            return name, self._grid(name)
        for name in self.sheets:
            grid = self._grid(name)
            if any(map(_has_cells, grid)):
                return name, grid
        raise SourceError(f"{self.name} has no sheet with cells; give a file that holds a table", where=self.name)

    def _named(self, wanted: str) -> str:
        if wanted in self.sheets:
            return wanted
        if wanted.isdigit() and 1 <= int(wanted) <= len(self.sheets):
            return self.sheets[int(wanted) - 1]
        listed = ", ".join(map(repr, self.sheets[:12]))
        raise OptionError(f"{self.name} has no sheet {wanted!r}; it has {listed}", code="sheet-unknown", where=wanted)

    def _grid(self, name: str) -> Grid:
        try:
            return self._book.get_sheet_by_name(name).to_python(skip_empty_area=False)
        except Exception as error:  # whatever the reader of the format meets in a damaged sheet
            raise SourceError(
                f"the sheet {name!r} of {self.name} cannot be read ({_one_line(error)}); save it again", where=self.name
            ) from None


def cell_text(value: Any) -> str:
    """Return a cell as people read it: whole numbers without a point, dates as ISO has them."""
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


def _has_cells(row: Iterable[Any]) -> bool:
    return any(value not in ("", None) for value in row)


def header_row(grid: Grid) -> int:
    """Return the number of the first row that has cells, from 0; the number of rows where none has."""
    return next((number for number, row in enumerate(grid) if _has_cells(row)), len(grid))


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
