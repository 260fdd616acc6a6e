"""GET /candidates, /search and /entity; suggestions of entities by the beginning of a name."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Path, Query
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA
from starlette.responses import Response

from eigenthemes.core.entity_ids import last_part
from eigenthemes.errors import OptionError
from eigenthemes.kb.name_arrays import UNBRACKETED
from eigenthemes.kb.search import NamePrefixes, owners_of
from eigenthemes.kb.store import KB
from eigenthemes.names.entity_card import EntityCard, entity_card
from eigenthemes.names.generator import CandidateGenerator
from eigenthemes.records import Candidate
from eigenthemes.service import models
from eigenthemes.service.json_http import JSONRoute, json_response
from eigenthemes.service.served import ServedKBs
from eigenthemes.text.normalize import normalize, tokenize

_SHORTEST = 4  # letters of a word that is corrected
_MOST_ROWS = 20_000  # names of a frequent prefix that are used
_MOST_TYPE_MASKS = 50
_MOST_NEAR = 100  # corrections of a word


def router(served: ServedKBs) -> APIRouter:
    """Return the routes that look up entities."""
    routes = APIRouter(route_class=JSONRoute)

    @routes.get("/candidates", response_model=list[Candidate])
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

    @routes.get("/entity/{entity_id:path}", response_model=EntityCard)
    async def entity(
        entity_id: Annotated[str, Path(description="the entity's id", examples=["Q41421"])],
        query: Annotated[models.NeighborQuery, Query()],
    ) -> Response:
        """Return an entity."""
        return json_response(await served.run(_entity, served, query, entity_id))

    @routes.get("/entity", response_model=EntityCard)
    async def entity_by_query(query: Annotated[models.EntityQuery, Query()]) -> Response:
        """Return an entity whose id does not fit into a path."""
        return json_response(await served.run(_entity, served, query, query.id))

    return routes


def _entity(served: ServedKBs, query: models.NeighborQuery, entity_id: str) -> dict[str, Any]:
    kb = served.get(query.kb)
    if kb.kb.index_of(entity_id) is None:
        problem = f"{entity_id[:200]!r} is no id of the KB {kb.name}; search for its name"
        raise OptionError(problem, code="entity-unknown", where="id")
    return entity_card(kb.kb, entity_id, most=query.neighbors).to_dict()


# suggestions


def type_label(kb: KB, type_id: str) -> str:
    """Return the label of a type: its label if it is an entity, else the last part of its id."""
    index = kb.index_of(type_id)
    return last_part(type_id) if index is None else kb.label_of(index)


def type_labels(kb: KB, index: int) -> list[str]:
    """Return the labels of an entity's types."""
    return [type_label(kb, type_id) for type_id in kb.types_of(index)]


def suggest(
    kb: KB, generator: CandidateGenerator, prefix: str, *, top: int = 10, types: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the entities whose names begin with some letters, or nearly.

    First those with exactly this name, then those with a name that begins so, both by their prior; if these are few, the
    candidates of the name, and entities with a name that begins so after one correction.
    """
    if not prefix.strip():
        return []
    allowed = kb.cached(_type_masks)(tuple(types)) if types else None
    found: dict[int, str | None] = {}
    for index, name in _matches(kb, generator, prefix):
        if index not in found and (allowed is None or allowed[index]):
            found[index] = name
            if len(found) >= top:
                break
    return [_suggestion(kb, index, name or _matching(prefix, kb.names_of(index))) for index, name in found.items()]


def _matches(kb: KB, generator: CandidateGenerator, prefix: str) -> Iterator[tuple[int, str | None]]:
    """Yield entities, the best first, each with the name that matched if it is known."""
    exact = sorted(index for index, kind in generator.match_types(prefix).items() if kind <= UNBRACKETED)
    yield from ((index, None) for index in exact)
    prefixes, entity_names = kb.cached(NamePrefixes.of), kb.array("entity_names")
    yield from ((index, None) for index in owners_of(prefixes.find(prefix)[:_MOST_ROWS], entity_names))
    for candidate in generator.records(prefix):
        index = kb.index_of(candidate.id)
        if index is not None:
            yield index, candidate.matched_name
    rows = [prefixes.find(near) for near in _near_prefixes(prefixes.tokens, prefix)]
    if rows:
        yield from ((index, None) for index in owners_of(np.unique(np.concatenate(rows))[:_MOST_ROWS], entity_names))


def _near_prefixes(tokens: list[str], prefix: str) -> list[str]:
    """Return prefixes of words of the KB that differ from the last word of `prefix` by one letter, not the first."""
    words = tokenize(prefix)
    if not words or len(words[-1]) < _SHORTEST:
        return []
    *before, word = words
    sizes = (len(word) - 1, len(word), len(word) + 1)
    same_letter = tokens[bisect_left(tokens, word[0]) : bisect_left(tokens, word[0] + chr(sys.maxunicode))]
    beginnings = list(dict.fromkeys(token[:size] for token in same_letter for size in sizes))
    near = process.extract(word, beginnings, scorer=OSA.distance, score_cutoff=1, limit=_MOST_NEAR)
    return [" ".join((*before, beginning)) for beginning, _, _ in near]


def _type_masks(kb: KB) -> Callable[[tuple[str, ...]], NDArray[np.bool_]]:
    """Return a function from types to the entities that have one of them [n]; it is called at every key stroke."""
    return lru_cache(_MOST_TYPE_MASKS)(kb.of_types)


def _suggestion(kb: KB, index: int, matched_name: str) -> dict[str, Any]:
    """Return the record of a suggestion."""
    return {
        "id": kb.id_of(index),
        "label": kb.label_of(index),
        "description": kb.description_of(index),
        "types": type_labels(kb, index),
        "matched_name": matched_name,
    }


def _matching(prefix: str, names: list[str]) -> str:
    """Return the name that begins with a prefix, or else with its first letters."""
    wanted = normalize(prefix)
    beginning = (name for name in names if normalize(name).startswith(wanted))
    alike = (name for name in names if normalize(name).startswith(wanted[:3]))
    return next(chain(beginning, alike, names), "")
