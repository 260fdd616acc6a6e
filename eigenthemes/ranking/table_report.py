"""Report of a linked table: the type of each column, and the relations between columns.

What the table-annotation field calls column type annotation (CTA) and column property annotation (CPA). Counted from the links
alone, so that a table may be added piece by piece.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import combinations
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.display import Displayed
from eigenthemes.display.parts import plain
from eigenthemes.kb.attributes import EntityAttributes, attribute_count, described_attribute, readable_relation
from eigenthemes.kb.store import KB
from eigenthemes.records import LinkedTable

if TYPE_CHECKING:
    from eigenthemes.display.parts import Part

LEAST_OF_CELLS = 1 / 2  # that must be of a type
LEAST_OF_ROWS = 1 / 3  # that must state a relation
_LEAST = 2  # cells, rows: one alone agrees with itself
_MOST_COMMON = 0.98
_REMEMBERED = 100_000  # pairs of entities whose relations are kept at hand

Cell = tuple[int, int, int | None]  # row, column, index of its entity; None: it is not linked


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The type that most of a column's cells have in common; id and label are empty where not half of them do.

    support  so many of the `cells` that hold a name are linked to an entity of this type
    """

    column: str
    id: str
    label: str
    support: int
    cells: int


@dataclass(frozen=True, slots=True)
class ColumnRelation:
    """The relation that leads from the cells of one column to those of another in the same row.

    support  so many of the `rows` with a name in both columns state it
    """

    subject: str
    object: str
    id: str
    label: str
    support: int
    rows: int


@dataclass(frozen=True, slots=True)
class TableReport(Displayed):
    """The types of a table's columns, and the relations between them.

    types      of each linked column
    relations  of the pairs of columns that have one
    accuracy   how such reports did on made-up tables when the KB was trained: "types", "types_right", "relations",
               "relations_right"; empty where that is not known
    """

    types: tuple[ColumnType, ...]
    relations: tuple[ColumnRelation, ...]
    accuracy: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def __repr__(self) -> str:
        return f"TableReport({plain('; '.join(self.sentences()))})"

    def _view(self) -> Iterator[Part]:
        from eigenthemes.display.parts import Prose

        return map(Prose, self.sentences())

    def sentences(self) -> Iterator[str]:
        """Yield it in words, a line each."""
        for each in self.types:
            if each.id:
                yield f"{each.column}: {each.label} ({each.support} of {each.cells} cells)"
            else:
                yield f"{each.column}: no type that half of its {each.cells} cells have"
        for pair in self.relations:
            yield f"{pair.subject} -> {pair.object}: {pair.label} ({pair.support} of {pair.rows} rows)"
        if self.accuracy:
            found = self.accuracy
            types = f"{found['types_right']} of {found['types']} types"
            relations = f"{found['relations_right']} of {found['relations']} relations"
            yield f"on made-up tables {types} and {relations} so reported were right"


def report_table(kb: KB, linked: LinkedTable, *, accuracy: dict[str, int] | None = None) -> TableReport:
    """Return the report of a linked table."""
    reporter = TableReporter(kb, {column: linked.column_name(column) for column in linked.columns})
    reporter.add_linked(linked)
    return reporter.report(accuracy)


