"""The routes of reconciliation: /reconcile for the first KB, /reconcile/{name} for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from eigenthemes.service.origins import frame_ancestors
from eigenthemes.service.problems import Problem
from eigenthemes.service.reconcile import described, pages
from eigenthemes.service.reconcile.asked import asked_of
from eigenthemes.service.reconcile.documents import CONTEXTS
from eigenthemes.service.reconcile.extend import TOO_MANY, extend
from eigenthemes.service.reconcile.manifest import manifest
from eigenthemes.service.reconcile.places import Places, readings_of_id, type_asked
from eigenthemes.service.reconcile.properties import properties_of, proposed_properties
from eigenthemes.service.reconcile.queries import parse_batch, parse_query
from eigenthemes.service.reconcile.reconciler import Reconciler
from eigenthemes.service.reconcile.suggest import KINDS, suggest
from eigenthemes.service.reconcile.types import types_of
from eigenthemes.service.reconcile.why import Why, why
from eigenthemes.service.requests import json_response
from eigenthemes.service.served import ServedKB, ServedKBs
from eigenthemes.service.settings import ServiceSettings

_MOST_PROPOSED = 200


def router(served: ServedKBs, settings: ServiceSettings) -> APIRouter:
    """Return the routes of the reconciliation API."""
    service = _Service(served, settings)
    routes = APIRouter(tags=["reconciliation"])
    for method in ("GET", "POST"):
        for path, name in (("/reconcile", "first"), ("/reconcile/{name}", "named")):
            how = described.endpoint(method, named=name == "named")
            routes.add_api_route(path, service.endpoint, methods=[method], name=f"reconcile_{name}_{method.lower()}", **how)
    for part, handle, how in (
        ("suggest/{kind}", service.suggest, described.SUGGEST),
        ("flyout/{kind}", service.flyout, described.FLYOUT),
        ("preview", service.preview, described.PAGE),
        ("view", service.view, described.PAGE),
        ("properties", service.properties, described.PROPERTIES),
    ):
        routes.add_api_route(f"/reconcile/{{name}}/{part}", handle, methods=["GET"], **how)
    return routes


class _Service:
    """What the routes do. Each KB has one reconciler, until it is replaced."""

    def __init__(self, served: ServedKBs, settings: ServiceSettings) -> None:
        self._served, self._settings = served, settings
        self._has_token = settings.token is not None
        self._reconcilers: dict[str, tuple[ServedKB, Reconciler]] = {}

    def _reconciler(self, request: Request) -> tuple[Reconciler, Places]:
        kb = self._served.get(request.path_params.get("name"))
        known = self._reconcilers.get(kb.name)
        if known is None or known[0] is not kb:
            known = self._reconcilers[kb.name] = kb, Reconciler(kb.linker(), context=self._settings.context)
        token = request.query_params.get("token") if self._has_token else None
        return known[1], Places(str(request.base_url).rstrip("/"), kb.name, token)

    async def endpoint(self, request: Request) -> Response:
        """Answer queries and extensions; whoever asks for nothing gets the manifest."""
        reconciler, places = self._reconciler(request)
        asked = await asked_of(request)
        if not asked:
            return json_response(await self._served.run(manifest, reconciler.kb, places))
        if "extend" in asked:
            return json_response(await self._served.run(extend, reconciler.kb, asked["extend"]))
        return json_response(await self._served.run(self._answer, reconciler, asked, request.query_params.get("context")))

    def _answer(self, reconciler: Reconciler, asked: dict[str, Any], context: str | None) -> dict[str, Any]:
        if context is not None and context not in CONTEXTS:
            raise Problem(422, "option", f"context is {context[:40]!r}; expected one of {', '.join(CONTEXTS)}", "context")
        if "queries" not in asked:
            return reconciler.answer({"query": parse_query(asked["query"])}, context=context)["query"]
        most, given = self._settings.max_documents, asked["queries"]
        if isinstance(given, dict) and len(given) > most:
            raise Problem(413, TOO_MANY, f"the batch has {len(given):,} queries; send at most {most:,} at once", "queries")
        return reconciler.answer(parse_batch(given), context=context)

    async def suggest(self, request: Request) -> Response:
        """Suggest entities, types or properties by the beginning of a name."""
        reconciler, _ = self._reconciler(request)
        cursor = request.query_params.get("cursor", "")
        number = int(cursor) if cursor.isascii() and cursor.isdecimal() and len(cursor) < 10 else 0
        prefix = request.query_params.get("prefix", "")[:200]
        return json_response(await self._served.run(_suggested, reconciler, _kind_of(request), prefix, number))

    async def flyout(self, request: Request) -> Response:
        """Return some HTML about a suggestion."""
        reconciler, _ = self._reconciler(request)
        given = next(iter(readings_of_id(request.url.query)), "")
        html = await self._served.run(_flyout, reconciler, _kind_of(request), request.url.query)
        return json_response({"id": given, "html": html})

    async def preview(self, request: Request) -> Response:
        """Return a small page about a candidate."""
        return await self._page(request, lambda reconciler, id, why, places: pages.preview_page(reconciler.kb, id, why))

    async def view(self, request: Request) -> Response:
        """Return a page with all that the KB holds of an entity."""
        return await self._page(request, lambda reconciler, id, why, places: pages.view_page(reconciler.kb, id, why, places))

    async def _page(self, request: Request, make: Callable[[Reconciler, str, Why | None, Places], str]) -> Response:
        reconciler, places = self._reconciler(request)
        readings = readings_of_id(request.url.query)
        headers = pages.headers(frame_ancestors(has_token=self._has_token))
        entity_id = _entity_of(reconciler, readings)
        if entity_id is None:
            return HTMLResponse(pages.missing_page(next(iter(readings), "")), 404, headers)
        page = await self._served.run(lambda: make(reconciler, entity_id, why(reconciler, entity_id), places))
        return HTMLResponse(page, 200, headers)

    async def properties(self, request: Request) -> Response:
        """Propose properties that entities of a type have."""
        reconciler, _ = self._reconciler(request)
        given = request.query_params
        type_id, limit = type_asked(given.get("type"), given.get("of")), given.get("limit", "")
        most = int(limit) if limit.isascii() and limit.isdecimal() and len(limit) < 10 else _MOST_PROPOSED
        return json_response(await self._served.run(_proposed, reconciler, type_id or "", min(most, _MOST_PROPOSED)))


def _suggested(reconciler: Reconciler, kind: str, prefix: str, cursor: int) -> dict[str, Any]:
    return suggest(reconciler.linker, kind, prefix, cursor=cursor)


def _flyout(reconciler: Reconciler, kind: str, query_string: str) -> str:
    kb, readings = reconciler.kb, readings_of_id(query_string)
    if kind == "entity":
        entity_id = _entity_of(reconciler, readings)
        return "" if entity_id is None else pages.flyout(kb, entity_id)
    known = types_of(kb) if kind == "type" else properties_of(kb)
    return pages.flyout_of(next((known[each] for each in readings if each in known), None))


def _proposed(reconciler: Reconciler, type_id: str, most: int) -> dict[str, Any]:
    named = proposed_properties(reconciler.kb, type_id)[:most]
    properties = [{"id": each.id, "name": each.name, "description": each.description} for each in named]
    return {"properties": properties, "type": type_id, "limit": most}


def _entity_of(reconciler: Reconciler, readings: list[str]) -> str | None:
    """Return the id of the entity that an id means, if there is one."""
    indices = (reconciler.kb.index_of(each) for each in readings)
    return next((reconciler.kb.id_of(index) for index in indices if index is not None), None)


def _kind_of(request: Request) -> str:
    kind: str = request.path_params["kind"]
    if kind not in KINDS:
        raise Problem(
            404, "kind-unknown", f"there is nothing to suggest of the kind {kind[:40]!r}; expected one of {', '.join(KINDS)}"
        )
    return kind
