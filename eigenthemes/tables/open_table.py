"""Open a table file by its content, and write one: a file that replaces another only when it is complete.

JSON lines are read and written here: an object per row, kept byte for byte, with fields added at its end.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

import orjson

from eigenthemes.core.files import SNIFF, ZIP, compressing, is_spreadsheet_name, name_without_compression, open_decompressed
from eigenthemes.core.progress import Advance
from eigenthemes.core.storage import check_output
from eigenthemes.documents.reader import RefuseTruncated, ignore
from eigenthemes.documents.splitting import numbered_lines
from eigenthemes.errors import OptionError, SourceError
from eigenthemes.tables.delimited import DelimitedFile, DelimitedWriter, TextStyle
from eigenthemes.tables.spreadsheet_file import NewWorkbookWriter, SpreadsheetFile
from eigenthemes.tables.table_file import ColumnLinks, Rows, Scan, TableFile, TableOptions, TableWriter, added_columns

FORMATS = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet",
    ".xlsx": "xlsx", ".xlsm": "xlsx",
}  # fmt: skip
_OLD_SPREADSHEET = b"\xd0\xcf\x11\xe0"
_BINARY = (b"PAR1", ZIP, _OLD_SPREADSHEET)
_TEXTS = ("csv", "tsv")
_APPLIES_TO = {  # option -> the formats that have it
    "header": (("csv", "tsv", "xlsx"), "CSV, TSV or spreadsheet"),
    "sheet": (("xlsx",), "spreadsheet"),
    **dict.fromkeys(("delimiter", "encoding", "quotes"), (_TEXTS, "CSV or TSV")),
}
_OTHERS = {b"%PDF-": "a PDF", b"SQLite format 3": "an SQLite database", b"\x89HDF": "HDF5", b"<": "XML or a web page"}


@contextmanager
def open_table(path: str, options: TableOptions | None = None) -> Iterator[TableFile]:
    """Open a table file; `-` is standard input, which is kept in a temporary file, because a table is read twice."""
    options = options or TableOptions()
    head = _head(path) if path != "-" else b""
    if path != "-" and not (head.startswith(_BINARY) and _is_compressed(path)):
        yield _opened(path, path, Path(path).name, options, head)
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "table"
        with open_decompressed(path, RefuseTruncated(), ignore) as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        with copy.open("rb") as file:
            head = file.read(SNIFF)
        name = "stdin" if path == "-" else name_without_compression(Path(path).name)
        yield _opened(path, str(copy), name, options, head)


def format_of_name(name: str) -> str | None:
    """Return the format of a file by the ending of its name; None where that is unknown."""
    return FORMATS.get(Path(name_without_compression(name)).suffix.lower())


def _opened(source: str, path: str, name: str, options: TableOptions, head: bytes) -> TableFile:
    table = _table_of(path, name, options, head)
    table.source = source
    for option, (formats, what) in _APPLIES_TO.items():
        if getattr(options, option) != getattr(TableOptions(), option) and table.format not in formats:
            raise OptionError(f"{option} does not apply to {name}, which is not a {what}; leave it out", where=option)
    return table


def _table_of(path: str, name: str, options: TableOptions, head: bytes) -> TableFile:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    named = format_of_name(name)
    if head.startswith(b"PAR1"):
        from eigenthemes.tables.parquet_table import ParquetTable  # imports pyarrow

        return ParquetTable(path, name)
    if head.startswith((ZIP, _OLD_SPREADSHEET)) and (is_spreadsheet_name(name) or name.endswith(".xls") or name == "stdin"):
        return SpreadsheetFile(path, "stdin.xlsx" if name == "stdin" else name, options)
    if named in ("parquet", "xlsx"):
        raise SourceError(f"{name} is not a {named} file, although its name ends so; check what it is", where=name)
    if named not in _TEXTS:
        for beginning, what in _OTHERS.items():
            if text.startswith(beginning):
                raise SourceError(f"{name} is {what}, not a table; give CSV, TSV, Excel, Parquet or JSON lines", where=name)
        if re.match(rb'\{\s*["}]', text) or named == "jsonl":
            return JsonLinesFile(path, name)
        if re.match(rb"\[\s*[\[{]", text):
            problem = f"{name} is one JSON array, not a record per line; write it as JSON lines, e.g. jq -c '.[]' {name}"
            raise SourceError(problem, code="table-json", where=name)
    return DelimitedFile(path, name, options, head, is_named=named is not None)


def _head(path: str) -> bytes:
    with open_decompressed(path, RefuseTruncated(), ignore) as stream:
        return stream.read(SNIFF)


def _is_compressed(path: str) -> bool:
    with open(path, "rb") as raw:
        return not raw.read(4).startswith(_BINARY)


# writing


def table_writer(
    table: TableFile, scan: Scan, output: str | Path | IO[bytes], target: IO[bytes], added: Sequence[str]
) -> TableWriter:
    """Return a writer of the format given by the ending of the output, or else of the format of the table."""
    name = str(output).lower() if isinstance(output, str | Path) else ""
    wanted = format_of_name(name)
    is_same = wanted == table.format
    if wanted == table.format == "xlsx":  # .xlsx and .xlsm are two, because only one of them may hold macros
        is_same = Path(table.name.lower()).suffix == Path(name).suffix
    if wanted is None or is_same:
        return table.writer(target, added)
    if name.endswith(".xlsm"):
        problem = f"{output} would be a workbook with macros, which {table.name} is not; write an .xlsx file"
        raise SourceError(problem, code="table-output")
    if table.format == "xlsx":
        scan.notes.append("only the values of one sheet are written: no formulas, formats and other sheets")
    if wanted == "jsonl":
        return JsonLinesWriter(table, target, added)
    if wanted == "parquet":
        from eigenthemes.tables.parquet_table import ParquetWriter, schema_of  # imports pyarrow

        return ParquetWriter(table, schema_of(table, scan), target, added)
    if wanted == "xlsx":
        return NewWorkbookWriter(table, scan, target, added)
    return DelimitedWriter(table, target, added, TextStyle(delimiter="," if wanted == "csv" else "\t"))


@contextmanager
def replacing_file(path: str | Path, *, inputs: tuple[str | Path, ...] = ()) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces another when it is complete.

    inputs  files that must not be overwritten
    """
    target = Path(path)
    check_output(target, remedy="give the path of a file", replaced=True)
    for source in inputs:
        if str(source) != "-" and target.exists() and Path(source).exists() and target.samefile(source):
            raise OptionError(f"{path} is the input itself; give another file to write to", where=str(path))
    temporary = target.with_name(f".{target.name}.{uuid4().hex}.part")
    try:
        with temporary.open("xb") as raw:
            with compressing(target.name, raw) as stream:
                yield stream
            raw.flush()
            os.fsync(raw.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode)
        temporary.replace(target)
    except OSError as error:
        problem = f"{path} cannot be written ({error.strerror or error}); free some space, or give another place"
        raise SourceError(problem, code="output-place") from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


