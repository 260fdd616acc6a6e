"""The roles of a table's columns, found by their usual names or given by the user, and the headers of Neo4j."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eigenthemes.errors import SourceError
from eigenthemes.kg.options import ReadOptions

# role -> header names, best first, in lower case without spaces, dots, dashes and underscores
_NODE_HEADERS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "iri", "uri", "qid", "identifier", "nodeid", "entityid", "entity", "node", "curie", "#id", ":id"),
    "name": ("name", "label", "preflabel", "preferredlabel", "title"),
    "aliases": ("aliases", "alias", "synonyms", "synonym", "altlabel", "altlabels", "alternatenames", "altnames"),
    "description": ("description", "definition", "def", "comment", "abstract"),
    "prior": ("prior", "degree", "popularity", "population"),
    "type": ("type", "types", "class", "category", ":label"),
    "edge": (),  # ids of other nodes: no name is usual enough to be taken for one
}
_EDGE_HEADERS: Mapping[str, tuple[str, ...]] = {
    "source": ("source", "subject", "head", "from", "src", "sourceid", "node1", ":startid"),
    "target": ("target", "object", "tail", "to", "dst", "targetid", "node2", ":endid"),
    "relation": ("relation", "predicate", "property", "rel", "edge", "relationtype", "type", "label", ":type"),
}
NULL = "\\N"  # an empty value in exports of databases
_LONGEST_HEADER = 60  # letters of a column name
_MOST_WORDS = 6  # of a first row that ends like a sentence
# headers of CSV files for `neo4j-admin import`
_NEO4J_ROLE = re.compile(r"(?P<name>[^:]*):(?P<role>ID|START_ID|END_ID|LABEL|TYPE)(?:\((?P<space>[^)]*)\))?(?:\{.*\})?")
_NEO4J_TYPED = re.compile(
    r"(?P<name>[^:]+):(?:int|long|float|double|boolean|byte|short|char|string|point|date|time|localtime|datetime|localdatetime|duration)"
    r"(?:\[\])?(?:\{.*\})?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of each role, best first."""

    edge: bool
    kgtk: bool
    at: dict[str, list[int]]
    spaces: dict[str, str] = field(default_factory=dict)  # role -> namespace of its ids (Neo4j)
    relations: dict[int, str] = field(default_factory=dict)  # column with edges of a node -> name of the relation

    def first(self, role: str, row: Sequence[Any]) -> Any:
        """Return the value of the best column of a role; None where it is missing or empty."""
        columns = self.at.get(role)
        value = row[columns[0]] if columns and columns[0] < len(row) else None
        if value == "":
            return None
        return f"{self.spaces[role]}:{value}" if value is not None and role in self.spaces else value

    def all(self, role: str, row: Sequence[Any]) -> list[Any]:
        """Return the values of all columns of a role that have one."""
        return [row[i] for i in self.at.get(role, ()) if i < len(row) and row[i] not in (None, "")]


def find_columns(header: Sequence[str], options: ReadOptions) -> Columns | None:
    """Return the columns of a table of edges or nodes; None where the header is of neither."""
    spaces = [_plain_header(cell)[1] for cell in header]
    plain = [_plain(_plain_header(cell)[0]) for cell in header]
    for headers, required in ((_EDGE_HEADERS, ("source", "target")), (_NODE_HEADERS, ("id",))):
        at: dict[str, list[int]] = {}
        for role, names in headers.items():
            given = [i for i, cell in enumerate(header) if (role, cell.strip()) in options.columns]
            taken = {i for i, cell in enumerate(header) if cell.strip() in {column for _, column in options.columns}}
            known = sorted((names.index(cell), i) for i, cell in enumerate(plain) if cell in names and i not in taken)
            at[role] = given + [i for _, i in known]
        if all(at[role] for role in required):
            own = {role: spaces[at[role][0]] for role in ("id", "source", "target") if at.get(role) and spaces[at[role][0]]}
            relations = {i: header[i].strip() if options.header else "link" for i in at.get("edge", ())}
            return Columns(headers is _EDGE_HEADERS, {"node1", "node2"} <= set(plain), at, own, relations)
    return None


