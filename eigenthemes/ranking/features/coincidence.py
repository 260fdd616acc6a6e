"""Attributes that the names of a text, or of a table column, may share: on a page of results, every city can be a team."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import place_of, table_size
from eigenthemes.core.jit import kernel
from eigenthemes.core.threads import lazy
from eigenthemes.kb.attributes import LEAST_UNITS, EntityAttributes, column_evidence, count_name, log_ratio
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext, FeatureGroup, LocalGroup, about_length

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_COLUMNS = {
    "coincidence": "how much more often than by chance the other names of the text can be of a type, or stand in a relation, "
    "that it has; not in tables, where the column says it",
}
_SCALE = 10.0
_MOST = 0.5  # synthetic documents hang together better than texts: of genes they would learn a weight that is four times this
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


class Coincidence(NamedTuple):
    """Attributes that a candidate shares with the other names of its text, [n] each.

    evidence   log-likelihood ratio
    attribute  the one that tells most, -1: none
    having     so many of the `others`, the other names that have candidates, can have it
    """

    evidence: Floats
    attribute: Ints
    having: Ints
    others: Ints

    @classmethod
    def of(cls, groups: MentionGroups, context: FeatureContext) -> Coincidence | None:
        """Count what the names of each text have in common; None where the KB keeps no attributes."""
        if context.attributes is None:
            return None
        attributes, in_text = context.attributes, groups.batch.in_text
        count = coincidence.select_backend(3 * about_length(attributes.indptr, groups.entity))
        rows = groups.document_names, groups.name_bounds, in_text, groups.entity
        return cls(*count(*rows, attributes.lists, attributes.share))


def compute(groups: MentionGroups, context: FeatureContext) -> NDArray[np.float32]:
    """Compute the evidence [n, 1]: linear, since the root and the logarithm lose what it is worth."""
    found = Coincidence.of(groups, context)
    evidence = np.zeros(len(groups.table_row)) if found is None else found.evidence / _SCALE
    return evidence[:, None].astype(np.float32)


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
        is_cell = groups.column_of >= 0
        if not is_cell.any():
            return None
        compute = column_evidence.select_backend(2 * about_length(attributes.indptr, groups.entity))
        counted = compute(groups.columns, groups.bounds, groups.entity, attributes.lists, attributes.share)
        return cls(groups, coverage, is_cell, is_cell[groups.group], *counted)

    @lazy
    def columns_and_entities(self) -> tuple[Ints, Ints]:
        """The candidates of cells: their rows [r], and a number for the column and the entity of each [r]."""
        rows = np.flatnonzero(self.rows)
        return rows, (self.groups.column_of[self.groups.group[rows]] << 32) | self.groups.entity[rows]

    def elsewhere(self, weight: Floats) -> Floats:
        """Return the highest weight that the entity of each candidate has for another name of its column [n]."""
        result, (rows, key) = np.zeros(len(weight)), self.columns_and_entities
        order = np.lexsort((-weight[rows], key))
        rows, key = rows[order], key[order]
        first = np.flatnonzero(np.diff(key, prepend=-1))  # the highest of each entity; the next one follows it
        counts = np.diff(np.append(first, len(rows)))
        result[rows] = np.repeat(weight[rows[first]], counts)
        result[rows[first]] = np.where(counts > 1, weight[rows[np.minimum(first + 1, len(rows) - 1)]], 0.0)
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


COINCIDENCE = LocalGroup(
    name="coincidence", columns=_COLUMNS, compute=compute, weakness="has less in common with the other names", most=_MOST
)
COLUMN = FeatureGroup(name="column", columns=CELL_COLUMNS, weakness="fits the column less well")


_LEAST_OTHERS = 2  # other names that must be able to have an attribute
_COINCIDENCE_MOST = 200.0


@kernel
def coincidence(documents: Any, names: Any, counted: Any, entity: Any, attributes: Any, share: Any) -> Any:
    """Compute the support of each candidate by attributes that the names of its document can share.

    documents   [d + 1] names of each document; names [m + 1] rows (candidates) of each name
    counted     [d] bool: documents that are looked at
    entity      [n] int64
    attributes  (indptr, attributes) as of `entity_attributes`; share [attributes] of all names that have a candidate with it

    Of each candidate the attribute that tells most counts: the log-likelihood ratio of so many of the other names having it, by
    what the document shows and by chance. One entity that all names share is no coincidence: no more names are counted than
    there are entities with the attribute. Returns (evidence [n] float64, attribute [n] int64: -1 for none; having, others [n]
    int64: so many of the other names can have it).
    """
    evidence = np.zeros(len(entity), np.float64)
    attribute = np.full(len(entity), -1, np.int64)
    having, others = np.zeros(len(entity), np.int64), np.zeros(len(entity), np.int64)
    names_with, entities_with = np.zeros(len(share), np.int64), np.zeros(len(share), np.int64)  # each attribute, so far
    last_name, touched = np.full(len(share), -1, np.int64), np.zeros(len(share), np.int64)
    ratio = np.zeros(len(share), np.float64)
    for document in range(len(documents) - 1):
        units = 0
        for name in range(documents[document], documents[document + 1]):
            units += names[name + 1] > names[name]
        if not counted[document] or units < LEAST_UNITS:
            continue
        first, last = names[documents[document]], names[documents[document + 1]]
        many = 0
        for name in range(documents[document], documents[document + 1]):
            many = count_name(name, names, entity, attributes, names_with, last_name, touched, many)
        _count_entities(first, last, entity, attributes, entities_with)
        for k in range(many):
            a = touched[k]
            names_with[a] = min(names_with[a], entities_with[a]) - 1
            if names_with[a] >= _LEAST_OTHERS:
                ratio[a] = min(log_ratio(names_with[a], units - 1, share[a]), _COINCIDENCE_MOST)
        for row in range(first, last):
            most, best = 0.0, np.int64(-1)
            for k in range(attributes[0][entity[row]], attributes[0][entity[row] + 1]):
                if ratio[attributes[1][k]] > most:
                    best = np.int64(attributes[1][k])
                    most = ratio[best]
            others[row] = units - 1
            if best >= 0:
                evidence[row], attribute[row], having[row] = most, best, names_with[best]
        for k in range(many):
            names_with[touched[k]] = entities_with[touched[k]] = 0
            ratio[touched[k]] = 0.0
    return evidence, attribute, having, others


@kernel
def _count_entities(first: Any, last: Any, entity: Any, attributes: Any, counts: Any) -> None:
    """Count each entity of the rows first:last once for each of its attributes."""
    met = np.full(table_size(64, 2 * (last - first)), -1, np.int64)  # a hash table
    for row in range(first, last):
        at = place_of(met, entity[row])
        if met[at] < 0:
            met[at] = entity[row]
            for k in range(attributes[0][entity[row]], attributes[0][entity[row] + 1]):
                counts[attributes[1][k]] += 1
