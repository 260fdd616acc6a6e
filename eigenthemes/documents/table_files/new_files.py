"""Tables written anew in another format than they were read in: values are kept, and so are texts that look like numbers."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable, Sequence
from math import isfinite
from typing import IO, Any

import orjson

from eigenthemes.core.spreadsheets import LONGEST_CELL, MOST_COLUMNS, MOST_ROWS, cell_text
from eigenthemes.documents.table_files.dialect import quoted
from eigenthemes.documents.table_files.parquet import ParquetWriter
from eigenthemes.documents.table_files.sheet_xml import escaped
from eigenthemes.documents.table_files.table_file import Answers, Look, Rows, TableFile, TableWriter
from eigenthemes.errors import MissingExtraError, SourceError


def new_writer(format_name: str, table: TableFile, look: Look, out: IO[bytes], added: Sequence[str]) -> TableWriter:
    """Return a writer of another format; columns without a name get their number."""
    return _WRITERS[format_name](table, look, out, added)


def column_names(table: TableFile) -> list[str]:
    """Return the names of all columns: "column N" where the header has none, and each name once."""
    names: list[str] = []
    for number in range(table.width):
        name = (table.header[number] if number < len(table.header) else "") or f"column {number + 1}"
        while name in names:
            name += "_"
        names.append(name)
    return names


class _NewText:
    """Delimited text in UTF-8."""

    def __init__(self, delimiter: str, table: TableFile, out: IO[bytes], added: Sequence[str]) -> None:
        self.delimiter, self.out, self.width = delimiter, out, table.width
        header = [*table.header, *[""] * (table.width - len(table.header)), *added]
        if table.header:
            self._write_line(header)

    def write(self, rows: Rows, answers: Sequence[Answers]) -> None:
        columns = [*map(rows.values, range(self.width)), *(column for answer in answers for column in answer.columns())]
        for row in zip(*columns, strict=True):
            self._write_line(map(_text, row))

    def _write_line(self, cells: Any) -> None:
        line = self.delimiter.join(quoted(cell, self.delimiter) for cell in cells) + "\n"
        self.out.write(line.encode("utf-8", "replace"))

    def close(self) -> None:
        """Nothing is left."""


class _NewJsonLines:
    """JSON lines; what a row does not have is null."""

    def __init__(self, table: TableFile, out: IO[bytes], added: Sequence[str]) -> None:
        self.names, self.width, self.out = [*column_names(table), *added], table.width, out

    def write(self, rows: Rows, answers: Sequence[Answers]) -> None:
        columns = [*map(rows.values, range(self.width)), *(column for answer in answers for column in answer.columns())]
        for row in zip(*columns, strict=True):
            record = dict(zip(self.names, row, strict=True))
            self.out.write(orjson.dumps(record, default=str, option=orjson.OPT_APPEND_NEWLINE))

    def close(self) -> None:
        """Nothing is left."""


class _NewParquet:
    """Parquet; a column of one kind of values has its type, any other holds texts."""

    def __init__(self, table: TableFile, look: Look, out: IO[bytes], added: Sequence[str]) -> None:
        import pyarrow

        types = {"integer": pyarrow.int64(), "number": pyarrow.float64(), "boolean": pyarrow.bool_()}
        self.types = []
        for number in range(table.width):
            kinds = look.kinds.get(number, set())
            kind = "number" if kinds == {"integer", "number"} else next(iter(kinds)) if len(kinds) == 1 else "text"
            self.types.append(types.get(kind, pyarrow.string()))
        names = column_names(table)
        schema = pyarrow.schema([pyarrow.field(name, type_) for name, type_ in zip(names, self.types, strict=True)])
        self.writer = ParquetWriter(schema, out, added)

    def write(self, rows: Rows, answers: Sequence[Answers]) -> None:
        import pyarrow

        columns = []
        for number, type_ in enumerate(self.types):
            values = rows.values(number)
            if type_ == pyarrow.string():
                values = [None if value is None else _text(value) for value in values]
            columns.append(pyarrow.array(values, type_))
        self.writer.write_columns(columns, answers, len(rows))

    def close(self) -> None:
        self.writer.close()


class _NewWorkbook:
    """A workbook of one sheet; texts are texts, also where they begin with = or look like a number."""

    def __init__(self, table: TableFile, look: Look, out: IO[bytes], added: Sequence[str]) -> None:
        try:
            import openpyxl
            import openpyxl.cell
        except ImportError:
            raise MissingExtraError("writing spreadsheets", "openpyxl", "excel") from None
        self.name, self.out, self.width = table.name, out, table.width
        if look.rows + bool(table.header) > MOST_ROWS:
            raise self._refused(f"{look.rows:,} rows, and a sheet holds {MOST_ROWS:,}")
        if table.width + len(added) > MOST_COLUMNS:
            raise self._refused(f"{table.width + len(added):,} columns, and a sheet holds {MOST_COLUMNS:,}")
        self._saved = False
        self.book = openpyxl.Workbook(write_only=True)
        self.sheet: Any = self.book.create_sheet("links")
        self._cell: Callable[..., Any] = openpyxl.cell.WriteOnlyCell
        if table.header:
            self._append([*table.header, *[""] * (table.width - len(table.header)), *added])

    def write(self, rows: Rows, answers: Sequence[Answers]) -> None:
        columns = [*map(rows.values, range(self.width)), *(column for answer in answers for column in answer.columns())]
        for row in zip(*columns, strict=True):
            self._append(row)

    def _append(self, values: Sequence[Any]) -> None:
        self.sheet.append([self._value(value) for value in values])

    def _value(self, value: Any) -> Any:
        if value is None or value == "":
            return None
        if isinstance(value, bool | int | decimal.Decimal | datetime.timedelta) or (
            isinstance(value, float) and isfinite(value)
        ):
            return value
        if isinstance(value, datetime.date | datetime.time) and getattr(value, "tzinfo", None) is None:
            return value
        text = _text(value)
        if len(text) > LONGEST_CELL:
            raise self._refused(f"a cell of {len(text):,} letters, and one of a sheet holds {LONGEST_CELL:,}")
        cell = self._cell(self.sheet, value=escaped(text))
        cell.data_type = "s"
        return cell

    def close(self) -> None:
        self.book.save(self.out)
        self._saved = True

    def discard(self) -> None:
        """Close the temporary file that the sheet is collected in."""
        if not self._saved:
            self.sheet.close()
            self.sheet._writer.cleanup()

    def _refused(self, what: str) -> SourceError:
        return SourceError(
            f"{self.name} has {what}; write another format, such as CSV or Parquet", code="table-output", where=self.name
        )


def _text(value: Any) -> str:
    """Return a value as a text."""
    if isinstance(value, float) and not value.is_integer():
        return repr(value)
    if isinstance(value, dict | list):
        return orjson.dumps(value, default=str).decode()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return cell_text(value)


_WRITERS: dict[str, Callable[[TableFile, Look, IO[bytes], Sequence[str]], TableWriter]] = {
    "csv": lambda table, look, out, added: _NewText(",", table, out, added),
    "tsv": lambda table, look, out, added: _NewText("\t", table, out, added),
    "jsonl": lambda table, look, out, added: _NewJsonLines(table, out, added),
    "parquet": _NewParquet,
    "xlsx": _NewWorkbook,
}
