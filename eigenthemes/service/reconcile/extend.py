"""Data extension: the values of properties for rows that are matched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eigenthemes.errors import DocumentError
from eigenthemes.kb.store import KB
from eigenthemes.service.reconcile.properties import properties_of, values_of

MOST_VALUES = 1_000  # of a property of one row
MOST_IDS = 1_000
MOST_PROPERTIES = 100
TOO_MANY = "batch-too-large"  # code of what is answered with 413

SETTINGS: list[dict[str, Any]] = [
    {
        "type": "number",
        "name": "limit",
        "label": "At most so many values",
        "default": 0,
        "help_text": "0: all of them; each value beyond the first makes a row of its own",
    },
    {
        "type": "checkbox",
        "name": "count",
        "label": "Count them",
        "default": False,
        "help_text": "the number of values instead of the values",
    },
]


def extend(kb: KB, query: Any) -> dict[str, Any]:
    """Answer a data extension query; unknown ids and properties have no values."""
    ids, properties = _checked(query)
    known = properties_of(kb)
    names = {each["id"]: known[each["id"]].name if each["id"] in known else each["id"] for each in properties}
    return {
        "meta": [{"id": property_id, "name": name} for property_id, name in names.items()],
        "rows": {entity_id: _row(kb, kb.index_of(entity_id), properties) for entity_id in ids},
    }


def _row(kb: KB, index: int | None, properties: list[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    return {each["id"]: [] if index is None else _values(kb, index, each) for each in properties}


def _values(kb: KB, index: int, wanted: Mapping[str, Any]) -> list[dict[str, Any]]:
    values = values_of(kb, index, wanted["id"])
    settings = wanted.get("settings") or {}
    if settings.get("count") in (True, "true", "on", "1"):
        return [{"int": len(values)}]
    return values[: _limit(settings.get("limit"))]


def _limit(given: Any) -> int:
    """Return how many values are wanted; OpenRefine sends what stands in its form, as a string."""
    text = str(given)
    return min(int(text), MOST_VALUES) if text.isdecimal() and len(text) < 10 and int(text) else MOST_VALUES


def _checked(query: Any) -> tuple[list[str], list[Mapping[str, Any]]]:
    ids, properties = (query.get("ids"), query.get("properties")) if isinstance(query, Mapping) else (None, None)
    if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
        raise DocumentError(
            'extend has no list of ids; expected {"ids": ["Q90"], "properties": [...]}', code="extend", where="ids"
        )
    if not isinstance(properties, list) or not all(_is_property(each) for each in properties):
        raise DocumentError(
            'extend has no list of properties; expected {"ids": [...], "properties": [{"id": "country"}]}',
            code="extend",
            where="properties",
        )
    for what, found, most in (("ids", ids, MOST_IDS), ("properties", properties, MOST_PROPERTIES)):
        if len(found) > most:
            raise DocumentError(f"extend has {len(found):,} {what}; send at most {most:,} at once", code=TOO_MANY, where=what)
    return ids, properties


def _is_property(given: Any) -> bool:
    return isinstance(given, Mapping) and isinstance(given.get("id"), str) and isinstance(given.get("settings") or {}, Mapping)
