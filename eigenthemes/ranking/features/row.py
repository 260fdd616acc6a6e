"""Support of a candidate by the other cells of its row: the relation that most rows share between two columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import position, sort
from eigenthemes.core.jit import kernel
from eigenthemes.core.threads import lazy
from eigenthemes.explanations import RowReason
from eigenthemes.kb.attributes import readable_relation
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext, FeatureGroup

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
        table = groups.batch.table
        grids = list(_grids(groups))
        if not grids:
            return None
        start = table.bounds
        factor, codes, tables = np.ones(len(table)), 2 * len(context.kb.relations), []
        for grid in grids:
            compute = row_factors.select_backend(_STEPS * grid.groups.size * grid.groups.shape[1])
            given = groups.bounds, (groups.entity, probability, nil), context.edges, codes
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
        return {
            int(grid.mentions[row, column]): (number, row, column)
            for number, (grid, _) in enumerate(self.tables)
            for row, column in np.argwhere(grid.mentions >= 0).tolist()
        }

    def reason(self, mention: int, entity: int, context: FeatureContext) -> RowReason | None:
        """Return the most probable cell of the same row that supports an entity; None if there is none."""
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

    def _best(self, mention: int) -> tuple[int, float]:
        """Return the most likely entity of a mention, and how likely it is."""
        table = self.groups.batch.table
        first, last = table.bounds[mention : mention + 2].tolist()
        best = first + int(np.argmax(self.probability[first:last]))
        return int(table.entity[best]), float(self.probability[best])


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


SAMPLE, SAMPLE_CHAINED = 200, 30  # distinct pairs of names in which relations, and chains, are counted, evenly spaced
LEAST_PAIRS = 2.0  # each counted by how likely both names are in the KG, from which on they say something
LEAST_SHARE, LEAST_CHAINED = 1 / 2, 2 / 3  # of these pairs that must state the relation
CHANCE = 0.05  # share of wrong answers that state it
_MOST_SHARE = 0.95
_WALKED = 32  # neighbours of an entity, those of the highest prior, that a chain may lead over
# pairs of candidates that are less likely are not looked at, nor candidates of both cells less likely than these
_LEAST_LIKELY, _LEAST_LIKELY_CHAINED = 1e-4, 0.02
_LEAST_LIKELIER = 1e-2


@kernel
def row_factors(cells: Any, starts: Any, bounds: Any, candidates: Any, graph: Any, codes: Any, factor: Any) -> Any:
    """Multiply the support of the other cells of a row into `factor`, for all cells of a table.

    cells       [rows, columns] the name of each cell, -1: none; starts [rows, columns] where its candidates are in `factor`
    bounds      [names + 1] candidates of each name
    candidates  (entity [n] int64, probability [n], nil [names]: that none of them is right)
    graph       (indptr, neighbors, relations, entries, codes): `Graph`, and `FurtherRelations`
    codes       how many relation codes there are

    Returns (relation [columns, columns] as `Graph.relations` has it, -1: none; chained [columns, columns] bool; having, pairs
    [columns, columns] float64: so many of the pairs of names state it, by what is likely).
    """
    columns = cells.shape[1]
    relation = np.full((columns, columns), -1, np.int64)
    is_chained = np.zeros((columns, columns), np.bool_)
    having, pairs = np.zeros((columns, columns)), np.zeros((columns, columns))
    for first in range(columns):
        for second in range(first + 1, columns):
            keys = _distinct_pairs(cells, first, second)
            if len(keys) < LEAST_PAIRS:
                continue
            chained = False
            code, many, of = _most_stated(keys, chained, bounds, candidates, graph, codes)
            if of >= LEAST_PAIRS and many < LEAST_SHARE * of:
                chained = True
                code, many, of = _most_stated(keys, chained, bounds, candidates, graph, codes)
            if code < 0 or of < LEAST_PAIRS or many < (LEAST_CHAINED if chained else LEAST_SHARE) * of:
                continue
            relation[first, second], relation[second, first] = code, code ^ 1
            for i, j in ((first, second), (second, first)):
                is_chained[i, j], having[i, j], pairs[i, j] = chained, many, of
            counted = code, chained, many, of, len(keys) <= (SAMPLE_CHAINED if chained else SAMPLE)
            for row in range(len(cells)):
                if cells[row, first] >= 0 and cells[row, second] >= 0:
                    names, at = (cells[row, first], cells[row, second]), (starts[row, first], starts[row, second])
                    _multiply(names, at, counted, bounds, candidates, graph, factor)
    return relation, is_chained, having, pairs


@kernel
def _distinct_pairs(cells: Any, first: Any, second: Any) -> Any:
    """Return the distinct pairs of names of two columns, as one number each, ascending."""
    keys = np.empty(len(cells), np.int64)
    many = 0
    for row in range(len(cells)):
        if cells[row, first] >= 0 and cells[row, second] >= 0:
            keys[many] = (cells[row, first] << 32) | cells[row, second]
            many += 1
    keys, distinct = keys[:many], 0
    sort(keys)
    for k in range(many):
        if k == 0 or keys[k] != keys[distinct - 1]:
            keys[distinct] = keys[k]
            distinct += 1
    return keys[:distinct]


@kernel
def _most_stated(keys: Any, chained: Any, bounds: Any, candidates: Any, graph: Any, codes: Any) -> Any:
    """Return the relation that most pairs of names state (-1: none), how many do, of how many; each by what is likely."""
    entity, probability, nil = candidates
    total, of_pair, in_pair = np.zeros(codes), np.zeros(codes), np.zeros(codes, np.int64)
    counted, pairs = min(len(keys), SAMPLE_CHAINED if chained else SAMPLE), 0.0
    for number in range(counted):
        key = keys[number * len(keys) // counted]
        one, other = key >> 32, key & 0xFFFFFFFF
        both, here = (1 - nil[one]) * (1 - nil[other]), 0
        pairs += both
        for x in range(bounds[one], bounds[one + 1]):
            for y in range(bounds[other], bounds[other + 1]):
                likely = probability[x] * probability[y]
                if likely >= (_LEAST_LIKELY_CHAINED if chained else _LEAST_LIKELY):
                    here = _note_edge(entity[x], entity[y], likely, graph, of_pair, in_pair, here)
                    if chained:
                        here = _note_chains(entity[x], entity[y], likely, graph, of_pair, in_pair, here)
        for k in range(here):
            total[in_pair[k]] += _believed(of_pair[in_pair[k]], both)
            of_pair[in_pair[k]] = 0.0
    best, most = -1, 0.0
    for code in range(codes):
        if total[code] > most:
            best, most = code, total[code]
    return best, most, pairs


@kernel
def _believed(likely: Any, both: Any) -> Any:
    """Return how likely a pair of names states a relation, if half of all do.

    likely  that two of their candidates that state it are right; both: that both names are in the KG
    """
    with_it, without = likely / CHANCE, max(both - likely, 0.0) / (1 - CHANCE)
    return both * with_it / (with_it + without) if with_it > 0 else 0.0


@kernel
def _note(code: Any, likely: Any, of_pair: Any, in_pair: Any, here: Any) -> Any:
    """Note how likely a relation is, the highest value counts; return how many are noted."""
    if of_pair[code] == 0.0:
        in_pair[here] = code
        here += 1
    of_pair[code] = max(of_pair[code], likely)
    return here


@kernel
def _note_edge(x: Any, y: Any, likely: Any, graph: Any, of_pair: Any, in_pair: Any, here: Any) -> Any:
    """Note the relations of two entities; return how many are noted."""
    entry, flip = _entry(x, y, graph)
    if entry < 0:
        return here
    here = _note(np.int64(graph[2][entry]) ^ flip, likely, of_pair, in_pair, here)
    more = position(graph[3], 0, len(graph[3]), entry)
    while more < len(graph[3]) and graph[3][more] == entry:
        here = _note(np.int64(graph[4][more]) ^ flip, likely, of_pair, in_pair, here)
        more += 1
    return here


@kernel
def _note_chains(x: Any, y: Any, likely: Any, graph: Any, of_pair: Any, in_pair: Any, here: Any) -> Any:
    """Note the relations that lead from an entity over one between them to another; return how many are noted."""
    near, far, flip = _nearer(x, y, graph)
    for k in range(graph[0][near], min(graph[0][near + 1], graph[0][near] + _WALKED)):
        code = np.int64(graph[2][k])
        if of_pair[code ^ flip] < likely and _states(graph[1][k], far, code, graph):
            here = _note(code ^ flip, likely, of_pair, in_pair, here)
    return here


@kernel
def leads(x: Any, y: Any, relation: Any, chained: Any, graph: Any) -> Any:
    """Return whether a relation leads from an entity to another; `chained`: also over one between them."""
    if _states(x, y, relation, graph):
        return True
    if chained:
        near, far, flip = _nearer(x, y, graph)
        for k in range(graph[0][near], min(graph[0][near + 1], graph[0][near] + _WALKED)):
            if graph[2][k] == relation ^ flip and _states(graph[1][k], far, relation ^ flip, graph):
                return True
    return False


@kernel
def _states(x: Any, y: Any, relation: Any, graph: Any) -> Any:
    """Return whether a relation leads from an entity to another directly."""
    entry, flip = _entry(x, y, graph)
    if entry < 0:
        return False
    if graph[2][entry] == relation ^ flip:
        return True
    more = position(graph[3], 0, len(graph[3]), entry)
    while more < len(graph[3]) and graph[3][more] == entry:
        if graph[4][more] == relation ^ flip:
            return True
        more += 1
    return False


@kernel
def _entry(x: Any, y: Any, graph: Any) -> Any:
    """Return where the edge of two entities is among the neighbours of one of them (-1: nowhere), and 1 if of the second."""
    near, far, flip = _nearer(x, y, graph)
    at = position(graph[1], graph[0][near], graph[0][near + 1], far)
    return (at if at < graph[0][near + 1] and graph[1][at] == far else -1), flip


@kernel
def _nearer(x: Any, y: Any, graph: Any) -> Any:
    """Return the one of two entities that has fewer neighbours, the other one, and 1 if they changed places."""
    x, y = np.int64(x), np.int64(y)
    fewer = graph[0][y + 1] - graph[0][y] < graph[0][x + 1] - graph[0][x]
    return (y, x, 1) if fewer else (x, y, 0)


@kernel
def _multiply(names: Any, starts: Any, counted: Any, bounds: Any, candidates: Any, graph: Any, factor: Any) -> None:
    """Multiply the mutual support of two cells of a row into their factors.

    With q of the pairs stating the relation, two candidates that do so are q / CHANCE times as likely, others (1 - q) /
    (1 - CHANCE) times; a cell without an entity says nothing. The pair itself does not count for q.
    """
    relation, chained, having, pairs, is_counted = counted
    entity, probability, nil = candidates
    one, other = names
    height, width = bounds[one + 1] - bounds[one], bounds[other + 1] - bounds[other]
    stated = np.zeros((height, width), np.bool_)
    strongest = 0.0
    for i in range(height):
        for j in range(width):
            x, y = bounds[one] + i, bounds[other] + j
            low, high = min(probability[x], probability[y]), max(probability[x], probability[y])
            if low >= _LEAST_LIKELY and high >= _LEAST_LIKELIER and leads(entity[x], entity[y], relation, chained, graph):
                stated[i, j] = True
                strongest = max(strongest, low * high)
    both = (1 - nil[one]) * (1 - nil[other])
    if is_counted:
        having, pairs = max(having - _believed(strongest, both), 0.0), max(pairs - both, 0.0)
    q = min(having / (pairs + 1), _MOST_SHARE)
    if q <= CHANCE:
        return
    with_it, without = q / CHANCE, (1 - q) / (1 - CHANCE)
    for i in range(height):
        mass = 0.0
        for j in range(width):
            mass += probability[bounds[other] + j] * stated[i, j]
        factor[starts[0] + i] *= nil[other] + (1 - nil[other]) * without + mass * (with_it - without)
    for j in range(width):
        mass = 0.0
        for i in range(height):
            mass += probability[bounds[one] + i] * stated[i, j]
        factor[starts[1] + j] *= nil[one] + (1 - nil[one]) * without + mass * (with_it - without)
