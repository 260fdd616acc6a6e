"""LouvainNE: vectors from a hierarchy of communities."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.checks import check_number
from eigenthemes.core.jit import kernel
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.embeddings.blocks import Blocks, Matrix
from eigenthemes.kb.graph import Graph

Ints = NDArray[np.int64]

_FAINTEST = 1e-7  # float32 shows nothing smaller beside 1
_COMMUNITIES = 4096  # a thread gives vectors to at a time


def louvainne(
    graph: Graph,
    *,
    dimensions: int = 128,
    seed: int = 0,
    damping: float = 0.7,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Matrix:
    """Make vectors [n, d] float32 of unit length; rows of isolated nodes are zero."""
    check_number("damping", damping, "a number between 0 and 1", above=0, most=np.nextafter(1, 0))
    vectors = np.zeros((len(graph), dimensions), dtype=np.float32)
    steps = (progress or Silent()).step("splitting communities", total=None, unit="levels")
    with Blocks(graph, jobs) as blocks, steps as advance:
        for level, community in enumerate(hierarchy(graph, seed)):
            if damping**level < _FAINTEST:
                break
            add_level(vectors, community, damping**level, (seed, level), jobs)
            advance(1)
        return blocks.unit_rows(vectors)


def hierarchy(graph: Graph, seed: int) -> Iterator[Ints]:
    """Yield the communities of each level, the coarsest first: [n] int64, -1 for nodes that were alone one level above.

    Each level is one pass over the edges that are left inside communities, all communities together.
    """
    random = np.random.default_rng(seed)
    indptr, neighbors = graph.indptr, graph.neighbors
    group = np.zeros(len(graph), dtype=np.int64)
    together = graph.degree > 0
    while together.any():
        community = _relabel(louvain(indptr, neighbors, group, random), group)
        yield np.where(together, community, -1)
        together &= np.bincount(community)[community] > 1
        is_inner = np.repeat(community, np.diff(indptr)) == community[neighbors]
        inner_before = np.concatenate(([0], np.cumsum(is_inner)))
        indptr, neighbors, group = inner_before[indptr], neighbors[is_inner], community


def louvain(indptr: Ints, neighbors: NDArray[np.uint32], group: Ints, random: np.random.Generator) -> Ints:
    """Find communities [n] of high modularity, from 0 up, within each group of nodes; no edge may join two groups.

    Nodes move to the communities of their neighbours, then communities become the nodes of a smaller graph, and so on.
    """
    degree = np.diff(indptr).astype(np.float64)
    volume = np.bincount(group, weights=degree)
    weights = np.ones(len(neighbors))
    label = np.arange(len(group))
    while True:
        community = np.arange(len(degree))
        move_nodes(indptr, neighbors, weights, degree, group, volume, random.permutation(len(degree)), community)
        kept, community = np.unique(community, return_inverse=True)
        label = community[label]
        if len(kept) == len(degree):
            return label
        indptr, neighbors, weights = _between(indptr, neighbors, weights, community, len(kept))
        group, degree = group[kept], _sums(community, degree)


def _between(
    indptr: Ints, neighbors: NDArray[np.uint32], weights: NDArray[np.float64], community: Ints, communities: int
) -> tuple[Ints, NDArray[np.uint32], NDArray[np.float64]]:
    """Return the weighted graph of communities; edges within a community only count in its degree."""
    source, target = np.repeat(community, np.diff(indptr)), community[neighbors]
    outer = source != target
    pairs, pair_of = np.unique(source[outer] * communities + target[outer], return_inverse=True)
    starts = np.searchsorted(pairs, np.arange(communities + 1) * communities).astype(np.int64)
    return starts, (pairs % communities).astype(np.uint32), _sums(pair_of, weights[outer])


def _sums(pair_of: Ints, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.bincount(pair_of, weights=weights).astype(np.float64, copy=False)


def _relabel(community: Ints, group: Ints) -> Ints:
    """Return the communities numbered from 0; in a group that did not split, each node is one."""
    one_of_each = np.unique(community, return_index=True)[1]
    unsplit = np.bincount(group[one_of_each]) == 1
    nodes = len(community)
    return np.unique(np.where(unsplit[group], nodes + np.arange(nodes), community), return_inverse=True)[1]


def add_level(vectors: Matrix, community: Ints, weight: float, seed: tuple[int, int], jobs: int) -> None:
    """Add `weight` times the random unit vector of its community to each node's; community -1 adds nothing."""
    order = np.argsort(community, kind="stable")
    ordered = community[order]

    def add_communities(first: int) -> None:
        """Add the vectors of some communities; their seed is their own, so that any thread may draw them."""
        begin, end = np.searchsorted(ordered, (first, first + _COMMUNITIES))
        rows = np.random.default_rng((*seed, first)).standard_normal((_COMMUNITIES, vectors.shape[1]), dtype=np.float32)
        rows *= np.float32(weight) / np.linalg.norm(rows, axis=1, keepdims=True)
        vectors[order[begin:end]] += rows[ordered[begin:end] - first]

    with ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(add_communities, range(0, int(ordered[-1]) + 1, _COMMUNITIES)):
            pass


_BETTER = 1e-9  # a smaller gain may be rounding, and nodes could move in circles


@kernel
def move_nodes(
    indptr: Any, neighbors: Any, weights: Any, degree: Any, group: Any, volume: Any, order: Any, community: Any
) -> None:
    """Move each node into the community of its neighbours that raises modularity most, until no node wants to move.

    Of node i's weight (degree[i], own loop included), toward(c) goes to community c, whose nodes without i have the weight
    total(c): i belongs where toward(c) - total(c) * degree[i] / volume is largest, with the volume of its own graph, group[i].
    Nodes are visited in `order`, and again when a neighbour has moved away. community [n] int64 starts as 0, ..., n - 1.
    """
    nodes = len(order)
    total, toward = degree.copy(), np.zeros(nodes)
    near = np.empty(nodes, dtype=np.int64)
    queue, waiting = order.copy(), np.ones(nodes, dtype=np.bool_)
    head, queued = 0, nodes
    while queued > 0:
        node = queue[head]
        head = (head + 1) % nodes
        queued -= 1
        waiting[node] = False
        if indptr[node] == indptr[node + 1]:
            continue
        communities = 0
        for edge in range(indptr[node], indptr[node + 1]):
            c = community[neighbors[edge]]
            if toward[c] == 0:
                near[communities] = c
                communities += 1
            toward[c] += weights[edge]
        own, share = community[node], degree[node] / volume[group[node]]
        total[own] -= degree[node]
        best, most = own, toward[own] - total[own] * share
        for i in range(communities):
            c = near[i]
            gain = toward[c] - total[c] * share
            if gain > most + _BETTER:
                best, most = c, gain
        for i in range(communities):
            toward[near[i]] = 0
        total[best] += degree[node]
        if best == own:
            continue
        community[node] = best
        for edge in range(indptr[node], indptr[node + 1]):
            other = np.int64(neighbors[edge])
            if community[other] != best and not waiting[other]:
                queue[(head + queued) % nodes] = other
                queued += 1
                waiting[other] = True
