"""The parent process: it starts workers, restarts those that end, and lets all reload or stop.

reload: all workers open the new KBs (prepare); if none fails, all serve them (commit).
"""

from __future__ import annotations

import errno
import logging
import multiprocessing
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from eigenthemes.core.workers import temporary_folder
from eigenthemes.errors import MissingExtraError, OptionError, WorkerError
from eigenthemes.kb.store import KB
from eigenthemes.service.correction_files import correction_files
from eigenthemes.service.settings import Reloaded, ServiceSettings, named_paths
from eigenthemes.service.worker import run_worker

log = logging.getLogger("eigenthemes.service")

_BACKLOG = 2048
_SHORT_LIFE = 10.0  # seconds: a worker that ends sooner is restarted after a pause
_PAUSE = 2.0
_TICK = 0.5


def serve(
    paths: Sequence[str | Path],
    settings: ServiceSettings,
    *,
    on_ready: Callable[[str], None],
    on_start: Callable[[], None] = lambda: None,
) -> None:
    """Serve KBs until SIGTERM or Ctrl-C; SIGHUP reloads the KBs.

    Parameters
    ----------
    paths : sequence of paths
        Folders of KBs.
    settings : ServiceSettings
        Addresses, token and limits.
    on_ready : callable
        Called with the address once every process is ready to link.
    on_start : callable
        Called after the checks, before the processes start.
    """
    check_installed()
    named = named_paths(paths)
    for path in named.values():
        KB.open(path)
    for file in correction_files(settings.corrections, list(named)).values():
        file.check()
    with bind(settings.host, settings.port) as listening:
        on_start()
        host, port = listening.getsockname()[:2]
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}{settings.root_path.rstrip('/')}"
        Supervisor(tuple(map(str, paths)), settings, listening, lambda: on_ready(address)).run()


