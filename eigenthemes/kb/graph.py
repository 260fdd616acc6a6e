"""The undirected graph of a KB with relations, and its hubs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.scratch import Scratch
from eigenthemes.errors import OptionError
from eigenthemes.kb.data_files import StoredArrays

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB

UInts = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Graph:
    """Neighbours of node i: `neighbors[indptr[i]:indptr[i + 1]]`, ascending, each once, never i itself.

    Attributes
    ----------
    indptr
        [n + 1] int64.
    neighbors
        [2m]    uint32.
    relations
        [2m]    uint16 or uint32: relation number * 2, + 1 where the statement runs from the neighbour to i.
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
        if not (isinstance(node, int | np.integer) and 0 <= node < len(self)):
            raise OptionError(f"node is {node!r:.40}; expected a whole number from 0 to {len(self) - 1:,}", where="node")
        return self.neighbors[self.indptr[int(node)] : self.indptr[int(node) + 1]]


@dataclass(frozen=True, slots=True)
class FurtherRelations:
    """The relations of pairs beside the one in `Graph.relations`.

    entries    [q] int64 ascending: positions in `Graph.neighbors`
    relations  [q] as in `Graph.relations`; those of one entry from the rarest in the KG to the most frequent
    """

    entries: NDArray[np.int64]
    relations: NDArray[Any]

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

    def degree(self, scratch: Scratch) -> NDArray[np.int64]:
        """Return the number of distinct neighbours of each node."""
        return scratch.counts(self.low, self.nodes) + scratch.counts(self.high, self.nodes)


def distinct_edges(source: UInts, target: UInts, relation: UInts, nodes: int, scratch: Scratch | None = None) -> EdgeList:
    """Make one edge for each pair of nodes that any statement joins; self-loops are dropped.

    Where several relations join a pair, the rarest in the KG comes first: it is the most informative one in explanations.
    """
    scratch = scratch or Scratch()
    kept = scratch.by_blocks(lambda one, other: (one != other,), (source, target), (np.bool_,))[0]
    all_edges = len(source)
    source, target, relation = scratch.chosen(kept, source, target, relation)
    counts = scratch.counts(relation, int(relation.max()) + 1 if len(relation) else 0)
    by_rarity = np.argsort(counts, kind="stable")
    rarity = np.empty(len(counts), dtype=np.uint64)
    rarity[by_rarity] = np.arange(len(counts), dtype=np.uint64)

    def undirected(one: UInts, other: UInts, relation: UInts) -> tuple[NDArray[Any], ...]:
        """Return the lower and the higher end of each edge, and its code by rarity and direction."""
        return np.minimum(one, other), np.maximum(one, other), rarity[relation] * np.uint64(2) + (one > other)

    rows = scratch.by_blocks(undirected, (source, target, relation), 3 * (np.uint32,))
    low, high, code = scratch.sort_rows(rows, (nodes, nodes, 2 * len(counts)))
    first = scratch.first_of_equal(low, high)
    further = scratch.first_of_equal(low, high, code)
    further ^= first  # a pair's first row is a first row of its code, too

    def stated(code: UInts) -> tuple[UInts]:
        """Return codes with the relation itself in place of its rarity."""
        return ((by_rarity.astype(np.uint32)[code >> 1] * np.uint32(2) + (code & np.uint32(1))).astype(np.uint32),)

    code = scratch.by_blocks(stated, (code,), (np.uint32,))[0]
    edges_up_to = scratch.offsets(first)[1:]
    further_edge, further_code = scratch.chosen(further, edges_up_to, code)
    low, high, code = scratch.chosen(first, low, high, code)
    return EdgeList(nodes, low, high, code, all_edges - len(source), further_edge - 1, further_code)


def build_graph(edges: EdgeList, new_number: UInts, scratch: Scratch | None = None) -> Graph:
    """Make the CSR graph, node i renamed to `new_number[i]`."""
    scratch = scratch or Scratch()
    low, high = scratch.take(new_number, edges.low), scratch.take(new_number, edges.high)
    back = scratch.by_blocks(lambda code: (code ^ np.uint32(1),), (edges.code,), (np.uint32,))[0]
    rows, columns = scratch.joined((low, high), np.uint32), scratch.joined((high, low), np.uint32)
    codes = scratch.joined((edges.code, back), np.uint32)
    limit = int(codes.max()) + 1 if len(codes) else 1
    rows, columns, codes = scratch.sort_rows((rows, columns, codes), (edges.nodes, edges.nodes, limit))
    return Graph(scratch.indptr(rows, edges.nodes), columns, _smallest(codes, scratch))


