"""Support of a candidate by the candidates of other names, weighted by their probabilities.

In the graph: edges, shared neighbours and repetitions (`sum_support`); in the vectors: squared cosines. Candidates of weight 0
neither give nor get support.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import lists_of
from eigenthemes.core.threads import lazy
from eigenthemes.kb.store import Vectors
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.connections import LEAST, Connections, connect, sum_support
from eigenthemes.ranking.features.feature_context import FeatureContext
from eigenthemes.ranking.features.nil import highest_beside

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FEW = 4  # times as many candidates as dimensions: so many are compared pair by pair, which takes half the time
_TOGETHER, _STEP = 128, 16  # documents of up to so many candidates are compared together, those of 1 to 16, 17 to 32, ...
_SMALL = 64  # candidates: BLAS multiplies a matrix of so few with its turned copy sooner than with itself
_PRUNE_BELOW = 0.01  # of the probability of the best candidate: below it, what other names say changes no answer


def pruned(groups: MentionGroups, probability: Floats) -> NDArray[np.float32]:
    """Return the probabilities [n], 0 for candidates far less likely than the best of their mention."""
    best = highest_beside(probability, groups.bounds)
    unlikely = probability < _PRUNE_BELOW * best  # what is no number is not unlikely: damage must show
    return np.where(unlikely, 0.0, probability).astype(np.float32)


class GraphSupport(NamedTuple):
    """Support of candidates by the graph, [n] each, in the order of the kernel's columns."""

    edges: Floats
    shared_rare: Floats
    shared: Floats
    longer: Floats
    same: Floats


