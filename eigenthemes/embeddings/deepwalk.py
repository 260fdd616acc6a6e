"""DeepWalk: skip-gram on random walks, sampled and trained in one kernel."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import GOLDEN, below, mixed
from eigenthemes.core.arrays import aligned
from eigenthemes.core.checks import MOST_TIMES, check_integer
from eigenthemes.core.jit import kernel
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.embeddings.blocks import Blocks, Matrix
from eigenthemes.embeddings.spmm import prefetch_row
from eigenthemes.kb.graph import Graph

PAPER: dict[str, Any] = {"walks": 80, "length": 80, "window": 10, "dimensions": 128}
RATE, LAST_RATE = 0.025, 0.0001  # of learning: falls evenly from the first to the last token

_TOKENS = 1 << 16  # that are trained between two reports of progress

Targets = tuple[NDArray[Any], ...]  # leaf_of, parents, branches: as in `train_walks`


def deepwalk(
    graph: Graph,
    *,
    dimensions: int = 128,
    seed: int = 0,
    walks: int = 10,
    length: int = 40,
    window: int = 5,
    fast: bool = False,
    unit_length: bool = True,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Matrix:
    """Make vectors [n, d] float32, of unit length unless `unit_length` is False; rows of isolated nodes are zero.

    walks, length  from each node, and nodes in each
    window         tokens on either side that are contexts, at most
    fast           train in `jobs` threads that do not wait for each other (Hogwild): every run gives other vectors.
                   Otherwise one thread trains, whatever `jobs` says, and the seed decides every byte
    """
    check_integer("length", length, least=2, most=MOST_TIMES)
    for name, value in (("walks", walks), ("window", window)):
        check_integer(name, value, most=MOST_TIMES)
    random = np.random.default_rng(seed)
    inputs, outputs = _first_vectors(graph, dimensions, random)
    targets = tree_targets(graph.degree)
    total = walks * int((graph.degree > 0).sum()) * length
    decay = (RATE - LAST_RATE) / total

    def train(task: tuple[NDArray[np.uint32], np.uint64, int]) -> int:
        starts, own_seed, before = task
        rate = RATE - before * decay
        train_walks(graph.indptr, graph.neighbors, starts, length, window, own_seed, rate, decay, *targets, inputs, outputs)
        return len(starts) * length

    with (
        (progress or Silent()).step("walking", total=total, unit="tokens") as advance,
        ThreadPoolExecutor(jobs if fast else 1) as pool,
    ):
        for tasks in _passes(graph, walks, length, random):
            for tokens in pool.map(train, tasks):
                advance(tokens)
    vectors = np.ascontiguousarray(inputs[:, :dimensions])
    vectors[graph.degree == 0] = 0
    if not unit_length:
        return vectors
    with Blocks(graph, jobs) as blocks:
        return blocks.unit_rows(vectors)


def tree_targets(degree: NDArray[np.int64]) -> Targets:
    """Return the Huffman tree over the nodes with neighbours; walks visit a node in proportion to its degree."""
    rarest_first = np.argsort(degree, kind="stable")[np.count_nonzero(degree == 0) :]
    leaf_of = np.zeros(len(degree), dtype=np.uint32)
    leaf_of[rarest_first] = np.arange(len(rarest_first), dtype=np.uint32)
    parents = np.zeros(2 * len(rarest_first) - 1, dtype=np.uint32)
    branches = np.zeros(len(parents), dtype=np.int8)
    huffman_tree(degree[rarest_first], parents, branches)
    return leaf_of, parents, branches


def _passes(
    graph: Graph, walks: int, length: int, random: np.random.Generator
) -> Iterator[list[tuple[NDArray[np.uint32], np.uint64, int]]]:
    """Yield for each pass over all nodes, in random order, batches of starts, their seeds, and the tokens before them."""
    linked = np.flatnonzero(graph.degree).astype(np.uint32)
    batch = max(1, _TOKENS // length)
    for number in range(walks):
        starts = random.permutation(linked)
        firsts = range(0, len(starts), batch)
        seeds = random.integers(1 << 64, size=len(firsts), dtype=np.uint64)
        before = number * len(linked)
        yield [
            (starts[first : first + batch], seed, (before + first) * length) for first, seed in zip(firsts, seeds, strict=True)
        ]


def _first_vectors(graph: Graph, dimensions: int, random: np.random.Generator) -> tuple[Matrix, Matrix]:
    """Return small random inputs and zero outputs, as in word2vec; further columns are and stay zero."""
    width = -(-dimensions // LANES) * LANES
    inputs, outputs = (aligned(len(graph), width) for _ in range(2))  # rows that begin a cache line train faster
    drawn = random.random((len(graph), dimensions), dtype=np.float32)
    inputs[:, :dimensions] = (drawn - np.float32(0.5)) / np.float32(dimensions)
    return inputs, outputs


TOGETHER = 16  # walks that step at the same time: their waits for memory overlap
GROUP = 3  # targets that share one reading of the context's row
MOST_TARGETS = 96  # a Huffman tree of 2^64 occurrences is at most 92 deep
LANES = 16  # rows are as long as a multiple of it
_REACH, _CELLS = 8, 4096  # the table of the sigmoid: from -8 to 8, and constant beyond
_SCALE = np.float32(_CELLS / (2 * _REACH))
_SIGMOID = (1 / (1 + np.exp(-((np.arange(_CELLS) + 0.5) / _SCALE - _REACH)))).astype(np.float32)


def _plus_code(_: Any, total: Any, a: Any, b: Any) -> Any:
    """Emit total + a * b, in whatever order the sums are quickest: without it no dot product is vectorised."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        free = ("reassoc", "contract")
        return builder.fadd(values[0], builder.fmul(values[1], values[2], flags=free), flags=free)

    return types.float32(types.float32, types.float32, types.float32), code


