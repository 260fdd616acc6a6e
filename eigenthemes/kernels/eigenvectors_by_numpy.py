"""What `eigenvectors` computes, by numpy, a row of numbers at a time: for the first documents, before code is compiled.

The same bits: numpy adds up rows one after the other.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

SIDE_BY_SIDE = 16  # numbers that the processor may take together; matrices have a multiple of columns
WORK = 4  # further rows of a matrix, for work
ROUNDS = 44  # of bisection, each of which halves the error
SURE = 1e-7  # of the distance of two eigenvalues: so large an error turns their eigenvectors by as much
_DOUBT = 2e-13  # of where eigenvalues may be: LAPACK is nearer
TINY = 1e-200  # added to squares that may be 0, and are divided by what may be 0

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]


def largest_by_numpy(matrix: Singles, size: int, k: int) -> tuple[Floats, Singles, bool]:
    """Do what `largest_eigenpairs` does."""
    many = -(-k // SIDE_BY_SIDE) * SIDE_BY_SIDE
    with np.errstate(all="ignore"):
        diagonal, beside, beta = _tridiagonal(matrix[:-WORK], size)
        values = _bisect(diagonal, beside, many)
        themes = _twisted(diagonal, beside, values)
        errors = np.add.reduce(np.abs(_product(diagonal, beside, values, themes)), axis=0)
        least = min([abs(values[0]), *(values[: k - 1] - values[1:k])])
        vectors = _reflected(matrix[:size], beta, themes)
    return values, vectors, bool((errors[:k] <= SURE * least).all())


def _tridiagonal(matrix: Singles, size: int) -> tuple[Floats, Floats, Singles]:
    diagonal, beside, beta = np.zeros(size), np.zeros(size), np.zeros(size, np.float32)
    v, w = np.zeros((2, len(matrix)), np.float32)
    work, two = np.empty(matrix.shape, np.float32), np.float32(2)
    for m in range(size - 1, 0, -1):
        diagonal[m] = matrix[m, m] - two * v[m] * w[m]
        u = matrix[m] - v[m] * w - w[m] * v
        u[m:] = v[m:] = w[m:] = 0
        square, head = _dot(u, u), float(u[m - 1])
        alpha = -sqrt(square) if head > 0 else sqrt(square)
        beside[m - 1], length = alpha, square - head * alpha
        beta[m] = 1.0 / length if length > 0 else 0.0
        u[m - 1] = head - alpha
        rest, product = matrix[:m, :m], work[:m, :m]
        rest -= np.multiply(v[:m, None], w[:m], out=product)
        rest -= np.multiply(w[:m, None], v[:m], out=product)
        y = np.zeros_like(u)
        np.add.reduce(np.multiply(rest, u[:m, None], out=product), axis=0, out=y[:m])
        half = np.float32(0.5 * float(beta[m]) * float(beta[m]) * _dot(y, u))
        w[:m] = (beta[m] * y - half * u)[:m]
        v[:] = matrix[m] = u
    diagonal[0] = matrix[0, 0] - two * v[0] * w[0]
    return diagonal, beside, beta


def _dot(one: Singles, other: Singles) -> float:
    products = np.multiply(one, other, dtype=np.float64)
    total = 0.0
    for every in np.add.reduce(products.reshape(-1, SIDE_BY_SIDE), axis=0).tolist():
        total += every
    return total


def _bisect(diagonal: Floats, beside: Floats, many: int) -> Floats:
    """Find eigenvalues by bisection; where the middle is clearly on one side of those that LAPACK finds, nothing is counted."""
    radius = np.abs(beside)
    radius[1:] += np.abs(beside[:-1])
    low, high = np.full(many, min(diagonal - radius)), np.full(many, max(diagonal + radius))
    near = np.full(many, -np.inf)
    whole = np.diag(diagonal) + np.diag(beside[:-1], -1)
    if np.isfinite(whole).all():
        found = np.linalg.eigvalsh(whole)[::-1][:many]  # it reads the lower half
        near[: len(found)] = found
    doubt = _DOUBT * (high[0] - low[0])
    squares = (beside * beside + TINY).tolist()
    for _ in range(ROUNDS):
        middle = 0.5 * (low + high)
        is_higher = near > middle
        if not np.all(np.abs(near - middle) > doubt):
            is_higher = _count_above(diagonal, squares, middle) > np.arange(many)
        low, high = np.where(is_higher, middle, low), np.where(is_higher, high, middle)
    return np.asarray(0.5 * (low + high))


def _count_above(diagonal: Floats, squares: list[float], middle: Floats) -> NDArray[np.int64]:
    """Count the eigenvalues above each number: the positive pivots."""
    pivots = diagonal[:, None] - middle
    before = pivots[0]
    for pivot, square in zip(pivots[1:], squares, strict=False):
        pivot -= square / before
        before = pivot
    return np.asarray(np.count_nonzero(pivots > 0, axis=0))


def _twisted(diagonal: Floats, beside: Floats, values: Floats) -> Floats:
    shifted = diagonal[:, None] - values
    top, bottom, squares = shifted.copy(), shifted.copy(), beside * beside + TINY
    for i in range(1, len(diagonal)):
        top[i] -= squares[i - 1] / top[i - 1]
    for i in range(len(diagonal) - 2, -1, -1):
        bottom[i] -= squares[i] / bottom[i + 1]
    left = np.abs(top + bottom - shifted)
    at = np.argmin(np.where(np.isnan(left), np.inf, left), axis=0)
    vectors = np.where(np.arange(len(diagonal))[:, None] == at, 1.0, 0.0)
    for i in range(len(diagonal) - 2, -1, -1):
        vectors[i] = np.where(i < at, -(beside[i] / top[i]) * vectors[i + 1], vectors[i])
    for i in range(1, len(diagonal)):
        vectors[i] = np.where(i > at, -(beside[i - 1] / bottom[i]) * vectors[i - 1], vectors[i])
    vectors *= 1.0 / np.sqrt(np.add.reduce(vectors * vectors, axis=0))
    return vectors


def _product(diagonal: Floats, beside: Floats, values: Floats, vectors: Floats) -> Floats:
    """Compute T z - x z of each vector [n, k]."""
    before, after = np.zeros_like(vectors), np.zeros_like(vectors)
    before[1:], after[:-1] = beside[:-1, None] * vectors[:-1], beside[:-1, None] * vectors[1:]
    return (before + after) + (diagonal[:, None] - values) * vectors


def _reflected(matrix: Singles, beta: Singles, themes: Floats) -> Singles:
    vectors = np.zeros((matrix.shape[1], themes.shape[1]), np.float32)
    vectors[: len(themes)] = themes
    for m in range(1, len(themes)):
        sums = np.add.reduce(matrix[m, :m, None] * vectors[:m], axis=0) * beta[m]
        vectors[:m] -= matrix[m, :m, None] * sums
    return vectors
