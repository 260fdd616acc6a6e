"""Hidden edges against random entities: facts on vectors that know everything, nothing, or the opposite."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.graphs import communities, graph_of

from benchmarks.relatedness import hide_edges, relatedness


def test_hidden_edges_are_gone_and_every_node_keeps_one() -> None:
    graph, _ = communities(3, 30)
    left, pairs = hide_edges(graph, 0.2, np.random.default_rng(0))
    assert len(pairs) == pytest.approx(0.2 * graph.edges, abs=1)
    assert left.edges == graph.edges - len(pairs)
    assert (left.degree[graph.degree > 0] > 0).all()
    for a, b in pairs.tolist():
        assert b in graph.around(a)
        assert b not in left.around(a)
        assert a not in left.around(b)


def test_a_tree_of_leaves_hides_nothing() -> None:
    left, pairs = hide_edges(graph_of([(0, i) for i in range(1, 9)], 9), 0.5, np.random.default_rng(0))
    assert len(pairs) == 0
    assert left.edges == 8


def test_perfect_vectors_score_one_and_no_vectors_the_middle() -> None:
    vectors = np.repeat(np.eye(50, dtype=np.float32), 2, axis=0)  # pairs of equal rows
    pairs = np.array([[2 * i, 2 * i + 1] for i in range(50)])
    assert relatedness(vectors, pairs, np.random.default_rng(0), others=10) > 0.85  # a tie where the pair itself is drawn
    against = np.array([[2 * i, (2 * i + 50) % 100] for i in range(50)])
    assert relatedness(vectors, against, np.random.default_rng(0), others=10) < 0.3
    assert relatedness(vectors, pairs[:0], np.random.default_rng(0)) == 0.0
