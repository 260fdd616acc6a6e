"""What the service tells of entities: their types in words, and which of them a few letters may mean."""

from __future__ import annotations

import re
from typing import Any

from eigenthemes.candidates.generator import CandidateGenerator
from eigenthemes.kb.store import KB
from eigenthemes.text.normalize import normalize


def type_label(kb: KB, type_id: str) -> str:
    """Return a type in words: its label where it is an entity, else the last part of its id."""
    labels: dict[str, str] = kb.cached("type labels", dict)
    label = labels.get(type_id)
    if label is None:
        index = kb.index_of(type_id)
        last = re.split(r"[/#]", type_id.rstrip("/#"))[-1] if "://" in type_id else type_id
        label = labels[type_id] = last if index is None else kb.label_of(index)
    return label


def type_labels(kb: KB, index: int) -> list[str]:
    """Return the types of an entity in words."""
    return [type_label(kb, type_id) for type_id in kb.types_of(index)]


def suggest(kb: KB, generator: CandidateGenerator, prefix: str, *, top: int = 10) -> list[dict[str, Any]]:
    """Return the entities that a few letters may mean: those with a name that begins so, then those with a name like it."""
    found: dict[str, str] = {}
    for entity in kb.search(prefix, limit=top) if prefix.strip() else []:
        found[entity.id] = _matching(prefix, [entity.label, *entity.aliases])
    if len(found) < top and prefix.strip():
        for candidate in generator.records(prefix)[: top - len(found)]:
            found.setdefault(candidate.id, candidate.matched_name)
    return [suggestion(kb, entity_id, name) for entity_id, name in found.items()]


def suggestion(kb: KB, entity_id: str, matched_name: str) -> dict[str, Any]:
    """Return what a list of suggestions shows of an entity."""
    index = kb.index_of(entity_id)
    assert index is not None
    return {
        "id": entity_id,
        "label": kb.label_of(index),
        "description": kb.description_of(index),
        "types": type_labels(kb, index),
        "matched_name": matched_name,
    }


def _matching(prefix: str, names: list[str]) -> str:
    wanted = normalize(prefix)
    return next((name for name in names if normalize(name).startswith(wanted)), names[0])
