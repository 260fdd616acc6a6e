"""A process of the service: it opens the KBs, answers requests, and follows the commands of its supervisor."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Sequence
from concurrent.futures import Future
from multiprocessing.connection import Connection
from threading import Event, Lock, Thread
from typing import Any

from eigenthemes.core.workers import lock_folder
from eigenthemes.service.settings import Reloaded, ServiceSettings

_SWITCH_SECONDS = 0.001  # time slice of a thread: answers wait less for the threads that decide than with Python's 0.005
_KEEP_ALIVE_SECONDS = 60
_MAX_CONNECTIONS = 2_000


def run_worker(
    paths: Sequence[str],
    settings: ServiceSettings,
    metrics_folder: str,
    listening: socket.socket,
    supervisor: Connection,
    listens_early: bool,
    is_restart: bool,
) -> None:
    """Serve until the supervisor stops the process, or has ended.

    Parameters
    ----------
    paths : sequence of str
        Folders of KBs.
    settings : ServiceSettings
        Settings of the service.
    metrics_folder : str
        Folder in which the processes of the service count.
    listening : socket
        Of the service.
    supervisor : Connection
        Pipe to the supervisor.
    listens_early : bool
        Answer before the KBs are open, to say that the service is starting; else no request may be lost.
    is_restart : bool
        It replaces a worker that ended.
    """
    for name in ("SIGINT", "SIGHUP"):  # the supervisor handles both
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    lock_folder(metrics_folder)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = metrics_folder  # before prometheus_client is imported
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s")
    for name in ("uvicorn", "uvicorn.error", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # they log requests and tracebacks
    sys.setswitchinterval(_SWITCH_SECONDS)
    from eigenthemes.core.jit import always_compile
    from eigenthemes.stream import collect_garbage_rarely

    always_compile()  # while the KBs are opened, so that no request waits for it
    collect_garbage_rarely()
    worker = Worker(paths, settings, supervisor)
    worker.metrics.add("restarts", is_restart)
    worker.run(listening, listens_early=listens_early)
    sys.stderr.flush()
    os._exit(0)  # a thread may still be computing for a request that was given up


class Worker:
    """The state of the process."""

    def __init__(self, paths: Sequence[str], settings: ServiceSettings, supervisor: Connection) -> None:
        import uvicorn

        from eigenthemes.service.app import create_app
        from eigenthemes.service.served import ServedKBs

        self.supervisor = supervisor
        self.served = ServedKBs(paths)
        self._sending = Lock()
        self._is_open = Event()
        self._reloads: list[Future[Reloaded]] = []  # of requests that wait for a reload
        app = create_app(self.served, settings, reload=self.request_reload)
        self.metrics = app.state.metrics
        config = uvicorn.Config(
            app,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=_MAX_CONNECTIONS,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=int(settings.max_seconds) + 1,
            timeout_notify=1,
            callback_notify=self._measure,
        )
        self.server = uvicorn.Server(config)

    def run(self, listening: socket.socket, *, listens_early: bool) -> None:
        """Open the KBs and answer requests until the process is stopped."""
        Thread(target=self._follow, daemon=True).start()
        if not listens_early:
            self._is_open.wait()
        self.server.run(sockets=[listening])

    async def request_reload(self) -> Reloaded:
        """Let the supervisor reload the KBs in all processes, and return the result."""
        reload: Future[Reloaded] = Future()
        self._reloads.append(reload)
        self._send("reload")
        return await asyncio.wrap_future(reload)

    async def _measure(self) -> None:
        self.metrics.measure_process(len(self.server.server_state.connections))

    def _send(self, *message: Any) -> None:
        try:
            with self._sending:
                self.supervisor.send(message)
        except OSError:  # the supervisor has ended
            self.server.should_exit = True

    def _follow(self) -> None:
        """Open the KBs, then follow the supervisor's commands; in a thread."""
        error = self.served.prepare()
        if error is None:
            self.served.commit()
            self.metrics.set("ready", 1)
            self._send("ready", self.served.states)
        else:
            self._send("failed", error)
            self.server.should_exit = True
        self._is_open.set()
        try:
            while True:
                command, *arguments = self.supervisor.recv()
                if command == "prepare":
                    self._send("prepared", self.served.prepare())
                elif command == "commit":
                    self._send("committed", self.served.commit(), self.served.states)
                else:
                    self._finish_reload(*arguments)
        except (EOFError, OSError):
            self.server.should_exit = True

    def _finish_reload(self, result: Reloaded, is_counted: bool) -> None:
        """Answer the requests that wait for a reload; one process counts it."""
        self.served.prepared = None
        if is_counted:
            self.metrics.add("reloads", len(result.replaced))
            self.metrics.add("failed_reloads", result.error is not None)
        reloads, self._reloads = self._reloads, []
        for reload in reloads:
            reload.set_result(result)
