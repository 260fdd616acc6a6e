"""JSON in and out: bodies parsed and answers written by orjson."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from eigenthemes.errors import DocumentError
from eigenthemes.service.problems import Problem

LARGE_BODY = 64 << 10  # bytes of a body that is parsed in a thread


class JSONRequest(Request):
    """A request with a body of JSON."""

    async def json(self) -> Any:
        """Return the body as Python objects; invalid JSON is a `Problem`."""
        body = await self.body()
        return await run_in_threadpool(parse_json, body) if len(body) > LARGE_BODY else parse_json(body)


class JSONRoute(APIRoute):
    """A route that refuses repeated parameters and bodies that are not JSON.

    Web pages can send other types of content anywhere without a preflight request.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of FastAPI, behind these checks."""
        handle = super().get_route_handler()

        async def handle_json(request: Request) -> Response:
            if request.scope["query_string"]:
                items = request.query_params.multi_items()
                if len(dict(items)) < len(items):
                    raise Problem(422, "option", "a parameter is given more than once; give each once")
            json_request = JSONRequest(request.scope, request.receive)
            if self.body_field is not None:
                _check_content(request)
                if not await json_request.body():
                    raise Problem(400, "json", "the body is empty; send JSON")
            return await handle(json_request)

        return handle_json


def _check_content(request: Request) -> None:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        content = f"the body is of the type {kind[:60]!r}" if kind else "the body has no type"
        raise Problem(415, "not-json", f"{content}; send JSON, with the header Content-Type: application/json")
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.lower() != "identity":
        raise Problem(415, "encoded", f"the body is encoded as {encoding[:40]!r}; send it without encoding", "Content-Encoding")


def parse_json(body: bytes) -> Any:
    """Parse JSON; raise a `Problem` if it is invalid."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        if not body.strip():
            raise Problem(400, "json", "the body is empty; send JSON") from None
        raise Problem(400, "json", f"the body is no JSON at character {error.pos + 1} ({error.msg}); send valid JSON") from None


def json_response(content: Any) -> Response:
    """Answer with JSON."""
    try:
        return Response(orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS), media_type="application/json")
    except TypeError as error:  # orjson writes fewer levels than it reads
        raise DocumentError(f"the answer cannot be written as JSON ({error}); simplify the document's other fields") from None
