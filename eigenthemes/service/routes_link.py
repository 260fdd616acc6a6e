"""POST /link and what belongs to it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from eigenthemes.documents.json_lines import document_of
from eigenthemes.documents.json_writer import json_line
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.linker import DecidedBatch, Linker
from eigenthemes.records import Document
from eigenthemes.service.batching import Batcher
from eigenthemes.service.entities import type_labels
from eigenthemes.service.openapi import EXPLAIN, LINK, LINK_TABLE
from eigenthemes.service.options import LinkOptions, LinkQuery, link_query
from eigenthemes.service.requests import PlainRoute, content_of, json_response, parse_json, query_of
from eigenthemes.service.served import ServedKB, ServedKBs
from eigenthemes.service.settings import ServiceSettings
from eigenthemes.tables.table_documents import CONTEXTS

_LARGE = 64 << 10  # bytes of a body that is read in a thread


def router(served: ServedKBs, settings: ServiceSettings, batcher: Batcher) -> APIRouter:
    """Return the routes that link."""
    routes = APIRouter(route_class=PlainRoute)

    @routes.post("/link", **LINK)
    async def link(request: Request) -> Response:
        """Link a document, or a list of documents; a text alone has its names found."""
        query = link_query(query_of(request))
        kb = served.get(query.kb)
        linker = await linker_of(kb, query.options, served)
        content = await content_of(request)
        if len(content) > _LARGE:
            body, documents = await served.run(_read, content, linker, settings)
        else:
            body, documents = _read(content, linker, settings)
        answers = await batcher.link(linker, documents, partial(render, kb=kb, linker=linker, query=query))
        return Response(b"[" + b",".join(answers) + b"]" if type(body) is list else answers[0], media_type="application/json")

    @routes.post("/link-table", **LINK_TABLE)
    async def link_table(request: Request) -> Response:
        """Link the cells of a table: those of some columns, or of all that hold names."""
        query = link_query(query_of(request))
        kb = served.get(query.kb)
        linker = await linker_of(kb, query.options, served)
        content = await content_of(request)
        return await served.run(_linked_table, content, kb, linker, query, settings)

    @routes.post("/explain", **EXPLAIN)
    async def explain(request: Request) -> Response:
        """Explain why a mention of a document was linked as it was."""
        query = link_query(query_of(request))
        kb = served.get(query.kb)
        linker = await linker_of(kb, query.options, served)
        content = await content_of(request)
        return await served.run(_explained, content, linker, settings)

    return routes


async def linker_of(kb: ServedKB, options: LinkOptions, served: ServedKBs) -> Linker:
    """Return the linker of these options; one that is not open yet is opened in a thread."""
    linker = kb.known_linker(options)
    return linker if linker is not None else await served.run(kb.linker, options)


def _read(content: bytes, linker: Linker, settings: ServiceSettings) -> tuple[Any, list[Document]]:
    body = parse_json(content)
    return body, documents_of(body, linker, settings)


def documents_of(body: Any, linker: Linker, settings: ServiceSettings) -> list[Document]:
    """Return the documents of a request, checked and counted."""
    if type(body) is not list:
        documents = [_checked(body, linker)]
    else:
        refuse_more(len(body), settings.max_documents, "documents")
        documents = [_numbered(record, number, linker) for number, record in enumerate(body)]
    refuse_more(sum(map(_mentions, documents)), settings.max_mentions, "mentions")
    refuse_more(sum(map(_characters, documents)), settings.max_characters, "characters")
    return documents


def refuse_more(count: int, most: int, what: str) -> None:
    """Refuse more than a request may hold."""
    if count > most:
        raise DocumentError(f"there are {count:,} {what} in the request; send at most {most:,} at once", code="too-many")


def _mentions(document: Document) -> int:
    if document.mentions is None and document.table is not None:
        return sum(map(len, document.table.rows))
    return len(document.mentions or ())


def _characters(document: Document) -> int:
    cells = 0 if document.table is None else sum(len(cell) for row in document.table.rows for cell in row)
    texts = len(document.text or "") + len(document.about or "")
    return texts + cells + sum(len(mention.text) for mention in document.mentions or ())


def _checked(record: Any, linker: Linker) -> Document:
    document = document_of(record)
    linker.check(document)
    return document


def _numbered(record: Any, number: int, linker: Linker) -> Document:
    try:
        return _checked(record, linker)
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


def _linked_table(content: bytes, kb: ServedKB, linker: Linker, query: LinkQuery, settings: ServiceSettings) -> Response:
    body = parse_json(content)
    refuse_other_fields(body, ("id", "table", "columns", "context", "only_types"), required="table")
    document = document_of({"id": body.get("id"), "table": body["table"], "mentions": []})
    assert document.table is not None
    refuse_more(sum(map(len, document.table.rows)), settings.max_mentions, "cells")
    refuse_more(_characters(document), settings.max_characters, "characters")
    context = "table" if body.get("context") is None else body["context"]
    if type(context) is not str:
        raise OptionError(f'"context" is no string; expected one of {", ".join(CONTEXTS)}', where="/context")
    linked = linker.link_table(
        document.table,
        columns=_columns(body.get("columns")),
        context=context,
        only_types=_only_types(body.get("only_types")),
        id=document.id,
    ).to_dict()
    if query.types:
        _add_types(linked["mentions"], kb)
    return json_response(linked)


def _columns(given: Any) -> list[str | int] | None:
    if given is None or (type(given) is list and all(type(column) in (str, int) for column in given)):
        return given
    raise OptionError('"columns" is no list of names; expected names of columns, or numbers from 0', where="/columns")


def _only_types(given: Any) -> dict[str | int, list[str]] | None:
    if given is None:
        return None
    if type(given) is dict and all(
        type(types) is list and all(type(each) is str for each in types) for types in given.values()
    ):
        return given
    raise OptionError('"only_types" is not {column: [types]}; expected lists of types by column', where="/only_types")


def _explained(content: bytes, linker: Linker, settings: ServiceSettings) -> Response:
    body = parse_json(content)
    refuse_other_fields(body, ("document", "mention"), required="document")
    number = body.get("mention", 0)
    if type(number) is not int or number < 0:
        raise OptionError('"mention" is no whole number; expected 0 for the first', where="/mention")
    document = _checked(body["document"], linker)
    refuse_more(_mentions(document), settings.max_mentions, "mentions")
    refuse_more(_characters(document), settings.max_characters, "characters")
    explainer = linker.explainer([document])
    there = int(explainer.batch.shown.sum())
    if number >= there:
        raise OptionError(f"there is no mention {number}, the document has {there}; the first is 0", where="/mention")
    candidates = [candidate.to_dict() for candidate in explainer.candidates(number)]
    return json_response({"mention": number, **explainer.explain(number).to_dict(), "candidates": candidates})


def refuse_other_fields(body: Any, known: tuple[str, ...], *, required: str) -> None:
    """Refuse a body that is no object, lacks a field, or has one that would be ignored."""
    listed = ", ".join(f'"{name}"' for name in known)
    if type(body) is not dict:
        raise DocumentError(f"the body is no object; expected one with {listed}")
    if body.get(required) is None:
        raise DocumentError(f'the body has no "{required}"; expected an object with {listed}')
    for name in body:
        if name not in known:
            raise DocumentError(f'the body has the field "{name[:40]}"; expected {listed}')
