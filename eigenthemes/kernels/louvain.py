"""Louvain's local moving, on many separate graphs at once: no edge joins two of them, so one pass over all serves each."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel

_BETTER = 1e-9  # a smaller gain may be rounding, and nodes could move in circles


@kernel
def move_nodes(
    indptr: Any, neighbors: Any, weights: Any, degree: Any, group: Any, volume: Any, order: Any, community: Any
) -> None:
    """Move each node into the community of its neighbours that raises modularity most, until no node wants to move.

    Of node i's weight (degree[i], own loop included), toward(c) goes to community c, whose nodes without i have the weight
    total(c): i belongs where toward(c) - total(c) * degree[i] / volume is largest, with the volume of its own graph, group[i].
    Nodes are visited in `order`, and again when a neighbour has moved away. community [n] int64 starts as 0, ..., n - 1.
    """
    nodes = len(order)
    total, toward = degree.copy(), np.zeros(nodes)
    near = np.empty(nodes, dtype=np.int64)
    queue, waiting = order.copy(), np.ones(nodes, dtype=np.bool_)
    head, queued = 0, nodes
    while queued > 0:
        node = queue[head]
        head = (head + 1) % nodes
        queued -= 1
        waiting[node] = False
        if indptr[node] == indptr[node + 1]:
            continue
        communities = 0
        for edge in range(indptr[node], indptr[node + 1]):
            c = community[neighbors[edge]]
            if toward[c] == 0:
                near[communities] = c
                communities += 1
            toward[c] += weights[edge]
        own, share = community[node], degree[node] / volume[group[node]]
        total[own] -= degree[node]
        best, most = own, toward[own] - total[own] * share
        for i in range(communities):
            c = near[i]
            gain = toward[c] - total[c] * share
            if gain > most + _BETTER:
                best, most = c, gain
        for i in range(communities):
            toward[near[i]] = 0
        total[best] += degree[node]
        if best == own:
            continue
        community[node] = best
        for edge in range(indptr[node], indptr[node + 1]):
            other = np.int64(neighbors[edge])
            if community[other] != best and not waiting[other]:
                queue[(head + queued) % nodes] = other
                queued += 1
                waiting[other] = True


@kernel
def inner_edges(indptr: Any, neighbors: Any, community: Any, inner_indptr: Any, inner: Any) -> Any:
    """Write the edges inside communities into inner_indptr [n + 1] and the front of inner; returns how many."""
    at = 0
    for node in range(len(indptr) - 1):
        inner_indptr[node] = at
        for edge in range(indptr[node], indptr[node + 1]):
            if community[neighbors[edge]] == community[node]:
                inner[at] = neighbors[edge]
                at += 1
    inner_indptr[len(indptr) - 1] = at
    return at
