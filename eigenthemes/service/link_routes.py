"""POST /link, /link-table and /explain."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query
from starlette.requests import Request
from starlette.responses import Response

from eigenthemes.documents.json_lines import document_of
from eigenthemes.documents.json_writer import json_line
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.linker import Linker
from eigenthemes.records import Document, mention_texts
from eigenthemes.service import models
from eigenthemes.service.batching import Batcher, Tally, tally_of
from eigenthemes.service.entity_routes import type_labels
from eigenthemes.service.json_http import LARGE_BODY, JSONRoute, each_document, json_response
from eigenthemes.service.models import LinkQuery
from eigenthemes.service.served import ServedKB, ServedKBs
from eigenthemes.service.settings import ServiceSettings

_EXAMPLES: Any = {
    "one": {"value": {"id": "doc-1", "text": models.TEXT}},
    "text": {"value": models.TEXT},
    "many": {"value": [{"id": "doc-1", "text": models.TEXT}, {"mentions": [{"text": "Science"}]}]},
}
_TABLE: Any = {"table": {"header": ["city", "state"], "rows": [["Paris", "Texas"]]}, "columns": ["city"]}

TableBody = Annotated[models.TableRequest, Body(openapi_examples={"table": {"value": _TABLE}})]
ExplainBody = Annotated[
    models.ExplainRequest, Body(openapi_examples={"text": {"value": {"document": models.TEXT, "mention": 0}}})
]


def router(served: ServedKBs, settings: ServiceSettings, batcher: Batcher) -> APIRouter:
    """Return the routes that link."""
    routes = APIRouter(route_class=JSONRoute)

    async def open_kb(query: LinkQuery) -> tuple[ServedKB, Linker]:
        """Return the KB of a request, and the linker with its options."""
        kb = served.get(query.kb)
        options = query.link_options(kb.kb)
        linker = kb.linkers.get(options)
        if linker is None:
            linker = await served.run(kb.linker, options)
        return kb, linker

    @routes.post("/link", response_model=models.LinkedDocument | list[models.LinkedDocument])
    async def link(
        request: Request,
        query: Annotated[LinkQuery, Query()],
        body: Annotated[models.LinkBody, Body(openapi_examples=_EXAMPLES)],
    ) -> Response:
        """Link a document or a list of documents; a string is a text whose names are found."""
        kb, linker = await open_kb(query)
        if len(await request.body()) > LARGE_BODY:
            documents = await served.run(documents_of, body, linker, settings)
        else:
            documents = documents_of(body, linker, settings)
        if query.types or query.map:
            answers, tally = await served.run(_link_with_details, documents, kb, linker, query)
            batcher.on_decided(tally)
        else:
            answers = await batcher.link(linker, documents)
        content = b"[" + b",".join(answers) + b"]" if isinstance(body, list) else answers[0]
        return Response(content, media_type="application/json")

    @routes.post("/link-table", response_model=models.LinkedTable)
    async def link_table(query: Annotated[LinkQuery, Query()], body: TableBody) -> Response:
        """Link the cells of a table: those of the given columns, or of all columns of names."""
        kb, linker = await open_kb(query)
        return await served.run(_link_table, body, kb, linker, query, settings)

    @routes.post("/explain", response_model=models.MentionExplanation)
    async def explain(query: Annotated[LinkQuery, Query()], body: ExplainBody) -> Response:
        """Explain the decision about a mention of a document."""
        _, linker = await open_kb(query)
        return await served.run(_explain, body, linker, settings)

    return routes


def documents_of(body: Any, linker: Linker, settings: ServiceSettings) -> list[Document]:
    """Return the documents of a request, after checking them and their number."""
    if isinstance(body, list):
        check_count(len(body), settings.max_documents, "documents")
    documents = each_document(body, lambda record: _checked(record, linker))
    _check_size(documents, settings)
    return documents


def check_count(count: int, most: int, name: str) -> None:
    """Refuse more than a request may hold."""
    if count > most:
        raise DocumentError(f"there are {count:,} {name} in the request; send at most {most:,} at once", code="too-many")


def _check_size(documents: list[Document], settings: ServiceSettings, name: str = "mentions") -> None:
    check_count(sum(map(_count_mentions, documents)), settings.max_mentions, name)
    check_count(sum(map(_count_characters, documents)), settings.max_characters, "characters")


def _count_mentions(document: Document) -> int:
    if document.mentions is None and document.table is not None:
        return sum(map(len, document.table.rows))
    return len(document.mentions or ())


def _count_characters(document: Document) -> int:
    cells = 0 if document.table is None else sum(len(cell) for row in document.table.rows for cell in row)
    texts = len(document.text or "") + len(document.about or "")
    return texts + cells + sum(map(len, mention_texts(document.mentions or ())))


def _checked(record: Any, linker: Linker) -> Document:
    document = document_of(record)
    linker.check(document)
    return document


def _link_with_details(documents: list[Document], kb: ServedKB, linker: Linker, query: LinkQuery) -> tuple[list[bytes], Tally]:
    """Return the JSON of linked documents with the types and the map that the query asks for, and their numbers."""
    decided = linker.decide(documents)
    answers = []
    for number, linked in enumerate(linker.links(decided)):
        document, links = linked.document, linked.to_dict()["mentions"]
        if query.types:
            _add_types(links, kb)
        if query.map:
            points = linker.map_of(decided, number)
            document = replace(document, source={**document.source, "map": None if points is None else points.to_dict()})
        answers.append(json_line(document, links))
    return answers, tally_of(decided)


def _add_types(links: list[dict[str, Any]], kb: ServedKB) -> None:
    for link in links:
        for record, entity_id in ((link, link["entity"]), *((candidate, candidate["id"]) for candidate in link["ranking"])):
            index = None if entity_id is None else kb.kb.index_of(entity_id)
            record["types"] = [] if index is None else type_labels(kb.kb, index)
            record["description"] = "" if index is None else kb.kb.description_of(index)


def _link_table(
    body: models.TableRequest, kb: ServedKB, linker: Linker, query: LinkQuery, settings: ServiceSettings
) -> Response:
    document = document_of({"id": body.id, "table": body.table, "mentions": []})
    if document.table is None:
        raise DocumentError('"table" is null; expected {"header": [...], "rows": [[...], ...]}')
    _check_size([replace(document, mentions=None)], settings, "cells")
    linked = linker.link_table(
        document.table, columns=body.columns, context=body.context or "table", only_types=body.only_types, id=document.id
    ).to_dict()
    if query.types:
        _add_types(linked["mentions"], kb)
    return json_response(linked)


def _explain(body: models.ExplainRequest, linker: Linker, settings: ServiceSettings) -> Response:
    document = _checked(body.document, linker)
    _check_size([document], settings)
    explainer = linker.explainer([document])
    count = int(explainer.batch.is_own.sum())
    if body.mention >= count:
        raise OptionError(f"there is no mention {body.mention}, the document has {count}; the first is 0", where="/mention")
    candidates = [candidate.to_dict() for candidate in explainer.candidates(body.mention)]
    return json_response({"mention": body.mention, **explainer.explain(body.mention).to_dict(), "candidates": candidates})
