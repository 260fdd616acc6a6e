"""Spreadsheets: the values of a sheet are read; columns are added to a copy of the workbook with openpyxl."""

from __future__ import annotations

import datetime
import decimal
import errno
import io
import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import IO, Any

from eigenthemes.core.progress import Advance
from eigenthemes.core.spreadsheets import LONGEST_CELL, MOST_COLUMNS, MOST_ROWS, Row, Workbook, cell_text
from eigenthemes.errors import MissingExtraError, SourceError
from eigenthemes.tables.table_file import (
    CHUNK,
    ColumnLinks,
    ListRows,
    Sampler,
    Scan,
    TableFile,
    TableOptions,
    TableWriter,
    add_kinds,
    added_columns,
    extended_rows,
    full_header,
    value_text,
)

_LOOKS = ("font", "fill", "border", "alignment", "number_format")
_DRAWN = ("xl/charts/", "xl/drawings/", "xl/media/", "xl/slicers/", "xl/diagrams/")  # parts that openpyxl may not keep
_FORMULA = re.compile(rb"<f[ >]")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class SpreadsheetFile:
    """A sheet of a spreadsheet; the first row that has cells is its header."""

    format = "xlsx"
    source: str  # set by open_table

    def __init__(self, path: str, name: str, options: TableOptions) -> None:
        self.name = name
        self.data = Path(path).read_bytes()
        self.workbook = Workbook(self.data, name)
        self.sheet = self.workbook.choose_sheet(options.sheet)
        number, row = next(((number, row) for number, row in enumerate(self.workbook.rows(self.sheet)) if row), (0, []))
        if not row:
            raise SourceError(
                f"the sheet {self.sheet!r} of {name} is empty; a table has at least a header", code="empty-table", where=name
            )
        self.header_row = number if options.header else None
        self.first = number + 1 if options.header else number
        self.header = tuple(cell_text(value).strip() for value in row) if options.header else ()
        self.width = len(row)

    def scan(self, advance: Advance) -> Scan:
        sampler, kinds = Sampler(), dict[int, set[str]]()
        for row in self._rows():
            self.width = max(self.width, len(row))
            for column, value in enumerate(row):
                add_kinds(kinds, column, value)
            if sampler.wants():
                sampler.add(list(map(cell_text, row)))
        notes = [f"the sheet {self.sheet!r} is linked; others are kept as they are"] if len(self.workbook.sheets) > 1 else []
        return Scan(sampler.seen, sampler.kept, kinds, notes)

    def chunks(self) -> Iterator[ListRows]:
        rows, first = self._rows(), self.first
        while some := list(islice(rows, CHUNK)):
            yield ListRows(some, first=first)
            first += len(some)

    def _rows(self) -> Iterator[Row]:
        return islice(self.workbook.rows(self.sheet), self.first, None)

    def writer(self, out: IO[bytes], added: Sequence[str]) -> WorkbookCopyWriter:
        if not self.name.lower().endswith((".xlsx", ".xlsm")):
            raise SourceError(
                f"{self.name} is a spreadsheet of a kind that is only read; write an .xlsx file",
                code="table-output",
                where=self.name,
            )
        return WorkbookCopyWriter(self, out, added)


class WorkbookCopyWriter(TableWriter):
    """Adds cells to the rows of a sheet in a copy of its workbook; formulas, formats, other sheets and macros are kept."""

    def __init__(self, file: SpreadsheetFile, out: IO[bytes], added: Sequence[str]) -> None:
        super().__init__(out)
        self.name = file.name
        self.book = _load_to_edit(file)
        self.sheet = self.book[file.sheet]
        self.column = max(self.sheet.max_column, file.width) + 1
        if self.column - 1 + len(added) > MOST_COLUMNS:
            raise _too_large(file.name, f"{self.column - 1 + len(added):,} columns", f"{MOST_COLUMNS:,}")
        if file.header_row is not None:
            like = self.sheet.cell(file.header_row + 1, len(file.header))
            for cell in self._write_row(file.header_row, added):
                for attribute in _LOOKS:
                    setattr(cell, attribute, copy(getattr(like, attribute)))
        self._note_losses(file)

    def write(self, rows: Any, links: Sequence[ColumnLinks]) -> None:
        for number, values in enumerate(zip(*added_columns(links), strict=True), rows.first):
            self._write_row(number, values)

    def _write_row(self, number: int, values: Sequence[Any]) -> list[Any]:
        cells = [
            self.sheet.cell(number + 1, column, _text_of_cell(self.name, value) if isinstance(value, str) else value)
            for column, value in enumerate(values, self.column)
            if value is not None
        ]
        for cell in cells:
            cell.data_type = "s" if isinstance(cell.value, str) else cell.data_type  # also where it begins with =
        return cells

    def close(self) -> None:
        self.book.save(self.out)

    def discard(self) -> None:
        if self.book.vba_archive is not None:  # the copy of the macros, which openpyxl leaves open
            self.book.vba_archive.close()

    def _note_losses(self, file: SpreadsheetFile) -> None:
        with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
            names = archive.namelist()
            if any(name.startswith(_DRAWN) for name in names):
                self.notes.append(f"charts, pictures and shapes may be missing from the copy; {file.name} keeps them")
            if any(_has_formulas(archive, name) for name in names if name.startswith("xl/worksheets/")):
                self.notes.append("formulas are kept; a spreadsheet program computes their values when it opens the copy")


