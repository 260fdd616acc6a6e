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
    two = np.float32(2)
    for m in range(size - 1, 0, -1):
        diagonal[m] = matrix[m, m] - two * v[m] * w[m]
        u = matrix[m] - v[m] * w - w[m] * v
        u[m:] = v[m:] = w[m:] = 0
        square, head = _dot(u, u), float(u[m - 1])
        alpha = -sqrt(square) if head > 0 else sqrt(square)
        beside[m - 1], scale = alpha, square - head * alpha
        beta[m] = 1.0 / scale if scale > 0 else 0.0
        u[m - 1] = head - alpha
        matrix[:m] -= v[:m, None] * w
        matrix[:m] -= w[:m, None] * v
        y = np.add.reduce(matrix[:m] * u[:m, None], axis=0)
        half = np.float32(0.5 * float(beta[m]) * float(beta[m]) * _dot(y, u))
        w[:m] = (beta[m] * y - half * u)[:m]
        v[:] = matrix[m] = u
    diagonal[0] = matrix[0, 0] - two * v[0] * w[0]
    return diagonal, beside, beta


def _dot(one: Singles, other: Singles) -> float:
    products = one.astype(np.float64) * other.astype(np.float64)
    total = 0.0
    for every in np.add.reduce(products.reshape(-1, SIDE_BY_SIDE), axis=0).tolist():
        total += every
    return total


def _bisect(diagonal: Floats, beside: Floats, many: int) -> Floats:
    radius = np.abs(beside)
    radius[1:] += np.abs(beside[:-1])
    low, high = np.full(many, min(diagonal - radius)), np.full(many, max(diagonal + radius))
    squares = [0.0, *(beside * beside + TINY).tolist()]
    for _ in range(ROUNDS):
        middle, pivot, above = 0.5 * (low + high), np.ones(many), np.zeros(many)
        for on_diagonal, square in zip(diagonal.tolist(), squares, strict=False):
            pivot = (on_diagonal - middle) - square / pivot
            above += pivot > 0
        is_higher = above > np.arange(many)
        low, high = np.where(is_higher, middle, low), np.where(is_higher, high, middle)
    return np.asarray(0.5 * (low + high))


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
