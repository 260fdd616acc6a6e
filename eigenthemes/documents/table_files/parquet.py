"""Parquet: read some rows at a time, and written again with its schema, metadata and compression, and columns more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from eigenthemes.core.arrow_types import is_text
from eigenthemes.core.progress import Advance
from eigenthemes.documents.table_files.table_file import CHUNK, Answers, Look, Sampler, TableOptions
from eigenthemes.errors import OptionError, SourceError

_GROUP = 12 * CHUNK  # rows of a group that is written
_CODECS = {"UNCOMPRESSED": "NONE"}


class ArrowRows:
    """Rows of a batch of Arrow."""

    def __init__(self, batch: Any, name: str) -> None:
        self.batch, self.name = batch, name

    def __len__(self) -> int:
        return int(self.batch.num_rows)

    def texts(self, column: int) -> list[str]:
        return [value if isinstance(value, str) else "" for value in self.values(column)]

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

    def __init__(self, path: str, name: str, options: TableOptions) -> None:
        import pyarrow
        import pyarrow.parquet

        if not options.header:
            raise OptionError(f"{name} is Parquet, whose columns have names; leave header as it is", where=name)
        self.name = name
        try:
            self.file = pyarrow.parquet.ParquetFile(path)
            self.schema = self.file.schema_arrow
        except (pyarrow.ArrowException, OSError) as error:
            raise SourceError(f"{name} is not a whole Parquet file ({error}); write it again", where=name) from None
        self.header = tuple(self.schema.names)
        self.width = len(self.header)
        self.size = Path(path).stat().st_size

    def look(self, advance: Advance) -> Look:
        """Look at the columns of texts only."""
        named = [number for number, field in enumerate(self.schema) if is_text(field.type)]
        sampler, done = Sampler(), 0
        total = self.file.metadata.num_rows
        texts = [self.header[number] for number in named]
        for batch in self._batches(texts) if texts and len(set(self.header)) == self.width else ():
            columns: list[list[str]] | None = None
            for row in range(batch.num_rows):
                if sampler.wants():
                    columns = columns or [ArrowRows(batch, self.name).texts(number) for number in range(len(named))]
                    cells = [""] * self.width
                    for number, column in zip(named, columns, strict=True):
                        cells[number] = column[row]
                    sampler.add(cells)
            done += batch.num_rows
            advance(self.size * batch.num_rows / max(1, total))
        kinds = {number: {kind_of_type(field.type)} for number, field in enumerate(self.schema)}
        return Look(total, sampler.kept, kinds)

    def chunks(self) -> Iterator[ArrowRows]:
        return (ArrowRows(batch, self.name) for batch in self._batches(None))

    def _batches(self, columns: list[str] | None) -> Iterator[Any]:
        import pyarrow

        try:
            yield from self.file.iter_batches(batch_size=CHUNK, columns=columns)
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise SourceError(f"{self.name} is not a whole Parquet file ({error}); write it again", where=self.name) from None

    def writer(self, out: IO[bytes], added: Sequence[str]) -> ParquetWriter:
        codecs: Any = "snappy"
        metadata = self.file.metadata
        if metadata.num_row_groups:
            group = metadata.row_group(0)
            found = [group.column(number) for number in range(group.num_columns)]
            codecs = {column.path_in_schema: _CODECS.get(column.compression, column.compression) for column in found}
            first = next(iter(codecs.values()), "SNAPPY")
            codecs = {**codecs, **dict.fromkeys(added, first)}
        return ParquetWriter(self.schema, out, added, codecs)


class ParquetWriter:
    """Writes batches with columns more: ids and labels as texts, probabilities as numbers."""

    def __init__(self, schema: Any, out: IO[bytes], added: Sequence[str], codecs: Any = "snappy") -> None:
        import pyarrow
        import pyarrow.parquet

        types = (pyarrow.string(), pyarrow.string(), pyarrow.float64())
        fields = [pyarrow.field(name, types[number % 3]) for number, name in enumerate(added)]
        self.schema = pyarrow.schema([*schema, *fields], metadata=schema.metadata)
        self._writer = pyarrow.parquet.ParquetWriter(out, self.schema, compression=codecs)
        self._types = types
        self._waiting: list[Any] = []
        self._count = 0

    def write(self, rows: Any, answers: Sequence[Answers]) -> None:
        self.write_columns(list(rows.batch.columns), answers, len(rows))

    def write_columns(self, columns: list[Any], answers: Sequence[Answers], count: int) -> None:
        import pyarrow

        for answer in answers:
            for values, type_ in zip(answer.columns(), self._types, strict=True):
                columns.append(pyarrow.array(values, type_))
        self._waiting.append(pyarrow.RecordBatch.from_arrays(columns, schema=self.schema))
        self._count += count
        if self._count >= _GROUP:
            self._flush()

    def _flush(self) -> None:
        import pyarrow

        if self._waiting:
            table = pyarrow.Table.from_batches(self._waiting, schema=self.schema)
            self._writer.write_table(table, row_group_size=max(1, self._count))
        self._waiting, self._count = [], 0

    def close(self) -> None:
        self._flush()
        self._writer.close()


def kind_of_type(type_: Any) -> str:
    """Return what the values of a type of Arrow are, in the words of `Look.kinds`."""
    import pyarrow.types as types

    if is_text(type_):
        return "text"
    if types.is_boolean(type_):
        return "boolean"
    if types.is_integer(type_):
        return "integer"
    return "number" if types.is_floating(type_) else "other"
