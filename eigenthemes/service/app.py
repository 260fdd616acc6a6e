"""The service as one ASGI app."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException

from eigenthemes import __version__
from eigenthemes.errors import EigenthemesError
from eigenthemes.service import admin_routes, entity_routes, link_routes, page_routes
from eigenthemes.service.batching import Batcher
from eigenthemes.service.json_http import MEDIA_TYPE, answer_error
from eigenthemes.service.metrics import Metrics
from eigenthemes.service.middleware import RequestMiddleware
from eigenthemes.service.models import ProblemRecord
from eigenthemes.service.reconcile import routes as reconcile_routes
from eigenthemes.service.served import Reload, ServedKBs
from eigenthemes.service.settings import ServiceSettings

_DESCRIPTION = "Links names in text and tables to the entities of your own knowledge graph."

# newer versions of fastapi can send traces elsewhere, bodies included, if the environment says so; older ones ignore this
_NO_TELEMETRY: Any = dict.fromkeys(("tracing", "metrics", "logs", "operation_spans", "auto_configure"), False)


def create_app(served: ServedKBs, settings: ServiceSettings, *, reload: Reload | None = None) -> FastAPI:
    """Return the app that serves some KBs.

    Parameters
    ----------
    served : ServedKBs
        The KBs.
    settings : ServiceSettings
        Addresses, token and limits.
    reload : callable, optional
        Called by POST /reload. None: this process opens the KBs again.

    Returns
    -------
    FastAPI
        An ASGI app, with its `Metrics` as `app.state.metrics`.
    """
    app = FastAPI(
        title="eigenthemes",
        description=_DESCRIPTION,
        version=__version__,
        docs_url=None,
        redoc_url=None,
        telemetry=_NO_TELEMETRY,
        exception_handlers=dict.fromkeys((HTTPException, EigenthemesError, RequestValidationError), answer_error),
    )
    app.state.metrics = metrics = Metrics()
    for router in (
        link_routes.router(served, settings, Batcher(metrics.count_decided)),
        entity_routes.router(served),
        admin_routes.router(served, settings, metrics, reload or served.reload),
        reconcile_routes.router(served, settings),
        page_routes.router(served),
    ):
        app.include_router(router)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    app.add_middleware(RequestMiddleware, served=served, settings=settings, metrics=metrics)
    return app


def _openapi(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document: any route may answer with problem JSON, the pages of entities with a page."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        schema["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        schemas = schema["components"]["schemas"]
        schemas["ProblemRecord"] = ProblemRecord.model_json_schema()
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)  # of FastAPI, not used here
        problem = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemRecord"}}}
        for operation in (each for methods in schema["paths"].values() for each in methods.values()):
            pages = {kind: each for kind, each in operation["responses"]["200"]["content"].items() if kind == "text/html"}
            operation["responses"].pop("422", None)
            operation["responses"]["4XX"] = {"description": "The request is refused", "content": problem | pages}
            operation["responses"]["5XX"] = {"description": "The service cannot answer", "content": problem}
        app.openapi_schema = schema
    return app.openapi_schema
