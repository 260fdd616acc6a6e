"""Decide the documents of simultaneous requests together, in one thread per process; the answers are the same as alone."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

from eigenthemes.linker import DecidedBatch, Linker
from eigenthemes.pipeline.batch import BATCH
from eigenthemes.records import Document

LARGE = 2_000  # mentions of a document that is decided in a separate thread
MOST_MENTIONS = 512  # decided at once, so that small requests do not wait for large ones

Result = list[bytes] | Exception
Tally = Counter[str]  # numbers of batches, documents, mentions and links that were decided at once


@dataclass(slots=True)
class _Job:
    """A request's documents, and the answers to the first of them."""

    linker: Linker
    documents: Sequence[Document]
    future: asyncio.Future[list[bytes]]
    answers: list[bytes] = field(default_factory=list)

    def part(self, most_documents: int, most_mentions: int) -> list[Document]:
        """Return the next documents, as many as fit: at least one."""
        first = last = len(self.answers)
        mentions = 0
        while last < len(self.documents) and last - first < most_documents:
            mentions += size_of(self.documents[last])
            if last > first and mentions > most_mentions:
                break
            last += 1
        return list(self.documents[first:last])


class Batcher:
    """Decides documents of many requests: jobs that wait when its thread is free are taken together.

    Large documents have another thread.
    """

    def __init__(self, on_decided: Callable[[Tally], None] = lambda tally: None) -> None:
        self.on_decided = on_decided
        self._thread, self._large = (
            ThreadPoolExecutor(1, thread_name_prefix=f"eigenthemes-{name}") for name in ("small", "large")
        )
        self._waiting: deque[_Job] = deque()
        self._work: asyncio.Task[None] | None = None

    async def link(self, linker: Linker, documents: Sequence[Document]) -> list[bytes]:
        """Return the JSON of each document with its links."""
        loop = asyncio.get_running_loop()
        if not documents:
            return []
        if max(map(size_of, documents)) > LARGE:
            [result], tally = await loop.run_in_executor(self._large, _link_parts, linker, [list(documents)])
            self.on_decided(tally)
            if isinstance(result, Exception):
                raise result
            return result
        job = _Job(linker, documents, loop.create_future())
        self._waiting.append(job)
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._link_waiting())
        return await job.future

    def close(self) -> None:
        """Stop both threads."""
        for thread in (self._thread, self._large):
            thread.shutdown(wait=False, cancel_futures=True)

    async def _link_waiting(self) -> None:
        """Link the oldest job together with others of the same linker, until none is left."""
        while parts := self._take():
            linker, documents = parts[0][0].linker, [part for _, part in parts]
            try:
                work = asyncio.get_running_loop().run_in_executor(self._thread, _link_parts, linker, documents)
                results, tally = await work
            except Exception as error:  # no request may wait for ever
                results, tally = [error] * len(parts), Tally()
            self.on_decided(tally)
            for (job, _), result in zip(parts, results, strict=True):
                self._finish(job, result)

    def _finish(self, job: _Job, result: Result) -> None:
        if job.future.done():  # the request was cancelled
            return
        if isinstance(result, Exception):
            job.future.set_exception(result)
            return
        job.answers.extend(result)
        if len(job.answers) == len(job.documents):
            job.future.set_result(job.answers)
        else:
            self._waiting.append(job)  # after newer jobs

    def _take(self) -> list[tuple[_Job, list[Document]]]:
        parts: list[tuple[_Job, list[Document]]] = []
        documents, mentions = BATCH, MOST_MENTIONS
        kept: deque[_Job] = deque()
        while self._waiting:
            job = self._waiting.popleft()
            if job.future.done():
                continue
            if parts and (job.linker is not parts[0][0].linker or documents <= 0 or mentions <= 0):
                kept.append(job)
                continue
            part = job.part(documents, mentions)
            parts.append((job, part))
            documents -= len(part)
            mentions -= sum(map(size_of, part))
        self._waiting = kept
        return parts


def size_of(document: Document) -> int:
    """Return an estimate of the number of mentions."""
    if document.mentions is not None:
        return 1 + len(document.mentions)
    if document.table is not None:
        return 1 + sum(map(len, document.table.rows))
    return 1 + len(document.text or "") // 50


def tally_of(decided: DecidedBatch) -> Tally:
    """Return the numbers of a decided batch."""
    own = decided.batch.is_own
    links = int(decided.decisions.linked[own].sum())
    return Tally(batches=1, documents=len(decided.batch.documents), mentions=int(own.sum()), links=links)


def _link_parts(linker: Linker, parts: list[list[Document]]) -> tuple[list[Result], Tally]:
    """Link parts of requests together; if that fails, each alone, so that an error fails one request only."""
    try:
        return _linked(linker, parts)
    except Exception as error:
        if len(parts) == 1:
            return [error], Tally()
    alone = [_link_parts(linker, [part]) for part in parts]
    return [result for results, _ in alone for result in results], sum((tally for _, tally in alone), Tally())


def _linked(linker: Linker, parts: list[list[Document]]) -> tuple[list[Result], Tally]:
    decided = linker.decide([document for part in parts for document in part])
    encoder, spans = linker.encoder(decided), decided.batch.own_spans()
    results: list[Result] = []
    for part in parts:
        own = list(islice(spans, len(part)))
        try:
            results.append([b"".join(encoder.line(document, first)) for document, first, _ in own])
        except Exception as error:
            results.append(error)
    return results, tally_of(decided)
