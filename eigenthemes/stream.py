"""Link a stream of records: in constant memory, in order, with several processes that share the mapped KB.

The main process only reads and writes; a chunk of raw records goes to a worker, and its output comes back as bytes.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from eigenthemes.core.workers import Result, Workers
from eigenthemes.documents.reader import Record, parse_record
from eigenthemes.errors import DocumentError
from eigenthemes.linker import DecidedBatch, Linker, LinkOptions
from eigenthemes.pipeline.batch import BATCH
from eigenthemes.records import Document, LinkedDocument

_CHUNK, _CHUNK_BYTES = 256, 1 << 20  # documents of a chunk, and bytes
_COLLECT_AFTER = 200_000  # objects: a chunk makes many and no cycles; looking for cycles takes a tenth of the time


class Failure(NamedTuple):
    """A record that could not be linked: its place, the cause, and its bytes if it has any."""

    file: str
    line: int
    cause: str
    record: bytes = b""

    def to_dict(self) -> dict[str, Any]:
        """Return place and cause, for JSON."""
        return {"file": self.file, "line": self.line, "cause": self.cause}


@dataclass(slots=True)
class Report:
    """Counts of a run.

    unknown         number of ids in documents that the KB does not have, with an example
    without_vector  number of candidates in documents that were left out because they have no vector
    """

    documents: int = 0
    mentions: int = 0
    linked: int = 0
    unknown: int = 0
    unknown_example: str = ""
    without_vector: int = 0
    failures: int = 0
    seconds: float = 0.0

    def add(self, other: Report) -> None:
        """Add the counts of another one."""
        for name in ("documents", "mentions", "linked", "unknown", "without_vector", "failures"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.unknown_example = self.unknown_example or other.unknown_example


@dataclass(slots=True)
class Chunk(Report):
    """The result of linking some records.

    output   the linked documents as JSON lines, or
    records  the linked documents, each with the place that its record had; they are counted when they are passed on
    failed   the records that could not be linked
    """

    output: bytes = b""
    records: list[tuple[LinkedDocument, Record]] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)

    def add_failure(self, record: Record, error: DocumentError) -> None:
        """Count a record that could not be linked."""
        _, _, line = (error.where or "").rpartition(":")
        data = record.data if isinstance(record.data, bytes) else b""
        self.failed.append(Failure(record.file, int(line) if line.isdecimal() else record.line, str(error), data))
        self.failures += 1


def link_stream(
    records: Iterable[Record],
    linker: Linker,
    *,
    write: Callable[[bytes], object] | None = None,
    on_document: Callable[[LinkedDocument], object] | None = None,
    jobs: int = 1,
    strict: bool = False,
    on_failure: Callable[[Failure], None] = lambda failure: None,
    on_progress: Callable[[int], None] = lambda documents: None,
) -> Report:
    """Link every record, and write the links as JSON lines, or pass each linked document to `on_document`.

    A bad record is reported, and so is one that `on_document` refuses with a `DocumentError`; under `strict` the first one
    ends the run.
    """
    start, report = time.perf_counter(), Report()
    as_records = on_document is not None
    with Workers(jobs) as workers:
        chunks = chunks_of(records, BATCH if workers.jobs > 1 else _CHUNK)  # workers share a short file among them
        for chunk in map_with_linker(link_chunk, linker, ((chunk, as_records) for chunk in chunks), workers):
            if strict:
                _refuse_failures(chunk)
            if write is not None:
                write(chunk.output)
            if on_document is not None:
                _pass_on(chunk, on_document)
            if strict:
                _refuse_failures(chunk)
            for failure in chunk.failed:
                on_failure(failure)
            report.add(chunk)
            on_progress(chunk.documents + chunk.failures)
    report.seconds = time.perf_counter() - start
    return report


def _refuse_failures(chunk: Chunk) -> None:
    if chunk.failed:
        first = chunk.failed[0]
        raise DocumentError(f"line {first.line}: {first.cause}", where=f"{first.file}:{first.line}")


def _pass_on(chunk: Chunk, on_document: Callable[[LinkedDocument], object]) -> None:
    """Pass the documents of a chunk to a function, and count those that it does not refuse."""
    for document, record in chunk.records:
        try:
            on_document(document)
        except DocumentError as error:
            chunk.add_failure(record, error)
            continue
        chunk.documents += 1
        chunk.mentions += len(document.links)
        chunk.linked += sum(link.entity is not None for link in document.links)


def chunks_of(records: Iterable[Record], most: int = _CHUNK) -> Iterator[list[Record]]:
    """Split records into chunks of at most `most` records and about a megabyte."""
    chunk: list[Record] = []
    size = 0
    for record in records:
        chunk.append(record)
        size += record.size
        if len(chunk) >= most or size >= _CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def collect_garbage_rarely() -> None:
    """Collect garbage less often, in a process that only links."""
    gc.set_threshold(_COLLECT_AFTER)


def map_with_linker(
    function: Callable[..., Result], linker: Linker, tasks: Iterable[tuple[Any, ...]], workers: Workers
) -> Iterator[Result]:
    """Yield `function` of a linker and each task, in order; every worker process opens the linker once."""
    if workers.jobs <= 1:
        return (function(linker, *task) for task in tasks)
    path, options = linker.path_and_options
    return workers.map(_call_in_worker, ((function, path, options, task) for task in tasks))


def _call_in_worker(function: Callable[..., Result], path: str, options: LinkOptions, task: tuple[Any, ...]) -> Result:
    return function(_worker_linker(path, options), *task)


@lru_cache(maxsize=1)
def _worker_linker(path: str, options: LinkOptions) -> Linker:
    """Return the linker of this worker process, opened once."""
    collect_garbage_rarely()
    return Linker(path, options=options)


def link_chunk(linker: Linker, records: list[Record], as_records: bool = False) -> Chunk:
    """Link some records."""
    chunk, parsed, documents = Chunk(), list[Record](), list[Document]()
    for record in records:
        try:
            document = parse_record(record)
            linker.check(document)
            documents.append(document)
            parsed.append(record)
        except DocumentError as error:
            chunk.add_failure(record, error)
    decided = linker.decide(documents)
    if as_records:
        places = [record._replace(data=b"") for record in parsed]
        chunk.records = list(zip(linker.links(decided), places, strict=True))
    else:
        _write(chunk, parsed, decided, linker)
    unknown = [id for missing in decided.batch.unknown.values() for id in missing]
    chunk.unknown, chunk.unknown_example = len(unknown), unknown[0] if unknown else ""
    chunk.without_vector = decided.batch.without_vector
    return chunk


def _write(chunk: Chunk, records: list[Record], decided: DecidedBatch, linker: Linker) -> None:
    """Write the documents of a chunk with their links, a line of JSON each."""
    lines = list[bytes]()
    batch, linked = decided.batch, np.concatenate(([0], np.cumsum(decided.decisions.linked)))
    encoder = linker.encoder(decided)
    for record, (document, first, last) in zip(records, batch.own_spans(), strict=True):
        try:
            lines.append(encoder.line(document, first))
        except DocumentError as error:
            chunk.add_failure(record, error)
            continue
        chunk.documents += 1
        chunk.mentions += last - first
        chunk.linked += int(linked[last] - linked[first])
    chunk.failed.sort(key=lambda failure: failure.line)
    chunk.output = b"".join(lines)
