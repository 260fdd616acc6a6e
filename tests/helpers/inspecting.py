"""Read a KB by entity id, and list the methods that need only a KB with vectors."""

from __future__ import annotations

from eigenthemes import KB
from eigenthemes.ranking.methods import METHODS

UNTRAINED_METHODS = [name for name, method in METHODS.items() if not method.calibrated and method.check is None]


def index_of(kb: KB, entity_id: str) -> int:
    index = kb.index_of(entity_id)
    assert index is not None, f"{entity_id} is not in the KB"
    return index


def names_of(kb: KB, entity_id: str) -> list[str]:
    return kb.names_of(index_of(kb, entity_id))


def neighbours_of(kb: KB, entity_id: str) -> set[str]:
    return {kb.id_of(neighbour) for neighbour in kb.graph.around(index_of(kb, entity_id)).tolist()}


def diagnostics_of(kb: KB) -> dict[str, int]:
    """Return what was counted while reading, but for the note that these small graphs have no edges."""
    return {kind: count for kind, count in kb.manifest["problems"].items() if kind != "no edges at all"}
