"""The middleware of every request: access, limits, metrics and the access log.

host, origin, token -> service ready -> not too many requests -> body complete, in time, not too large -> app, in time

A page of any website can send requests to services of its visitor's machine: directly (Origin), or through a name that resolves
to this machine (Host; DNS rebinding). Both are refused, except for reconciliation, which OpenRefine calls from its own pages:
without a token, pages of this machine or of the host by which the service is called; with a token, any page that knows it.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import logging
import socket
import time
import traceback
from contextlib import suppress
from functools import partial
from urllib.parse import unquote_plus, urlsplit

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eigenthemes.service.json_http import Problem, response_of
from eigenthemes.service.metrics import Metrics
from eigenthemes.service.served import ServedKBs
from eigenthemes.service.settings import ServiceSettings, ip_address, is_loopback, is_root_path

log = logging.getLogger("eigenthemes.service")

_ALWAYS = ("/health", "/metrics")  # answered while the service starts, and when there are too many requests
_UNLIMITED = ("/reload",)  # large KBs take long to open
_MAX_BODIES = 32  # bodies of the largest size that are held at once
_CLOSE = {"Connection": "close"}
_SOON = {"Retry-After": "1"}
_CORS_PATH = "/reconcile"
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_PUBLIC = ("/", "/health", "/favicon.ico")  # the page itself holds nothing of the KB
_PUBLIC_FOLDER = "/page/"
_LOOPBACK = ("127.0.0.0/8", "::1/128")


class OuterAddress:
    """Finds the scheme and the path by which clients reach the service behind a proxy."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._root_path = settings.root_path.rstrip("/")
        self._proxies = [ipaddress.ip_network(each) for each in (*_LOOPBACK, *settings.trusted_proxies)]

    def locate(self, scope: Scope, headers: Headers) -> str:
        """Set the outer scheme and path of a request; return the path within the service.

        A trusted proxy says both in headers, and may leave its prefix in the path or remove it.
        """
        prefix = self._root_path
        client = ip_address((scope.get("client") or ("",))[0])
        if client is not None and any(client in network for network in self._proxies):
            # of several values, the outermost proxy has set the first
            scheme, path = (headers.get(f"x-forwarded-{name}", "").partition(",")[0].strip() for name in ("proto", "prefix"))
            scope["scheme"] = scheme if scheme in ("http", "https") else scope["scheme"]
            if is_root_path(path):
                prefix = path.rstrip("/") or prefix
        full: str = scope["path"]
        inner = full.removeprefix(prefix) if f"{full}/".startswith(f"{prefix}/") else full
        scope["root_path"], scope["path"] = prefix, prefix + inner
        return inner


class AccessPolicy:
    """Checks requests; those that are not allowed raise a `Problem`."""

    def __init__(self, settings: ServiceSettings) -> None:
        names = ("localhost", settings.host, socket.gethostname(), *settings.allowed_hosts)
        self._names = {name.lower() for name in names}
        self._token = settings.token

    def check(self, method: str, path: str, token: str, headers: Headers) -> None:
        """Refuse a request of an unknown host, of a page elsewhere, or without the token.

        Parameters
        ----------
        method, path : str
            Of the request.
        token : str
            The token of the query string; that of the header Authorization takes precedence.
        headers : Headers
            Of the request.
        """
        host, origin = headers.get("host", ""), headers.get("origin")
        name = _host_name(f"//{host}")
        if not name or not ("*" in self._names or name in self._names or ip_address(name)):
            sentence = f"the service was called by the name {host[:80]!r}, which it does not know; call it by its address"
            raise Problem(421, "host", f"{sentence}, or start it with this name among its allowed hosts", "Host")
        if method == "OPTIONS":
            return
        is_safe, is_own = method in _SAFE_METHODS, origin in (f"http://{host}", f"https://{host}")
        if origin is not None and not (self._may_read(headers) if is_shared(path) else is_safe or is_own):
            sentence = f"the request comes from a page of {origin[:80]!r}, which may not send it; use the service's own page"
            raise Problem(403, "origin", f"{sentence}, or start the service with a token", "Origin")
        is_public = is_safe and (path in _PUBLIC or path.startswith(_PUBLIC_FOLDER))
        if self._token is None or is_public:
            return
        scheme, _, value = headers.get("authorization", "").partition(" ")
        given = value.strip() if scheme.lower() == "bearer" else token
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            problem = "the token is wrong" if given else "there is no token"
            remedy = "send the header Authorization: Bearer TOKEN, or add token=TOKEN to the address"
            raise Problem(401, "token", f"{problem}; {remedy}", headers={"WWW-Authenticate": "Bearer"})

    def share(self, app: ASGIApp, headers: Headers) -> ASGIApp:
        """Return an app whose answers the page of a request may read, if it is allowed to."""
        origins = [headers["origin"]] if "origin" in headers and self._may_read(headers) else []
        return CORSMiddleware(
            app,
            allow_origins=origins if self._token is None else ["*"],
            allow_methods=("GET", "POST", "OPTIONS"),
            allow_headers=("Content-Type", "Authorization"),
            allow_private_network=True,
        )

    def _may_read(self, headers: Headers) -> bool:
        """Return whether the page that a request comes from may read the answer; programs send no origin."""
        if "origin" not in headers or self._token is not None:
            return True
        name = _host_name(headers["origin"])
        return is_loopback(name) or (bool(name) and name == _host_name(f"//{headers.get('host', '')}"))


