"""Spreadsheets: the values of a sheet are read; columns are added to a copy of the workbook, or written to a new one."""

from __future__ import annotations

import datetime
import decimal
import errno
import io
import posixpath
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree
from xml.etree.ElementTree import ParseError
from xml.sax.saxutils import escape

from eigenthemes.core.progress import Advance
from eigenthemes.core.spreadsheets import LONGEST_CELL, MOST_COLUMNS, MOST_ROWS, Workbook, cell_text
from eigenthemes.documents.reader import ignore
from eigenthemes.errors import MissingExtraError, SourceError
from eigenthemes.tables.table_file import ColumnLinks, Scan, TableFile, TableOptions, TableWriter, added_columns, value_text

_BLOCK = 1 << 20
# parts of the XML of a sheet, whose tags may have a prefix
_ROW = re.compile(rb"<((?:\w+:)?)row\b([^>]*?)(?:/>|>(.*?)</\1row>)", re.DOTALL)
_ROWS = re.compile(rb".*</(?:\w+:)?row>", re.DOTALL)
_ROW_NUMBER = re.compile(rb'\br="(\d+)"')
_COLUMN = re.compile(rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]+)\d')
_STYLE = re.compile(rb'<(?:\w+:)?c\b[^>]*?(\ss="\d+")')
_SPANS = re.compile(rb'\s+spans="[^"]*"')  # optional, and wrong for longer rows
_DIMENSION = re.compile(rb"<((?:\w+:)?)dimension\b[^>]*?(?:/>|></\1dimension>)")  # likewise
_TAG = re.compile(rb"<(/?)")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class SpreadsheetFile(TableFile):
    """A sheet of a spreadsheet; the first row that has cells is its header."""

    format = "xlsx"

    def __init__(self, path: str, name: str, options: TableOptions) -> None:
        self.name = name
        self.data = Path(path).read_bytes()
        self.workbook = Workbook(self.data, name)
        self.sheet = self.workbook.choose_sheet(options.sheet)
        number, row = next(((number, row) for number, row in enumerate(self.workbook.rows(self.sheet)) if row), (0, []))
        if not row:
            raise self.error(f"has an empty sheet {self.sheet!r}; a table has at least a header", "empty-table")
        self.header_row = number if options.header else None
        self.first = number + 1 if options.header else number
        self.header = tuple(cell_text(value).strip() for value in row) if options.header else ()
        self.width = len(row)

    def rows(self, advance: Advance = ignore) -> Iterator[tuple[list[Any], bytes]]:
        for row in islice(self.workbook.rows(self.sheet), self.first, None):
            yield row + [None] * (self.width - len(row)), b""

    def notes(self) -> list[str]:
        return [f"the sheet {self.sheet!r} is linked; others are kept as they are"] if len(self.workbook.sheets) > 1 else []

    def writer(self, out: IO[bytes], added: Sequence[str]) -> WorkbookCopyWriter:
        if not self.name.lower().endswith((".xlsx", ".xlsm")):
            raise self.error("is a spreadsheet of a kind that is only read; write an .xlsx file", "table-output")
        return WorkbookCopyWriter(self, out, added)


class WorkbookCopyWriter(TableWriter):
    """Adds cells to the rows of a sheet in a copy of its workbook.

    Only the XML of these rows is changed: values of formulas, formats, charts, other sheets and macros are kept.
    """

    def __init__(self, file: SpreadsheetFile, out: IO[bytes], added: Sequence[str]) -> None:
        from openpyxl.utils import column_index_from_string, get_column_letter

        super().__init__(file, out)
        self.letters_of, self.header_row = get_column_letter, file.header_row
        self.archive = zipfile.ZipFile(io.BytesIO(file.data))
        with self._damage_reported():
            self.part = _part_of_sheet(self.archive, file.sheet)
            columns = {letters for block in self._blocks() for letters in _COLUMN.findall(block)}
        # formatted cells without a value count, too
        self.column = max(file.width, *(column_index_from_string(letters.decode()) for letters in columns), 0)
        if self.column + len(added) > MOST_COLUMNS:
            raise _too_large(file, f"{self.column + len(added):,} columns", f"{MOST_COLUMNS:,}")
        self.added: dict[int, Sequence[Any]] = {} if file.header_row is None else {file.header_row: added}
        self.next = file.first  # number of the first row of the next ones
        self.row = -1  # number of the last row whose XML was written

    def write(self, rows: Any, links: Sequence[ColumnLinks]) -> None:
        """Keep the links of rows until the copy is made."""
        for number, values in enumerate(zip(*added_columns(links), strict=True), self.next):
            if any(value is not None for value in values):
                self.added[number] = values
        self.next += len(rows)

    def close(self) -> None:
        """Copy the workbook, with cells added to the rows of the sheet."""
        with self._damage_reported(), zipfile.ZipFile(self.out, "w", zipfile.ZIP_DEFLATED) as copy:
            for part in self.archive.infolist():
                info = zipfile.ZipInfo(part.filename, part.date_time)
                info.compress_type, info.external_attr = part.compress_type, part.external_attr
                with copy.open(info, "w", force_zip64=True) as target, self.archive.open(part) as source:
                    if part.filename == self.part:
                        target.writelines(_ROW.sub(self._extended_row, _DIMENSION.sub(b"", block)) for block in self._blocks())
                    else:
                        shutil.copyfileobj(source, target, _BLOCK)
        if self.added:
            problem = "is not written as a spreadsheet usually is, so cells cannot be added to its rows"
            raise self.table.error(f"{problem}; write another format, such as CSV", "table-output")

    def _blocks(self) -> Iterator[bytes]:
        """Yield the XML of the sheet in blocks that end with a row."""
        rest = b""
        with self.archive.open(self.part) as source:
            while block := source.read(_BLOCK):
                rest += block
                if rows := _ROWS.match(rest):
                    yield rows[0]
                    rest = rest[rows.end() :]
        yield rest

    def _extended_row(self, match: re.Match[bytes]) -> bytes:
        prefix, attributes, body = match[1], match[2], match[3] or b""
        number = _ROW_NUMBER.search(attributes)
        self.row = int(number[1]) - 1 if number else self.row + 1
        if self.row not in self.added:
            return match[0]
        style = _STYLE.findall(body)[-1:] if self.row == self.header_row else []
        xml = b"".join(
            _cell_xml(f"{self.letters_of(column)}{self.row + 1}", self.table, value, b"".join(style))
            for column, value in enumerate(self.added.pop(self.row), self.column + 1)
            if value is not None
        )
        xml = _TAG.sub(rb"<\1" + prefix, xml)
        return b"<%brow%b>%b%b</%brow>" % (prefix, _SPANS.sub(b"", attributes), body, xml, prefix)

    @contextmanager
    def _damage_reported(self) -> Iterator[None]:
        try:
            yield
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, KeyError, ParseError) as error:
            raise self.table.error(f"is not a complete spreadsheet ({error}); save it again") from None


