"""DeepWalk (Perozzi et al., KDD 2014): what occurs together on random walks gets near vectors, by skip-gram.

Walks are made inside the kernel that trains, and never stored. Hierarchical softmax as in the original is the default; with
negative sampling, where the contexts of a token share its negatives, training is quicker, but links are much worse (P@1 of
`eigen` on AIDA .56 against .84 at 5 walks a node, gensim's .53), though the held-out-edge MRR hardly tells (.65 against .68).
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.checks import MOST_DIMENSIONS, MOST_JOBS, MOST_TIMES, check_whole
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.embeddings.blocks import Blocks, Matrix
from eigenthemes.embeddings.prone import NEGATIVE_POWER
from eigenthemes.errors import VectorError
from eigenthemes.kb.graph import Graph

PAPER: dict[str, Any] = {"walks": 80, "length": 80, "window": 10, "dimensions": 128, "hierarchical": True}
RATE, LAST_RATE = 0.025, 0.0001  # of learning: falls evenly from the first to the last token

_TOKENS = 1 << 16  # that are trained between two reports of progress
_CACHE_LINE = 64  # bytes; rows that begin with one train a quarter faster

Targets = tuple[NDArray[Any], ...]  # chances, others, leaf_of, parents, branches: as in `train_walks`


def deepwalk(
    graph: Graph,
    *,
    dimensions: int = 128,
    seed: int = 0,
    walks: int = 10,
    length: int = 40,
    window: int = 5,
    negatives: int = 5,
    hierarchical: bool = True,
    fast: bool = False,
    unit_length: bool = True,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Matrix:
    """Make vectors [n, d] float32, of unit length unless `unit_length` is False; rows of isolated nodes are zero.

    walks, length  from each node, and nodes in each
    window         tokens on either side that are contexts, at most
    hierarchical   softmax over a Huffman tree; False: negative sampling
    negatives      random nodes that are not contexts of a token, to learn from; not used by hierarchical softmax
    fast           train in `jobs` threads that do not wait for each other (Hogwild): every run gives other vectors.
                   Otherwise one thread trains, whatever `jobs` says, and the seed decides every byte
    """
    _check_options(dimensions=dimensions, walks=walks, length=length, window=window, negatives=negatives, jobs=jobs)
    if not graph.edges:
        raise VectorError("the graph has no edges, so there is nowhere to walk; import vectors instead", code="no-edges")
    from eigenthemes.kernels.skipgram import train_walks

    random = np.random.default_rng(seed)
    inputs, outputs = _first_vectors(graph, dimensions, random)
    targets = tree_targets(graph.degree) if hierarchical else negative_targets(graph.degree)
    total = walks * int((graph.degree > 0).sum()) * length
    decay = (RATE - LAST_RATE) / total

    def train(task: tuple[NDArray[np.uint32], np.uint64, int]) -> int:
        starts, own_seed, before = task
        rate = RATE - before * decay
        train_walks(
            graph.indptr, graph.neighbors, starts, length, window, negatives, own_seed, rate, decay, *targets, inputs, outputs
        )
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


def negative_targets(degree: NDArray[np.int64]) -> Targets:
    """Make an alias table that draws nodes by degree^0.75, and no tree."""
    from eigenthemes.kernels.skipgram import alias_table

    weights = degree**NEGATIVE_POWER
    chances, others = np.empty(len(degree), dtype=np.uint32), np.empty(len(degree), dtype=np.uint32)
    alias_table(weights / weights.mean(), chances, others)
    none = np.zeros(0, dtype=np.uint32)
    return chances, others, none, none, np.zeros(0, dtype=np.int8)


def tree_targets(degree: NDArray[np.int64]) -> Targets:
    """Make the Huffman tree over the nodes with neighbours: walks meet a node as often as its degree says."""
    from eigenthemes.kernels.skipgram import huffman_tree

    rarest_first = np.argsort(degree, kind="stable")[np.count_nonzero(degree == 0) :]
    leaf_of = np.zeros(len(degree), dtype=np.uint32)
    leaf_of[rarest_first] = np.arange(len(rarest_first), dtype=np.uint32)
    parents = np.zeros(2 * len(rarest_first) - 1, dtype=np.uint32)
    branches = np.zeros(len(parents), dtype=np.int8)
    huffman_tree(degree[rarest_first], parents, branches)
    none = np.zeros(0, dtype=np.uint32)
    return none, none, leaf_of, parents, branches


def _passes(
    graph: Graph, walks: int, length: int, random: np.random.Generator
) -> Iterator[list[tuple[NDArray[np.uint32], np.uint64, int]]]:
    """Yield for each walk of every node, in random order, batches of starts, the seed of their walks, and the tokens before."""
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
    """Return small random inputs and outputs of zero, as in word2vec; columns beyond the dimensions are zero and stay so."""
    from eigenthemes.kernels.skipgram import LANES

    width = -(-dimensions // LANES) * LANES
    inputs, outputs = _zeros(len(graph), width), _zeros(len(graph), width)
    drawn = random.random((len(graph), dimensions), dtype=np.float32)
    inputs[:, :dimensions] = (drawn - np.float32(0.5)) / np.float32(dimensions)
    return inputs, outputs


def _zeros(rows: int, width: int) -> Matrix:
    """Return a matrix of zeros whose rows begin with a line of the cache; numpy promises 16 bytes only."""
    spare = np.zeros(rows * width * 4 + _CACHE_LINE, dtype=np.uint8)
    first = -spare.ctypes.data % _CACHE_LINE
    return spare[first : first + rows * width * 4].view(np.float32).reshape(rows, width)


def _check_options(**options: int) -> None:
    for name, value in options.items():
        most = {"jobs": MOST_JOBS, "dimensions": MOST_DIMENSIONS}.get(name, MOST_TIMES)
        check_whole(name, value, least=2 if name == "length" else 1, most=most)
