"""What the graph says for each candidate of a document: edges, shared neighbours and repetitions, other names only.

`connect` walks the neighbours of all candidates of a document once, and keeps what they have in common; `support` sums up what
the other candidates contribute, given how likely each is, and `contributions` returns who contributed what to one candidate.
Neighbours are walked, never pairs of candidates: a document costs the sum of its candidates' degrees, `most` of each at most.
Candidates of weight 0 neither give nor get support.

Numbers of 32 bits are made floats before they meet others: so plain Python computes the same bits as numba.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eigenthemes.core.jit import kernel
from eigenthemes.kernels.common import ask_for_lists, fill, position
from eigenthemes.kernels.sorting import sort

LEAST = 1e-3  # a candidate with a smaller weight is nobody's neighbour
LONGEST = 64  # names of a document for which the same candidate counts
_HIGHEST = 2**31 - 1  # mark
_BITS = 32  # of the number of a candidate
_ALL_BITS = (1 << _BITS) - 1
EDGES, SHARED_RARE, SHARED, LONGER, SAME = range(5)  # columns of the result


class Connections(NamedTuple):
    """What the candidates of each document have to do with each other in the graph.

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
    """Return what the candidates of each document have to do with each other in the graph.

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
    mark, asked = scratch[0], np.empty(size, np.uint32)
    if scratch[1][0] + size + len(names) >= _HIGHEST:
        fill(mark, 0, len(mark), 0)
        scratch[1][0] = 0
    many, last, end = 0, 0, 0
    for document in range(len(documents) - 1):
        names_of_it = documents[document], documents[document + 1]
        first, start = last, end  # the first candidate and the first node
        base = scratch[1][0] + 1  # of the marks of this document: its names, then its nodes
        nodes = base + names_of_it[1] - names_of_it[0]
        for name in range(names_of_it[0], names_of_it[1]):
            fill(name_of, names[name], names[name + 1], name - names_of_it[0])
        rows_of_it = names[names_of_it[0]], names[names_of_it[1]]
        last = _candidates(rows_of_it, entity, considered, mark, nodes, (own, following, head, entities), first, start)
        ask_for_lists(start, start + last - first, entities, graph, asked)
        end = _shared((first, last, start), base, nodes, graph, most, mark, name_of, following, head, entities)
        for node in range(start, start + last - first):
            for k in range(graph[0][entities[node]], _end(graph, most, entities[node])):
                before = mark[graph[1][k]]
                reached[many] = (start + before - nodes) & _ALL_BITS  # overwritten by the next one, unless it counts
                many += before >= nodes
            indptr[first + node - start + 1] = many
        beyond = _beyond(last - first, start, entities, graph, most, reached, indptr[first : last + 1])
        edges = _edges_of((first, last, start), reached, indptr, beyond, edges, edges_indptr)
        scratch[1][0] = nodes + end - start
    rarity = np.empty(end, np.float32)
    for node in range(end):
        rarity[node] = graph[2][entities[node]]
    near, adjacent = (indptr[: last + 1], reached[:many]), (edges_indptr[: last + 1], edges[: edges_indptr[last]])
    return own, name_of, following, head[:last], entities[:end], rarity, near, adjacent


@kernel
def _end(graph: Any, most: Any, node: Any) -> Any:
    return min(graph[0][node + 1], graph[0][node] + most)


@kernel
def _candidates(rows: Any, entity: Any, considered: Any, mark: Any, nodes: Any, found: Any, first: Any, start: Any) -> Any:
    """Number the candidates of a document from `first`, its nodes from `start` on, and chain their rows; return the end."""
    own, following, head, entities = found
    last = first
    times = np.zeros(rows[1] - rows[0], np.int64)
    for row in range(rows[1] - 1, rows[0] - 1, -1):
        if not considered[row]:
            continue
        if mark[entity[row]] < nodes:
            node = start + last - first
            mark[entity[row]] = nodes + last - first
            entities[node], head[last] = entity[row], -1
            last += 1
        own[row] = first + mark[entity[row]] - nodes
        if times[own[row] - first] < LONGEST:
            following[row], head[own[row]] = head[own[row]], row
            times[own[row] - first] += 1
    return last


@kernel
def _shared(
    candidates: Any,
    base: Any,
    nodes: Any,
    graph: Any,
    most: Any,
    mark: Any,
    name_of: Any,
    following: Any,
    head: Any,
    entities: Any,
) -> Any:
    """Mark the neighbours of a document's candidates by their names, and number those of two names; return the last node."""
    first, last, start = candidates
    end = start + last - first
    for number in range(last - first):
        several, stamp = following[head[first + number]] >= 0, base + name_of[head[first + number]]
        for k in range(graph[0][entities[start + number]], _end(graph, most, entities[start + number])):
            neighbor = graph[1][k]
            before = mark[neighbor]
            if before < base and not several:
                mark[neighbor] = stamp
            elif before < nodes and (several or before != stamp):
                mark[neighbor] = nodes + end - start
                entities[end] = neighbor
                end += 1
    return end


