"""The page: its files, with headers that let nothing but them run, and texts to try it on.

The files hold no secrets: a token is asked for by what the page calls.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from eigenthemes.kb.store import KB
from eigenthemes.linker import Linker
from eigenthemes.service.options import refuse_unknown
from eigenthemes.service.problems import Problem
from eigenthemes.service.requests import json_response, query_of
from eigenthemes.service.samples import Sample, samples_of
from eigenthemes.service.served import ServedKBs

PAGE = Path(__file__).parent / "page"
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
# What a page may do that shows names from anywhere: run its own files, talk to its own server, nothing else.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",  # a browser asks whether the file is still the same
}


def router(served: ServedKBs) -> APIRouter:
    """Return the routes of the page."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/")
    async def page(request: Request) -> Response:
        return file_response(request, "index.html")

    @routes.get("/page/{name}")
    async def file(request: Request, name: str) -> Response:
        return file_response(request, name)

    @routes.get("/samples")
    async def samples(request: Request) -> Response:
        """List three texts that a KB knows the names of."""
        given = query_of(request)
        refuse_unknown(given, ("kb",))
        kb = served.get(given.get("kb"))
        found = await served.run(lambda: kb.kb.cached(_samples, kb.linker()))
        return json_response(found)

    return routes


def file_response(request: Request, name: str) -> Response:
    """Return a file of the page, or word that the browser has it already."""
    if name not in file_names():
        raise Problem(404, "http-404", f"the page has no file {name[:80]!r}; see /")
    content, tag = _content(name)
    headers = {**HEADERS, "ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=MEDIA_TYPES[Path(name).suffix])


@cache
def file_names() -> frozenset[str]:
    """Return the names of the page's files."""
    return frozenset(path.name for path in PAGE.iterdir() if path.suffix in MEDIA_TYPES)


@cache
def _content(name: str) -> tuple[bytes, str]:
    content = (PAGE / name).read_bytes()
    return content, f'"{hashlib.sha256(content).hexdigest()[:20]}"'


def _samples(kb: KB, linker: Linker) -> list[Sample]:
    return samples_of(linker)
