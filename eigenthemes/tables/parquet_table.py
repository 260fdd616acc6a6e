"""Parquet tables: read in batches, and written with the schema, metadata and compression of the input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from eigenthemes.core.progress import Advance
from eigenthemes.documents.arrow_rows import ParquetParts, codecs_of, parquet_errors
from eigenthemes.documents.reader import ignore
from eigenthemes.tables.table_file import CHUNK, ColumnLinks, Rows, Scan, TableFile, TableWriter, added_columns, value_text

_GROUP = 12 * CHUNK  # rows of a group that is written


class ArrowRows(Rows):
    """Rows of an Arrow batch."""

    def __init__(self, batch: pa.RecordBatch, table: TableFile) -> None:
        super().__init__()
        self.batch, self.table = batch, table

    def __len__(self) -> int:
        return int(self.batch.num_rows)

    def values(self, column: int) -> list[Any]:
        try:
            return list(self.batch.column(column).to_pylist())
        except UnicodeDecodeError as error:
            raise self.table.error(f"holds a text that is not UTF-8 ({error}); write it again") from None


class ParquetTable(TableFile):
    """A Parquet file."""

    format = "parquet"

    def __init__(self, path: str, name: str) -> None:
        self.name = name
        with parquet_errors(name):
            self.file = pq.ParquetFile(path)
            self.schema = self.file.schema_arrow
        self.header = tuple(self.schema.names)
        self.width = len(self.header)
        self.size = Path(path).stat().st_size

    def rows(self, advance: Advance = ignore) -> Iterator[tuple[list[Any], bytes]]:
        for chunk in self.chunks():
            yield from ((list(row), b"") for row in zip(*map(chunk.values, range(self.width)), strict=True))
            advance(self.size * len(chunk) / self.file.metadata.num_rows)

    def chunks(self) -> Iterator[Rows]:
        with parquet_errors(self.name):
            for batch in self.file.iter_batches(batch_size=CHUNK):
                yield ArrowRows(batch, self)

    def writer(self, out: IO[bytes], added: Sequence[str]) -> ParquetWriter:
        codecs = codecs_of(self.file.metadata)
        codecs |= dict.fromkeys(added, next(iter(codecs.values()), "SNAPPY"))
        return ParquetWriter(self, self.schema, out, added, codecs)


class ParquetWriter(TableWriter):
    """Writes rows with columns added: ids and labels as strings, probabilities as doubles."""

    def __init__(
        self, table: TableFile, schema: pa.Schema, out: IO[bytes], added: Sequence[str], codecs: Any = "snappy"
    ) -> None:
        super().__init__(table, out)
        self.types = [*schema.types, *[pa.string(), pa.string(), pa.float64()] * (len(added) // 3)]
        fields = map(pa.field, added, self.types[len(schema) :])
        self.schema = pa.schema([*schema, *fields], metadata=schema.metadata)
        self._parts = ParquetParts(out, self.schema, codecs, rows=_GROUP)

    def write(self, rows: Any, links: Sequence[ColumnLinks]) -> None:
        more = added_columns(links)
        columns = rows.batch.columns if isinstance(rows, ArrowRows) else self._columns(rows, self.types[: -len(more)])
        arrays = [*columns, *map(pa.array, more, self.types[-len(more) :])]
        self._parts.write(pa.RecordBatch.from_arrays(arrays, schema=self.schema))

    def close(self) -> None:
        self._parts.close()

    def _columns(self, rows: Rows, types: list[Any]) -> Iterator[pa.Array]:
        for number, type_ in enumerate(types):
            values = rows.values(number)
            if type_ == pa.string():
                values = [None if value is None else value_text(value) for value in values]
            yield pa.array(values, type_)


def schema_of(table: TableFile, scan: Scan) -> pa.Schema:
    """Return an Arrow schema for a table: a column of one kind of values has its type, any other holds strings."""
    types = {"integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_()}
    fields = []
    for number, name in enumerate(table.column_names()):
        kinds = scan.kinds.get(number, set())
        kind = "number" if kinds == {"integer", "number"} else next(iter(kinds)) if len(kinds) == 1 else "text"
        fields.append(pa.field(name, types.get(kind, pa.string())))
    return pa.schema(fields)
