"""Create documents to link, and read linked documents."""

from __future__ import annotations

import json
from typing import Any

from eigenthemes import Linker
from eigenthemes.records import Link


def names_document(*names: str, **fields: Any) -> dict[str, Any]:
    """Return a document of mentions without a text; `fields` (gold, candidates) go to each mention."""
    return {"mentions": [{"text": name, **fields} for name in names]}


def json_line(record: Any) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def linked_entities(documents: list[Any]) -> list[list[str | None]]:
    """Return the entity ids of linked documents as JSON objects."""
    return [[mention["entity"] for mention in document["mentions"]] for document in documents]


def link_one(linker: Linker, name: str, **fields: Any) -> Link:
    """Link a document with this one mention."""
    (link,) = linker.link(names_document(name, **fields)).links
    return link


def to_json(linked: Any) -> str:
    """Return a linked document as JSON, refusing what is none."""
    return json.dumps(linked.to_dict(), allow_nan=False)
