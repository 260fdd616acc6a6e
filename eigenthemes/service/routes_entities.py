"""GET /candidates, /search and /entity: what the KB holds."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from eigenthemes.candidates.entity_card import entity_card
from eigenthemes.errors import OptionError
from eigenthemes.service.entities import suggest
from eigenthemes.service.openapi import CANDIDATES, ENTITY, ENTITY_BY_QUERY, SEARCH
from eigenthemes.service.options import MOST_SHOWN, count_of, refuse_unknown
from eigenthemes.service.requests import PlainRoute, json_response, query_of
from eigenthemes.service.served import ServedKB, ServedKBs

_LONGEST = 1_000  # letters of a name


def router(served: ServedKBs) -> APIRouter:
    """Return the routes that look entities up."""
    routes = APIRouter(route_class=PlainRoute)

    @routes.get("/candidates", **CANDIDATES)
    async def candidates(request: Request) -> Response:
        """List what a name may mean."""
        given = query_of(request)
        refuse_unknown(given, ("kb", "q", "top"))
        name, top = _asked(given), count_of(given, "top", 20, most=MOST_SHOWN)
        kb = served.get(given.get("kb"))
        return json_response(await served.run(_candidates, kb, name, top))

    @routes.get("/search", **SEARCH)
    async def search(request: Request) -> Response:
        """Suggest entities whose names begin with some letters, or nearly."""
        given = query_of(request)
        refuse_unknown(given, ("kb", "q", "top", "type"))
        name, top = _asked(given), count_of(given, "top", 10, most=MOST_SHOWN)
        kb = served.get(given.get("kb"))
        return json_response(await served.run(_search, kb, name, top, given.get("type")))

    @routes.get("/entity/{entity_id:path}", **ENTITY)
    async def entity(request: Request, entity_id: Annotated[str, Path(description="its id", examples=["Q41421"])]) -> Response:
        """Tell all that the KB holds of an entity."""
        given = query_of(request)
        refuse_unknown(given, ("kb", "neighbors"))
        most = count_of(given, "neighbors", 10, most=1_000)
        kb = served.get(given.get("kb"))
        return json_response(await served.run(_entity, kb, entity_id, most))

    @routes.get("/entity", **ENTITY_BY_QUERY)
    async def entity_by_query(request: Request) -> Response:
        """Answer the same for ids that do not fit into a path."""
        given = query_of(request)
        refuse_unknown(given, ("kb", "neighbors", "id"))
        most = count_of(given, "neighbors", 10, most=1_000)
        if "id" not in given:
            raise OptionError("there is no id; expected ?id=", where="id")
        kb = served.get(given.get("kb"))
        return json_response(await served.run(_entity, kb, given["id"], most))

    return routes


def _asked(given: dict[str, str]) -> str:
    if "q" not in given:
        raise OptionError("there is no q; expected ?q= with a name", where="q")
    if len(given["q"]) > _LONGEST:
        raise OptionError(f"q has {len(given['q']):,} letters; expected a name, at most {_LONGEST:,}", where="q")
    return given["q"]


def _candidates(kb: ServedKB, name: str, top: int) -> list[dict[str, Any]]:
    return [candidate.to_dict() for candidate in kb.linker().batches.generator.records(name)[:top]]


def _search(kb: ServedKB, prefix: str, top: int, only: str | None) -> list[dict[str, Any]]:
    return suggest(kb.kb, kb.linker().batches.generator, prefix, top=top, types=[] if only is None else [only])


def _entity(kb: ServedKB, entity_id: str, most: int) -> dict[str, Any]:
    if kb.kb.index_of(entity_id) is None:
        raise OptionError(
            f"{entity_id[:200]!r} is no id of the KB {kb.name}; search for its name", code="entity-unknown", where="id"
        )
    return entity_card(kb.kb, entity_id, most=most).to_dict()
