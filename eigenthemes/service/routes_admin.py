"""GET /info, /health and /metrics, POST /reload: what is served, and how it is doing."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from eigenthemes import __version__
from eigenthemes.ranking.methods import METHODS, default_method
from eigenthemes.ranking.ranker import has_ranker
from eigenthemes.service.metrics import Metrics
from eigenthemes.service.openapi import HEALTH, INFO, METRICS, RELOAD
from eigenthemes.service.problems import Problem
from eigenthemes.service.reloading import Reload
from eigenthemes.service.requests import PlainRoute, json_response
from eigenthemes.service.served import ServedKB, ServedKBs
from eigenthemes.service.settings import ServiceSettings


def router(served: ServedKBs, settings: ServiceSettings, metrics: Metrics, reload: Reload) -> APIRouter:
    """Return the routes about the service itself."""
    routes = APIRouter(route_class=PlainRoute)

    @routes.get("/info", **INFO)
    async def info(request: Request) -> Response:
        """Tell which KBs are served, and what a request may ask of them."""
        return json_response(
            {
                "version": __version__,
                "kbs": [_described(kb) for kb in served.all()],
                "corrections": settings.corrections is not None,
                "limits": {
                    "body_bytes": settings.max_body,
                    "documents": settings.max_documents,
                    "mentions": settings.max_mentions,
                    "characters": settings.max_characters,
                    "seconds": settings.max_seconds,
                    "concurrent_requests": settings.max_concurrent,
                },
            }
        )

    @routes.get("/health", **HEALTH)
    async def health(request: Request) -> Response:
        """Tell whether the service is ready to link."""
        if not served.is_ready:
            raise Problem(503, "starting", "the service is starting; try again soon", headers={"Retry-After": "1"})
        return json_response({"status": "ready"})

    @routes.get("/metrics", **METRICS)
    async def numbers(request: Request) -> Response:
        """Return what all processes of the service have counted, as Prometheus reads it."""
        return Response(metrics.text(), media_type="text/plain; version=0.0.4")

    @routes.post("/reload", **RELOAD)
    async def reload_kbs(request: Request) -> Response:
        """Open the KBs anew, in all processes, and serve them once all are ready."""
        return json_response((await reload()).to_dict())

    return routes


def _described(served: ServedKB) -> dict[str, Any]:
    kb = served.kb
    counts = kb.manifest["counts"]
    linker = served.linker()
    return {
        "name": served.name,
        "state": served.state,
        "counts": {key: counts[key] for key in ("entities", "named", "names", "edges", "types", "relations")},
        "methods": methods_of(served),
        "default_method": default_method(kb),
        "threshold": linker.threshold if linker.method.calibrated else None,
        "vectors": list(kb.vector_sets),
        "languages": [str(language) for language in kb.languages if language],
    }


def methods_of(served: ServedKB) -> list[dict[str, Any]]:
    """Return the methods that the KB is ready for, and what each can be told."""
    kb = served.kb
    ready = []
    for name, method in METHODS.items():
        if method.prepare is not None or (method.needs_vectors and not kb.vector_sets):
            continue
        if method.calibrated and not has_ranker(kb, next(iter(kb.vector_sets), None)):
            continue
        ready.append(
            {
                "name": name,
                "threshold": method.calibrated or method.tells_noise,
                "k": "k" in method.uses,
                "explain": method.calibrated,
            }
        )
    return ready
