"""Processes that share the work of a build; one set for all its steps, started when first needed."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from types import TracebackType
from typing import Any, TypeVar

from eigenthemes.errors import WorkerError

Result = TypeVar("Result")


def available_cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _leave_ctrl_c_to_the_caller() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _ctrl_c_held() -> Iterator[None]:
    """Hold Ctrl-C back for a moment; processes started now never see it, so that they cannot complain while starting."""
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))  # other threads may be asked first
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # new processes inherit this
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if pressed:
        raise KeyboardInterrupt


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
        waiting: deque[Future[Result]] = deque()
        for each in arguments:
            waiting.append(self._started().submit(function, *each))
            if len(waiting) > 2 * self.jobs:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())

    def start(self, function: Callable[..., Result], *arguments: Any, many: bool = True) -> Callable[[], Result]:
        """Begin `function` elsewhere; what is returned waits for its result."""
        if self.jobs <= 1 or not many:
            return lambda: function(*arguments)
        started = self._started().submit(function, *arguments)
        return lambda: _result(started)

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Spawned, never forked: the same on every platform, and safe beside threads.
            self._pool = ProcessPoolExecutor(self.jobs, get_context("spawn"), initializer=_leave_ctrl_c_to_the_caller)
            with _ctrl_c_held():
                self._pool.submit(os.getpid)  # the first task starts the processes
        return self._pool

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=kind is None, cancel_futures=True)
            self._pool = None
