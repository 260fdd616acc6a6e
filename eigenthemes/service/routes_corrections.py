"""POST and GET /corrections: what people corrected on the page, kept for training."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from eigenthemes.service.corrections import Corrections, corrections_of, gold_records
from eigenthemes.service.metrics import Metrics
from eigenthemes.service.openapi import CORRECTIONS, COUNT_CORRECTIONS
from eigenthemes.service.options import refuse_unknown
from eigenthemes.service.problems import Problem
from eigenthemes.service.requests import PlainRoute, json_of, json_response, query_of
from eigenthemes.service.served import ServedKB, ServedKBs
from eigenthemes.service.settings import ServiceSettings


def router(served: ServedKBs, settings: ServiceSettings, metrics: Metrics) -> APIRouter:
    """Return the routes of corrections; without a file for them they say so."""
    routes = APIRouter(route_class=PlainRoute)
    files = corrections_of(settings.corrections, served.names)

    def asked(request: Request) -> tuple[ServedKB, Corrections]:
        given = query_of(request)
        refuse_unknown(given, ("kb",))
        kb = served.get(given.get("kb"))
        if kb.name not in files:
            raise Problem(404, "no-corrections", "the service keeps no corrections; start it with a file for them")
        return kb, files[kb.name]

    @routes.post("/corrections", **CORRECTIONS)
    async def correct(request: Request) -> Response:
        """Keep one or more documents with gold."""
        kb, file = asked(request)
        stored = await served.run(_store, kb, file, await json_of(request))
        metrics.add("corrections", stored)
        return json_response({"stored": stored})

    @routes.get("/corrections", **COUNT_CORRECTIONS)
    async def count(request: Request) -> Response:
        """Tell how many corrections there are, and how many training needs."""
        _, file = asked(request)
        return json_response(await served.run(file.count))

    return routes


def _store(kb: ServedKB, file: Corrections, body: Any) -> int:
    records = gold_records(body, kb.kb)
    try:
        file.append(records)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise Problem(
            503, "corrections", f"the corrections could not be written ({reason}); keep them, and try again later"
        ) from None
    except TypeError:  # orjson admits fewer levels when it writes than when it reads
        raise Problem(422, "document", "the documents cannot be written as JSON; simplify their other fields") from None
    return len(records)