class RequestState:
    """A request on its way through the middleware."""

    def __init__(self, path: str, headers: Headers, drain_seconds: float, scope: Scope, receive: Receive, send: Send) -> None:
        self.path, self.headers, self.scope, self.receive, self._send = path, headers, scope, receive, send
        self._drain_seconds = drain_seconds
        self.start = time.perf_counter()
        self.token, scope["query_string"] = split_token(scope["query_string"])
        scope.setdefault("state", {})["token"] = self.token
        self.body: bytes | None = b""  # None: the app has it
        self.held_bytes = 0
        self.status = 0  # 0: the answer has not begun
        self._must_drain = False

    @property
    def log_path(self) -> str:
        """The path without query string and control characters, shortened."""
        return ascii(self.path[:200])[1:-1]

    async def receive_body(self) -> Message:
        """Give the app the body, all of it at once."""
        if self.body is None:
            return await self.receive()
        body, self.body = self.body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Message) -> None:
        """Send a message of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), (b"x-content-type-options", b"nosniff")]
            self._must_drain = (b"connection", b"close") in message["headers"]
        elif self._must_drain:  # a client that still sends when the connection closes never sees the answer
            await self._send({**message, "more_body": True})
            with suppress(TimeoutError):
                async with asyncio.timeout(self._drain_seconds):
                    while (await self.receive()).get("more_body", False):
                        pass
            message = {"type": "http.response.body", "body": b""}
        await self._send(message)


class RequestMiddleware:
    """An ASGI middleware that checks, limits, counts and logs requests."""

    def __init__(self, app: ASGIApp, served: ServedKBs, settings: ServiceSettings, metrics: Metrics) -> None:
        self.app, self.served, self.settings, self.metrics = app, served, settings, metrics
        self.policy, self.address = AccessPolicy(settings), OuterAddress(settings)
        self.running = 0
        self.held_bytes = 0  # of all bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        path = self.address.locate(scope, headers)
        if not path:  # the links of the page are relative
            query = scope["query_string"].decode("latin-1")
            await RedirectResponse(f"{scope['root_path']}/{query and '?'}{query}")(scope, receive, send)
            return
        answer = partial(self._answer, path, headers)
        await (self.policy.share(answer, headers) if is_shared(path) else answer)(scope, receive, send)

    async def _answer(self, path: str, headers: Headers, scope: Scope, receive: Receive, send: Send) -> None:
        request = RequestState(path, headers, self.settings.max_body_seconds, scope, receive, send)
        self.running += 1
        self.metrics.set("in_flight", self.running)
        try:
            await self._admit(request)
        except Exception as error:
            if not isinstance(error, Problem):  # logged without the error's text, which may repeat what was sent
                sentence = "%s at %s while answering %s %s"
                log.error(sentence, type(error).__name__, _place(error), scope["method"], request.log_path)
                error = Problem(500, "fault", "the service failed; see its log")
            if not request.status:
                await response_of(error)(scope, request.receive, request.send)
        finally:
            self.running -= 1
            self.held_bytes -= request.held_bytes
            self._count(request)

    async def _admit(self, request: RequestState) -> None:
        method, path = request.scope["method"], request.path
        self.policy.check(method, path, request.token, request.headers)
        if path not in _ALWAYS:
            if not self.served.kbs:
                raise Problem(503, "starting", "the service is starting; try again soon", headers=_SOON)
            if self.running > self.settings.max_concurrent:
                raise Problem(503, "busy", "too many requests at once; try again soon", headers=_SOON)
        if method not in _SAFE_METHODS:
            await self._receive_body(request)
        elif method == "HEAD":
            request.scope = {**request.scope, "method": "GET"}  # the server leaves the body out
        seconds = None if path in _UNLIMITED else self.settings.max_seconds
        try:
            async with asyncio.timeout(seconds):
                await self.app(request.scope, request.receive_body, request.send)
        except TimeoutError:
            sentence = f"the answer takes more than {seconds:g} seconds; send less at once, or try again later"
            raise Problem(503, "time", sentence, headers={"Retry-After": "5"}) from None

    async def _receive_body(self, request: RequestState) -> None:
        length = request.headers.get("content-length", "")
        seconds, chunks = self.settings.max_body_seconds, list[bytes]()
        self._check_size(int(length) if length.isdecimal() else 0)
        try:
            async with asyncio.timeout(seconds):
                async for chunk in Request(request.scope, request.receive).stream():
                    chunks.append(chunk)
                    request.held_bytes += len(chunk)
                    self.held_bytes += len(chunk)
                    self._check_size(request.held_bytes)
        except TimeoutError:
            sentence = f"the body did not arrive within {seconds:g} seconds; send it faster, or send less"
            raise Problem(408, "slow", sentence, headers=_CLOSE) from None
        except ClientDisconnect:
            raise Problem(400, "gone", "the request ended too early; send it again") from None
        request.body = b"".join(chunks)

    def _check_size(self, size: int) -> None:
        if size > self.settings.max_body:
            sentence = f"the body is larger than {self.settings.max_body:,} bytes; send less at once"
            raise Problem(413, "too-large", sentence, headers=_CLOSE)
        if self.held_bytes > _MAX_BODIES * self.settings.max_body:
            raise Problem(503, "busy", "too much was sent at once; try again soon", headers=_SOON | _CLOSE)

    def _count(self, request: RequestState) -> None:
        seconds = time.perf_counter() - request.start
        route = getattr(request.scope.get("route"), "path", "other")
        self.metrics.count_request(route, request.status, seconds)
        self.metrics.set("in_flight", self.running)
        if self.settings.access_log:
            log.info("%s %s %d %.1f ms", request.scope["method"], request.log_path, request.status, 1e3 * seconds)


def _place(error: Exception) -> str:
    """Return the file and line where an error was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else "an unknown place"


def is_shared(path: str) -> bool:
    """Return whether pages of other origins may call a path."""
    return path == _CORS_PATH or path.startswith(_CORS_PATH + "/")


def split_token(query: bytes) -> tuple[str, bytes]:
    """Return the token of a query string, and the query string without it."""
    parts = query.split(b"&")
    tokens = [part for part in parts if part.startswith(b"token=")]
    token = unquote_plus(tokens[0].decode("latin-1")).removeprefix("token=") if tokens else ""
    return token, b"&".join(part for part in parts if part not in tokens)


def _host_name(url: str) -> str:
    """Return the host in a URL, in lower case; "" if the URL is invalid or has more than scheme, host and port."""
    try:
        split = urlsplit(url)
        has_more = split.username is not None or split.path or split.query or split.fragment or split.port == 0
    except ValueError:
        return ""
    return "" if has_more else split.hostname or ""
