"""LouvainNE (Bhowmick et al., WSDM 2020): communities within communities, a random vector for each, summed down the hierarchy.

The graph is split by Louvain, each community again, and so on until single nodes are left, or communities that do not
split, whose nodes then stand for themselves. A node's vector is the sum over the levels h of damping^h times the random unit
vector of its community there: nodes that part late are near.

Departures from the authors' program: Louvain runs to its end at every split, not for its first pass only (which their program
offers too; held-out-edge MRR on AIDA .53 against .44), and damping is 0.7 instead of 0.01 (MRR .535 against .511, flat from
0.1 to 0.7). P@1 of `eigen` on AIDA and WNED-CWEB rises with damping but stays below that of random vectors, so it was not the
guide.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.checks import MOST_DIMENSIONS, check_jobs, check_number, check_whole
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.embeddings.blocks import Blocks, Matrix
from eigenthemes.errors import OptionError, VectorError
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
    check_whole("dimensions", dimensions, most=MOST_DIMENSIONS)
    check_jobs(jobs)
    check_number("damping", damping, "a number between 0 and 1", above=0)
    if damping >= 1:
        raise OptionError(f"damping is {damping}; expected a number between 0 and 1", where="damping")
    if not graph.edges:
        raise VectorError("the graph has no edges, so no vectors can be made from it; import vectors instead", code="no-edges")
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
    """Yield the communities of each level, the coarsest first: [n] int64, -1 for nodes that stood alone a level before.

    Each level is one pass over the edges that are left inside communities, all communities together.
    """
    from eigenthemes.kernels.louvain import inner_edges

    random = np.random.default_rng(seed)
    indptr, neighbors = graph.indptr, graph.neighbors
    group = np.zeros(len(graph), dtype=np.int64)
    together = graph.degree > 0
    while together.any():
        community = _apart(louvain(indptr, neighbors, group, random), group)
        yield np.where(together, community, -1)
        together &= np.bincount(community)[community] > 1
        inner_indptr, inner = np.empty(len(indptr), dtype=np.int64), np.empty(len(neighbors), dtype=np.uint32)
        count = inner_edges(indptr, neighbors, community, inner_indptr, inner)
        indptr, neighbors, group = inner_indptr, inner[:count].copy(), community


def louvain(indptr: Ints, neighbors: NDArray[np.uint32], group: Ints, random: np.random.Generator) -> Ints:
    """Find communities [n] of high modularity, from 0 up, within each group of nodes; no edge may join two groups.

    Nodes move to the communities of their neighbours, then communities become the nodes of a smaller graph, and so on.
    """
    from eigenthemes.kernels.louvain import move_nodes

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
    """Return the graph of communities, its edges weighted by what they stand for; edges inside one only count in its degree."""
    source, target = np.repeat(community, np.diff(indptr)), community[neighbors]
    outer = source != target
    pairs, pair_of = np.unique(source[outer] * communities + target[outer], return_inverse=True)
    starts = np.searchsorted(pairs, np.arange(communities + 1) * communities).astype(np.int64)
    return starts, (pairs % communities).astype(np.uint32), _sums(pair_of, weights[outer])


def _sums(pair_of: Ints, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.bincount(pair_of, weights=weights).astype(np.float64, copy=False)


def _apart(community: Ints, group: Ints) -> Ints:
    """Return the communities numbered from 0; the nodes of a group that did not split stand each on its own."""
    one_of_each = np.unique(community, return_index=True)[1]
    unsplit = np.bincount(group[one_of_each]) == 1
    nodes = len(community)
    return np.unique(np.where(unsplit[group], nodes + np.arange(nodes), community), return_inverse=True)[1]


def add_level(vectors: Matrix, community: Ints, weight: float, seed: tuple[int, int], jobs: int) -> None:
    """Add `weight` times the random unit vector of its community to each node's; community -1 adds nothing."""
    order = np.argsort(community, kind="stable")
    ordered = community[order]

    def add_communities(first: int) -> None:
        begin, end = np.searchsorted(ordered, (first, first + _COMMUNITIES))
        rows = np.random.default_rng((*seed, first)).standard_normal((_COMMUNITIES, vectors.shape[1]), dtype=np.float32)
        rows *= np.float32(weight) / np.linalg.norm(rows, axis=1, keepdims=True)
        vectors[order[begin:end]] += rows[ordered[begin:end] - first]

    with ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(add_communities, range(0, int(ordered[-1]) + 1, _COMMUNITIES)):
            pass
