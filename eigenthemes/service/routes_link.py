"""POST /link and what belongs to it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from eigenthemes.documents.json_lines import document_of
from eigenthemes.documents.writer import json_line
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.linker import DecidedBatch, Linker
from eigenthemes.records import Document
from eigenthemes.service.batching import Batcher
from eigenthemes.service.entities import type_labels
from eigenthemes.service.metrics import Metrics
from eigenthemes.service.options import LinkQuery, link_query, refuse_unknown
from eigenthemes.service.requests import json_of, json_response, query_of
from eigenthemes.service.served import ServedKB, ServedKBs
from eigenthemes.service.settings import ServiceSettings


def router(served: ServedKBs, settings: ServiceSettings, batcher: Batcher, metrics: Metrics) -> APIRouter:
    """Return the routes that link."""
    routes = APIRouter()

    @routes.post("/link")
    async def link(request: Request) -> Response:
        """Link a document, or a list of documents."""
        query = link_query(query_of(request))
        body = await json_of(request)
        kb = served.get(query.kb)
        linker = kb.linker(query.options)
        documents = documents_of(body, linker, settings)
        answers = await batcher.link(linker, documents, partial(render, kb=kb, linker=linker, query=query))
        metrics.add("documents", len(documents))
        content = b"[" + b",".join(answers) + b"]" if type(body) is list else answers[0]
        return Response(content, media_type="application/json")

    @routes.post("/explain")
    async def explain(request: Request) -> Response:
        """Explain why a mention of a document was linked as it was."""
        given = query_of(request)
        refuse_unknown(given, ("kb",))
        body = await json_of(request)
        kb = served.get(given.get("kb"))
        record = await served.run(_explained, kb, body, settings)
        return json_response(record)

    return routes


def documents_of(body: Any, linker: Linker, settings: ServiceSettings) -> list[Document]:
    """Return the documents of a request, checked and counted."""
    if type(body) is not list:
        document = document_of(body)
        linker.check(document)
        documents = [document]
    else:
        if len(body) > settings.max_documents:
            raise DocumentError(
                f"there are {len(body):,} documents; send at most {settings.max_documents:,} at once", code="too-many"
            )
        documents = [_numbered(record, number, linker) for number, record in enumerate(body)]
    mentions = sum(len(document.mentions or ()) for document in documents)
    if mentions > settings.max_mentions:
        raise DocumentError(f"there are {mentions:,} mentions; send at most {settings.max_mentions:,} at once", code="too-many")
    return documents


def _numbered(record: Any, number: int, linker: Linker) -> Document:
    try:
        document = document_of(record)
        linker.check(document)
        return document
    except DocumentError as error:
        raise DocumentError(f"document {number}: {error}", code=error.code, where=error.where) from None


def render(
    document: Document,
    links: list[dict[str, Any]],
    decided: DecidedBatch,
    number: int,
    *,
    kb: ServedKB,
    linker: Linker,
    query: LinkQuery,
) -> bytes:
    """Return the JSON of a linked document, with what was asked for beside the links."""
    if query.types:
        _add_types(links, kb)
    if query.map:
        found = linker.map_of(decided, number)
        document = replace(document, source={**document.source, "map": None if found is None else found.to_dict()})
    return json_line(document, links)


def _add_types(links: list[dict[str, Any]], kb: ServedKB) -> None:
    for link in links:
        for record, entity_id in ((link, link["entity"]), *((each, each["id"]) for each in link["ranking"])):
            index = None if entity_id is None else kb.kb.index_of(entity_id)
            record["types"] = [] if index is None else type_labels(kb.kb, index)
            record["description"] = "" if index is None else kb.kb.description_of(index)


def _explained(kb: ServedKB, body: Any, settings: ServiceSettings) -> dict[str, Any]:
    if type(body) is not dict or "document" not in body:
        raise DocumentError('the body has no "document"; expected {"document": ..., "mention": 0}', where="document")
    linker = kb.linker()
    documents = documents_of(body["document"], linker, settings)
    number = body.get("mention", 0)
    if type(number) is not int or number < 0:
        raise OptionError('"mention" is no whole number; expected 0 for the first', where="mention")
    explainer = linker.explainer(documents[:1])
    there = len(explainer.batch.mentions)
    if number >= there:
        raise OptionError(f"there is no mention {number}, the document has {there}; the first is 0", where="mention")
    return explainer.explain(number).to_dict()
