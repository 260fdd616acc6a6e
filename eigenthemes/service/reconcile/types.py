"""The types of a KB as the protocol shows them: an id, a name, and how many entities are of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.kb.store import KB
from eigenthemes.service.entities import type_label
from eigenthemes.service.reconcile.named import Named

_DEFAULT_TYPES = 10


def types_of(kb: KB) -> dict[str, Named]:
    """Return the types that entities with a name have, the most frequent first, by their ids."""
    return kb.cached(_types_of)


def _types_of(kb: KB) -> dict[str, Named]:
    owner = np.repeat(np.arange(len(kb)), np.diff(kb.array("type_indptr")))
    counts = np.bincount(kb.array("entity_types")[kb.linkable[owner]], minlength=len(kb.types))
    rows = np.argsort(-counts, kind="stable").tolist()
    used = [(str(kb.types[row]), int(counts[row])) for row in rows if counts[row]]
    return {type_id: Named(type_id, type_label(kb, type_id), f"{count:,} entities") for type_id, count in used}


def default_types(kb: KB) -> list[dict[str, Any]]:
    """Return the types that are offered where none is asked for."""
    return [{"id": each.id, "name": each.name} for each in list(types_of(kb).values())[:_DEFAULT_TYPES]]


def type_records(kb: KB, index: int) -> list[dict[str, str]]:
    """Return the types of an entity."""
    known = types_of(kb)
    return [{"id": each, "name": known[each].name if each in known else type_label(kb, each)} for each in kb.types_of(index)]
