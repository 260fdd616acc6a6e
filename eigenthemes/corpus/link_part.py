"""One part of a corpus: read, linked, written, marked as done. The same bytes wherever and however often it is run."""

from __future__ import annotations

import bz2
import gzip
import lzma
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from typing import IO, Any, cast

import orjson

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import TRUNCATED, Source
from eigenthemes.core.places import open_to_read, remove, written_at_once
from eigenthemes.corpus.job import Job, PartReport
from eigenthemes.corpus.parts import Part, Piece
from eigenthemes.corpus.pieces import LINES, lines_between
from eigenthemes.documents.files import DocumentFile
from eigenthemes.documents.json_lines import numbered_lines
from eigenthemes.documents.layout import Layout, find_layout
from eigenthemes.documents.record import Record
from eigenthemes.documents.record_reader import ignore, read_records
from eigenthemes.errors import SourceError
from eigenthemes.linker import Linker
from eigenthemes.stream import Report, chunks_of, link_chunk


def link_part(job: Job, part: Part, linker: Linker) -> PartReport:
    """Link a part, unless that was done before, and mark it as done; a file that cannot be read at all is a problem told."""
    known = job.report_of(part)
    if known is not None:
        return known
    start = time.perf_counter()
    try:
        report = _link(job, part, linker)
    except (SourceError, OSError) as error:
        return PartReport.of(part, problem=" ".join(str(error).split()))
    report = replace(report, seconds=round(time.perf_counter() - start, 3))
    job.mark_done(part, report)
    return report


def _link(job: Job, part: Part, linker: Linker) -> PartReport:
    diagnostics = Diagnostics()
    with ExitStack() as stack:
        source = stack.enter_context(Source(part.path, diagnostics, ignore))
        layout = find_layout(source.head, source.name)
        if layout is Layout.PARQUET:
            return _link_parquet(job, part, linker)
        if layout not in LINES:
            raise SourceError(f"{part.name} is {layout.value}; a corpus is linked as JSON lines or Parquet", where=part.name)
        if part.piece is not None:
            return _link_piece(job, part, linker, layout)
        records = read_records(source, layout, DocumentFile(part.path, part.name), per_line=False, several=True)
        return _link_lines(job, part, linker, records, diagnostics)


def _link_piece(job: Job, part: Part, linker: Linker, layout: Layout) -> PartReport:
    """Link a piece of a file of JSON lines; its errors are told the lines of the piece."""
    assert part.piece is not None
    lines = 0

    def counted(file: IO[bytes], piece: Piece) -> Iterator[bytes]:
        nonlocal lines
        for line in lines_between(file, piece, part.name):
            lines += 1
            yield line

    with open_to_read(part.path) as file:
        records = (Record(part.name, number, data, layout) for number, data in numbered_lines(counted(file, part.piece)))
        report = _link_lines(job, part, linker, records, Diagnostics())
    return replace(report, lines=lines)


def _link_lines(job: Job, part: Part, linker: Linker, records: Iterator[Record], diagnostics: Diagnostics) -> PartReport:
    """Link JSON lines; a truncated archive is refused, for half a part is none."""
    total = Report()
    with _outputs(job, part) as (out, errors):
        compressed = _compressed(part.name, out)
        for chunk in chunks_of(records):
            linked = link_chunk(linker, chunk)
            compressed.write(linked.output)
            given = {record.line: record.data for record in chunk}
            for failure in linked.failures:
                line = given.get(failure.line, b"")
                text = line.decode("utf-8", "backslashreplace").rstrip("\r\n") if isinstance(line, bytes) else ""
                errors().write(orjson.dumps({**failure.to_dict(), "record": text}, option=orjson.OPT_APPEND_NEWLINE))
            total.add(linked)
        if compressed is not out:
            compressed.close()
        if diagnostics.counts[TRUNCATED]:
            raise SourceError(f"{part.name} is a {TRUNCATED}; fetch or pack the file again", where=part.name)
    return _report(part, total)


def _link_parquet(job: Job, part: Part, linker: Linker) -> PartReport:
    """Link a file of Parquet: all columns pass through, and bad rows go to a file of their own with all of theirs."""
    import pyarrow as pa

    from eigenthemes.arrow import link_arrow
    from eigenthemes.corpus.parquet_part import LinkedRows
    from eigenthemes.documents.arrow_rows import DocumentColumns
    from eigenthemes.documents.parquet import ParquetDocuments

    total, roles = Report(), DocumentColumns.of(job.columns)
    with open_to_read(part.path) as file, _outputs(job, part) as (out, errors):
        documents = ParquetDocuments(file, part.name, roles)
        first, last = (0, None) if part.piece is None else (part.piece.first, part.piece.last)
        try:
            with LinkedRows(documents, out, errors, explain=linker.options.explain, first=first) as rows:
                for batch in documents.batches() if last is None else documents.rows(first, last):
                    linked = link_arrow(batch, linker, columns=job.columns, error_column=rows.cause)
                    _count(total, *rows.write(batch, linked))
        except pa.ArrowException as error:
            raise SourceError(
                f"{part.name} cannot be written with its links ({error}); check its columns", where=part.name
            ) from None
    return _report(part, total)


def _count(total: Report, mentions: Any, failures: int) -> None:
    reasons = mentions.flatten().field("nil_reason")
    total.documents += len(mentions)
    total.mentions += len(reasons)
    total.linked += reasons.null_count
    total.failures += failures


def _report(part: Part, total: Report) -> PartReport:
    counts = asdict(total)
    return PartReport.of(part, **{name: counts[name] for name in ("documents", "mentions", "linked", "failures")})


@contextmanager
def _outputs(job: Job, part: Part) -> Iterator[tuple[IO[bytes], Callable[[], IO[bytes]]]]:
    """Open the output of a part, and what opens the file of its errors when there is one; both appear when all went well."""
    with ExitStack() as stack:
        out = stack.enter_context(written_at_once(job.output_of(part), job.unfinished))
        opened: list[IO[bytes]] = []

        def errors() -> IO[bytes]:
            if not opened:
                opened.append(stack.enter_context(written_at_once(job.errors_of(part), job.unfinished)))
            return opened[0]

        yield out, errors
    if not opened:
        remove(job.errors_of(part))  # of a file that was mended since


def _compressed(name: str, out: IO[bytes]) -> IO[bytes]:
    """Return what writes to a file in the compression that its name says."""
    name = name.lower()
    if name.endswith(".gz"):
        return cast(IO[bytes], gzip.GzipFile("", "wb", 6, out, mtime=0))  # the same bytes at any time
    if name.endswith(".bz2"):
        return cast(IO[bytes], bz2.BZ2File(out, "wb"))
    if name.endswith(".xz"):
        return cast(IO[bytes], lzma.LZMAFile(out, "wb"))
    if name.endswith(".zst"):
        import pyarrow

        return cast(IO[bytes], pyarrow.CompressedOutputStream(pyarrow.PythonFile(_Kept(out), mode="w"), "zstd"))
    return out


class _Kept:
    """A file that stays open when what writes to it is closed."""

    closed = False

    def __init__(self, file: IO[bytes]) -> None:
        self.write, self.flush = file.write, file.flush

    def close(self) -> None:
        pass