@kernel
def _beyond(many: Any, start: Any, entities: Any, graph: Any, most: Any, reached: Any, indptr: Any) -> Any:
    """Return which candidates of a document are neighbours beyond those that are walked, each pair as one number, in order.

    many, start  the number of its candidates, and its first node; indptr [many + 1] of what each of them reaches

    An edge is on the lists of both ends: most are met on the shorter one.
    """
    least, hubs = np.empty(many, np.int64), np.empty(many, np.int64)  # the least neighbour that is not walked
    pairs, found, many_hubs = np.empty(64, np.int64), 0, 0
    for number in range(many):
        node = entities[start + number]
        least[number] = _HIGHEST
        if graph[0][node + 1] - graph[0][node] > most:
            least[number], hubs[many_hubs] = graph[1][graph[0][node] + most], number
            many_hubs += 1
    for number in range(many if many_hubs else 0):
        for k in range(indptr[number], indptr[number + 1]):
            other = np.int64(reached[k]) - start
            if other < many and entities[start + number] >= least[other]:
                pairs, found = _noted(pairs, found, other, number)
    for a in range(many_hubs):  # two hubs may each be far down on the list of the other
        one, limit = entities[start + hubs[a]], least[hubs[a]]
        for b in range(a):
            other = entities[start + hubs[b]]
            if other >= limit and one >= least[hubs[b]] and _adjacent(graph, one, other):
                pairs, found = _noted(pairs, found, hubs[a], hubs[b])
                pairs, found = _noted(pairs, found, hubs[b], hubs[a])
    sort(pairs[:found])
    return pairs[:found]


@kernel
def _edges_of(candidates: Any, reached: Any, reached_indptr: Any, beyond: Any, edges: Any, indptr: Any) -> Any:
    """List the candidates of a document that are neighbours of each; return the lists, with more room if need be.

    candidates  (first, last, the first node); beyond: pairs, as of `_beyond`
    """
    first, last, start = candidates
    many, k = indptr[first], 0
    if many + reached_indptr[last] - reached_indptr[first] + len(beyond) > len(edges):
        larger = np.empty(2 * (many + reached_indptr[last] - reached_indptr[first] + len(beyond)), np.uint32)
        for at in range(many):
            larger[at] = edges[at]
        edges = larger
    for number in range(last - first):
        for at in range(reached_indptr[first + number], reached_indptr[first + number + 1]):
            edges[many] = first + np.int64(reached[at]) - start  # overwritten by the next one, unless it is a candidate
            many += edges[many] < last
        while k < len(beyond) and beyond[k] >> _BITS == number:
            edges[many] = first + (beyond[k] & _ALL_BITS)
            many += 1
            k += 1
        indptr[first + number + 1] = many
    return edges


@kernel
def _noted(pairs: Any, many: Any, one: Any, other: Any) -> Any:
    """Note a pair; return all, with more room if need be, and how many."""
    if many == len(pairs):
        larger = np.empty(2 * many, np.int64)
        for k in range(many):
            larger[k] = pairs[k]
        pairs = larger
    pairs[many] = (one << _BITS) | other
    return pairs, many + 1


@kernel
def _adjacent(graph: Any, a: Any, b: Any) -> Any:
    indptr, neighbors = graph[0], graph[1]
    if indptr[a + 1] - indptr[a] > indptr[b + 1] - indptr[b]:
        a, b = b, a
    at = position(neighbors, indptr[a], indptr[a + 1], b)
    return at < indptr[a + 1] and neighbors[at] == b


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
    mass, own = np.zeros(len(connections.rarity), np.float32), np.zeros(len(connections.rarity), np.float32)
    for document in range(len(documents) - 1):
        first_name, last_name = documents[document], documents[document + 1]
        met = np.zeros(last_name - first_name, np.float64)
        _add(mass, weight, names[first_name], names[last_name], connections)
        for name in range(first_name, last_name):
            _add(own, weight, names[name], names[name + 1], connections)
            for row in range(names[name], names[name + 1]):
                if weight[row] != 0:
                    _neighbors(total[row], row, mass, own, connections)
                    _edges(total[row], unasked, row, 0, weight, connections, met)
                    _repetitions(total[row], unasked, row, 0, weight, longer, name, connections)
            _clear(own, weight, names[name], names[name + 1], connections)
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
    parts, total = np.zeros((last - first, 5)), np.zeros(5)
    nothing = np.zeros(0, np.int64)
    if weight[row] == 0:
        return parts, nothing, nothing
    met = np.zeros(len(names), np.float64)
    _edges(total, parts, row, first, weight, connections, met)
    _repetitions(total, parts, row, first, weight, longer, name, connections)
    for other in range(len(names) - 1):
        _cap(parts, EDGES, names[other] - first, names[other + 1] - first)
    _cap(parts, SAME, 0, last - first)
    positions, nodes = _meetings(parts, row, first, last, weight, connections)
    return parts, positions, nodes


