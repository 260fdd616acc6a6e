"""Tables as JSON lines, one object per row; lines are kept byte for byte, with fields added at their end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

import orjson

from eigenthemes.core.files import open_decompressed
from eigenthemes.core.progress import Advance
from eigenthemes.documents.reader import RefuseTruncated
from eigenthemes.errors import OptionError, SourceError
from eigenthemes.tables.table_file import (
    CHUNK,
    CHUNK_SIZE,
    ColumnLinks,
    Sampler,
    Scan,
    TableFile,
    TableOptions,
    TableWriter,
    add_kinds,
    added_columns,
    column_names,
    extended_rows,
)

_BOM = b"\xef\xbb\xbf"


class JsonRows:
    """Rows of JSON lines.

    lines  as they are in the file, blank ones included
    """

    def __init__(self, header: dict[str, int]) -> None:
        self.names = list(header)
        self.records: list[dict[str, Any]] = []
        self.lines: list[bytes] = []

    def __len__(self) -> int:
        return len(self.records)

    def values(self, column: int) -> list[Any]:
        name = self.names[column]
        return [record.get(name) for record in self.records]


class JsonLinesFile:
    """A table of JSON lines; its columns are the fields of all records, in the order in which they first occur."""

    format = "jsonl"
    source: str  # set by open_table

    def __init__(self, path: str, name: str, options: TableOptions) -> None:
        if not options.header:
            raise OptionError(f"{name} is JSON, whose fields have names; a table without header is a CSV or TSV", where=name)
        self.path, self.name = path, name
        self.spaced = False  # with a space behind colons and commas
        first = next((record for _, record in self._records() if record is not None), None)
        if first is None:
            raise SourceError(f"{name} is empty; a table has at least one record", code="empty-table", where=name)
        self._columns = {key: number for number, key in enumerate(first)}

    @property
    def header(self) -> tuple[str, ...]:
        return tuple(self._columns)

    @property
    def width(self) -> int:
        return len(self._columns)

    def scan(self, advance: Advance) -> Scan:
        sampler, kinds, columns = Sampler(), dict[int, set[str]](), self._columns
        for line, record in self._records(advance):
            if record is None:
                continue
            self.spaced = self.spaced or b'": ' in line[:200]
            for key, value in record.items():
                add_kinds(kinds, columns.setdefault(key, len(columns)), value)
            if sampler.wants():
                sampler.add([value if isinstance(value := record.get(key), str) else "" for key in columns])
        return Scan(sampler.seen, sampler.kept, kinds)

    def chunks(self) -> Iterator[JsonRows]:
        rows, size = JsonRows(self._columns), 0
        for line, record in self._records():
            rows.lines.append(line)
            size += len(line)
            if record is not None:
                rows.records.append(record)
            if len(rows) >= CHUNK or size >= CHUNK_SIZE:
                yield rows
                rows, size = JsonRows(self._columns), 0
        if rows.lines:
            yield rows

    def writer(self, out: IO[bytes], added: Sequence[str]) -> JsonLinesWriter:
        return JsonLinesWriter(self, out, added)

    def _records(self, advance: Advance = lambda amount: None) -> Iterator[tuple[bytes, dict[str, Any] | None]]:
        """Yield each line and its record; None where it is blank."""
        with open_decompressed(self.path, RefuseTruncated(), advance) as stream:
            for number, line in enumerate(stream, 1):
                text = line.removeprefix(_BOM) if number == 1 else line
                yield line, self._parsed(number, text) if text.strip() else None

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
    """Writes rows as JSON lines with fields added at their end; the lines of a JSON file are kept. Missing values are null."""

    def __init__(self, table: TableFile, out: IO[bytes], added: Sequence[str]) -> None:
        super().__init__(out)
        self.names, self.width = [*column_names(table), *added], table.width
        self.comma, colon = (b", ", b": ") if isinstance(table, JsonLinesFile) and table.spaced else (b",", b":")
        self.keys = [orjson.dumps(name) + colon for name in added]

    def write(self, rows: Any, links: Sequence[ColumnLinks]) -> None:
        if isinstance(rows, JsonRows):
            added = zip(*added_columns(links), strict=True)
            lines = (self._extended(line, next(added)) if line.removeprefix(_BOM).strip() else line for line in rows.lines)
        else:
            records = (dict(zip(self.names, row, strict=True)) for row in extended_rows(rows, self.width, links))
            lines = (orjson.dumps(record, default=str, option=orjson.OPT_APPEND_NEWLINE) for record in records)
        self.out.writelines(lines)

    def _extended(self, line: bytes, values: Sequence[str | float | None]) -> bytes:
        body = line.rstrip()
        inside = body[:-1].rstrip()
        fields = [key + orjson.dumps(value) for key, value in zip(self.keys, values, strict=True)]
        first = [] if inside.removeprefix(_BOM).strip() == b"{" else [b""]
        return inside + self.comma.join([*first, *fields]) + b"}" + line[len(body) :]
