"""Suggestions for somebody who types: entities, types and properties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eigenthemes.kb.store import KB
from eigenthemes.linker import Linker
from eigenthemes.service.entities import suggest as suggest_entities
from eigenthemes.service.reconcile.named import Named, beginning_with
from eigenthemes.service.reconcile.properties import properties_of
from eigenthemes.service.reconcile.types import type_records, types_of

KINDS = ("entity", "type", "property")
LIMIT = 10
_FURTHEST = 1_000  # suggestions that are ever made for one prefix


def suggest(linker: Linker, kind: str, prefix: str, *, cursor: int = 0) -> dict[str, Any]:
    """Return suggestions from the number `cursor` on."""
    first = max(0, cursor)
    if first >= _FURTHEST:
        return {"result": []}
    find: Callable[[Linker, str, int], list[dict[str, Any]]] = {
        "entity": _entities,
        "type": lambda linker, prefix, top: _records(beginning_with(types_of(linker.kb).values(), prefix)[:top]),
        "property": lambda linker, prefix, top: _records(beginning_with(properties_of(linker.kb).values(), prefix)[:top]),
    }[kind]
    return {"result": find(linker, prefix, first + LIMIT)[first:]}


def _entities(linker: Linker, prefix: str, top: int) -> list[dict[str, Any]]:
    """Return entities by the beginning of a name, or by their id, which people paste."""
    kb = linker.kb
    index = kb.index_of(prefix.strip())
    ids = [] if index is None else [kb.id_of(index)]
    ids += [each["id"] for each in suggest_entities(kb, linker.batches.generator, prefix, top=top)]
    return [_entity(kb, entity_id) for entity_id in list(dict.fromkeys(ids))[:top]]


def _entity(kb: KB, entity_id: str) -> dict[str, Any]:
    index = kb.index_of(entity_id)
    assert index is not None
    record: dict[str, Any] = {"id": entity_id, "name": kb.label_of(index), "notable": type_records(kb, index)}
    description = kb.description_of(index)
    return {**record, "description": description} if description else record


def _records(things: list[Named]) -> list[dict[str, Any]]:
    return [{"id": each.id, "name": each.name, "description": each.description} for each in things]
