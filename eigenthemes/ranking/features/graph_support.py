"""Kernels for graph support: edges, shared neighbours and repetitions, from other names only.

`support` sums up what the other candidates contribute, given what `connections.connect` found and how likely each is, and
`contributions` returns who contributed what to one candidate. Candidates of weight 0 neither give nor get support.

Numbers of 32 bits are made floats before they meet others: so plain Python computes the same bits as numba. What is done for
each row is done in loops, not by functions: to call one with many arrays takes longer than most rows do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel

LEAST = 1e-3  # a candidate with a smaller weight is nobody's neighbour
EDGES, SHARED_RARE, SHARED, LONGER, SAME = range(5)  # columns of the result


@kernel
def support(documents: Any, names: Any, weight: Any, longer: Any, connections: Any) -> Any:
    """Compute the support of each candidate [n, 5] float64 by the candidates of the other names of its document.

    documents    [d + 1] names of each document; names [m + 1] rows (candidates) of each name
    weight       [n] float32: how likely each candidate is; 0 for those that `connect` did not consider
    longer       (indptr [m + 1], names): the longer names of the same document that contain a name, counted within the document
    connections  `Connections`

    EDGES        names with a candidate that is a neighbour, each counted by that candidate's weight
    SHARED       neighbours shared with candidates of other names, each counted by their weight, 1 at most; SHARED_RARE: times
                 the rarity of the neighbour
    LONGER       the weight of the same entity as a candidate of a longer name; SAME: of any other name
    """
    total, unasked = np.zeros((len(weight), 5)), np.zeros((0, 5))
    _neighbors(total, documents, names, weight, connections.own, connections.reached, connections.rarity)
    met = _name_buffer(documents)
    _edges(total, 0, unasked, 0, 0, len(weight), weight, connections, met)
    for name in range(len(names) - 1):
        _repetitions(total, 0, unasked, 0, names[name], names[name + 1], weight, longer, name, connections)
    return total


@kernel
def contributions(row: Any, name: Any, names: Any, weight: Any, longer: Any, connections: Any) -> Any:
    """Return who contributed what to the support of one candidate, in one document.

    row, name  the candidate, and the name it is of
    names      [m + 1] rows of each name of its document; weight ... as in `support`

    Returns (parts [r, 5] float64, positions [k], nodes [k]): what each candidate of the document contributed to the columns,
    and which candidates meet this one at which nodes. Candidates are counted within the document. The parts of a column sum up
    to what `support` computes. Where that is a capped sum, the contributors share it by their weights; where it is the greatest
    weight, it is one candidate's.
    """
    first, last = names[0], names[len(names) - 1]
    parts, total = np.zeros((last - first, 5)), np.zeros((1, 5))
    nothing = np.zeros(0, np.int64)
    if weight[row] == 0:
        return parts, nothing, nothing
    met = np.zeros(len(names), np.float64), np.full(len(names), -1, np.int64)
    _edges(total, row, parts, first, row, row + 1, weight, connections, met)
    _repetitions(total, row, parts, first, row, row + 1, weight, longer, name, connections)
    for other in range(len(names) - 1):
        _cap(parts, EDGES, names[other] - first, names[other + 1] - first)
    _cap(parts, SAME, 0, last - first)
    positions, nodes = _meetings(parts, row, first, last, weight, connections)
    return parts, positions, nodes


@kernel
def _neighbors(total: Any, documents: Any, names: Any, weight: Any, candidate: Any, reached: Any, rarity: Any) -> None:
    """Count what the candidates of other names put on the nodes that rows reach: 1 at most, and not too little to count."""
    mass, own = np.zeros(len(rarity), np.float32), np.zeros(len(rarity), np.float32)
    for document in range(len(documents) - 1):
        first_name, last_name = documents[document], documents[document + 1]
        _add(mass, weight, names[first_name], names[last_name], candidate, reached)
        for name in range(first_name, last_name):
            _add(own, weight, names[name], names[name + 1], candidate, reached)
            for row in range(names[name], names[name + 1]):
                if weight[row] == 0:
                    continue
                shared, shared_rare = 0.0, 0.0
                for k in range(reached[0][candidate[row]], reached[0][candidate[row] + 1]):
                    node = reached[1][k]
                    others = min(1.0, float(np.float32(mass[node] - own[node])))
                    counted = others if others >= LEAST else 0.0
                    shared += counted
                    shared_rare += counted * float(rarity[node])
                total[row, SHARED], total[row, SHARED_RARE] = shared, shared_rare
            _clear(own, weight, names[name], names[name + 1], candidate, reached)


@kernel
def _add(mass: Any, weight: Any, first: Any, last: Any, candidate: Any, reached: Any) -> None:
    """Add the weight of each candidate to the nodes that it reaches."""
    for row in range(first, last):
        added = weight[row]
        if float(added) >= LEAST:
            for k in range(reached[0][candidate[row]], reached[0][candidate[row] + 1]):
                mass[reached[1][k]] += added


@kernel
def _clear(mass: Any, weight: Any, first: Any, last: Any, candidate: Any, reached: Any) -> None:
    """Take away what `_add` has added."""
    for row in range(first, last):
        if float(weight[row]) >= LEAST:
            for k in range(reached[0][candidate[row]], reached[0][candidate[row] + 1]):
                mass[reached[1][k]] = 0.0


@kernel
def _meetings(parts: Any, row: Any, first: Any, last: Any, weight: Any, connections: Any) -> Any:
    """Share what `_neighbors` adds among the rows that reach the same nodes; return the positions of these rows, and nodes."""
    own, name_of, rarity, reached = connections.own, connections.name_of, connections.rarity, connections.reached
    nodes_of_row = reached[1][reached[0][own[row]] : reached[0][own[row] + 1]]
    lowest, highest = len(rarity), 0
    for node in nodes_of_row:
        lowest, highest = min(lowest, node), max(highest, node)
    mass = np.zeros((2, max(0, highest + 1 - lowest)), np.float32)  # of all names, and of the row's own
    for other in range(first, last):
        if float(weight[other]) >= LEAST:
            for k in range(reached[0][own[other]], reached[0][own[other] + 1]):
                if lowest <= reached[1][k] <= highest:
                    mass[0, reached[1][k] - lowest] += weight[other]
                    if name_of[other] == name_of[row]:
                        mass[1, reached[1][k] - lowest] += weight[other]
    shared = np.zeros(mass.shape[1], np.float64)
    for node in nodes_of_row:
        others = min(1.0, float(mass[0, node - lowest] - mass[1, node - lowest]))
        shared[node - lowest] = others if others >= LEAST else 0.0
    positions, nodes = np.zeros(64, np.int64), np.zeros(64, np.int64)
    many = 0
    for other in range(first, last):
        if name_of[other] != name_of[row] and float(weight[other]) >= LEAST:
            for k in range(reached[0][own[other]], reached[0][own[other] + 1]):
                node = reached[1][k]
                if lowest <= node <= highest and shared[node - lowest] > 0:
                    all_others = float(mass[0, node - lowest] - mass[1, node - lowest])
                    part = shared[node - lowest] * (float(weight[other]) / all_others)
                    parts[other - first, SHARED] += part
                    parts[other - first, SHARED_RARE] += part * float(rarity[node])
                    if many == len(nodes):
                        positions, nodes = np.append(positions, positions), np.append(nodes, nodes)
                    positions[many], nodes[many] = other - first, node
                    many += 1
    return positions[:many], nodes[:many]


@kernel
def _name_buffer(documents: Any) -> Any:
    """Allocate the buffers that `_edges` uses for the names of a document."""
    most = 0
    for document in range(len(documents) - 1):
        most = max(most, documents[document + 1] - documents[document])
    return np.zeros(most, np.float64), np.full(most, -1, np.int64)


@kernel
def _edges(total: Any, of: Any, parts: Any, start: Any, first: Any, last: Any, weight: Any, connections: Any, met: Any) -> None:
    """Count the names with a neighbour of the candidates first:last, all candidates of a name together 1 at most.

    total, of     the columns of row `of` and those that follow
    parts, start  what row `start` and those that follow contribute; without rows: nobody asks
    met           (how much of each name of a document, the row that met it: what another one met does not count)
    """
    own, name_of, head, following = connections.own, connections.name_of, connections.head, connections.following
    indptr, candidates = connections.edges
    for row in range(first, last):
        if weight[row] == 0:
            continue
        edges = 0.0
        for k in range(indptr[own[row]], indptr[own[row] + 1]):
            other = head[candidates[k]]
            while other >= 0:
                name = name_of[other]
                if name != name_of[row] and float(weight[other]) >= LEAST:
                    before = met[0][name] if met[1][name] == row else 0.0
                    after = min(1.0, before + float(weight[other]))
                    met[0][name], met[1][name] = after, row
                    edges += after - before
                    if len(parts):
                        parts[other - start, EDGES] = weight[other]
                other = following[other]
        total[row - of, EDGES] = edges


@kernel
def _repetitions(
    total: Any, of: Any, parts: Any, start: Any, first: Any, last: Any, weight: Any, longer: Any, name: Any, connections: Any
) -> None:
    """Find the same entities as candidates of other names than that of the candidates first:last; the rest as in `_edges`."""
    own, name_of, head, following = connections.own, connections.name_of, connections.head, connections.following
    for row in range(first, last):
        if weight[row] == 0:
            continue
        other, likeliest = head[own[row]], -1
        same, most = 0.0, 0.0
        while other >= 0:
            if name_of[other] != name_of[row]:
                contains = False
                for k in range(longer[0][name], longer[0][name + 1]):
                    contains = contains or longer[1][k] == name_of[other]
                if contains:
                    if float(weight[other]) > most:
                        most, likeliest = float(weight[other]), other
                else:
                    same = min(1.0, same + float(weight[other]))
                    if len(parts):
                        parts[other - start, SAME] = weight[other]
            other = following[other]
        total[row - of, LONGER], total[row - of, SAME] = most, same
        if len(parts) and likeliest >= 0:
            parts[likeliest - start, LONGER] = most


@kernel
def _cap(parts: Any, column: Any, first: Any, last: Any) -> None:
    """Scale the parts of some rows so that they sum up to 1 at most."""
    total = 0.0
    for row in range(first, last):
        total += parts[row, column]
    if total > 1:
        for row in range(first, last):
            parts[row, column] /= total