class TableReporter:
    """Counts what the cells of a table have in common, piece by piece.

    columns  number -> name of the columns that are linked
    """

    def __init__(self, kb: KB, columns: dict[int, str]) -> None:
        self.kb, self.columns = kb, columns
        self._share = _background(kb)
        self._cells: Counter[int] = Counter()
        self._types: dict[int, Counter[int]] = {column: Counter() for column in columns}
        self._rows: Counter[tuple[int, int]] = Counter()
        self._codes: dict[tuple[int, int], Counter[int]] = {pair: Counter() for pair in combinations(sorted(columns), 2)}
        self._known: dict[tuple[int, int], list[int]] = {}

    def add_linked(self, linked: LinkedTable) -> None:
        """Count the links of a table, or of some of its rows."""
        ids = [link.entity for link in linked.links if link.entity is not None]
        indices = iter(self.kb.indices_of(ids).tolist())
        self.add(
            (link.mention.row or 0, link.mention.col or 0, None if link.entity is None else next(indices))
            for link in linked.links
        )

    def add(self, cells: Iterable[Cell]) -> None:
        """Count cells, those of a row side by side."""
        row_number, row = -1, dict[int, int | None]()
        for number, column, entity in cells:
            if number != row_number:
                self._add_row(row)
                row_number, row = number, {}
            row[column] = entity
        self._add_row(row)

    def _add_row(self, row: dict[int, int | None]) -> None:
        named = sorted(column for column in row if column in self.columns)
        for column in named:
            self._cells[column] += 1
            entity = row[column]
            if entity is not None:
                first, last = self.kb.bounds("type_indptr", entity, entity + 1)
                self._types[column].update(self.kb.numbers("entity_types", first, last))
        for pair in combinations(named, 2):
            self._rows[pair] += 1
            one, other = row[pair[0]], row[pair[1]]
            if one is not None and other is not None:
                self._codes[pair].update(self._relations(one, other))

    def _relations(self, entity: int, other: int) -> list[int]:
        """Return the relations that join two entities, as `Graph.relations` has them."""
        known = self._known.get((entity, other))
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            known = self._known[entity, other] = relation_codes(self.kb, entity, other)
        return known

    def report(self, accuracy: dict[str, int] | None = None) -> TableReport:
        """Return the report of the cells so far."""
        types = tuple(self._type_of(column) for column in sorted(self.columns))
        relations = (self._relation_of(pair) for pair in self._codes)
        return TableReport(types, tuple(each for each in relations if each is not None), accuracy or {})

    def _type_of(self, column: int) -> ColumnType:
        cells = self._cells[column]
        best = self._most_telling(self._types[column], cells, LEAST_OF_CELLS)
        if best is None:
            return ColumnType(self.columns[column], "", "", 0, cells)
        type_id, label, _, _ = described_attribute(self.kb, best)
        return ColumnType(self.columns[column], type_id, label, self._types[column][best], cells)

    def _relation_of(self, pair: tuple[int, int]) -> ColumnRelation | None:
        rows, types = self._rows[pair], len(self.kb.types)
        best = self._most_telling({types + code: n for code, n in self._codes[pair].items()}, rows, LEAST_OF_ROWS)
        if best is None:
            return None
        code = best - types
        subject, object_ = (self.columns[column] for column in (pair if not code & 1 else pair[::-1]))
        relation = str(self.kb.relations[code >> 1])
        return ColumnRelation(subject, object_, relation, readable_relation(self.kb, code), self._codes[pair][code], rows)

    def _most_telling(self, counts: Mapping[int, int], cells: int, least: float) -> int | None:
        """Return the most significant attribute that enough cells share."""
        enough = [attribute for attribute, count in counts.items() if count >= max(_LEAST, least * cells)]
        return max(enough, key=lambda each: (self._ratio(each, counts[each], cells), counts[each], -each), default=None)

    def _ratio(self, attribute: int, having: int, cells: int) -> float:
        """Return the log-likelihood ratio of `having` cells sharing an attribute."""
        p, share = min(having / (cells + 1), _MOST_COMMON), float(self._share[attribute])
        return having * log(p / share) + (cells - having) * log((1 - p) / (1 - share))


def relation_codes(kb: KB, entity: int, other: int) -> list[int]:
    """Return all relations that join an entity with another one, as `Graph.relations` has them, the rarest first."""
    graph = kb.graph
    around = graph.around(entity)
    at = int(np.searchsorted(around, other))
    if at >= len(around) or around[at] != other:
        return []
    entry = int(graph.indptr[entity]) + at
    return [int(graph.relations[entry]), *kb.further_relations.of(entry)]


def _background(kb: KB) -> NDArray[np.float64]:
    """Return the background frequency of each attribute; uniform if the KB does not store it."""
    attributes = EntityAttributes.of(kb)
    return np.full(attribute_count(kb), 0.01) if attributes is None else attributes.share
