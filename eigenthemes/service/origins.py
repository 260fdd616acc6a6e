"""Which web pages may reconcile: OpenRefine's own, which come from another port of the same machine.

Without a token, pages of this machine, or of the one by whose name the service was called: a web page from elsewhere must not
read a KB that is served to its owner. With a token any page may that knows it.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

Headers = dict[bytes, bytes]
HeaderList = tuple[tuple[bytes, bytes], ...]

PREFLIGHT: HeaderList = (
    (b"access-control-allow-methods", b"GET, POST, OPTIONS"),
    (b"access-control-allow-headers", b"Content-Type, Authorization"),
    (b"access-control-allow-private-network", b"true"),
    (b"access-control-max-age", b"600"),
)
_FRAMES = "'self' http://127.0.0.1:* http://localhost:*"  # a policy has no form for IPv6 addresses


def may_read(headers: Headers, *, has_token: bool) -> bool:
    """May the page that a request comes from read the answer? Requests that no page sends have no origin."""
    if b"origin" not in headers or has_token:
        return True
    name = _host_name(headers[b"origin"])
    return bool(name) and (_is_this_machine(name) or name == _host_name(b"//" + headers.get(b"host", b"")))


def cors_headers(headers: Headers, *, has_token: bool) -> HeaderList:
    """Return the headers that let the page that a request comes from read the answer; none where it may not."""
    if has_token:
        return ((b"access-control-allow-origin", b"*"),)
    vary = (b"vary", b"Origin")
    if b"origin" not in headers or not may_read(headers, has_token=False):
        return (vary,)
    return ((b"access-control-allow-origin", headers[b"origin"]), vary)


def frame_ancestors(*, has_token: bool) -> str:
    """Return which pages may show a preview in a frame."""
    return "*" if has_token else _FRAMES


def _host_name(url: bytes) -> str:
    try:
        return urlsplit(url.decode("latin-1")).hostname or ""
    except ValueError:
        return ""


def _is_this_machine(name: str) -> bool:
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
