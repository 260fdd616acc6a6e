"""Tables as JSON lines, one object per row; objects are kept byte for byte, with fields added at their end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

import orjson

from eigenthemes.core.files import open_decompressed
from eigenthemes.core.progress import Advance
from eigenthemes.documents.reader import RefuseTruncated, ignore
from eigenthemes.documents.splitting import numbered_lines
from eigenthemes.errors import OptionError, SourceError
from eigenthemes.tables.table_file import ColumnLinks, Rows, TableFile, TableOptions, TableWriter, added_columns, column_names


class JsonLinesFile(TableFile):
    """A table of JSON lines; its columns are the fields of all records, in the order in which they first occur."""

    format = "jsonl"

    def __init__(self, path: str, name: str, options: TableOptions) -> None:
        if not options.header:
            raise OptionError(f"{name} is JSON, whose fields have names; a table without header is a CSV or TSV", where=name)
        self.path, self.name = path, name
        self._columns: dict[str, None] = {}
        if next(self.rows(), None) is None:
            raise SourceError(f"{name} is empty; a table has at least one record", code="empty-table", where=name)
        self.header, self.width = tuple(self._columns), len(self._columns)

    def rows(self, advance: Advance = ignore) -> Iterator[tuple[list[Any], bytes]]:
        with open_decompressed(self.path, RefuseTruncated(), advance) as stream:
            for number, line in numbered_lines(stream):
                record = self._parsed(number, line)
                if not record.keys() <= self._columns.keys():
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
        return SourceError(
            f'line {number:,} of {self.name} {what}; expected a record per line, such as {{"city": "Paris"}}',
            code="table-json",
            where=f"{self.name}:{number}",
        )


class JsonLinesWriter(TableWriter):
    """Writes rows as JSON lines with fields added at their end; objects of a JSON file are kept. Missing values are null."""

    def __init__(self, table: TableFile, out: IO[bytes], added: Sequence[str]) -> None:
        super().__init__(out)
        self.names, self.added, self.width = column_names(table), added, table.width

    def write(self, rows: Any, links: Sequence[ColumnLinks]) -> None:
        more = [orjson.dumps(dict(zip(self.added, row, strict=True))) for row in zip(*added_columns(links), strict=True)]
        self.out.writelines(
            before[:-1] + (b"" if before[1:-1].isspace() or before == b"{}" else b",") + after[1:] + b"\n"
            for before, after in zip(self._objects(rows), more, strict=True)
        )

    def _objects(self, rows: Rows) -> Iterator[bytes]:
        if any(rows.lines):
            return map(bytes.strip, rows.lines)
        columns = map(rows.values, range(self.width))
        return (orjson.dumps(dict(zip(self.names, row, strict=True)), default=str) for row in zip(*columns, strict=True))
