"""The service as one ASGI app: its routes put together."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from eigenthemes import __version__
from eigenthemes.errors import EigenthemesError
from eigenthemes.service import page_routes, routes_admin, routes_entities, routes_link
from eigenthemes.service.batching import Batcher
from eigenthemes.service.problems import Problem, problem_of, response_of
from eigenthemes.service.served import ServedKBs
from eigenthemes.service.settings import ServiceSettings


def create_app(served: ServedKBs, settings: ServiceSettings) -> FastAPI:
    """Return the app that serves some KBs."""
    app = FastAPI(title="eigenthemes", version=__version__, docs_url=None, redoc_url=None)
    batcher = Batcher()
    app.add_exception_handler(Problem, _answer_problem)
    app.add_exception_handler(EigenthemesError, _answer_error)
    app.add_exception_handler(HTTPException, _answer_http)
    app.include_router(routes_link.router(served, settings, batcher))
    app.include_router(routes_entities.router(served))
    app.include_router(routes_admin.router(served, settings))
    app.include_router(page_routes.router(served))
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
