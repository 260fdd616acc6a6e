"""Which web pages may read answers: OpenRefine's own, which is a page of another port of this machine, or of another one.

Without a token, pages of this machine only: a web page from elsewhere must not read a KB that is served to its owner. With a
token any page may that knows it.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

_FRAMES = "'self' http://127.0.0.1:* http://localhost:*"  # a policy has no form for IPv6 addresses


def is_local(origin: str) -> bool:
    """Is it the origin of a page that this machine serves?"""
    try:
        host = urlsplit(origin).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def cors_headers(origin: str | None, *, has_token: bool) -> dict[str, str]:
    """Return the headers that let a page read an answer; none where it may not."""
    if has_token:
        return {"Access-Control-Allow-Origin": "*"}
    allowed = origin is not None and is_local(origin)
    return {"Vary": "Origin", **({"Access-Control-Allow-Origin": str(origin)} if allowed else {})}


def preflight_headers(origin: str | None, *, has_token: bool) -> dict[str, str]:
    """Return the headers that let a page post JSON."""
    return {
        **cors_headers(origin, has_token=has_token),
        "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
        "Access-Control-Allow-Headers": "Content-Type, Authorization",
        "Access-Control-Max-Age": "600",
    }


def frame_ancestors(*, has_token: bool) -> str:
    """Return which pages may show a preview in a frame."""
    return "*" if has_token else _FRAMES
