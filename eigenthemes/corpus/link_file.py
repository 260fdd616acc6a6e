"""Link one file of a corpus: read, link, write, mark as finished. The same bytes on any machine, however often it runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import IO, Any

import orjson

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import TRUNCATED, Source, compressing
from eigenthemes.core.storage import FileEntry, open_input, reason, remove, write_atomically
from eigenthemes.corpus.job import FileReport, Job
from eigenthemes.documents.layout import Layout, find_layout
from eigenthemes.documents.reader import Record, ignore
from eigenthemes.documents.splitting import numbered_lines
from eigenthemes.errors import DocumentError, MissingExtraError, SourceError
from eigenthemes.linker import Linker
from eigenthemes.stream import Failure, Report, link_stream

_LINES = (Layout.JSON_LINES, Layout.TABEL)
OpenErrors = Callable[[], IO[bytes]]


def link_file(job: Job, file: FileEntry, linker: Linker) -> FileReport:
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


def _link(job: Job, file: FileEntry, linker: Linker) -> Report:
    diagnostics = Diagnostics()
    with Source(file.path, diagnostics, ignore) as source, _outputs(job, file) as (out, open_errors):
        layout = find_layout(source.head, source.name)
        if layout is Layout.PARQUET:
            return _link_parquet(job, file, linker, out, open_errors)
        if layout not in _LINES:
            raise SourceError(f"{file.name} has the format {layout}; expected JSON lines or Parquet", where=file.name)
        source.is_lines = True

        def write_failure(failure: Failure) -> None:
            text = failure.record.decode("utf-8", "backslashreplace").rstrip("\r\n")
            open_errors().write(orjson.dumps({**failure.to_dict(), "record": text}, option=orjson.OPT_APPEND_NEWLINE))

        records = (Record(file.name, line, data, layout) for line, data in numbered_lines(source.stream))
        with compressing(file.name, out) as lines:
            report = link_stream(records, linker, write=lines.write, on_failure=write_failure)
        if diagnostics.counts[TRUNCATED]:
            raise SourceError(f"{file.name} is a {TRUNCATED}; fetch or compress it again", where=file.name)
        return report


@contextmanager
def _outputs(job: Job, file: FileEntry) -> Iterator[tuple[IO[bytes], OpenErrors]]:
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


def _link_parquet(job: Job, file: FileEntry, linker: Linker, out: IO[bytes], open_errors: OpenErrors) -> Report:
    """Link a Parquet file: all columns are kept; bad rows are written to the errors with theirs, their number and the cause."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from eigenthemes.documents.arrow_rows import ParquetDocuments
    from eigenthemes.tables.arrow_batches import link_arrow, linked_schema

    total, rows = Report(), 0
    with open_input(file.path) as opened, ExitStack() as stack:
        documents = ParquetDocuments(opened, file.name, job.columns)
        given, mentions, compression = documents.schema, documents.columns["mentions"], documents.compression
        cause = _unused_name("cause", [*given.names, mentions])
        schema = linked_schema(given, explain=linker.options.explain, columns=job.columns, error_column=cause)
        schema = schema.remove(schema.get_field_index(cause))
        bad_schema = given.append(pa.field(_unused_name("line", given.names), pa.int64())).append(pa.field(cause, pa.string()))
        good_parts, bad_parts = stack.enter_context(_parquet_parts(file, out, schema, compression)), None
        for batch in documents.batches():
            linked = link_arrow(batch, linker, columns=job.columns, error_column=cause)
            causes = linked.column(cause)
            good = linked.filter(pc.is_null(causes))
            good_parts.write(pa.RecordBatch.from_arrays(good.columns[:-1], schema=schema))
            lines = pa.array(range(rows + 1, rows + 1 + batch.num_rows), pa.int64())
            rows += batch.num_rows
            bad = pa.RecordBatch.from_arrays([*batch.columns, lines, causes], schema=bad_schema).filter(pc.is_valid(causes))
            if bad.num_rows:
                bad_parts = bad_parts or stack.enter_context(_parquet_parts(file, open_errors(), bad_schema, compression))
                bad_parts.write(bad)
            reasons = good.column(mentions).flatten().field("nil_reason")
            total.add(Report(good.num_rows, len(reasons), reasons.null_count, failures=bad.num_rows))
    return total


@contextmanager
def _parquet_parts(file: FileEntry, out: IO[bytes], schema: Any, compression: str) -> Iterator[Any]:
    """Open a writer of Parquet, and close it before its file is closed; after an error, ignore what that raises."""
    import pyarrow as pa

    from eigenthemes.documents.arrow_rows import ParquetParts

    parts = ParquetParts(out, schema, compression)
    try:
        yield parts
        parts.close()
    except BaseException as error:
        with suppress(pa.ArrowException, OSError, ValueError):
            parts.close()
        if isinstance(error, pa.ArrowException):
            problem = f"{file.name} cannot be written with its links ({error}); check its columns"
            raise SourceError(problem, where=file.name) from None
        raise


def _unused_name(wanted: str, taken: list[str]) -> str:
    """Return a name for a column that no other has."""
    while wanted in taken:
        wanted += "_"
    return wanted
