"""Which web pages may ask, and read answers: OpenRefine's own, which come from another port of the same machine.

Without a token, pages of this machine, or of the one by whose name the service was called: a web page from elsewhere must not
read a KB that is served to its owner. With a token any page may that knows it.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from eigenthemes.service.problems import Problem

_FRAMES = "'self' http://127.0.0.1:* http://localhost:*"  # a policy has no form for IPv6 addresses


def may_read(headers: Mapping[str, str], *, has_token: bool) -> bool:
    """May the page that a request comes from read the answer? Requests that no page sends have no origin."""
    origin = headers.get("origin")
    if origin is None or has_token:
        return True
    name = _host_name(origin)
    return bool(name) and (_is_this_machine(name) or name == _host_name(f"//{headers.get('host', '')}"))


def refuse_others(headers: Mapping[str, str], *, has_token: bool) -> None:
    """Refuse what a page from elsewhere asks."""
    if not may_read(headers, has_token=has_token):
        raise Problem(
            403,
            "origin",
            f"the request comes from a page of {headers.get('origin', '')[:80]!r}, not of this machine; start the service with "
            "a token, and use the address with it",
            "Origin",
        )


def cors_headers(headers: Mapping[str, str], *, has_token: bool) -> dict[str, str]:
    """Return the headers that let a page read an answer; none where it may not."""
    if has_token:
        return {"Access-Control-Allow-Origin": "*"}
    origin = headers.get("origin")
    allowed = origin is not None and may_read(headers, has_token=False)
    return {"Vary": "Origin", **({"Access-Control-Allow-Origin": str(origin)} if allowed else {})}


def preflight_headers(headers: Mapping[str, str], *, has_token: bool) -> dict[str, str]:
    """Return the headers that let a page post JSON."""
    return {
        **cors_headers(headers, has_token=has_token),
        "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
        "Access-Control-Allow-Headers": "Content-Type, Authorization",
        "Access-Control-Max-Age": "600",
    }


def frame_ancestors(*, has_token: bool) -> str:
    """Return which pages may show a preview in a frame."""
    return "*" if has_token else _FRAMES


def _host_name(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _is_this_machine(name: str) -> bool:
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