@dataclass(frozen=True)
class CandidateConnections:
    """Connections between the candidates of each document, independent of their probabilities and of the round.

    considered  [n] bool: the others have to do with nobody
    """

    groups: MentionGroups
    context: FeatureContext
    considered: NDArray[np.bool_]

    @lazy
    def steps(self) -> int:
        """About how many steps the kernels take."""
        return self.context.walk_steps(self.groups.entity[self.considered])

    @lazy
    def in_graph(self) -> Connections:
        """Return the connections of the candidates in the graph."""
        groups, context = self.groups, self.context
        rows = groups.document_names, groups.name_bounds, groups.entity, self.considered
        with context.scratch.borrow() as scratch:
            return Connections(*connect.select_backend(self.steps)(*rows, context.graph, context.walked, scratch))

    @lazy
    def rows(self) -> Ints:
        """The rows that are considered [c]."""
        return np.flatnonzero(self.considered)

    @lazy
    def squared_cosines(self) -> list[SquaredCosines]:
        """Of the documents with candidates of two names or more, those of about the same size together."""
        vectors, groups, rows = self.context.vectors, self.groups, self.rows
        if vectors is None or not len(rows):
            return []
        name, entity = groups.name_of_row[rows], groups.entity[rows]
        bounds = np.searchsorted(rows, groups.name_bounds[groups.document_names])
        first, count = bounds[:-1], np.diff(bounds)
        last = first + count - 1
        several = np.flatnonzero((count > 1) & (name[np.minimum(first, last)] != name[last]))
        first, count = first[several], count[several]
        most = min(_TOGETHER, _FEW * vectors.rows.shape[1]) // _STEP * _STEP
        sizes = np.where(count <= most, -(-count // _STEP) * _STEP, count)
        return [
            SquaredCosines.of(vectors, entity, name, first[sizes == size], count[sizes == size], size)
            for size in np.unique(sizes).tolist()
        ]


class SquaredCosines(NamedTuple):
    """The squared cosines of each two candidates of documents of about the same size.

    places   [d, s] of their candidates among the considered rows; where a document has fewer, its last one again
    inside   [d, s] bool: where it has not fewer
    squared  [d, s, s], 0 where both are of the same name; None where they are many times more than dimensions
    """

    places: Ints
    inside: NDArray[np.bool_]
    squared: NDArray[np.float32] | None

    @classmethod
    def of(cls, vectors: Vectors, entity: Ints, name: Ints, first: Ints, count: Ints, size: int) -> SquaredCosines:
        """Compute those of documents whose candidates are the considered rows first:first + count; entity, name [c] of all."""
        steps = np.arange(size)
        places = first[:, None] + np.minimum(steps, count[:, None] - 1)
        inside = steps < count[:, None]
        if size > _FEW * vectors.rows.shape[1]:
            return cls(places, inside, None)
        unit = np.take(vectors.rows, entity[places], axis=0)
        turned = unit.transpose(0, 2, 1)
        squared = unit @ (np.ascontiguousarray(turned) if size <= _SMALL else turned)  # the same bits, sooner
        np.square(squared, out=squared)
        squared *= name[places][:, :, None] != name[places][:, None, :]
        return cls(places, inside, squared)


@dataclass(frozen=True)
class WeightedCandidates:
    """The candidates of a batch, and how likely each of them was in the round before: `weight` [n].

    Those that were unlikely beside the best one of their mention have weight 0: they neither give nor get support, in this
    round and in all that follow.
    """

    groups: MentionGroups
    context: FeatureContext
    weight: NDArray[np.float32]
    connections: CandidateConnections

    @classmethod
    def of(cls, groups: MentionGroups, context: FeatureContext, probability: Floats) -> WeightedCandidates:
        """Weigh candidates by their probabilities [n] after the first round."""
        return cls.weighing(groups, context, pruned(groups, probability))

    @classmethod
    def weighing(cls, groups: MentionGroups, context: FeatureContext, weight: NDArray[np.float32]) -> WeightedCandidates:
        """Build from given weights of candidates [n]."""
        return cls(groups, context, weight, CandidateConnections(groups, context, weight != 0))

    def in_next_round(self, probability: Floats) -> WeightedCandidates:
        """Weigh the candidates that are still considered by their probabilities [n] after this round."""
        weight = pruned(self.groups, np.where(self.weight == 0, 0.0, probability))
        return replace(self, weight=weight)

    @lazy
    def graph_support(self) -> GraphSupport:
        """Return the support of the graph for each candidate."""
        groups, found = self.groups, self.connections
        compute = sum_support.select_backend(found.steps)
        columns = compute(groups.document_names, groups.name_bounds, self.weight, groups.longer, found.in_graph)
        return GraphSupport(*columns.T)

    def contributions(self, row: int) -> Contributions:
        """Return what each candidate of the document contributed to the support of one of them."""
        groups, connections = self.groups, self.connections.in_graph
        name = int(groups.name_of[groups.group[row]])
        document = int(np.searchsorted(groups.document_names, name, side="right")) - 1
        first_name, last_name = groups.document_names[document : document + 2].tolist()
        first, last = groups.name_bounds[[first_name, last_name]].tolist()
        longer = groups.longer[1][slice(*groups.longer[0][name : name + 2])]
        parts, positions, nodes = share_support(row, first, last, self.weight, longer, connections)
        meetings = positions, connections.entities[nodes]
        return Contributions(self, row, first_name, first, last, parts, meetings)


@dataclass(frozen=True)
class Contributions:
    """Contributions of each candidate of a document to one of them.

    A position is the number of a candidate within its document.

    row          the candidate, by its row in the batch
    first_name   of the document; first, last: its rows
    parts        what each contributed to what the graph says for the candidate, [r] each
    meetings     (positions [k], neighbours [k]): who shares which neighbours with the candidate
    """

    candidates: WeightedCandidates
    row: int
    first_name: int
    first: int
    last: int
    parts: GraphSupport
    meetings: tuple[Ints, Ints]

    @property
    def context(self) -> FeatureContext:
        """The arrays of the KB that features are computed from."""
        return self.candidates.context

    @property
    def entity(self) -> int:
        """The entity of the candidate."""
        return int(self.candidates.groups.entity[self.row])

    @lazy
    def entities(self) -> Ints:
        """The entity of each position [r]."""
        return self.candidates.groups.entity[self.first : self.last]

    @lazy
    def groups(self) -> Ints:
        """The mention group of each position [r]."""
        return self.candidates.groups.group[self.first : self.last]

    @lazy
    def weights(self) -> Floats:
        """Return the probability of the candidate at each position [r]; 0 for candidates of the same name.

        All 0 where the candidate itself has no weight: nothing supports it.
        """
        if self.candidates.weight[self.row] == 0:
            return np.zeros(self.last - self.first)
        names = self.candidates.groups.name_of[self.groups]
        own = names == names[self.row - self.first]
        return np.where(own, 0.0, self.candidates.weight[self.first : self.last].astype(np.float64))

    def is_longer(self, position: int) -> bool:
        """Return whether the candidate at a position is of a longer name, which contains that of the candidate."""
        groups = self.candidates.groups
        own, other = groups.name_of[[groups.group[self.row], self.groups[position]]].tolist()
        indptr, longer = groups.longer
        return bool(np.any(longer[indptr[own] : indptr[own + 1]] == other - self.first_name))


def share_support(
    row: int, first: int, last: int, weight: NDArray[np.float32], longer: Ints, connections: Connections
) -> tuple[GraphSupport, Ints, Ints]:
    """Return who contributed what to the support of one candidate, in one document.

    row          the candidate; first:last: the rows of its document
    weight, connections  as in `sum_support`; longer: the longer names that contain its name, counted within the document

    Returns (parts [r] each, positions [k], nodes [k]): what each candidate of the document contributed to the columns, and
    which candidates meet this one at which nodes. Candidates are counted within the document. The parts of a column sum up to
    what `sum_support` computes. Where that is a capped sum, the contributors share it by their weights; where it is the
    greatest weight, it is one candidate's.
    """
    parts = GraphSupport(*np.zeros((5, last - first)))
    if weight[row] == 0:
        return parts, np.zeros(0, np.int64), np.zeros(0, np.int64)
    own, name_of, likely = connections.own[row], connections.name_of[first:last], weight[first:last].astype(np.float64)
    is_other = name_of != connections.name_of[row]
    indptr, adjacent = connections.edges
    for candidate in adjacent[indptr[own] : indptr[own + 1]].tolist():
        near = _rows_of(candidate, connections) - first
        near = near[is_other[near] & (likely[near] >= LEAST)]
        parts.edges[near] = likely[near]
    of_names = np.bincount(name_of, weights=parts.edges)
    parts.edges[:] /= np.maximum(1, of_names)[name_of]
    same = _rows_of(own, connections) - first
    same = same[is_other[same]]
    is_longer = np.isin(name_of[same], longer)
    parts.same[same[~is_longer]] = likely[same[~is_longer]]
    parts.same[:] /= max(1.0, parts.same.sum())
    if is_longer.any():
        likeliest = same[is_longer][np.argmax(likely[same[is_longer]])]
        parts.longer[likeliest] = likely[likeliest]
    positions, nodes = _shared_nodes(parts, row - first, likely, is_other, connections.own[first:last], connections)
    return parts, positions, nodes


def _rows_of(candidate: int, connections: Connections) -> Ints:
    """Return the rows of a candidate, as `connect` has listed them."""
    rows, row = [], int(connections.head[candidate])
    while row >= 0:
        rows.append(row)
        row = int(connections.following[row])
    return np.array(rows, np.int64)


def _shared_nodes(
    parts: GraphSupport, position: int, likely: Floats, is_other: NDArray[np.bool_], own: Ints, connections: Connections
) -> tuple[Ints, Ints]:
    """Share what `_neighbors` adds among the candidates that reach the same nodes; return their positions, and the nodes."""
    counted = np.flatnonzero(likely >= LEAST)
    bounds, nodes = lists_of(connections.reached, own[counted])
    positions = np.repeat(counted, np.diff(bounds))
    indptr, reached = connections.reached
    of_row = np.sort(reached[indptr[own[position]] : indptr[own[position] + 1]])
    is_shared = np.isin(nodes, of_row)
    positions, nodes = positions[is_shared], nodes[is_shared]
    node = np.searchsorted(of_row, nodes)
    mass, of_name = np.zeros((2, len(of_row)), np.float32)
    np.add.at(mass, node, likely[positions].astype(np.float32))
    np.add.at(of_name, node, np.where(is_other[positions], 0, likely[positions]).astype(np.float32))
    others = (mass - of_name).astype(np.float64)
    met = is_other[positions] & (others[node] >= LEAST)
    positions, nodes, node = positions[met], nodes[met].astype(np.int64), node[met]
    part = np.minimum(1.0, others[node]) * (likely[positions] / others[node])
    parts.shared[:] = np.bincount(positions, weights=part, minlength=len(likely))
    parts.shared_rare[:] = np.bincount(positions, weights=part * connections.rarity[nodes], minlength=len(likely))
    return positions, nodes
