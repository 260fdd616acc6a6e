"""A KB to reconcile with, a service over it, and the protocol's own schemas."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from eigenthemes import KB, Linker
from eigenthemes.service.reconcile.queries import parse_batch
from eigenthemes.service.reconcile.reconciler import Reconciler
from eigenthemes.train import store_ranker
from helpers.explaining import ranker_by_hand
from helpers.files import REAL_DATA, write_jsonl
from helpers.kbs import build_untrained

PROTOCOL = REAL_DATA.parent / "reconcile-0.2"
EVIL = '<script>alert("x")</script>'

ATLAS_NODES: list[dict[str, Any]] = [
    {"id": "fr", "name": "Paris", "aliases": ["City of Light", "باريس"], "description": "capital of France", "prior": 1000},
    {"id": "tx", "name": "Paris", "description": "city in Texas", "prior": 50},
    {"id": "ky", "name": "Paris", "description": "city in Kentucky", "prior": 40},
    {"id": "lamar", "name": "Lamar County", "prior": 40},
    {"id": "texas", "name": "Texas", "description": "state", "prior": 500},
    {"id": "kentucky", "name": "Kentucky", "description": "state", "prior": 300},
    {"id": "france", "name": "France", "prior": 900},
    {"id": "dallas", "name": "Dallas", "prior": 80},
    {"id": "frankfort", "name": "Frankfort", "prior": 70},
    {"id": "evil", "name": f"Evil {EVIL}", "description": EVIL, "prior": 5},
    {"id": "http://example.org/onto#C1", "name": "Hashtown", "prior": 4},
    {"id": "a&b=c+d", "name": "Ampersandville", "prior": 3},
]
ATLAS_TYPES = {
    "fr": ["City", "Capital"], "tx": ["City"], "ky": ["City"], "lamar": ["County"], "texas": ["State"], "kentucky": ["State"],
    "france": ["Country"], "dallas": ["City"], "frankfort": ["City", "Capital"], "evil": [EVIL],
}  # fmt: skip
ATLAS_EDGES = [
    ("tx", "part_of", "lamar"), ("lamar", "part_of", "texas"), ("tx", "part_of", "texas"), ("dallas", "part_of", "texas"),
    ("fr", "capital_of", "france"), ("fr", "part_of", "france"), ("ky", "part_of", "kentucky"),
    ("frankfort", "capital_of", "kentucky"), ("frankfort", "part_of", "kentucky"), ("evil", EVIL, "texas"),
]  # fmt: skip


def build_atlas(folder: Path) -> KB:
    """Build a KB of places called Paris and of names that are no good to HTML and URLs; a ranker made by hand."""
    nodes = [{**node, "type": ATLAS_TYPES.get(node["id"], [])} for node in ATLAS_NODES]
    edges = [{"source": source, "relation": relation, "target": target} for source, relation, target in ATLAS_EDGES]
    sources = [write_jsonl(folder / "nodes.jsonl", nodes), write_jsonl(folder / "edges.jsonl", edges)]
    return store_ranker(build_untrained(sources, folder / "atlas.kb", embedding=None), ranker_by_hand())


def reconcile(kb: KB, queries: dict[str, Any], *, context: str = "column", method: str | None = None) -> dict[str, Any]:
    """Answer a batch of queries by a reconciler of its own."""
    return Reconciler(Linker(kb, method=method, top=50), context=context).answer(parse_batch(queries))


def ids(answer: dict[str, Any]) -> list[str]:
    """Return the ids of the candidates of an answer."""
    return [candidate["id"] for candidate in answer["result"]]


@cache
def _schemas() -> Registry[Any]:
    if not PROTOCOL.exists():
        pytest.skip(f"the schemas of the protocol are not in {PROTOCOL}; set EIGENTHEMES_DATA to the folder beside them")
    contents = [json.loads(file.read_text(encoding="utf-8")) for file in sorted((PROTOCOL / "schemas").glob("*.json"))]
    for content in contents:  # as written, the schema of a schema has no version, which only new ones understand
        content["$schema"] = "http://json-schema.org/draft-07/schema#"
    return Registry().with_resources((content["$id"], Resource.from_contents(content)) for content in contents)


def is_valid(schema: str, record: Any) -> bool:
    """Return whether a record is as a schema of the protocol says."""
    content = json.loads((PROTOCOL / "schemas" / f"{schema}.json").read_text(encoding="utf-8")) if _schemas() else {}
    content["$schema"] = "http://json-schema.org/draft-07/schema#"
    errors = jsonschema.Draft7Validator(content, registry=_schemas()).iter_errors(record)
    return next(iter(errors), None) is None


def examples(kind: str, verdict: str) -> dict[str, Any]:
    """Return the examples of the protocol of a kind, valid or invalid ones, by the names of their files."""
    _schemas()
    files = sorted((PROTOCOL / "examples" / kind / verdict).glob("*.json"))
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}
