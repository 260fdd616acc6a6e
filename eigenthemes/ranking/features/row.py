"""Support of a candidate by the other cells of its row: the relation that most rows share between two columns.

A name of a column is decided once for the whole table; which of its candidates is meant in a row, only the row can say. So this
is no column of candidates, but a factor of their probabilities, cell by cell, when all rounds are done.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.lazy import lazy
from eigenthemes.explanations import RowReason
from eigenthemes.kb.attributes import readable_relation
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext
from eigenthemes.ranking.features.feature_group import FeatureGroup

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LEAST_ROWS, _LEAST_COLUMNS = 3, 2
_STEPS = 100  # about how many the kernels take for two cells
_NO_ROOM = 1e-300  # all that is likely may be ruled out, in figures as small as a computer has

GROUP = FeatureGroup(
    name="row",
    columns={"row": "the log of the factor by which the other cells of its row make it more likely"},
    weakness="does not fit its row",
)


class Grid(NamedTuple):
    """The cells of a table that have candidates [rows, columns]: their mentions, and their groups; -1: none."""

    mentions: Ints
    groups: Ints


class ColumnRelations(NamedTuple):
    """Relations from one column of a grid to another, as returned by `row_factors` [columns, columns]."""

    relation: Ints
    chained: NDArray[np.bool_]
    having: Floats
    pairs: Floats


@dataclass(frozen=True)
class RowAgreement:
    """Evidence of the table rows of a batch.

    factor           [n] of the probability of each candidate, in the order of the batch's table
    probability      [n] of each candidate
    nil_probability  [mentions]
    tables           the grids that were looked at, and what leads from column to column
    """

    groups: MentionGroups
    factor: Floats
    probability: Floats
    nil_probability: Floats
    tables: list[tuple[Grid, ColumnRelations]]

    @classmethod
    def of(cls, groups: MentionGroups, probability: Floats, nil: Floats, context: FeatureContext) -> RowAgreement | None:
        """Weigh the candidates of cells by the other cells of their rows; None where no two columns have a relation.

        probability  [n] of the candidates of each group; nil [m] that none of them is right
        """
        from eigenthemes.kernels.rows import row_factors

        table = groups.batch.table
        grids = list(_grids(groups))
        if not grids:
            return None
        start = table.bounds
        factor, scratch = np.ones(len(table)), _scratch(2 * len(context.kb.relations))
        tables = []
        for grid in grids:
            compute = row_factors.select_backend(_STEPS * grid.groups.size * grid.groups.shape[1])
            given = groups.bounds, (groups.entity, probability, nil), context.edges, scratch
            relations = ColumnRelations(*compute(grid.groups, start[grid.mentions], *given, factor))
            if (relations.relation >= 0).any():
                tables.append((grid, relations))
        if not tables:
            return None
        weighed, none = probability[groups.row_of_candidate] * factor, nil[groups.group_of]
        total = np.bincount(table.mention_of, weights=weighed, minlength=table.mentions) + none
        is_weighed = np.bincount(table.mention_of, weights=factor != 1, minlength=table.mentions) > 0
        total = np.where(is_weighed, np.maximum(total, _NO_ROOM), 1.0)  # the others keep their probabilities, to the last bit
        return cls(groups, factor, weighed / total[table.mention_of], none / total, tables)

    @lazy
    def place(self) -> dict[int, tuple[int, int, int]]:
        """Mention -> the number of its table, its row and its column there; of those where two columns have a relation."""
        return {mention: place for number, (grid, _) in enumerate(self.tables) for mention, place in _places(number, grid)}

    def reason(self, mention: int, entity: int, context: FeatureContext) -> RowReason | None:
        """Return the most probable cell of the same row that supports an entity; None if there is none."""
        from eigenthemes.kernels.rows import leads

        if mention not in self.place:
            return None
        number, row, column = self.place[mention]
        grid, relations = self.tables[number]
        found = []
        for other in np.flatnonzero((relations.relation[column] >= 0) & (grid.mentions[row] >= 0)).tolist():
            code, chained = int(relations.relation[column, other]), bool(relations.chained[column, other])
            neighbor, likely = self._best(int(grid.mentions[row, other]))
            if leads.plain(entity, neighbor, code, chained, context.edges):
                found.append((likely, -other, neighbor, code))
        if not found:
            return None
        _, minus_other, neighbor, code = max(found)
        kb, other = context.kb, -minus_other
        return RowReason(
            str(kb.relations[code >> 1]),
            readable_relation(kb, code),
            bool(code & 1),
            self.groups.batch.mentions[int(grid.mentions[row, other])].text,
            kb.id_of(neighbor),
            kb.label_of(neighbor),
            round(float(relations.having[column, other])),
            round(float(relations.pairs[column, other])),
        )

    def candidates(self, mention: int) -> slice:
        """Return where the candidates of a mention are in the order of the batch's table."""
        table = self.groups.batch.table
        first, last = np.searchsorted(table.mention_of, (mention, mention + 1))
        return slice(int(first), int(last))

    def _best(self, mention: int) -> tuple[int, float]:
        """Return the most likely entity of a mention, and how likely it is."""
        rows = self.candidates(mention)
        best = rows.start + int(np.argmax(self.probability[rows]))
        return int(self.groups.batch.table.entity[best]), float(self.probability[best])


def _grids(groups: MentionGroups) -> Iterator[Grid]:
    """Yield the cells of each table of a batch that has rows and columns enough."""
    batch = groups.batch
    having = np.diff(groups.bounds)[groups.group_of] > 0
    for document, first, last in batch.document_spans():
        if document.table is None or last - first < _LEAST_ROWS * _LEAST_COLUMNS:
            continue
        given = [
            (-1, -1) if cell.row is None or cell.col is None else (cell.row, cell.col) for cell in batch.mentions[first:last]
        ]
        place = np.array(given, np.int64)
        cells = np.flatnonzero((place[:, 0] >= 0) & having[first:last])
        rows, row = np.unique(place[cells, 0], return_inverse=True)
        columns, column = np.unique(place[cells, 1], return_inverse=True)
        if len(rows) >= _LEAST_ROWS and len(columns) >= _LEAST_COLUMNS:
            mentions, names = np.full((2, len(rows), len(columns)), -1)
            mentions[row, column] = first + cells
            names[row, column] = groups.group_of[first + cells]
            yield Grid(mentions, names)


def _places(number: int, grid: Grid) -> Iterator[tuple[int, tuple[int, int, int]]]:
    rows, columns = np.nonzero(grid.mentions >= 0)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        yield int(grid.mentions[row, column]), (number, row, column)


def _scratch(codes: int) -> tuple[Any, ...]:
    return np.zeros(codes), np.zeros(codes), np.zeros(codes, np.int64), np.zeros(codes, np.int64)
