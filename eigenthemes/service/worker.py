"""One process of the service: it opens the KBs, answers, and does what the parent says."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from eigenthemes.errors import EigenthemesError, WorkerError
from eigenthemes.service.metrics import Metrics
from eigenthemes.service.settings import ServiceSettings

_SWITCH_SECONDS = 0.001  # that a thread computes before another may: answers wait less than with Python's 0.005


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """What a process is told when it starts."""

    paths: tuple[str, ...]
    settings: ServiceSettings
    slot: int
    metrics_file: Path


def run_worker(plan: WorkerPlan, listening: socket.socket, parent: Connection) -> None:
    """Serve until the parent says stop, or has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s")
    for name in ("uvicorn", "uvicorn.error", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # they log requests, and tracebacks
    sys.setswitchinterval(_SWITCH_SECONDS)
    from eigenthemes.stream import collect_garbage_rarely

    collect_garbage_rarely()
    try:
        worker = Worker(plan, parent)
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(worker.serve(listening))
    except EigenthemesError as error:
        parent.send(("failed", error))
    finally:
        parent.close()
    sys.stderr.flush()
    os._exit(0)  # a thread may still compute for somebody who has gone


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop


class Worker:
    """The process from within."""

    def __init__(self, plan: WorkerPlan, parent: Connection) -> None:
        from eigenthemes.service.app import create_app
        from eigenthemes.service.reloading import Reloader
        from eigenthemes.service.served import ServedKBs
        from eigenthemes.service.server import Server

        self.parent = parent
        self.served = ServedKBs(plan.paths)
        self.reloader = Reloader(self.served)
        self._waiting: list[asyncio.Future[Any]] = []  # requests that wait for a reload
        app = create_app(self.served, plan.settings, reload=self.ask_for_reload, metrics_file=plan.metrics_file, slot=plan.slot)
        self.metrics: Metrics = app.state.metrics
        self.server = Server(app, self.metrics, stop_seconds=plan.settings.max_seconds)

    async def serve(self, listening: socket.socket) -> None:
        """Answer until told to stop."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self.parent.fileno(), self._read)
        loop.add_signal_handler(signal.SIGTERM, self._stop)
        opening = loop.create_task(self._open())
        await self.server.serve([listening])
        loop.remove_reader(self.parent.fileno())
        opening.cancel()

    async def _open(self) -> None:
        error = await self.served.run(self.reloader.prepare)
        if error is not None:
            self._tell("failed", error)
            return
        self.reloader.commit()
        self.metrics.set("ready", 1)
        self._tell("ready", self.served.states)

    async def ask_for_reload(self) -> Any:
        """Ask the parent to have all processes reload, and wait for what becomes of it."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        self._tell("reload")
        return await future

    def _tell(self, *message: Any) -> None:
        try:
            self.parent.send(message)
        except OSError:  # the parent has gone
            self._stop()

    def _stop(self) -> None:
        self.server.should_exit = True

    def _read(self) -> None:
        try:
            what, *arguments = self.parent.recv()
        except (EOFError, OSError):
            asyncio.get_running_loop().remove_reader(self.parent.fileno())
            self._stop()
            return
        handlers: dict[str, Callable[..., None]] = {
            "stop": self._stop,
            "prepare": self._prepare,
            "commit": self._commit,
            "abort": self.reloader.abort,
            "reloaded": self._reloaded,
        }
        handlers[what](*arguments)

    def _prepare(self) -> None:
        async def prepare() -> None:
            self._tell("prepared", await self.served.run(self.reloader.prepare))

        self._task = asyncio.get_running_loop().create_task(prepare())

    def _commit(self) -> None:
        result = self.reloader.commit()
        self.metrics.add("reloads", len(result.replaced) if self.metrics.slot == 0 else 0)
        self._tell("committed", result, self.served.states)

    def _reloaded(self, result: Any) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(result)


def failure_of(error: object) -> EigenthemesError:
    """Return what went wrong in a process as an error of the user."""
    if isinstance(error, EigenthemesError):
        return error
    return WorkerError("a process of the service ended abruptly (killed, or out of memory); try fewer of them")