# JSON lines


class JsonLinesFile(TableFile):
    """A table of JSON lines; its columns are the fields of all records, in the order in which they first occur."""

    format = "jsonl"

    def __init__(self, path: str, name: str) -> None:
        self.path, self.name = path, name
        self._columns: dict[str, None] = {}
        if next(self.rows(), None) is None:
            raise self.error("is empty; a table has at least one record", "empty-table")
        self.header, self.width = tuple(self._columns), len(self._columns)

    def rows(self, advance: Advance = ignore) -> Iterator[tuple[list[Any], bytes]]:
        """Read the records, with a column for each field seen so far."""
        with open_decompressed(self.path, RefuseTruncated(), advance) as stream:
            for number, line in numbered_lines(stream):
                record = self._parsed(number, line)
                self._columns |= dict.fromkeys(record)
                yield [record.get(name) for name in self._columns], line
        self.header = tuple(self._columns)

    def writer(self, out: IO[bytes], added: Sequence[str]) -> JsonLinesWriter:
        return JsonLinesWriter(self, out, added)

    def _parsed(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise self._refused(number, f"is not JSON ({error})") from None
        if not isinstance(record, dict):
            raise self._refused(number, "is not an object")
        return record

    def _refused(self, number: int, what: str) -> SourceError:
        problem = f'line {number:,} of {self.name} {what}; expected a record per line, such as {{"city": "Paris"}}'
        return SourceError(problem, code="table-json", where=f"{self.name}:{number}")


class JsonLinesWriter(TableWriter):
    """Writes rows as JSON lines with fields added at their end; objects of a JSON file are kept. Missing values are null."""

    def __init__(self, table: TableFile, out: IO[bytes], added: Sequence[str]) -> None:
        super().__init__(table, out)
        self.names, self.added = table.column_names(), added

    def write(self, rows: Any, links: Sequence[ColumnLinks]) -> None:
        more = [orjson.dumps(dict(zip(self.added, row, strict=True))) for row in zip(*added_columns(links), strict=True)]
        self.out.writelines(
            before[:-1] + (b"" if before[1:-1].isspace() or before == b"{}" else b",") + after[1:] + b"\n"
            for before, after in zip(self._objects(rows), more, strict=True)
        )

    def _objects(self, rows: Rows) -> Iterator[bytes]:
        if any(rows.lines):
            return map(bytes.strip, rows.lines)
        columns = map(rows.values, range(self.table.width))
        return (orjson.dumps(dict(zip(self.names, row, strict=True)), default=str) for row in zip(*columns, strict=True))
