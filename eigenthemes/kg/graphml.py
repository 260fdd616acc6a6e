"""GraphML: nodes and edges with attributes, as NetworkX, Gephi, yEd and Neo4j write them."""

from __future__ import annotations

from typing import IO, Any
from xml.parsers import expat

from eigenthemes.errors import SourceError
from eigenthemes.kg.tabular import TableReader

_RELATION = ("relation", "label", "type", "predicate", "labels")  # attributes of an edge that say what it is, best first


def read_graphml(stream: IO[bytes], reader: TableReader) -> None:
    """Read the nodes and edges of a GraphML file."""
    parser = _Parser(reader)
    try:
        parser.expat.ParseFile(stream)
    except expat.ExpatError as error:
        reader.statements.diagnostics.add("broken XML", f"{reader.origin}:{error.lineno}", expat.ErrorString(error.code))


class _Parser:
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
        raise SourceError(
            f"{self.reader.origin} declares entities of its own, which GraphML has no use for; write it without them"
        )

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        name = element.rpartition(":")[2]
        if name == "key":
            self.keys[attributes.get("id", "")] = attributes.get("attr.name", attributes.get("id", ""))
        elif name == "node":
            self.record, self.is_edge = {"id": attributes.get("id")}, False
            if attributes.get("labels"):
                self.record["labels"] = attributes["labels"]
        elif name == "edge":
            self.record, self.is_edge = {}, True
            self.record.update(source=attributes.get("source"), target=attributes.get("target"), label=attributes.get("label"))
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
            record = _edge(self.record) if self.is_edge else _node(self.record)
            self.reader.read_record(record, self.expat.CurrentLineNumber)
            self.record = None
        self.text.clear()


def _node(attributes: dict[str, Any]) -> dict[str, Any]:
    labels = attributes.pop("labels", "")  # of Neo4j: `:Person:Actor`
    types = [label for label in labels.split(":") if label]
    return {**attributes, "type": types} if types else attributes


def _edge(attributes: dict[str, Any]) -> dict[str, Any]:
    relation = next((attributes[name] for name in _RELATION if attributes.get(name)), None)
    return {"source": attributes["source"], "target": attributes["target"], "relation": relation}
