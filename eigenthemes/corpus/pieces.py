"""Large files in pieces: lines by ranges of bytes, Parquet by ranges of rows; linked apart, joined in order.

Where a file is cut depends on the file alone, so that any number of processes and machines gives the same bytes. What is
compressed as a whole cannot be cut.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import IO, BinaryIO, cast

import orjson

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import LONGEST_LINE, Source
from eigenthemes.core.places import open_to_read, read_file, remove, written_at_once
from eigenthemes.corpus.job import Job, PartReport
from eigenthemes.corpus.parts import COMPRESSED, Part, Piece
from eigenthemes.documents.layout import Layout, find_layout
from eigenthemes.documents.record_reader import ignore
from eigenthemes.errors import SourceError

BYTES = 16 << 20  # of text in a piece, about: half a minute of linking
LINES = (Layout.JSON_LINES, Layout.TABEL)


def cut(part: Part) -> list[Part]:
    """Return the pieces of a part; none where it is too small to be cut, cannot be, or cannot be read."""
    if part.size <= BYTES or part.name.lower().endswith(COMPRESSED):
        return []
    try:
        with Source(part.path, Diagnostics(), ignore) as source:
            layout = find_layout(source.head, source.name)
        if layout is Layout.PARQUET:
            size, units = _size_of_parquet(part)
        elif layout in LINES:
            size = units = part.size
        else:
            return []
    except (SourceError, OSError):
        return []  # whoever links it will say what is wrong
    count = min(units, round(size / BYTES))
    bounds = [units * number // max(1, count) for number in range(count + 1)]
    pieces = [Piece(number, first, last) for number, (first, last) in enumerate(pairwise(bounds))]
    return [part._replace(piece=piece) for piece in pieces] if count > 1 else []


def _size_of_parquet(part: Part) -> tuple[int, int]:
    """Return the bytes of a file before compression, and its rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open_to_read(part.path) as file:
            metadata = pq.read_metadata(file)
    except (pa.ArrowException, ValueError) as error:
        raise SourceError(str(error), where=part.path) from None
    return sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)), metadata.num_rows


def lines_between(file: IO[bytes], piece: Piece, name: str) -> Iterator[bytes]:
    """Yield the lines that begin in a range of bytes."""
    stream, at = io.BufferedReader(cast(io.RawIOBase, file), 1 << 20), piece.first  # fsspec's files read lines of any length
    try:
        if at:  # the line that goes on here began before
            stream.seek(at - 1)
            at += len(_line(stream, name)) - 1
        while at < piece.last and (line := _line(stream, name)):
            at += len(line)
            yield line
    finally:
        stream.detach()  # whoever opened the file closes it


def _line(stream: BinaryIO, name: str) -> bytes:
    line = stream.readline(LONGEST_LINE + 1)
    if len(line) > LONGEST_LINE:
        problem = f"a line of {name} has more than {LONGEST_LINE >> 20:,} MB; that is no line of a record: check the file"
        raise SourceError(problem, code="endless-line", where=name)
    return line


class Joining:
    """Parts that were cut: keeps what became of their pieces, and joins those of which all are there."""

    def __init__(self, job: Job, parts: Iterable[Part]) -> None:
        self._job = job
        cuts = {part.name: (part, cut(part)) for part in parts}
        self._cut = {name: (part, pieces) for name, (part, pieces) in cuts.items() if pieces}
        known = job.done(piece for _, pieces in self._cut.values() for piece in pieces)
        self._reports: dict[str, dict[int, PartReport]] = {name: {} for name in self._cut}
        for report in known.values():
            self._reports[report.name][report.piece or 0] = report
        whole = [part for name, (part, pieces) in cuts.items() if not pieces]
        self.missing = whole + [piece for _, pieces in self._cut.values() for piece in pieces if piece.key not in known]

    def ready(self) -> Iterator[PartReport]:
        """Yield the reports of parts all of whose pieces an earlier run has linked; they are joined now."""
        for name in list(self._cut):
            yield from self._joined(name)

    def add(self, report: PartReport) -> Iterator[PartReport]:
        """Take what became of a part or a piece; yield the report of the part if that was all of it."""
        if report.piece is None:
            yield report
            return
        self._reports[report.name][report.piece] = report
        yield from self._joined(report.name)

    def _joined(self, name: str) -> Iterator[PartReport]:
        part, pieces = self._cut[name]
        reports = [self._reports[name][number] for number in sorted(self._reports[name])]
        if len(reports) == len(pieces):
            yield join_pieces(self._job, part, pieces, reports)


def join_pieces(job: Job, part: Part, pieces: Sequence[Part], reports: Sequence[PartReport]) -> PartReport:
    """Write the output of a part from those of its pieces, mark it as done, and remove them."""
    problem = next((report.problem for report in reports if report.problem is not None), None)
    if problem is not None:
        return PartReport(part.name, problem=problem)
    sums = {name: sum(getattr(report, name) for report in reports) for name in ("documents", "mentions", "linked", "failures")}
    report = PartReport(part.name, **sums, seconds=round(sum(report.seconds for report in reports), 3))
    try:
        if part.name.lower().endswith(".parquet") or _is_parquet(job, pieces[0]):
            _join_parquet(job, part, pieces, reports)
        else:
            _join_lines(job, part, pieces, reports)
    except (SourceError, OSError) as error:
        job.forget(pieces)  # one of them was lost, or is damaged
        return PartReport(part.name, problem=" ".join(str(error).split()))
    job.mark_done(part, report)
    remove(job.pieces_of(part))
    return report


def _is_parquet(job: Job, piece: Part) -> bool:
    with open_to_read(job.output_of(piece)) as file:
        return file.read(4) == b"PAR1"


def _join_lines(job: Job, part: Part, pieces: Sequence[Part], reports: Sequence[PartReport]) -> None:
    """Join lines as they are; errors are told the lines of the whole file."""
    with written_at_once(job.output_of(part), job.unfinished) as out:
        for piece in pieces:
            with open_to_read(job.output_of(piece)) as file:
                shutil.copyfileobj(file, out, 1 << 20)
    if not any(report.failures for report in reports):
        remove(job.errors_of(part))
        return
    before = 0
    with written_at_once(job.errors_of(part), job.unfinished) as out:
        for piece, report in zip(pieces, reports, strict=True):
            for line in (read_file(job.errors_of(piece)) or b"").splitlines():
                told = orjson.loads(line)
                out.write(orjson.dumps({**told, "line": told["line"] + before}, option=orjson.OPT_APPEND_NEWLINE))
            before += report.lines


def _join_parquet(job: Job, part: Part, pieces: Sequence[Part], reports: Sequence[PartReport]) -> None:
    with written_at_once(job.output_of(part), job.unfinished) as out:
        _join_rows([job.output_of(piece) for piece in pieces], out)
    failed = [job.errors_of(piece) for piece, report in zip(pieces, reports, strict=True) if report.failures]
    if not failed:
        remove(job.errors_of(part))
        return
    with written_at_once(job.errors_of(part), job.unfinished) as out:
        _join_rows(failed, out)


def _join_rows(paths: Sequence[str], out: IO[bytes]) -> None:
    """Write the groups of rows of some files of Parquet into one."""
    from eigenthemes.documents.parquet import ParquetParts, compression_of, open_parquet

    joined: ParquetParts | None = None
    for path in paths:
        with open_to_read(path) as file:
            opened = open_parquet(file, path)
            joined = joined or ParquetParts(out, opened.schema_arrow, compression_of(opened))
            for group in range(opened.num_row_groups):
                joined.write_group(opened.read_row_group(group))
    if joined is not None:
        joined.close()
