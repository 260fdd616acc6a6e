"""The types and properties of a KB as the protocol shows them, and data extension: values of properties for matched rows.

Properties are the relations of the KG in both directions, and the fields of an entity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from pydantic import BaseModel, Field, StrictStr, TypeAdapter
from rapidfuzz import fuzz, process

from eigenthemes.core.entity_ids import last_part
from eigenthemes.kb.attributes import readable
from eigenthemes.kb.entity_records import BLANK
from eigenthemes.kb.store import KB
from eigenthemes.service.entity_routes import type_label
from eigenthemes.service.json_http import parse_as
from eigenthemes.text.normalize import normalize

REVERSE = "^"  # before the id of a relation: its reverse, as in SPARQL
_SAMPLE = 5_000  # entities of a type whose properties are counted

JSONValue = dict[str, Any]
_DEFAULT_TYPES = 10
_NEAR = 75.0  # of 100: least similarity of names that differ by a typing error
MOST_VALUES = 1_000  # of a property of one row
MOST_IDS = 1_000
MOST_PROPERTIES = 100

_LIMIT_HELP = "0: all; each value after the first makes another row"
_COUNT_HELP = "the number of values instead of the values"
SETTINGS: list[dict[str, Any]] = [
    {"type": "number", "name": "limit", "label": "Most values", "default": 0, "help_text": _LIMIT_HELP},
    {"type": "checkbox", "name": "count", "label": "Count", "default": False, "help_text": _COUNT_HELP},
]


class Named(NamedTuple):
    """A type or a property."""

    id: str
    name: str
    description: str = ""


def complete(items: Iterable[Named], prefix: str) -> list[Named]:
    """Return what begins with a prefix: its name, then a word of it or its id; if nothing does, what has a similar name."""
    typed, names = normalize(prefix), {each: normalize(each.name) for each in items}
    exact = [each for each, name in names.items() if name == typed or each.id == prefix]
    beginning = [each for each, name in names.items() if name.startswith(typed)]
    within = [each for each, name in names.items() if f" {typed}" in name or each.id.casefold().startswith(prefix.casefold())]
    if found := list(dict.fromkeys((*exact, *beginning, *within))):
        return found
    cut = {each: name[: len(typed) + 1] for each, name in names.items()}  # as long as what was typed so far
    return [each for _, _, each in process.extract(typed, cut, scorer=fuzz.ratio, score_cutoff=_NEAR, limit=20)]


# types


def types_of(kb: KB) -> dict[str, Named]:
    """Return the types of linkable entities by id, the most frequent first."""
    return kb.cached(_types_of)


def _types_of(kb: KB) -> dict[str, Named]:
    owner = np.repeat(np.arange(len(kb)), np.diff(kb.array("type_indptr")))
    counts = np.bincount(kb.array("entity_types")[kb.linkable[owner]], minlength=len(kb.types))
    rows = np.argsort(-counts, kind="stable").tolist()
    used = [(str(kb.types[row]), int(counts[row])) for row in rows if counts[row]]
    return {type_id: Named(type_id, type_label(kb, type_id), f"{count:,} entities") for type_id, count in used}


def default_types(kb: KB) -> list[dict[str, Any]]:
    """Return the types that a client offers first."""
    return [{"id": each.id, "name": each.name} for each in list(types_of(kb).values())[:_DEFAULT_TYPES]]


def type_records(kb: KB, index: int) -> list[dict[str, str]]:
    """Return the types of an entity."""
    known = types_of(kb)
    return [{"id": each, "name": known[each].name if each in known else type_label(kb, each)} for each in kb.types_of(index)]


# properties


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
    """Return all properties by id: relations, the most frequent first, then the fields of an entity."""
    return kb.cached(_properties_of)


def _properties_of(kb: KB) -> dict[str, Named]:
    codes = np.bincount(kb.graph.relations, minlength=2 * len(kb.relations))
    further = np.bincount(kb.further_relations.relations, minlength=len(codes))
    return _named(kb, codes + further) | {
        each: Named(each, name, "of the entity itself") for each, (name, _) in _OF_ENTITY.items()
    }


def proposed_properties(kb: KB, type_id: str | None) -> list[Named]:
    """Return the properties of entities of a type, the most frequent first; without a type, all."""
    everything = properties_of(kb)
    if not type_id or type_id not in types_of(kb):
        return list(everything.values())
    members = np.flatnonzero(kb.of_types([type_id]))[:_SAMPLE].tolist()
    codes = [kb.graph.relations[slice(*kb.bounds("graph_indptr", index, index + 1))] for index in members]
    counts = np.bincount(np.concatenate(codes), minlength=2 * len(kb.relations))
    return [*_named(kb, counts).values(), *(everything[each] for each in _OF_ENTITY)]


def _named(kb: KB, counts: Any) -> dict[str, Named]:
    """Return the relations that occur, in both directions."""
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
    """Return the name of a relation: its label if it is an entity of the KG, else its id as words."""
    name = type_label(kb, relation)
    return readable(relation) if name == last_part(relation) else name


def values_of(kb: KB, index: int, property_id: str) -> list[JSONValue]:
    """Return the values of a property of an entity, neighbours by their prior; none for an unknown property."""
    if property_id in _OF_ENTITY:
        return _OF_ENTITY[property_id][1](kb, index)
    code = _code_of(kb, property_id)
    return [] if code is None else [entity_record(kb, each) for each in _related(kb, index, code)]


def entity_record(kb: KB, index: int) -> JSONValue:
    """Return the id, the name and, if there is one, the description of an entity."""
    record = {"id": kb.id_of(index), "name": kb.label_of(index)}
    description = kb.description_of(index)
    return {**record, "description": description} if description else record


def _relation_rows(kb: KB) -> dict[str, int]:
    return {str(relation): row for row, relation in enumerate(kb.relations)}


def _code_of(kb: KB, property_id: str) -> int | None:
    """Return the code of a relation and its direction in `Graph.relations`."""
    rows = kb.cached(_relation_rows)
    if property_id in rows:
        return 2 * rows[property_id]
    reverse = rows.get(property_id.removeprefix(REVERSE))
    return None if reverse is None else 2 * reverse + 1


def _related(kb: KB, index: int, code: int) -> Iterator[int]:
    """Yield the neighbours of an entity by a relation, ascending, without blank nodes."""
    first, last = kb.bounds("graph_indptr", index, index + 1)
    entries = first + np.flatnonzero(kb.graph.relations[first:last] == code)
    further = kb.further_relations
    low, high = np.searchsorted(further.entries, (first, last))
    also = further.entries[low:high][further.relations[low:high] == code]
    for neighbor in kb.graph.neighbors[np.union1d(entries, also)].tolist():
        if not kb.id_of(neighbor).startswith(BLANK):
            yield neighbor


# data extension


class ExtendedProperty(BaseModel):
    """A property to extend rows with."""

    id: StrictStr
    settings: dict[str, Any] | None = None


class Extension(BaseModel):
    """A data extension query."""

    ids: list[StrictStr] = Field(max_length=MOST_IDS)
    properties: list[ExtendedProperty] = Field(max_length=MOST_PROPERTIES)


_EXTENSION = TypeAdapter(Extension)


def extend(kb: KB, query: Any) -> dict[str, Any]:
    """Answer a data extension query; unknown ids and properties have no values."""
    extension = parse_as(_EXTENSION, query, "extend", code="extend")
    properties, known = extension.properties, properties_of(kb)
    names = {each.id: known[each.id].name if each.id in known else each.id for each in properties}
    return {
        "meta": [{"id": property_id, "name": name} for property_id, name in names.items()],
        "rows": {entity_id: _row(kb, kb.index_of(entity_id), properties) for entity_id in extension.ids},
    }


def _row(kb: KB, index: int | None, properties: list[ExtendedProperty]) -> dict[str, list[dict[str, Any]]]:
    return {each.id: [] if index is None else _values(kb, index, each) for each in properties}


def _values(kb: KB, index: int, requested: ExtendedProperty) -> list[dict[str, Any]]:
    values = values_of(kb, index, requested.id)
    settings = requested.settings or {}
    if settings.get("count") in (True, "true", "on", "1"):
        return [{"int": len(values)}]
    return values[: min(number_of(settings.get("limit"), MOST_VALUES) or MOST_VALUES, MOST_VALUES)]


def number_of(given: Any, default: int) -> int:
    """Return a number that a client sends as the content of a form field; anything else: the default."""
    text = str(given)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else default
