"""JSON in and out: bodies parsed and answers written by orjson, and errors as problem JSON (RFC 9457).

This is the one place where errors get their HTTP status.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine, Mapping
from http import HTTPStatus
from typing import Any, TypeVar

import orjson
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from eigenthemes.errors import (
    DocumentError,
    EigenthemesError,
    KBError,
    MissingExtraError,
    OptionError,
    VectorError,
    WorkerError,
)

Parsed = TypeVar("Parsed")
Result = TypeVar("Result")

MEDIA_TYPE = "application/problem+json"
TOO_MANY = "batch-too-large"  # code of an error with status 413
LARGE_BODY = 64 << 10  # bytes of a body that is parsed in a thread
_MAX_LENGTH = 600  # characters of a sentence in an answer: it may repeat what was sent

# document 3: mention 0: "start" is ...
_PLACE = re.compile(r'(?:document (\d+): )?(?:mention (\d+):? )?(?:there is "\w+" without )?(?:"(\w+)")?')

# by code, else by class
_STATUS_OF_CODE = {"entity-unknown": 404, "kb-unknown": 404}
_STATUSES = {422: (OptionError, DocumentError, VectorError), 501: (MissingExtraError,), 503: (KBError, WorkerError)}
_HTTP_SENTENCES = {
    404: "there is nothing at this path; see /openapi.json",
    405: "this path takes another method; see /openapi.json",
}
_STRUCTURE = ("missing", "extra_forbidden", "model_type", "model_attributes_type")  # types of errors of pydantic


class Problem(HTTPException):
    """An error of a request.

    Parameters
    ----------
    status : int
        HTTP status.
    code : str
        Stable name for programs.
    detail : str
        One sentence: what was found, what was expected, and after "; " the remedy.
    where : str, optional
        JSON pointer into the body, or the name of a parameter or header.
    headers : mapping, optional
        Headers of the answer.
    """

    def __init__(
        self, status: int, code: str, detail: str, where: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status, detail, dict(headers or {}))
        self.code, self.where = code, where


def problem_of(error: Exception) -> Problem:
    """Return the problem that an exception is answered with."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, RequestValidationError):
        return _validation_problem(error)
    if isinstance(error, HTTPException):
        detail = _HTTP_SENTENCES.get(error.status_code, str(error.detail))
        return Problem(error.status_code, f"http-{error.status_code}", detail, headers=error.headers)
    assert isinstance(error, EigenthemesError)
    status = _STATUS_OF_CODE.get(error.code) or next((s for s, kinds in _STATUSES.items() if isinstance(error, kinds)), 500)
    where = (pointer_of(str(error)) if isinstance(error, DocumentError) else None) or error.where
    return Problem(status, error.code, str(error), where, {"Retry-After": "5"} if status == 503 else None)


def _validation_problem(error: RequestValidationError) -> Problem:
    """Return the first error that pydantic found, as a problem."""
    first = error.errors()[0]
    source, *path = map(str, first["loc"])
    name = path[0][:40] if path else ""
    if source in ("query", "path"):
        return Problem(422 if source == "query" else 404, "option", _sentence(first, name), name)
    is_structure = first["type"] in _STRUCTURE
    sentence = _sentence(first, f'"{name}"' if name else "the body")
    return Problem(422, "document" if is_structure else "option", sentence, f"/{name}" if name and not is_structure else None)


def parse_as(adapter: TypeAdapter[Parsed], value: Any, name: str, *, code: str) -> Parsed:
    """Return a value as pydantic parses it; raise a `Problem` about its first error, `name` is what was parsed."""
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])[1:200] or name
        if first["type"] == "too_long":
            length, most = first["ctx"]["actual_length"], first["ctx"]["max_length"]
            raise Problem(413, TOO_MANY, f"{path} has {length:,} items; send at most {most:,} at once", path) from None
        raise Problem(422, code, _sentence(first, path[:80]), path) from None


def _sentence(error: Mapping[str, Any], subject: str) -> str:
    """Return an error that pydantic found as a sentence."""
    if error["type"] == "missing":
        return f"{subject} is missing; add it"
    if error["type"] == "extra_forbidden":
        return f"{subject!r} is not known here; leave it out, or see /openapi.json"
    expected = error["msg"].removeprefix("Value error, ").replace("Input should be", "expected", 1)
    expected = re.sub("a valid dictionary.*", "an object", expected)
    return f"{subject} is {str(error['input'])[:40]!r}; {expected}"


def pointer_of(sentence: str) -> str | None:
    """Return the JSON pointer to what the sentence of a `DocumentError` is about, if it begins with a place."""
    match = _PLACE.match(sentence)
    assert match is not None
    document, mention, field = match.groups()
    parts = (document, None if mention is None else f"mentions/{mention}", field)
    return "".join(f"/{part}" for part in parts if part is not None) or None


def response_of(problem: Problem) -> Response:
    """Return the response to a request that failed; half characters, which a query string may hold, are replaced."""
    detail = str(problem.detail)
    _, separator, remedy = detail.rpartition("; ")
    record: dict[str, Any] = {
        "type": f"urn:eigenthemes:problem:{problem.code}",
        "title": HTTPStatus(problem.status_code).phrase,
        "status": problem.status_code,
        "detail": detail if len(detail) <= _MAX_LENGTH else detail[:_MAX_LENGTH] + "…",
        "code": problem.code,
    }
    if problem.where is not None:
        record["where"] = problem.where[:_MAX_LENGTH]
    if separator:
        record["remedy"] = remedy[:_MAX_LENGTH]
    content = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace")
    return Response(content, problem.status_code, problem.headers, MEDIA_TYPE)


async def answer_error(request: Request, error: Exception) -> Response:
    """Answer an exception: the exception handler of the app."""
    return response_of(problem_of(error))


# JSON


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
        raise Problem(400, "json", f"the body is no JSON at character {error.pos + 1} ({error.msg}); send valid JSON") from None


def each_document(body: Any, read: Callable[[Any], Result]) -> list[Result]:
    """Return what a function makes of a document, or of each in a list; errors begin with its number there."""
    if not isinstance(body, list):
        return [read(body)]
    results = []
    for number, record in enumerate(body):
        try:
            results.append(read(record))
        except DocumentError as error:
            raise DocumentError(f"document {number}: {error}", code=error.code, where=error.where) from None
    return results


def json_response(content: Any) -> Response:
    """Answer with JSON."""
    try:
        return Response(orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS), media_type="application/json")
    except TypeError as error:  # orjson writes fewer levels than it reads
        raise DocumentError(f"the answer cannot be written as JSON ({error}); simplify the document's other fields") from None
