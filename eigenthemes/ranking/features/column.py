"""Support of a candidate by the other cells of its table column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.threads import lazy
from eigenthemes.kb.attributes import EntityAttributes
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import about_length
from eigenthemes.ranking.features.feature_group import FeatureGroup

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_KNOWN = 0.9  # coverage from which a cell is a name of a candidate

CELL_COLUMNS = {
    "column": "how much more often than by chance the other names of its column can be of a type, or stand in a relation, "
    "that it has",
    "elsewhere": "the highest probability that the same entity has for another name of its column",
}
CELL_NIL_COLUMNS = {
    **{column: f"{column} of the best candidate" for column in CELL_COLUMNS},
    "part": "the best candidate does not have it as a whole name",
    "few": "the column has too few names to say anything",
    "known": "the share of the other names of the column that are whole names of an entity",
}


@dataclass(frozen=True)
class CellEvidence:
    """Evidence of the table columns of a batch.

    coverage   [n] how well the name of each candidate fits, as of `names.alignment`
    is_cell    [m] which mention groups are cells of a table; rows [n] the same of candidates
    evidence   [n] `column`; attribute [n] the one that tells most, -1: none
    having     [n] so many of the `others` [n], the other names of the column that were counted, can have it;
               0 of 0 where there are too few
    """

    groups: MentionGroups
    coverage: NDArray[np.float32]
    is_cell: NDArray[np.bool_]
    rows: NDArray[np.bool_]
    evidence: Floats
    attribute: Ints
    having: Ints
    others: Ints

    @classmethod
    def of(cls, groups: MentionGroups, coverage: NDArray[np.float32], attributes: EntityAttributes) -> CellEvidence | None:
        """Count what the columns have in common; None where the batch has no tables."""
        from eigenthemes.kb.attributes import column_evidence

        is_cell = groups.column_of >= 0
        if not is_cell.any():
            return None
        compute = column_evidence.select_backend(2 * about_length(attributes.indptr, groups.entity))
        counted = compute(groups.columns, groups.bounds, groups.entity, attributes.lists, attributes.share)
        return cls(groups, coverage, is_cell, is_cell[groups.group], *counted)

    @lazy
    def shared(self) -> tuple[Ints, Ints]:
        """The candidates whose entity is one of another name of the column, too: their rows [r], and which are the same [r]."""
        rows = np.flatnonzero(self.rows)
        key = (self.groups.column_of[self.groups.group[rows]] << 32) | self.groups.entity[rows]
        order = np.argsort(key, kind="stable")
        new = np.diff(key[order], prepend=-1) != 0
        number = np.cumsum(new) - 1
        several = np.bincount(number, minlength=1)[number] > 1
        return rows[order][several], number[several]

    def elsewhere(self, weight: Floats) -> Floats:
        """Return the highest weight that the entity of each candidate has for another name of its column [n]."""
        result = np.zeros(len(weight))
        rows, number = self.shared
        order = np.lexsort((-weight[rows], number))
        rows, number = rows[order], number[order]
        first = np.flatnonzero(np.diff(number, prepend=-1))  # the highest of each entity; the next one follows it
        result[rows] = np.repeat(weight[rows[first]], np.diff(np.append(first, len(rows))))
        result[rows[first]] = weight[rows[first + 1]]
        return result

    @lazy
    def is_full_name(self) -> NDArray[np.bool_]:
        """Return a mask of candidates with a name that the cell is, but for weak words and endings [n]."""
        return np.asarray(self.coverage >= _KNOWN)

    @lazy
    def known(self) -> Floats:
        """The share of the other names of its column that are whole names [m]; one half where there is no other."""
        column_of = self.groups.column_of[self.is_cell]
        whole = np.zeros(len(self.groups))
        whole[self.groups.group[self.is_full_name]] = 1
        names, whole_names = np.bincount(column_of), np.bincount(column_of, weights=whole[self.is_cell])
        share = np.zeros(len(self.groups))
        share[self.is_cell] = (whole_names[column_of] - whole[self.is_cell] + 1) / (names[column_of] + 1)
        return share

    def nil_columns(self, best_row: Ints, elsewhere: Floats) -> NDArray[np.float32]:
        """Return CELL_NIL_COLUMNS of groups whose best candidates are these rows [b, 5]."""
        few, known = self.others[best_row] == 0, self.known[self.groups.group[best_row]]
        columns = (self.evidence[best_row], elsewhere[best_row], ~self.is_full_name[best_row], few, known)
        return np.stack(columns, axis=1).astype(np.float32)


GROUP = FeatureGroup(name="column", columns=CELL_COLUMNS, weakness="fits the column less well")
