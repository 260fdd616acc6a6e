"""LouvainNE: planted communities are found, split again to single nodes, and nodes that part late are near."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helpers.graphs import communities, graph_of
from numpy.typing import NDArray

from eigenthemes.embeddings import louvainne as module
from eigenthemes.embeddings.louvainne import add_level, hierarchy, louvain, louvainne
from eigenthemes.errors import OptionError
from eigenthemes.kb.graph import Graph


def modularity(graph: Graph, community: NDArray[np.int64]) -> float:
    """The share of edges inside communities, less what chance would put there."""
    source = np.repeat(np.arange(len(graph)), graph.degree)
    inside = (community[source] == community[graph.neighbors]).mean()
    share = np.bincount(community, weights=graph.degree) / len(graph.neighbors)
    return float(inside - (share**2).sum())


def found(graph: Graph, seed: int = 0) -> NDArray[np.int64]:
    return louvain(graph.indptr, graph.neighbors, np.zeros(len(graph), dtype=np.int64), np.random.default_rng(seed))


def same_partition(one: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    return bool(((one[:, None] == one) == (other[:, None] == other)).all())


@pytest.mark.parametrize("seed", range(4))
def test_planted_communities_are_found(seed: int) -> None:
    graph, group = communities(5, 30, seed)
    assert same_partition(found(graph, seed), group)


@pytest.mark.parametrize("seed", range(4))
def test_modularity_is_as_high_as_the_planted_one_where_the_plan_is_hard_to_see(seed: int) -> None:
    graph, group = communities(6, 20, seed, outside=0.08)
    assert modularity(graph, found(graph, seed)) >= modularity(graph, group) - 0.02


def test_no_two_communities_are_better_off_as_one() -> None:
    """Louvain's end; single nodes may well be better off elsewhere, as they no longer move when communities do."""
    graph, _ = communities(4, 15, outside=0.1)
    community = found(graph)
    best = modularity(graph, community)
    assert community.max() > 1
    for one in range(community.max() + 1):
        for other in range(one):
            assert modularity(graph, np.where(community == one, other, community)) < best + 1e-9


def test_a_ring_of_cliques_is_its_cliques() -> None:
    cliques = [(5 * c + a, 5 * c + b) for c in range(8) for a in range(5) for b in range(a)]
    ring = [(5 * c, 5 * ((c + 1) % 8) + 1) for c in range(8)]
    community = found(graph_of(cliques + ring, 40))
    assert same_partition(community, np.repeat(np.arange(8), 5))


def test_groups_together_are_groups_one_by_one() -> None:
    """Louvain on two graphs at once finds as much in each as alone: modularity goes by the volume of its own graph."""
    one, group = communities(3, 20)
    edges = [(int(a), int(b)) for a in range(len(one)) for b in one.around(a)]
    both = graph_of(edges + [(a + 60, b + 60) for a, b in edges], 120)
    of = np.repeat([0, 1], 60)
    community = louvain(both.indptr, both.neighbors, of, np.random.default_rng(0))
    assert same_partition(community, np.concatenate((group, group + 3)))


def test_levels_refine_each_other_down_to_single_nodes() -> None:
    graph, group = communities(4, 25)
    levels = list(hierarchy(graph, seed=0))
    assert same_partition(levels[0], group)
    assert len(levels) > 1
    for above, below in pairwise(levels):
        present = below >= 0
        assert (np.bincount(above)[above[present]] > 1).all()  # only nodes not yet alone go on
        pairs = np.unique(np.stack((below[present], above[present])), axis=1)
        assert len(np.unique(pairs[0])) == pairs.shape[1]  # each community lies in one above
    last = np.max([np.where(level >= 0, i, -1) for i, level in enumerate(levels)], axis=0)
    leaves = [(last[node], levels[last[node]][node]) for node in range(len(graph))]
    assert len(set(leaves)) == len(graph)


def test_a_community_that_does_not_split_falls_into_nodes() -> None:
    clique = graph_of([(a, b) for a in range(5) for b in range(a)], 5)
    (level,) = hierarchy(clique, seed=0)
    assert sorted(level.tolist()) == [0, 1, 2, 3, 4]


def test_a_level_adds_the_weight_in_one_direction_a_community() -> None:
    vectors = np.zeros((5, 64), dtype=np.float32)
    add_level(vectors, np.array([0, 1, 0, -1, 2]), 0.3, (0, 0), jobs=1)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([0.3, 0.3, 0.3, 0, 0.3])
    assert (vectors[0] == vectors[2]).all()
    assert abs(vectors[0] @ vectors[1]) < 0.05


def test_groups_of_a_graph_are_groups_of_vectors() -> None:
    graph, group = communities(4, 30)
    vectors = louvainne(graph, dimensions=64)
    assert vectors.shape == (120, 64)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(120), abs=1e-5)
    cosines, same = vectors @ vectors.T, group[:, None] == group
    assert cosines[same].mean() > cosines[~same].mean() + 0.3
    close = louvainne(graph, dimensions=64, damping=0.01)
    assert (close @ close.T)[same].min() > 0.99


def test_any_number_of_threads_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_COMMUNITIES", 7)
    graph, _ = communities(3, 40)
    one, three = louvainne(graph, dimensions=12, jobs=1), louvainne(graph, dimensions=12, jobs=3)
    assert one.tobytes() == three.tobytes()
    assert one.tobytes() != louvainne(graph, dimensions=12, seed=1).tobytes()


def test_isolated_nodes_get_no_vector() -> None:
    vectors = louvainne(graph_of([(0, 1), (1, 2), (2, 0)], 5), dimensions=3)
    assert vectors.any(axis=1).tolist() == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("edges", "nodes"),
    [
        ([(0, 1)], 2),
        ([(0, 1), (2, 3)], 4),
        ([(0, i) for i in range(1, 9)], 9),
        ([(0, 1)], 50),
        ([(i, i + 1) for i in range(999)], 1000),
    ],
    ids=["one edge", "two components", "star", "mostly isolated", "path"],
)
def test_odd_graphs_have_vectors(edges: list[tuple[int, int]], nodes: int) -> None:
    vectors = louvainne(graph_of(edges, nodes), dimensions=128)
    assert vectors.shape == (nodes, 128)
    linked = sorted({node for edge in edges for node in edge})
    assert np.linalg.norm(vectors[linked], axis=1) == pytest.approx(np.ones(len(linked)), abs=1e-5)


def test_what_cannot_be_made_is_told() -> None:
    graph, _ = communities(2, 5)
    with pytest.raises(OptionError, match="damping is 1; expected a number between 0 and 1"):
        louvainne(graph, damping=1)
