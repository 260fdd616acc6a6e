"""Parquet files of documents: one row per document, with the columns of `arrow_rows`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from eigenthemes.core.storage import open_input
from eigenthemes.documents.arrow_rows import DocumentColumns, documents_of
from eigenthemes.errors import DocumentError, SourceError
from eigenthemes.records import Document

ROWS = 256  # read at a time, so that texts of any length fit into memory
_GROUP_ROWS, _GROUP_BYTES = 16_384, 64 << 20  # of a group that is written
_CODECS = {"UNCOMPRESSED": "NONE"}


class ParquetDocuments:
    """An opened file of documents."""

    def __init__(self, file: IO[bytes], name: str, columns: DocumentColumns) -> None:
        self.name, self.columns = name, columns
        with _broken_as_error(name):
            self.file = pq.ParquetFile(file)
        self.schema: pa.Schema = self.file.schema_arrow
        columns.check(self.schema, name)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows in batches."""
        with _broken_as_error(self.name):
            yield from self.file.iter_batches(batch_size=ROWS)

    @property
    def compression(self) -> str:
        """Return the compression of the first column."""
        metadata = self.file.metadata
        if not metadata.num_row_groups or not metadata.num_columns:
            return "snappy"
        codec = str(metadata.row_group(0).column(0).compression)
        return _CODECS.get(codec, codec)


class ParquetParts:
    """Writes batches as row groups whose bounds depend on the rows only."""

    def __init__(self, out: IO[bytes], schema: pa.Schema, compression: str) -> None:
        self._writer = pq.ParquetWriter(out, schema, compression=compression)
        self._schema = schema
        self._waiting: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Write a batch, together with the next ones."""
        self._waiting.append(batch)
        self._rows += batch.num_rows
        self._bytes += batch.nbytes
        if self._rows >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        """Write the rest and the footer."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_batches(self._waiting, self._schema), row_group_size=self._rows)
        self._waiting, self._rows, self._bytes = [], 0, 0


@contextmanager
def _broken_as_error(name: str) -> Iterator[None]:
    """Turn the errors of Arrow into SourceError."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        detail = " ".join(str(error).split())[:200]
        raise SourceError(f"{name} is not a whole Parquet file ({detail}); write it again", where=name) from None


def read_parquet(path: str, name: str, columns: Mapping[str, str] | None) -> Iterator[Document | DocumentError]:
    """Yield the documents of a file with all their columns, or the error of a row."""
    if path == "-":
        raise SourceError("Parquet cannot be read from standard input; save it, and give the path of the file", where=name)
    roles = DocumentColumns.of(columns)
    with open_input(path) as file:
        for batch in ParquetDocuments(file, name, roles).batches():
            yield from documents_of(batch, roles, whole=True)
