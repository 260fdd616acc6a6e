"""The routes of reconciliation as OpenAPI describes them."""

from __future__ import annotations

from typing import Any

from starlette.responses import HTMLResponse

from eigenthemes.service.problems import MEDIA_TYPE
from eigenthemes.service.reconcile.documents import CONTEXTS
from eigenthemes.service.reconcile.suggest import KINDS
from eigenthemes.service.schemas import Schema, ref

FORM = "application/x-www-form-urlencoded"
_ABOUT = {
    400: "What was sent is no form or JSON, or JSONP is asked for",
    401: "The token is missing or wrong",
    403: "The request comes from a page of another machine",
    404: "There is no such KB, entity or kind",
    408: "The request came too slowly",
    413: "Too much at once",
    415: "The body is neither a form nor JSON",
    421: "The service was called by a name it does not know",
    422: "The queries cannot be answered as asked",
    500: "A fault of the service",
    503: "The service is starting, has too much to do, or takes too long: try again",
}
_ALWAYS = (401, 403, 404, 421, 500, 503)
_POSTED = (408, 415)
_ASKED = (400, 413, 422)


def _text(name: str, example: str, about: str, **more: Any) -> Schema:
    return {"name": name, "in": "query", "schema": {"type": "string", **more}, "example": example, "description": about}


def _in_path(name: str, example: str, **more: Any) -> Schema:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string", **more}, "example": example}


_BATCH = '{"q0": {"query": "Paris", "type": "City", "limit": 3}}'
_EXTENSION = '{"ids": ["Q90"], "properties": [{"id": "country"}]}'
_QUERIES = _text("queries", _BATCH, "a batch of queries, as JSON")
_QUERY = _text("query", "Paris", "a single query: a name, or a query as JSON")
_EXTEND = _text("extend", _EXTENSION, "whose properties are wanted, as JSON")
_CONTEXT = _text("context", "row", "which rows of a batch are decided together", enum=list(CONTEXTS))
_ID = _text("id", "Q90", "the id of an entity; it comes last")
_KIND = _in_path("kind", "entity", enum=list(KINDS))
_NAME = _in_path("name", "places")
_BODIES = {
    FORM: {
        "schema": {
            "type": "object",
            "properties": {
                each["name"]: {"type": "string", "example": each["example"]} for each in (_QUERIES, _QUERY, _EXTEND)
            },
        },
        "example": {"queries": _BATCH},
    },
    "application/json": {"schema": {"type": "object"}, "example": {"queries": {"q0": {"query": "Paris"}}}},
}


def _route(
    parameters: list[Schema], *, statuses: tuple[int, ...] = (), html: bool = False, body: bool = False
) -> dict[str, Any]:
    """Return the arguments of a route."""
    problem = {MEDIA_TYPE: {"schema": ref("Problem")}}
    responses: dict[int, Any] = {
        status: {"description": _ABOUT[status], "content": problem} for status in sorted({*_ALWAYS, *statuses})
    }
    kind = "text/html" if html else "application/json"
    content = {kind: {"schema": {"type": "string" if html else "object"}}}
    if html:
        responses[404] = {"description": _ABOUT[404], "content": content | problem}
    extra: dict[str, Any] = {"parameters": parameters}
    if body:
        extra["requestBody"] = {"required": False, "content": _BODIES}
    described = {
        "response_model": None,
        "responses": {200: {"description": "Done", "content": content}, **responses},
        "openapi_extra": extra,
    }
    return described | ({"response_class": HTMLResponse} if html else {})


def endpoint(method: str, *, named: bool) -> dict[str, Any]:
    """Return the arguments of the endpoint itself, with the name of a KB in its path or without."""
    parameters = [*([_NAME] if named else []), _QUERIES, _QUERY, _EXTEND, _CONTEXT]
    posted = method == "POST"
    return _route(parameters, statuses=_ASKED + (_POSTED if posted else ()), body=posted)


SUGGEST = _route([_NAME, _KIND, _text("prefix", "Par", "how its name begins"), _text("cursor", "10", "from which number on")])
FLYOUT = _route([_NAME, _KIND, _ID])
PAGE = _route([_NAME, _ID], html=True)
PROPERTIES = _route([_NAME, _text("type", "City", "of the entities that are to have them"), _text("limit", "20", "how many")])
