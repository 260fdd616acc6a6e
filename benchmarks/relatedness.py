"""Relatedness of vectors: hidden edges of a graph against random pairs of nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.graph import Graph

Pairs = NDArray[np.int64]  # [p, 2]
_PAIRS = 1024  # at a time


def hide_edges(graph: Graph, share: float, random: np.random.Generator) -> tuple[Graph, Pairs]:
    """Return the graph without a share of its edges, and these edges; every node keeps its last edge."""
    source = np.repeat(np.arange(len(graph)), graph.degree)
    target = graph.neighbors.astype(np.int64)
    once = np.flatnonzero(source < target)
    left = graph.degree.copy()
    hidden: list[int] = []
    for edge in random.permutation(once)[: int(2 * share * len(once))].tolist():
        a, b = int(source[edge]), int(target[edge])
        if left[a] > 1 and left[b] > 1 and len(hidden) < share * len(once):
            left[a] -= 1
            left[b] -= 1
            hidden.append(edge)
    pairs = np.stack((source[hidden], target[hidden]), axis=1)
    gone = np.concatenate((pairs[:, 0] * len(graph) + pairs[:, 1], pairs[:, 1] * len(graph) + pairs[:, 0]))
    kept = ~np.isin(source * len(graph) + target, gone)
    indptr = np.concatenate(([0], np.cumsum(np.bincount(source[kept], minlength=len(graph))))).astype(np.int64)
    return Graph(indptr, graph.neighbors[kept], graph.relations[kept]), pairs


def relatedness(vectors: NDArray[np.float32], pairs: Pairs, random: np.random.Generator, *, others: int = 100) -> float:
    """Return the mean reciprocal rank of the second of each pair among random nodes, by cosine with the first; ties count half.

    Rows are of unit length; nodes without a vector are zero, and tie with everything.
    """
    linked = np.flatnonzero(vectors.any(axis=1))
    total = 0.0
    for first in range(0, len(pairs), _PAIRS):
        block = pairs[first : first + _PAIRS]
        own = np.einsum("pd,pd->p", vectors[block[:, 0]], vectors[block[:, 1]])
        drawn = vectors[random.choice(linked, size=(len(block), others))]
        against = np.einsum("pd,pod->po", vectors[block[:, 0]], drawn)
        rank = 1 + (against > own[:, None]).sum(axis=1) + 0.5 * (against == own[:, None]).sum(axis=1)
        total += float((1 / rank).sum())
    return total / max(1, len(pairs))