_plus: Any = intrinsic(_plus_code)


@kernel
def _walk(indptr: Any, neighbors: Any, starts: Any, walks: Any, state: Any) -> Any:
    """Fill walks[:len(starts)], uint32; returns the state of the random numbers afterwards."""
    for i in range(len(starts)):
        walks[i, 0] = starts[i]
    for step in range(1, walks.shape[1]):
        for i in range(len(starts)):
            node = np.uint64(walks[i, step - 1])
            first = indptr[node]
            state += GOLDEN
            walks[i, step] = neighbors[np.uint64(first) + below(mixed(state), indptr[node + np.uint64(1)] - first)]
    return state


@kernel
def huffman_tree(counts: Any, parents: Any, signs: Any) -> None:
    """Build the Huffman tree over n leaves, rarest first: n - 1 inner nodes follow them, the root last.

    parents [2n - 1] uint32, signs [2n - 1] int8: 1 for the rarer child of two (the bit 0 of its code), -1 for the other
    """
    leaves = len(counts)
    total = np.zeros(2 * leaves - 1, np.int64)
    for node in range(leaves):
        total[node] = counts[node]
    leaf, inner = 0, leaves
    for made in range(leaves, 2 * leaves - 1):
        for sign in (1, -1):
            if leaf < leaves and (inner >= made or total[leaf] <= total[inner]):
                child = leaf
                leaf += 1
            else:
                child = inner
                inner += 1
            total[made] += total[child]
            parents[child], signs[child] = made, sign


@kernel
def _step(product: Any, sign: Any, rate: Any) -> Any:
    """Return how far a pair with this dot product moves: the gradient of log sigmoid(sign * product), times the rate."""
    cell: Any = np.int64((np.float32(_REACH) - sign * product) * _SCALE)
    return rate * sign * _SIGMOID[np.uint64(min(max(cell, 0), _CELLS - 1))]


