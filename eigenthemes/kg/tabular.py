"""Tables: nodes and edges as CSV, TSV, JSON lines or Parquet, and triples without a header (KGTK, OpenKE style).

A file is a table of nodes or of edges by its header. Lists in a cell are split at `|`.
"""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

import orjson

from eigenthemes.errors import MissingExtraError, SourceError
from eigenthemes.kg.facts import ALIAS, Facts
from eigenthemes.kg.options import ReadOptions

Row = dict[str, Any]

# role -> header names, in lower case without spaces, dots, dashes and underscores
_NODE_HEADERS = {
    "id": ("id", "iri", "uri", "qid", "identifier", "nodeid", "entityid", "entity", "node", "curie", ":id"),
    "name": ("name", "label", "preflabel", "preferredlabel", "title"),
    "aliases": ("aliases", "alias", "synonyms", "synonym", "altlabel", "altlabels", "alternatenames", "altnames"),
    "description": ("description", "definition", "def", "comment", "abstract"),
    "prior": ("prior", "degree", "popularity", "population"),
    "type": ("type", "types", "class", "category"),
}
_EDGE_HEADERS: dict[str, tuple[str, ...]] = {
    "source": ("source", "subject", "head", "from", "src", "sourceid", "node1", "start", ":startid"),
    "target": ("target", "object", "tail", "to", "dst", "targetid", "node2", "end", ":endid"),
    "relation": ("relation", "predicate", "property", "rel", "edge", "relationtype", "type", "label", ":type"),
}
ROLES = (*_NODE_HEADERS, *_EDGE_HEADERS)
_NAME_RELATIONS = {
    "label": 0, "rdfs:label": 0, "skos:preflabel": 0, "name": 0, "schema:name": 0,
    "alias": ALIAS, "skos:altlabel": ALIAS, "altlabel": ALIAS,
}  # fmt: skip
_DESCRIPTION_RELATIONS = ("description", "schema:description", "rdfs:comment")
_TYPE_RELATIONS = ("p31", "rdf:type", "type", "isa:type", "wdt:p31")