@kernel
def _add(mass: Any, weight: Any, first: Any, last: Any, connections: Any) -> None:
    """Add the weight of each candidate to the nodes that it reaches."""
    own, (indptr, nodes) = connections.own, connections.reached
    for row in range(first, last):
        added = weight[row]
        if float(added) >= LEAST:
            for k in range(indptr[own[row]], indptr[own[row] + 1]):
                mass[nodes[k]] += added


@kernel
def _clear(mass: Any, weight: Any, first: Any, last: Any, connections: Any) -> None:
    """Take away what `_add` has added."""
    own, (indptr, nodes) = connections.own, connections.reached
    for row in range(first, last):
        if float(weight[row]) >= LEAST:
            for k in range(indptr[own[row]], indptr[own[row] + 1]):
                mass[nodes[k]] = 0.0


@kernel
def _neighbors(total: Any, row: Any, mass: Any, own: Any, connections: Any) -> None:
    """Count what the candidates of other names put on the nodes that a row reaches: 1 at most, and not too little to count."""
    candidate, rarity, (indptr, nodes) = connections.own[row], connections.rarity, connections.reached
    shared, shared_rare = 0.0, 0.0
    for k in range(indptr[candidate], indptr[candidate + 1]):
        node = nodes[k]
        others = min(1.0, float(np.float32(mass[node] - own[node])))
        if others >= LEAST:
            shared += others
            shared_rare += others * float(rarity[node])
    total[SHARED], total[SHARED_RARE] = shared, shared_rare


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
def _edges(total: Any, parts: Any, row: Any, first: Any, weight: Any, connections: Any, met: Any) -> None:
    """Count the names with a neighbour of a candidate; `met` [names of the document] is all 0, and is left so."""
    own, (indptr, candidates) = connections.own[row], connections.edges
    found = 0
    for k in range(indptr[own], indptr[own + 1]):
        found += _meet(total, parts, row, candidates[k], first, weight, connections, met)
    if found:
        fill(met, 0, len(met), 0.0)


@kernel
def _meet(total: Any, parts: Any, row: Any, neighbor: Any, first: Any, weight: Any, connections: Any, met: Any) -> Any:
    """Add the weights of the rows of a neighbour, all candidates of a name together 1 at most; return how many rows."""
    name_of, following, found = connections.name_of, connections.following, 0
    other = connections.head[neighbor]
    while other >= 0:
        if name_of[other] != name_of[row] and float(weight[other]) >= LEAST:
            if len(parts):
                parts[other - first, EDGES] = weight[other]
            before = met[name_of[other]]
            met[name_of[other]] = min(1.0, before + weight[other])
            total[EDGES] += met[name_of[other]] - before
            found += 1
        other = following[other]
    return found


@kernel
def _repetitions(total: Any, parts: Any, row: Any, first: Any, weight: Any, longer: Any, name: Any, connections: Any) -> None:
    name_of, following = connections.name_of, connections.following
    other, likeliest = connections.head[connections.own[row]], -1
    while other >= 0:
        if name_of[other] != name_of[row]:
            contains = False
            for k in range(longer[0][name], longer[0][name + 1]):
                contains = contains or longer[1][k] == name_of[other]
            if contains:
                if weight[other] > total[LONGER]:
                    total[LONGER] = weight[other]
                    likeliest = other
            else:
                total[SAME] = min(1.0, total[SAME] + weight[other])
                if len(parts):
                    parts[other - first, SAME] = weight[other]
        other = following[other]
    if len(parts) and likeliest >= 0:
        parts[likeliest - first, LONGER] = total[LONGER]


@kernel
def _cap(parts: Any, column: Any, first: Any, last: Any) -> None:
    """Scale the parts of some rows so that they sum up to 1 at most."""
    total = 0.0
    for row in range(first, last):
        total += parts[row, column]
    if total > 1:
        for row in range(first, last):
            parts[row, column] /= total
