"""Errors as people and programs read them: problem JSON (RFC 9457). Which error has which status is said here alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from starlette.responses import Response

from eigenthemes.errors import (
    DocumentError,
    EigenthemesError,
    KBDamagedError,
    KBError,
    MissingExtraError,
    OptionError,
    VectorError,
    WorkerError,
)

MEDIA_TYPE = "application/problem+json"
_LONGEST = 600  # letters of a sentence that goes out: what was wrong may repeat what was sent

# document 3: mention 0: "start" is ...
_PLACE = re.compile(r'(?:document (\d+): )?(?:mention (\d+):? )?(?:there is "\w+" without )?(?:"(\w+)")?')

# by code, else by the nearest class
_STATUS_OF_CODE = {"batch-too-large": 413, "entity-unknown": 404, "kb-unknown": 404}
_STATUS_OF_CLASS: tuple[tuple[type[EigenthemesError], int], ...] = (
    (OptionError, 422),
    (DocumentError, 422),
    (VectorError, 422),
    (MissingExtraError, 501),
    (KBDamagedError, 503),
    (KBError, 503),
    (WorkerError, 503),
)
_TITLES = {
    400: "Not a readable request",
    401: "A token is needed",
    403: "Not from that page",
    404: "Not found",
    405: "Not done this way",
    408: "The request came too slowly",
    413: "Too large",
    415: "Not JSON",
    421: "Not the host of that name",
    422: "Cannot be done as asked",
    500: "A fault of the service",
    501: "Not installed",
    503: "Not now",
}


@dataclass(eq=False)
class Problem(Exception):
    """An error that is answered as it is."""

    status: int
    code: str
    detail: str
    where: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def status_of(error: EigenthemesError) -> int:
    """Return the status that an error of the library is answered with."""
    if error.code in _STATUS_OF_CODE:
        return _STATUS_OF_CODE[error.code]
    return next((status for kind, status in _STATUS_OF_CLASS if isinstance(error, kind)), 500)


def problem_of(error: EigenthemesError) -> Problem:
    """Return an error of the library as it is answered."""
    status = status_of(error)
    headers = {"Retry-After": "5"} if status == 503 else {}
    where = error.where
    if isinstance(error, DocumentError):
        where = pointer_of(str(error)) or where
    return Problem(status, error.code, str(error), where, headers)


def pointer_of(sentence: str) -> str | None:
    """Return where in the body a document is wrong, as a JSON pointer, from the sentence that begins with it."""
    found = _PLACE.match(sentence)
    assert found is not None
    document, mention, field = found.groups()
    parts = (document, None if mention is None else f"mentions/{mention}", field)
    return "".join(f"/{part}" for part in parts if part is not None) or None


def record_of(problem: Problem) -> dict[str, Any]:
    """Return the JSON object of a problem."""
    detail = problem.detail if len(problem.detail) <= _LONGEST else problem.detail[:_LONGEST] + "…"
    record: dict[str, Any] = {
        "type": f"urn:eigenthemes:problem:{problem.code}",
        "title": _TITLES.get(problem.status, "Error"),
        "status": problem.status,
        "detail": detail,
        "code": problem.code,
    }
    if problem.where is not None:
        record["where"] = problem.where[:_LONGEST]
    remedy = problem.detail.rpartition("; ")[2]
    if remedy != problem.detail:
        record["remedy"] = remedy[:_LONGEST]
    return record


def body_of(problem: Problem) -> bytes:
    """Return a problem as JSON; half characters, which may come from a query string, are replaced."""
    record = record_of(problem)
    try:
        return orjson.dumps(record)
    except TypeError:
        clean = {
            key: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value for key, value in record.items()
        }
        return orjson.dumps(clean)


def response_of(problem: Problem) -> Response:
    """Return the response to a request that failed."""
    return Response(body_of(problem), problem.status, dict(problem.headers), MEDIA_TYPE)
