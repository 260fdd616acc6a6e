"""What requests bring: bodies of JSON, query strings; and answers as JSON."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import orjson
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from eigenthemes.errors import DocumentError
from eigenthemes.service.problems import Problem


class PlainRoute(APIRoute):
    """A route whose endpoint takes the request and what the path holds, and returns a response: nothing is left to validate."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        endpoint: Callable[..., Coroutine[Any, Any, Response]] = self.endpoint

        async def handle(request: Request) -> Response:
            return await endpoint(request, **request.path_params)

        return handle


async def content_of(request: Request) -> bytes:
    """Return the body of a request that says it is JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        found = f"the body is of the type {kind[:60]!r}" if kind else "the body is of no type"
        raise Problem(415, "not-json", f"{found}; send JSON, with the header Content-Type: application/json")
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.lower() != "identity":
        raise Problem(415, "encoded", f"the body is encoded as {encoding[:40]!r}; send it as it is", "Content-Encoding")
    return await request.body()


async def json_of(request: Request) -> Any:
    """Return the body of a request as Python objects."""
    return parse_json(await content_of(request))


def parse_json(body: bytes) -> Any:
    """Parse JSON; what is none is the sender's to mend."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        if not body.strip():
            raise Problem(400, "json", "the body is empty; send JSON") from None
        raise Problem(400, "json", f"the body is no JSON at character {error.pos + 1} ({error.msg}); send valid JSON") from None


def query_of(request: Request) -> dict[str, str]:
    """Return the query string; a parameter that comes twice is refused."""
    if not request.scope["query_string"]:
        return {}
    items = request.query_params.multi_items()
    given = dict(items)
    if len(given) < len(items):
        raise Problem(422, "option", "a parameter is given more than once; give each once")
    return given


def json_response(content: Any, status: int = 200) -> Response:
    """Answer with JSON."""
    try:
        return Response(orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS), status, media_type="application/json")
    except TypeError as error:  # orjson admits fewer levels when it writes than when it reads
        raise DocumentError(f"the answer cannot be written as JSON ({error}); simplify the document's other fields") from None
