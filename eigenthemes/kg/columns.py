"""Which column of a table is which: by its usual names, or by what the user says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eigenthemes.kg.neo4j import plain_header
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


@dataclass(frozen=True, slots=True)
class Columns:
    """Where each role stands in a row, best column first."""

    edge: bool
    kgtk: bool
    at: dict[str, list[int]]
    spaces: dict[str, str] = field(default_factory=dict)  # role -> the space its ids live in (Neo4j)
    relations: dict[int, str] = field(default_factory=dict)  # column of edges of a node -> what the header calls it

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
    spaces = [plain_header(cell)[1] for cell in header]
    plain = [_plain(plain_header(cell)[0]) for cell in header]
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
    """Return which cells are the usual name of some column."""
    names = {name for headers in (_NODE_HEADERS, _EDGE_HEADERS) for usual in headers.values() for name in usual}
    return [i for i, cell in enumerate(header) if _plain(plain_header(cell)[0]) in names]


def _plain(header: str) -> str:
    return header.strip().lower().translate(str.maketrans("", "", " ._-"))
