"""What each other name put in for a candidate: found again by walking its neighbours, as the ranker did."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kernels.support import LEAST, MOST
from eigenthemes.ranking.features import COLUMNS, FeatureContext
from eigenthemes.ranking.ranker import Judgement

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Pull(NamedTuple):
    """What each row of a document (from `first` on) put in for one candidate.

    entity    the candidate
    amount    [n] what it adds to the candidate
    close     [n] in the vectors
    same      [n] bool: the same entity; longer [n] bool: as a candidate of a longer name
    codes     row -> relation of the edge
    met       (rows, shared neighbours)
    """

    first: int
    entity: int
    amount: Floats
    close: Floats
    same: NDArray[np.bool_]
    longer: NDArray[np.bool_]
    codes: dict[int, int]
    met: tuple[Ints, Ints]


class Walk:
    """The rows of a document, and the nodes they reach, in order of node."""

    def __init__(self, judgement: Judgement, around: FeatureContext, document: int) -> None:
        names = judgement.names
        self.first_name, last_name = names.documents[document : document + 2].tolist()
        first, last = names.bounds[[self.first_name, last_name]].tolist()
        self.around, self.first, self._longer_names = around, first, names.longer
        self.entity, self.name = names.entity[first:last], names.name[first:last]
        self.weight = judgement.weight[first:last].astype(np.float32).astype(np.float64)  # as the kernel saw it
        indptr, neighbors, _ = around.graph
        rows = np.flatnonzero(self.weight >= LEAST)
        starts = indptr[self.entity[rows]]
        counts = np.minimum(indptr[self.entity[rows] + 1] - starts, MOST)
        nodes = neighbors[np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
        order = np.argsort(nodes, kind="stable")
        self._node, self._row = nodes[order], np.repeat(rows, counts)[order]

    def pull(self, row: int, parts: Floats) -> Pull:
        """What each row adds to the candidate of one of them, whose columns add `parts`."""
        place, entity = row - self.first, int(self.entity[row - self.first])
        other = self.name != self.name[place]
        adds = dict(zip(COLUMNS, parts.tolist(), strict=True))
        codes = self._edges(entity, other)
        edges = np.zeros(len(other))
        edges[list(codes)] = self.weight[list(codes)]
        met, shared, rare = self._shared(entity, other)
        close = self._close(entity, other)
        same = other & (self.entity == entity)
        longer = same & np.isin(self.name, self._longer(int(self.name[place])))
        amount = (
            _spread(adds["edges"], edges)
            + _spread(adds["shared"], shared)
            + _spread(adds["shared_rare"], rare)
            + _spread(adds["coherence"], close)
            + _spread(adds["longer_name"], self.weight * longer)
            + _spread(adds["same_entity"], self.weight * (same & ~longer))
        )
        return Pull(self.first, entity, amount, close, same, longer, codes, met)

    def _longer(self, name: int) -> Ints:
        indptr, longer = self._longer_names
        return np.asarray(longer[indptr[name] : indptr[name + 1]] + self.first_name)

    def _edges(self, entity: int, other: NDArray[np.bool_]) -> dict[int, int]:
        """Row -> relation, of the rows whose entity is a neighbour."""
        graph = self.around.kb.graph
        start, neighbors = int(graph.indptr[entity]), graph.around(entity)
        if not len(neighbors):
            return {}
        at = np.minimum(np.searchsorted(neighbors, self.entity), len(neighbors) - 1)
        rows = np.flatnonzero((neighbors[at] == self.entity) & other & (self.weight >= LEAST))
        return dict(zip(rows.tolist(), graph.relations[start + at[rows]].tolist(), strict=True))

    def _shared(self, entity: int, other: NDArray[np.bool_]) -> tuple[tuple[Ints, Ints], Floats, Floats]:
        """Which rows meet at which neighbours, and what each row put there [n], as it is and times their rarity."""
        indptr, neighbors, rarity = self.around.graph
        nodes = neighbors[indptr[entity] : min(indptr[entity + 1], indptr[entity] + MOST)]
        first, last = (np.searchsorted(self._node, nodes, side=side) for side in ("left", "right"))
        counts = last - first
        at = np.repeat(np.arange(len(nodes)), counts)
        rows = self._row[np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
        at, rows = at[other[rows]], rows[other[rows]]
        mass = np.bincount(at, weights=self.weight[rows], minlength=len(nodes))
        put = self.weight[rows] * (np.minimum(1, mass) / np.maximum(mass, LEAST))[at]
        rare = put * rarity[nodes[at]]
        shared, shared_rare = (np.bincount(rows, each, len(other)).astype(np.float64) for each in (put, rare))
        return (rows, nodes[at].astype(np.int64)), shared, shared_rare

    def _close(self, entity: int, other: NDArray[np.bool_]) -> Floats:
        if self.around.vectors is None:
            return np.zeros(len(other))
        rows = self.around.vectors.rows
        return np.asarray(other * self.weight * np.square(rows[self.entity] @ rows[entity]), np.float64)


def _spread(whole: float, put: Floats) -> Floats:
    """A whole, in proportion to what each put in."""
    return whole * put / total if (total := put.sum()) > 0 else np.zeros(len(put))
