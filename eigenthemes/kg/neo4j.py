"""Exports of Neo4j: APOC's JSON lines, and the headers of CSV files for `neo4j-admin import`."""

from __future__ import annotations

import re
from typing import Any

_HEADER = re.compile(r"(?P<name>[^:]*):(?P<role>ID|START_ID|END_ID|LABEL|TYPE)(?:\((?P<space>[^)]*)\))?(?:\{.*\})?")
_TYPED = re.compile(
    r"(?P<name>[^:]+):(?:int|long|float|double|boolean|byte|short|char|string|point|date|time|localtime|datetime|localdatetime|duration)"
    r"(?:\[\])?(?:\{.*\})?",
    re.IGNORECASE,
)


def plain_record(record: dict[str, Any]) -> dict[str, Any]:
    """Return a node or relationship of APOC's export as a record of a table; any other record as it is."""
    kind, properties = record.get("type"), record.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    if kind == "node" and "id" in record and ("labels" in record or "properties" in record):
        return {**properties, "type": record.get("labels") or [], "id": record["id"]}
    start, end = record.get("start"), record.get("end")
    if kind == "relationship" and isinstance(start, dict) and isinstance(end, dict):
        return {"source": start.get("id"), "target": end.get("id"), "relation": record.get("label")}
    return record


def plain_header(cell: str) -> tuple[str, str]:
    """Return the header of a column without what Neo4j adds to it, and the space its ids live in ("" for none).

    `personId:ID(Person)` -> `:ID`, `Person`; `name:string` -> `name`.
    """
    match = _HEADER.fullmatch(cell.strip())
    if match:
        return f":{match['role']}", match["space"] or ""
    typed = _TYPED.fullmatch(cell.strip())
    return (typed["name"], "") if typed else (cell, "")
