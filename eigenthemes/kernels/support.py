"""What the graph says for each candidate of a document: edges, shared neighbours and repetitions, other names only.

Neighbours are walked, never pairs of candidates: a document costs the sum of its candidates' degrees, `MOST` of each at most.
`support` sums up what the other candidates contribute, `contributions` returns who contributed what to one candidate.
Candidates of weight 0 neither give nor get support.

Numbers of 32 bits are made floats before they meet others: so plain Python computes the same bits as numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel
from eigenthemes.kernels.common import position

MOST = 512  # neighbours of an entity that are walked: the first ones, which are those of the highest prior
LEAST = 1e-3  # a candidate with a smaller weight is nobody's neighbour
LONGEST = 64  # names of a document for which the same candidate counts
_LOOKS = 16  # steps along a list of neighbours that cost as much as looking one candidate up in it
EDGES, SHARED_RARE, SHARED, LONGER, SAME = range(5)  # columns of the result


@kernel
def support(documents: Any, names: Any, entity: Any, weight: Any, graph: Any, longer: Any, scratch: Any) -> Any:
    """Compute the support of each candidate [n, 5] float64 by the candidates of the other names of its document.

    documents  [d + 1] names of each document; names [m + 1] rows (candidates) of each name
    entity     [n] int64; weight [n] float32: how likely each candidate is
    graph      (indptr, neighbors, rarity [entities] float32)
    longer     (indptr [m + 1], names): the longer names of the same document that contain a name, counted within the document
    scratch    (mass, own [entities] float32, all 0; head [entities] int64, all -1); left as it was

    EDGES        names with a candidate that is a neighbour, each counted by that candidate's weight
    SHARED       neighbours shared with candidates of other names, each counted by their weight, 1 at most; SHARED_RARE: times
                 the rarity of the neighbour
    LONGER       the weight of the same entity as a candidate of a longer name; SAME: of any other name
    """
    total = np.zeros((len(entity), 5))
    unasked = np.zeros((0, 5))
    head = scratch[2]
    following = np.full(len(entity), -1, np.int64)
    behind = np.zeros(len(entity), np.int64)
    name_of = np.zeros(len(entity), np.int64)
    for document in range(len(documents) - 1):
        first_name, last_name = documents[document], documents[document + 1]
        first, last = names[first_name], names[last_name]
        many = _chain(names, first_name, last_name, entity, weight, name_of, head, following, behind)
        _add(scratch[0], graph, entity, weight, first, last)
        met = np.zeros(last_name - first_name, np.float64)
        for name in range(first_name, last_name):
            _add(scratch[1], graph, entity, weight, names[name], names[name + 1])
            for row in range(names[name], names[name + 1]):
                if weight[row] == 0:
                    continue
                _neighbors(total, row, entity[row], graph, scratch)
                _edges(total, unasked, row, (first, last, many), entity, weight, name_of, graph, (head, following), met)
                _repetitions(total, unasked, row, entity[row], weight, name_of, longer, name, (head, following))
            _clear(scratch[1], graph, entity, weight, names[name], names[name + 1])
        _clear(scratch[0], graph, entity, weight, first, last)
        for row in range(first, last):
            head[entity[row]] = -1
    return total


@kernel
def contributions(row: Any, name: Any, names: Any, entity: Any, weight: Any, graph: Any, longer: Any, scratch: Any) -> Any:
    """Return who contributed what to the support of one candidate, in one document.

    row, name  the candidate, and the name it is of
    names ...  as in `support`, of one document: names [m + 1] begins with 0

    Returns (parts [n, 5] float64, rows [k], nodes [k]): what each candidate of the document contributed to the columns, and
    which candidates meet this one at which neighbours. The parts of a column sum up to what `support` computes. Where that is
    a capped sum, the contributors share it by their weights; where it is the greatest weight, it is one candidate's.
    """
    total = np.zeros((len(entity), 5))
    parts = np.zeros((len(entity), 5))
    head = scratch[2]
    following = np.full(len(entity), -1, np.int64)
    behind = np.zeros(len(entity), np.int64)
    name_of = np.zeros(len(entity), np.int64)
    if weight[row] == 0:
        return parts, behind[:0], behind[:0]
    many = _chain(names, 0, len(names) - 1, entity, weight, name_of, head, following, behind)
    met = np.zeros(len(names) - 1, np.float64)
    _edges(total, parts, row, (0, len(entity), many), entity, weight, name_of, graph, (head, following), met)
    _repetitions(total, parts, row, entity[row], weight, name_of, longer, name, (head, following))
    for other in range(len(entity)):
        head[entity[other]] = -1
    for other_name in range(len(names) - 1):
        _cap(parts, EDGES, names[other_name], names[other_name + 1])
    _cap(parts, SAME, 0, len(entity))
    rows, nodes = _meetings(parts, row, name, names, entity, weight, name_of, graph, scratch)
    return parts, rows, nodes


@kernel
def _chain(
    names: Any, first_name: Any, last_name: Any, entity: Any, weight: Any, name_of: Any, head: Any, following: Any, behind: Any
) -> Any:
    """Number the names of the rows of a document, and chain the rows of each entity that have a weight: head, following, ...

    Return how many rows that are.
    """
    many = 0
    for name in range(first_name, last_name):
        name_of[names[name] : names[name + 1]] = name - first_name
    for row in range(names[last_name] - 1, names[first_name] - 1, -1):
        if weight[row] == 0:
            continue
        many += 1
        before = head[entity[row]]
        behind[row] = 0 if before < 0 else behind[before] + 1
        if behind[row] < LONGEST:
            following[row] = before
            head[entity[row]] = row
    return many


@kernel
def _end(graph: Any, node: Any) -> Any:
    return min(graph[0][node + 1], graph[0][node] + MOST)


@kernel
def _add(mass: Any, graph: Any, entity: Any, weight: Any, first: Any, last: Any) -> None:
    """Add the weight of each candidate to its neighbours."""
    for row in range(first, last):
        if float(weight[row]) >= LEAST:
            for k in range(graph[0][entity[row]], _end(graph, entity[row])):
                mass[graph[1][k]] += weight[row]


@kernel
def _clear(mass: Any, graph: Any, entity: Any, weight: Any, first: Any, last: Any) -> None:
    """Take away what `_add` has added."""
    for row in range(first, last):
        if float(weight[row]) >= LEAST:
            for k in range(graph[0][entity[row]], _end(graph, entity[row])):
                mass[graph[1][k]] = 0.0


@kernel
def _mass_of_others(scratch: Any, neighbor: Any) -> Any:
    """Return what the candidates of other names put on a neighbour, 1 at most; 0 where it is too little to count."""
    others = min(1.0, float(scratch[0][neighbor] - scratch[1][neighbor]))
    return others if others >= LEAST else 0.0


@kernel
def _neighbors(total: Any, row: Any, node: Any, graph: Any, scratch: Any) -> None:
    for k in range(graph[0][node], _end(graph, node)):
        neighbor = graph[1][k]
        others = _mass_of_others(scratch, neighbor)
        if others > 0:
            total[row, SHARED] += others
            total[row, SHARED_RARE] += others * float(graph[2][neighbor])


@kernel
def _meetings(
    parts: Any, row: Any, name: Any, names: Any, entity: Any, weight: Any, name_of: Any, graph: Any, scratch: Any
) -> Any:
    """Share what `_neighbors` adds among the rows that reach the same neighbours; return these rows and neighbours."""
    mass, own = scratch[0], scratch[1]
    first, last = graph[0][entity[row]], _end(graph, entity[row])
    _add(mass, graph, entity, weight, 0, len(entity))
    _add(own, graph, entity, weight, names[name], names[name + 1])
    shared = np.zeros(last - first, np.float64)
    for k in range(first, last):
        shared[k - first] = _mass_of_others(scratch, graph[1][k])
    _clear(mass, graph, entity, weight, 0, len(entity))
    _clear(own, graph, entity, weight, names[name], names[name + 1])
    for k in range(first, last):  # from here on: what is shared at a neighbour, and the sum of the weights that share it
        mass[graph[1][k]] = shared[k - first]
    many = 0
    for other in range(len(entity)):
        if name_of[other] != name_of[row] and float(weight[other]) >= LEAST:
            for k in range(graph[0][entity[other]], _end(graph, entity[other])):
                if mass[graph[1][k]] > 0:
                    own[graph[1][k]] += weight[other]
                    many += 1
    rows, nodes = np.zeros(many, np.int64), np.zeros(many, np.int64)
    many = 0
    for other in range(len(entity)):
        if name_of[other] != name_of[row] and float(weight[other]) >= LEAST:
            for k in range(graph[0][entity[other]], _end(graph, entity[other])):
                neighbor = graph[1][k]
                if mass[neighbor] > 0:
                    part = float(mass[neighbor]) * (float(weight[other]) / float(own[neighbor]))
                    parts[other, SHARED] += part
                    parts[other, SHARED_RARE] += part * float(graph[2][neighbor])
                    rows[many], nodes[many] = other, neighbor
                    many += 1
    for k in range(first, last):
        mass[graph[1][k]] = 0.0
        own[graph[1][k]] = 0.0
    return rows, nodes


@kernel
def _edges(
    total: Any, parts: Any, row: Any, rows: Any, entity: Any, weight: Any, name_of: Any, graph: Any, chains: Any, met: Any
) -> None:
    """Count the names with a neighbour of a candidate; `met` [names of the document] is all 0, and is left so.

    rows  the first and last row of the document, and how many of them have a weight
    """
    node = entity[row]
    head, following = chains
    if graph[0][node + 1] - graph[0][node] <= _LOOKS * rows[2]:
        found = 0
        for k in range(graph[0][node], graph[0][node + 1]):
            other = head[graph[1][k]]
            while other >= 0:
                total[row, EDGES] += _meet(met, parts, row, other, name_of, weight)
                found += 1
                other = following[other]
        if found:
            met[:] = 0.0
    else:  # a hub among few candidates: their lists are shorter
        for other in range(rows[0], rows[1]):
            if float(weight[other]) >= LEAST and _adjacent(graph, node, entity[other]):
                total[row, EDGES] += _meet(met, parts, row, other, name_of, weight)
        met[:] = 0.0


@kernel
def _meet(met: Any, parts: Any, row: Any, other: Any, name_of: Any, weight: Any) -> Any:
    """Return what another candidate adds: its weight, and all candidates of a name together 1 at most."""
    if name_of[other] == name_of[row] or float(weight[other]) < LEAST:
        return 0.0
    if len(parts):
        parts[other, EDGES] = weight[other]
    before = met[name_of[other]]
    met[name_of[other]] = min(1.0, before + weight[other])
    return met[name_of[other]] - before


@kernel
def _adjacent(graph: Any, a: Any, b: Any) -> Any:
    indptr, neighbors = graph[0], graph[1]
    if indptr[a + 1] - indptr[a] > indptr[b + 1] - indptr[b]:
        a, b = b, a
    at = position(neighbors, indptr[a], indptr[a + 1], b)
    return at < indptr[a + 1] and neighbors[at] == b


@kernel
def _repetitions(
    total: Any, parts: Any, row: Any, node: Any, weight: Any, name_of: Any, longer: Any, name: Any, chains: Any
) -> None:
    head, following = chains
    other, likeliest = head[node], -1
    while other >= 0:
        if name_of[other] != name_of[row]:
            contains = False
            for k in range(longer[0][name], longer[0][name + 1]):
                contains = contains or longer[1][k] == name_of[other]
            if contains:
                if weight[other] > total[row, LONGER]:
                    total[row, LONGER] = weight[other]
                    likeliest = other
            else:
                total[row, SAME] = min(1.0, total[row, SAME] + weight[other])
                if len(parts):
                    parts[other, SAME] = weight[other]
        other = following[other]
    if len(parts) and likeliest >= 0:
        parts[likeliest, LONGER] = total[row, LONGER]


@kernel
def _cap(parts: Any, column: Any, first: Any, last: Any) -> None:
    """Scale the parts of some rows so that they sum up to 1 at most."""
    total = 0.0
    for row in range(first, last):
        total += parts[row, column]
    if total > 1:
        for row in range(first, last):
            parts[row, column] /= total
