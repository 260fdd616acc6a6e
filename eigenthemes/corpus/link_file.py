"""Link one file of a corpus: read, link, write, mark as finished. The same bytes on any machine, however often it runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from types import TracebackType
from typing import IO, Any

import orjson

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import TRUNCATED, Source, compressing
from eigenthemes.core.storage import open_input, reason, remove, write_atomically
from eigenthemes.corpus.job import CorpusFile, FileReport, Job
from eigenthemes.documents.layout import Layout, find_layout
from eigenthemes.documents.reader import Record, ignore
from eigenthemes.documents.splitting import numbered_lines
from eigenthemes.errors import DocumentError, MissingExtraError, SourceError
from eigenthemes.linker import Linker
from eigenthemes.stream import Report, chunks_of, link_chunk

_LINES = (Layout.JSON_LINES, Layout.TABEL)
OpenErrors = Callable[[], IO[bytes]]


def link_file(job: Job, file: CorpusFile, linker: Linker) -> FileReport:
    """Link a file and mark it as finished; one that cannot be read, or not be written, is reported as a problem."""
    start = time.perf_counter()
    try:
        counts = _link(job, file, linker)
        seconds = round(time.perf_counter() - start, 3)
        report = FileReport(file.name, counts.documents, counts.mentions, counts.linked, counts.failures, seconds)
        job.mark_finished(file, report)
        return report
    except (SourceError, DocumentError, MissingExtraError) as error:
        return FileReport(file.name, problem=" ".join(str(error).split()))
    except OSError as error:
        return FileReport(file.name, problem=f"its output cannot be written ({reason(error)}); free some space in {job.folder}")


def _link(job: Job, file: CorpusFile, linker: Linker) -> Report:
    diagnostics = Diagnostics()
    with Source(file.path, diagnostics, ignore) as source, _outputs(job, file) as (out, open_errors):
        layout = find_layout(source.head, source.name)
        if layout is Layout.PARQUET:
            return _link_parquet(job, file, linker, out, open_errors)
        if layout not in _LINES:
            raise SourceError(f"{file.name} has the format {layout}; expected JSON lines or Parquet", where=file.name)
        source.is_lines = True
        records = (Record(file.name, line, data, layout) for line, data in numbered_lines(source.stream))
        total = Report()
        with compressing(file.name, out) as lines:
            for chunk in chunks_of(records):
                linked = link_chunk(linker, chunk)
                lines.write(linked.output)
                data = {record.line: record.data for record in chunk}
                for failure in linked.failures:
                    _write_failure(failure.to_dict(), data.get(failure.line), open_errors())
                total.add(linked)
        if diagnostics.counts[TRUNCATED]:
            raise SourceError(f"{file.name} is a {TRUNCATED}; fetch or compress it again", where=file.name)
        return total


def _write_failure(failure: dict[str, Any], data: object, out: IO[bytes]) -> None:
    text = data.decode("utf-8", "backslashreplace").rstrip("\r\n") if isinstance(data, bytes) else ""
    out.write(orjson.dumps({**failure, "record": text}, option=orjson.OPT_APPEND_NEWLINE))


@contextmanager
def _outputs(job: Job, file: CorpusFile) -> Iterator[tuple[IO[bytes], OpenErrors]]:
    """Open the output of a file; its errors are opened when there is one. Both appear if nothing fails."""
    with ExitStack() as stack:
        out = stack.enter_context(write_atomically(job.output_of(file), job.unfinished))
        opened: list[IO[bytes]] = []

        def open_errors() -> IO[bytes]:
            if not opened:
                opened.append(stack.enter_context(write_atomically(job.errors_of(file), job.unfinished)))
            return opened[0]

        yield out, open_errors
    if not opened:
        remove(job.errors_of(file))  # of an earlier run, before the file was corrected


def _link_parquet(job: Job, file: CorpusFile, linker: Linker, out: IO[bytes], open_errors: OpenErrors) -> Report:
    """Link a Parquet file: all columns are kept, and bad rows are written to the errors with all of theirs."""
    import pyarrow as pa

    from eigenthemes.documents.arrow_rows import DocumentColumns, ParquetDocuments
    from eigenthemes.tables.arrow_batches import link_arrow

    total = Report()
    with open_input(file.path) as opened:
        documents = ParquetDocuments(opened, file.name, DocumentColumns.of(job.columns))
        try:
            with _LinkedRows(documents, out, open_errors, explain=linker.options.explain) as rows:
                for batch in documents.batches():
                    rows.write(batch, link_arrow(batch, linker, columns=job.columns, error_column=rows.cause), total)
        except pa.ArrowException as error:
            raise SourceError(
                f"{file.name} cannot be written with its links ({error}); check its columns", where=file.name
            ) from None
    return total


class _LinkedRows:
    """Writes linked rows, and bad rows with all their columns, their number and the cause.

    cause  the name of the column of causes; differs from the columns of the file
    """

    def __init__(self, documents: Any, out: IO[bytes], open_errors: OpenErrors, *, explain: bool) -> None:
        import pyarrow as pa

        from eigenthemes.documents.arrow_rows import ParquetParts
        from eigenthemes.tables.arrow_batches import linked_schema

        given, roles = documents.schema, documents.columns
        self.cause = _unused_name("cause", [*given.names, roles.mentions])
        columns = {"id": roles.id, "text": roles.text, "table": roles.table, "mentions": roles.mentions}
        schema = linked_schema(given, explain=explain, columns=columns, error_column=self.cause)
        self._schema = schema.remove(schema.get_field_index(self.cause))
        self._mentions = schema.get_field_index(roles.mentions)
        line = pa.field(_unused_name("line", given.names), pa.int64())
        self._bad_schema = given.append(line).append(pa.field(self.cause, pa.string()))
        self._good = ParquetParts(out, self._schema, documents.compression)
        self._bad: ParquetParts | None = None
        self._open_errors, self._compression = open_errors, documents.compression
        self._row = 0

    def write(self, batch: Any, linked: Any, total: Report) -> None:
        """Write the rows of a batch, and count them."""
        import pyarrow as pa
        import pyarrow.compute as pc

        from eigenthemes.documents.arrow_rows import ParquetParts

        cause = linked.column(linked.num_columns - 1)
        good = linked.filter(pc.is_null(cause))
        self._good.write(pa.RecordBatch.from_arrays(good.columns[:-1], schema=self._schema))
        lines = pa.array(range(self._row + 1, self._row + 1 + batch.num_rows), pa.int64())
        bad = pa.RecordBatch.from_arrays([*batch.columns, lines, cause], schema=self._bad_schema).filter(pc.is_valid(cause))
        if bad.num_rows:
            self._bad = self._bad or ParquetParts(self._open_errors(), self._bad_schema, self._compression)
            self._bad.write(bad)
        self._row += batch.num_rows
        reasons = good.column(self._mentions).flatten().field("nil_reason")
        total.documents += good.num_rows
        total.mentions += len(reasons)
        total.linked += reasons.null_count
        total.failures += bad.num_rows

    def __enter__(self) -> _LinkedRows:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the writers before their files are closed; after an error, ignore what they raise."""
        import pyarrow as pa

        with suppress(pa.ArrowException, OSError, ValueError) if error is not None else nullcontext():
            self._good.close()
            if self._bad is not None:
                self._bad.close()


def _unused_name(wanted: str, taken: list[str]) -> str:
    """Return a name for a column that no other has."""
    while wanted in taken:
        wanted += "_"
    return wanted