def find_further_relations(edges: EdgeList, new_number: UInts, graph: Graph, scratch: Scratch) -> FurtherRelations:
    """Collect the relations of each pair that `build_graph` left out, seen from both ends."""
    if not len(edges.further_edge):
        return FurtherRelations(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint16))
    low, high = (new_number[end[edges.further_edge]] for end in (edges.low, edges.high))
    nodes = np.uint64(max(1, edges.nodes))
    keys = scratch.by_blocks(
        lambda row, degree: (np.repeat(row.astype(np.uint64) * nodes, degree),),
        (np.arange(len(graph)), graph.degree),
        (np.uint64,),
        most=len(graph.neighbors),
    )[0]
    keys += graph.neighbors
    rows, columns = np.concatenate((low, high)), np.concatenate((high, low))
    entries = np.searchsorted(keys, rows.astype(np.uint64) * nodes + columns).astype(np.int64)
    codes = np.concatenate((edges.further_code, edges.further_code ^ np.uint32(1)))
    order = np.argsort(entries, kind="stable")
    return FurtherRelations(entries[order], _smallest(codes[order], scratch))


def _smallest(codes: UInts, scratch: Scratch) -> NDArray[Any]:
    narrow = not len(codes) or codes.max() < 1 << 16
    return scratch.by_blocks(lambda some: (some,), (codes,), (np.uint16,))[0] if narrow else codes


_LEAST, _LEAST_SHARE = 20, 0.002  # neighbours that a hub has, at least: so many, and this share of the named entities


@dataclass(frozen=True, slots=True)
class Hubs(StoredArrays):
    """The hubs of a KB.

    entities  [h] uint32 ascending
    share     [h] float64 in (0, 1): share of synthetic entities that are adjacent to it, or are it
    """

    FILES = ("hub_entities", "hub_share")

    entities: NDArray[np.uint32]
    share: NDArray[np.float64]

    def numbers(self, nodes: int) -> NDArray[np.int32]:
        """Return the number of the hub that each node is [nodes]; -1: it is none."""
        numbers = np.full(nodes, -1, np.int32)
        numbers[self.entities] = np.arange(len(self.entities))
        return numbers


def hubs_of(kb: KB, popularity: NDArray[np.float64]) -> Hubs:
    """Find the hubs of a KB, and the share of entities around each, where entities are drawn by their popularity [n]."""
    named = kb.linkable
    enough = max(_LEAST, _LEAST_SHARE * np.count_nonzero(named))
    entities = np.flatnonzero(named & (kb.graph.degree >= enough)).astype(np.uint32)
    drawn = np.where(named, popularity, 0.0)
    around = np.array([drawn[kb.graph.around(int(hub))].sum() + drawn[hub] for hub in entities])
    return Hubs(entities, np.clip(around / max(drawn.sum(), 1e-300), 1e-6, 1 - 1e-6))


_MOST_KINDS, _LEAST_MEMBERS = 32, 0.05  # entities that others belong to, and the share of named entities that do


@dataclass(frozen=True, slots=True)
class Kinds(StoredArrays):
    """Entities to exactly one of which many others belong, by one relation: the species of genes.

    entities  [k] uint32 ascending
    kind_of   [n] uint8: 1 + the number of the one that each entity belongs to; 0: to none
    """

    FILES = ("kind_entities", "kind_of")

    entities: UInts
    kind_of: NDArray[np.uint8]


def kinds_of(kb: KB) -> Kinds | None:
    """Find a relation that has one value, out of few named ones, for each entity that has it at all; None: there is none."""
    graph, named = kb.graph, kb.linkable
    source = np.repeat(np.arange(len(graph), dtype=np.uint32), np.diff(graph.indptr))
    best, enough = None, max(2, _LEAST_MEMBERS * np.count_nonzero(named))
    for relation in np.flatnonzero(np.bincount(graph.relations) >= enough) if len(graph.relations) else ():
        rows = np.flatnonzero(graph.relations == relation)
        entities, number = np.unique(graph.neighbors[rows], return_inverse=True)
        members = source[rows]
        is_single = len(members) > 1 and bool((members[1:] != members[:-1]).all())
        if is_single and 1 < len(entities) <= _MOST_KINDS and named[entities].all() and len(members) >= enough:
            kind_of = np.zeros(len(graph), np.uint8)
            kind_of[members] = 1 + number
            best, enough = Kinds(entities, kind_of), len(members) + 1
    return best
