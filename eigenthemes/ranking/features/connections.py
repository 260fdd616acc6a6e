"""Kernels for candidates of a document in the graph: edges, shared neighbours, repeated entities, and the support they give.

`connect` walks the neighbours of all candidates of a document once, and keeps what they have in common, however likely each is.
Neighbours are walked, never pairs of candidates: a document costs the sum of its candidates' degrees, `most` of each at most.
`sum_support` adds up what the candidates of other names contribute, given these connections and how likely each candidate is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eigenthemes.core.array_kernels import fill, grown, position, sort
from eigenthemes.core.jit import kernel

LONGEST = 64  # names of a document for which the same candidate counts
_HIGHEST = 2**31 - 1  # mark
_BITS = 32  # of the number of a candidate
_ALL_BITS = (1 << _BITS) - 1


class Connections(NamedTuple):
    """Connections between the candidates of each document in the graph.

    Distinct candidates and nodes are numbered through all documents. The nodes of a document are its candidates, then all other
    entities that candidates of two names or more have as neighbours.

    own        [n] int64 the candidate of each row, -1: it is not considered
    name_of    [n] int64 the name of each row, counted within its document
    following  [n] int64 the next row of the same candidate, -1: there is none; of the last LONGEST
    head       [c] int64 the first row of each candidate
    entities   [k] int64 of the nodes; rarity [k] float32
    reached    (indptr [c + 1], nodes uint32) among the first neighbours of each candidate, as many as are walked
    edges      (indptr [c + 1], candidates uint32): the candidates that are neighbours of each, among all of them
    """

    own: Any
    name_of: Any
    following: Any
    head: Any
    entities: Any
    rarity: Any
    reached: tuple[Any, Any]
    edges: tuple[Any, Any]


@kernel
def connect(documents: Any, names: Any, entity: Any, considered: Any, graph: Any, most: Any, scratch: Any) -> Any:
    """Return the connections between the candidates of each document in the graph.

    documents   [d + 1] names of each document; names [m + 1] rows (candidates) of each name
    entity      [n] int64; considered [n] bool: the others have to do with nobody
    graph       (indptr, neighbors, rarity [entities] float32)
    most        neighbours of an entity that are walked: the first ones, which are those of the highest prior
    scratch     (mark [entities] int32, last [1] int64), all 0 at first: marks of later calls are higher

    Returns the fields of `Connections`.
    """
    size, rows = 0, 0
    for row in range(len(entity)):
        if considered[row]:
            rows += 1
            size += 1 + _end(graph, most, entity[row]) - graph[0][entity[row]]
    own, following = np.full(len(entity), -1, np.int64), np.full(len(entity), -1, np.int64)
    name_of, head = np.empty(len(entity), np.int64), np.empty(rows, np.int64)
    entities = np.empty(size, np.int64)
    indptr, edges_indptr = np.zeros(rows + 1, np.int64), np.zeros(rows + 1, np.int64)
    reached, edges = np.empty(size + 1, np.uint32), np.empty(64, np.uint32)
    mark = scratch[0]
    if scratch[1][0] + size + len(names) + len(documents) >= _HIGHEST:
        fill(mark, 0, len(mark), 0)
        scratch[1][0] = 0
    last, end = 0, 0
    for document in range(len(documents) - 1):
        names_of_it = documents[document], documents[document + 1]
        first, start = last, end  # the first candidate and the first node
        base = scratch[1][0] + 1  # of the marks of this document: its names, one for several names, then its nodes
        several = base + names_of_it[1] - names_of_it[0]
        for name in range(names_of_it[0], names_of_it[1]):
            fill(name_of, names[name], names[name + 1], name - names_of_it[0])
        rows_of_it = names[names_of_it[0]], names[names_of_it[1]]
        found = own, following, head, entities
        last = _candidates(rows_of_it, entity, considered, mark, several + 1, found, first, start)
        candidates = first, last, start
        _meet(candidates, base, several, graph, most, mark, (name_of, following, head), entities)
        end = _reach(candidates, several, graph, most, mark, entities, reached, indptr)
        beyond = _beyond(candidates, entities, graph, most, reached, indptr)
        edges = _edges_of(candidates, beyond, reached, indptr, edges, edges_indptr)
        scratch[1][0] = several + end - start
    rarity = np.empty(end, np.float32)
    for node in range(end):
        rarity[node] = graph[2][entities[node]]
    near, adjacent = (indptr[: last + 1], reached[: indptr[last]]), (edges_indptr[: last + 1], edges[: edges_indptr[last]])
    return own, name_of, following, head[:last], entities[:end], rarity, near, adjacent


@kernel
def _end(graph: Any, most: Any, node: Any) -> Any:
    return min(graph[0][node + 1], graph[0][node] + most)


@kernel
def _candidates(rows: Any, entity: Any, considered: Any, mark: Any, nodes: Any, found: Any, first: Any, start: Any) -> Any:
    """Assign numbers from `first` to the candidates of a document, whose nodes begin at `start`; return the end."""
    own, following, head, entities = found
    last = first
    for row in range(rows[0], rows[1]):
        if considered[row]:
            if mark[entity[row]] < nodes:
                mark[entity[row]] = nodes + last - first
                entities[start + last - first], head[last] = entity[row], -1
                last += 1
            own[row] = first + mark[entity[row]] - nodes
    times = np.zeros(last - first, np.int64)
    for row in range(rows[1] - 1, rows[0] - 1, -1):
        if considered[row] and times[own[row] - first] < LONGEST:
            following[row], head[own[row]] = head[own[row]], row
            times[own[row] - first] += 1
    return last


@kernel
def _meet(candidates: Any, base: Any, several: Any, graph: Any, most: Any, mark: Any, rows: Any, entities: Any) -> None:
    """Mark the neighbours of a document's candidates by their names, those of two names or more by `several`.

    rows  (name_of, following, head), as of `Connections`
    """
    first, last, start = candidates
    for candidate in range(first, last):
        row = rows[2][candidate]
        own = several if rows[1][row] >= 0 else base + rows[0][row]
        node = entities[start + candidate - first]
        for k in range(graph[0][node], _end(graph, most, node)):
            before = mark[graph[1][k]]
            mark[graph[1][k]] = own if (before < base) | (before == own) else max(before, several)


@kernel
def _reach(candidates: Any, several: Any, graph: Any, most: Any, mark: Any, entities: Any, reached: Any, indptr: Any) -> Any:
    """List what each candidate of a document reaches, candidates and neighbours of several names; return the last node."""
    first, last, start = candidates
    nodes, end, many = several + 1, start + last - first, indptr[first]
    for candidate in range(first, last):
        node = entities[start + candidate - first]
        for k in range(graph[0][node], _end(graph, most, node)):
            marked = mark[graph[1][k]]
            if marked == several:
                marked = nodes + end - start
                mark[graph[1][k]] = marked
                entities[end] = graph[1][k]
                end += 1
            reached[many] = (start + marked - nodes) & _ALL_BITS  # overwritten by the next one, unless it counts
            many += marked >= nodes
        indptr[candidate + 1] = many
    return end


@kernel
def _beyond(candidates: Any, entities: Any, graph: Any, most: Any, reached: Any, indptr: Any) -> Any:
    """Return which candidates of a document are neighbours beyond those that are walked, each pair as one number, in order.

    reached, indptr  those that are walked. An edge is on the lists of both ends: most are met on the shorter one.
    """
    first, last, start = candidates
    many = last - first
    least, hubs, many_hubs = np.empty(many, np.int64), np.empty(many, np.int64), 0  # the least neighbour that is not walked
    for number in range(many):
        node = entities[start + number]
        least[number] = _HIGHEST
        if graph[0][node + 1] - graph[0][node] > most:
            least[number], hubs[many_hubs] = graph[1][graph[0][node] + most], number
            many_hubs += 1
    if many_hubs == 0:
        return hubs[:0]
    pairs, found = np.empty(indptr[last] - indptr[first] + 64, np.int64), 0
    for number in range(many):
        for k in range(indptr[first + number], indptr[first + number + 1]):
            other = np.int64(reached[k]) - start
            if other < many and entities[start + number] >= least[other]:
                pairs[found] = (other << _BITS) | number
                found += 1
    for a in range(many_hubs):  # two hubs may each be far down on the list of the other
        one, limit = entities[start + hubs[a]], least[hubs[a]]
        for b in range(a):
            other = entities[start + hubs[b]]
            if other >= limit and one >= least[hubs[b]] and _adjacent(graph, most, one, other):
                pairs = grown(pairs, found, 2)
                pairs[found], pairs[found + 1] = (hubs[a] << _BITS) | hubs[b], (hubs[b] << _BITS) | hubs[a]
                found += 2
    sort(pairs[:found])
    return pairs[:found]


@kernel
def _edges_of(candidates: Any, beyond: Any, reached: Any, reached_indptr: Any, edges: Any, indptr: Any) -> Any:
    """List the neighbours of each candidate of a document among the others: those that it reaches, then those beyond.

    Returns the lists, with more room if need be.
    """
    first, last, start = candidates
    many, done = indptr[first], 0
    edges = grown(edges, many, reached_indptr[last] - reached_indptr[first] + len(beyond))
    for candidate in range(first, last):
        for at in range(reached_indptr[candidate], reached_indptr[candidate + 1]):
            other = first + np.int64(reached[at]) - start
            edges[many] = other  # overwritten by the next one, unless it is a candidate
            many += other < last
        while done < len(beyond) and first + (beyond[done] >> _BITS) == candidate:
            edges[many] = first + (beyond[done] & _ALL_BITS)
            many += 1
            done += 1
        indptr[candidate + 1] = many
    return edges


@kernel
def _adjacent(graph: Any, most: Any, a: Any, b: Any) -> Any:
    """Return whether two entities are neighbours, each beyond the first `most` of the other."""
    indptr, neighbors = graph[0], graph[1]
    if indptr[a + 1] - indptr[a] > indptr[b + 1] - indptr[b]:
        a, b = b, a
    at = position(neighbors, indptr[a] + most, indptr[a + 1], b)
    return at < indptr[a + 1] and neighbors[at] == b


LEAST = 1e-3  # a candidate with a smaller weight is nobody's neighbour
EDGES, SHARED_RARE, SHARED, LONGER, SAME = range(5)  # columns of the support by the graph

# Numbers of 32 bits are made floats before they meet others: so plain Python computes the same bits as numba. What is done for
# each row is done in loops, not by functions: to call one with many arrays takes longer than most rows do.


@kernel
def sum_support(documents: Any, names: Any, weight: Any, longer: Any, connections: Any) -> Any:
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
    total = np.zeros((len(weight), 5))
    _neighbors(total, documents, names, weight, connections.own, connections.reached, connections.rarity)
    _edges(total, documents, weight, connections)
    _repetitions(total, names, weight, longer, connections)
    return total


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
def _edges(total: Any, documents: Any, weight: Any, connections: Any) -> None:
    """Count the names with a neighbour of each candidate, all candidates of a name together 1 at most."""
    own, name_of, head, following = connections.own, connections.name_of, connections.head, connections.following
    indptr, candidates = connections.edges
    most_names = 0
    for document in range(len(documents) - 1):
        most_names = max(most_names, documents[document + 1] - documents[document])
    met, met_by = np.zeros(most_names, np.float64), np.full(most_names, -1, np.int64)  # of each name, and by which row
    for row in range(len(weight)):
        if weight[row] == 0:
            continue
        edges = 0.0
        for k in range(indptr[own[row]], indptr[own[row] + 1]):
            other = head[candidates[k]]
            while other >= 0:
                name = name_of[other]
                if name != name_of[row] and float(weight[other]) >= LEAST:
                    before = met[name] if met_by[name] == row else 0.0
                    after = min(1.0, before + float(weight[other]))
                    met[name], met_by[name] = after, row
                    edges += after - before
                other = following[other]
        total[row, EDGES] = edges


@kernel
def _repetitions(total: Any, names: Any, weight: Any, longer: Any, connections: Any) -> None:
    """Find the same entities as candidates of other names."""
    own, name_of, head, following = connections.own, connections.name_of, connections.head, connections.following
    for name in range(len(names) - 1):
        for row in range(names[name], names[name + 1]):
            if weight[row] == 0:
                continue
            other = head[own[row]]
            same, most = 0.0, 0.0
            while other >= 0:
                if name_of[other] != name_of[row]:
                    contains = False
                    for k in range(longer[0][name], longer[0][name + 1]):
                        contains = contains or longer[1][k] == name_of[other]
                    if contains:
                        most = max(most, float(weight[other]))
                    else:
                        same = min(1.0, same + float(weight[other]))
                other = following[other]
            total[row, LONGER], total[row, SAME] = most, same
