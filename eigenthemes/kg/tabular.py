"""Tables of nodes and edges: CSV, TSV, JSON lines, Parquet, and triples without a header (KGTK).

The header decides whether a file is a table of nodes or of edges.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any

from eigenthemes.core.csv_records import csv_rows
from eigenthemes.core.diagnostics import json_objects
from eigenthemes.core.spreadsheets import Workbook, cell_text
from eigenthemes.core.storage import read_text
from eigenthemes.errors import SourceError
from eigenthemes.kg.columns import (
    EMPTY,
    Column,
    Columns,
    find_columns,
    known_headers,
    no_columns_error,
    no_header_error,
    plain_record,
)
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.statements import ALIAS, Statements

_TRIPLE = Columns(True, False, {"source": [Column(0)], "relation": [Column(1)], "target": [Column(2)]})
_LISTS = ("name", "aliases", "type", "edge")  # roles with several values in a record
_NO_TEXT = (list, tuple, dict, set, bytes, bool)
_ENTITY = re.compile(r"&#?\w+;")  # of HTML: its semicolon is no separator
_KGTK_LITERAL = tuple("\"'^@!+-0123456789")

Rows = Iterator[tuple[int, list[str]]]  # (line, cells)


class TableReader:
    """Reads the rows of one table into statements."""

    def __init__(self, statements: Statements, options: ReadOptions, origin: str) -> None:
        self.statements, self.options, self.origin = statements, options.of_file(origin), origin
        self.name_relations = {
            **dict.fromkeys(("label", "rdfs:label", "skos:preflabel", "name", "schema:name"), 0),
            **dict.fromkeys(("alias", "altlabel", "skos:altlabel"), ALIAS),
            **dict.fromkeys(map(str.lower, options.label), 0),
            **dict.fromkeys(map(str.lower, options.alias), ALIAS),
        }
        self.description_relations = {"description", "schema:description", "rdfs:comment", *map(str.lower, options.description)}
        self.type_relations = {"p31", "wdt:p31", "rdf:type", "type", *map(str.lower, options.type)}
        self._columns: dict[tuple[str, ...], Columns | None] = {}

    # formats

    def read_delimited(self, stream: IO[bytes], delimiter: str) -> None:
        """Read a CSV or TSV file."""
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        if delimiter == "\t":
            rows = self._tab_rows(text)
        else:
            rows = csv_rows(text, delimiter, self.origin, self.statements.diagnostics)
        self.read_rows(rows, delimiter)

    def read_rows(self, rows: Rows, delimiter: str) -> None:
        """Read rows of cells, the header first; a TSV file may lack it, and its quotes are plain characters."""
        number, header = next(rows, (0, list[str]()))
        if not header:
            return
        if header[0].lower().startswith("sep="):  # Excel's note on the separator
            number, header = next(rows, (0, [""]))
        if not self.options.header:
            rows = chain([(number, header)], rows)
            header = [str(column) for column in range(1, len(header) + 1)]
        columns = self._columns_of([_unquoted(cell) for cell in header], headerless=delimiter == "\t")
        if columns is None:
            number, header = (number, header) if self.options.header else next(rows)
            self._read_headerless(number, header, rows)
            return
        raw = columns.kgtk or delimiter != "\t"
        for number, cells in rows:
            cells = [cell.strip() if raw else _unquoted(cell.strip()) for cell in cells]
            if any(cells[len(header) :]):
                self._lose_row(columns, cells, number, len(header))
            else:
                self._row(columns, cells, number)

    def _lose_row(self, columns: Columns, cells: list[str], number: int, expected: int) -> None:
        """Report a row with too many cells: which of them belongs to which column is not known."""
        where, cause = f"{self.origin}:{number}", f"{len(cells)} cells, the header has {expected}"
        entity_id = None if columns.edge else columns.first("id", cells)
        if entity_id is None:
            self.statements.diagnostics.add("row with too many cells (not read)", where, cause)
        else:
            self.statements.lost_rows.append((where, str(entity_id), cause))

    def read_json_lines(self, lines: Iterable[bytes]) -> None:
        """Read one record per line; brackets and commas of an array are skipped."""
        empty = False
        for number, record in json_objects(lines, 1, self.origin, "broken JSON line", self.statements.diagnostics):
            if record:
                self.read_record(plain_record(record), number)
            else:
                empty = True
                self.statements.diagnostics.add("record without an id", f"{self.origin}:{number}", "an empty object")
        if (empty or self._columns) and not any(self._columns.values()):
            raise no_columns_error(self.origin, next(iter(self._columns), ()))

    def read_parquet(self, file: Any) -> None:
        """Read the records of a Parquet file."""
        import pyarrow
        import pyarrow.parquet

        try:
            number = 0
            with pyarrow.parquet.ParquetFile(file) as table:
                for batch in table.iter_batches():
                    for record in batch.to_pylist():
                        number += 1
                        self.read_record(record, number)
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise SourceError(
                f"{self.origin} is not a whole Parquet file ({error}); write it again", where=self.origin
            ) from None

    def _tab_rows(self, text: IO[str]) -> Rows:
        for number, line in enumerate(text, 1):
            cells = line.rstrip("\r\n").split("\t")
            if any(cells):
                yield number, cells

    # rows

    def _columns_of(self, header: Sequence[str], *, headerless: bool) -> Columns | None:
        """Return the columns of a header; None where it is the first row of a TSV file without a header."""
        columns = self._find_columns(header)
        if columns is not None:
            return columns
        known = known_headers(header)
        if headerless and len(header) <= 3 and (not known or (len(header) == 3 and known == [1])):
            return None
        if self.options.header and not known and header and not self.options.columns:
            raise no_header_error(self.origin, header)
        raise no_columns_error(self.origin, header)

    def _find_columns(self, header: Sequence[str]) -> Columns | None:
        columns = find_columns(header, self.options)
        self.statements.columns_seen.update(dict.fromkeys(cell.strip() for cell in header))
        if columns is not None and not columns.edge and not columns.at["id"][0].template:
            self.statements.id_headers.setdefault(self.origin, columns.at["id"][0].header)
        return columns

    def _read_headerless(self, number: int, first: list[str], rows: Rows) -> None:
        """Read rows without a header: `head relation tail` or `head tail`."""
        if len(first) == 1:
            raise SourceError(
                f"{self.origin} has one column and no known header; give a file of a format that can be read",
                code="format-unknown",
                where=self.origin,
            )
        self._triple(number, first)
        for number, cells in rows:
            self._triple(number, cells)

    def _triple(self, number: int, cells: list[str]) -> None:
        cells = [_unquoted(cell.strip()) for cell in cells]
        if len(cells) == 2:
            cells.insert(1, "link")
        if len(cells) < 3 or not all(cells[:3]):
            self.statements.diagnostics.add("broken row", f"{self.origin}:{number}", f"{len(cells)} cells, expected 3")
            return
        self._row(_TRIPLE, cells, number)

    def read_record(self, record: dict[str, Any], number: int) -> None:
        """Read a node or an edge given by names and values."""
        keys = tuple(record)
        if keys not in self._columns:
            self._columns[keys] = self._find_columns(keys)
        columns = self._columns[keys]
        if columns is not None:
            row = self._checked(columns, list(record.values()), number)
            if row is not None:
                self._row(columns, row, number)
        elif number == 1:
            raise no_columns_error(self.origin, keys)
        else:
            self.statements.diagnostics.add("record without an id", f"{self.origin}:{number}")

    def _checked(self, columns: Columns, row: list[Any], number: int) -> list[Any] | None:
        """Return a record without values that are neither text nor number; None if it needs them."""
        odd = [
            (role, column.place)
            for role, places in columns.at.items()
            for column in places
            if isinstance(row[column.place], _NO_TEXT)
            and not (role == "prior" or (role in _LISTS and _is_flat_list(row[column.place])))
        ]
        if not odd:
            return row
        role, first = odd[0]
        detail = f"{role}: {row[first]!r}"
        self.statements.diagnostics.add("value that is neither text nor number", f"{self.origin}:{number}", detail)
        if columns.edge or any(role == "id" for role, _ in odd):
            return None
        places = {i for _, i in odd}
        return [None if i in places else value for i, value in enumerate(row)]

    def _row(self, columns: Columns, row: Sequence[Any], number: int) -> None:
        self.statements.count += 1
        if columns.edge:
            self._edge(columns, row, number)
        else:
            self._node(columns, row, number)

    def _edge(self, columns: Columns, row: Sequence[Any], number: int) -> None:
        statements = self.statements
        source, target = columns.first("source", row), columns.first("target", row)
        if source is None or target is None:
            statements.diagnostics.add("broken row", f"{self.origin}:{number}", "source or target is empty")
            return
        relation = columns.first("relation", row)
        relation = "link" if relation is None else str(relation)
        node, target, role = statements.node(str(source)), str(target), relation.lower()
        statements.predicates_seen.add(relation)
        if role in self.name_relations or role in self.description_relations:
            self._text(node, target, role)
        elif columns.kgtk and target.startswith(_KGTK_LITERAL):
            pass  # a number, date, text or place: no node
        elif role in self.type_relations:
            statements.type(node, target)
        else:
            statements.record_edge(node, statements.node(target), relation, number)

    def _text(self, node: int, literal: str, role: str) -> None:
        text, language = _kgtk_literal(literal)
        rank = self.options.language_rank(language)
        if rank is None:
            self.statements.other_languages[language or ""] += 1
        elif role in self.name_relations:
            self.statements.name(node, text, rank + self.name_relations[role], language)
        else:
            self.statements.description(node, text, rank)

    def _node(self, columns: Columns, row: Sequence[Any], number: int) -> None:
        statements = self.statements
        external_id = columns.first("id", row)
        if external_id is None:
            statements.diagnostics.add("record without an id", f"{self.origin}:{number}")
            return
        node = statements.record(str(external_id).strip(), number)
        names = [name for value in columns.all("name", row) for name in _listed(value, "")]
        for i, name in enumerate(names):
            statements.name(node, name, 0 if i == 0 else ALIAS)
        for value in columns.all("aliases", row):
            for name in _listed(value, self.options.split):
                statements.name(node, name, ALIAS)
        for value in columns.all("type", row):
            for name in _listed(value, self.options.split):
                statements.type(node, name.strip())
        description, prior = columns.first("description", row), columns.first("prior", row)
        if description is not None:
            statements.description(node, str(description), 0)
        if prior is not None:
            statements.prior(node, prior, f"{self.origin}:{number}")
        self._edges_of(node, columns, row, number)

    def _edges_of(self, node: int, columns: Columns, row: Sequence[Any], number: int) -> None:
        """Read the columns with ids of other nodes as edges; their header is the relation."""
        statements = self.statements
        for column in columns.at.get("edge", ()):
            relation, value = column.header if self.options.header else "link", column.value(row)
            targets = [] if value is None else [target.strip() for target in _listed(value, self.options.split)]
            for target in targets:
                if target not in EMPTY:
                    statements.predicates_seen.add(relation)
                    statements.record_edge(node, statements.node(column.id_of(target)), relation, number)


def _is_flat_list(value: Any) -> bool:
    return isinstance(value, list | tuple) and not any(isinstance(item, _NO_TEXT) for item in value)


def _listed(value: Any, separator: str | None = None) -> list[str]:
    """Return the values in a cell; they are split at `|`, or at `;` where there is none, unless a separator is given."""
    if isinstance(value, list | tuple):
        return [str(item) for item in value if item is not None]
    text = str(value)
    if separator is None:
        separator = "|" if "|" in text or _ENTITY.search(text) else ";"
    return [part for part in text.split(separator) if part.strip()] if separator else [text]


def _unquoted(cell: str) -> str:
    """Return a fully quoted cell of a TSV file without its quotes; other quotes are plain characters."""
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def _kgtk_literal(text: str) -> tuple[str, str | None]:
    """Return text and language of a KGTK literal: 'Paris'@fr, or "Paris" without a language."""
    body, at, language = text.rpartition("@")
    if at and len(body) > 1 and body[0] == body[-1] == "'":
        return body[1:-1].replace("\\'", "'"), language
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1], None
    return text, None


def read_names(path: str | Path) -> list[tuple[str, str]]:
    """Read a file of names and entity ids."""
    return [(name, id.removeprefix("<").removesuffix(">")) for name, id in read_pairs(path, "name", "id")]


def read_pairs(path: str | Path, first_column: str, second_column: str) -> list[tuple[str, str]]:
    """Read a file of two columns: TSV where the first line has a tab, else CSV; a header is skipped."""
    columns, both = (first_column, second_column), f"{_article(first_column)} and {_article(second_column)}"
    remedy = f"give a text file with {both} per line, separated by a tab or a comma"
    text = read_text(path, f"{first_column}s", remedy)
    first = next((line for line in text.splitlines() if line.strip()), "")
    rows = csv.reader(text.splitlines(), delimiter="\t" if "\t" in first else ",")
    pairs = list[tuple[str, str]]()
    for number, row in enumerate(rows, start=1):
        cells = tuple(cell.strip() for cell in row)
        if not any(cells) or (not pairs and tuple(map(str.lower, cells[:2])) == columns):
            continue
        if len(cells) != 2 or not all(cells):
            raise SourceError(
                f"{path}:{number}: {len(cells)} cells, expected {both}; {remedy}",
                where=str(path),
            )
        pairs.append((cells[0], cells[1]))
    if not pairs:
        raise SourceError(f"{path} holds no {first_column}s; {remedy}", where=str(path))
    return pairs


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def read_workbook(data: bytes, options: ReadOptions, origin: str, statements: Statements) -> None:
    """Read every sheet that is a table of nodes or edges; others are counted, unless none is one."""
    workbook = Workbook(data, origin)
    refused: list[SourceError] = []
    for sheet in workbook.sheets:
        rows: Rows = ((number, list(map(cell_text, row))) for number, row in enumerate(workbook.rows(sheet), 1) if any(row))
        reader = TableReader(statements, options, f"{origin}:{sheet}" if len(workbook.sheets) > 1 else origin)
        statements.begin_file(reader.origin)
        try:
            reader.read_rows(rows, ",")
        except SourceError as error:
            if error.code in ("strict", "spreadsheet-size"):
                raise
            refused.append(error)
    if refused and len(refused) == len(workbook.sheets):
        raise refused[0]
    for refusal in refused:
        statements.diagnostics.add("sheet that is no table of nodes or edges", origin, str(refusal).partition(";")[0])