def _part_of_sheet(archive: zipfile.ZipFile, sheet: str) -> str:
    """Return the name of the part that holds a sheet."""
    relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    targets = {each.get("Id"): each.get("Target", "") for each in relations}
    for element in ElementTree.fromstring(archive.read("xl/workbook.xml")).iterfind(".//{*}sheet"):
        if element.get("name") == sheet:
            target = targets[next(value for key, value in element.items() if key.endswith("}id"))]
            return posixpath.normpath(posixpath.join("/xl", target)).removeprefix("/")
    raise KeyError(f"there is no sheet {sheet}")


def _cell_xml(place: str, table: TableFile, value: str | float, style: bytes) -> bytes:
    if isinstance(value, str):
        text = escape(_text_of_cell(table, value)).encode()
        return b'<c r="%b"%b t="inlineStr"><is><t xml:space="preserve">%b</t></is></c>' % (place.encode(), style, text)
    return b'<c r="%b"%b><v>%b</v></c>' % (place.encode(), style, repr(value).encode())


class NewWorkbookWriter(TableWriter):
    """Writes the rows of a table of another format to a workbook with one sheet; texts that look like formulas are texts."""

    def __init__(self, table: TableFile, scan: Scan, out: IO[bytes], added: Sequence[str]) -> None:
        super().__init__(table, out)
        try:
            import openpyxl
            from openpyxl.cell import WriteOnlyCell
        except ImportError:
            raise MissingExtraError("writing spreadsheets", "openpyxl", "excel") from None
        if scan.rows + bool(table.header) > MOST_ROWS:
            raise _too_large(table, f"{scan.rows:,} rows", f"{MOST_ROWS:,}")
        if table.width + len(added) > MOST_COLUMNS:
            raise _too_large(table, f"{table.width + len(added):,} columns", f"{MOST_COLUMNS:,}")
        self._new_cell = WriteOnlyCell
        self._is_saved = False
        self.book = openpyxl.Workbook(write_only=True)
        self.sheet = self.book.create_sheet("links")
        if table.header:
            self.sheet.append(list(map(self._cell, (*table.full_header, *added))))

    def write(self, rows: Any, links: Sequence[ColumnLinks]) -> None:
        for row in rows.extended(self.table.width, links):
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
        cell = self._new_cell(self.sheet, value=_text_of_cell(self.table, value_text(value)))
        cell.data_type = "s"
        return cell

    def close(self) -> None:
        saved = io.BytesIO()  # after an error on a disk, openpyxl would leave an archive that fails again when it is deleted
        with _errors_of_disk():
            self.book.save(saved)
        self.out.write(saved.getbuffer())
        self._is_saved = True

    def discard(self) -> None:
        """Save the workbook to nowhere if it was not saved."""
        if not self._is_saved:  # openpyxl removes the temporary file of the sheet only when the workbook is saved
            with suppress(Exception):
                self.book.save(io.BytesIO())


@contextmanager
def _errors_of_disk() -> Iterator[None]:
    """Raise OSError for the errors that lxml, which openpyxl uses if it is installed, raises on a full disk."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(errno.EIO, f"the workbook cannot be saved: {error}") from error


def _text_of_cell(table: TableFile, text: str) -> str:
    """Return a text as a workbook holds it: characters that XML cannot hold are escaped."""
    if len(text) > LONGEST_CELL:
        raise _too_large(table, f"a cell of {len(text):,} characters", f"cells of {LONGEST_CELL:,}")
    text = re.sub("_(?=x[0-9A-Fa-f]{4}_)", "_x005F_", text)
    return _NOT_XML.sub(lambda match: f"_x{ord(match[0]):04X}_", text)


def _too_large(table: TableFile, what: str, limit: str) -> SourceError:
    problem = f"with the links has {what}, and a sheet holds {limit}; write another format, such as CSV or Parquet"
    return table.error(problem, "table-output")
