"""GET /candidates, /search and /entity."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from eigenthemes.candidates.entity_card import entity_card
from eigenthemes.errors import OptionError
from eigenthemes.service import models
from eigenthemes.service.json_routes import JSONRoute, json_response
from eigenthemes.service.models import documented
from eigenthemes.service.problems import READ_PROBLEMS
from eigenthemes.service.served import ServedKBs
from eigenthemes.service.suggestions import suggest


def router(served: ServedKBs) -> APIRouter:
    """Return the routes that look up entities."""
    routes = APIRouter(route_class=JSONRoute, responses=documented(READ_PROBLEMS))

    @routes.get("/candidates", response_model=list[models.Candidate])
    async def candidates(query: Annotated[models.NameQuery, Query()]) -> Response:
        """List the candidates of a name."""
        generator = served.get(query.kb).linker().batches.generator
        records = await served.run(generator.records, query.q)
        return json_response([candidate.to_dict() for candidate in records[: query.top]])

    @routes.get("/search", response_model=list[models.Suggestion])
    async def search(query: Annotated[models.SearchQuery, Query()]) -> Response:
        """Suggest entities whose names begin with some letters, or nearly."""
        kb = served.get(query.kb)
        types = [] if query.type is None else [query.type]
        generator = kb.linker().batches.generator
        return json_response(await served.run(lambda: suggest(kb.kb, generator, query.q, top=query.top, types=types)))

    @routes.get("/entity/{entity_id:path}", response_model=models.EntityRecord)
    async def entity(
        entity_id: Annotated[str, Path(description="the entity's id", examples=["Q41421"])],
        query: Annotated[models.NeighborQuery, Query()],
    ) -> Response:
        """Return an entity."""
        return json_response(await served.run(_entity, served, query, entity_id))

    @routes.get("/entity", response_model=models.EntityRecord)
    async def entity_by_query(query: Annotated[models.EntityQuery, Query()]) -> Response:
        """Return an entity whose id does not fit into a path."""
        return json_response(await served.run(_entity, served, query, query.id))

    return routes


def _entity(served: ServedKBs, query: models.NeighborQuery, entity_id: str) -> dict[str, Any]:
    kb = served.get(query.kb)
    if kb.kb.index_of(entity_id) is None:
        raise OptionError(
            f"{entity_id[:200]!r} is no id of the KB {kb.name}; search for its name", code="entity-unknown", where="id"
        )
    return entity_card(kb.kb, entity_id, most=query.neighbors).to_dict()
