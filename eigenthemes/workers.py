"""Processes that share the work of a build; one set for all its steps, started when first needed."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from types import TracebackType
from typing import Any, TypeVar

Result = TypeVar("Result")


def available_cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """`jobs` processes; with one job everything runs in the caller's."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._pool: ProcessPoolExecutor | None = None

    def map(
        self, function: Callable[..., Result], arguments: Iterable[tuple[Any, ...]], *, many: bool = True
    ) -> Iterator[Result]:
        """`function` of each tuple of arguments, in order; only a few are in flight at a time.

        Without `many` the work is too little to pay for sending it anywhere.
        """
        if self.jobs <= 1 or not many:
            for each in arguments:
                yield function(*each)
            return
        if self._pool is None:
            # Spawned, never forked: the same on every platform, and safe beside threads.
            self._pool = ProcessPoolExecutor(self.jobs, mp_context=get_context("spawn"))
        waiting: deque[Future[Result]] = deque()
        for each in arguments:
            waiting.append(self._pool.submit(function, *each))
            if len(waiting) > 2 * self.jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=kind is None, cancel_futures=True)
            self._pool = None
