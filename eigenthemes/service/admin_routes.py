"""GET /info, /health and /metrics, POST /reload, and the corrections."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, Response

from eigenthemes import __version__
from eigenthemes.ranking.methods import METHODS, default_method
from eigenthemes.ranking.ranker import has_ranker
from eigenthemes.service import models
from eigenthemes.service.correction_files import CorrectionFile, correction_files, gold_records
from eigenthemes.service.json_http import JSONRoute, Problem, json_response
from eigenthemes.service.metrics import Metrics
from eigenthemes.service.models import KBQuery
from eigenthemes.service.served import Reload, ServedKB, ServedKBs
from eigenthemes.service.settings import ServiceSettings

_MENTION = {"start": 0, "end": 14, "text": "Michael Jordan", "gold": "Q41421"}
_GOLD: Any = {"id": "doc-1", "text": models.TEXT, "mentions": [_MENTION]}


def router(served: ServedKBs, settings: ServiceSettings, metrics: Metrics, reload: Reload) -> APIRouter:
    """Return the routes about the service itself."""
    routes = APIRouter(route_class=JSONRoute)
    files = correction_files(settings.corrections, served.names)

    @routes.get("/info", response_model=models.Info)
    async def info() -> Response:
        """List the KBs, their methods, and the limits of requests."""
        limits = {
            "body_bytes": settings.max_body,
            "documents": settings.max_documents,
            "mentions": settings.max_mentions,
            "characters": settings.max_characters,
            "seconds": settings.max_seconds,
            "concurrent_requests": settings.max_concurrent,
        }
        kbs = [_kb_info(kb) for kb in served.kbs.values()]
        record = {"version": __version__, "kbs": kbs, "corrections": settings.corrections is not None, "limits": limits}
        return json_response(record)

    @routes.get("/health", response_model=models.Health)
    async def health() -> Response:
        """Return 200 if the service is ready to link, else 503."""
        if not served.kbs:
            raise Problem(503, "starting", "the service is starting; try again soon", headers={"Retry-After": "1"})
        return json_response({"status": "ready"})

    @routes.get("/metrics", response_class=PlainTextResponse)
    async def prometheus() -> Response:
        """Return the metrics of all processes of the service."""
        return Response(await run_in_threadpool(metrics.text), media_type="text/plain; version=0.0.4")

    @routes.post("/reload", response_model=models.ReloadResult)
    async def reload_kbs() -> Response:
        """Open KBs that were built again, in all processes, and serve them once all are ready."""
        return json_response((await reload()).to_dict())

    def corrected_kb(query: KBQuery) -> tuple[ServedKB, CorrectionFile]:
        """Return the KB of a request, and the file of its corrections."""
        kb = served.get(query.kb)
        if kb.name not in files:
            raise Problem(404, "no-corrections", "the service stores no corrections; start it with a file for them")
        return kb, files[kb.name]

    @routes.post("/corrections", response_model=models.Stored)
    async def correct(
        query: Annotated[KBQuery, Query()],
        body: Annotated[models.CorrectionBody, Body(openapi_examples={"one": {"value": _GOLD}})],
    ) -> Response:
        """Store one or more documents with gold."""
        kb, file = corrected_kb(query)
        stored = await served.run(_store, kb, file, body)
        metrics.add("corrections", stored)
        return json_response({"stored": stored})

    @routes.get("/corrections", response_model=models.CorrectionCount)
    async def count(query: Annotated[KBQuery, Query()]) -> Response:
        """Count the stored corrections."""
        _, file = corrected_kb(query)
        return json_response(await served.run(file.count))

    return routes


def _kb_info(served: ServedKB) -> dict[str, Any]:
    kb, linker = served.kb, served.linker()
    counts = kb.manifest["counts"]
    return {
        "name": served.name,
        "state": served.state,
        "counts": {key: counts[key] for key in ("entities", "named", "names", "edges", "types", "relations")},
        "methods": _methods_of(served),
        "default_method": default_method(kb),
        "threshold": linker.threshold if linker.method.calibrated else None,
        "vectors": list(kb.vector_sets),
        "languages": [str(language) for language in kb.languages if language],
    }


def _methods_of(served: ServedKB) -> list[dict[str, Any]]:
    """Return the methods that the KB is ready for, with the options of each."""
    kb = served.kb
    ready = []
    for name, method in METHODS.items():
        if method.prepare is not None or (method.needs_vectors and not kb.vector_sets):
            continue
        if not method.calibrated or has_ranker(kb, next(iter(kb.vector_sets), None)):
            takes_threshold = method.calibrated or method.tells_noise
            ready.append({"name": name, "threshold": takes_threshold, "k": "k" in method.uses, "explain": method.calibrated})
    return ready


def _store(kb: ServedKB, file: CorrectionFile, body: Any) -> int:
    records = gold_records(body, kb.kb)
    try:
        file.append(records)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        sentence = f"the corrections could not be written ({reason}); keep them, and try again later"
        raise Problem(503, "corrections", sentence) from None
    except TypeError:  # orjson writes fewer levels than it reads
        raise Problem(422, "document", "the documents cannot be written as JSON; simplify their other fields") from None
    return len(records)
