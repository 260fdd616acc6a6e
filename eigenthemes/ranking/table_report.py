"""Report of a linked table: the type of each column, and the relations between columns.

What the table-annotation field calls column type annotation (CTA) and column property annotation (CPA), counted from the links
alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.display import Displayed, plain
from eigenthemes.kb.attributes import EntityAttributes, attribute_count, described_attribute, readable_relation, relation_codes
from eigenthemes.kb.store import KB
from eigenthemes.records import LinkedTable

if TYPE_CHECKING:
    from eigenthemes.display import Part

LEAST_OF_CELLS = 1 / 2  # that must be of a type
LEAST_OF_ROWS = 1 / 3  # that must state a relation
_LEAST = 2  # cells, rows: one alone agrees with itself
_MOST_COMMON = 0.98

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
        from eigenthemes.display import Prose

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
    indices = iter(kb.indices_of([link.entity for link in linked.links if link.entity is not None]).tolist())
    cells = (
        (link.mention.row or 0, link.mention.col or 0, None if link.entity is None else next(indices)) for link in linked.links
    )
    return report_cells(kb, {column: linked.column_name(column) for column in linked.columns}, cells, accuracy)


def report_cells(
    kb: KB, columns: Mapping[int, str], cells: Iterable[Cell], accuracy: dict[str, int] | None = None
) -> TableReport:
    """Count what the cells of a table have in common; columns: number -> name of those that are linked."""
    rows: dict[int, dict[int, int | None]] = {}
    for number, column, entity in cells:
        rows.setdefault(number, {})[column] = entity
    share = _background(kb)
    types = (
        _type_of(kb, columns[column], [row[column] for row in rows.values() if column in row], share)
        for column in sorted(columns)
    )
    relations = []
    for one, other in combinations(sorted(columns), 2):
        pairs = [(row[one], row[other]) for row in rows.values() if one in row and other in row]
        relation = _relation_of(kb, (columns[one], columns[other]), pairs, share)
        relations += [] if relation is None else [relation]
    return TableReport(tuple(types), tuple(relations), accuracy or {})


def _type_of(kb: KB, column: str, entities: Sequence[int | None], share: NDArray[np.float64]) -> ColumnType:
    """Return the type of a column, given the entities of its cells, None for those that are not linked."""
    counts: Counter[int] = Counter()
    for entity in entities:
        if entity is not None:
            counts.update(kb.numbers("entity_types", *kb.bounds("type_indptr", entity, entity + 1)))
    best = _most_telling(counts, len(entities), LEAST_OF_CELLS, share)
    if best is None:
        return ColumnType(column, "", "", 0, len(entities))
    type_id, label, _, _ = described_attribute(kb, best)
    return ColumnType(column, type_id, label, counts[best], len(entities))


def _relation_of(
    kb: KB, names: tuple[str, str], pairs: Sequence[tuple[int | None, int | None]], share: NDArray[np.float64]
) -> ColumnRelation | None:
    """Return the relation of two columns of these names, given the entities of both cells of each row that has both."""
    counts: Counter[int] = Counter()
    for (one, other), times in Counter(pairs).items():
        if one is not None and other is not None:
            counts.update({len(kb.types) + code: times for code in relation_codes(kb, one, other)})
    best = _most_telling(counts, len(pairs), LEAST_OF_ROWS, share)
    if best is None:
        return None
    code = best - len(kb.types)
    subject, object_ = names[::-1] if code & 1 else names
    relation = str(kb.relations[code >> 1])
    return ColumnRelation(subject, object_, relation, readable_relation(kb, code), counts[best], len(pairs))


def _most_telling(counts: Mapping[int, int], cells: int, least: float, share: NDArray[np.float64]) -> int | None:
    """Return the most significant attribute that enough cells share, by the log-likelihood ratio; share: of all entities."""

    def ratio(attribute: int) -> float:
        having, background = counts[attribute], float(share[attribute])
        p = min(having / (cells + 1), _MOST_COMMON)
        return having * log(p / background) + (cells - having) * log((1 - p) / (1 - background))

    enough = [attribute for attribute, count in counts.items() if count >= max(_LEAST, least * cells)]
    return max(enough, key=lambda each: (ratio(each), counts[each], -each), default=None)


def _background(kb: KB) -> NDArray[np.float64]:
    """Return the background frequency of each attribute; uniform if the KB does not store it."""
    attributes = EntityAttributes.of(kb)
    return np.full(attribute_count(kb), 0.01) if attributes is None else attributes.share
