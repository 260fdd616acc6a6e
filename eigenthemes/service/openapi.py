"""The routes as OpenAPI describes them: what each takes, what it answers, and an example of all of it."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import PlainTextResponse

from eigenthemes.ranking.methods import METHODS
from eigenthemes.service.options import MOST_SHOWN
from eigenthemes.service.problems import MEDIA_TYPE
from eigenthemes.service.schemas import SCHEMAS, Schema, ref
from eigenthemes.text.stems import STEMMERS

_TEXT = "Michael Jordan played for the Chicago Bulls."
_DOCUMENT: Schema = {"id": "doc-1", "text": _TEXT}
_GOLD: Schema = {**_DOCUMENT, "mentions": [{"start": 0, "end": 14, "text": "Michael Jordan", "gold": "Q41421"}]}
_ABOUT = {
    400: "The body is no JSON",
    401: "The token is missing or wrong",
    403: "The request comes from a page elsewhere",
    404: "There is no such thing",
    408: "The request came too slowly",
    413: "The body is too large",
    415: "The body is not JSON",
    421: "The service was called by a name it does not know",
    422: "The request cannot be done as asked",
    500: "A fault of the service",
    501: "A package that the method needs is not installed",
    503: "The service is starting, has too much to do, or takes too long: try again",
}
_ALWAYS = (401, 421, 500, 503)
_POSTED = (400, 403, 408, 413, 415, 422)


def _route(
    answer: Schema, *, parameters: list[Schema] | None = None, body: Schema | None = None, also: tuple[int, ...] = ()
) -> dict[str, Any]:
    """Return the arguments of a route's decorator."""
    statuses = sorted({*_ALWAYS, *also, *(_POSTED if body else ())})
    problem = {MEDIA_TYPE: {"schema": ref("Problem")}}
    responses: dict[int, Any] = {status: {"description": _ABOUT[status], "content": problem} for status in statuses}
    extra: dict[str, Any] = {"parameters": parameters} if parameters else {}
    if body:
        extra["requestBody"] = {"required": True, "content": {"application/json": body}}
    good = {"description": "Done", "content": {"application/json": {"schema": answer}}}
    return {"response_model": None, "responses": {200: good, **responses}, "openapi_extra": extra}


def _query(name: str, schema: Schema, example: Any, about: str, *, required: bool = False) -> Schema:
    return {"name": name, "in": "query", "required": required, "schema": schema, "example": example, "description": about}


def _count(name: str, default: int, most: int, about: str) -> Schema:
    return _query(name, {"type": "integer", "minimum": 1, "maximum": most, "default": default}, default, about)


def _flag(name: str, default: bool, about: str) -> Schema:
    return _query(name, {"type": "boolean", "default": default}, default, about)


_KB = _query("kb", {"type": "string"}, "places", "which KB, where several are served; the first by default")
_NAME = _query("q", {"type": "string", "maxLength": 1_000}, "Michael Jordan", "the name", required=True)
_NEIGHBORS = _count("neighbors", 10, 1_000, "neighbours of each relation")
_ID = _query("id", {"type": "string"}, "Q41421", "the entity's id", required=True)
_TYPE = _query("type", {"type": "string"}, "human", "only entities of this type: its id, the end of that, or its label")
_OPTIONS = [
    _KB,
    _query(
        "method", {"type": "string", "enum": list(METHODS)}, "selftrained", "how candidates are ranked; by default the best"
    ),
    _query(
        "threshold", {"type": "number", "minimum": 0, "maximum": 1}, 0.5, "least probability of a link; by default the KB's"
    ),
    _flag("nil", True, "false: always link"),
    _count("top", 3, MOST_SHOWN, "candidates in each ranking"),
    _flag("explain", False, "say why, for each link"),
    _query("k", {"type": "integer", "minimum": 1, "maximum": 10_000}, 10, "eigen: how many eigenthemes"),
    _flag("nested", False, "find names within names, too"),
    _query("lang", {"type": "string", "enum": list(STEMMERS)}, "de", "language of the text; by default guessed"),
    _flag("map", False, "add the map of the document's candidates"),
    _flag("types", False, "add the types of entities, in words"),
]
_ONE_OR_MANY = {
    "anyOf": [{"type": "string"}, ref("Document"), {"type": "array", "items": {"anyOf": [{"type": "string"}, ref("Document")]}}]
}
_LINKED = {"anyOf": [ref("LinkedDocument"), {"type": "array", "items": ref("LinkedDocument")}]}
_EXAMPLES = {
    "one": {"value": _DOCUMENT},
    "text": {"value": _TEXT},
    "many": {"value": [_DOCUMENT, {"mentions": [{"text": "Science"}]}]},
}

LINK = _route(_LINKED, parameters=_OPTIONS, body={"schema": _ONE_OR_MANY, "examples": _EXAMPLES}, also=(404, 501))
LINK_TABLE = _route(
    ref("LinkedTable"),
    parameters=_OPTIONS,
    body={"schema": ref("TableRequest"), "example": SCHEMAS["TableRequest"]["examples"][0]},
    also=(404, 501),
)
EXPLAIN = _route(
    ref("MentionExplanation"),
    parameters=_OPTIONS,
    body={"schema": ref("ExplainRequest"), "example": {"document": _TEXT, "mention": 0}},
    also=(404, 501),
)
CANDIDATES = _route(
    {"type": "array", "items": ref("Candidate")},
    parameters=[_KB, _NAME, _count("top", 20, MOST_SHOWN, "how many at most")],
    also=(404, 422),
)
SEARCH = _route(
    {"type": "array", "items": ref("Suggestion")},
    parameters=[_KB, _NAME, _count("top", 10, MOST_SHOWN, "how many at most"), _TYPE],
    also=(404, 422),
)
ENTITY = _route(ref("Entity"), parameters=[_KB, _NEIGHBORS], also=(404, 422))
ENTITY_BY_QUERY = _route(ref("Entity"), parameters=[_KB, _ID, _NEIGHBORS], also=(404, 422))
INFO = _route(ref("Info"))
HEALTH = _route(ref("Health"))
RELOAD = _route(ref("Reloaded"), also=(400, 403, 408, 413))
CORRECTIONS = _route(
    ref("Stored"),
    parameters=[_KB],
    body={"schema": {"anyOf": [ref("Document"), {"type": "array", "items": ref("Document")}]}, "example": _GOLD},
    also=(404,),
)
COUNT_CORRECTIONS = _route(ref("CorrectionCount"), parameters=[_KB], also=(404, 422))
METRICS = _route({})
METRICS["response_class"] = PlainTextResponse
METRICS["responses"][200] = {
    "description": "What all processes have counted, as Prometheus reads it",
    "content": {"text/plain": {"schema": {"type": "string", "examples": ["eigenthemes_ready 2\n"]}}},
}


def describe(app: FastAPI) -> None:
    """Let the app describe itself with the schemas of its records."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
            components = schema.setdefault("components", {})
            components["schemas"] = {**SCHEMAS, **components.get("schemas", {})}
            components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
