"""JSON that is one value, not one per line: OBO graphs, arrays of records, objects with a list of nodes and one of edges."""

from __future__ import annotations

import re
from typing import Any

import orjson

from eigenthemes.errors import SourceError
from eigenthemes.kg.neo4j import plain_record
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.statements import ALIAS, Statements
from eigenthemes.kg.tabular import TableReader

_OBO_GRAPHS = re.compile(rb'"graphs"\s*:\s*\[')
_JSON_LD = re.compile(rb'"@(?:context|graph|id|type)"\s*:')
_EDGE_LISTS = ("edges", "links", "rels", "relationships")
_SYNONYM = re.compile(r"has(Exact|Related|Broad|Narrow)Synonym$")
_OBO_IN_OWL, _OBO = "http://www.geneontology.org/formats/oboInOwl#", "http://purl.obolibrary.org/obo/"
_PROPERTY_EDGES = ("subPropertyOf", "inverseOf")


def detect_json(text: bytes) -> str:
    """Say which JSON a file is by its beginning: jsonld, json (one value) or jsonl (one record a line)."""
    if _OBO_GRAPHS.search(text):
        return "json"
    if _JSON_LD.search(text):
        return "jsonld"
    lines = (line.strip().removeprefix(b"[").removesuffix(b"]").rstrip(b", ") for line in text.split(b"\n"))
    first = next((line for line in lines if line), b"{}")
    try:
        record = orjson.loads(first)
    except orjson.JSONDecodeError:
        return "json"
    return "json" if isinstance(record, dict) and isinstance(record.get("nodes"), list) else "jsonl"


def read_json(data: bytes, options: ReadOptions, origin: str, statements: Statements) -> None:
    """Read a file that is one JSON value; where it is none, line by line."""
    reader = TableReader(statements, options, origin)
    try:
        value = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        lines = data.decode("utf-8", "replace").splitlines()
        if not any(map(_is_record, lines)):
            raise _broken(origin, error) from None
        reader.read_json_lines(lines)
        return
    if isinstance(value, dict) and isinstance(value.get("graphs"), list):
        for graph in value["graphs"]:
            if isinstance(graph, dict):
                _read_obo_graph(graph, options, origin, statements)
        return
    for number, record in enumerate(_records(value, origin), 1):
        if isinstance(record, dict):
            reader.read_record(record, number)
        else:
            statements.diagnostics.add("record that is no object", f"{origin}, record {number:,}")


def _is_record(line: str) -> bool:
    """Is a line a whole JSON object?"""
    try:
        return isinstance(orjson.loads(line.strip().rstrip(",")), dict)
    except orjson.JSONDecodeError:
        return False


def _broken(origin: str, error: orjson.JSONDecodeError) -> SourceError:
    return SourceError(
        f"{origin} is one JSON value that breaks off or is broken at line {error.lineno:,}, column {error.colno:,} "
        f"({error.msg}); get the whole file again, or mend it there",
        code="json-broken",
        where=origin,
    )


def _records(value: Any, origin: str) -> list[Any]:
    """Return all records: of an array, or of an object with nodes and edges."""
    if isinstance(value, list):
        return [plain_record(record) if isinstance(record, dict) else record for record in value]
    lists = [value.get(name) for name in ("nodes", *_EDGE_LISTS)] if isinstance(value, dict) else []
    records = [record for each in lists if isinstance(each, list) for record in each]
    if records:
        return [plain_record(record.get("data", record)) if isinstance(record, dict) else record for record in records]
    if isinstance(value, dict) and ("id" in value or "source" in value):
        return [value]
    keys = ", ".join(list(value)[:6]) if isinstance(value, dict) else type(value).__name__
    raise SourceError(
        f"{origin} is one JSON value ({keys}), but neither OBO graphs, JSON-LD, an array of records nor an object with nodes "
        "and edges; write one record per line",
        code="json-unknown",
        where=origin,
    )


def _read_obo_graph(graph: dict[str, Any], options: ReadOptions, origin: str, statements: Statements) -> None:
    """Read one graph of OBO graphs as the readers of OBO and OWL read the same ontology."""
    statements.is_ontology = True
    properties = set()
    for number, node in enumerate(_listed(graph.get("nodes")), 1):
        if not isinstance(node, dict) or not isinstance(node.get("id"), str):
            statements.diagnostics.add("record without an id", f"{origin}, node {number:,}")
        elif node.get("type") == "PROPERTY" and not options.with_properties:
            properties.add(node["id"])
            _name_relation(node, statements)
        else:
            _name_relation(node, statements)
            _read_node(node, number, options, statements)
    for number, edge in enumerate(_listed(graph.get("edges")), 1):
        ends = [str(edge.get(key) or "") for key in ("sub", "pred", "obj")] if isinstance(edge, dict) else [""]
        if not all(ends):
            statements.diagnostics.add("broken edge", f"{origin}, edge {number:,}")
        elif not properties.intersection((ends[0], ends[2])) and ends[1] not in _PROPERTY_EDGES:
            statements.count += 1
            statements.record_edge(statements.node(ends[0]), statements.node(ends[2]), ends[1], number)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in _listed(value) if isinstance(each, dict)]


def _name_relation(node: dict[str, Any], statements: Statements) -> None:
    if node.get("type") == "PROPERTY" and node.get("lbl"):
        statements.relation_names.setdefault(node["id"], str(node["lbl"]))


def _read_node(node: dict[str, Any], number: int, options: ReadOptions, statements: Statements) -> None:
    meta = node["meta"] if isinstance(node.get("meta"), dict) else {}
    index = statements.record(node["id"], number)
    statements.count += 1
    values = [(given.get("pred"), given.get("val")) for given in _objects(meta.get("basicPropertyValues"))]
    if meta.get("deprecated"):
        statements.leave_out(index, "deprecated")
        for predicate, value in values:
            if predicate == f"{_OBO}IAO_0100001":
                statements.redirects[node["id"]] = str(value)
        return
    if node.get("lbl"):
        statements.name(index, str(node["lbl"]), 0)
    for synonym in _objects(meta.get("synonyms")):
        scope = _SYNONYM.search(str(synonym.get("pred")))
        if scope and scope[1].lower() in options.synonyms:
            statements.name(index, str(synonym.get("val", "")), ALIAS)
    if isinstance(meta.get("definition"), dict):
        statements.description(index, str(meta["definition"].get("val", "")), 0)
    for comment in _listed(meta.get("comments"))[:1]:
        statements.description(index, str(comment), ALIAS)
    for predicate, value in values:
        if predicate == f"{_OBO_IN_OWL}hasAlternativeId":
            statements.redirects[str(value)] = node["id"]
        elif predicate == f"{_OBO_IN_OWL}hasOBONamespace":
            statements.type(index, str(value))
        elif predicate in ("http://www.w3.org/2004/02/skos/core#prefLabel", f"{_OBO}IAO_0000118"):
            statements.name(index, str(value), ALIAS)
