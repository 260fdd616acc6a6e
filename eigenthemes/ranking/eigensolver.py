"""The largest eigenvalues of a symmetric matrix and their eigenvectors: as LAPACK's ssyevr, in half the time at some 100 rows.

    H_1 .. H_m A H_m .. H_1 = T    reflections H = I - beta u u^T make the matrix tridiagonal (Householder)
    count(x)                       eigenvalues above x: positive pivots of T - x I; bisection finds each of them (Sturm)
    T z = x z                      pivots from the top and from the bottom meet where z is largest (twisted factorisation)
    v = H_m .. H_1 z

A single pass reflects the matrix and multiplies it with the next u. The matrix and v are float32, T and what it tells float64.
Loops go over numbers that lie side by side, and sums are added up in a fixed order, by compiled and by plain code: the same
matrix gives the same bits.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel

SIDE_BY_SIDE = 16  # numbers that the processor may take together; matrices have a multiple of columns
WORK = 4  # further rows of a matrix, for work
ROUNDS = 44  # of bisection, each of which halves the error
SURE = 1e-7  # of the distance of two eigenvalues: so large an error turns their eigenvectors by as much
TINY = 1e-200  # added to squares that may be 0, and are divided by what may be 0


@kernel
def largest_eigenpairs(matrix: Any, size: Any, k: Any) -> Any:
    """Compute the k < size largest eigenvalues and their eigenvectors.

    matrix  [m + WORK, m] float32, m a multiple of SIDE_BY_SIDE: the symmetric matrix [:size, :size], the rest 0; overwritten

    Returns (values [k or more] float64, largest first; vectors [m, as many] float32; sure bool). What stands after k means
    nothing. It is not sure where two of the k are too near to each other for vectors that are orthogonal.
    """
    many = (k + SIDE_BY_SIDE - 1) // SIDE_BY_SIDE * SIDE_BY_SIDE
    diagonal, beside, beta = _tridiagonal(matrix, size)
    values = _bisect(diagonal, beside, many)
    themes = _twisted(diagonal, beside, values)
    sure = _is_sure(diagonal, beside, values, themes, k)
    return values, _reflected(matrix, beta, themes), sure


@kernel
def _tridiagonal(matrix: Any, size: Any) -> Any:
    """Reflect a matrix until it is tridiagonal: (diagonal, numbers beside it, beta of each u [size]); u becomes its row."""
    diagonal, beside, beta = np.zeros(size), np.zeros(size), np.zeros(size, np.float32)
    width = matrix.shape[1]
    u, v, w, y = matrix[width], matrix[width + 1], matrix[width + 2], matrix[width + 3]
    sums = np.zeros(SIDE_BY_SIDE)
    for m in range(size - 1, 0, -1):
        reach = (m + SIDE_BY_SIDE - 1) // SIDE_BY_SIDE * SIDE_BY_SIDE
        diagonal[m] = matrix[m, m] - np.float32(2) * v[m] * w[m]
        vm, wm = v[m], w[m]
        for i in range(m):
            u[i] = matrix[m, i] - vm * w[i] - wm * v[i]
        u[m] = v[m] = w[m] = np.float32(0)
        square, head = _dot(u, u, reach, sums), np.float64(u[m - 1])
        alpha = -sqrt(square) if head > 0 else sqrt(square)
        beside[m - 1], length = alpha, square - head * alpha
        scale = np.float32(1.0 / length if length > 0 else 0.0)
        beta[m] = scale
        u[m - 1] = np.float32(head - alpha)
        _update_and_multiply(matrix, m, reach, u, v, w, y)
        half = np.float32(0.5 * np.float64(scale) * np.float64(scale) * _dot(y, u, reach, sums))
        for i in range(m):
            w[i] = scale * y[i] - half * u[i]
            v[i] = u[i]
            matrix[m, i] = u[i]
        for i in range(m, width):
            matrix[m, i] = np.float32(0)
    diagonal[0] = matrix[0, 0] - np.float32(2) * v[0] * w[0]
    return diagonal, beside, beta


@kernel
def _update_and_multiply(matrix: Any, m: Any, reach: Any, u: Any, v: Any, w: Any, y: Any) -> None:
    """Compute A - v w^T - w v^T, of the first m rows, and y = A u of what comes of it."""
    for j in range(reach):
        y[j] = np.float32(0)
    for i in range(m):
        ui, vi, wi = u[i], v[i], w[i]
        for j in range(reach):
            number = matrix[i, j] - vi * w[j] - wi * v[j]
            matrix[i, j] = number
            y[j] += number * ui


@kernel
def _dot(one: Any, other: Any, reach: Any, sums: Any) -> Any:
    """Compute a dot product: sums of every 16th product, side by side, and their sum."""
    for k in range(SIDE_BY_SIDE):
        sums[k] = 0.0
    for i in range(reach // SIDE_BY_SIDE):
        for k in range(SIDE_BY_SIDE):
            sums[k] += np.float64(one[SIDE_BY_SIDE * i + k]) * np.float64(other[SIDE_BY_SIDE * i + k])
    total = 0.0
    for k in range(SIDE_BY_SIDE):
        total += sums[k]
    return total


@kernel
def _bisect(diagonal: Any, beside: Any, many: Any) -> Any:
    """Find the largest eigenvalues of a tridiagonal matrix [many], all at once; where it has fewer, the rest means nothing."""
    lowest, highest = diagonal[0], diagonal[0]
    for i in range(len(diagonal)):
        radius = abs(beside[i]) + (abs(beside[i - 1]) if i > 0 else 0.0)
        lowest, highest = min(lowest, diagonal[i] - radius), max(highest, diagonal[i] + radius)
    low, high, middle = np.full(many, lowest), np.full(many, highest), np.zeros(many)
    pivot, above = np.zeros(many), np.zeros(many)
    for _ in range(ROUNDS):
        for k in range(many):
            middle[k], pivot[k], above[k] = 0.5 * (low[k] + high[k]), 1.0, 0.0
        square = 0.0
        for i in range(len(diagonal)):
            on_diagonal = diagonal[i]
            for k in range(many):
                pivot[k] = (on_diagonal - middle[k]) - np.divide(square, pivot[k])
                above[k] += 1.0 if pivot[k] > 0 else 0.0
            square = beside[i] * beside[i] + TINY
        for k in range(many):
            is_higher, at = above[k] > k, middle[k]
            low[k] = at if is_higher else low[k]
            high[k] = high[k] if is_higher else at
    for k in range(many):
        middle[k] = 0.5 * (low[k] + high[k])
    return middle


@kernel
def _twisted(diagonal: Any, beside: Any, values: Any) -> Any:
    """Compute the eigenvectors of a tridiagonal matrix from its eigenvalues: [n, k], of unit length.

    The pivots from the top and those from the bottom make an equation for one number of the vector, wherever they meet. They
    meet where that equation is the nearest to 0 = 0; this number is 1, and the others follow up and down.
    """
    size, many = len(diagonal), len(values)
    top, bottom, vectors = np.empty((size, many)), np.empty((size, many)), np.empty((size, many))
    for i in range(size):
        on_diagonal = diagonal[i]
        for k in range(many):
            top[i, k] = on_diagonal - values[k]
            bottom[i, k] = on_diagonal - values[k]
    for i in range(1, size):
        square = beside[i - 1] * beside[i - 1] + TINY
        for k in range(many):
            top[i, k] = top[i, k] - np.divide(square, top[i - 1, k])
    for i in range(size - 2, -1, -1):
        square = beside[i] * beside[i] + TINY
        for k in range(many):
            bottom[i, k] = bottom[i, k] - np.divide(square, bottom[i + 1, k])
    nearest, at = np.full(many, np.inf), np.zeros(many)
    for i in range(size):
        on_diagonal, row = diagonal[i], np.float64(i)
        for k in range(many):
            left = abs(top[i, k] + bottom[i, k] - (on_diagonal - values[k]))
            is_nearer = left < nearest[k]
            nearest[k] = left if is_nearer else nearest[k]
            at[k] = row if is_nearer else at[k]
    _follow(beside, top, bottom, at, vectors)
    squares = np.zeros(many)
    for i in range(size):
        for k in range(many):
            squares[k] += vectors[i, k] * vectors[i, k]
    for k in range(many):
        squares[k] = np.divide(1.0, sqrt(squares[k]))
    for i in range(size):
        for k in range(many):
            vectors[i, k] *= squares[k]
    return vectors


@kernel
def _follow(beside: Any, top: Any, bottom: Any, at: Any, vectors: Any) -> None:
    """Fill in eigenvectors [n, k], which are 1 in the row `at` [k], from the pivots above and below."""
    size, many = vectors.shape
    for i in range(size):
        row = np.float64(i)
        for k in range(many):
            vectors[i, k] = 1.0 if at[k] == row else 0.0
    for i in range(size - 2, -1, -1):
        row, next_to = np.float64(i), beside[i]
        for k in range(many):
            number = -np.divide(next_to, top[i, k]) * vectors[i + 1, k]
            vectors[i, k] = number if row < at[k] else vectors[i, k]
    for i in range(1, size):
        row, next_to = np.float64(i), beside[i - 1]
        for k in range(many):
            number = -np.divide(next_to, bottom[i, k]) * vectors[i - 1, k]
            vectors[i, k] = number if row > at[k] else vectors[i, k]


@kernel
def _is_sure(diagonal: Any, beside: Any, values: Any, vectors: Any, k: Any) -> Any:
    """Return whether T z - x z is next to nothing for the first k vectors, beside how far their x are from each other."""
    size, many = vectors.shape
    errors = np.zeros(many)
    for i in range(size):
        on_diagonal, above, below = diagonal[i], max(i - 1, 0), min(i + 1, size - 1)
        before, after = beside[i - 1] if i > 0 else 0.0, beside[i]
        for j in range(many):
            product = before * vectors[above, j] + after * vectors[below, j]
            errors[j] += abs(product + (on_diagonal - values[j]) * vectors[i, j])
    least = abs(values[0])
    for j in range(k - 1):
        least = min(least, values[j] - values[j + 1])
    sure = 0
    for j in range(k):
        sure += errors[j] <= SURE * least
    return sure == k


@kernel
def _reflected(matrix: Any, beta: Any, themes: Any) -> Any:
    """Reflect the eigenvectors of the tridiagonal matrix back, float32 [m, k]."""
    size, many = themes.shape
    vectors, sums = np.zeros((matrix.shape[1], many), np.float32), np.zeros(many, np.float32)
    for i in range(size):
        for k in range(many):
            vectors[i, k] = np.float32(themes[i, k])
    for m in range(1, size):
        scale = beta[m]
        for k in range(many):
            sums[k] = np.float32(0)
        for four in range((m + 3) // 4):
            i = 4 * four
            u0, u1, u2, u3 = matrix[m, i], matrix[m, i + 1], matrix[m, i + 2], matrix[m, i + 3]
            for k in range(many):
                two = sums[k] + u0 * vectors[i, k] + u1 * vectors[i + 1, k]
                sums[k] = two + u2 * vectors[i + 2, k] + u3 * vectors[i + 3, k]
        for k in range(many):
            sums[k] *= scale
        for i in range(m):
            u = matrix[m, i]
            for k in range(many):
                vectors[i, k] -= u * sums[k]
    return vectors
