"""NetSMF (Qiu et al., WWW 2019): what DeepWalk learns, as a matrix; sparsified by sampling paths, then factorised.

With degrees D, vol = sum of degrees = 2m, window T and b negatives, DeepWalk factorises (Qiu et al., WSDM 2018)

    log(vol / (b T) * D^-1 (S_1 + ... + S_T) D^-1)        where S_r = D (D^-1 A)^r,

which is dense. S_r(i, j) is the sum over the paths i = p_0, ..., p_r = j of 1 / (degree(p_1) ... degree(p_{r-1})). PathSampling
draws one of the 2m directed edges (u, v), k from 1 to r, and walks k - 1 steps from u and r - k from v: it meets the path p,
whatever k, with the chance 1 / 2m * 1 / (degree(p_1) ... degree(p_{r-1})), so the ends are (i, j) with the chance
S_r(i, j) / vol. (The paper's weight 2 r m / (M Z(p)) is the constant m / M in a graph without weights, where Z(p) = 2 r.)
Of M paths of the lengths 2 to T, c(i, j) have the ends {i, j}, in whichever order; S_1 = A is known. Hence the estimate

    S_1 + ... + S_T  ~  A + (T - 1) vol / (2 M) * c,       c(i, i) counted twice.

Departures from the paper: S_1 is exact, so every edge is in the matrix however few the samples; edges are drawn in turn (a
golden-ratio stride from a random start), so any number of draws is spread evenly; log(1 + x), which the authors' program
offers, instead of log(max(1, x)) (`truncated=True`): P@1 of `eigen` and `average` on AIDA .862 and .839 against .851 and
.789, held-out-edge MRR .52 against .51, and a star or a single edge, where x is 1 everywhere, keeps its vectors; no power
iterations, as in ProNE (two of them, truncated, 10 rounds: MRR .69 instead of .55, but P@1 of `eigen` .82 instead of .85).
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.checks import MOST_DIMENSIONS, MOST_JOBS, MOST_TIMES, check_number, check_whole
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.embeddings.blocks import WIDTH, Blocks, Matrix
from eigenthemes.embeddings.prone import OVERSAMPLING, orthonormal
from eigenthemes.errors import VectorError
from eigenthemes.kb.graph import Graph

ROUNDS = 5  # held-out-edge MRR on AIDA .43 after 1, .52 after 5, .55 after 10; time and memory grow with them
_PAIR_BYTES = 28  # a key and a count, and two entries of the matrix; or a key and a count, and the same of a new path
_ENTRY_BYTES = 16  # of a pair once it is counted
_DRAWS = 4096  # edges a thread draws at a time
_SCRATCH = 8192  # rows copied in float64 for a Gram matrix
_SMALLEST = 16  # a part of a full batch: less than this is not worth drawing


@dataclass(frozen=True, slots=True)
class PathCounts:
    """How often the sampled paths ended in each pair of nodes.

    pairs  [p] uint64, ascending: low node << 32 | high node; all edges are among them
    counts [p] uint32: the number of paths, and the highest bit for an edge
    """

    pairs: NDArray[np.uint64]
    counts: NDArray[np.uint32]
    paths: int
    window: int


@dataclass(frozen=True, slots=True)
class SparseMatrix:
    """Symmetric, in CSR form: indptr [n + 1] int64, columns [e] uint32, values [e] float32."""

    indptr: NDArray[np.int64]
    columns: NDArray[np.uint32]
    values: NDArray[np.float32]

    def times(self, dense: Matrix, blocks: Blocks) -> Matrix:
        """Return the product with a dense matrix [n, d]."""
        from eigenthemes.kernels.pathsampling import valued_rows

        out = np.empty_like(dense)

        def block(first: int, last: int) -> None:
            valued_rows(self.indptr, self.columns, self.values, dense, out, first, last)

        for _ in blocks.map_rows(block):
            pass
        return out


def netsmf(
    graph: Graph,
    *,
    dimensions: int = 128,
    seed: int = 0,
    window: int = 10,
    negatives: float = 1.0,
    rounds: int | None = None,
    max_memory: float = 2e9,
    truncated: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Matrix:
    """Make vectors [n, d] float32 of unit length; rows of isolated nodes are zero. d is less than asked for in a small graph.

    A round draws every edge once from each side, with a path of each length. `max_memory` bounds the bytes taken beyond the
    graph and the result: where the pairs met would not fit, fewer paths are drawn, the same ones whatever `jobs`.
    With `truncated`, nodes no closer to any other than chance get no vector either.
    """
    _check(dimensions=dimensions, window=window, rounds=ROUNDS if rounds is None else rounds, jobs=jobs)
    check_number("negatives", negatives, "a number above 0", above=0)
    check_number("max_memory", max_memory, "a number of bytes", least=0)
    if not graph.edges:
        raise VectorError("the graph has no edges, so no vectors can be made from it; import vectors instead", code="no-edges")
    size = min(dimensions, len(graph))
    counts = count_paths(
        graph,
        window=window,
        rounds=ROUNDS if rounds is None else rounds,
        seed=seed,
        capacity=pairs_that_fit(graph, size, max_memory),
        jobs=jobs,
        progress=progress or Silent(),
    )
    matrix = logarithms(graph, counts, negatives=negatives, truncated=truncated)
    del counts
    with Blocks(graph, jobs) as blocks:
        vectors = factorize(matrix, size, blocks, seed)
        vectors[graph.degree == 0] = 0
        return blocks.unit_rows(np.ascontiguousarray(vectors))


def pairs_that_fit(graph: Graph, dimensions: int, max_memory: float) -> int:
    """Return how many pairs of nodes may be held; too little memory for all edges is refused, with what they take."""
    width = dimensions + OVERSAMPLING
    dense = 8 * (len(graph) * (width + WIDTH) + min(len(graph), _SCRATCH) * width)  # a basis, its projection, parts of them
    rows = 4 * 8 * len(graph)  # offsets, and degrees
    needed = rows + max(_PAIR_BYTES * graph.edges, dense + _ENTRY_BYTES * graph.edges)
    if max_memory < needed:
        raise VectorError(
            f"max_memory is {max_memory:,.0f} bytes, but {len(graph):,} nodes, {graph.edges:,} edges and {dimensions} "
            f"dimensions take {needed:,} at least; allow more, or ask for fewer dimensions"
        )
    return int(min((max_memory - rows) // _PAIR_BYTES, (max_memory - rows - dense) // _ENTRY_BYTES))


def count_paths(
    graph: Graph, *, window: int, rounds: int, seed: int, capacity: int, jobs: int = 1, progress: Progress
) -> PathCounts:
    """Draw paths in batches and count the pairs at their ends, `capacity` pairs at most.

    A batch that brings too many new pairs is drawn again, half as large; when even a small one does, sampling ends. Edges
    come in an order that is even at any time, so the paths drawn until then are as fair as all of them.
    """
    from eigenthemes.kernels.pathsampling import hold_edges

    draws = rounds * len(graph.neighbors) if window > 1 else 0
    capacity = min(capacity, graph.edges + draws * (window - 1))
    held, counts = np.empty(capacity, dtype=np.uint64), np.empty(capacity, dtype=np.uint32)
    hold_edges(graph.indptr, graph.neighbors, held, counts)
    size, drawn = graph.edges, 0
    full = batch = min(draws, max(1, capacity // max(1, window - 1)))
    paths = _Paths(graph, window, seed)
    with ThreadPoolExecutor(jobs) as pool, progress.step("sampling paths", total=draws, unit="edges") as advance:
        while drawn < draws and batch > full // _SMALLEST:
            last = min(draws, drawn + batch)
            union = _add_counts(held, counts, size, *paths.draw(drawn, last, pool))
            if union > capacity:
                batch //= 2
            else:
                advance(last - drawn)
                size, drawn = union, last
    return PathCounts(held[:size], counts[:size], drawn * (window - 1), window)


def _add_counts(
    held: NDArray[np.uint64], counts: NDArray[np.uint32], size: int, keys: NDArray[np.uint64], times: NDArray[np.uint32]
) -> int:
    """Add counted pairs to the first `size` held; return how many are held then, or would be if there were room for them."""
    from eigenthemes.kernels.pathsampling import merge_counts, union_size

    union = int(union_size(held[:size], keys))
    if union <= len(held):
        merge_counts(held, counts, size, keys, times, union)
    return union


class _Paths:
    """Random paths around the edges of a graph; the number of a draw alone decides where it goes."""

    def __init__(self, graph: Graph, window: int, seed: int) -> None:
        self._graph, self._window = graph, window
        edges = len(graph.neighbors)
        random = np.random.default_rng(seed)
        self._start = int(random.integers(edges))
        self._stream = random.integers(1 << 63, dtype=np.uint64)
        self._stride = round(edges * (math.sqrt(5) - 1) / 2)
        while math.gcd(self._stride, edges) > 1:  # else a round would not come to every edge
            self._stride += 1

    def draw(self, first: int, last: int, pool: ThreadPoolExecutor) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Return the distinct pairs, ascending, at the ends of the paths around edges `first` to `last`, and their counts."""
        from eigenthemes.kernels.pathsampling import count_keys, sample_paths

        lengths = self._window - 1
        keys = np.empty((last - first) * lengths, dtype=np.uint64)

        def piece(begin: int) -> None:
            end = min(last, begin + _DRAWS)
            out = keys[(begin - first) * lengths : (end - first) * lengths]
            graph = self._graph
            sample_paths(graph.indptr, graph.neighbors, self._window, self._start, self._stride, self._stream, begin, end, out)

        for _ in pool.map(piece, range(first, last, _DRAWS)):
            pass
        keys.sort()
        times = np.empty(len(keys), dtype=np.uint32)
        distinct = count_keys(keys, times)
        return keys[:distinct], times[:distinct]


