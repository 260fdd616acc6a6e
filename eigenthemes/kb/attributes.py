"""Attributes of entities (types and directed relations), and their names for people."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.store import KB

FILES = ("attribute_indptr", "entity_attributes", "attribute_share")


@dataclass(frozen=True, slots=True)
class EntityAttributes:
    """The distinct attributes of each entity, and their background frequencies.

    indptr      [n + 1] int64
    attributes  [q] uint32: those of entity i are attributes[indptr[i]:indptr[i + 1]]
    share       [attributes] float64 in (0, 1): of made-up names, those with a candidate that has it
    """

    indptr: NDArray[np.int64]
    attributes: NDArray[np.uint32]
    share: NDArray[np.float64]

    @property
    def lists(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The attributes of each entity, as kernels take them."""
        return self.indptr, self.attributes

    def files(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a KB keeps, by name."""
        return dict(zip(FILES, (self.indptr, self.attributes, self.share), strict=True))

    @classmethod
    def of(cls, kb: KB) -> EntityAttributes | None:
        """Return those that a KB keeps; None: it has no ranker."""
        return cls(*(kb.array(name) for name in FILES)) if all(map(kb.has, FILES)) else None


def attribute_count(kb: KB) -> int:
    """Return how many attributes there are."""
    return len(kb.types) + 2 * len(kb.relations)


def collect_attributes(kb: KB) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the distinct attributes of each entity of a KB (indptr [n + 1], attributes [q])."""
    from eigenthemes.kernels.columns import entity_attributes

    types = kb.array("type_indptr"), kb.array("entity_types")
    graph = kb.graph.indptr, kb.graph.relations
    further = kb.array("graph_more_entries"), kb.array("graph_more_relations")
    collect = entity_attributes.select_backend(len(types[1]) + len(graph[1]))
    indptr, attributes = collect(types, graph, further, len(kb.types), attribute_count(kb))
    return indptr, attributes


def relation_code(kb: KB, entity: int, neighbor: int) -> int:
    """Return the relation that joins an entity with a neighbour, as `Graph.relations` has it."""
    graph = kb.graph
    return int(graph.relations[graph.indptr[entity] + np.searchsorted(graph.around(entity), neighbor)])


def readable_relation(kb: KB, code: int) -> str:
    """Return the name of a relation as words."""
    return readable(str(kb.relations[code >> 1]))


def readable(relation: str) -> str:
    """Return a relation as words: https://example.org/partOf and part_of are both "part of"."""
    name = re.sub(r"^[\w.-]*:(?=\w)", "", last_part(relation)).replace("_", " ").strip()
    words = re.sub(r"(?<=[a-z])[A-Z](?=[a-z])", lambda capital: f" {capital[0].lower()}", name)
    words = words[:1].lower() + words[1:] if words[1:2].islower() else words
    return "linked" if words in ("", "link") else words


def last_part(name: str) -> str:
    """Return the part of an IRI that people read."""
    if "://" not in name:
        return name
    return re.split(r"[/#]", name.rstrip("/#>"))[-1] or name


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
