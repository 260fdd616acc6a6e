"""Vectors for entities without one: from neighbours or descriptions; those that have one keep theirs."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.graphs import graph_of
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from eigenthemes.core.arrays import unit_rows
from eigenthemes.embeddings import vector_sets
from eigenthemes.embeddings.vector_sets import from_descriptions, from_neighbors
from eigenthemes.errors import VectorError
from eigenthemes.kb.graph import Graph

Matrix = NDArray[np.float32]


def given_vectors(*rows: list[float]) -> tuple[Matrix, NDArray[np.bool_]]:
    vectors = np.array(rows, dtype=np.float32)
    return vectors, np.asarray(vectors.any(axis=1))


def random_case(seed: int, nodes: int = 60, d: int = 4) -> tuple[Graph, Matrix, NDArray[np.bool_], Matrix]:
    """A graph, vectors of unit length for two thirds of its nodes, and description vectors for most."""
    random = np.random.default_rng(seed)
    graph = graph_of([(a, b) for a, b in random.integers(0, nodes, (3 * nodes, 2)).tolist()], nodes)
    vectors = unit_rows(random.standard_normal((nodes, d)).astype(np.float32))
    has = random.random(nodes) < 0.67
    vectors[~has] = 0
    described = random.standard_normal((nodes, 3)).astype(np.float32)
    described[random.random(nodes) < 0.2] = 0
    return graph, vectors, has, described


# neighbours


def test_the_mean_of_the_neighbours_that_have_one() -> None:
    graph = graph_of([(0, 2), (1, 2), (2, 3), (0, 4)], 6)
    vectors, has = from_neighbors(graph, *given_vectors([1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]))
    half = 0.5**0.5
    assert np.allclose(vectors, [[1, 0], [0, 1], [half, half], [0, 0], [1, 0], [0, 0]])
    assert has.tolist() == [True, True, True, False, True, False]


def test_neighbors_that_cancel_out_give_nothing() -> None:
    vectors, has = from_neighbors(graph_of([(0, 2), (1, 2)], 3), *given_vectors([1, 0], [-1, 0], [0, 0]))
    assert has.tolist() == [True, True, False]
    assert not vectors[2].any()


# descriptions


def test_a_linear_map_is_found_again() -> None:
    random = np.random.default_rng(0)
    described = random.standard_normal((200, 5)).astype(np.float32)
    true = unit_rows((described @ random.standard_normal((5, 5))).astype(np.float32))
    has = np.arange(200) < 150
    vectors, now = from_descriptions(described, np.where(has[:, None], true, 0), has)
    assert now.all()
    assert (np.einsum("ij,ij->i", vectors[150:], true[150:]) > 0.95).all()


def test_no_description_no_vector() -> None:
    described = np.array([[1, 0], [0, 1], [1, 0], [0, 0]], dtype=np.float32)
    vectors, has = from_descriptions(described, *given_vectors([1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0]))
    assert np.allclose(vectors[2], [1, 0, 0])
    assert has.tolist() == [True, True, True, False]


def test_nothing_to_learn_from_is_refused() -> None:
    described = np.array([[0, 0], [1, 1]], dtype=np.float32)
    with pytest.raises(VectorError, match=r"none of the 1 entities with a vector has a description.+; use the neighbours"):
        from_descriptions(described, *given_vectors([1, 0], [0, 0]))


# both


@given(seed=st.integers(0, 10_000))
def test_who_has_a_vector_keeps_it_and_new_ones_have_unit_length(seed: int) -> None:
    graph, vectors, has, described = random_case(seed)
    before = vectors.tobytes(), has.tobytes()
    for new, now in (
        from_neighbors(graph, vectors, has),
        from_descriptions(described, vectors, has),
    ):
        assert np.array_equal(new[has], vectors[has])
        assert (now >= has).all()
        assert np.allclose(np.linalg.norm(new, axis=1), now, atol=1e-5)
        assert new.dtype == np.float32
    assert (vectors.tobytes(), has.tobytes()) == before


def test_the_same_bytes_every_time() -> None:
    graph, vectors, has, described = random_case(1, nodes=400, d=32)
    runs = [from_descriptions(described, *from_neighbors(graph, vectors, has)) for _ in "ab"]
    assert runs[0][0].tobytes() == runs[1][0].tobytes()


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, vectors, has, described = random_case(2)
    whole = from_neighbors(graph, vectors, has)[0], from_descriptions(described, vectors, has)[0]
    monkeypatch.setattr(vector_sets, "_ROWS", 7)
    assert np.allclose(from_neighbors(graph, vectors, has)[0], whole[0], atol=1e-6)
    assert np.allclose(from_descriptions(described, vectors, has)[0], whole[1], atol=1e-5)


def test_all_or_none_have_a_vector() -> None:
    graph = graph_of([(0, 1)], 2)
    for case in (given_vectors([1, 0], [0, 1]), given_vectors([0, 0], [0, 0])):
        vectors, has = from_neighbors(graph, *case)
        assert np.array_equal(vectors, case[0])
        assert np.array_equal(has, case[1])
