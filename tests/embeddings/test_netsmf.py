"""NetSMF: the sampled matrix is the exact one in the mean, in as much memory as allowed, whatever the threads."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from helpers.graphs import communities, graph_of
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from eigenthemes.core.progress import Silent
from eigenthemes.embeddings import blocks
from eigenthemes.embeddings import netsmf as module
from eigenthemes.embeddings.blocks import Blocks
from eigenthemes.embeddings.netsmf import count_paths, factorize, logarithms, netsmf, pairs_that_fit
from eigenthemes.errors import OptionError, VectorError
from eigenthemes.kb.graph import Graph

EDGE = 1 << 31


def adjacency(graph: Graph) -> NDArray[np.float64]:
    dense = np.zeros((len(graph), len(graph)))
    dense[np.repeat(np.arange(len(graph)), graph.degree), graph.neighbors] = 1
    return dense


def exact(graph: Graph, window: int, negatives: float = 1.0) -> NDArray[np.float64]:
    """vol / (b T) * sum of (D^-1 A)^r D^-1: equation 1 of the paper."""
    step = adjacency(graph) / graph.degree[:, None]
    powers = sum(np.linalg.matrix_power(step, r) for r in range(1, window + 1))
    return np.asarray(len(graph.neighbors) / (negatives * window) * powers / graph.degree)


def to_dense(upper: csr_matrix) -> NDArray[np.float64]:
    return np.asarray((upper + upper.T).toarray(), dtype=np.float64)


SMALL = graph_of([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (3, 5), (5, 6)], 7)


def sampled(graph: Graph, window: int, rounds: int) -> csr_matrix:
    counts = count_paths(graph, window=window, rounds=rounds, seed=0, capacity=10**6, progress=Silent())
    return logarithms(graph, counts)


@pytest.mark.parametrize("window", [2, 3, 6])
def test_the_sampled_matrix_is_the_exact_one_in_the_mean(window: int) -> None:
    found = np.expm1(to_dense(sampled(SMALL, window, 100_000)))
    assert found == pytest.approx(exact(SMALL, window), rel=0.03)


def test_a_window_of_one_needs_no_samples() -> None:
    counts = count_paths(SMALL, window=1, rounds=3, seed=0, capacity=100, progress=Silent())
    assert counts.paths == 0
    found = to_dense(logarithms(SMALL, counts, negatives=2.0))
    assert found == pytest.approx(np.log1p(exact(SMALL, 1, negatives=2.0)), abs=1e-6)


def test_every_path_is_counted_and_every_edge_held() -> None:
    graph, _ = communities(3, 20)
    counts = count_paths(graph, window=4, rounds=2, seed=0, capacity=10**6, progress=Silent())
    assert counts.paths == 2 * len(graph.neighbors) * 3
    assert (counts.counts & (EDGE - 1)).sum() == counts.paths
    assert (np.diff(counts.pairs.astype(np.int64)) > 0).all()
    rows, columns = np.nonzero(np.triu(adjacency(graph)))
    assert (
        counts.pairs[counts.counts >= EDGE].tolist()
        == (rows.astype(np.uint64) << np.uint64(32) | columns.astype(np.uint64)).tolist()
    )


def test_batches_change_nothing() -> None:
    """Room for just the pairs that are there means many small batches, the last ones drawn again and halved."""
    graph, _ = communities(3, 20)
    whole = count_paths(graph, window=4, rounds=6, seed=0, capacity=10**6, progress=Silent())
    parts = count_paths(graph, window=4, rounds=6, seed=0, capacity=len(whole.pairs), progress=Silent())
    assert parts.paths == whole.paths
    assert parts.pairs.tobytes() == whole.pairs.tobytes()
    assert parts.counts.tobytes() == whole.counts.tobytes()


def test_a_matrix_that_would_not_fit_is_made_of_fewer_paths() -> None:
    graph, _ = communities(4, 60)
    some = count_paths(graph, window=10, rounds=5, seed=0, capacity=graph.edges + 3000, progress=Silent())
    assert graph.edges < len(some.pairs) <= graph.edges + 3000
    assert 0 < some.paths < 5 * len(graph.neighbors) * 9
    again = count_paths(graph, window=10, rounds=5, seed=0, capacity=graph.edges + 3000, jobs=3, progress=Silent())
    assert again.pairs.tobytes() == some.pairs.tobytes()


def test_memory_stays_in_its_bound() -> None:
    random = np.random.default_rng(0)
    graph = graph_of([(a, b) for a, b in random.integers(0, 5000, size=(20_000, 2)).tolist()], 5000)
    netsmf(SMALL, dimensions=4)  # compiled before anything is measured
    peaks = []
    for allowed in (4e6, 12e6):
        tracemalloc.start()
        netsmf(graph, dimensions=16, max_memory=allowed)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert 0.4 * allowed < peaks[-1] < 1.1 * allowed
    with pytest.raises(VectorError, match=r"max_memory is 100,000 bytes, but 5,000 nodes.* at least; allow more"):
        netsmf(graph, dimensions=16, max_memory=1e5)
    assert pairs_that_fit(graph, 16, 4e6) < pairs_that_fit(graph, 16, 12e6)


def test_groups_of_a_graph_are_groups_of_vectors() -> None:
    graph, group = communities(4, 30)
    vectors = netsmf(graph, dimensions=16)
    assert vectors.shape == (120, 16)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(120), abs=1e-5)
    cosines, same = vectors @ vectors.T, group[:, None] == group
    assert cosines[same].mean() > cosines[~same].mean() + 0.2


def test_any_number_of_threads_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_ROWS", 16)
    monkeypatch.setattr(module, "_DRAWS", 50)
    graph, _ = communities(3, 40)
    one, three = netsmf(graph, dimensions=12, jobs=1), netsmf(graph, dimensions=12, jobs=3)
    assert one.tobytes() == three.tobytes()
    assert one.tobytes() != netsmf(graph, dimensions=12, seed=1).tobytes()


def test_a_factorisation_of_full_size_is_exact() -> None:
    matrix = sampled(SMALL, 3, 10)
    left, strengths, _ = np.linalg.svd(to_dense(matrix))
    with Blocks(SMALL, 1) as work:
        found = factorize(matrix, 7, work, seed=0)
    assert found @ found.T == pytest.approx((left * strengths) @ left.T, abs=1e-3)


def test_isolated_nodes_get_no_vector() -> None:
    vectors = netsmf(graph_of([(0, 1), (1, 2), (2, 0)], 5), dimensions=3)
    assert vectors.any(axis=1).tolist() == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("edges", "nodes"),
    [([(0, 1)], 2), ([(0, 1), (2, 3)], 4), ([(0, i) for i in range(1, 9)], 9), ([(0, 1)], 50)],
    ids=["one edge", "two components", "star", "mostly isolated"],
)
def test_odd_graphs_have_vectors(edges: list[tuple[int, int]], nodes: int) -> None:
    vectors = netsmf(graph_of(edges, nodes), dimensions=128)
    assert len(vectors) == nodes
    linked = sorted({node for edge in edges for node in edge})
    assert np.linalg.norm(vectors[linked], axis=1) == pytest.approx(np.ones(len(linked)), abs=1e-5)


def test_what_cannot_be_made_is_told() -> None:
    for options in ({"window": 0}, {"rounds": 0}):
        with pytest.raises(OptionError, match=f"{next(iter(options))} is 0; expected 1 or more"):
            netsmf(SMALL, **options)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="negatives is 0; expected a number above 0"):
        netsmf(SMALL, negatives=0)
