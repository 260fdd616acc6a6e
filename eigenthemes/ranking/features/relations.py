"""The relation of an edge, and other attributes of entities, as people read them."""

from __future__ import annotations

import re

import numpy as np

from eigenthemes.kb.store import KB


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
    """Return the label of a type, where it is an entity of its own; else the part of its id that people read."""
    index = kb.index_of(type_id)
    names = [] if index is None else kb.names_of(index)
    return names[0] if names else readable(type_id)
