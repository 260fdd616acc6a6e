"""Attributes of entities (types and directed relations), their names for people, and kernels over columns of names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import note
from eigenthemes.core.entity_ids import last_part
from eigenthemes.core.jit import kernel
from eigenthemes.kb.data_files import StoredArrays
from eigenthemes.kb.store import KB


@dataclass(frozen=True, slots=True)
class EntityAttributes(StoredArrays):
    """The distinct attributes of each entity, and their background frequencies.

    indptr      [n + 1] int64
    attributes  [q] uint32: those of entity i are attributes[indptr[i]:indptr[i + 1]]
    share       [attributes] float64 in (0, 1): share of synthetic names with a candidate that has it
    """

    FILES = ("attribute_indptr", "entity_attributes", "attribute_share")

    indptr: NDArray[np.int64]
    attributes: NDArray[np.uint32]
    share: NDArray[np.float64]

    @property
    def lists(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The attributes of each entity, as kernels take them."""
        return self.indptr, self.attributes


def attribute_count(kb: KB) -> int:
    """Return how many attributes there are."""
    return len(kb.types) + 2 * len(kb.relations)


def collect_attributes(kb: KB) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the distinct attributes of each entity of a KB (indptr [n + 1], attributes [q])."""
    types = kb.array("type_indptr"), kb.array("entity_types")
    graph = kb.graph.indptr, kb.graph.relations
    further = kb.array("graph_more_entries"), kb.array("graph_more_relations")
    collect = entity_attributes.select_backend(len(types[1]) + len(graph[1]))
    indptr, attributes = collect(types, graph, further, len(kb.types), attribute_count(kb))
    return indptr, attributes


def relation_codes(kb: KB, entity: int, other: int) -> list[int]:
    """Return all relations that join an entity with another one, as `Graph.relations` has them, the rarest first."""
    graph = kb.graph
    around = graph.around(entity)
    at = int(np.searchsorted(around, other))
    if at >= len(around) or around[at] != other:
        return []
    entry = int(graph.indptr[entity]) + at
    return [int(graph.relations[entry]), *kb.further_relations.of(entry)]


def readable_relation(kb: KB, code: int) -> str:
    """Return the name of a relation as words."""
    return readable(str(kb.relations[code >> 1]))


def readable(relation: str) -> str:
    """Return a relation as words: https://example.org/partOf and part_of are both "part of"."""
    name = re.sub(r"^[\w.-]*:(?=\w)", "", last_part(relation)).replace("_", " ").strip()
    words = re.sub(r"(?<=[a-z])[A-Z](?=[a-z])", lambda capital: f" {capital[0].lower()}", name)
    words = words[:1].lower() + words[1:] if words[1:2].islower() else words
    return "linked" if words in ("", "link") else words


def described_attribute(kb: KB, attribute: int) -> tuple[str, str, bool, bool]:
    """Return an attribute as of `kb.attributes`: its id, as words, is it a type, does it run from the neighbour."""
    types = len(kb.types)
    if attribute < types:
        return str(kb.types[attribute]), type_label(kb, str(kb.types[attribute])), True, False
    code = attribute - types
    return str(kb.relations[code >> 1]), readable_relation(kb, code), False, bool(code & 1)


def type_label(kb: KB, type_id: str) -> str:
    """Return the label of a type if it is an entity, else the readable part of its id."""
    index = kb.index_of(type_id)
    names = [] if index is None else kb.names_of(index)
    return names[0] if names else readable(type_id)


SAMPLE = 200  # names of a column that are counted, evenly spaced
LEAST_UNITS = 3  # names of a column from which on it is evidence
_MOST_COMMON = 0.98


@kernel
def entity_attributes(types: Any, graph: Any, further: Any, type_count: Any, attribute_count: Any) -> Any:
    """Return the distinct attributes of each entity: (indptr [n + 1] int64, attributes [q] uint32).

    types    (indptr [n + 1], types of the entities)
    graph    (indptr [n + 1], relations [2m]); further (entries [q] ascending, relations [q]): `FurtherRelations`
    """
    seen = np.full(attribute_count, -1, np.int64)
    indptr = np.zeros(len(types[0]), np.int64)
    found = np.zeros(1024, np.uint32)
    many, entry = 0, 0
    for entity in range(len(indptr) - 1):
        for k in range(types[0][entity], types[0][entity + 1]):
            found, many = note(found, many, seen, types[1][k], entity)
        for k in range(graph[0][entity], graph[0][entity + 1]):
            found, many = note(found, many, seen, type_count + np.int64(graph[1][k]), entity)
            while entry < len(further[0]) and further[0][entry] <= k:
                found, many = note(found, many, seen, type_count + np.int64(further[1][entry]), entity)
                entry += 1
        indptr[entity + 1] = many
    return indptr, np.copy(found[:many])


