"""ProNE (Zhang et al., IJCAI 2019): a sparse factorisation of the graph, then a spectral propagation of its factors.

Departures from the authors' program: no power iterations instead of five (mean P@1 of `eigen` over six sets: .459 without, .433
with one, .408 with five; part of that is that blurred vectors leave more to the priors, see docs/embeddings.md), five terms of
the filter instead of ten (no difference), and eigenvectors of small Gram matrices (float64) instead of singular vectors.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.progress import Progress, Silent
from eigenthemes.core.scratch import Scratch
from eigenthemes.embeddings.blocks import WIDTH, Blocks, ColumnBlocks, Matrix
from eigenthemes.kb.graph import Graph

Product = Callable[[Matrix], Matrix]  # with columns [n, c]

NEGATIVE_POWER = 0.75  # of the distribution of negatives, as in word2vec
OVERSAMPLING = 10
FILTER_TERMS = 5
MU, THETA = 0.5, 0.5  # centre and width of the band-pass filter: the authors' values


def prone(
    graph: Graph,
    *,
    dimensions: int = 128,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    scratch: Scratch | None = None,
) -> Matrix:
    """Make vectors [n, d] float32 of unit length; rows of isolated nodes are zero; small graphs give fewer dimensions."""
    with Blocks(graph, jobs, scratch) as blocks:
        factors = factorize(blocks, min(dimensions, len(graph)), seed)
        with (progress or Silent()).step("spreading over the graph", total=factors.shape[1], unit="dimensions") as advance:
            for done in blocks.apply(lambda columns: propagate(columns, blocks), factors, factors):
                advance(done)
        vectors = scaled_basis(factors, blocks, -0.25, 1e-12).rows_together(blocks.scratch)
        vectors[graph.degree == 0] = 0
        return blocks.unit_rows(vectors)


def factorize(blocks: Blocks, dimensions: int, seed: int) -> ColumnBlocks:
    """Compute the left factors U sqrt(S) [n, d], rows of unit length, of F_ij = log(p_ij) - log(q_j) on the edges.

    p_ij = 1 / degree(i) is the chance to step from i to j; q_j, the chance to draw j as a negative, goes with
    (sum_i p_ij)^0.75.
    """
    of_row, of_column = logarithms(blocks)

    def times(columns: Matrix) -> Matrix:
        """Multiply by the matrix F."""
        return blocks.weighted_sum(columns, of_row, of_column)

    def transposed(columns: Matrix) -> Matrix:
        """Multiply by the transpose of F."""
        return blocks.weighted_sum(columns, of_column, of_row)

    return blocks.unit_rows(randomized_factors(blocks, times, transposed, dimensions, seed))


def randomized_factors(blocks: Blocks, times: Product, transposed: Product, dimensions: int, seed: int) -> ColumnBlocks:
    """Compute the left factors U sqrt(S) [n, d] of a matrix F, given F X and F^T X, by a randomised SVD (Halko et al.).

    There are no power iterations: sharper factors make worse links.
    """
    nodes = len(blocks.graph)
    basis = ColumnBlocks.empty(nodes, min(nodes, dimensions + OVERSAMPLING), blocks.scratch)
    for number, part in enumerate(basis.parts):
        np.random.default_rng((seed, number * WIDTH)).standard_normal(out=part, dtype=np.float32)
    for _ in blocks.apply(times, basis, basis):
        pass
    basis = scaled_basis(basis, blocks, -0.5, 1e-10)
    projected = ColumnBlocks.empty(*basis.shape, blocks.scratch)
    for _ in blocks.apply(transposed, basis, projected):  # F^T Q, so that Q (Q^T F) is nearly F
        pass
    values, vectors = blocks.eigen(projected)
    strengths = np.maximum(values, 0) ** 0.25  # the square root of singular values, and these are roots of eigenvalues
    return blocks.times(basis, (vectors * strengths)[:, :dimensions])


def logarithms(blocks: Blocks) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return of_row and of_column, F_ij = of_row[i] + of_column[j] on the edges: -log(degree) and -log(q)."""
    degree = np.maximum(1, blocks.graph.degree)
    steps = (1 / degree)[:, None].astype(np.float32)
    nothing, one = np.zeros(len(degree), dtype=np.float32), np.ones(len(degree), dtype=np.float32)
    reached = blocks.weighted_sum(steps, one, nothing)[:, 0]
    negative = np.maximum(reached.astype(np.float64), 1e-12) ** NEGATIVE_POWER
    return (-np.log(degree)).astype(np.float32), (-np.log(negative / negative.sum())).astype(np.float32)


def propagate(dense: Matrix, blocks: Blocks) -> Matrix:
    """Compute (A + I) (X - filter(L) X): neighbours smooth each other.

    The filter is a Chebyshev series of a Gaussian around MU: the sum of c_k T_k(M^2 / 2 - 1) X, where M = L - MU I and
    L = I - (row-normalised A + I). Columns do not see each other. Five matrices are held, each written over again and again.
    """
    before, now, half, filtered = (blocks.empty(dense.shape[1]) for _ in range(4))

    def apply_twice(columns: Matrix, scale: float, of_columns: float, out: Matrix, of_out: float = 0.0) -> None:
        """Write scale * M^2 columns + of_columns * columns + of_out * out into out."""
        blocks.averaged_sum(columns, 1 - MU, -1.0, columns, 0.0, half)
        blocks.averaged_sum(half, scale * (1 - MU), -scale, columns, of_columns, out, of_out)

    def add(first: int, last: int) -> None:
        """Add the current term of the series to some rows."""
        filtered[first:last] += weight * now[first:last]

    apply_twice(dense, 0.5, -1.0, now)
    before[:] = dense
    np.multiply(dense, bessel(0, THETA), out=filtered)
    weight = -2 * bessel(1, THETA)
    blocks.for_rows(add)
    for term in range(2, FILTER_TERMS):
        apply_twice(now, 1.0, -2.0, before, -1.0)
        before, now = now, before
        weight = (2 if term % 2 == 0 else -2) * bessel(term, THETA)
        blocks.for_rows(add)
    np.subtract(dense, filtered, out=filtered)
    one, nothing = np.ones(len(dense), dtype=np.float32), np.zeros(len(dense), dtype=np.float32)
    summed = blocks.weighted_sum(filtered, one, nothing, half)
    summed += filtered
    return summed


def scaled_basis(dense: ColumnBlocks, blocks: Blocks, power: float, least: float) -> ColumnBlocks:
    """Compute X V L^power from the eigenvalues L and eigenvectors V of X^T X, for a thin matrix X; written over it.

    With power -1/2 that is an orthonormal basis U of the columns, with -1/4 it is U sqrt(S), since L = S^2.

    least  directions whose eigenvalue is a smaller share of the largest one are left out: they are null but for rounding
    """
    values, vectors = blocks.eigen(dense)
    kept = values > values[0] * least if len(values) else values > 0
    return blocks.times(dense, vectors[:, kept] * values[kept] ** power)


def bessel(order: int, x: float) -> float:
    """Return the modified Bessel function of the first kind."""
    return sum((x / 2) ** (2 * m + order) / (math.factorial(m) * math.factorial(m + order)) for m in range(20))
