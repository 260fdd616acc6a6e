"""The routes of reconciliation: /reconcile for the first KB, /reconcile/{name} for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from eigenthemes.kb.store import KB
from eigenthemes.linker import LinkOptions
from eigenthemes.service.json_http import TOO_MANY, Problem, json_response, parse_json
from eigenthemes.service.reconcile import entity_pages as pages
from eigenthemes.service.reconcile.properties import (
    extend,
    number_of,
    properties_of,
    proposed_properties,
    type_records,
    types_of,
)
from eigenthemes.service.reconcile.queries import MOST_CANDIDATES, parse_batch
from eigenthemes.service.reconcile.reconciler import Reconciler
from eigenthemes.service.reconcile.service_manifest import ServiceURLs, manifest, readings_of_id, suggest
from eigenthemes.service.served import ServedKB, ServedKBs
from eigenthemes.service.settings import ServiceSettings

_FORM = "application/x-www-form-urlencoded"
_FIELDS = ("queries", "query", "extend")
_MAX_FIELDS = 100
_MAX_PROPOSED = 200
_OPTIONS = LinkOptions(top=MOST_CANDIDATES)
_LOCAL_FRAMES = "'self' http://127.0.0.1:* http://localhost:*"  # a policy has no form for IPv6 addresses
_BATCH = '{"q0": {"query": "Paris", "type": "City", "limit": 3}}'
_EXTENSION = '{"ids": ["Q90"], "properties": [{"id": "country"}]}'
_FORM_FIELDS = {"queries": _BATCH, "query": "Paris", "extend": _EXTENSION}
_BODY = {
    "requestBody": {
        "required": False,
        "content": {
            _FORM: {
                "schema": {
                    "type": "object",
                    "properties": {name: {"type": "string", "example": example} for name, example in _FORM_FIELDS.items()},
                },
                "example": {"queries": _BATCH},
            },
            "application/json": {"schema": {"type": "object"}, "example": {"queries": {"q0": {"query": "Paris"}}}},
        },
    }
}

Name = Annotated[str, Path(description="name of the KB", examples=["places"])]
Kind = Annotated[Literal["entity", "type", "property"], Path(description="what is suggested", examples=["entity"])]
Queries = Annotated[str | None, Query(description="a batch of queries, as JSON", examples=[_BATCH])]
OneQuery = Annotated[str | None, Query(description="one query: a name, or a query as JSON", examples=["Paris"])]
Extension = Annotated[str | None, Query(description="entities and properties, as JSON", examples=[_EXTENSION])]
Context = Annotated[Literal["column", "row", "none"] | None, Query(description="rows decided together", examples=["row"])]
EntityID = Annotated[str | None, Query(alias="id", description="id of an entity, the last parameter", examples=["Q90"])]


def router(served: ServedKBs, settings: ServiceSettings) -> APIRouter:
    """Return the routes of the reconciliation API."""
    routes = APIRouter(tags=["reconciliation"])
    has_token = settings.token is not None
    reconcilers: dict[str, tuple[ServedKB, Reconciler]] = {}

    def open_reconciler(request: Request) -> tuple[Reconciler, ServiceURLs]:
        """Return the reconciler of the KB in the path, opened again if the KB was replaced."""
        kb = served.get(request.path_params.get("name"))
        if kb.name not in reconcilers or reconcilers[kb.name][0] is not kb:
            reconcilers[kb.name] = kb, Reconciler(kb.linker(_OPTIONS), context=settings.context)
        token = request.state.token if has_token else None
        return reconcilers[kb.name][1], ServiceURLs(str(request.base_url).rstrip("/"), kb.name, token)

    async def answer(request: Request, context: str | None) -> Response:
        """Answer queries or an extension; without either, return the manifest."""
        reconciler, urls = open_reconciler(request)
        fields = await _read_fields(request)
        if not fields:
            return json_response(await served.run(manifest, reconciler.kb, urls))
        if "extend" in fields:
            return json_response(await served.run(extend, reconciler.kb, fields["extend"]))
        return json_response(await served.run(_answer_queries, reconciler, fields, context, settings.max_documents))

    @routes.get("/reconcile", response_model=dict[str, Any])
    @routes.get("/reconcile/{name}", response_model=dict[str, Any])
    async def reconcile(
        request: Request, queries: Queries = None, query: OneQuery = None, extend: Extension = None, context: Context = None
    ) -> Response:
        """Answer queries and extensions; without any, return the manifest."""
        return await answer(request, context)

    @routes.post("/reconcile", response_model=dict[str, Any], openapi_extra=_BODY)
    @routes.post("/reconcile/{name}", response_model=dict[str, Any], openapi_extra=_BODY)
    async def reconcile_posted(request: Request, context: Context = None) -> Response:
        """Answer queries and extensions in the body; without any, return the manifest."""
        return await answer(request, context)

    @routes.get("/reconcile/{name}/suggest/{kind}", response_model=dict[str, Any])
    async def suggest_names(
        request: Request,
        name: Name,
        kind: Kind,
        prefix: Annotated[str, Query(description="beginning of a name", examples=["Par"])] = "",
        cursor: Annotated[str, Query(description="number of the first suggestion", examples=["10"])] = "",
    ) -> Response:
        """Suggest entities, types or properties by the beginning of a name."""
        reconciler, _ = open_reconciler(request)
        return json_response(await served.run(suggest, reconciler.linker, kind, prefix[:200], number_of(cursor, 0)))

    @routes.get("/reconcile/{name}/flyout/{kind}", response_model=dict[str, Any])
    async def flyout(request: Request, name: Name, kind: Kind, entity_id: EntityID = None) -> Response:
        """Return some HTML about a suggestion."""
        reconciler, _ = open_reconciler(request)
        readings = readings_of_id(request.url.query)
        html = await served.run(_flyout, reconciler, kind, readings)
        return json_response({"id": next(iter(readings), ""), "html": html})

    async def entity_page(request: Request, make: Callable[[Reconciler, str, ServiceURLs], str]) -> Response:
        """Return the page that `make` makes of the entity in the query, or one that says it is missing."""
        reconciler, urls = open_reconciler(request)
        readings = readings_of_id(request.url.query)
        headers = pages.headers("*" if has_token else _LOCAL_FRAMES)
        index = _index_of(reconciler.kb, readings)
        if index is None:
            return HTMLResponse(pages.missing_page(next(iter(readings), "")), 404, headers)
        return HTMLResponse(await served.run(make, reconciler, reconciler.kb.id_of(index), urls), 200, headers)

    @routes.get("/reconcile/{name}/preview", response_class=HTMLResponse)
    async def preview(request: Request, name: Name, entity_id: EntityID = None) -> Response:
        """Return a small page about a candidate."""
        return await entity_page(request, pages.preview_page)

    @routes.get("/reconcile/{name}/view", response_class=HTMLResponse)
    async def view(request: Request, name: Name, entity_id: EntityID = None) -> Response:
        """Return the full page of an entity."""
        return await entity_page(request, pages.view_page)

    @routes.get("/reconcile/{name}/properties", response_model=dict[str, Any])
    async def properties(
        request: Request,
        name: Name,
        type: Annotated[str | None, Query(description="type of the entities", examples=["City"])] = None,
        limit: Annotated[str, Query(description="most properties", examples=["20"])] = "",
        of: Annotated[str | None, Query(description="?type=TYPE, after a token", examples=["?type=City"])] = None,
    ) -> Response:
        """Propose properties of entities of a type."""
        reconciler, _ = open_reconciler(request)
        most = min(number_of(limit, _MAX_PROPOSED), _MAX_PROPOSED)
        wanted = type if of is None else of.removeprefix("?").removeprefix("type=")  # see `ServiceURLs.proposals`
        return json_response(await served.run(_proposed, reconciler, wanted or "", most))

    return routes


# requests


async def _read_fields(request: Request) -> dict[str, Any]:
    """Return the fields of a request that are in `_FIELDS`, parsed: of a JSON body, a form, or the URL."""
    if "callback" in request.query_params:
        sentence = "JSONP, which any web page could read, is not supported; leave callback out: local pages may read answers"
        raise Problem(400, "jsonp", sentence, "callback")
    body = await request.body() if request.method == "POST" else b""
    if not body:
        return _parse_fields({name: request.query_params[name] for name in _FIELDS if name in request.query_params})
    kind = request.headers.get("content-type", _FORM).partition(";")[0].strip().lower()
    if kind == "application/json":
        return _json_fields(parse_json(body))
    if kind != _FORM:
        raise Problem(415, "not-a-form", f"the body is of the type {kind[:60]!r}; send a form ({_FORM}), or application/json")
    try:
        form = parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=_MAX_FIELDS, errors="strict")
    except ValueError:
        raise Problem(400, "form", "the body is no form in UTF-8; send queries={...}, percent-encoded") from None
    return _parse_fields({name: values[-1] for name, values in form.items() if name in _FIELDS})


def _json_fields(body: Any) -> dict[str, Any]:
    """Return the fields of a JSON body: an object with fields, a batch of queries, or one query."""
    if not isinstance(body, Mapping):
        return {"queries": body}
    if isinstance(body.get("query"), str):
        return {"query": body}
    fields = {name: body[name] for name in _FIELDS if name in body}
    return fields or {"queries": body}


def _parse_fields(fields: Mapping[str, str]) -> dict[str, Any]:
    """Parse the JSON in form fields; one query may be a name."""
    parsed: dict[str, Any] = {}
    for name, text in fields.items():
        if name == "query" and not text.lstrip().startswith("{"):
            parsed[name] = {"query": text}
            continue
        try:
            parsed[name] = parse_json(text.encode("utf-8", "replace"))
        except Problem as problem:
            raise Problem(400, "json", str(problem.detail).replace("the body", name, 1), name) from None
    return parsed


# answers


def _answer_queries(reconciler: Reconciler, fields: dict[str, Any], context: str | None, most: int) -> dict[str, Any]:
    if "query" in fields:
        return reconciler.answer(parse_batch({"query": fields["query"]}), context=context)["query"]
    batch = fields["queries"]
    if isinstance(batch, dict) and len(batch) > most:
        raise Problem(413, TOO_MANY, f"the batch has {len(batch):,} queries; send at most {most:,} at once", "queries")
    return reconciler.answer(parse_batch(batch), context=context)


def _flyout(reconciler: Reconciler, kind: str, readings: list[str]) -> str:
    kb = reconciler.kb
    if kind == "entity":
        index = _index_of(kb, readings)
        if index is None:
            return ""
        types, names = (each["name"] for each in type_records(kb, index)), kb.names_of(index)[1 : 1 + pages.MOST_NAMES]
        return pages.flyout(kb.label_of(index), kb.id_of(index), kb.description_of(index), ", ".join(types), ", ".join(names))
    known = types_of(kb) if kind == "type" else properties_of(kb)
    thing = next((known[each] for each in readings if each in known), None)
    return "" if thing is None else pages.flyout(thing.name, thing.id, thing.description)


def _proposed(reconciler: Reconciler, type_id: str, most: int) -> dict[str, Any]:
    properties = [each._asdict() for each in proposed_properties(reconciler.kb, type_id)[:most]]
    return {"properties": properties, "type": type_id, "limit": most}


def _index_of(kb: KB, readings: list[str]) -> int | None:
    """Return the index of the first of some ids that the KB has."""
    return next((index for each in readings if (index := kb.index_of(each)) is not None), None)
