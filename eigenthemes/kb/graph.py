"""The KG as an undirected graph of distinct neighbours, in CSR form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import sort_rows

UInts = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Graph:
    """Neighbours of node i: `neighbors[indptr[i]:indptr[i + 1]]`, ascending, each once, never i itself.

    indptr     [n + 1] int64
    neighbors  [2m]    uint32
    relations  [2m]    uint16 or uint32: relation number * 2, + 1 where the statement runs from the neighbour to i
    """

    indptr: NDArray[np.int64]
    neighbors: UInts
    relations: NDArray[Any]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def edges(self) -> int:
        """The number of distinct undirected edges."""
        return len(self.neighbors) // 2

    @property
    def degree(self) -> NDArray[np.int64]:
        """The number of distinct neighbours of each node."""
        return np.diff(self.indptr)

    def around(self, node: int) -> UInts:
        """Return the neighbours of one node."""
        return self.neighbors[self.indptr[node] : self.indptr[node + 1]]


@dataclass(frozen=True, slots=True)
class FurtherRelations:
    """The relations of pairs beside the one in `Graph.relations`.

    entries    [q] int64 ascending: positions in `Graph.neighbors`
    relations  [q] as in `Graph.relations`; those of one entry from the rarest in the KG to the most frequent
    """

    entries: NDArray[np.int64]
    relations: NDArray[Any]

    @classmethod
    def none(cls) -> FurtherRelations:
        return cls(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint16))

    def of(self, entry: int) -> list[int]:
        """Return the further relations of one entry of the graph."""
        first, last = np.searchsorted(self.entries, (entry, entry + 1))
        codes: list[int] = self.relations[first:last].tolist()
        return codes


@dataclass(frozen=True, slots=True)
class EdgeList:
    """Distinct undirected edges.

    low < high    [m] uint32
    code          [m] as in `Graph.relations`, seen from `low`
    further_edge  [q] int64 ascending: edges that are stated by further relations; further_code [q]: these, the rarest first
    """

    nodes: int
    low: UInts
    high: UInts
    code: UInts
    self_loops: int
    further_edge: NDArray[np.int64]
    further_code: UInts

    @property
    def degree(self) -> NDArray[np.int64]:
        both = np.bincount(self.low, minlength=self.nodes) + np.bincount(self.high, minlength=self.nodes)
        return both.astype(np.int64)


def distinct_edges(source: UInts, target: UInts, relation: UInts, nodes: int) -> EdgeList:
    """Make one edge for each pair of nodes that any statement joins; self-loops are dropped.

    Where several relations join a pair, the rarest in the KG comes first: it says most when a link is explained.
    """
    kept = source != target
    source, target, relation = source[kept], target[kept], relation[kept]
    counts = np.bincount(relation) if len(relation) else np.zeros(0, dtype=np.int64)
    by_rarity = np.argsort(counts, kind="stable")
    rarity = np.empty(len(counts), dtype=np.uint64)
    rarity[by_rarity] = np.arange(len(counts), dtype=np.uint64)
    low, high = np.minimum(source, target), np.maximum(source, target)
    code = rarity[relation] * np.uint64(2) + (source > target)
    low, high, code = sort_rows((low, high, code), (nodes, nodes, 2 * len(counts)))
    first, distinct = np.ones(len(low), dtype=bool), np.ones(len(low), dtype=bool)
    first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    distinct[1:] = first[1:] | (code[1:] != code[:-1])
    further = distinct & ~first
    original = (by_rarity.astype(np.uint32)[code >> 1] * np.uint32(2) + (code & np.uint32(1))).astype(np.uint32)
    return EdgeList(
        nodes,
        low[first],
        high[first],
        original[first],
        int(len(kept) - kept.sum()),
        further_edge=(np.cumsum(first) - 1)[further],
        further_code=original[further],
    )


def build_graph(edges: EdgeList, new_number: UInts) -> Graph:
    """Make the CSR graph, node i renamed to `new_number[i]`."""
    low, high = new_number[edges.low], new_number[edges.high]
    rows, columns = np.concatenate((low, high)), np.concatenate((high, low))
    codes = np.concatenate((edges.code, edges.code ^ np.uint32(1)))
    limit = int(codes.max()) + 1 if len(codes) else 1
    rows, columns, codes = sort_rows((rows, columns, codes), (edges.nodes, edges.nodes, limit))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=edges.nodes)))).astype(np.int64)
    return Graph(indptr, columns, _smallest(codes))


def find_further_relations(edges: EdgeList, new_number: UInts, graph: Graph) -> FurtherRelations:
    """Collect the relations of each pair that `build_graph` left out, seen from both ends."""
    low, high = (new_number[end[edges.further_edge]] for end in (edges.low, edges.high))
    nodes = np.uint64(max(1, edges.nodes))
    keys = np.repeat(np.arange(len(graph), dtype=np.uint64), graph.degree) * nodes + graph.neighbors
    rows, columns = np.concatenate((low, high)), np.concatenate((high, low))
    entries = np.searchsorted(keys, rows.astype(np.uint64) * nodes + columns).astype(np.int64)
    codes = np.concatenate((edges.further_code, edges.further_code ^ np.uint32(1)))
    order = np.argsort(entries, kind="stable")
    return FurtherRelations(entries[order], _smallest(codes[order]))


def _smallest(codes: UInts) -> NDArray[Any]:
    return codes.astype(np.uint16) if not len(codes) or codes.max() < 1 << 16 else codes
