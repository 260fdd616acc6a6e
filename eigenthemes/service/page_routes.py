"""The page: its files, with headers that let nothing else run, and sample texts.

The files are public: they hold nothing of a KB, and the routes that the page calls check the token.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from eigenthemes.kb.store import KB
from eigenthemes.kg.demo import DOCUMENTS
from eigenthemes.linker import Linker
from eigenthemes.service.json_http import JSONRoute, Problem, json_response
from eigenthemes.service.models import KBQuery
from eigenthemes.service.served import ServedKBs

PAGE = Path(__file__).parent / "page"
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
# the page shows names from anywhere: it may run its own files and call its own server, nothing else
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
    "Cache-Control": "no-cache",  # browsers check the ETag
}


SAMPLES = 3
_KNOWN = 0.8  # share of a demo text's names that a KB must link
_FEWEST = 4  # links of a sample
_HUBS = 400  # popular entities to generate texts about
_NEIGHBORS = 60  # of each entity
_NAMED = 5  # neighbours in a generated text
_DESCRIBED = 300  # letters of a description
_SHORTEST, _LONGEST = 3, 40  # letters of a name
_CAPITALIZED = re.compile(r"(?<=[a-z,] )[A-Z]\w+")  # names in an English text without mentions


def router(served: ServedKBs) -> APIRouter:
    """Return the routes of the page."""
    routes = APIRouter(route_class=JSONRoute, include_in_schema=False)

    @routes.get("/")
    async def page(request: Request) -> Response:
        return file_response(request, "index.html")

    @routes.get("/page/{name}")
    async def file(request: Request, name: str) -> Response:
        return file_response(request, name)

    @routes.get("/samples")
    async def samples(query: Annotated[KBQuery, Query()]) -> Response:
        """List up to three texts with names of the KB."""
        kb = served.get(query.kb)
        return json_response(await served.run(lambda: kb.kb.cached(_samples, kb.linker())))

    return routes


def file_response(request: Request, name: str) -> Response:
    """Return a file of the page, or 304 if the browser has it."""
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


# samples


Sample = dict[str, str]  # title, text


def _samples(kb: KB, linker: Linker) -> list[Sample]:
    return samples_of(linker)


def samples_of(linker: Linker) -> list[Sample]:
    """Return up to three texts with names of the KB: texts of the demos if it knows their names, else generated ones."""
    known = sorted(_demo_texts(linker), key=lambda pair: -pair[0])
    texts = (
        (sample for _, sample in known),
        (each for each in _generate_texts(linker.kb) if _links(linker, each["text"]) >= _FEWEST),
    )
    return list(islice(chain(*texts), SAMPLES))


def _links(linker: Linker, text: str) -> int:
    return sum(link.entity is not None for link in linker.link(text).links)


def _demo_texts(linker: Linker) -> Iterator[tuple[float, Sample]]:
    """Yield the texts of the demos with the share of their names that the KB links, if it links most."""
    for path in DOCUMENTS.values():
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            names = {mention["text"] for mention in record.get("mentions", ())} or set(_CAPITALIZED.findall(record["text"]))
            linked = {link.mention.text for link in linker.link(record["text"]).links if link.entity is not None}
            known = len(names & linked) / len(names)
            if len(names & linked) >= _FEWEST and known >= _KNOWN:
                yield known, {"title": str(record["id"]).replace("-", " ").capitalize(), "text": record["text"]}


def _generate_texts(kb: KB) -> Iterator[Sample]:
    """Yield texts about popular entities and their neighbours; each name is in one text only."""
    popular = np.argsort(-np.where(kb.linkable, kb.prior, -np.inf), kind="stable")[:_HUBS].tolist()
    used: set[str] = set()
    for index in popular:
        hub, description = kb.label_of(index), kb.description_of(index)
        if not _usable(hub) or hub in used:
            continue
        labels = dict.fromkeys(each.label for each in kb.neighbors(kb.id_of(index), limit=_NEIGHBORS))
        named = [label for label in labels if _usable(label) and label not in used and label != hub][:_NAMED]
        if len(named) == _NAMED:
            used.update((hub, *named))
            about = f"{hub}: {description.rstrip('. ')}" if 0 < len(description) <= _DESCRIBED else hub
            yield {"title": hub, "text": f"{about}. {', '.join(named)}."}


def _usable(label: str) -> bool:
    """Return whether a label is short and without punctuation."""
    return _SHORTEST <= len(label) <= _LONGEST and label[0].isalnum() and not set(label) & set(";,.:()[]{}<>|/\\\n")