@kernel
def learn_pairs(inputs: Any, outputs: Any, context: Any, targets: Any, signs: Any, count: Any, rate: Any, row: Any) -> None:
    """Train one context on the targets it should (sign 1) or should not (-1) predict; 0 counts nothing.

    `count` is a multiple of GROUP; `row` [d] keeps the context's vector as it was.
    """
    node = np.uint64(context)
    for c in range(len(row)):
        row[c] = inputs[node, c]
    for t in range(0, count, GROUP):
        i, j, k = np.uint64(targets[t]), np.uint64(targets[t + 1]), np.uint64(targets[t + 2])
        of_i = of_j = of_k = np.float32(0)
        for c in range(len(row)):
            of_i = _plus(of_i, row[c], outputs[i, c])
            of_j = _plus(of_j, row[c], outputs[j, c])
            of_k = _plus(of_k, row[c], outputs[k, c])
        of_i = _step(of_i, signs[t], rate)
        of_j = _step(of_j, signs[t + 1], rate)
        of_k = _step(of_k, signs[t + 2], rate)
        for c in range(len(row)):
            inputs[node, c] += of_i * outputs[i, c] + of_j * outputs[j, c] + of_k * outputs[k, c]
        for c in range(len(row)):  # one row after the other: two of them may be the same
            outputs[i, c] += of_i * row[c]
        for c in range(len(row)):
            outputs[j, c] += of_j * row[c]
        for c in range(len(row)):
            outputs[k, c] += of_k * row[c]


@kernel
def _choose(token: Any, leaf_of: Any, parents: Any, branches: Any, outputs: Any, targets: Any, signs: Any) -> Any:
    """Choose the targets of a token, the inner nodes above its leaf, in whole groups, and fetch them; returns their number."""
    leaves = (len(parents) + 1) // 2
    node, count = np.uint64(leaf_of[token]), 0
    while node != np.uint64(len(parents) - 1):
        signs[count] = branches[node]
        node = np.uint64(parents[node])
        targets[count] = node - np.uint64(leaves)
        count += 1
    while count % GROUP:
        targets[count], signs[count] = targets[0], 0
        count += 1
    for t in range(count):
        prefetch_row(outputs, targets[t])
    return count


@kernel
def train_walks(
    indptr: Any, neighbors: Any, starts: Any, length: int, window: int, seed: Any, rate: Any, decay: Any,
    leaf_of: Any, parents: Any, branches: Any, inputs: Any, outputs: Any,
) -> None:  # fmt: skip
    """Walk from each start, and train on each token of the walk; the targets of a token are chosen while the last one trains.

    leaf_of, parents, branches  [n] uint32, [2l - 1] uint32 and int8: the tree of hierarchical softmax
    inputs, outputs             [n, d] float32, d a multiple of LANES; changed in place
    """
    state = np.uint64(seed)
    walks = np.empty((TOGETHER, length), np.uint32)
    tokens = walks.ravel()
    most = MOST_TARGETS + GROUP
    targets, signs = np.zeros((2, most), np.uint32), np.zeros((2, most), np.float32)
    counts = np.zeros(2, np.int64)
    row = np.empty(inputs.shape[1], np.float32)
    for first in range(0, len(starts), TOGETHER):
        batch = starts[first : first + TOGETHER]
        state = _walk(indptr, neighbors, batch, walks, state)
        last = len(batch) * length
        for ahead in range(last + 1):
            if ahead < last:
                side = ahead & 1
                counts[side] = _choose(tokens[ahead], leaf_of, parents, branches, outputs, targets[side], signs[side])
                if ahead + window < last:
                    prefetch_row(inputs, tokens[ahead + window])
            if ahead:
                now, side = ahead - 1, (ahead - 1) & 1
                state += GOLDEN
                reach = 1 + np.int64(below(mixed(state), window))  # even from 1 to window, as in word2vec
                begin = now - now % length
                first_context: Any = max(begin, now - reach)
                after_context: Any = min(begin + length, now + reach + 1)
                for context in range(first_context, after_context):
                    if context != now:
                        learn_pairs(
                            inputs, outputs, tokens[context], targets[side], signs[side], counts[side], np.float32(rate), row
                        )
                rate -= decay
