"""Who may ask: the name the service was called by, the page a request comes from, and the token.

A page of any website can send requests to this machine's own services, by itself (Origin) or by a name that leads here (Host,
DNS rebinding). Both are refused, but for reconciliation, which OpenRefine calls from its own pages.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from functools import cache
from urllib.parse import parse_qsl, urlsplit

from eigenthemes.service.origins import HeaderList, Headers, cors_headers, may_read
from eigenthemes.service.problems import Problem
from eigenthemes.service.settings import ServiceSettings

CORS_PATH = "/reconcile"
_READING = ("GET", "HEAD", "OPTIONS")
_PUBLIC = ("/", "/health", "/favicon.ico")  # the page itself holds nothing of the KB
_PUBLIC_FOLDER = "/page/"


class Guard:
    """Refuses requests that should not be here, with a `Problem`."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._names = {
            "localhost",
            settings.host.lower(),
            socket.gethostname().lower(),
            *map(str.lower, settings.allowed_hosts),
        }
        self._any = "*" in settings.allowed_hosts
        self._token = None if settings.token is None else settings.token.encode()
        self._known: set[bytes] = set()  # hosts that were found right

    def check(self, method: str, path: str, query: bytes, headers: Headers) -> None:
        """Refuse a request from elsewhere, or without the token."""
        host = headers.get(b"host", b"")
        if host not in self._known:
            self._check_host(host)
        if is_shared(path):
            self._check_shared(method, headers)
        elif method not in _READING and b"origin" in headers:
            _check_origin(headers[b"origin"], host)
        if self._token is not None and method != "OPTIONS" and not _is_public(method, path):
            self._check_token(query, headers)

    def shared_headers(self, path: str, headers: Headers) -> HeaderList:
        """Return the headers that let pages of other origins read an answer, where they may."""
        return cors_headers(headers, has_token=self._token is not None) if is_shared(path) else ()

    def _check_shared(self, method: str, headers: Headers) -> None:
        if method != "OPTIONS" and not may_read(headers, has_token=self._token is not None):
            raise Problem(
                403,
                "origin",
                f"the request comes from a page of {headers[b'origin'][:80].decode('latin-1')!r}, not of this machine; start "
                "the service with a token, and use the address with it",
                "Origin",
            )

    def _check_host(self, host: bytes) -> None:
        name = host_name(host.decode("latin-1"))
        if name is None or not (self._any or name in self._names or _is_address(name)):
            raise Problem(
                421,
                "host",
                f"the service was called {host[:80].decode('latin-1')!r}, a name it does not know; call it by its address, or "
                "start it with this name among its allowed hosts",
                "Host",
            )
        if len(self._known) < 100:
            self._known.add(host)

    def _check_token(self, query: bytes, headers: Headers) -> None:
        assert self._token is not None
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        found = given.strip() if scheme.lower() == b"bearer" else _token_in(query)
        if not hmac.compare_digest(found, self._token):
            problem = "the token is not the right one" if found else "there is no token"
            raise Problem(
                401,
                "token",
                f"{problem}; send the header Authorization: Bearer TOKEN, or add token=TOKEN to the address",
                headers={"WWW-Authenticate": "Bearer"},
            )


def is_shared(path: str) -> bool:
    """Return whether pages of other origins may send requests."""
    return path == CORS_PATH or path.startswith(CORS_PATH + "/")


def host_name(host: str) -> str | None:
    """Return the name in a Host header, without the port, small; None where there is none."""
    try:
        split = urlsplit(f"//{host}")
        if split.username is not None or split.path or split.query or split.fragment or not split.hostname:
            return None
        return split.hostname if split.port is None or split.port else None
    except ValueError:
        return None


@cache
def _is_address(name: str) -> bool:
    """Return whether a host is an IP address, which cannot be made to lead elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _check_origin(origin: bytes, host: bytes) -> None:
    scheme, found, of = origin.partition(b"://")
    if not found or scheme.lower() not in (b"http", b"https") or of.lower() != host.lower():
        raise Problem(
            403,
            "origin",
            f"the request comes from a page of {origin[:80].decode('latin-1')!r}; only the service's own page may send it",
            "Origin",
        )


def _is_public(method: str, path: str) -> bool:
    return method in _READING and (path in _PUBLIC or path.startswith(_PUBLIC_FOLDER))


def _token_in(query: bytes) -> bytes:
    pairs = (
        parse_qsl(query.decode("latin-1"), encoding="utf-8", errors="replace", max_num_fields=None)
        if b"token=" in query
        else []
    )
    return next((value.encode("utf-8", "replace") for name, value in pairs if name == "token"), b"")