def logarithms(graph: Graph, counts: PathCounts, *, negatives: float = 1.0, truncated: bool = False) -> SparseMatrix:
    """Return log(1 + x), or log(max(1, x)), of the estimate x of vol / (b T) * D^-1 (S_1 + ... + S_T) D^-1."""
    from eigenthemes.kernels.pathsampling import fill_rows, row_sizes

    volume = len(graph.neighbors)
    of_edge = volume / (negatives * counts.window)
    of_count = of_edge * (counts.window - 1) * volume / (2 * counts.paths) if counts.paths else 0.0
    held = counts.pairs, counts.counts, graph.degree, of_edge, of_count, 1.0 if truncated else 0.0
    sizes = np.zeros(len(graph), dtype=np.int64)
    row_sizes(*held, sizes)
    indptr = np.concatenate(([0], np.cumsum(sizes)))
    columns, values = np.empty(indptr[-1], dtype=np.uint32), np.empty(indptr[-1], dtype=np.float32)
    fill_rows(*held, indptr[:-1].copy(), columns, values)
    return SparseMatrix(indptr, columns, values)


def factorize(matrix: SparseMatrix, dimensions: int, blocks: Blocks, seed: int) -> Matrix:
    """Return the left factors U sqrt(S) [n, d] by a randomised SVD (Halko et al.) without power iterations."""
    nodes = len(matrix.indptr) - 1
    basis = np.empty((nodes, min(nodes, dimensions + OVERSAMPLING)), dtype=np.float32)
    for part, columns in blocks.columns(basis):
        np.random.default_rng((seed, part.start)).standard_normal(out=columns, dtype=np.float32)
        basis[:, part] = matrix.times(columns, blocks)
    basis = orthonormal(basis, blocks)
    projected = np.empty_like(basis)
    for part, columns in blocks.columns(basis):
        projected[:, part] = matrix.times(columns, blocks)  # the matrix is symmetric: F^T Q
    values, vectors = blocks.eigen(projected)
    strengths = np.maximum(values, 0) ** 0.25  # the square root of singular values, and these are roots of eigenvalues
    return blocks.times(basis, (vectors * strengths)[:, :dimensions])


def _check(**options: int) -> None:
    for name, value in options.items():
        check_whole(name, value, most={"jobs": MOST_JOBS, "dimensions": MOST_DIMENSIONS}.get(name, MOST_TIMES))