def known_headers(header: Sequence[str]) -> list[int]:
    """Return the positions of cells that are the usual name of a column."""
    names = {name for headers in (_NODE_HEADERS, _EDGE_HEADERS) for usual in headers.values() for name in usual}
    return [i for i, cell in enumerate(header) if _plain(_plain_header(cell)[0]) in names]


def _plain(header: str) -> str:
    return header.strip().lower().translate(str.maketrans("", "", " ._-"))


def plain_record(record: dict[str, Any]) -> dict[str, Any]:
    """Return a node or relationship of Neo4j's APOC export as a record of a table; other records unchanged."""
    kind, properties = record.get("type"), record.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    if kind == "node" and "id" in record and ("labels" in record or "properties" in record):
        return {**properties, "type": record.get("labels") or [], "id": record["id"]}
    start, end = record.get("start"), record.get("end")
    if kind == "relationship" and isinstance(start, dict) and isinstance(end, dict):
        return {"source": start.get("id"), "target": end.get("id"), "relation": record.get("label")}
    return record


def _plain_header(cell: str) -> tuple[str, str]:
    """Return a header without Neo4j's additions, and the namespace of its ids: `personId:ID(Person)` is `:ID`, `Person`."""
    match = _NEO4J_ROLE.fullmatch(cell.strip())
    if match:
        return f":{match['role']}", match["space"] or ""
    typed = _NEO4J_TYPED.fullmatch(cell.strip())
    return (typed["name"], "") if typed else (cell, "")


def no_header_error(origin: str, header: Sequence[str]) -> SourceError:
    """Return the error for a first row that may be data; the advice loses no row."""
    cells = [" ".join(cell.split()) for cell in header]
    start = ", ".join(cell for cell in cells if cell)[:100]
    is_data = any(not cell or cell == NULL or _is_number(cell) for cell in cells)
    if is_data:
        return SourceError(
            f"{origin} seems to have no header (its first row is {start}); say that it has none, and which column is "
            "which by number, e.g. id=1 and name=2",
            code="no-header",
            where=Path(origin).name,
        )
    if _is_prose(cells):
        return SourceError(
            f"{origin} begins with a sentence ({start[:_LONGEST_HEADER]}…), as a text for people does; give RDF, OBO, "
            "or tables with a header",
            code="format-refused",
            where=origin,
        )
    return SourceError(
        f"{origin} has no column with a usual name (its first row is {start}); if that is a header, say which column "
        f"is the id, e.g. id={cells[0]}; if it is data, say that there is no header, and which column is which by number",
        code="maybe-no-header",
        where=cells[0],
    )


def no_columns_error(origin: str, header: Sequence[str]) -> SourceError:
    """Return the error for a header of neither nodes nor edges."""
    columns = [" ".join(column.split()) for column in header]
    if not any(columns):
        return SourceError(
            f"{origin} has no named column; a table of nodes needs a column id, one of edges source and target: "
            "name them in its header, or in each record of JSON lines",
            code="format-unknown",
            where=origin,
        )
    return SourceError(
        f"{origin} has the columns {', '.join(columns[:12])}; a table of nodes needs a column id, one of edges "
        f"source and target: rename them or say which is which, id={columns[0]} for nodes, or source={columns[0]} and "
        f"target={columns[-1]} for edges",
        code="columns-unnamed",
        where=origin,
    )


def _is_prose(cells: Sequence[str]) -> bool:
    """Return whether a first row is a sentence rather than names of columns."""
    is_sentence = len(" ".join(cells).split()) > _MOST_WORDS and cells[-1].endswith((".", "!", "?", ":"))
    return is_sentence or max(map(len, cells)) > _LONGEST_HEADER


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
