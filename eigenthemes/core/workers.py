"""Processes that share the work of a build; one set for all its steps, started when first needed."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from eigenthemes.core.checks import check_jobs

if TYPE_CHECKING:
    from eigenthemes.core.process_pool import ProcessPool

Result = TypeVar("Result")


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """`jobs` processes; with one job everything runs in the caller's."""

    def __init__(self, jobs: int) -> None:
        check_jobs(jobs)
        self.jobs = jobs
        self._pool: ProcessPool | None = None

    def map(
        self, function: Callable[..., Result], arguments: Iterable[tuple[Any, ...]], *, many: bool = True
    ) -> Iterator[Result]:
        """Yield `function` of each tuple of arguments, in order; only a few are in flight at a time.

        Without `many` the work is too little to pay for sending it anywhere.
        """
        if self.jobs <= 1 or not many:
            for task in arguments:
                yield function(*task)
            return
        waiting: deque[Callable[[], Result]] = deque()
        for task in arguments:
            waiting.append(self._submit(function, *task))
            if len(waiting) > 2 * self.jobs:
                yield waiting.popleft()()
        while waiting:
            yield waiting.popleft()()

    def start(self, function: Callable[..., Result], *arguments: Any, many: bool = True) -> Callable[[], Result]:
        """Begin `function` in another process; return a function that waits for its result."""
        if self.jobs <= 1 or not many:
            return lambda: function(*arguments)
        return self._submit(function, *arguments)

    def _submit(self, function: Callable[..., Result], *arguments: Any) -> Callable[[], Result]:
        if self._pool is None:
            from eigenthemes.core.process_pool import ProcessPool  # takes its time to load

            self._pool = ProcessPool(self.jobs)
        return self._pool.submit(function, *arguments)

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.close(at_once=error is not None)
            self._pool = None
