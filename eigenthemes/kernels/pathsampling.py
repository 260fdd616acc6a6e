"""PathSampling and its sparse matrix: random ends of paths, counted in sorted order, and the product with a dense matrix.

A pair of nodes is one 64-bit key, low node << 32 | high node; the highest bit of its count says that it is an edge. Every edge
drawn has its own stream of random numbers, so any split over threads gives the same pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel
from eigenthemes.kernels.splitmix import GOLDEN, below, mixed

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
def row_of(indptr: Any, edge: Any) -> Any:
    """Return the node that an entry of `neighbors` belongs to: indptr[node] <= edge < indptr[node + 1]."""
    low, high = 0, len(indptr) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if indptr[middle] <= edge:
            low = middle
        else:
            high = middle
    return low


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
        source, target = row_of(indptr, edge), np.int64(neighbors[edge])
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


@kernel
def hold_edges(indptr: Any, neighbors: Any, held: Any, counts: Any) -> None:
    """Write the pairs of the graph's edges, ascending, each counted 0 times and marked as an edge."""
    at = 0
    for node in range(len(indptr) - 1):
        for edge in range(indptr[node], indptr[node + 1]):
            if neighbors[edge] > node:
                held[at] = np.uint64(node) << _S32 | np.uint64(neighbors[edge])
                counts[at] = _EDGE
                at += 1


@kernel
def entry(key: Any, count: Any, degree: Any, of_edge: float, of_count: float) -> Any:
    """Return (row, column, value) of the matrix; a pair of a node with itself has one key for one entry, others one for two."""
    low, high = np.int64(key >> _S32), np.int64(key & _LOW)
    value = of_count * (count & _COUNT) * (2 if low == high else 1) + (of_edge if count & _EDGE else 0.0)
    return low, high, value / (np.float64(degree[low]) * np.float64(degree[high]))


@kernel
def row_sizes(held: Any, counts: Any, degree: Any, of_edge: float, of_count: float, least: float, sizes: Any) -> None:
    """Count into sizes [n] int64 the entries above `least` in each row of the symmetric matrix."""
    for row in range(len(held)):
        low, high, value = entry(held[row], counts[row], degree, of_edge, of_count)
        if value > least:
            sizes[low] += 1
            sizes[high] += low != high


@kernel
def fill_rows(
    held: Any, counts: Any, degree: Any, of_edge: float, of_count: float, least: float, at: Any, columns: Any, values: Any
) -> None:
    """Write the columns, ascending, and log(1 - least + value) of the entries above `least`.

    at [n]: where each row starts; moved on to its end
    """
    for row in range(len(held)):
        low, high, value = entry(held[row], counts[row], degree, of_edge, of_count)
        if value > least:
            logarithm = np.float32(np.log(1 - least + value))
            columns[at[low]], values[at[low]] = high, logarithm
            at[low] += 1
            if low != high:
                columns[at[high]], values[at[high]] = low, logarithm
                at[high] += 1


@kernel
def valued_rows(indptr: Any, columns: Any, values: Any, dense: Any, out: Any, first: int, last: int) -> None:
    """Compute rows `first` to `last` of a sparse matrix times a dense one; dense and out are [n, d] float32."""
    for i in range(first, last):
        out[i, :] = 0
        for entry in range(indptr[i], indptr[i + 1]):
            j, value = columns[entry], values[entry]
            for c in range(dense.shape[1]):
                out[i, c] += value * dense[j, c]
