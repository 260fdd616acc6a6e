"""The door of the service, through which every request comes: it checks, limits, counts and logs them.

host, origin, token -> is it ready -> not too many at once -> the whole body, not too large, not too slow -> the app, in time
"""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from eigenthemes.service.metrics import Metrics
from eigenthemes.service.problems import MEDIA_TYPE, Problem, body_of
from eigenthemes.service.security import Guard, shared_headers
from eigenthemes.service.served import ServedKBs
from eigenthemes.service.settings import ServiceSettings

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

log = logging.getLogger("eigenthemes.service")

_ALWAYS = ("/health", "/metrics")  # answered while the service starts, and when there are too many requests
_PATIENT = ("/reload",)  # large KBs take their time to open
_DRAINED = 32 << 20  # bytes that are read of a body that is too large after the answer, so that its sender sees it
_DRAIN_SECONDS = 2.0
_HELD = 32  # largest bodies that may be held at once
_SAFE = ((b"x-content-type-options", b"nosniff"),)


class Door:
    """An ASGI app around the app."""

    def __init__(self, app: App, served: ServedKBs, settings: ServiceSettings, metrics: Metrics) -> None:
        self.app, self.served, self.settings, self.metrics = app, served, settings, metrics
        self.guard = Guard(settings)
        self.running = 0
        self.held = 0  # bytes of bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        visit = _Visit(scope, receive, send)
        self.running += 1
        self.metrics.set("in_flight", self.running)
        try:
            await self._admit(visit)
        except Problem as problem:
            await visit.answer(problem)
        except Exception as error:  # a fault of ours: told without what was sent
            log.error("%s at %s while answering %s %s", type(error).__name__, _place(error), scope["method"], visit.shown_path)
            await visit.answer(Problem(500, "fault", "the service failed; the log of the service says where"))
        finally:
            self.running -= 1
            self.held -= visit.held
            self._count(visit)

    async def _admit(self, visit: _Visit) -> None:
        scope = visit.scope
        method, path = scope["method"], scope["path"]
        headers = dict(scope["headers"])
        self.guard.check(method, path, scope["query_string"], headers)
        if path not in _ALWAYS:
            if not self.served.is_ready:
                raise Problem(503, "starting", "the service is starting; try again soon", headers={"Retry-After": "1"})
            if self.running > self.settings.max_concurrent:
                raise Problem(503, "busy", "too many requests at once; try again soon", headers={"Retry-After": "1"})
        if method not in ("GET", "HEAD", "OPTIONS"):
            await self._receive_body(visit, headers)
        elif method == "HEAD":
            visit.scope = {**scope, "method": "GET"}  # the server leaves the body out
        await self._run(visit)

    async def _run(self, visit: _Visit) -> None:
        try:
            async with asyncio.timeout(None if visit.scope["path"] in _PATIENT else self.settings.max_seconds):
                await self.app(visit.scope, visit.body, visit.forward)
        except TimeoutError:
            raise Problem(
                503,
                "time",
                f"the answer takes more than {self.settings.max_seconds:g} seconds; send less at once, or try again later",
                headers={"Retry-After": "5"},
            ) from None

    async def _receive_body(self, visit: _Visit, headers: dict[bytes, bytes]) -> None:
        most = self.settings.max_body
        length = headers.get(b"content-length", b"")
        if length.isdigit() and int(length) > most:
            visit.drain = True
            raise self._too_large()
        try:
            async with asyncio.timeout(self.settings.max_body_seconds):
                await self._collect(visit, most)
        except TimeoutError:
            problem = f"the body has not come within {self.settings.max_body_seconds:g} seconds; send it faster, or send less"
            raise Problem(408, "slow", problem, headers={"Connection": "close"}) from None

    async def _collect(self, visit: _Visit, most: int) -> None:
        chunks: list[bytes] = []
        size = 0
        while True:
            message = await visit.receive()
            if message["type"] == "http.disconnect":
                raise Problem(400, "gone", "the request was not sent to its end; send it again")
            chunk = message.get("body", b"")
            size += len(chunk)
            visit.held += len(chunk)
            self.held += len(chunk)
            if size > most:
                visit.drain = True
                raise self._too_large()
            if self.held > _HELD * most:
                raise Problem(
                    503,
                    "busy",
                    "too much was sent at once; try again soon",
                    headers={"Retry-After": "1", "Connection": "close"},
                )
            chunks.append(chunk)
            if not message.get("more_body", False):
                visit.content = chunks[0] if len(chunks) == 1 else b"".join(chunks)
                return

    def _too_large(self) -> Problem:
        sentence = f"the body is larger than {self.settings.max_body:,} bytes; send less at once"
        return Problem(413, "too-large", sentence, headers={"Connection": "close"})

    def _count(self, visit: _Visit) -> None:
        seconds = time.perf_counter() - visit.start
        route = getattr(visit.scope.get("route"), "path", None)
        self.metrics.count_request(route, visit.status, seconds)
        self.metrics.set("in_flight", self.running)
        if self.settings.access_log:
            log.info("%s %s %d %.1f ms", visit.scope["method"], visit.shown_path, visit.status, 1e3 * seconds)


class _Visit:
    """A request on its way through the door, and its answer."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self.receive, self.send = scope, receive, send
        self.start = time.perf_counter()
        self.content = b""
        self.held = 0
        self.status = 0  # once the answer has begun
        self.drain = False
        self._given = False

    @property
    def shown_path(self) -> str:
        """The path as a log may show it: no query string, no control characters, not endless."""
        return ascii(self.scope["path"][:200])[1:-1]

    async def body(self) -> Message:
        """Give the app the body, all of it at once."""
        if self._given:
            return await self.receive()
        self._given = True
        return {"type": "http.request", "body": self.content, "more_body": False}

    async def forward(self, message: Message) -> None:
        """Send what the app answers."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), *_SAFE]
        await self.send(message)

    async def answer(self, problem: Problem) -> None:
        """Answer with a problem, unless an answer has begun already."""
        if self.status:
            return
        headers = [(name.lower().encode(), value.encode()) for name, value in problem.headers.items()]
        headers += [(b"content-type", MEDIA_TYPE.encode()), *_SAFE, *shared_headers(self.scope["path"])]
        await self.respond(problem.status, headers, body_of(problem))

    async def respond(self, status: int, headers: Any, body: bytes) -> None:
        self.status = status
        length = (b"content-length", str(len(body)).encode())
        await self.send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
        if self.drain:
            await self.send({"type": "http.response.body", "body": body, "more_body": True})
            await self._read_on()
            body = b""
        await self.send({"type": "http.response.body", "body": body, "more_body": False})

    async def _read_on(self) -> None:
        """Read some of what is still being sent: whoever sends on while the connection is closed never sees the answer."""
        left = _DRAINED
        try:
            async with asyncio.timeout(_DRAIN_SECONDS):
                while left > 0:
                    message = await self.receive()
                    if message["type"] == "http.disconnect" or not message.get("more_body", False):
                        return
                    left -= len(message.get("body", b""))
        except TimeoutError:
            return


def _place(error: Exception) -> str:
    """Return where an error was raised: file and line, nothing of the values."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else "an unknown place"
