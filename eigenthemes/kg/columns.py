"""The roles of a table's columns, found by their usual names or given by the user, and the headers of Neo4j."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eigenthemes.errors import SourceError
from eigenthemes.kg.options import ID_ROLES, ReadOptions, split_template
from eigenthemes.kg.statements import ALIAS, Statements
from eigenthemes.text.normalize import tokenize

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
_NULL = "\\N"  # as databases write an empty value
EMPTY = (None, "", _NULL, "NULL")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|nan|[-+]?inf", re.IGNORECASE)
_LONGEST_HEADER = 60  # letters of a column name
_MOST_WORDS = 6  # of a first row that ends like a sentence
# headers of CSV files for `neo4j-admin import`
_NEO4J_ROLE = re.compile(r"(?P<name>[^:]*):(?P<role>ID|START_ID|END_ID|LABEL|TYPE)(?:\((?P<space>[^)]*)\))?(?:\{.*\})?")
_NEO4J_TYPED = re.compile(
    r"(?P<name>[^:]+):(?:int|long|float|double|boolean|byte|short|char|string|point|date|time|localtime|datetime|localdatetime|duration)"
    r"(?:\[\])?(?:\{.*\})?",
    re.IGNORECASE,
)


class Column(NamedTuple):
    """A column of a table: its place, its header, and the template of its ids with `{}` for the cell; "" for none."""

    place: int
    header: str = ""
    template: str = ""

    def value(self, row: Sequence[Any]) -> Any:
        """Return the value in a row; None where it is missing or empty."""
        value = row[self.place] if self.place < len(row) else None
        return None if value in EMPTY else value

    def id_of(self, value: Any) -> Any:
        """Return the id of a value of this column."""
        return self.template.replace("{}", str(value).strip()) if self.template else value


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of each role, best first."""

    edge: bool
    kgtk: bool
    at: dict[str, list[Column]]

    def first(self, role: str, row: Sequence[Any]) -> Any:
        """Return the value of the best column of a role; None where it is missing or empty."""
        columns = self.at.get(role)
        value = columns[0].value(row) if columns else None
        return columns[0].id_of(value) if columns and value is not None else None

    def all(self, role: str, row: Sequence[Any]) -> list[Any]:
        """Return the values of all columns of a role that have one."""
        values = (column.value(row) for column in self.at.get(role, ()))
        return [value for value in values if value is not None]


def find_columns(header: Sequence[str], options: ReadOptions) -> Columns | None:
    """Return the columns of a table of edges or nodes; None where the header is of neither."""
    cells = [cell.strip() for cell in header]
    plain = [_plain_header(cell)[0] for cell in header]
    spaces = [f"{space}:{{}}" if space else "" for space in (_plain_header(cell)[1] for cell in header)]
    given = [(role, *((column, "") if column in cells else split_template(column))) for role, column in options.columns]
    taken = {column for _, column, _ in given}
    for headers, required in ((_EDGE_HEADERS, ("source", "target")), (_NODE_HEADERS, ("id",))):
        at: dict[str, list[Column]] = {}
        for role, names in headers.items():
            own = [(i, template) for i, cell in enumerate(cells) for *wanted, template in given if wanted == [role, cell]]
            known = sorted((names.index(cell), i) for i, cell in enumerate(plain) if cell in names and cells[i] not in taken)
            places = own + [(i, "") for _, i in known]
            at[role] = [Column(i, cells[i], template or (spaces[i] if role in ID_ROLES else "")) for i, template in places]
        if all(at[role] for role in required):
            return Columns(headers is _EDGE_HEADERS, {"node1", "node2"} <= set(plain), at)
    return None


def known_headers(header: Sequence[str]) -> list[int]:
    """Return the positions of cells that are the usual name of a column."""
    names = {name for headers in (_NODE_HEADERS, _EDGE_HEADERS) for usual in headers.values() for name in usual}
    return [i for i, cell in enumerate(header) if _plain_header(cell)[0] in names]


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
    """Return a header as `_NODE_HEADERS` has it, without Neo4j's additions, and the namespace of its ids.

    `personId:ID(Person)` is `:id`, `Person`.
    """
    role, typed = _NEO4J_ROLE.fullmatch(cell.strip()), _NEO4J_TYPED.fullmatch(cell.strip())
    name = f":{role['role']}" if role else typed["name"] if typed else cell
    return name.strip().lower().translate(str.maketrans("", "", " ._-")), (role["space"] or "") if role else ""


