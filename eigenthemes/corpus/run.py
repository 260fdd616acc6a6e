"""A corpus from beginning to end: list the parts, leave out those that are done, link the others, write the manifest."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain

from eigenthemes.core.places import open_to_read
from eigenthemes.core.workers import Workers
from eigenthemes.corpus.job import Job, PartReport
from eigenthemes.corpus.link_part import link_part
from eigenthemes.corpus.parts import Part, find_parts
from eigenthemes.corpus.pieces import BYTES, Joining
from eigenthemes.errors import SourceError
from eigenthemes.kb.archive import archive_hash
from eigenthemes.linker import Linker
from eigenthemes.stream import collect_garbage_rarely

Engine = Callable[[Job, Sequence[Part]], Iterator[PartReport]]  # links parts, in any order


@dataclass(slots=True)
class CorpusReport:
    """What became of a corpus; `before` of its parts were linked by an earlier run."""

    parts: int = 0
    before: int = 0
    documents: int = 0
    mentions: int = 0
    linked: int = 0
    failures: int = 0
    seconds: float = 0.0
    linked_now: int = 0  # documents
    problems: list[PartReport] = field(default_factory=list)

    def add(self, report: PartReport) -> None:
        self.parts += 1
        if report.problem is not None:
            self.problems.append(report)
        self.documents += report.documents
        self.mentions += report.mentions
        self.linked += report.linked
        self.failures += report.failures


def link_corpus(
    documents: Sequence[str],
    output: str,
    linker: Linker,
    *,
    engine: Engine | None = None,
    jobs: int = 1,
    columns: Mapping[str, str] | None = None,
    kb_archive: str | None = None,
    on_part: Callable[[PartReport], object] = lambda report: None,
) -> CorpusReport:
    """Link files of JSON lines and Parquet into a folder: a file for each, in its format, its documents in their order.

    documents   paths, folders, patterns, URLs of fsspec
    output      a folder, or a URL of one. A run that was killed is gone on with by the same call
    engine      what links the parts; None: `jobs` processes of this machine
    columns     of Parquet: what the columns of documents are called, by role: {"text": "body"}
    kb_archive  the KB as an archive, which each machine unpacks once; None: it is at the same path everywhere
    on_part     called with what became of each part, and of each piece of a large one
    """
    start = time.perf_counter()
    archive = None if kb_archive is None else (kb_archive, archive_hash(kb_archive))
    job = Job.of(linker, output, columns=columns, archive=archive)
    parts = find_parts(documents, output)
    _check_columns(parts, columns)
    job.begin()
    reports = job.done(parts)
    total = CorpusReport(before=len(reports))
    for report in reports.values():
        total.add(report)
    joining = Joining(job, [part for part in parts if part.name not in reports])
    for report in chain(joining.ready(), _linked(joining, job, engine or on_processes(jobs, linker), total, on_part)):
        reports[report.name] = report
        total.add(report)
    job.finish(reports[part.name] for part in parts)
    total.seconds = time.perf_counter() - start
    return total


def _linked(
    joining: Joining, job: Job, engine: Engine, total: CorpusReport, on_part: Callable[[PartReport], object]
) -> Iterator[PartReport]:
    """Yield the reports of the parts that an engine links, in pieces or whole."""
    missing = sorted(joining.missing, key=lambda part: -part.size if part.piece is None else -BYTES)
    for report in engine(job, missing):  # the largest first, so that none is left alone at the end
        total.linked_now += report.documents
        on_part(report)
        yield from joining.add(report)


def _check_columns(parts: Sequence[Part], columns: Mapping[str, str] | None) -> None:
    """Refuse columns that the first file of Parquet does not have: no other will, either. A broken file is told later."""
    first = next((part for part in parts if part.name.lower().endswith(".parquet")), None)
    if first is None:
        return
    from eigenthemes.documents.arrow_rows import DocumentColumns
    from eigenthemes.documents.parquet import ParquetDocuments

    with suppress(OSError), open_to_read(first.path) as file:
        try:
            ParquetDocuments(file, first.name, DocumentColumns.of(columns))
        except SourceError as error:
            if error.code == "no-text-column":
                raise


def on_processes(jobs: int, linker: Linker) -> Engine:
    """Return the engine that links parts with some processes of this machine; one job is done here, with this linker."""

    def run(job: Job, parts: Sequence[Part]) -> Iterator[PartReport]:
        if jobs == 1:
            yield from (link_part(job, part, linker) for part in parts)
            return
        with Workers(jobs) as workers:
            yield from workers.map(link_part_here, ((job, part) for part in parts))

    return run


def link_part_here(job: Job, part: Part) -> PartReport:
    """Link a part with the linker of this process, which is opened when it is first asked for."""
    return link_part(job, part, _linker_of(job))


_opened: tuple[Job, Linker] | None = None


def _linker_of(job: Job) -> Linker:
    """Return the linker of a job; a process keeps the last one."""
    global _opened
    if _opened is None or _opened[0] != job:
        collect_garbage_rarely()
        _opened = (job, job.open_linker())
    return _opened[1]