class TableReader:
    """Puts the rows of one table into facts."""

    def __init__(self, facts: Facts, options: ReadOptions, origin: str) -> None:
        self.facts, self.options, self.origin = facts, options, origin
        self.seen: set[int] = set(facts.defined)
        self.edge_lines = array("I")
        facts.edge_lines.append((origin, len(facts.edge_source), self.edge_lines))

    def read_delimited(self, stream: IO[bytes], delimiter: str) -> None:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        csv.field_size_limit(1 << 30)
        rows = self._csv_rows(text, delimiter)
        first_number, first = next(rows, (0, list[str]()))
        if not first:
            return
        columns = self._columns(first)
        if columns is None:
            self._read_plain(first_number, first, rows)
            return
        for number, cells in rows:
            if len(cells) > len(columns):
                found = f"{len(cells)} cells, the header has {len(columns)}"
                self.facts.problems.add("row with too many cells", f"{self.origin}:{number}", found)
                continue
            record: Row = {}
            for role, cell in zip(columns, cells, strict=False):
                if role and cell:
                    record[role] = f"{record[role]}|{cell}" if role in record else cell
            self._record(record, "source" in columns, number)

    def read_json_lines(self, lines: Iterable[str]) -> None:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                self.facts.problems.add("broken JSON line", f"{self.origin}:{number}", str(error))
                continue
            if isinstance(record, dict):
                self._mapping(record, number)
            else:
                self.facts.problems.add("broken JSON line", f"{self.origin}:{number}", "not an object")

    def read_parquet(self, file: Any) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise MissingExtraError("reading Parquet", "pyarrow", "all") from None
        try:
            table = pyarrow.parquet.ParquetFile(file)
        except (pyarrow.ArrowInvalid, OSError) as error:
            raise SourceError(f"{self.origin} is not a whole Parquet file ({error}); write it again") from None
        number = 0
        for batch in table.iter_batches():
            for record in batch.to_pylist():
                number += 1
                self._mapping(record, number)

    def _csv_rows(self, text: IO[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
        # In TSV a quote is a letter like any other, but a wholly quoted cell (as spreadsheets write them) is unwrapped.
        tab = delimiter == "\t"
        reader = csv.reader(text, delimiter=delimiter, quoting=csv.QUOTE_NONE if tab else csv.QUOTE_MINIMAL)
        while True:
            try:
                for cells in reader:
                    if cells and any(cells):
                        yield reader.line_num, [_unquoted(cell) for cell in cells] if tab else cells
                return
            except csv.Error as error:
                self.facts.problems.add("broken row", f"{self.origin}:{reader.line_num}", str(error))

    def _columns(self, header: list[str]) -> list[str | None] | None:
        """The role of each column; None where the first row is no header."""
        given = {column: role for role, column in self.options.columns}
        for headers in (_EDGE_HEADERS, _NODE_HEADERS):
            roles = [given.get(cell) or _role(cell, headers) for cell in header]
            required = {"source", "target"} if headers is _EDGE_HEADERS else {"id"}
            if required <= set(roles):
                return roles
        if len(header) in (1, 2, 3) and not any(_role(cell, _NODE_HEADERS) for cell in header):
            return None
        raise SourceError(
            f"{self.origin} has the columns {', '.join(header[:12])}; a table of nodes needs a column id, one of edges "
            f"source and target: rename them or say which is which, e.g. --column id={header[0]}"
        )

    def _read_plain(self, number: int, first: list[str], rows: Iterator[tuple[int, list[str]]]) -> None:
        """Rows without a header: `head relation tail`, `head tail`, or OpenKE's files, which begin with a count."""
        counted = len(first) == 1 and first[0].strip().isdigit()
        if not counted:
            if len(first) == 1:
                raise SourceError(f"{self.origin} has one column and no known header; see --format for what can be read")
            self._triple(number, first)
        for number, cells in rows:
            if counted:
                cells = cells if len(cells) > 1 else cells[0].split()
                if len(cells) == 2:  # entity2id.txt: name, number
                    self._record({"id": cells[1], "name": cells[0]}, False, number)
                    continue
                if len(cells) == 3:  # train2id.txt: head, tail, relation
                    cells = [cells[0], cells[2], cells[1]]
            self._triple(number, cells)

    def _triple(self, number: int, cells: list[str]) -> None:
        if len(cells) == 2:
            cells = [cells[0], "link", cells[1]]
        if len(cells) < 3 or not all(cells[:3]):
            self.facts.problems.add("broken row", f"{self.origin}:{number}", f"{len(cells)} cells, expected 3")
            return
        self._record({"source": cells[0], "relation": cells[1], "target": cells[2]}, True, number)

    def _mapping(self, raw: Row, number: int) -> None:
        given = {column: role for role, column in self.options.columns}
        edge = {given.get(key) or _role(key, _EDGE_HEADERS) for key in raw} >= {"source", "target"}
        headers = _EDGE_HEADERS if edge else _NODE_HEADERS
        record: Row = {}
        for key, value in raw.items():
            role = given.get(key) or _role(key, headers)
            if role and value not in (None, ""):
                record[role] = value if role not in record else [*_listed(record[role]), *_listed(value)]
        self._record(record, edge, number)

    def _record(self, record: Row, edge: bool, number: int) -> None:
        self.facts.statements += 1
        if edge:
            self._edge(record, number)
        else:
            self._node(record, number)

    def _edge(self, record: Row, number: int) -> None:
        facts = self.facts
        source, target = record.get("source"), record.get("target")
        if source is None or target is None:
            facts.problems.add("broken row", f"{self.origin}:{number}", "source or target is empty")
            return
        relation = str(record.get("relation", "link"))
        node = facts.node(str(source))
        role = relation.lower()
        if role in _NAME_RELATIONS or role in _DESCRIPTION_RELATIONS:
            text, language = _kgtk_literal(str(target))
            rank = self.options.language_rank(language)
            if rank is not None and role in _NAME_RELATIONS:
                facts.name(node, text, rank + _NAME_RELATIONS[role])
            elif rank is not None:
                facts.description(node, text, rank)
        elif role in _TYPE_RELATIONS:
            facts.type(node, str(target))
        else:
            facts.edge(node, facts.node(str(target)), relation)
            self.edge_lines.append(number)

    def _node(self, record: Row, number: int) -> None:
        facts = self.facts
        if record.get("id") is None:
            facts.problems.add("record without an id", f"{self.origin}:{number}")
            return
        node = facts.node(str(record["id"]))
        if node in self.seen:
            facts.problems.add("duplicate id (names merged)", f"{self.origin}:{number}", str(record["id"]))
        self.seen.add(node)
        facts.defined.append(node)
        for i, name in enumerate(_listed(record.get("name"), split=False)):
            facts.name(node, name, 0 if i == 0 else ALIAS)
        for name in _listed(record.get("aliases")):
            facts.name(node, name, ALIAS)
        for name in _listed(record.get("type")):
            facts.type(node, name)
        if "description" in record:
            facts.description(node, str(record["description"]), 0)
        if "prior" in record:
            self._prior(node, record["prior"], number)

    def _prior(self, node: int, value: Any, number: int) -> None:
        try:
            prior = float(value)
            if prior != prior or prior in (float("inf"), float("-inf")):
                raise ValueError
        except (TypeError, ValueError):
            self.facts.problems.add("prior that is not a number", f"{self.origin}:{number}", repr(value))
        else:
            self.facts.prior(node, prior)


def known_header(cells: list[str]) -> bool:
    """Is this the header of a table of nodes or edges?"""
    roles = {_role(cell, _EDGE_HEADERS) for cell in cells}
    return roles >= {"source", "target"} or "id" in {_role(cell, _NODE_HEADERS) for cell in cells}


def _role(header: str, headers: Mapping[str, tuple[str, ...]]) -> str | None:
    plain = header.strip().lower().translate(str.maketrans("", "", " ._-"))
    return next((role for role, names in headers.items() if plain in names), None)


def _listed(value: Any, *, split: bool = True) -> list[str]:
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return [str(item) for item in value if item is not None]
    return str(value).split("|") if split else [str(value)]


def _unquoted(cell: str) -> str:
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def _kgtk_literal(text: str) -> tuple[str, str | None]:
    """KGTK writes 'Paris'@fr for a text with a language."""
    body, at, language = text.rpartition("@")
    if at and len(body) > 1 and body[0] == body[-1] == "'":
        return body[1:-1].replace("\\'", "'"), language
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1], None
    return text, None
