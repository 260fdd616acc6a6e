"""The output of a part in Parquet: rows with their links, and the bad ones in a file of their own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from types import TracebackType
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc

from eigenthemes.arrow import linked_schema
from eigenthemes.documents.parquet import ParquetDocuments, ParquetParts


class LinkedRows:
    """Writes rows with their links; those that could not be linked with all their columns, their number and the cause.

    first  number of the first row in its file
    cause  what the column of causes is called, in the errors and in what `link_arrow` returns: no column of the file is
    """

    def __init__(
        self,
        documents: ParquetDocuments,
        out: IO[bytes],
        open_errors: Callable[[], IO[bytes]],
        *,
        explain: bool,
        first: int = 0,
    ) -> None:
        given, roles = documents.schema, documents.columns
        self.cause = _free_name("cause", [*given.names, roles.mentions])
        columns = {"id": roles.id, "text": roles.text, "table": roles.table, "mentions": roles.mentions}
        schema = linked_schema(given, explain=explain, columns=columns, error_column=self.cause)
        self._schema = schema.remove(schema.get_field_index(self.cause))
        self._mentions = schema.get_field_index(roles.mentions)
        line = pa.field(_free_name("line", given.names), pa.int64())
        self._bad_schema = given.append(line).append(pa.field(self.cause, pa.string()))
        self._good = ParquetParts(out, self._schema, documents.compression)
        self._bad: ParquetParts | None = None
        self._open_errors, self._compression = open_errors, documents.compression
        self._row = first

    def write(self, batch: pa.RecordBatch, linked: pa.RecordBatch) -> tuple[Any, int]:
        """Write what became of a batch; return the mentions of its good rows, and how many are bad."""
        cause = linked.column(linked.num_columns - 1)
        numbers = pa.array(range(self._row + 1, self._row + 1 + batch.num_rows), pa.int64())
        good = linked.filter(pc.is_null(cause))
        self._good.write(pa.RecordBatch.from_arrays(good.columns[:-1], schema=self._schema))
        bad = pa.RecordBatch.from_arrays([*batch.columns, numbers, cause], schema=self._bad_schema).filter(pc.is_valid(cause))
        if bad.num_rows:
            self._bad = self._bad or ParquetParts(self._open_errors(), self._bad_schema, self._compression)
            self._bad.write(bad)
        self._row += batch.num_rows
        return good.column(self._mentions), bad.num_rows

    def __enter__(self) -> LinkedRows:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write what is left; after an error only end the writers, before the files are closed that they write to."""
        with suppress(pa.ArrowException, OSError, ValueError) if error is not None else nullcontext():
            self._good.close()
            if self._bad is not None:
                self._bad.close()


def _free_name(wanted: str, taken: list[str]) -> str:
    """Return a name for a column that no other has."""
    while wanted in taken:
        wanted += "_"
    return wanted
