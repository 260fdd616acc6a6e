"""Parquet tables: read in batches, and written with the schema, metadata and compression of the input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from eigenthemes.core.arrays import is_text
from eigenthemes.core.progress import Advance
from eigenthemes.errors import OptionError, SourceError
from eigenthemes.tables.table_file import (
    CHUNK,
    ColumnLinks,
    Rows,
    Sampler,
    Scan,
    TableFile,
    TableOptions,
    TableWriter,
    added_columns,
    column_names,
    texts_of,
    value_text,
)

_GROUP = 12 * CHUNK  # rows of a group that is written


class ArrowRows:
    """Rows of an Arrow batch."""

    def __init__(self, batch: Any, name: str) -> None:
        self.batch, self.name = batch, name

    def __len__(self) -> int:
        return int(self.batch.num_rows)

    def values(self, column: int) -> list[Any]:
        try:
            values: list[Any] = self.batch.column(column).to_pylist()
        except UnicodeDecodeError as error:
            raise SourceError(
                f"{self.name} holds a text that is not UTF-8 ({error}); write it again", where=self.name
            ) from None
        return values


class ParquetTable:
    """A Parquet file."""

    format = "parquet"
    source: str  # set by open_table

    def __init__(self, path: str, name: str, options: TableOptions) -> None:
        import pyarrow
        import pyarrow.parquet

        if not options.header:
            raise OptionError(f"{name} is Parquet, whose columns have names; leave out that it has no header", where=name)
        self.name = name
        try:
            self.file = pyarrow.parquet.ParquetFile(path)
            self.schema = self.file.schema_arrow
        except (pyarrow.ArrowException, OSError) as error:
            raise self._damaged(error) from None
        self.header = tuple(self.schema.names)
        self.width = len(self.header)
        self.size = Path(path).stat().st_size

    def scan(self, advance: Advance) -> Scan:
        """Read the columns of texts."""
        named = [number for number, field in enumerate(self.schema) if is_text(field.type)]
        sampler, total = Sampler(), self.file.metadata.num_rows
        is_readable = named and len(set(self.header)) == self.width  # by name, so two of one name are not
        for batch in self._batches([self.header[number] for number in named]) if is_readable else ():
            wanted = [row for row in range(batch.num_rows) if sampler.wants()]
            columns = [texts_of(ArrowRows(batch, self.name), number) for number in range(len(named))] if wanted else []
            for row in wanted:
                cells = [""] * self.width
                for number, column in zip(named, columns, strict=True):
                    cells[number] = column[row]
                sampler.add(cells)
            advance(self.size * batch.num_rows / max(1, total))
        kinds = {number: {_kind_of_type(field.type)} for number, field in enumerate(self.schema)}
        return Scan(total, sampler.kept, kinds)

    def chunks(self) -> Iterator[ArrowRows]:
        return (ArrowRows(batch, self.name) for batch in self._batches(None))

    def writer(self, out: IO[bytes], added: Sequence[str]) -> ParquetWriter:
        metadata, codecs = self.file.metadata, {}
        if metadata.num_row_groups:
            group = metadata.row_group(0)
            parts = map(group.column, range(group.num_columns))
            codecs = {part.path_in_schema: part.compression.replace("UNCOMPRESSED", "NONE") for part in parts}
            codecs |= dict.fromkeys(added, next(iter(codecs.values()), "SNAPPY"))
        return ParquetWriter(self.schema, out, added, codecs or "snappy")

    def _batches(self, columns: list[str] | None) -> Iterator[Any]:
        import pyarrow

        try:
            yield from self.file.iter_batches(batch_size=CHUNK, columns=columns)
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise self._damaged(error) from None

    def _damaged(self, error: BaseException) -> SourceError:
        return SourceError(f"{self.name} is not a complete Parquet file ({error}); write it again", where=self.name)


class ParquetWriter(TableWriter):
    """Writes rows with columns added: ids and labels as strings, probabilities as doubles."""

    def __init__(self, schema: Any, out: IO[bytes], added: Sequence[str], codecs: Any = "snappy") -> None:
        import pyarrow
        import pyarrow.parquet

        super().__init__(out)
        self.width = len(schema)
        self.types = [*schema.types, *[pyarrow.string(), pyarrow.string(), pyarrow.float64()] * (len(added) // 3)]
        fields = map(pyarrow.field, added, self.types[self.width :])
        self.schema = pyarrow.schema([*schema, *fields], metadata=schema.metadata)
        self._writer = pyarrow.parquet.ParquetWriter(out, self.schema, compression=codecs)
        self._batches: list[Any] = []  # of the group that is not written yet
        self._count = 0

    def write(self, rows: Any, links: Sequence[ColumnLinks]) -> None:
        import pyarrow

        columns = self._columns(rows)
        columns += map(pyarrow.array, added_columns(links), self.types[len(columns) :])
        self._batches.append(pyarrow.RecordBatch.from_arrays(columns, schema=self.schema))
        self._count += len(rows)
        if self._count >= _GROUP:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _columns(self, rows: Rows) -> list[Any]:
        import pyarrow

        if isinstance(rows, ArrowRows):
            return list(rows.batch.columns)
        columns = []
        for number, type_ in enumerate(self.types[: self.width]):
            values = rows.values(number)
            if type_ == pyarrow.string():
                values = [None if value is None else value_text(value) for value in values]
            columns.append(pyarrow.array(values, type_))
        return columns

    def _flush(self) -> None:
        import pyarrow

        if self._batches:
            table = pyarrow.Table.from_batches(self._batches, schema=self.schema)
            self._writer.write_table(table, row_group_size=max(1, self._count))
        self._batches, self._count = [], 0


def schema_of(table: TableFile, scan: Scan) -> Any:
    """Return an Arrow schema for a table: a column of one kind of values has its type, any other holds strings."""
    import pyarrow

    types = {"integer": pyarrow.int64(), "number": pyarrow.float64(), "boolean": pyarrow.bool_()}
    fields = []
    for number, name in enumerate(column_names(table)):
        kinds = scan.kinds.get(number, set())
        kind = "number" if kinds == {"integer", "number"} else next(iter(kinds)) if len(kinds) == 1 else "text"
        fields.append(pyarrow.field(name, types.get(kind, pyarrow.string())))
    return pyarrow.schema(fields)


def _kind_of_type(type_: Any) -> str:
    """Return the kind of the values of an Arrow type, as in `Scan.kinds`."""
    import pyarrow.types as types

    if is_text(type_):
        return "text"
    if types.is_boolean(type_):
        return "boolean"
    if types.is_integer(type_):
        return "integer"
    return "number" if types.is_floating(type_) else "other"
