"""The service as one ASGI app: its routes put together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from eigenthemes import __version__
from eigenthemes.errors import EigenthemesError
from eigenthemes.service import page_routes, routes_admin, routes_corrections, routes_entities, routes_link
from eigenthemes.service.batching import Batcher
from eigenthemes.service.door import Door
from eigenthemes.service.metrics import Metrics
from eigenthemes.service.openapi import describe
from eigenthemes.service.problems import Problem, problem_of, response_of
from eigenthemes.service.reloading import Reload, Reloader
from eigenthemes.service.served import ServedKBs
from eigenthemes.service.settings import ServiceSettings

_ABOUT = "Names in text and tables, linked to the entities of your own knowledge graph."

# newer versions of fastapi can send traces elsewhere, bodies included, if the environment says so; older ones ignore this
_SILENT: Any = dict.fromkeys(("tracing", "metrics", "logs", "operation_spans", "auto_configure"), False)


def create_app(
    served: ServedKBs,
    settings: ServiceSettings,
    *,
    reload: Reload | None = None,
    metrics_file: Path | None = None,
    slot: int = 0,
) -> FastAPI:
    """Return the app that serves some KBs.

    reload        what POST /reload does; None: this process opens the KBs anew
    metrics_file  where the processes of the service count together, this one in the row `slot`
    """
    app = FastAPI(
        title="eigenthemes", description=_ABOUT, version=__version__, docs_url=None, redoc_url=None, telemetry=_SILENT
    )
    reload = reload or Reloader(served).reload
    for error, answer in ((Problem, _answer_problem), (EigenthemesError, _answer_error), (HTTPException, _answer_http)):
        app.add_exception_handler(error, answer)
    app.state.metrics = metrics = Metrics(file=metrics_file, slots=settings.workers, slot=slot)
    batcher = Batcher(metrics.count_decided)
    routers = [
        routes_link.router(served, settings, batcher),
        routes_entities.router(served),
        routes_admin.router(served, settings, metrics, reload),
        routes_corrections.router(served, settings, metrics),
        page_routes.router(served),
    ]
    for router in routers:
        app.include_router(router)
    metrics.name_routes([route.path for router in routers for route in router.routes if isinstance(route, Route)])
    describe(app)
    app.add_middleware(Door, served=served, settings=settings, metrics=metrics)
    return app


async def _answer_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return response_of(error)


async def _answer_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, EigenthemesError)
    return response_of(problem_of(error))


async def _answer_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentences = {
        404: "there is nothing at this path; see /openapi.json",
        405: "this path takes another method; see /openapi.json",
    }
    detail = sentences.get(error.status_code, str(error.detail))
    return response_of(Problem(error.status_code, f"http-{error.status_code}", detail, headers=dict(error.headers or {})))
