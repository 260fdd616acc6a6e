"""The paper's equations: the subspace of a document, and how near an entity is to it.

Arrays in, arrays out. Vectors are rows of unit length, [n, d] float32.

    A = W E                      the candidates' vectors, each scaled by its weight
    A^T A = E^T W^2 E            equation 2; its top eigenvectors V_k are the eigenthemes,
    sigma_i = sqrt(lambda_i)     their strengths
    score(e) = ||e V_k Sigma_k|| equation 3
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import aligned
from eigenthemes.core.threads import limit_blas_threads
from eigenthemes.ranking.eigensolver import SIDE_BY_SIDE, WORK, largest_eigenpairs

_FEW = 2  # times as many candidates as dimensions
_SMALL = 512  # rows: a larger matrix is decomposed sooner by LAPACK
_STEPS = 2000  # of decomposing a small one in plain Python, per row, beside a third of the cube of its rows
_ROWS = 4096  # a large document is taken in blocks: memory stays flat, and sums over blocks are in float64


@dataclass(frozen=True, slots=True)
class Subspace:
    """The low-rank subspace of a document.

    scaled      [d, k] float32, V_k Sigma_k: a column for each eigentheme, as long as the theme is strong; or None, and then
    gram        [d, d] float32, E^T W^2 E: all d themes count, and there are more candidates than dimensions
    decomposed  False: all themes count and there are fewer candidates than dimensions; `scaled` is A^T, which scores the same
    """

    scaled: NDArray[np.float32] | None
    gram: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    decomposed: bool = True

    @property
    def _themes(self) -> NDArray[np.float32]:
        """V_k Sigma_k [d, k], decomposed if it was not yet."""
        if self.scaled is None:
            return _eigenthemes(self.gram, len(self.gram))
        return self.scaled if self.decomposed else _themes_of_few(self.scaled.T, self.scaled.shape[1])

    @property
    def strengths(self) -> NDArray[np.float32]:
        """Sigma_k [k], strongest first."""
        return np.asarray(np.linalg.norm(self._themes, axis=0), dtype=np.float32)

    @property
    def components(self) -> NDArray[np.float32]:
        """V_k^T [k, d]: the eigenthemes, of unit length."""
        themes = self._themes
        strengths = np.linalg.norm(themes, axis=0)
        return np.asarray((themes / np.maximum(strengths, np.finfo(np.float32).tiny)).T)


def rank_weights(rank: NDArray[Any], delta: float = 1.0) -> NDArray[np.float32]:
    """Compute the weighting scheme: w(e) = rank(e)^-delta (appendix "weighting schemes"); delta 0 weighs all the same."""
    return np.asarray(rank.astype(np.float64) ** -delta, dtype=np.float32)


def fit_subspace(vectors: NDArray[np.float32], weights: NDArray[np.float32], n_components: int | None = 10) -> Subspace:
    """Find the eigenthemes of a document (equations 1 and 2) from its candidates' vectors [n, d] and weights [n].

    `n_components` = k; at most min(n, d) exist. None keeps all of them, and then nothing needs to be decomposed:
    score(e)^2 = e^T (E^T W^2 E) e.
    """
    n, d = vectors.shape
    if n_components is not None and n_components < min(n, d):
        if n < d:
            return Subspace(_themes_of_few(vectors * weights[:, None], n_components))
        return Subspace(_eigenthemes(_gram(vectors, weights), n_components))
    if n < d:
        return Subspace((vectors * weights[:, None]).T, decomposed=False)  # ||e A^T||^2 = e A^T A e^T
    return Subspace(None, _gram(vectors, weights))


def score(vectors: NDArray[np.float32], subspace: Subspace) -> NDArray[np.float64]:
    """Compute how near each row of `vectors` [m, d] is to the subspace: ||e V_k Sigma_k||_2 (equation 3), [m]."""
    scores = np.empty(len(vectors))
    for first in range(0, len(vectors), _ROWS):
        rows = vectors[first : first + _ROWS]
        if subspace.scaled is not None:
            projected = rows @ subspace.scaled
            squares = np.einsum("ij,ij->i", projected, projected)
        else:
            squares = np.einsum("ij,ij->i", rows @ subspace.gram, rows)
        scores[first : first + _ROWS] = np.sqrt(np.maximum(squares, 0))
    return scores


def score_by_all(vectors: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float64]:
    """Compute how near each candidate is to the subspace of all of them, all themes counted [n], from vectors [n, d].

    As `score` with `fit_subspace(vectors, weights, None)`: score(e)^2 = sum_j w_j^2 cos^2(e, e_j). While there are a few times
    as many candidates as dimensions, the cosines of all pairs, half of which are computed, take less time than E^T W^2 E.
    """
    n, d = vectors.shape
    if n > _FEW * d:
        return score(vectors, fit_subspace(vectors, weights, None))
    cosines = vectors @ vectors.T
    return np.asarray(np.sqrt(np.square(cosines, out=cosines) @ np.square(weights)), np.float64)


def _gram(vectors: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Compute E^T W^2 E [d, d] (equation 2)."""
    if len(vectors) <= _ROWS:
        rows = vectors * weights[:, None]
        return np.asarray(rows.T @ rows)
    total = np.zeros((vectors.shape[1], vectors.shape[1]))
    for first in range(0, len(vectors), _ROWS):
        rows = vectors[first : first + _ROWS] * weights[first : first + _ROWS, None]
        total += rows.T @ rows
    return total.astype(np.float32)


