"""The service as processes: a parent that binds the socket once, and workers that answer.

The parent starts the workers (spawned, never forked), starts those again that end, tells all of them to reload or to stop, and
knows nothing of HTTP.
"""

from __future__ import annotations

import errno
import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from eigenthemes.core.workers import ctrl_c_blocked
from eigenthemes.errors import EigenthemesError, MissingExtraError, OptionError
from eigenthemes.kb.store import KB
from eigenthemes.service.corrections import corrections_of
from eigenthemes.service.kb_names import named_paths
from eigenthemes.service.metrics import Metrics
from eigenthemes.service.settings import ServiceSettings
from eigenthemes.service.worker import WorkerPlan, failure_of, run_worker

log = logging.getLogger("eigenthemes.service")

_BACKLOG = 2048
_PATIENCE = 10.0  # seconds: a process that ends sooner is started again only after a while
_LONGEST_PAUSE = 10.0
_TICK = 1.0

Reloaded = Any  # of reloading.py, which is imported in workers only


def serve(
    paths: Sequence[str | Path],
    settings: ServiceSettings,
    *,
    on_ready: Callable[[str], None],
    on_start: Callable[[], None] = lambda: None,
) -> None:
    """Serve KBs until somebody stops it: SIGTERM or Ctrl-C. SIGHUP reloads the KBs.

    on_start  is called when all that was given can be used, and the processes are about to start
    on_ready  is called with the address once every process is ready to link
    """
    check_installed()
    for path in named_paths(paths).values():
        KB.open(path)  # a missing one is told before anything is started
    for corrections in corrections_of(settings.corrections, list(named_paths(paths))).values():
        corrections.check()
    with bind(settings.host, settings.port) as listening, tempfile.TemporaryDirectory(prefix="eigenthemes-") as folder:
        on_start()
        Supervisor(tuple(map(str, paths)), settings, listening, Path(folder) / "metrics", on_ready).run()


