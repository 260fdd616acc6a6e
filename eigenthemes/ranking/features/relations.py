"""The relation of an edge, as people read it."""

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
