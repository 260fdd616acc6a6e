"""ProNE (Zhang et al., IJCAI 2019): a sparse factorisation of the graph, then a spectral propagation of its factors.

Departures from the authors' program: no power iterations instead of five (each one costs links: mean P@1 of `eigen` over six
sets .459 without, .433 with one, .408 with five), five terms of the filter instead of ten (no difference), and eigenvectors of
small Gram matrices (float64) instead of singular vectors of n x d ones.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eigenthemes.embeddings.blocks import Blocks
from eigenthemes.graph import Graph

Matrix = NDArray[np.float32]

NEGATIVE_POWER = 0.75  # of the distribution of negatives, as in word2vec
OVERSAMPLING = 10
FILTER_TERMS = 5
MU, THETA = 0.5, 0.5  # centre and width of the band-pass filter: the authors' values


def prone(graph: Graph, *, dimensions: int = 128, seed: int = 0, jobs: int = 1) -> Matrix:
    """Vectors [n, d] float32 of unit length; rows of isolated nodes are zero. d is less than asked for in a small graph."""
    with Blocks(graph.indptr, jobs) as blocks:
        factors = factorize(graph, min(dimensions, len(graph)), blocks, np.random.default_rng(seed))
        vectors = left_factors(propagate(graph, factors, blocks), dimensions, blocks)
    vectors[graph.degree == 0] = 0
    return unit_rows(vectors)


def factorize(graph: Graph, dimensions: int, blocks: Blocks, random: np.random.Generator) -> Matrix:
    """Left factors U sqrt(S) [n, d], rows of unit length, of F_ij = log(p_ij) - log(q_j) on the edges.

    p_ij = 1 / degree(i) is the chance to step from i to j; q_j, the chance to draw j as a negative, goes with
    (sum_i p_ij)^0.75. Randomised SVD (Halko et al.) without power iterations: a sharper one makes worse links.
    """
    log_degree = np.log(np.maximum(1, graph.degree))
    reached = np.zeros((len(graph), 1), dtype=np.float32)
    blocks.weighted_sum(graph, (1 / np.maximum(1, graph.degree))[:, None].astype(np.float32), reached)
    negative = np.maximum(reached[:, 0].astype(np.float64), 1e-12) ** NEGATIVE_POWER
    of_row = (-log_degree).astype(np.float32)
    of_column = (-np.log(negative / negative.sum())).astype(np.float32)

    sketch = random.standard_normal((len(graph), min(len(graph), dimensions + OVERSAMPLING)), dtype=np.float32)
    product = np.empty_like(sketch)
    blocks.weighted_sum(graph, sketch, product, of_row, of_column)
    basis = orthonormal(product, blocks)
    projected = np.empty_like(basis)
    blocks.weighted_sum(graph, basis, projected, of_column, of_row)  # F^T Q, so that Q (Q^T F) is nearly F
    values, vectors = blocks.eigen(projected)
    strengths = np.maximum(values, 0) ** 0.25  # the square root of singular values, and these are roots of eigenvalues
    return unit_rows(blocks.times(basis, (vectors * strengths)[:, :dimensions]))


def propagate(graph: Graph, factors: Matrix, blocks: Blocks) -> Matrix:
    """(A + I) (X - filter(L) X): neighbours smooth each other; the filter is a Chebyshev series of a Gaussian around MU."""

    def shifted(dense: Matrix, scale: float, more: Matrix, of_more: float) -> Matrix:
        # scale * M dense + of_more * more, where M = L - mu I and L = I - (row-normalised A + I)
        out = np.empty_like(dense)
        blocks.averaged_sum(graph, dense, scale * (1 - MU), -scale, more, of_more, out)
        return out

    before, now = factors, shifted(shifted(factors, 1.0, factors, 0.0), 0.5, factors, -1.0)
    filtered = bessel(0, THETA) * before - 2 * bessel(1, THETA) * now
    for term in range(2, FILTER_TERMS):
        step = shifted(shifted(now, 1.0, now, 0.0), 1.0, now, -2.0)
        before, now = now, step - before
        filtered += (2 if term % 2 == 0 else -2) * bessel(term, THETA) * now
    difference = factors - filtered
    out = np.empty_like(difference)
    blocks.weighted_sum(graph, difference, out)
    return out + difference


def left_factors(dense: Matrix, dimensions: int, blocks: Blocks) -> Matrix:
    """U sqrt(S) of a thin matrix, from the eigenvectors of its Gram matrix: U sqrt(S) = X V S^-1/2."""
    values, vectors = blocks.eigen(dense)
    kept = values > values[0] * 1e-12 if len(values) else values > 0
    scaled = vectors[:, kept] * values[kept] ** -0.25
    return blocks.times(dense, scaled[:, :dimensions])


def orthonormal(dense: Matrix, blocks: Blocks) -> Matrix:
    """An orthonormal basis of the columns; directions that are not there are left out."""
    values, vectors = blocks.eigen(dense)
    kept = values > values[0] * 1e-10 if len(values) else values > 0
    return blocks.times(dense, vectors[:, kept] * values[kept] ** -0.5)


def unit_rows(dense: Matrix) -> Matrix:
    """Each row divided by its length; a zero row stays."""
    lengths = np.sqrt(np.einsum("ij,ij->i", dense, dense, dtype=np.float64))
    return dense / np.where(lengths > 0, lengths, 1).astype(np.float32)[:, None]


def bessel(order: int, x: float) -> float:
    """The modified Bessel function of the first kind."""
    return sum((x / 2) ** (2 * m + order) / (math.factorial(m) * math.factorial(m + order)) for m in range(20))
