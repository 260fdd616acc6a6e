"""Largest eigenpairs: they solve their equation, compiled and plain code agree to the bit, and doubt is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from eigenthemes.ranking.eigensolver import SIDE_BY_SIDE, WORK, largest_eigenpairs


def with_room(symmetric: NDArray[Any]) -> NDArray[np.float32]:
    size = len(symmetric)
    width = -(-size // SIDE_BY_SIDE) * SIDE_BY_SIDE
    matrix = np.zeros((width + WORK, width), np.float32)
    matrix[:size, :size] = symmetric
    return matrix


def gram(size: int, rows: int, seed: int) -> NDArray[np.float32]:
    """Some rows with weights 1, 1/2, 1/3, ... against each other."""
    vectors = np.random.default_rng(seed).normal(size=(rows, size)) / np.arange(1, rows + 1)[:, None]
    return (vectors.T @ vectors).astype(np.float32)


@given(size=st.integers(2, 40), rows=st.integers(1, 50), k=st.integers(1, 20), seed=st.integers(0, 1000))
def test_compiled_and_plain_code_give_the_same_bits(size: int, rows: int, k: int, seed: int) -> None:
    k = min(k, size - 1)
    values, vectors, sure = largest_eigenpairs(with_room(gram(size, rows, seed)), size, k)
    with np.errstate(all="ignore"):
        plain = largest_eigenpairs.plain(with_room(gram(size, rows, seed)), size, k)
    assert sure == plain[2]
    if sure:
        assert np.array_equal(values[:k], plain[0][:k])
        assert np.array_equal(vectors[:, :k], plain[1][:, :k])


@pytest.mark.parametrize(("size", "k"), [(2, 1), (12, 10), (16, 15), (17, 3), (100, 40), (128, 10), (130, 10)])
def test_they_solve_their_equation(size: int, k: int) -> None:
    symmetric = gram(size, 2 * size, 0)
    values, vectors, sure = largest_eigenpairs(with_room(symmetric), size, k)
    assert sure
    assert values[:k] == pytest.approx(np.linalg.eigvalsh(symmetric.astype(np.float64))[::-1][:k], abs=2e-6 * values[0])
    found = vectors[:size, :k]
    assert symmetric @ found == pytest.approx(found * values[:k], abs=4e-6 * values[0])
    assert found.T @ found == pytest.approx(np.eye(k), abs=1e-5)


@pytest.mark.parametrize(
    "symmetric",
    [np.eye(20), np.zeros((20, 20)), np.full((20, 20), 0.5), gram(20, 3, 0), np.full((20, 20), np.nan)],
    ids=["all the same", "nothing", "one theme", "three themes", "no numbers"],
)
def test_what_is_not_sure_is_told(symmetric: NDArray[Any]) -> None:
    for compute in (largest_eigenpairs, largest_eigenpairs.plain):
        with np.errstate(all="ignore"):
            assert not compute(with_room(symmetric), 20, 10)[2]
