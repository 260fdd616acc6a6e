"""Processes that share the work of a build; one set for all its steps, started when first needed.

Ctrl-C is the caller's alone. A terminal sends it to every process of the group, so a worker must not see it at any moment,
least of all while it starts, when it would complain with a traceback. A process inherits the signals that are blocked in the
thread that starts it; therefore every task is submitted, and with it every worker and every thread of the pool started, while
Ctrl-C is blocked.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from types import TracebackType
from typing import Any, TypeVar

from eigenthemes.core.checks import check_jobs
from eigenthemes.errors import WorkerError

Result = TypeVar("Result")


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def ctrl_c_blocked() -> Iterator[None]:
    """Hold Ctrl-C back for a moment, for processes and threads that are started now for ever; it is noticed afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    with _ctrl_c_noted():
        resource_tracker.ensure_running()  # unblocks Ctrl-C where it has to start a process: so it does it now, not later
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@contextmanager
def _ctrl_c_noted() -> Iterator[None]:
    """Note Ctrl-C, which other threads may receive, and handle it when the block has ended: a pool is not left half started."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or handler is None:
        yield  # only the main thread handles signals
        return
    pressed: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if pressed:
            signal.raise_signal(signal.SIGINT)


class _Context(SpawnContext):
    """Spawned, never forked: the same on every platform, and safe beside threads. Knows the processes it made."""

    def __init__(self) -> None:
        self.processes: list[SpawnProcess] = []

    def Process(self, *arguments: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]
        self.processes.append(SpawnProcess(*arguments, **options))
        return self.processes[-1]

    def terminate(self) -> None:
        """End the processes at once."""
        for process in self.processes:
            if process.pid is not None:
                process.terminate()


def _result(future: Future[Result]) -> Result:
    try:
        return future.result()
    except BrokenProcessPool:
        raise WorkerError(
            'a worker process ended abruptly (killed, out of memory, or a script without `if __name__ == "__main__":` around '
            "its calls); try one process"
        ) from None


class Workers:
    """`jobs` processes; with one job everything runs in the caller's."""

    def __init__(self, jobs: int) -> None:
        check_jobs(jobs)
        self.jobs = jobs
        self._context = _Context()
        self._pool: ProcessPoolExecutor | None = None

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
        waiting: deque[Future[Result]] = deque()
        for task in arguments:
            waiting.append(self._submit(function, *task))
            if len(waiting) > 2 * self.jobs:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())

    def start(self, function: Callable[..., Result], *arguments: Any, many: bool = True) -> Callable[[], Result]:
        """Begin `function` in another process; return a function that waits for its result."""
        if self.jobs <= 1 or not many:
            return lambda: function(*arguments)
        future = self._submit(function, *arguments)
        return lambda: _result(future)

    def _submit(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        with ctrl_c_blocked():  # a process is started whenever a task finds none that is idle
            if self._pool is None:
                self._pool = ProcessPoolExecutor(self.jobs, self._context)
            return self._pool.submit(function, *arguments)

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=error is None, cancel_futures=True)
            if error is not None:
                self._context.terminate()  # nobody waits for what they are doing
            self._pool = None
