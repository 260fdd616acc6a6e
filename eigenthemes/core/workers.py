"""Processes that share work: one set for all steps of a command, started when first needed.

Ctrl-C is the caller's alone. A terminal sends it to every process of the group, so a worker must not see it at any moment,
least of all while it starts, when it would print a traceback. A process inherits the signals that are blocked in the thread
that starts it; therefore Ctrl-C is blocked in the threads that start workers.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from eigenthemes.core.checks import check_jobs
from eigenthemes.core.storage import lock
from eigenthemes.errors import WorkerError

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

Result = TypeVar("Result")
_FOLDERS = "eigenthemes-run-"


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """`jobs` processes, started when first needed; with one job everything runs in the caller's.

    A worker thread feeds each process. A process that ends within a result closes its pipe, so that its thread does not wait
    for the rest.
    """

    def __init__(self, jobs: int) -> None:
        check_jobs(jobs)
        self.jobs = jobs
        self._threads: ThreadPoolExecutor | None = None
        self._own = threading.local()  # the connection of a thread
        self._processes: list[tuple[SpawnProcess, Connection[Any, Any]]] = []
        self._lock = threading.Lock()
        self._is_ended = False

    def map(
        self, function: Callable[..., Result], arguments: Iterable[tuple[Any, ...]], *, many: bool = True
    ) -> Iterator[Result]:
        """Yield `function` of each tuple of arguments, in order; only a few are in flight at a time.

        many  False where there is too little work to send it to other processes
        """
        in_flight = 2 * self.jobs if self.jobs > 1 and many else 0
        waiting: deque[Callable[[], Result]] = deque()
        for task in arguments:
            waiting.append(self.start(function, *task, many=many))
            if len(waiting) > in_flight:
                yield waiting.popleft()()
        while waiting:
            yield waiting.popleft()()

    def start(self, function: Callable[..., Result], *arguments: Any, many: bool = True) -> Callable[[], Result]:
        """Begin `function` in another process; return a function that waits for its result."""
        if self.jobs <= 1 or not many:
            return lambda: function(*arguments)
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor  # takes its time to load

            self._threads = ThreadPoolExecutor(self.jobs)
        return self._threads.submit(self._run, function, arguments).result

    def _run(self, function: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
        try:
            if not hasattr(self._own, "connection"):
                self._own.connection = self._start_process()
            self._own.connection.send((function, arguments))
            is_result, value = pickle.loads(self._own.connection.recv_bytes())
        except (EOFError, OSError):
            raise WorkerError(
                'a worker process ended abruptly (killed, out of memory, or a script without `if __name__ == "__main__":` '
                "around its calls); try one process"
            ) from None
        if is_result:
            return value  # type: ignore[no-any-return]
        raise value

    def _start_process(self) -> Connection[Any, Any]:
        """Start a process: spawned, not forked, which is the same on every platform and safe beside threads."""
        from multiprocessing import get_context, resource_tracker

        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs,), daemon=True)
        with self._lock:
            if self._is_ended:
                raise EOFError
            if hasattr(signal, "pthread_sigmask"):
                resource_tracker.ensure_running()  # unblocks Ctrl-C where it has to start a process
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            process.start()
            theirs.close()
            self._processes.append((process, ours))
        return ours

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Wait for running tasks; after an error, end the processes at once."""
        if self._threads is None:
            return
        with self._lock:
            self._is_ended = error is not None
            if error is not None:
                for process, _connection in self._processes:
                    process.terminate()
        self._threads.shutdown(cancel_futures=True)
        for process, connection in self._processes:
            connection.close()
            process.join()


def _work(connection: Connection[Any, Any]) -> None:
    """Do the tasks that come, until the other end is closed."""
    with suppress(EOFError, BrokenPipeError):
        while True:
            function, arguments = connection.recv()
            try:
                answer = pickle.dumps((True, function(*arguments)))
            except Exception as error:
                answer = pickle.dumps((False, error))
            connection.send_bytes(answer)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder that is removed at the end; folders that killed processes have left behind are removed, too.

    Every process that uses the folder holds a lock on it, which ends with the process.
    """
    new = Path(tempfile.mkdtemp(prefix="eigenthemes-new-"))
    lock = lock_folder(new)
    folder = new.rename(new.with_name(new.name.replace("eigenthemes-new-", _FOLDERS, 1)))  # not removed without the lock
    try:
        for other in folder.parent.glob(f"{_FOLDERS}*"):
            with suppress(OSError):  # it is in use, or of another user
                os.close(lock_folder(other, exclusive=True))
                shutil.rmtree(other)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def lock_folder(folder: Path | str, *, exclusive: bool = False) -> int:
    """Lock a temporary folder until the returned handle is closed or the process ends; raise an OSError if it is in use."""
    if os.name != "posix":  # there the folders of killed processes stay
        return os.open(os.devnull, os.O_RDONLY)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        lock(handle, shared=not exclusive)
    except OSError:
        os.close(handle)
        raise
    return handle
