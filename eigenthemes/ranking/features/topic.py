"""Topics of documents: hubs that most names of a document are related to support their candidates once more.

In a paper on mice every gene is the mouse's, although the human one is more popular and each name by itself says little. Where
a relation says to which of a few kinds entities belong (genes to species), the words for these kinds in the text count, too:

    u(c) += beta ln((n_k + 1) / sum of n + 1),    n_k how often the text names kind k of the candidate
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import exp, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.jit import kernel
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext, FeatureGroup
from eigenthemes.records import Document
from eigenthemes.text.normalize import normalize

Floats = NDArray[np.float64]

STRENGTH = 1.0  # l: a topic makes what has to do with it e^l times as likely
_KIND = 1.5  # beta: P@1 of biored-train .668 without; .692, .690 and .694 with .75, 1.5 and 2.5
TOPICS = 30  # of a document that are weighed against each other, and against none
_LEAST = 1e-3  # a candidate that is less likely speaks for no topic
GROUP = FeatureGroup(name="topic", columns={}, weakness="has less to do with what the text is about")


@dataclass(frozen=True, slots=True)
class Topics:
    """Topics of the documents of a batch.

    factor  [n] by which each candidate became likelier; topic [d] the entity that a document is about, -1: none can be told;
    weight  [d] how likely that is
    """

    factor: Floats
    topic: NDArray[np.int64]
    weight: Floats


def find_topics(groups: MentionGroups, probability: Floats, context: FeatureContext, strength: float) -> Topics | None:
    """Find the topics of the texts of a batch, given how likely candidates are; None where the KB keeps no hubs."""
    if context.hubs is None or context.hub_numbers is None or not strength > 0:
        return None
    gain = float(np.expm1(strength))
    compute = topic_factors.select_backend(context.walk_steps(groups.entity))
    near = context.hubs_near(groups.entity, of_all=compute is topic_factors)
    rows = groups.document_bounds, groups.batch.in_text, groups.bounds, probability
    factor, number, weight = compute(*rows, near, context.hub_numbers[groups.entity], context.hubs.share, gain)
    topic = np.where(number >= 0, np.append(context.hubs.entities, 0)[number].astype(np.int64), -1)
    return Topics(factor, topic, weight)


def kind_utility(groups: MentionGroups, context: FeatureContext, strength: float) -> Floats | None:
    """Compute what the words for kinds in its text add to the utility of each candidate [n]; None where there are no kinds."""
    if context.kinds is None or not strength > 0:
        return None
    utility, bounds = np.zeros(len(groups.entity)), groups.bounds[groups.document_bounds].tolist()
    for number in np.flatnonzero(groups.batch.in_text).tolist():
        first, last = bounds[number], bounds[number + 1]
        log_share = np.log(_named_kinds(groups.batch.documents[number], context))
        kind = context.kinds.kind_of[groups.entity[first:last]].astype(np.int64)
        # what is of no kind is as likely as what is of the likeliest one
        utility[first:last] = strength * _KIND * np.append(log_share, log_share.max())[kind - 1]
    return utility


def _named_kinds(document: Document, context: FeatureContext) -> Floats:
    """Return the share of each kind among the words for kinds in a document, each counted once more [k]."""
    assert context.kinds is not None
    counts = np.ones(len(context.kinds.entities))
    text = document.text or " ; ".join(mention.text for mention in document.mentions or ())
    plain = normalize(text)
    words, joined = Counter(plain.split()), f" {plain} "
    for name, kind in context.names_of_kinds.items():
        counts[kind] += joined.count(f" {name} ") if " " in name else words[name]
    return np.asarray(counts / counts.sum())


@kernel
def topic_factors(
    documents: Any, counted: Any, bounds: Any, probability: Any, near: Any, own: Any, share: Any, gain: Any
) -> Any:
    """Compute by how much the topics of its document make each candidate likelier.

    documents    [d + 1] names of each document; counted [d] bool: documents that are looked at
    bounds       [m + 1] candidates of each name; probability [n] float64
    near         (list of each candidate [n] int64, indptr, hubs int32): which hubs each candidate has to do with
    own          [n] int32: the hub that a candidate is itself, -1: none; a topic makes itself no likelier
    share        [hubs] of all entities that have to do with each
    gain         e^l - 1: how much likelier a topic makes an entity that has to do with it, beside one that has not

    A document is about one hub, or about none. The score of a hub is the log-likelihood ratio of the probability that names
    have for what is adjacent to it, or is it; the TOPICS best and none (0) share the document by softmax.
    Returns (factor [n] float64; topic [d] int64: the number of the likeliest hub, -1: none; weight [d] float64: how likely).
    """
    factor = np.ones(len(probability), np.float64)
    topic = np.full(len(documents) - 1, -1, np.int64)
    weight = np.zeros(len(documents) - 1, np.float64)
    mass = np.zeros(len(share), np.float64)
    score = np.zeros(len(share), np.float64)
    slot = np.full(len(share), -1, np.int64)
    found, met = np.zeros(len(share) + 1, np.int64), np.zeros(len(share) + 1, np.int64)
    for document in range(len(documents) - 1):
        first, last = documents[document], documents[document + 1]
        if not counted[document] or bounds[first] == bounds[last]:
            continue
        many = _score(first, last, bounds, probability, near, mass, score, gain, found, met)
        names = 0
        for name in range(first, last):
            names += bounds[name + 1] > bounds[name]
        for k in range(many):
            score[found[k]] -= names * log1p(share[found[k]] * gain)
        best = _best(found[:many], score)
        shares = _softmax(best, score)
        for k in range(len(best)):
            slot[best[k]] = k
        _weigh(factor, first, last, bounds, probability, near, own, slot, shares, gain)
        if len(best) and shares[1] > shares[0]:
            topic[document], weight[document] = best[0], shares[1]
        for k in range(len(best)):
            slot[best[k]] = -1
        for k in range(many):
            score[found[k]] = 0.0
    return factor, topic, weight


@kernel
def _score(
    first: Any, last: Any, bounds: Any, probability: Any, near: Any, mass: Any, score: Any, gain: Any, found: Any, met: Any
) -> Any:
    """Sum the support of names for hubs and return the number of hubs met; `mass` is all 0 before and after."""
    lists, indptr, hubs = near
    many = 0
    for name in range(first, last):
        touched = 0
        for row in range(bounds[name], bounds[name + 1]):
            if probability[row] >= _LEAST:
                for k in range(indptr[lists[row]], indptr[lists[row] + 1]):
                    before = mass[hubs[k]]
                    met[touched] = hubs[k]  # overwritten by the next one, unless it is new
                    touched += before == 0.0
                    mass[hubs[k]] = before + probability[row]
        for k in range(touched):
            before = score[met[k]]
            found[many] = met[k]  # as above
            many += before == 0.0
            score[met[k]] = before + log1p(min(1.0, mass[met[k]]) * gain)
            mass[met[k]] = 0.0
    return many


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
    factor: Any, first: Any, last: Any, bounds: Any, probability: Any, near: Any, own: Any, slot: Any, shares: Any, gain: Any
) -> None:
    """Multiply candidates by the support of topics; the sum over each name is unchanged."""
    lists, indptr, hubs = near
    mass = np.zeros(len(shares) - 1, np.float64)
    for name in range(first, last):
        for k in range(len(mass)):
            mass[k] = 0.0
        for row in range(bounds[name], bounds[name + 1]):
            for k in range(indptr[lists[row]], indptr[lists[row] + 1]):
                if slot[hubs[k]] >= 0 and hubs[k] != own[row]:
                    mass[slot[hubs[k]]] += probability[row]
        plain = shares[0]
        for k in range(len(mass)):
            mass[k] = shares[k + 1] / (1.0 + min(1.0, mass[k]) * gain)
            plain += mass[k]
        before, after = 0.0, 0.0
        for row in range(bounds[name], bounds[name + 1]):
            factor[row] = plain
            for k in range(indptr[lists[row]], indptr[lists[row] + 1]):
                if slot[hubs[k]] >= 0 and hubs[k] != own[row]:
                    factor[row] += mass[slot[hubs[k]]] * gain
            before += probability[row]
            after += probability[row] * factor[row]
        if after > 0:
            for row in range(bounds[name], bounds[name + 1]):
                factor[row] *= before / after