def no_header_error(origin: str, header: Sequence[str]) -> SourceError:
    """Return the error for a first row that may be data; the advice loses no row."""
    cells = [" ".join(cell.split()) for cell in header]
    start = ", ".join(cell for cell in cells if cell)[:100]
    is_data = any(not cell or cell == _NULL or _NUMBER.fullmatch(cell) for cell in cells)
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


_MANY = 3  # ids that two tables have in common for different things, at least
_COMPARED = 5000  # shared ids whose names are compared, at most
_LONGEST_CODE = 3  # letters of an id that may mean another thing in another table


def check_shared_ids(statements: Statements) -> None:
    """Raise SourceError if two tables have many ids in common for different things: one entity would be made of two."""
    labels = _labels_of_shared_ids(statements)
    unlike: dict[tuple[str, str], list[str]] = {}
    for one, other in combinations(labels, 2):
        shared = labels[one].keys() & labels[other].keys()
        different = [each for each in shared if set(tokenize(labels[one][each])).isdisjoint(tokenize(labels[other][each]))]
        if len(different) >= max(_MANY, len(shared) / 2):
            unlike[one, other] = sorted(different, key=lambda each: (len(each), each))
    if not unlike:
        return
    (one, other), ids = max(unlike.items(), key=lambda item: len(item[1]))
    tables = dict.fromkeys(table for pair in unlike for table in pair)
    prefixed = [f"{table}:id={_prefix_of(table, statements)}:{{{statements.id_headers[table]}}}" for table in tables]
    edge = prefixed[0].partition(":id=")[2]
    raise SourceError(
        f"{one} and {other} have {len(ids):,} ids in common for different things (id {ids[0]} is {labels[one][ids[0]]!r} and "
        f"{labels[other][ids[0]]!r}); give the ids a prefix: {', '.join(prefixed)}, and likewise columns that refer to them, "
        f"such as edge={edge}, or id={{{statements.id_headers[one]}}} if they do mean the same",
        code="ids-collide",
        where=one,
    )


def _labels_of_shared_ids(statements: Statements) -> dict[str, dict[str, str]]:
    """Return for each table whose ids have no prefix the first name of each id that another such table has, too."""
    tables = [file.name for file in statements.files]
    if sum(table in statements.id_headers for table in tables) < 2:
        return {}
    rows = np.flatnonzero(statements.numbers("name_rank") < ALIAS)
    table_of = np.searchsorted([file.first_name for file in statements.files], rows, side="right") - 1
    numbered = np.array([table in statements.id_headers for table in tables])[table_of]
    rows, table_of = rows[numbered], table_of[numbered]
    nodes = statements.numbers("name_node")[rows].astype(np.int64)
    pairs, first = np.unique(nodes * len(tables) + table_of, return_index=True)  # the first name of an id in each table
    found, counts = np.unique(pairs // len(tables), return_counts=True)
    shared = found[counts > 1]
    shared = shared[:: len(shared) // _COMPARED + 1]
    kept = np.isin(pairs // len(tables), shared)
    ids, texts = statements.id_strings() if kept.any() else (), statements.texts("name_text")
    labels: dict[str, dict[str, str]] = {}
    for pair, row in zip(pairs[kept].tolist(), rows[first[kept]].tolist(), strict=True):
        entity_id = str(ids[pair // len(tables)])
        if entity_id.isdigit() or len(entity_id) <= _LONGEST_CODE:
            labels.setdefault(tables[pair % len(tables)], {})[entity_id] = str(texts[row])
    return labels


def _prefix_of(table: str, statements: Statements) -> str:
    """Return a prefix for the ids of a table: its id column's name without `id`, else the name of the file or sheet."""
    header = re.sub(r"[\s_.-]*(?:id|code|number|no)$", "", statements.id_headers[table], flags=re.IGNORECASE)
    file, _, sheet = table.partition(":")
    return header if header and not header.isdigit() else sheet or file.partition(".")[0]
