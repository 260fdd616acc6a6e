"""The properties that rows can be extended with: the relations of a KG, both ways, and what a KB says of an entity itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from eigenthemes.kb.attributes import last_part, readable
from eigenthemes.kb.entity_records import BLANK
from eigenthemes.kb.store import KB
from eigenthemes.service.entities import type_label
from eigenthemes.service.reconcile.named import Named
from eigenthemes.service.reconcile.types import type_records, types_of

REVERSE = "^"  # before the id of a relation: read against its direction, as in SPARQL
_SAMPLE = 5_000  # entities of a type that are looked at to see what they have

JSONValue = dict[str, Any]


def _texts(values: list[str]) -> list[JSONValue]:
    return [{"str": value} for value in values if value]


_OF_ENTITY: dict[str, tuple[str, Callable[[KB, int], list[JSONValue]]]] = {
    "entity:id": ("id", lambda kb, index: _texts([kb.id_of(index)])),
    "entity:label": ("name", lambda kb, index: _texts([kb.label_of(index)])),
    "entity:aliases": ("other names", lambda kb, index: _texts(kb.names_of(index)[1:])),
    "entity:description": ("description", lambda kb, index: _texts([kb.description_of(index)])),
    "entity:types": ("types", lambda kb, index: _texts([each["name"] for each in type_records(kb, index)])),
    "entity:prior": ("prior", lambda kb, index: [{"float": float(kb.prior[index])}]),
}


def properties_of(kb: KB) -> dict[str, Named]:
    """Return all properties by their ids: relations from the most frequent down, then what is said of an entity itself."""
    return kb.cached(_properties_of)


def _properties_of(kb: KB) -> dict[str, Named]:
    codes = np.bincount(kb.graph.relations, minlength=2 * len(kb.relations))
    further = np.bincount(kb.further_relations.relations, minlength=len(codes))
    return _named(kb, codes + further) | {
        each: Named(each, name, "of the entity itself") for each, (name, _) in _OF_ENTITY.items()
    }


def proposed_properties(kb: KB, type_id: str | None) -> list[Named]:
    """Return the properties that entities of a type have, the most frequent first; without a type, those of all."""
    everything = properties_of(kb)
    if not type_id or type_id not in types_of(kb):
        return list(everything.values())
    members = np.flatnonzero(kb.of_types([type_id]))[:_SAMPLE].tolist()
    codes = [kb.graph.relations[slice(*kb.bounds("graph_indptr", index, index + 1))] for index in members]
    counts = np.bincount(np.concatenate(codes), minlength=2 * len(kb.relations))
    return [*_named(kb, counts).values(), *(everything[each] for each in _OF_ENTITY)]


def _named(kb: KB, counts: Any) -> dict[str, Named]:
    """Return the relations that occur, with their direction."""
    named = {}
    for code in np.argsort(-counts, kind="stable").tolist():
        if not counts[code]:
            break
        relation = str(kb.relations[code >> 1])
        name, property_id = name_of_relation(kb, relation), relation
        if code & 1:
            name, property_id = f"{name} (reversed)", REVERSE + relation
        named[property_id] = Named(property_id, name, f"{counts[code]:,} statements")
    return named


def name_of_relation(kb: KB, relation: str) -> str:
    """Return the name of a relation: its label where it is an entity of the KG, else its id as words."""
    name = type_label(kb, relation)
    return readable(relation) if name == last_part(relation) else name


def values_of(kb: KB, index: int, property_id: str) -> list[JSONValue]:
    """Return the values of a property of an entity, neighbours from the highest prior down; none of an unknown property."""
    if property_id in _OF_ENTITY:
        return _OF_ENTITY[property_id][1](kb, index)
    code = _code_of(kb, property_id)
    return [] if code is None else [_entity(kb, each) for each in _related(kb, index, code)]


def _entity(kb: KB, index: int) -> JSONValue:
    record = {"id": kb.id_of(index), "name": kb.label_of(index)}
    description = kb.description_of(index)
    return {**record, "description": description} if description else record


def _relation_rows(kb: KB) -> dict[str, int]:
    return {str(relation): row for row, relation in enumerate(kb.relations)}


def _code_of(kb: KB, property_id: str) -> int | None:
    """Return the code of a relation with its direction, as `Graph.relations` has it."""
    rows = kb.cached(_relation_rows)
    if property_id in rows:
        return 2 * rows[property_id]
    reverse = rows.get(property_id.removeprefix(REVERSE))
    return None if reverse is None else 2 * reverse + 1


def _related(kb: KB, index: int, code: int) -> Iterator[int]:
    """Yield the neighbours that a relation joins an entity with, ascending; without blank nodes."""
    first, last = kb.bounds("graph_indptr", index, index + 1)
    entries = first + np.flatnonzero(kb.graph.relations[first:last] == code)
    further = kb.further_relations
    low, high = np.searchsorted(further.entries, (first, last))
    also = further.entries[low:high][further.relations[low:high] == code]
    for neighbor in kb.graph.neighbors[np.union1d(entries, also)].tolist():
        if not kb.id_of(neighbor).startswith(BLANK):
            yield neighbor