def _themes_of_few(rows: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    """Compute V_k Sigma_k of fewer candidates A than dimensions: A A^T = U Sigma^2 U^T is smaller, and V Sigma = A^T U."""
    _, themes = top_eigenvectors(rows @ rows.T, k)
    return np.asarray(rows.T @ themes, dtype=np.float32)


def _eigenthemes(gram: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    values, themes = top_eigenvectors(gram, k)
    return np.asarray(themes * np.sqrt(np.maximum(values, 0)), dtype=np.float32)


def top_eigenvectors(symmetric: NDArray[np.float32], k: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the k largest eigenvalues [k], largest first, and their eigenvectors [d, k] of a symmetric matrix."""
    size = len(symmetric)
    if k < size <= _SMALL:
        solve = largest_eigenpairs.select_backend(_STEPS * size + size**3 // 3)
        with np.errstate(all="ignore"):  # whatever is divided by 0 in between, `sure` is False where the result is wrong
            values, vectors, sure = solve(_with_room(symmetric), size, k)
        if sure:
            return values[:k].astype(np.float32), vectors[:size, :k]
    return _by_lapack(symmetric, k)


def _with_room(symmetric: NDArray[np.float32]) -> NDArray[np.float32]:
    """Copy a matrix to where `largest_eigenpairs` works on it, each row at the beginning of a line of the cache."""
    size = len(symmetric)
    width = -(-size // SIDE_BY_SIDE) * SIDE_BY_SIDE
    matrix = aligned(width + WORK, width)
    matrix[:size, :size] = symmetric
    return matrix


def _by_lapack(symmetric: NDArray[np.float32], k: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Compute the top eigenpairs with LAPACK's ssyevr, as `top_eigenvectors` does."""
    from scipy.linalg.lapack import ssyevr

    limit_blas_threads()
    size = len(symmetric)
    values, vectors, found, _, failed = ssyevr(symmetric, range="I", il=size - k + 1, iu=size)
    if failed or found < k:  # never seen; the full decomposition takes another way
        values, vectors = np.linalg.eigh(symmetric.astype(np.float64))
        return values[: -k - 1 : -1].astype(np.float32), vectors[:, : -k - 1 : -1].astype(np.float32)
    return values[:k][::-1], vectors[:, ::-1]
