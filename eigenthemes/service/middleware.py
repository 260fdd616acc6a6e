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
from urllib.parse import unquote_to_bytes, urlsplit

from starlette.middleware.cors import CORSMiddleware
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eigenthemes.service.json_http import Problem, response_of
from eigenthemes.service.metrics import Metrics
from eigenthemes.service.served import ServedKBs
from eigenthemes.service.settings import ServiceSettings, is_root_path

log = logging.getLogger("eigenthemes.service")

_ALWAYS = ("/health", "/metrics")  # answered while the service starts, and when there are too many requests
_UNLIMITED = ("/reload",)  # large KBs take long to open
_DRAIN_SECONDS = 2.0  # that a client has at least to read an answer before its body has ended
_MAX_BODIES = 32  # bodies of the largest size that are held at once
_CLOSE = {"Connection": "close"}
_SOON = {"Retry-After": "1"}
_CORS_PATH = "/reconcile"
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_PUBLIC = ("/", "/health", "/favicon.ico")  # the page itself holds nothing of the KB
_PUBLIC_FOLDER = "/page/"
_LOOPBACK = ("127.0.0.0/8", "::1/128")

Headers = dict[bytes, bytes]


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
        forwarded = [_first(headers.get(name, b"")) for name in (b"x-forwarded-proto", b"x-forwarded-prefix")]
        if any(forwarded) and self._is_trusted(scope.get("client")):
            scope["scheme"] = forwarded[0] if forwarded[0] in ("http", "https") else scope["scheme"]
            if is_root_path(forwarded[1]):
                prefix = forwarded[1].rstrip("/") or prefix
        path: str = scope["path"]
        inner = path.removeprefix(prefix) if f"{path}/".startswith(f"{prefix}/") else path
        scope["root_path"], scope["path"] = prefix, prefix + inner
        return inner

    def _is_trusted(self, client: tuple[str, int] | None) -> bool:
        try:
            address = ipaddress.ip_address(client[0] if client else "")
        except ValueError:
            return False
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in self._proxies)


class AccessPolicy:
    """Checks requests; those that are not allowed raise a `Problem`."""

    def __init__(self, settings: ServiceSettings) -> None:
        names = ("localhost", settings.host, socket.gethostname(), *settings.allowed_hosts)
        self._names = {name.lower() for name in names}
        self._token = None if settings.token is None else settings.token.encode()

    def check(self, method: str, path: str, token: bytes, headers: Headers) -> None:
        """Refuse a request of an unknown host, of a page elsewhere, or without the token.

        Parameters
        ----------
        method, path : str
            Of the request.
        token : bytes
            The token of the query string; that of the header Authorization takes precedence.
        headers : dict
            Of the request, by lower-case names.
        """
        host, origin = headers.get(b"host", b""), headers.get(b"origin")
        self._check_host(host)
        may_send = self._may_read(headers) if is_shared(path) else method in _SAFE_METHODS or _is_same(origin, host)
        if origin is not None and method != "OPTIONS" and not may_send:
            page = f"the request comes from a page of {origin[:80].decode('latin-1')!r}, which may not send it"
            raise Problem(403, "origin", f"{page}; use the service's own page, or start the service with a token", "Origin")
        is_public = method in _SAFE_METHODS and (path in _PUBLIC or path.startswith(_PUBLIC_FOLDER))
        if self._token is not None and method != "OPTIONS" and not is_public:
            self._check_token(token, headers)

    def share(self, app: ASGIApp, headers: Headers) -> ASGIApp:
        """Return an app whose answers the page of a request may read, if it is allowed to."""
        origins = [headers[b"origin"].decode("latin-1")] if b"origin" in headers and self._may_read(headers) else []
        return CORSMiddleware(
            app,
            allow_origins=origins if self._token is None else ["*"],
            allow_methods=("GET", "POST", "OPTIONS"),
            allow_headers=("Content-Type", "Authorization"),
            allow_private_network=True,
        )

    def _may_read(self, headers: Headers) -> bool:
        """Return whether the page that a request comes from may read the answer; programs send no origin."""
        if b"origin" not in headers or self._token is not None:
            return True
        name = _host_name(headers[b"origin"])
        return bool(name) and (_is_loopback(name) or name == _host_name(b"//" + headers.get(b"host", b"")))

    def _check_host(self, host: bytes) -> None:
        name = _host_name(b"//" + host)
        if not name or not ("*" in self._names or name in self._names or _is_address(name)):
            raise Problem(
                421,
                "host",
                f"the service was called by the name {host[:80].decode('latin-1')!r}, which it does not know; call it by its "
                "address, or start it with this name among its allowed hosts",
                "Host",
            )

    def _check_token(self, token: bytes, headers: Headers) -> None:
        assert self._token is not None
        scheme, _, value = headers.get(b"authorization", b"").partition(b" ")
        given = value.strip() if scheme.lower() == b"bearer" else token
        if not hmac.compare_digest(given, self._token):
            problem = "the token is wrong" if given else "there is no token"
            remedy = "send the header Authorization: Bearer TOKEN, or add token=TOKEN to the address"
            raise Problem(401, "token", f"{problem}; {remedy}", headers={"WWW-Authenticate": "Bearer"})


