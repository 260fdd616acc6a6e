"""Tables as JSON lines: an object per row; lines are kept byte for byte, with fields more at their end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

import orjson

from eigenthemes.core.files import open_decompressed
from eigenthemes.core.progress import Advance
from eigenthemes.documents.reader import RefuseTruncated
from eigenthemes.documents.table_files.table_file import (
    CHUNK,
    CHUNK_LETTERS,
    Answers,
    Look,
    Sampler,
    TableOptions,
    kind_of_value,
)
from eigenthemes.errors import OptionError, SourceError

_BOM = b"\xef\xbb\xbf"


class JsonRows:
    """Rows of JSON lines, and the lines as they stand in the file; None for those that are blank."""

    def __init__(self, header: dict[str, int]) -> None:
        self.names = list(header)
        self.records: list[dict[str, Any]] = []
        self.lines: list[tuple[bytes, bool]] = []  # and whether it is a row

    def __len__(self) -> int:
        return len(self.records)

    def texts(self, column: int) -> list[str]:
        return [value if isinstance(value, str) else "" for value in self.values(column)]

    def values(self, column: int) -> list[Any]:
        name = self.names[column]
        return [record.get(name) for record in self.records]


class JsonLinesFile:
    """A table of JSON lines; its columns are the fields of all records, in the order in which they first occur."""

    format = "jsonl"

    def __init__(self, path: str, name: str, options: TableOptions) -> None:
        if not options.header:
            raise OptionError(f"{name} is JSON, whose fields have names; a table without header is a CSV or TSV", where=name)
        self.path, self.name = path, name
        self._columns: dict[str, int] = {}
        self.spaced = False  # a space behind colons and commas
        for _, _, record in self._records():
            if record is not None:
                self._columns = {key: number for number, key in enumerate(record)}
                break
        else:
            raise SourceError(f"{name} is empty; a table has at least one record", code="empty-table", where=name)

    @property
    def header(self) -> tuple[str, ...]:
        return tuple(self._columns)

    @property
    def width(self) -> int:
        return len(self._columns)

    def look(self, advance: Advance) -> Look:
        sampler, kinds = Sampler(), dict[str, set[str]]()
        columns = self._columns
        for _, line, record in self._records(advance):
            if record is None:
                continue
            self.spaced = self.spaced or b'": ' in line[:200]
            for key, value in record.items():
                if key not in columns:
                    columns[key] = len(columns)
                kind = kind_of_value(value)
                if kind is not None:
                    kinds.setdefault(key, set()).add(kind)
            if sampler.wants():
                sampler.add([value if isinstance(value := record.get(key), str) else "" for key in columns])
        return Look(sampler.seen, sampler.kept, {columns[key]: found for key, found in kinds.items()})

    def chunks(self) -> Iterator[JsonRows]:
        rows, size = JsonRows(self._columns), 0
        for _, line, record in self._records():
            rows.lines.append((line, record is not None))
            size += len(line)
            if record is not None:
                rows.records.append(record)
            if len(rows) >= CHUNK or size >= CHUNK_LETTERS:
                yield rows
                rows, size = JsonRows(self._columns), 0
        if rows.lines:
            yield rows

    def _records(self, advance: Advance = lambda amount: None) -> Iterator[tuple[int, bytes, dict[str, Any] | None]]:
        """Yield the number of each line, its bytes, and what it holds; None where it is blank."""
        with open_decompressed(self.path, RefuseTruncated(), advance) as stream:
            for number, line in enumerate(stream, 1):
                text = line.removeprefix(_BOM) if number == 1 else line
                yield number, line, self._parsed(number, text) if text.strip() else None

    def _parsed(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise self._refused(number, f"is not JSON ({error})") from None
        if not isinstance(record, dict):
            raise self._refused(number, "is no object")
        return record

    def _refused(self, number: int, what: str) -> SourceError:
        return SourceError(
            f'line {number:,} of {self.name} {what}; expected a record per line, such as {{"city": "Paris"}}',
            code="table-json",
            where=f"{self.name}:{number}",
        )

    def writer(self, out: IO[bytes], added: Sequence[str]) -> JsonLinesWriter:
        return JsonLinesWriter(self.spaced, out, added)


class JsonLinesWriter:
    """Writes lines as they are, each with fields more at its end; null where there is no link."""

    def __init__(self, spaced: bool, out: IO[bytes], added: Sequence[str]) -> None:
        self.out = out
        self.comma, colon = (b", ", b": ") if spaced else (b",", b":")
        self.keys = [orjson.dumps(name) + colon for name in added]

    def write(self, rows: Any, answers: Sequence[Answers]) -> None:
        answered = zip(*(column for answer in answers for column in answer.columns()), strict=True)
        for line, is_row in rows.lines:
            self.out.write(self._extended(line, next(answered)) if is_row else line)

    def close(self) -> None:
        """Nothing is left."""

    def _extended(self, line: bytes, values: Sequence[str | float | None]) -> bytes:
        body = line.rstrip()
        inside = body[:-1].rstrip()
        fields = [key + orjson.dumps(value) for key, value in zip(self.keys, values, strict=True)]
        first = [] if inside.removeprefix(_BOM).strip() == b"{" else [b""]
        return inside + self.comma.join([*first, *fields]) + b"}" + line[len(body) :]
