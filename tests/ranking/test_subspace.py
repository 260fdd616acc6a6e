"""The paper's equations: facts of linear algebra, and agreement with the naive transcription."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.paper_equations import average_scores, eigen_scores
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from eigenthemes.ranking.subspace import fit_subspace, rank_weights, score, top_eigenvectors


def unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def random_rows(n: int, d: int, seed: int = 0) -> NDArray[np.float32]:
    return unit(np.random.default_rng(seed).normal(size=(n, d)))


def documents(seed: int, mentions: int, most: int, d: int) -> list[list[NDArray[np.float64]]]:
    random = np.random.default_rng(seed)
    return [[random.normal(size=d) * 10 for _ in range(random.integers(1, most + 1))] for _ in range(mentions)]


def test_weights_are_the_reciprocal_rank_to_the_power_of_delta() -> None:
    assert rank_weights(np.array([1, 2, 4])).tolist() == [1.0, 0.5, 0.25]
    assert rank_weights(np.array([1, 2, 4]), 0).tolist() == [1.0, 1.0, 1.0]
    assert rank_weights(np.array([1, 4]), 0.5).tolist() == [1.0, 0.5]


@given(
    seed=st.integers(0, 10_000),
    mentions=st.integers(1, 12),
    most=st.integers(1, 8),
    d=st.sampled_from([1, 2, 5, 16, 40]),
    k=st.integers(1, 12),
    delta=st.sampled_from([0.0, 0.5, 1.0, 2.0]),
)
def test_scores_are_those_of_the_transcription(seed: int, mentions: int, most: int, d: int, k: int, delta: float) -> None:
    document = documents(seed, mentions, most, d)
    rows = unit(np.array([row for candidates in document for row in candidates]))
    weights = rank_weights(np.array([rank for candidates in document for rank in range(1, len(candidates) + 1)]), delta)
    expected = np.array(eigen_scores(document, k, delta))
    found = score(rows, fit_subspace(rows, weights, k))
    # float32, and themes k and k + 1 may be nearly as strong as each other: then either is right
    strengths = np.linalg.svd(rows * weights[:, None], compute_uv=False)
    assume(k >= len(strengths) or strengths[k - 1] - strengths[k] > 1e-3 * strengths[0])
    assert np.abs(found - expected).max() <= 1e-4 * expected.max()


@pytest.mark.parametrize(("n", "d"), [(50, 8), (8, 50), (8, 8), (1, 5)])
def test_all_themes_need_no_decomposition(n: int, d: int) -> None:
    rows, weights = random_rows(n, d), np.linspace(1, 0.1, n).astype(np.float32)
    whole = fit_subspace(rows, weights, None)
    cosines = (rows.astype(np.float64) @ rows.T.astype(np.float64)) ** 2
    assert score(rows, whole) == pytest.approx(np.sqrt(cosines @ weights.astype(np.float64) ** 2), rel=1e-5)
    assert score(rows, fit_subspace(rows, weights, min(n, d))) == pytest.approx(score(rows, whole), rel=1e-5)
    assert score(rows, fit_subspace(rows, weights, 1000)) == pytest.approx(score(rows, whole), rel=1e-5)


@pytest.mark.parametrize(("n", "d"), [(60, 12), (10, 40)])
def test_planted_themes_come_back(n: int, d: int) -> None:
    random = np.random.default_rng(1)
    left = np.linalg.qr(random.normal(size=(n, 4)))[0]
    right = np.linalg.qr(random.normal(size=(d, 4)))[0]
    planted = np.array([4.0, 3.0, 2.0, 1.0])
    rows = ((left * planted) @ right.T).astype(np.float32)
    subspace = fit_subspace(rows, np.ones(n, dtype=np.float32), 3)
    assert subspace.strengths == pytest.approx(planted[:3], rel=1e-4)
    assert np.abs(subspace.components @ right[:, :3]) == pytest.approx(np.eye(3), abs=1e-4)


def test_the_first_themes_do_not_depend_on_how_many_are_asked_for() -> None:
    rows, weights = random_rows(200, 32), np.ones(200, dtype=np.float32)
    few, more = fit_subspace(rows, weights, 5), fit_subspace(rows, weights, 6)
    assert more.strengths[:5] == pytest.approx(few.strengths, rel=1e-5)
    assert np.abs(np.einsum("kd,kd->k", few.components, more.components[:5])) == pytest.approx(np.ones(5), abs=1e-3)


@pytest.mark.parametrize("k", [3, None])
def test_squares_of_strengths_add_up_to_the_frobenius_norm(k: int | None) -> None:
    rows, weights = random_rows(40, 3), np.linspace(1, 2, 40).astype(np.float32)
    assert (fit_subspace(rows, weights, k).strengths ** 2).sum() == pytest.approx((weights**2).sum(), rel=1e-5)


def test_components_have_unit_length_and_are_orthogonal() -> None:
    components = fit_subspace(random_rows(100, 20), np.ones(100, dtype=np.float32), 6).components
    assert components @ components.T == pytest.approx(np.eye(6), abs=1e-5)


def test_one_candidate_is_its_own_subspace() -> None:
    row = random_rows(1, 7)
    for k in (1, 10, None):
        subspace = fit_subspace(row, np.ones(1, dtype=np.float32), k)
        assert score(row, subspace) == pytest.approx([1.0], rel=1e-6)
    orthogonal = np.zeros((1, 7), dtype=np.float32)
    orthogonal[0, :2] = row[0, 1], -row[0, 0]
    assert score(orthogonal, subspace) == pytest.approx([0.0], abs=1e-6)


def test_nothing_gives_nothing() -> None:
    empty = np.zeros((0, 4), dtype=np.float32)
    for k in (2, None):
        assert score(random_rows(3, 4), fit_subspace(empty, np.zeros(0, dtype=np.float32), k)).tolist() == [0, 0, 0]
    assert len(score(empty, fit_subspace(random_rows(3, 4), np.ones(3, dtype=np.float32), 2))) == 0


@pytest.mark.parametrize("k", [10, None])
def test_a_large_document_is_the_same_in_blocks(k: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, weights = random_rows(1000, 24), np.linspace(1, 0.05, 1000).astype(np.float32)
    whole = score(rows, fit_subspace(rows, weights, k))
    monkeypatch.setattr("eigenthemes.ranking.subspace._ROWS", 64)
    assert score(rows, fit_subspace(rows, weights, k)) == pytest.approx(whole, rel=1e-4)


def test_eigenvectors_solve_their_equation() -> None:
    rows = random_rows(300, 60)
    gram = rows.T @ rows
    values, vectors = top_eigenvectors(gram, 7)
    assert gram @ vectors == pytest.approx(vectors * values, abs=1e-4)
    assert values == pytest.approx(np.linalg.eigvalsh(gram.astype(np.float64))[::-1][:7], rel=1e-5)
    assert (np.diff(values) <= 0).all()


def test_the_transcription_of_the_average_is_a_cosine() -> None:
    scores = average_scores(documents(3, 5, 4, 6))
    assert all(-1 <= each <= 1 for each in scores)


@pytest.mark.parametrize("k", [None, 5, 10])
def test_few_candidates_have_orthogonal_themes_and_their_true_strengths(k: int | None) -> None:
    """Where all themes count nothing is decomposed, but who asks for the themes gets them."""
    rng = np.random.default_rng(3)
    vectors = rng.standard_normal((5, 12)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    weights = np.array([1, 0.5, 1, 0.25, 1], dtype=np.float32)
    subspace = fit_subspace(vectors, weights, k)
    expected = np.linalg.svd(vectors * weights[:, None], compute_uv=False)
    assert subspace.strengths == pytest.approx(expected, abs=1e-5)
    assert subspace.components @ subspace.components.T == pytest.approx(np.eye(5), abs=1e-4)


@pytest.mark.parametrize("size", [20, 600])
def test_eigenvectors_are_orthogonal_where_eigenvalues_are_the_same(size: int) -> None:
    """What the kernel is not sure of, and what is too large for it, LAPACK computes."""
    values, vectors = top_eigenvectors(np.eye(size, dtype=np.float32), 10)
    assert values == pytest.approx(np.ones(10), rel=1e-5)
    assert vectors.T @ vectors == pytest.approx(np.eye(10), abs=1e-5)
