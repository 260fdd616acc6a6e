"""What a request to the endpoint asks: JSON or a form, in the body or in the URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request

from eigenthemes.service.problems import Problem
from eigenthemes.service.requests import parse_json

FIELDS = ("queries", "query", "extend")
_FORM = "application/x-www-form-urlencoded"


async def asked_of(request: Request) -> dict[str, Any]:
    """Return the fields of FIELDS that a request has, parsed; none of them: it asks for the manifest."""
    if "callback" in request.query_params:
        raise Problem(
            400,
            "jsonp",
            "JSONP, which any web page could read, is not supported; leave callback out: local pages may read answers",
            "callback",
        )
    body = await request.body() if request.method == "POST" else b""
    if not body:
        return _parsed({name: request.query_params[name] for name in FIELDS if name in request.query_params})
    kind = request.headers.get("content-type", _FORM).partition(";")[0].strip().lower()
    if kind == "application/json":
        return _of_json(parse_json(body))
    if kind != _FORM:
        raise Problem(415, "not-a-form", f"the body is of the type {kind[:60]!r}; send a form ({_FORM}), or application/json")
    return _parsed(_form(body))


def _form(body: bytes) -> dict[str, str]:
    try:
        fields = parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=100, errors="strict")
    except ValueError:  # UnicodeDecodeError is one, too
        raise Problem(400, "form", "the body is no form in UTF-8; send queries={...}, percent-encoded") from None
    return {name: values[-1] for name, values in fields.items() if name in FIELDS}


def _of_json(body: Any) -> dict[str, Any]:
    """Return the fields of a JSON body; one that has none of them is a batch itself, one with a name a query itself."""
    if not isinstance(body, Mapping):
        return {"queries": body}
    if isinstance(body.get("query"), str):
        return {"query": body}
    fields = {name: body[name] for name in FIELDS if name in body}
    return fields or {"queries": body}


def _parsed(fields: Mapping[str, str]) -> dict[str, Any]:
    """Parse the JSON in the fields of a form; a single query may be a mere name."""
    parsed: dict[str, Any] = {}
    for name, text in fields.items():
        if name == "query" and not text.lstrip().startswith("{"):
            parsed[name] = {"query": text}
            continue
        try:
            parsed[name] = parse_json(text.encode("utf-8", "replace"))
        except Problem as problem:
            raise Problem(400, "json", problem.detail.replace("the body", name, 1), name) from None
    return parsed
