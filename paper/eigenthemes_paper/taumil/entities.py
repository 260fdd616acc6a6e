"""The KG -> what the model knows of an entity: the types of itself and of its neighbours, and the relations to these.

The encoding is ReLU(sum over the neighbours, and the entity itself, of mean(type embeddings) M + relation embedding). All but
the ReLU is linear, so the sum needs no neighbours: a weighted bag of types (times M) and a bag of relations give the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.store import KB

NEIGHBORS = 30  # of an entity, the highest prior first; the authors left entities with more out altogether
PSEUDO_TYPES = 10  # of an entity without types: its most frequent relations


@dataclass(frozen=True, slots=True)
class Bag:
    """Bags of ids with weights; ids [k] and weights [k] of bag i begin at offsets[i] [bags]."""

    ids: NDArray[np.int64]
    weights: NDArray[np.float32]
    offsets: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class EntityBags:
    """The bags of all entities of a KB.

    types      [entities, types] sparse, float32: how much of each type is in an entity and its neighbours; every one counts 1
    relations  [entities, relations] sparse, float32: how many neighbours by each relation and direction; the last is "itself"
    """

    types: Any
    relations: Any

    @classmethod
    def of(cls, kb: KB) -> EntityBags:
        """Return the bags of a KB, made once."""
        return kb.cached(cls._make)

    @classmethod
    def _make(cls, kb: KB) -> EntityBags:
        n, graph = len(kb), kb.graph
        row = np.repeat(np.arange(n), graph.degree)
        near = np.arange(len(row)) - graph.indptr[row] < NEIGHBORS  # neighbours are in order of prior
        itself, codes = np.arange(n), 2 * len(kb.relations)
        rows = np.concatenate((row[near], itself))
        neighbors = _counts(rows, np.concatenate((graph.neighbors[near], itself)), (n, n))
        relations = _counts(rows, np.concatenate((graph.relations[near], np.full(n, codes))), (n, codes + 1))
        return cls((neighbors @ _types(kb, row)).tocsr(), relations)

    def of_types(self, entities: NDArray[Any]) -> Bag:
        return _bag(self.types, entities)

    def of_relations(self, entities: NDArray[Any]) -> Bag:
        return _bag(self.relations, entities)


def _types(kb: KB, row: NDArray[np.int64]) -> Any:
    """Return [entities, types + relations] sparse: the types of each entity, 1 in all; relations where it has none."""
    n, indptr = len(kb), kb.array("type_indptr")
    typed = np.diff(indptr) > 0
    untyped, codes = _pseudo_types(kb, row, typed)
    rows = np.concatenate((np.repeat(np.arange(n), np.diff(indptr)), untyped))
    columns = np.concatenate((kb.array("entity_types").astype(np.int64), codes + len(kb.types)))
    shares = _counts(rows, columns, (n, len(kb.types) + 2 * len(kb.relations)))
    shares.data /= np.bincount(rows, minlength=n)[_rows_of(shares)].astype(np.float32)
    return shares


def _pseudo_types(kb: KB, row: NDArray[np.int64], typed: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (entity, relation code) of the most frequent relations of entities without types."""
    untyped = ~typed[row]
    counts = _counts(row[untyped], kb.graph.relations[untyped], (len(kb), 2 * len(kb.relations)))
    rows = _rows_of(counts)
    order = np.lexsort((counts.indices, -counts.data, rows))
    kept = order[np.arange(len(rows)) - counts.indptr[rows] < PSEUDO_TYPES]
    return rows[kept], counts.indices[kept].astype(np.int64)


def _counts(rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]) -> Any:
    """Return a sparse matrix of how often each (row, column) occurs."""
    from scipy.sparse import coo_array

    ones = np.ones(len(rows), dtype=np.float32)
    counts = coo_array((ones, (rows.astype(np.int64), columns.astype(np.int64))), shape=shape).tocsr()
    counts.sum_duplicates()
    return counts


def _rows_of(matrix: Any) -> NDArray[np.int64]:
    """Return the row of each stored value of a CSR matrix."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def _bag(matrix: Any, entities: NDArray[Any]) -> Bag:
    starts = matrix.indptr[entities].astype(np.int64)
    counts = matrix.indptr[entities.astype(np.int64) + 1].astype(np.int64) - starts
    offsets = np.cumsum(counts) - counts
    at = np.arange(int(counts.sum())) + np.repeat(starts - offsets, counts)
    return Bag(matrix.indices[at].astype(np.int64), matrix.data[at], offsets)
