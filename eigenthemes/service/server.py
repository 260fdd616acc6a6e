"""The HTTP server of one process: uvicorn's, with a fair share of the connections, and no patience for endless headers."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from eigenthemes.service.metrics import Metrics
from eigenthemes.service.problems import MEDIA_TYPE, Problem, body_of

MOST_CONNECTIONS = 2_000  # per process; more wait in the queue of the socket
_HEADER_BYTES = 64 << 10
_HEADER_SECONDS = 10.0
_KEEP_ALIVE_SECONDS = 60
_LET_OTHERS = 0.001  # seconds that a process waits before it takes a connection that another should have
_WITHOUT_FILES = 0.1  # seconds until connections are taken again where no file could be opened
_UNREAD_SECONDS = 60  # that a client may leave an answer unread
_REASONS = {400: b"Bad Request", 408: b"Request Timeout", 431: b"Request Header Fields Too Large"}


class Connection(HttpToolsProtocol):
    """A connection: the headers of a request have to come soon, and to end."""

    _timer: asyncio.TimerHandle | None = None
    _header_bytes = 0
    _in_headers = True

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait_for_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._in_headers:
            if self._timer is None:
                self._wait_for_headers()
            self._header_bytes += len(data)
        super().data_received(data)
        if self._in_headers and self._header_bytes > _HEADER_BYTES and not self.transport.is_closing():
            self._refuse(Problem(431, "headers", f"the headers have more than {_HEADER_BYTES:,} bytes; send less"))

    def on_headers_complete(self) -> None:
        self._in_headers = False
        self._stop_waiting()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._in_headers, self._header_bytes = True, 0

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP; called by uvicorn."""
        self._refuse(Problem(400, "http", "this is no HTTP request; send HTTP/1.1"))

    def _wait_for_headers(self) -> None:
        self._timer = self.loop.call_later(_HEADER_SECONDS, self._too_slow)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        self._timer = None
        if self._header_bytes:
            self._refuse(
                Problem(408, "slow", f"the headers have not come within {_HEADER_SECONDS:g} seconds; send them faster")
            )
        else:
            self.transport.close()

    def _refuse(self, problem: Problem) -> None:
        if self.transport.is_closing():
            return
        body = body_of(problem)
        lines = (
            b"HTTP/1.1 %d %s" % (problem.status, _REASONS[problem.status]),
            b"content-type: " + MEDIA_TYPE.encode(),
            b"content-length: %d" % len(body),
            b"connection: close",
        )
        self.transport.write(b"\r\n".join((*lines, b"", body)))
        self.transport.close()


class Server(uvicorn.Server):
    """Takes connections from a socket that other processes listen to as well, so that each has about as many.

    A process that is not ready takes none as long as another is; if none is, it does, and says that the service is starting.
    """

    def __init__(self, app: Any, metrics: Metrics, *, stop_seconds: float) -> None:
        config = uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=int(stop_seconds) + 1,
        )
        super().__init__(config)
        self.metrics = metrics
        self._sockets: list[socket.socket] = []

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to whoever runs the server."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to take connections."""
        await self.lifespan.startup()
        self.servers = []
        self._sockets = sockets or []
        for listening in self._sockets:
            listening.setblocking(False)
            self._listen(listening)
        self.started = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more connections, and finish what runs."""
        loop = asyncio.get_running_loop()
        for listening in self._sockets:
            loop.remove_reader(listening.fileno())
        self._sockets = []
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        self.metrics.set("connections", len(self.server_state.connections))
        if counter % 10 == 0:
            self.metrics.set("resident_bytes", resident_bytes())
        return await super().on_tick(counter)

    def _listen(self, listening: socket.socket) -> None:
        if listening in self._sockets:
            asyncio.get_running_loop().add_reader(listening.fileno(), self._accept, listening)

    def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        if not self._is_my_turn():
            loop.remove_reader(listening.fileno())
            loop.call_later(_LET_OTHERS, self._accept_late, listening)
            return
        self._take(listening)

    def _accept_late(self, listening: socket.socket) -> None:
        """Take the connection after all, if it is still there."""
        if listening in self._sockets:
            self._listen(listening)
            if len(self.server_state.connections) < MOST_CONNECTIONS:
                self._take(listening)

    def _take(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            connection, _ = listening.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another process was quicker, or the client has gone
        except OSError:  # no more files can be opened: some will be closed soon
            loop.remove_reader(listening.fileno())
            loop.call_later(_WITHOUT_FILES, self._listen, listening)
            return
        _set_options(connection)
        task = loop.create_task(self._connect(connection))
        self.server_state.tasks.add(task)
        task.add_done_callback(self.server_state.tasks.discard)
        self.metrics.set("connections", len(self.server_state.connections) + 1)

    async def _connect(self, connection: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(self._protocol, connection)
        except OSError:
            connection.close()

    def _protocol(self) -> Connection:
        return Connection(self.config, self.server_state, self.lifespan.state)

    def _is_my_turn(self) -> bool:
        """Return whether no other process that is ready has fewer connections."""
        mine = len(self.server_state.connections)
        others = zip(self.metrics.of_others("ready"), self.metrics.of_others("connections"), strict=True)
        ready = [connections for is_ready, connections in others if is_ready]
        is_ready = self.metrics.own("ready")
        return mine < MOST_CONNECTIONS and (all(mine <= other for other in ready) if is_ready else not ready)


def _set_options(connection: socket.socket) -> None:
    """Answer at once, and let go of clients that have gone or do not read."""
    connection.setblocking(False)
    if connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * _UNREAD_SECONDS)


def resident_bytes() -> int:
    """Return the memory of this process."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * 4096
    except (OSError, ValueError, IndexError):  # not Linux
        return 0
