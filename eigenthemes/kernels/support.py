"""What the graph says for each candidate of a document: edges, shared neighbours and repetitions, other names only.

Neighbours are walked, never pairs of candidates: a document costs the sum of its candidates' degrees, `MOST` of each at most.
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
    """The support of each candidate [n, 5] float64 by the candidates of the other names of its document.

    documents  [d + 1] names of each document; names [m + 1] rows (candidates) of each name
    entity     [n] int64; weight [n] float32: how likely each candidate is
    graph      (indptr, neighbors, rarity [entities] float32)
    longer     (indptr [m + 1], names): the longer names of the same document that contain a name, counted within the document
    scratch    (mass, own [entities] float32, all 0; place [entities] int64, all -1); left as found

    EDGES        names with a candidate that is a neighbour, each counted by that candidate's weight
    SHARED       neighbours shared with candidates of other names, each counted by their weight, 1 at most; SHARED_RARE: times
                 the rarity of the neighbour
    LONGER       the weight of the same entity as a candidate of a longer name; SAME: of any other name
    """
    found = np.zeros((len(entity), 5))
    place = scratch[2]
    following = np.full(len(entity), -1, np.int64)
    behind = np.zeros(len(entity), np.int64)
    name_of = np.zeros(len(entity), np.int64)
    for document in range(len(documents) - 1):
        first_name, last_name = documents[document], documents[document + 1]
        first, last = names[first_name], names[last_name]
        for name in range(first_name, last_name):
            name_of[names[name] : names[name + 1]] = name - first_name
        for row in range(last - 1, first - 1, -1):  # a chain through the rows of each entity
            before = place[entity[row]]
            behind[row] = 0 if before < 0 else behind[before] + 1
            if behind[row] < LONGEST:
                following[row] = before
                place[entity[row]] = row
        _add(scratch[0], graph, entity, weight, first, last)
        met = np.zeros(last_name - first_name, np.float64)
        for name in range(first_name, last_name):
            _add(scratch[1], graph, entity, weight, names[name], names[name + 1])
            for row in range(names[name], names[name + 1]):
                _neighbors(found, row, entity[row], graph, scratch)
                _edges(found, row, (first, last), entity, weight, name_of, graph, (place, following), met)
                _repetitions(found, row, entity[row], weight, name_of, longer, name, (place, following))
            _clear(scratch[1], graph, entity, names[name], names[name + 1])
        _clear(scratch[0], graph, entity, first, last)
        for row in range(first, last):
            place[entity[row]] = -1
    return found


@kernel
def _end(graph: Any, node: Any) -> Any:
    return min(graph[0][node + 1], graph[0][node] + MOST)


@kernel
def _add(mass: Any, graph: Any, entity: Any, weight: Any, first: Any, last: Any) -> None:
    """Each candidate puts its weight on its neighbours."""
    for row in range(first, last):
        if weight[row] >= LEAST:
            for k in range(graph[0][entity[row]], _end(graph, entity[row])):
                mass[graph[1][k]] += weight[row]


@kernel
def _clear(mass: Any, graph: Any, entity: Any, first: Any, last: Any) -> None:
    for row in range(first, last):
        for k in range(graph[0][entity[row]], _end(graph, entity[row])):
            mass[graph[1][k]] = 0.0


@kernel
def _neighbors(found: Any, row: Any, node: Any, graph: Any, scratch: Any) -> None:
    mass, own = scratch[0], scratch[1]
    for k in range(graph[0][node], _end(graph, node)):
        neighbor = graph[1][k]
        others = min(1.0, mass[neighbor] - own[neighbor])
        if others >= LEAST:
            found[row, SHARED] += others
            found[row, SHARED_RARE] += others * graph[2][neighbor]


@kernel
def _edges(found: Any, row: Any, rows: Any, entity: Any, weight: Any, name_of: Any, graph: Any, chains: Any, met: Any) -> None:
    """Names with a neighbour of a candidate; `met` [names of the document] is all 0, and is left so."""
    node = entity[row]
    place, following = chains
    if graph[0][node + 1] - graph[0][node] <= _LOOKS * (rows[1] - rows[0]):
        for k in range(graph[0][node], graph[0][node + 1]):
            other = place[graph[1][k]]
            while other >= 0:
                found[row, EDGES] += _meet(met, row, other, name_of, weight)
                other = following[other]
        for k in range(graph[0][node], graph[0][node + 1]):
            other = place[graph[1][k]]
            while other >= 0:
                met[name_of[other]] = 0.0
                other = following[other]
    else:  # a hub among few candidates: their lists are shorter
        for other in range(rows[0], rows[1]):
            if weight[other] >= LEAST and _adjacent(graph, node, entity[other]):
                found[row, EDGES] += _meet(met, row, other, name_of, weight)
        met[:] = 0.0


@kernel
def _meet(met: Any, row: Any, other: Any, name_of: Any, weight: Any) -> Any:
    """What another candidate adds: its weight, and all candidates of a name together 1 at most."""
    if name_of[other] == name_of[row] or weight[other] < LEAST:
        return 0.0
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
def _repetitions(found: Any, row: Any, node: Any, weight: Any, name_of: Any, longer: Any, name: Any, chains: Any) -> None:
    place, following = chains
    other = place[node]
    while other >= 0:
        if name_of[other] != name_of[row]:
            contains = False
            for k in range(longer[0][name], longer[0][name + 1]):
                contains = contains or longer[1][k] == name_of[other]
            if contains:
                found[row, LONGER] = max(found[row, LONGER], weight[other])
            else:
                found[row, SAME] = min(1.0, found[row, SAME] + weight[other])
        other = following[other]