class RequestState:
    """A request on its way through the middleware."""

    def __init__(
        self, path: str, headers: Headers, max_body_seconds: float, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self.path, self.headers, self.scope, self.receive, self._send = path, headers, scope, receive, send
        self.start = time.perf_counter()
        self._until = time.monotonic() + max_body_seconds
        self.token, scope["query_string"] = split_token(scope["query_string"])
        scope.setdefault("state", {})["token"] = self.token.decode("utf-8", "replace")
        self.body = b""
        self.held_bytes = 0
        self.status = 0  # 0: the answer has not begun
        self._body_was_read = self._must_drain = False

    @property
    def log_path(self) -> str:
        """The path without query string and control characters, shortened."""
        return ascii(self.path[:200])[1:-1]

    async def receive_body(self) -> Message:
        """Give the app the body, all of it at once."""
        if self._body_was_read:
            return await self.receive()
        self._body_was_read = True
        return {"type": "http.request", "body": self.body, "more_body": False}

    async def send(self, message: Message) -> None:
        """Send a message of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), (b"x-content-type-options", b"nosniff")]
            self._must_drain = (b"connection", b"close") in message["headers"]
        elif self._must_drain:
            await self._send({**message, "more_body": True})
            await self._drain()
            message = {"type": "http.response.body", "body": b""}
        await self._send(message)

    async def _drain(self) -> None:
        """Read the rest of the body: a client that still sends when the connection closes never sees the answer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(_DRAIN_SECONDS, self._until - time.monotonic())):
                while (await self.receive()).get("more_body", False):
                    pass


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
        headers = dict(scope["headers"])
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
            await self._answer_error(request, error)
        finally:
            self.running -= 1
            self.held_bytes -= request.held_bytes
            self._count(request)

    async def _answer_error(self, request: RequestState, error: Exception) -> None:
        if not isinstance(error, Problem):  # logged without the error's text, which may repeat what was sent
            place = _place(error)
            log.error("%s at %s while answering %s %s", type(error).__name__, place, request.scope["method"], request.log_path)
            error = Problem(500, "fault", "the service failed; see its log")
        if not request.status:
            await response_of(error)(request.scope, request.receive, request.send)

    async def _admit(self, request: RequestState) -> None:
        scope = request.scope
        method, path = scope["method"], request.path
        self.policy.check(method, path, request.token, request.headers)
        if path not in _ALWAYS:
            if not self.served.is_ready:
                raise Problem(503, "starting", "the service is starting; try again soon", headers=_SOON)
            if self.running > self.settings.max_concurrent:
                raise Problem(503, "busy", "too many requests at once; try again soon", headers=_SOON)
        if method not in _SAFE_METHODS:
            await self._receive_body(request)
        elif method == "HEAD":
            request.scope = {**scope, "method": "GET"}  # the server leaves the body out
        await self._run(request)

    async def _run(self, request: RequestState) -> None:
        seconds = None if request.path in _UNLIMITED else self.settings.max_seconds
        try:
            async with asyncio.timeout(seconds):
                await self.app(request.scope, request.receive_body, request.send)
        except TimeoutError:
            sentence = f"the answer takes more than {seconds:g} seconds; send less at once, or try again later"
            raise Problem(503, "time", sentence, headers={"Retry-After": "5"}) from None

    async def _receive_body(self, request: RequestState) -> None:
        length = request.headers.get(b"content-length", b"")
        if length.isdigit():
            self._check_size(int(length))
        seconds = self.settings.max_body_seconds
        try:
            async with asyncio.timeout(seconds):
                await self._collect(request)
        except TimeoutError:
            sentence = f"the body did not arrive within {seconds:g} seconds; send it faster, or send less"
            raise Problem(408, "slow", sentence, headers=_CLOSE) from None

    def _check_size(self, size: int) -> None:
        if size > self.settings.max_body:
            sentence = f"the body is larger than {self.settings.max_body:,} bytes; send less at once"
            raise Problem(413, "too-large", sentence, headers=_CLOSE)

    async def _collect(self, request: RequestState) -> None:
        chunks: list[bytes] = []
        while True:
            message = await request.receive()
            if message["type"] == "http.disconnect":
                raise Problem(400, "gone", "the request ended too early; send it again")
            chunks.append(message.get("body", b""))
            request.held_bytes += len(chunks[-1])
            self.held_bytes += len(chunks[-1])
            self._check_size(request.held_bytes)
            if self.held_bytes > _MAX_BODIES * self.settings.max_body:
                raise Problem(503, "busy", "too much was sent at once; try again soon", headers=_SOON | _CLOSE)
            if not message.get("more_body", False):
                request.body = chunks[0] if len(chunks) == 1 else b"".join(chunks)
                return

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


def split_token(query: bytes) -> tuple[bytes, bytes]:
    """Return the token of a query string, and the query string without it."""
    parts = query.split(b"&")
    tokens = [part for part in parts if part.startswith(b"token=")]
    if not tokens:
        return b"", query
    token = unquote_to_bytes(tokens[0].removeprefix(b"token=").replace(b"+", b" "))
    return token, b"&".join(part for part in parts if part not in tokens)


def _first(header: bytes) -> str:
    """Return the first of the values of a header, which the outermost proxy has set."""
    return header.decode("latin-1").partition(",")[0].strip()


def _host_name(url: bytes) -> str:
    """Return the host in a URL, in lower case; "" if the URL is invalid or has more than scheme, host and port."""
    try:
        split = urlsplit(url.decode("latin-1"))
        has_more = split.username is not None or split.path or split.query or split.fragment or split.port == 0
    except ValueError:
        return ""
    return "" if has_more else split.hostname or ""


def _is_address(name: str) -> bool:
    """Return True if a name is an IP address, which DNS cannot redirect."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(name: str) -> bool:
    return name == "localhost" or (_is_address(name) and ipaddress.ip_address(name).is_loopback)


def _is_same(origin: bytes | None, host: bytes) -> bool:
    """Return whether a page comes from the host that it calls; programs send no origin."""
    scheme, separator, name = (origin or b"").partition(b"://")
    return bool(separator) and scheme.lower() in (b"http", b"https") and name.lower() == host.lower()