def check_installed() -> None:
    """Raise an error if a package of the extra is not installed."""
    for package in ("fastapi", "uvicorn", "httptools", "prometheus_client"):
        try:
            __import__(package)
        except ImportError:
            raise MissingExtraError("serving", package, "serve") from None


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise an `OptionError` if the port is in use or the host unknown."""
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise OptionError(f"the host {host!r} is unknown; give an address of this machine", code="host", where=host) from None
    family, _, _, _, address = min(infos, key=lambda info: info[0] != socket.AF_INET)  # localhost is 127.0.0.1 first
    both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    try:
        return socket.create_server(address, family=family, backlog=_BACKLOG, dualstack_ipv6=both)
    except OSError as error:
        is_elsewhere = error.errno == errno.EADDRNOTAVAIL
        remedy = "give an address of this machine" if is_elsewhere else "choose another port, or 0 for any that is free"
        sentence = f"{host}:{port} cannot be listened to ({os.strerror(error.errno or 0)}); {remedy}"
        raise OptionError(sentence, code="port", where=str(port)) from None


@dataclass(slots=True)
class _Worker:
    """A worker process."""

    process: BaseProcess
    pipe: Connection
    started: float
    is_ready: bool = False

    def send(self, *message: Any) -> None:
        """Send a command and its arguments."""
        with suppress(OSError):  # it has ended; its sentinel says so
            self.pipe.send(message)


class Supervisor:
    """The parent process."""

    def __init__(
        self, paths: tuple[str, ...], settings: ServiceSettings, listening: socket.socket, on_ready: Callable[[], None]
    ) -> None:
        self.paths, self.settings, self.listening, self.on_ready = paths, settings, listening, on_ready
        self.workers: dict[int, _Worker] = {}
        self._folder = ""  # of the metrics
        self._is_stopping = self._was_ready = self._wants_reload = False
        self._states: dict[str, str] | None = None  # of the KBs that all serve

    def run(self) -> None:
        """Start the workers, and supervise them until the service is stopped."""
        for name, handler in (("SIGINT", self._stop), ("SIGTERM", self._stop), ("SIGHUP", self._request_reload)):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), handler)
        with temporary_folder() as folder:
            self._folder = str(folder)
            try:
                self._start(0)  # alone: the others use what it compiles
                while self.workers:
                    self._supervise()
            finally:
                self._kill()

    def _stop(self, *_: object) -> None:
        if self._is_stopping:  # the second signal
            self._kill()
        self._is_stopping = True
        for worker in self.workers.values():
            worker.process.terminate()

    def _kill(self) -> None:
        for worker in self.workers.values():
            worker.process.kill()

    def _request_reload(self, *_: object) -> None:
        self._wants_reload = True

    def _start(self, number: int) -> None:
        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe()
        plan = self.paths, self.settings, self._folder, self.listening, theirs, not self._states, self._was_ready
        process = spawn.Process(target=run_worker, args=plan, name=f"eigenthemes-{number}", daemon=True)
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # inherited: Ctrl-C must not interrupt the worker's imports
        process.start()
        signal.signal(signal.SIGINT, handler)
        theirs.close()
        self.workers[number] = _Worker(process, ours, time.monotonic())

    def _supervise(self) -> None:
        """Wait for messages and ends of workers, and act on them."""
        events = wait([each for worker in self.workers.values() for each in (worker.pipe, worker.process.sentinel)], _TICK)
        for number, worker in list(self.workers.items()):
            if worker.pipe in events:
                self._read(worker)
            if worker.process.sentinel in events:
                self._restart(number, worker)
        if self._is_stopping:
            return
        if not self._was_ready and all(worker.is_ready for worker in self.workers.values()):
            for number in range(len(self.workers), self.settings.workers):
                self._start(number)
            self._was_ready = all(worker.is_ready for worker in self.workers.values())
            if self._was_ready:
                self.on_ready()
        if self._wants_reload and self._was_ready:
            self._reload()

    def _read(self, worker: _Worker) -> None:
        while worker.pipe.poll() and (message := self._receive(worker)) is not None:
            if message[0] == "ready":
                worker.is_ready = True
                self._wants_reload |= self._states not in (None, message[1])  # a restarted one may have found newer KBs
                self._states = self._states or message[1]
            elif message[0] == "failed" and not self._was_ready:
                raise message[1]
            elif message[0] == "failed":
                log.warning("a process of the service cannot open a KB: %s", message[1])

    def _receive(self, worker: _Worker) -> tuple[Any, ...] | None:
        """Return the next message of a worker; None: it has ended."""
        try:
            message: tuple[Any, ...] = worker.pipe.recv()
        except (EOFError, OSError):
            return None
        self._wants_reload |= message[0] == "reload"
        return message

    def _restart(self, number: int, worker: _Worker) -> None:
        """Restart a worker that has ended, after a pause if it ended soon; not if the service is being stopped."""
        from prometheus_client import multiprocess

        del self.workers[number]
        worker.process.join()
        worker.pipe.close()
        multiprocess.mark_process_dead(worker.process.pid, self._folder)  # type: ignore[no-untyped-call]
        if self._is_stopping:
            return
        if not self._was_ready:
            raise WorkerError("a process of the service ended abruptly (killed, or out of memory); try fewer of them")
        log.warning("a process of the service ended (exit code %s); it is started again", worker.process.exitcode)
        if time.monotonic() - worker.started < _SHORT_LIFE:
            time.sleep(_PAUSE)
        if not self._is_stopping:
            self._start(number)

    def _reload(self) -> None:
        self._wants_reload = False
        workers = [worker for worker in self.workers.values() if worker.is_ready]
        errors = [error for (error,) in self._ask(workers, "prepare") if error is not None]
        if errors:
            result = Reloaded(error=errors[0])
            log.warning("the KBs were not reloaded, and the old ones are still served: %s", errors[0])
        else:
            answers = self._ask(workers, "commit")
            result = max((result for result, _ in answers), key=lambda each: len(each.replaced), default=Reloaded())
            self._states = answers[0][1] if answers else self._states
            log.warning("reloaded: %s", ", ".join(result.replaced) or "nothing has changed")
        for worker in workers:
            worker.send("reloaded", result, worker is workers[0])

    def _ask(self, workers: list[_Worker], command: str) -> list[tuple[Any, ...]]:
        """Send a command to workers, and return their answers; a worker that ends has none."""
        for worker in workers:
            worker.send(command)
        answers = []
        for worker in workers:
            while (message := self._receive(worker)) is not None and message[0] == "reload":
                pass
            if message is not None:
                answers.append(message[1:])
        return answers
