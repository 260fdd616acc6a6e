"""A pool of spawned processes that never see Ctrl-C.

Ctrl-C is the caller's alone. A terminal sends it to every process of the group, so a worker must not see it at any moment,
least of all while it starts, when it would complain with a traceback. A process inherits the signals that are blocked in the
thread that starts it; therefore every task is submitted, and with it every worker and every thread of the pool started, while
Ctrl-C is blocked.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, TypeVar

from eigenthemes.errors import WorkerError

Result = TypeVar("Result")


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


class ProcessPool:
    """So many processes, started when tasks come."""

    def __init__(self, processes: int) -> None:
        self._context = _Context()
        with ctrl_c_blocked():
            self._executor = ProcessPoolExecutor(processes, self._context)

    def submit(self, function: Callable[..., Result], *arguments: Any) -> Callable[[], Result]:
        """Begin `function` in another process; return a function that waits for its result."""
        with ctrl_c_blocked():  # a process is started whenever a task finds none that is idle
            future = self._executor.submit(function, *arguments)
        return lambda: _result(future)

    def close(self, *, at_once: bool) -> None:
        """Wait for what is being done, or end the processes at once."""
        if at_once:
            self._context.terminate()  # first: whoever still sends a result to a pipe that is closed would say so
            # One may have ended within a result: closed here, too, the pipe ends, and nobody waits for the rest of it.
            getattr(self._executor._result_queue, "_writer").close()  # noqa: B009  the stubs do not know it
        self._executor.shutdown(cancel_futures=True)  # its thread is waited for: else Python would, and wake it while it closes