def _load_to_edit(file: SpreadsheetFile) -> Any:
    import openpyxl

    try:
        with warnings.catch_warnings(action="ignore"):  # about parts that are not kept
            return openpyxl.load_workbook(io.BytesIO(file.data), keep_vba=file.name.lower().endswith(".xlsm"), rich_text=True)
    except Exception as error:  # whatever openpyxl finds wrong with a part that was not read before
        raise SourceError(f"{file.name} is not a complete spreadsheet ({error}); save it again", where=file.name) from None


def _has_formulas(archive: zipfile.ZipFile, name: str) -> bool:
    with archive.open(name) as part:
        return any(_FORMULA.search(block) for block in iter(lambda: part.read(1 << 20), b""))


class NewWorkbookWriter(TableWriter):
    """Writes the rows of a table of another format to a workbook with one sheet; texts that look like formulas are texts."""

    def __init__(self, table: TableFile, scan: Scan, out: IO[bytes], added: Sequence[str]) -> None:
        super().__init__(out)
        try:
            import openpyxl
            from openpyxl.cell import WriteOnlyCell
        except ImportError:
            raise MissingExtraError("writing spreadsheets", "openpyxl", "excel") from None
        self.name, self.width = table.name, table.width
        if scan.rows + bool(table.header) > MOST_ROWS:
            raise _too_large(table.name, f"{scan.rows:,} rows", f"{MOST_ROWS:,}")
        if table.width + len(added) > MOST_COLUMNS:
            raise _too_large(table.name, f"{table.width + len(added):,} columns", f"{MOST_COLUMNS:,}")
        self._new_cell = WriteOnlyCell
        self._is_saved = False
        self.book = openpyxl.Workbook(write_only=True)
        self.sheet = self.book.create_sheet("links")
        if table.header:
            self.sheet.append(list(map(self._cell, (*full_header(table), *added))))

    def write(self, rows: Any, links: Sequence[ColumnLinks]) -> None:
        for row in extended_rows(rows, self.width, links):
            cells = list(map(self._cell, row))
            with _errors_of_disk():
                self.sheet.append(cells)

    def _cell(self, value: Any) -> Any:
        if value is None or value == "":
            return None
        if isinstance(value, bool | int | decimal.Decimal | datetime.timedelta):
            return value
        if isinstance(value, float) and isfinite(value):
            return value
        if isinstance(value, datetime.date | datetime.time) and getattr(value, "tzinfo", None) is None:
            return value
        cell = self._new_cell(self.sheet, value=_text_of_cell(self.name, value_text(value)))
        cell.data_type = "s"
        return cell

    def close(self) -> None:
        saved = io.BytesIO()  # after an error on a disk, openpyxl would leave an archive that fails again when it is deleted
        with _errors_of_disk():
            self.book.save(saved)
        self.out.write(saved.getbuffer())
        self._is_saved = True

    def discard(self) -> None:
        if not self._is_saved:  # openpyxl removes the temporary file of the sheet only when the workbook is saved
            with suppress(Exception):
                self.book.save(io.BytesIO())


@contextmanager
def _errors_of_disk() -> Iterator[None]:
    """Raise OSError where lxml, which openpyxl uses if it is installed, has its own errors for a full disk."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(errno.EIO, f"the workbook cannot be saved: {error}") from error


def _text_of_cell(name: str, text: str) -> str:
    """Return a text as a workbook holds it: characters that XML cannot hold are escaped."""
    if len(text) > LONGEST_CELL:
        raise _too_large(name, f"a cell of {len(text):,} characters", f"cells of {LONGEST_CELL:,}")
    text = re.sub("_(?=x[0-9A-Fa-f]{4}_)", "_x005F_", text)
    return _NOT_XML.sub(lambda match: f"_x{ord(match[0]):04X}_", text)


def _too_large(name: str, what: str, limit: str) -> SourceError:
    return SourceError(
        f"{name} with the links has {what}, and a sheet holds {limit}; write another format, such as CSV or Parquet",
        code="table-output",
        where=name,
    )
