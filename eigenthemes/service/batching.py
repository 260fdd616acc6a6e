"""Decide the documents of simultaneous requests together, in one thread per process; the answers are the same as alone."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate, islice

from eigenthemes.linker import DecidedBatch, Linker
from eigenthemes.pipeline.batch import BATCH
from eigenthemes.records import Document

LARGE = 2_000  # mentions of a document that is decided in a separate thread
MOST_MENTIONS = 512  # decided at once, so that small requests do not wait for large ones

Result = list[bytes] | Exception
Tally = Counter[str]  # numbers of batches, documents, mentions and links that were decided at once


@dataclass(frozen=True, slots=True)
class _Job:
    """Some documents of a request, few enough to be decided at once."""

    linker: Linker
    documents: list[Document]
    future: asyncio.Future[list[bytes]]


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
        if max(map(size_of, documents), default=0) > LARGE:
            [result], tally = await loop.run_in_executor(self._large, _link_jobs, linker, [list(documents)])
            self.on_decided(tally)
            if isinstance(result, Exception):
                raise result
            return result
        answers: list[bytes] = []
        while len(answers) < len(documents):  # newer requests come between the jobs of a large one
            job = _Job(linker, _first_documents(documents[len(answers) :]), loop.create_future())
            self._waiting.append(job)
            if self._work is None or self._work.done():
                self._work = asyncio.create_task(self._link_waiting())
            answers += await job.future
        return answers

    async def _link_waiting(self) -> None:
        """Link the oldest job together with others of the same linker, until none is left."""
        while jobs := self._take():
            try:
                work = asyncio.get_running_loop().run_in_executor(
                    self._thread, _link_jobs, jobs[0].linker, [job.documents for job in jobs]
                )
                results, tally = await work
            except Exception as error:  # no request may wait for ever
                results, tally = [error] * len(jobs), Tally()
            self.on_decided(tally)
            for job, result in zip(jobs, results, strict=True):
                if job.future.done():  # the request was cancelled
                    continue
                if isinstance(result, Exception):
                    job.future.set_exception(result)
                else:
                    job.future.set_result(result)

    def _take(self) -> list[_Job]:
        """Return jobs that are decided at once, and keep the others."""
        taken: list[_Job] = []
        kept: deque[_Job] = deque()
        documents, mentions = BATCH, MOST_MENTIONS  # that there is room for
        for job in self._waiting:
            if job.future.done():
                continue
            if taken and (job.linker is not taken[0].linker or documents <= 0 or mentions <= 0):
                kept.append(job)
                continue
            taken.append(job)
            documents -= len(job.documents)
            mentions -= sum(map(size_of, job.documents))
        self._waiting = kept
        return taken


def _first_documents(documents: Sequence[Document]) -> list[Document]:
    """Return as many of the first documents as are decided at once: at least one."""
    mentions = list(accumulate(map(size_of, documents[:BATCH])))
    return list(documents[: max(1, bisect_right(mentions, MOST_MENTIONS))])


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


def _link_jobs(linker: Linker, jobs: list[list[Document]]) -> tuple[list[Result], Tally]:
    """Link the documents of jobs together; if that fails, each alone, so that an error fails one request only."""
    try:
        return _linked(linker, jobs)
    except Exception as error:
        if len(jobs) == 1:
            return [error], Tally()
    alone = [_link_jobs(linker, [job]) for job in jobs]
    return [result for results, _ in alone for result in results], sum((tally for _, tally in alone), Tally())


def _linked(linker: Linker, jobs: list[list[Document]]) -> tuple[list[Result], Tally]:
    decided = linker.decide([document for job in jobs for document in job])
    encoder, spans = linker.encoder(decided), decided.batch.own_spans()
    results: list[Result] = []
    for job in jobs:
        own = list(islice(spans, len(job)))
        try:
            results.append([encoder.line(document, first) for document, first, _ in own])
        except Exception as error:
            results.append(error)
    return results, tally_of(decided)
