"""Graphs in one file: GraphML, OBO graphs, exports of Neo4j, and JSON with a list of nodes and one of edges."""

from __future__ import annotations

import re
from typing import IO, Any
from xml.parsers import expat

import orjson

from eigenthemes.core.diagnostics import Diagnostics, json_objects
from eigenthemes.errors import SourceError
from eigenthemes.kg.columns import plain_record
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.statements import ALIAS, Statements
from eigenthemes.kg.tabular import TableReader

_RELATION = ("relation", "label", "type", "predicate", "labels")  # attributes with the relation of an edge, best first
_EDGE_LISTS = ("edges", "links", "rels", "relationships")
_SYNONYM = re.compile(r"has(Exact|Related|Broad|Narrow)Synonym$")
_OBO_IN_OWL, _OBO = "http://www.geneontology.org/formats/oboInOwl#", "http://purl.obolibrary.org/obo/"
_PROPERTY_EDGES = ("subPropertyOf", "inverseOf")


def read_graphml(stream: IO[bytes], reader: TableReader) -> None:
    """Read the nodes and edges of GraphML, as NetworkX, Gephi, yEd and Neo4j write it."""
    parser = _GraphmlParser(reader)
    try:
        parser.expat.ParseFile(stream)
    except expat.ExpatError as error:
        reader.statements.diagnostics.add("broken XML", f"{reader.origin}:{error.lineno}", expat.ErrorString(error.code))


class _GraphmlParser:
    """Turns elements into records of a table."""

    def __init__(self, reader: TableReader) -> None:
        self.reader = reader
        self.keys: dict[str, str] = {}  # key -> name of the attribute
        self.record: dict[str, Any] | None = None
        self.is_edge = False
        self.attribute, self.text = "", list[str]()
        self.expat = expat.ParserCreate()
        self.expat.StartElementHandler = self._start
        self.expat.EndElementHandler = self._end
        self.expat.CharacterDataHandler = self.text.append
        self.expat.EntityDeclHandler = self._refuse_entities

    def _refuse_entities(self, *_: Any) -> None:
        raise SourceError(f"{self.reader.origin} declares entities, which GraphML does not use; write it without them")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        name = element.rpartition(":")[2]
        if name == "key":
            self.keys[attributes.get("id", "")] = attributes.get("attr.name", attributes.get("id", ""))
        elif name == "node":
            self.record, self.is_edge = {"id": attributes.get("id")}, False
            if attributes.get("labels"):
                self.record["labels"] = attributes["labels"]
        elif name == "edge":
            self.record, self.is_edge = {key: attributes.get(key) for key in ("source", "target", "label")}, True
        elif name == "data":
            self.attribute = self.keys.get(attributes.get("key", ""), attributes.get("key", ""))
        elif name in ("NodeLabel", "EdgeLabel"):  # yEd writes names into the drawing
            self.attribute = "label"
        self.text.clear()

    def _end(self, element: str) -> None:
        name = element.rpartition(":")[2]
        if name in ("data", "NodeLabel", "EdgeLabel"):
            text = "".join(self.text).strip()
            if self.record is not None and self.attribute and text and self.attribute not in ("id", "source", "target"):
                self.record[self.attribute] = text
            self.attribute = ""
        elif name in ("node", "edge") and self.record is not None:
            self.reader.read_record(self._record(self.record), self.expat.CurrentLineNumber)
            self.record = None
        self.text.clear()

    def _record(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """Return the attributes of a node or an edge as a record of a table."""
        if self.is_edge:
            relation = next((attributes[name] for name in _RELATION if attributes.get(name)), None)
            return {"source": attributes["source"], "target": attributes["target"], "relation": relation}
        types = [label for label in attributes.pop("labels", "").split(":") if label]  # of Neo4j: `:Person:Actor`
        return {**attributes, "type": types} if types else attributes


def read_json(data: bytes, options: ReadOptions, origin: str, statements: Statements) -> None:
    """Read a file that is one JSON value, or else one record per line."""
    reader = TableReader(statements, options, origin)
    try:
        value = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        lines = data.splitlines()
        if next(json_objects(lines, 1, origin, "", Diagnostics()), None) is None:
            raise SourceError(
                f"{origin} is one JSON value that breaks off or is broken at line {error.lineno:,}, column {error.colno:,} "
                f"({error.msg}); get the whole file again, or mend it there",
                code="json-broken",
                where=origin,
            ) from None
        reader.read_json_lines(lines)
        return
    if isinstance(value, dict) and isinstance(value.get("graphs"), list):
        for graph in _objects(value["graphs"]):
            _read_obo_graph(graph, options, origin, statements)
        return
    for number, record in enumerate(_records(value, origin), 1):
        if isinstance(record, dict):
            reader.read_record(plain_record(record), number)
        else:
            statements.diagnostics.add("record that is no object", f"{origin}, record {number:,}")


def _records(value: Any, origin: str) -> list[Any]:
    """Return all records: of an array, or of an object with nodes and edges."""
    if isinstance(value, list):
        return value
    lists = [value.get(name) for name in ("nodes", *_EDGE_LISTS)] if isinstance(value, dict) else []
    records = [record for each in lists for record in _listed(each)]
    if records:
        return [record.get("data", record) if isinstance(record, dict) else record for record in records]
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
    """Read an OBO graph as the readers of OBO and OWL read the same ontology."""
    statements.is_ontology = True
    properties = set()
    for number, node in enumerate(_listed(graph.get("nodes")), 1):
        if not isinstance(node, dict) or not isinstance(node.get("id"), str):
            statements.diagnostics.add("record without an id", f"{origin}, node {number:,}")
            continue
        is_property = node.get("type") == "PROPERTY"
        if is_property and node.get("lbl"):
            statements.relation_names.setdefault(node["id"], str(node["lbl"]))
        if is_property and not options.with_properties:
            properties.add(node["id"])
        else:
            _read_obo_node(node, number, options, statements)
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


def _read_obo_node(node: dict[str, Any], number: int, options: ReadOptions, statements: Statements) -> None:
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
