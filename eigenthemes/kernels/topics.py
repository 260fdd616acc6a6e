"""What a document is about: hubs of the graph that many of its names have to do with, and what that says for candidates."""

from __future__ import annotations

from math import exp, log1p
from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel
from eigenthemes.kernels.support import MOST

TOPICS = 30  # of a document that are weighed against each other, and against none
_LEAST = 1e-3  # a candidate that is less likely speaks for no topic


@kernel
def topic_factors(
    documents: Any, counted: Any, bounds: Any, entity: Any, probability: Any, graph: Any, hubs: Any, gain: Any
) -> Any:
    """Compute by how much the topics of its document make each candidate likelier.

    documents    [d + 1] names of each document; counted [d] bool: documents that are looked at
    bounds       [m + 1] candidates of each name; entity [n] int64; probability [n] float64
    graph        (indptr, neighbors)
    hubs         (number of each node [nodes] int32, -1: it is no hub; share [hubs] of all entities that have to do with it)
    gain         e^l - 1: how much likelier a topic makes an entity that has to do with it, beside one that has not

    A document is about one hub, or about none. The score of a hub is the log-likelihood ratio of the probability that names
    have for what is adjacent to it, or is it; the TOPICS best and none (0) share the document by softmax.
    Returns (factor [n] float64; topic [d] int64: the number of the likeliest hub, -1: none; weight [d] float64: how likely).
    """
    factor = np.ones(len(entity), np.float64)
    topic = np.full(len(documents) - 1, -1, np.int64)
    weight = np.zeros(len(documents) - 1, np.float64)
    mass = np.zeros(len(hubs[1]), np.float64)
    score = np.zeros(len(hubs[1]), np.float64)
    slot = np.full(len(hubs[1]), -1, np.int64)
    for document in range(len(documents) - 1):
        first, last = documents[document], documents[document + 1]
        if not counted[document] or bounds[first] == bounds[last]:
            continue
        near = _hubs_of_rows(bounds[first], bounds[last], entity, graph, hubs[0])
        found = _score(first, last, bounds, probability, near, mass, score, gain)
        names = 0
        for name in range(first, last):
            names += bounds[name + 1] > bounds[name]
        for k in range(len(found)):
            score[found[k]] -= names * log1p(hubs[1][found[k]] * gain)
        best = _best(found, score)
        shares = _softmax(best, score)
        for k in range(len(best)):
            slot[best[k]] = k
        _weigh(factor, first, last, bounds, probability, near, slot, shares, gain)
        if len(best) and shares[1] > shares[0]:
            topic[document], weight[document] = best[0], shares[1]
        for k in range(len(best)):
            slot[best[k]] = -1
        for k in range(len(found)):
            score[found[k]] = 0.0
    return factor, topic, weight


@kernel
def _hubs_of_rows(first: Any, last: Any, entity: Any, graph: Any, number: Any) -> Any:
    """Return the hubs that each candidate is, or is adjacent to: (first row, indptr, numbers)."""
    indptr = np.zeros(last - first + 1, np.int64)
    found = np.zeros(64, np.int32)
    many = 0
    for row in range(first, last):
        node = entity[row]
        end = min(graph[0][node + 1], graph[0][node] + MOST)
        if many + 1 + end - graph[0][node] > len(found):
            larger = np.zeros(2 * len(found) + 1 + end - graph[0][node], np.int32)
            for k in range(many):
                larger[k] = found[k]
            found = larger
        if number[node] >= 0:
            found[many] = number[node]
            many += 1
        for k in range(graph[0][node], end):
            if number[graph[1][k]] >= 0:
                found[many] = number[graph[1][k]]
                many += 1
        indptr[row - first + 1] = many
    return first, indptr, found


@kernel
def _score(first: Any, last: Any, bounds: Any, probability: Any, near: Any, mass: Any, score: Any, gain: Any) -> Any:
    """Add up what each name says for each hub; return the hubs that were met. `mass` is all 0, and is left so."""
    found = np.zeros(len(near[2]), np.int64)
    met = np.zeros(len(near[2]), np.int64)
    many = 0
    for name in range(first, last):
        touched = 0
        for row in range(bounds[name], bounds[name + 1]):
            if probability[row] >= _LEAST:
                for k in range(near[1][row - near[0]], near[1][row - near[0] + 1]):
                    if mass[near[2][k]] == 0.0:
                        met[touched] = near[2][k]
                        touched += 1
                    mass[near[2][k]] += probability[row]
        for k in range(touched):
            if score[met[k]] == 0.0:
                found[many] = met[k]
                many += 1
            score[met[k]] += log1p(min(1.0, mass[met[k]]) * gain)
            mass[met[k]] = 0.0
    return found[:many]


@kernel
def _best(found: Any, score: Any) -> Any:
    """Return the TOPICS hubs of highest score, best first; of equals the one that was met first."""
    best, many = np.zeros(min(len(found), TOPICS), np.int64), 0
    for k in range(len(found)):
        if many < len(best):
            many += 1
        elif score[found[k]] <= score[best[many - 1]]:
            continue
        at = many - 1
        while at > 0 and score[best[at - 1]] < score[found[k]]:
            best[at] = best[at - 1]
            at -= 1
        best[at] = found[k]
    return best


@kernel
def _softmax(topics: Any, score: Any) -> Any:
    """Return the shares of none, whose score is 0, and of each of some topics [t + 1]."""
    highest = 0.0
    for k in range(len(topics)):
        highest = max(highest, score[topics[k]])
    shares = np.full(len(topics) + 1, exp(-highest), np.float64)
    total = shares[0]
    for k in range(len(topics)):
        shares[k + 1] = exp(score[topics[k]] - highest)
        total += shares[k + 1]
    for k in range(len(shares)):
        shares[k] /= total
    return shares


@kernel
def _weigh(
    factor: Any, first: Any, last: Any, bounds: Any, probability: Any, near: Any, slot: Any, shares: Any, gain: Any
) -> None:
    """Multiply candidates by what the topics say; all candidates of a name together stay as likely as they were."""
    mass = np.zeros(len(shares) - 1, np.float64)
    for name in range(first, last):
        mass[:] = 0.0
        for row in range(bounds[name], bounds[name + 1]):
            for k in range(near[1][row - near[0]], near[1][row - near[0] + 1]):
                if slot[near[2][k]] >= 0:
                    mass[slot[near[2][k]]] += probability[row]
        plain = shares[0]
        for k in range(len(mass)):
            mass[k] = shares[k + 1] / (1.0 + min(1.0, mass[k]) * gain)
            plain += mass[k]
        before, after = 0.0, 0.0
        for row in range(bounds[name], bounds[name + 1]):
            factor[row] = plain
            for k in range(near[1][row - near[0]], near[1][row - near[0] + 1]):
                if slot[near[2][k]] >= 0:
                    factor[row] += mass[slot[near[2][k]]] * gain
            before += probability[row]
            after += probability[row] * factor[row]
        if after > 0:
            for row in range(bounds[name], bounds[name + 1]):
                factor[row] *= before / after
