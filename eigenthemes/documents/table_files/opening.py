"""Open a table file, whatever its format: found from its first bytes; the name only speaks where they do not."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eigenthemes.core.files import SNIFF, ZIP, is_spreadsheet_name, open_decompressed
from eigenthemes.documents.reader import RefuseTruncated
from eigenthemes.documents.table_files.delimited import DelimitedFile
from eigenthemes.documents.table_files.excel import SpreadsheetFile
from eigenthemes.documents.table_files.json_records import JsonLinesFile
from eigenthemes.documents.table_files.parquet import ParquetTable
from eigenthemes.documents.table_files.table_file import TableFile, TableOptions
from eigenthemes.errors import OptionError, SourceError

FORMATS = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet",
    ".xlsx": "xlsx", ".xlsm": "xlsx",
}  # fmt: skip
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_OLD_SPREADSHEET = b"\xd0\xcf\x11\xe0"
_OTHERS = {b"%PDF-": "a PDF", b"SQLite format 3": "a database of SQLite", b"\x89HDF": "HDF5", b"<": "XML or a web page"}


@contextmanager
def open_table(path: str, options: TableOptions | None = None) -> Iterator[TableFile]:
    """Open a table file; `-` is standard input, which is kept in a temporary file, for a table is read twice."""
    options = options or TableOptions()
    head = _head(path) if path != "-" else b""
    binary = head.startswith((b"PAR1", ZIP, _OLD_SPREADSHEET))
    if path != "-" and not (binary and _is_compressed(path)):
        yield _opened(path, Path(path).name, options, head)
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "table"
        with open_decompressed(path, RefuseTruncated(), lambda amount: None) as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        with copy.open("rb") as file:
            head = file.read(SNIFF)
        yield _opened(str(copy), "stdin" if path == "-" else _plain_name(path), options, head)


def format_of_name(name: str) -> str | None:
    """Return the format that the ending of a file's name stands for, if it does for one."""
    return FORMATS.get(Path(_plain_name(name)).suffix.lower())


def _opened(path: str, name: str, options: TableOptions, head: bytes) -> TableFile:
    table = _table_of(path, name, options, head)
    _check_options(name, table, options)
    return table


def _table_of(path: str, name: str, options: TableOptions, head: bytes) -> TableFile:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    named = format_of_name(name)
    if head.startswith(b"PAR1"):
        return ParquetTable(path, name, options)
    if head.startswith((ZIP, _OLD_SPREADSHEET)) and (is_spreadsheet_name(name) or name.endswith(".xls") or name == "stdin"):
        return SpreadsheetFile(path, "stdin.xlsx" if name == "stdin" else name, options)
    if named in ("parquet", "xlsx"):
        raise SourceError(f"{name} is not a {named} file, whatever its name says; check what it is", where=name)
    if named not in ("csv", "tsv"):
        for beginning, what in _OTHERS.items():
            if text.startswith(beginning):
                raise SourceError(f"{name} is {what}, not a table; give CSV, TSV, Excel, Parquet or JSON lines", where=name)
        if re.match(rb'\{\s*["}]', text) or named == "jsonl":
            return JsonLinesFile(path, name, options)
        if re.match(rb"\[\s*[\[{]", text):
            raise SourceError(
                f"{name} is one JSON array, not a record per line; write it as JSON lines, e.g. jq -c '.[]' {name}",
                code="table-json",
                where=name,
            )
    return DelimitedFile(path, name, options, head)


def _check_options(name: str, table: TableFile, options: TableOptions) -> None:
    """Refuse options that mean nothing to the format."""
    is_text, is_sheet = isinstance(table, DelimitedFile), isinstance(table, SpreadsheetFile)
    given = (("delimiter", options.delimiter), ("encoding", options.encoding), ("quotes", None if options.quotes else False))
    for option, value in given:
        if value is not None and not is_text:
            raise OptionError(f"{option} means nothing to {name}, which is no CSV or TSV; leave it out", where=option)
    if options.sheet is not None and not is_sheet:
        raise OptionError(f"sheet means nothing to {name}, which is no spreadsheet; leave it out", where="sheet")


def _head(path: str) -> bytes:
    with open_decompressed(path, RefuseTruncated(), lambda amount: None) as stream:
        return stream.read(SNIFF)


def _is_compressed(path: str) -> bool:
    with open(path, "rb") as raw:
        return not raw.read(4).startswith((b"PAR1", ZIP, _OLD_SPREADSHEET))


def _plain_name(path: str) -> str:
    """Return the name of a file without the ending of its compression."""
    name = Path(path).name
    return name.rpartition(".")[0] if name.lower().endswith(_COMPRESSED) else name
