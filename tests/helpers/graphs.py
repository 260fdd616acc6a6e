"""Graphs for the methods that make vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.graph import Graph, build_graph, distinct_edges


def graph_of(edges: list[tuple[int, int]], nodes: int) -> Graph:
    source, target = (np.array([edge[side] for edge in edges], dtype=np.uint32) for side in (0, 1))
    listed = distinct_edges(source, target, np.zeros(len(edges), dtype=np.uint32), nodes)
    return build_graph(listed, np.arange(nodes, dtype=np.uint32))


def communities(groups: int, size: int, seed: int = 0, outside: float = 0.01) -> tuple[Graph, NDArray[np.int64]]:
    """Return a graph of dense communities with a few edges between them, and the community of each node."""
    random = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), size)
    chance = np.where(group[:, None] == group, 0.5, outside)
    pairs = np.argwhere(np.triu(random.random((len(group), len(group))) < chance, 1))
    return graph_of([(a, b) for a, b in pairs.tolist()], len(group)), group