def check_installed() -> None:
    """Refuse to begin without the packages of the extra."""
    for package in ("fastapi", "uvicorn", "httptools"):
        try:
            __import__(package)
        except ImportError:
            raise MissingExtraError("serving", package, "serve") from None


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; a port in use, or a host that is none, is told in one sentence."""
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise OptionError(f"the host {host!r} is unknown; give an address of this machine", code="host", where=host) from None
    family, kind, _, _, address = min(infos, key=lambda info: info[0] != socket.AF_INET)  # localhost is 127.0.0.1 first
    listening = socket.socket(family, kind)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        is_elsewhere = error.errno == errno.EADDRNOTAVAIL
        remedy = "give an address of this machine" if is_elsewhere else "choose another port, or 0 for any that is free"
        reason = error.strerror or str(error)
        raise OptionError(f"{host}:{port} cannot be listened to ({reason}); {remedy}", code="port", where=str(port)) from None
    return listening


@dataclass(slots=True)
class _Process:
    """A worker as the parent sees it."""

    process: BaseProcess
    pipe: Connection
    started: float
    is_ready: bool = False

    def tell(self, *message: Any) -> None:
        with suppress(OSError):  # it has ended, which its sentinel tells
            self.pipe.send(message)


class Supervisor:
    """The parent."""

    def __init__(
        self,
        paths: tuple[str, ...],
        settings: ServiceSettings,
        listening: socket.socket,
        metrics_file: Path,
        on_ready: Callable[[str], None],
    ) -> None:
        self.paths, self.settings, self.listening, self.on_ready = paths, settings, listening, on_ready
        Metrics.create(metrics_file, settings.workers)
        self.metrics_file, self.metrics = metrics_file, Metrics(file=metrics_file, slots=settings.workers)
        self.processes: dict[int, _Process] = {}
        self._again: dict[int, float] = {}  # slot -> when to start it again
        self._pauses: dict[int, float] = {}
        self._stopping = self._was_ready = False
        self._reload_wanted = False
        self._preparing: set[int] | None = None  # workers that have yet to open the new KBs; None: no reload runs
        self._committing: set[int] = set()
        self._result: Reloaded = None
        self._states: dict[str, str] | None = None

    def run(self) -> None:
        """Start the workers, and look after them until the service is stopped."""
        with self._signals() as woken:
            try:
                self._start(0)  # alone: the others find compiled what it has to compile
                while self.processes or self._again:
                    self._look_after(woken)
            except BaseException:
                self._kill()
                raise

    @property
    def address(self) -> str:
        """The address of the service."""
        host, port = self.listening.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    # signals

    @contextmanager
    def _signals(self) -> Iterator[socket.socket]:
        """Note signals, and let them wake the parent."""
        handlers: dict[int, Any] = {signal.SIGTERM: self._stop, signal.SIGINT: self._stop}
        if hasattr(signal, "SIGHUP"):
            handlers[signal.SIGHUP] = self._want_reload
        woken, waking = socket.socketpair()
        waking.setblocking(False)
        woken.setblocking(False)
        before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        old = signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
        try:
            yield woken
        finally:
            signal.set_wakeup_fd(old)
            for number, handler in before.items():
                signal.signal(number, handler)
            woken.close()
            waking.close()

    def _stop(self, *_: object) -> None:
        if self._stopping:  # asked twice: at once
            self._kill()
        self._stopping = True
        self._again.clear()
        for process in self.processes.values():
            process.tell("stop")

    def _want_reload(self, *_: object) -> None:
        self._reload_wanted = True

    # workers

    def _start(self, slot: int) -> None:
        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe()
        plan = WorkerPlan(self.paths, self.settings, slot, self.metrics_file)
        process = spawn.Process(target=run_worker, args=(plan, self.listening, theirs), name=f"eigenthemes-{slot}", daemon=True)
        with ctrl_c_blocked():
            process.start()
        theirs.close()
        self.processes[slot] = _Process(process, ours, time.monotonic())
        if self._stopping:
            self.processes[slot].tell("stop")

    def _kill(self) -> None:
        for process in self.processes.values():
            process.process.kill()

    def _look_after(self, woken: socket.socket) -> None:
        """Wait until something happens, and see to it."""
        pipes = {process.pipe: slot for slot, process in self.processes.items()}
        ends = {process.process.sentinel: slot for slot, process in self.processes.items()}
        happened = wait([woken, *pipes, *ends], timeout=_TICK)
        if woken in happened:
            _empty(woken)
        for pipe, slot in pipes.items():
            if pipe in happened:
                self._read(slot)
        for sentinel, slot in ends.items():
            if sentinel in happened:
                self._ended(slot)
        for slot in [slot for slot, when in self._again.items() if when <= time.monotonic()]:
            del self._again[slot]
            self._start(slot)
        if self._reload_wanted and self._preparing is None and not self._committing:
            self._begin_reload()

    def _read(self, slot: int) -> None:
        process = self.processes[slot]
        try:
            while process.pipe.poll():
                what, *arguments = process.pipe.recv()
                getattr(self, f"_on_{what}")(slot, *arguments)
        except (EOFError, OSError):
            return  # it has ended, which its sentinel tells

    def _ended(self, slot: int) -> None:
        """Start a worker again that ended by itself."""
        process = self.processes.pop(slot)
        process.process.join()
        process.pipe.close()
        self.metrics.clear_gauges(slot)
        self._left_reload(slot)
        if self._stopping:
            return
        if not self._was_ready:
            self._stopping = True
            raise failure_of(None)
        soon = time.monotonic() - process.started < _PATIENCE
        pause = min(_LONGEST_PAUSE, 2 * self._pauses.get(slot, 0.25)) if soon else 0.0
        self._pauses[slot] = pause
        log.warning("a process of the service ended (exit code %s); it is started again", process.process.exitcode)
        self.metrics.add("restarts")
        self._again[slot] = time.monotonic() + pause

    def _on_failed(self, slot: int, error: EigenthemesError) -> None:
        """Handle a worker that cannot open the KBs: an error at the start; later the others go on, and it is tried again."""
        if not self._was_ready:
            raise failure_of(error)
        log.warning("a process of the service cannot open a KB: %s", error)
        self.processes[slot].tell("stop")

    def _on_ready(self, slot: int, states: dict[str, str]) -> None:
        self.processes[slot].is_ready = True
        if self._states is not None and states != self._states:
            self._reload_wanted = True  # it was started again, and has found a newer KB than the others have
        self._states = self._states or states
        if not self._was_ready:
            for other in range(self.settings.workers):
                if other not in self.processes:
                    self._start(other)
        if not self._was_ready and all(process.is_ready for process in self.processes.values()):
            self._was_ready = True
            self.on_ready(self.address)

    # reloading: all open the new KBs, then all serve them

    def _on_reload(self, slot: int) -> None:
        self._reload_wanted = True

    def _begin_reload(self) -> None:
        self._reload_wanted = False
        self._preparing, self._result = {slot for slot, each in self.processes.items() if each.is_ready}, None
        for slot in self._preparing:
            self.processes[slot].tell("prepare")
        if not self._preparing:
            self._preparing = None

    def _on_prepared(self, slot: int, error: EigenthemesError | None) -> None:
        if self._preparing is None:
            return
        if error is not None:
            self._abort_reload(error)
            return
        self._preparing.discard(slot)
        self._commit_if_prepared()

    def _commit_if_prepared(self) -> None:
        if self._preparing:
            return
        self._preparing = None
        self._committing = {slot for slot, each in self.processes.items() if each.is_ready}
        for slot in self._committing:
            self.processes[slot].tell("commit")

    def _abort_reload(self, error: EigenthemesError) -> None:
        from eigenthemes.service.reloading import Reloaded

        self._preparing = None
        self.metrics.add("failed_reloads")
        log.warning("the KBs were not reloaded, and the old ones are still served: %s", error)
        for process in self.processes.values():
            process.tell("abort")
            process.tell("reloaded", Reloaded(error=error))

    def _on_committed(self, slot: int, result: Reloaded, states: dict[str, str]) -> None:
        if self._result is None or result.replaced:
            self._result = result
        self._states = states
        self._committing.discard(slot)
        self._tell_reloaded()

    def _tell_reloaded(self) -> None:
        if self._committing or self._result is None:
            return
        result, self._result = self._result, None
        log.warning("reloaded: %s", ", ".join(result.replaced) or "nothing has changed")
        for process in self.processes.values():
            process.tell("reloaded", result)

    def _left_reload(self, slot: int) -> None:
        """Let no reload wait for a worker that has ended."""
        if self._preparing is not None and slot in self._preparing:
            self._preparing.discard(slot)
            self._commit_if_prepared()
        if slot in self._committing:
            self._committing.discard(slot)
            self._tell_reloaded()


def _empty(woken: socket.socket) -> None:
    try:
        while woken.recv(4096):
            pass
    except BlockingIOError:
        return
