"""The page: its files, with headers that let nothing else run, and sample texts.

The files are public: they hold nothing of a KB, and the routes that the page calls check the token.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from eigenthemes.documents.reader import read_documents
from eigenthemes.kb.store import KB
from eigenthemes.kg.demo import DOCUMENTS
from eigenthemes.linker import Linker
from eigenthemes.records import mention_texts
from eigenthemes.service.json_http import JSONRoute, json_response
from eigenthemes.service.models import KBQuery
from eigenthemes.service.served import ServedKBs

PAGE = Path(__file__).parent / "page"
mimetypes.add_type("text/javascript", ".js")  # some systems have another type for it, with which browsers run nothing
# the page shows names from anywhere: it may run its own files and call its own server, nothing else
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
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

    files = StaticFiles(directory=PAGE)

    @routes.get("/")
    @routes.get("/page/{name}")
    async def file(request: Request, name: str = "index.html") -> Response:
        """Return a file of the page."""
        response = await files.get_response(name, request.scope)
        response.headers.update(HEADERS)
        return response

    @routes.get("/samples")
    async def samples(query: Annotated[KBQuery, Query()]) -> Response:
        """List up to three texts with names of the KB."""
        kb = served.get(query.kb)
        return json_response(await served.run(kb.kb.cached, samples_of, kb.linker()))

    return routes


# samples


Sample = dict[str, str]  # title, text


def samples_of(kb: KB, linker: Linker) -> list[Sample]:
    """Return up to three texts with names of the KB: texts of the demos if it knows their names, else generated ones."""
    known = sorted(_demo_texts(linker), key=lambda pair: -pair[0])
    generated = (each for each in _generate_texts(kb) if len(_linked_names(linker, each["text"])) >= _FEWEST)
    return list(islice(chain((sample for _, sample in known), generated), SAMPLES))


def _linked_names(linker: Linker, text: str) -> set[str]:
    return {link.mention.text for link in linker.link(text).links if link.entity is not None}


def _demo_texts(linker: Linker) -> Iterator[tuple[float, Sample]]:
    """Yield the texts of the demos with the share of their names that the KB links, if it links most."""
    for path in DOCUMENTS.values():
        for document in read_documents(path):
            text, title = str(document.text), str(document.id).replace("-", " ").capitalize()
            names = set(mention_texts(document.mentions or ())) or set(_CAPITALIZED.findall(text))
            known = names & _linked_names(linker, text)
            if len(known) >= max(_FEWEST, _KNOWN * len(names)):
                yield len(known) / len(names), {"title": title, "text": text}


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
