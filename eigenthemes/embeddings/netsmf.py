"""NetSMF: sparse matrix factorisation of sampled paths."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from eigenthemes.core.array_kernels import GOLDEN, below, mixed, position
from eigenthemes.core.checks import MOST_TIMES, check_integer, check_number
from eigenthemes.core.jit import kernel
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.embeddings.blocks import WIDTH, Blocks, Matrix
from eigenthemes.embeddings.prone import OVERSAMPLING, randomized_factors
from eigenthemes.errors import VectorError
from eigenthemes.kb.graph import Graph

ROUNDS = 5  # held-out-edge MRR on AIDA .43 after 1, .52 after 5, .55 after 10; time and memory grow with them
_PAIR_BYTES = 28  # a key and a count, and the same of a new path; or a key and a count, and an entry of the matrix
_ENTRY_BYTES = 8  # of a pair once it is counted
_PAIRS = 1 << 13  # whose logarithms are computed at a time
_DRAWS = 4096  # edges a thread draws at a time
_SCRATCH = 8192  # rows copied in float64 for a Gram matrix
_SMALLEST = 16  # a part of a full batch: less than this is not worth drawing


@dataclass(frozen=True, slots=True)
class PathCounts:
    """Counts of the pairs of nodes at the ends of sampled paths.

    pairs  [p] uint64, ascending: low node << 32 | high node; all edges are among them
    counts [p] uint32: the number of paths, and the highest bit for an edge
    """

    pairs: NDArray[np.uint64]
    counts: NDArray[np.uint32]
    paths: int
    window: int


def netsmf(
    graph: Graph,
    *,
    dimensions: int = 128,
    seed: int = 0,
    window: int = 10,
    negatives: float = 1.0,
    rounds: int = ROUNDS,
    max_memory: float = 2e9,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Matrix:
    """Make vectors [n, d] float32 of unit length; rows of isolated nodes are zero; small graphs give fewer dimensions.

    A round draws every edge once from each side, with a path of each length. `max_memory` bounds the bytes taken beyond the
    graph and the result: where the pairs met would not fit, fewer paths are drawn, the same ones whatever `jobs`.
    """
    check_integer("window", window, most=MOST_TIMES)
    check_integer("rounds", rounds, most=MOST_TIMES)
    check_number("negatives", negatives, "a number above 0", above=0)
    check_number("max_memory", max_memory, "a number of bytes", least=0)
    size = min(dimensions, len(graph))
    counts = count_paths(
        graph,
        window=window,
        rounds=rounds,
        seed=seed,
        capacity=pairs_that_fit(graph, size, max_memory),
        jobs=jobs,
        progress=progress or Silent(),
    )
    upper = logarithms(graph, counts, negatives=negatives)
    del counts
    with Blocks(graph, jobs) as blocks:
        vectors = factorize(upper, size, blocks, seed)
        vectors[graph.degree == 0] = 0
        return blocks.unit_rows(np.ascontiguousarray(vectors))


def pairs_that_fit(graph: Graph, dimensions: int, max_memory: float) -> int:
    """Return the number of pairs that fit into memory; raise OptionError if not all edges do."""
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
    draws = rounds * len(graph.neighbors) if window > 1 else 0
    capacity = min(capacity, graph.edges + draws * (window - 1))
    held, counts = np.empty(capacity, dtype=np.uint64), np.empty(capacity, dtype=np.uint32)
    held[: graph.edges], counts[: graph.edges] = _edges(graph), _EDGE
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


def _edges(graph: Graph) -> NDArray[np.uint64]:
    """Return the pairs of nodes with an edge, ascending."""
    source = np.repeat(np.arange(len(graph), dtype=np.uint32), graph.degree)
    upper = graph.neighbors > source
    return source[upper].astype(np.uint64) << _S32 | graph.neighbors[upper]


def _add_counts(
    held: NDArray[np.uint64], counts: NDArray[np.uint32], size: int, keys: NDArray[np.uint64], times: NDArray[np.uint32]
) -> int:
    """Add counted pairs to the first `size` ones; return their number then, also if they do not fit."""
    union = int(union_size(held[:size], keys))
    if union <= len(held):
        merge_counts(held, counts, size, keys, times, union)
    return union


class _Paths:
    """Random paths around the edges of a graph, each determined by its number."""

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
        """Return the distinct pairs at the ends of the paths around edges `first` to `last`, sorted, and their counts."""
        lengths = self._window - 1
        keys = np.empty((last - first) * lengths, dtype=np.uint64)

        def piece(begin: int) -> None:
            """Sample the paths around some edges into their part of the keys."""
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


def logarithms(graph: Graph, counts: PathCounts, *, negatives: float = 1.0) -> csr_matrix:
    """Return U with U + U^T = log(1 + x), of the estimate x of vol / (b T) * D^-1 (S_1 + ... + S_T) D^-1.

    The matrix is symmetric, so its upper triangle is enough: half of the memory, and the pairs are in its order.
    """
    volume = len(graph.neighbors)
    of_edge = volume / (negatives * counts.window)
    of_count = of_edge * (counts.window - 1) * volume / (2 * counts.paths) if counts.paths else 0.0
    columns, values = np.empty(len(counts.pairs), dtype=np.int32), np.empty(len(counts.pairs), dtype=np.float32)
    for first in range(0, len(values), _PAIRS):
        block = slice(first, first + _PAIRS)
        pairs, times = counts.pairs[block], counts.counts[block]
        low, high = (pairs >> _S32).astype(np.int64), (pairs & _LOW).astype(np.int64)
        of_pair = np.where(low == high, 2.0, 1.0)  # a pair of a node with itself has one key for one entry, others one for two
        estimate = of_count * (times & _COUNT) * of_pair + np.where(times & _EDGE, of_edge, 0.0)
        columns[block] = high
        values[block] = np.log1p(estimate / (graph.degree[low] * graph.degree[high])) / of_pair
    indptr = np.searchsorted(counts.pairs, np.arange(len(graph) + 1, dtype=np.uint64) << _S32)
    return csr_matrix((values, columns, indptr), shape=(len(graph), len(graph)))


def factorize(upper: csr_matrix, dimensions: int, blocks: Blocks, seed: int) -> Matrix:
    """Return the left factors [n, d] of upper + upper^T."""
    lower = upper.T

    def times(columns: Matrix) -> Matrix:
        """Multiply by upper + upper^T, without making the sum."""
        return np.asarray(upper @ columns + lower @ columns)

    return randomized_factors(blocks, times, times, dimensions, seed).rows_together(blocks.scratch)


_S32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_EDGE, _COUNT = np.uint32(1 << 31), np.uint32((1 << 31) - 1)


@kernel
def walk(indptr: Any, neighbors: Any, node: Any, steps: int, state: Any) -> Any:
    """Return (the end of a random walk, the state after it)."""
    for _ in range(steps):
        state += GOLDEN
        node = np.int64(neighbors[indptr[node] + np.int64(below(mixed(state), indptr[node + 1] - indptr[node]))])
    return node, state


@kernel
def sample_paths(
    indptr: Any, neighbors: Any, window: int, start: int, stride: int, seed: Any, first: int, last: int, keys: Any
) -> None:
    """Sample the ends of one path of each length 2 to `window` around each of the edges drawn `first` to `last`.

    keys [(last - first) * (window - 1)] uint64. Draw t is the edge numbered start + t * stride, modulo their number.
    """
    at = 0
    for draw in range(first, last):
        edge = (start + draw % len(neighbors) * stride) % len(neighbors)
        source, target = position(indptr, 0, len(indptr), edge + 1) - 1, np.int64(neighbors[edge])
        state = mixed(seed + np.uint64(draw) * GOLDEN)
        for length in range(2, window + 1):
            state += GOLDEN
            before = np.int64(below(mixed(state), length))
            a, state = walk(indptr, neighbors, source, before, state)
            b, state = walk(indptr, neighbors, target, length - 1 - before, state)
            keys[at] = np.uint64(min(a, b)) << _S32 | np.uint64(max(a, b))
            at += 1


@kernel
def count_keys(keys: Any, counts: Any) -> Any:
    """Move the distinct keys (sorted before) to the front and count how often each occurs; returns their number."""
    distinct = -1
    for row in range(len(keys)):
        if distinct < 0 or keys[row] != keys[distinct]:
            distinct += 1
            keys[distinct] = keys[row]
            counts[distinct] = 0
        counts[distinct] += np.uint32(1)
    return distinct + 1


@kernel
def union_size(held: Any, keys: Any) -> Any:
    """Return the number of distinct keys in two ascending lists of distinct keys."""
    i, j, size = 0, 0, 0
    while i < len(held) and j < len(keys):
        one, other = held[i], keys[j]
        i += one <= other
        j += other <= one
        size += 1
    return size + len(held) - i + len(keys) - j


@kernel
def merge_counts(held: Any, held_counts: Any, size: int, keys: Any, counts: Any, union: int) -> None:
    """Add counted keys to the first `size` of those held, in place from the back: the first `union` are held then."""
    i, j = size - 1, len(keys) - 1
    for row in range(union - 1, -1, -1):
        if j < 0:
            return  # what is left stands where it belongs
        if i >= 0 and held[i] > keys[j]:
            held[row], held_counts[row] = held[i], held_counts[i]
            i -= 1
            continue
        count = counts[j]
        if i >= 0 and held[i] == keys[j]:
            count += held_counts[i]
            i -= 1
        held[row], held_counts[row] = keys[j], count
        j -= 1
