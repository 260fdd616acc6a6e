"""ProNE: near things get near vectors, whatever the machine; odd graphs have an answer or a sentence."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from helpers.graphs import communities, graph_of

from eigenthemes.embeddings import blocks
from eigenthemes.embeddings.blocks import Blocks, ColumnBlocks, neighbor_sums
from eigenthemes.embeddings.prone import bessel, factorize, prone, scaled_basis
from eigenthemes.embeddings.vector_sets import make_vectors
from eigenthemes.errors import OptionError, VectorError


def test_groups_of_a_graph_are_groups_of_vectors() -> None:
    graph, group = communities(4, 30)
    vectors = prone(graph, dimensions=16)
    assert vectors.shape == (120, 16)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(120), abs=1e-5)
    cosines = vectors @ vectors.T
    same = group[:, None] == group
    assert cosines[same].mean() > cosines[~same].mean() + 0.4


def test_any_number_of_threads_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_ROWS", 16)
    monkeypatch.setattr(blocks, "SMALL", 0)  # the compiled sums
    graph, _ = communities(3, 40)
    one, three = prone(graph, dimensions=12, jobs=1), prone(graph, dimensions=12, jobs=3)
    assert one.tobytes() == three.tobytes()
    assert one.tobytes() != prone(graph, dimensions=12, seed=1).tobytes()


def test_plain_and_compiled_sums_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, _ = communities(3, 40)
    plain = prone(graph, dimensions=12)
    monkeypatch.setattr(blocks, "SMALL", 0)
    assert np.abs(np.einsum("ij,ij->i", plain, prone(graph, dimensions=12))) == pytest.approx(np.ones(120), abs=1e-3)


def test_sums_over_the_graph_are_those_of_a_sparse_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, _ = communities(2, 20)
    adjacency = sparse.csr_matrix((np.ones(len(graph.neighbors)), graph.neighbors, graph.indptr)).toarray()
    random = np.random.default_rng(0)
    dense, row, column = random.normal(size=(40, 3)), random.normal(size=40), random.normal(size=40)
    dense32, row32, column32 = (each.astype(np.float32) for each in (dense, row, column))
    assert neighbor_sums(graph, dense32) == pytest.approx(adjacency @ dense, abs=1e-4)
    for small in (10**9, 0):
        monkeypatch.setattr(blocks, "SMALL", small)
        with Blocks(graph, 1) as work:
            found = work.weighted_sum(dense32, row32, column32)
            assert found == pytest.approx((adjacency * (row[:, None] + column)) @ dense, abs=1e-3)
            mean = (adjacency @ dense + dense) / (1 + graph.degree)[:, None]
            one, nothing = np.ones(len(dense), np.float32), np.zeros(len(dense), np.float32)
            assert work.weighted_sum(dense32, one, nothing, work.empty(3)) == pytest.approx(adjacency @ dense, abs=1e-4)
            out = work.empty(3)
            work.averaged_sum(dense32, 0.3, -0.7, dense32, 2.0, out)
            assert out == pytest.approx(2.3 * dense - 0.7 * mean, abs=1e-4)
            work.averaged_sum(dense32, 0.3, -0.7, dense32, 2.0, out, -0.5)
            assert out == pytest.approx(0.5 * (2.3 * dense - 0.7 * mean), abs=1e-4)


def test_the_factors_are_those_of_the_exact_matrix() -> None:
    """A randomised factorisation of full size is exact: U S U^T of F F^T."""
    graph, _ = communities(2, 15)
    adjacency = sparse.csr_matrix((np.ones(len(graph.neighbors)), graph.neighbors, graph.indptr)).toarray()
    chance = (adjacency / graph.degree[:, None]).sum(axis=0) ** 0.75
    exact = adjacency * (-np.log(graph.degree)[:, None] - np.log(chance / chance.sum()))
    left, strengths, _ = np.linalg.svd(exact)
    expected = left * np.sqrt(strengths)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    with Blocks(graph, 1) as work:
        found = factorize(work, 30, 0)[:]
    assert found @ found.T == pytest.approx(expected @ expected.T, abs=2e-3)


def test_a_basis_is_orthonormal_even_of_dependent_columns() -> None:
    graph, _ = communities(2, 20)
    dense = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    with Blocks(graph, 1) as work:
        basis = scaled_basis(ColumnBlocks([np.hstack((dense, dense))]), work, -0.5, 1e-10)[:]
    assert basis.shape == (40, 3)
    assert basis.T @ basis == pytest.approx(np.eye(3), abs=1e-4)


def test_bessel_is_scipys() -> None:
    from scipy.special import iv

    assert [bessel(order, 0.5) for order in range(6)] == pytest.approx([iv(order, 0.5) for order in range(6)])


def test_isolated_nodes_get_no_vector() -> None:
    vectors = prone(graph_of([(0, 1), (1, 2), (2, 0)], 5), dimensions=3)
    assert vectors.any(axis=1).tolist() == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("edges", "nodes"),
    [([(0, 1)], 2), ([(0, 1), (2, 3)], 4), ([(0, i) for i in range(1, 9)], 9), ([(0, 1)], 50)],
    ids=["one edge", "two components", "star", "mostly isolated"],
)
def test_odd_graphs_have_vectors(edges: list[tuple[int, int]], nodes: int) -> None:
    vectors = prone(graph_of(edges, nodes), dimensions=128)
    assert len(vectors) == nodes
    assert np.isfinite(vectors).all()
    linked = sorted({node for edge in edges for node in edge})
    assert vectors.any(axis=1)[linked].all()


def test_fewer_dimensions_in_a_small_graph() -> None:
    graph, _ = communities(2, 50)
    assert make_vectors(graph).rows.shape == (100, 20)
    assert make_vectors(graph, dimensions=64).rows.shape == (100, 64)
    assert make_vectors(graph, dimensions=1000).rows.shape[1] <= 100


def test_what_cannot_be_made_is_refused() -> None:
    lonely = graph_of([(0, 0)], 3)
    with pytest.raises(VectorError, match=r"no edges.*import vectors"):
        make_vectors(lonely)
    graph, _ = communities(2, 5)
    with pytest.raises(OptionError, match="'word3vec' is unknown; expected one of prone"):
        make_vectors(graph, method="word3vec")
    with pytest.raises(OptionError, match="dimensions is 0; expected 1 or more"):
        make_vectors(graph, dimensions=0)
    with pytest.raises(OptionError, match="cannot name a set of vectors"):
        make_vectors(graph, name="../etc")
