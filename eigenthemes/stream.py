"""JSON lines in, JSON lines out: constant memory, order kept, over several processes that share the mapped KB.

The main process only reads and writes; a chunk of lines goes to a worker, and its output comes back as bytes.
"""

from __future__ import annotations

import gc
import io
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from eigenthemes.core.workers import Workers
from eigenthemes.documents.json_lines import BOM, parse_document
from eigenthemes.errors import DocumentError
from eigenthemes.linker import Answer, Linker
from eigenthemes.ranking.batch import BATCH, Batch, spans
from eigenthemes.records import Document, Mention

_CHUNK_BYTES = 1 << 20

Lines = list[tuple[int, bytes]]  # number of the line, from 1, and the line


@dataclass(frozen=True, slots=True)
class Failure:
    """A record that could not be linked."""

    line: int
    cause: str

    def to_dict(self) -> dict[str, Any]:
        return {"line": self.line, "cause": self.cause}


@dataclass(slots=True)
class Chunk:
    """What became of some lines."""

    output: bytes = b""
    documents: int = 0
    mentions: int = 0
    linked: int = 0
    unknown: list[str] = field(default_factory=list)  # ids that documents gave and the KB does not know
    failures: list[Failure] = field(default_factory=list)


@dataclass(slots=True)
class Report:
    """What became of a whole run."""

    documents: int = 0
    mentions: int = 0
    linked: int = 0
    unknown: int = 0
    unknown_example: str = ""
    failures: int = 0
    seconds: float = 0.0

    def add(self, chunk: Chunk) -> None:
        self.documents += chunk.documents
        self.mentions += chunk.mentions
        self.linked += chunk.linked
        self.failures += len(chunk.failures)
        self.unknown += len(chunk.unknown)
        if chunk.unknown and not self.unknown_example:
            self.unknown_example = chunk.unknown[0]


def link_stream(
    lines: Iterable[bytes],
    write: Callable[[bytes], object],
    kb: str | Path,
    *,
    options: dict[str, Any],
    jobs: int = 1,
    plain_text: bool = False,
    strict: bool = False,
    on_failure: Callable[[Failure], None] = lambda failure: None,
    on_progress: Callable[[int], None] = lambda documents: None,
) -> Report:
    """Link every line and write the links; options as in `Linker`. A bad record is reported and the run goes on."""
    _linker.cache_clear()  # the KB may have been built anew
    linker_for(str(kb), options)  # whatever is wrong with the KB or an option is said now, in this process
    start, report = time.perf_counter(), Report()
    with Workers(jobs) as workers:
        chunks = ((str(kb), options, chunk, plain_text) for chunk in chunks_of(lines))
        for chunk in workers.map(link_chunk, chunks):
            if strict and chunk.failures:
                first = chunk.failures[0]
                raise DocumentError(f"line {first.line}: {first.cause}")
            write(chunk.output)
            for failure in chunk.failures:
                on_failure(failure)
            report.add(chunk)
            on_progress(chunk.documents + len(chunk.failures))
    report.seconds = time.perf_counter() - start
    return report


def chunks_of(lines: Iterable[bytes]) -> Iterator[Lines]:
    """The lines that are not blank, some at a time."""
    chunk: Lines = []
    size = 0
    for number, line in enumerate(lines, start=1):
        if number == 1:
            line = line.removeprefix(BOM)
        if not line or line.isspace():
            continue
        chunk.append((number, line))
        size += len(line)
        if len(chunk) >= BATCH or size >= _CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


@lru_cache(maxsize=1)
def _linker(kb: str, options: tuple[tuple[str, Any], ...]) -> Linker:
    return Linker.open(kb, **dict(options))


def linker_for(kb: str, options: dict[str, Any]) -> Linker:
    """The linker of this process."""
    return _linker(kb, tuple(sorted(options.items())))


def link_chunk(kb: str, options: dict[str, Any], lines: Lines, plain_text: bool) -> Chunk:
    """Link some lines, in this process."""
    linker = linker_for(kb, options)
    with _no_garbage_collection():
        chunk, numbers, documents = _parse(lines, plain_text, linker)
        batch, answers = linker.answer(documents)
        _write(chunk, numbers, batch, answers, linker.top)
    return chunk


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """A chunk makes many small objects and no cycles: looking for them takes a tenth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _parse(lines: Lines, plain_text: bool, linker: Linker) -> tuple[Chunk, list[int], list[Document]]:
    chunk, numbers, documents = Chunk(), [], []
    for number, line in lines:
        try:
            document = _plain(line) if plain_text else parse_document(line)
            linker.check(document)
            documents.append(document)
            numbers.append(number)
        except DocumentError as error:
            chunk.failures.append(Failure(number, str(error)))
    return chunk, numbers, documents


def _write(chunk: Chunk, numbers: list[int], batch: Batch, answers: list[Answer], top: int) -> None:
    out = io.BytesIO()
    for number, (document, first, last) in zip(numbers, spans(batch), strict=True):
        try:
            out.write(_dump(document, batch, answers, first, last, top))
        except TypeError as error:  # of orjson, which admits fewer levels when it writes than when it reads
            chunk.failures.append(Failure(number, f"the record cannot be written as JSON ({error}); simplify its other fields"))
            continue
        chunk.documents += 1
        chunk.mentions += last - first
        chunk.linked += sum(answer.nil_reason is None for answer in answers[first:last])
    chunk.failures.sort(key=lambda failure: failure.line)
    chunk.unknown = [each for missing in batch.unknown.values() for each in missing]
    chunk.output = out.getvalue()


def _plain(line: bytes) -> Document:
    return Document(text=line.decode("utf-8", "replace").rstrip("\r\n"))


def _dump(document: Document, batch: Batch, answers: list[Answer], first: int, last: int, top: int) -> bytes:
    """A document with its links, on a line."""
    links = [_link(batch.mentions[i], answers[i], top, batch.unknown.get(i)) for i in range(first, last)]
    whole = document.source or {"text": document.text}
    return orjson.dumps({**whole, "mentions": links}, option=orjson.OPT_APPEND_NEWLINE)


def _link(mention: Mention, answer: Answer, top: int, unknown: tuple[str, ...] | None) -> dict[str, Any]:
    """As `records.Link.to_dict`, without the record: this is written for every mention of every document."""
    ranking, nil_reason, probability, explanation = answer
    source = mention.source
    as_given = source.get("text") is not None and source.get("end") == mention.end
    entity, label, score = ranking[0] if nil_reason is None else (None, None, None)
    found = {
        **(source if as_given else mention.to_dict()),
        "entity": entity,
        "label": label,
        "score": score,
        "probability": probability,
        "ranking": [{"id": external, "label": name, "score": value} for external, name, value in ranking[:top]],
        "nil_reason": nil_reason,
    }
    if explanation is not None:
        found["explanation"] = explanation.to_dict()
    if unknown:
        found["unknown_candidates"] = unknown
    else:
        found.pop("unknown_candidates", None)  # of an earlier linking, by another KB
    return found