@kernel
def names_with(bounds: Any, entity: Any, attributes: Any, attribute_count: Any) -> Any:
    """Count the names with a candidate that has each attribute [attributes]; candidates of name i: bounds[i]:bounds[i + 1]."""
    count = np.zeros(attribute_count, np.int64)
    seen = np.full(attribute_count, -1, np.int64)
    touched = np.zeros(attribute_count, np.int64)
    many = 0
    for name in range(len(bounds) - 1):
        many = count_name(name, bounds, entity, attributes, count, seen, touched, many)
    return count


@kernel
def column_evidence(columns: Any, bounds: Any, entity: Any, attributes: Any, share: Any) -> Any:
    """Compute the support of each candidate by the other names of its column.

    columns     (indptr [c + 1], names): the names of each column that have candidates; bounds [m + 1] candidates of each name
    entity      [n] int64
    attributes  (indptr, attributes) as of `entity_attributes`; share [attributes] of all names that have a candidate with it

    Of each candidate the attribute with the strongest evidence counts: the log-likelihood ratio of as many of the other names
    having it, by the column and by the background, per name.

    Returns (evidence [n] float64; attribute [n] int64, -1 for none; having, others [n] int64: `having` of the `others` names
    that were counted have it).
    """
    evidence = np.zeros(len(entity), np.float64)
    attribute = np.full(len(entity), -1, np.int64)
    having = np.zeros(len(entity), np.int64)
    others = np.zeros(len(entity), np.int64)
    count = np.zeros(len(share), np.int64)
    seen = np.full(len(share), -1, np.int64)
    touched = np.zeros(len(share), np.int64)
    ratio = np.zeros((2, len(share)), np.float64)  # seen from a name that was counted, and from another
    for column in range(len(columns[0]) - 1):
        names = columns[1][columns[0][column] : columns[0][column + 1]]
        if len(names) < LEAST_UNITS:
            continue
        counted = min(len(names), SAMPLE)
        many = 0
        for number in range(counted):
            many = count_name(names[number * len(names) // counted], bounds, entity, attributes, count, seen, touched, many)
        for k in range(many):
            a = touched[k]
            ratio[0, a] = log_ratio(count[a] - 1, counted - 1, share[a]) / counted
            ratio[1, a] = log_ratio(count[a], counted, share[a]) / (counted + 1)
        following = 0
        for number in range(len(names)):
            own = following < counted and following * len(names) // counted == number
            following += own
            for row in range(bounds[names[number]], bounds[names[number] + 1]):
                others[row] = counted - own
                for k in range(attributes[0][entity[row]], attributes[0][entity[row] + 1]):
                    a = attributes[1][k]
                    if count[a] and ratio[1 - own, a] > evidence[row]:
                        evidence[row], attribute[row] = ratio[1 - own, a], a
                        having[row] = count[a] - own
        for k in range(many):
            count[touched[k]] = 0
            seen[touched[k]] = -1
    return evidence, attribute, having, others


@kernel
def count_name(name: Any, bounds: Any, entity: Any, attributes: Any, count: Any, seen: Any, touched: Any, many: Any) -> Any:
    """Count a name for each attribute that a candidate of it has; return how many attributes are touched so far."""
    for row in range(bounds[name], bounds[name + 1]):
        for k in range(attributes[0][entity[row]], attributes[0][entity[row] + 1]):
            a = attributes[1][k]
            if seen[a] != name:
                if not count[a]:
                    touched[many] = a
                    many += 1
                seen[a] = name
                count[a] += 1
    return many


@kernel
def log_ratio(having: Any, others: Any, share: Any) -> Any:
    """Return the log-likelihood ratio of `having` of `others` names having an attribute; 0 where few have it."""
    p = min(having / (others + 1), _MOST_COMMON)
    if p <= share:
        return 0.0
    return having * log(p / share) + (others - having) * log((1 - p) / (1 - share))
