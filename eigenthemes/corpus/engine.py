"""Link a corpus: list its files, skip the finished ones, have an engine link the others, write the manifest."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

from eigenthemes.core.storage import FileEntry, open_input
from eigenthemes.core.workers import Workers
from eigenthemes.corpus.job import FileReport, Job, find_corpus_files
from eigenthemes.corpus.link_file import link_file
from eigenthemes.errors import SourceError
from eigenthemes.kb.archive import archive_hash
from eigenthemes.linker import Linker
from eigenthemes.stream import Report, collect_garbage_rarely

Engine = Callable[[Job, Sequence[FileEntry]], Iterator[FileReport]]  # links files, in any order


@dataclass(slots=True, kw_only=True)
class CorpusReport(Report):
    """The counts of a corpus.

    before      files that an earlier run has linked
    linked_now  documents of the other files
    problems    reports of the files that could not be linked
    """

    files: int
    before: int
    linked_now: int
    problems: list[FileReport]


def link_corpus(
    documents: Sequence[str],
    output: str,
    linker: Linker,
    *,
    engine: Engine | None = None,
    jobs: int = 1,
    columns: Mapping[str, str] | None = None,
    kb_archive: str | None = None,
    on_file: Callable[[FileReport], object] = lambda report: None,
) -> CorpusReport:
    """Link files of JSON lines and Parquet into a folder: one file for each, in its format and order.

    Parameters
    ----------
    documents : sequence of str
        Paths, folders, patterns, URLs of fsspec.
    output : str
        A folder or its URL. The same call continues a run that was killed.
    linker : Linker
        Links the documents.
    engine : callable, optional
        Links the files; by default `jobs` processes of this machine.
    jobs : int
        Number of processes.
    columns : mapping, optional
        Columns of Parquet files by role, for instance ``{"text": "body"}``.
    kb_archive : str, optional
        The KB as an archive, which each machine unpacks once. By default it is at the same path everywhere.
    on_file : callable, optional
        Called with the report of each linked file.

    Returns
    -------
    CorpusReport
    """
    start = time.perf_counter()
    archive = None if kb_archive is None else (kb_archive, archive_hash(kb_archive))
    job = Job.of(linker, output, columns=columns, archive=archive)
    files = find_corpus_files(documents, output)
    _check_columns(files, columns)
    job.start()
    reports = job.finished(files)
    before, linked_now = len(reports), 0
    missing = [file for file in files if file.name not in reports]
    missing.sort(key=lambda file: -file.size)  # so that no large file is left to a single process at the end
    for report in (engine or on_processes(jobs, linker))(job, missing):
        reports[report.name] = report
        linked_now += report.documents
        on_file(report)
    done = [reports[file.name] for file in files]
    job.finish(done)
    return CorpusReport(
        files=len(files),
        before=before,
        linked_now=linked_now,
        seconds=time.perf_counter() - start,
        problems=[report for report in done if report.problem is not None],
        **{name: sum(map(attrgetter(name), done)) for name in ("documents", "mentions", "linked", "failures")},
    )


def _check_columns(files: Sequence[FileEntry], columns: Mapping[str, str] | None) -> None:
    """Refuse columns that no file has, before any work; files that lack them among others are reported later."""
    errors = (_column_error(file, columns) for file in files)
    first = next(errors, None)
    if first is not None and all(errors):
        raise first


def _column_error(file: FileEntry, columns: Mapping[str, str] | None) -> SourceError | None:
    """Return what is wrong with the columns of a Parquet file; other files and damaged ones have no such error."""
    from eigenthemes.documents.arrow_rows import ParquetDocuments

    if file.name.lower().endswith(".parquet"):
        try:
            with open_input(file.path) as opened:
                ParquetDocuments(opened, file.name, columns)
        except (SourceError, OSError) as error:
            return error if isinstance(error, SourceError) and error.code == "no-text-column" else None
    return None


def on_processes(jobs: int, linker: Linker) -> Engine:
    """Return the engine that links files with processes of this machine; a single one uses this linker."""

    def run(job: Job, files: Sequence[FileEntry]) -> Iterator[FileReport]:
        if jobs == 1:
            yield from (link_file(job, file, linker) for file in files)
            return
        with Workers(jobs) as workers:
            yield from workers.map(link_file_in_worker, ((job, file) for file in files))

    return run


def link_file_in_worker(job: Job, file: FileEntry) -> FileReport:
    """Link a file with the linker of this process, which is opened once."""
    return link_file(job, file, _linker_of(job))


@lru_cache(maxsize=1)
def _linker_of(job: Job) -> Linker:
    """Return the linker of a job; a process keeps the last one."""
    collect_garbage_rarely()
    return job.open_linker()
