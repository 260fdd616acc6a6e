"""Rule 5 of `eigenthemes.candidates.rules`, compiled: entities that share most of a mention's words; see `plain.Lookup`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from eigenthemes.candidates.compiled_spelling import nearest, other_words
from eigenthemes.candidates.rules import (
    COMMON,
    FORM_TENTHS,
    MOST_FORMS,
    MOST_SHARING,
    MOST_TYPOS,
    RARE_LIST,
    RARE_TOKENS,
    SHARES,
    TYPO,
    TYPO_TENTHS,
    UNIT,
)
from eigenthemes.core.jit import kernel
from eigenthemes.kernels.common import position
from eigenthemes.kernels.hashing import shift_of

_ALTERNATIVES = max(1 + MOST_FORMS, MOST_TYPOS)


class Words(NamedTuple):
    """The words of a mention: tokens each may stand for and what they count [words, alternatives], and its weight."""

    token: Any
    tenths: Any
    options: Any
    having: Any  # entities with any of the tokens
    weights: Any
    at: Any  # scratch as large as `token`: where each posting list is read


class Best(NamedTuple):
    """The entities that share most [MOST_SHARING], best first; and scratch for the lists that are read."""

    entities: Any
    match_types: Any
    scores: Any
    heads: Any
    left: Any
    taken: Any


@kernel
def sharing_scratch(longest: Any) -> Any:
    """Return room for mentions of so many letters."""
    words = longest // 2 + 1
    return Words(
        np.empty((words, _ALTERNATIVES), dtype=np.int64),
        np.empty((words, _ALTERNATIVES), dtype=np.int64),
        np.empty(words, dtype=np.int64),
        np.empty(words, dtype=np.int64),
        np.empty(words, dtype=np.int64),
        np.empty((words, _ALTERNATIVES), dtype=np.int64),
    ), Best(
        np.empty(MOST_SHARING, dtype=np.uint32),
        np.empty(MOST_SHARING, dtype=np.uint8),
        np.empty(MOST_SHARING, dtype=np.int64),
        np.empty((RARE_TOKENS * _ALTERNATIVES, 2), dtype=np.int64),
        np.empty(RARE_TOKENS * _ALTERNATIVES, dtype=np.int64),
        np.empty(words, dtype=np.bool_),
    )


@kernel
def add_sharing(
    text: Any,
    count: Any,
    mention: Any,
    index: Any,
    labels_only: Any,
    points: Any,
    checked: Any,
    words: Any,
    best: Any,
    there: Any,
    out: Any,
    match_types: Any,
) -> Any:
    """Add the entities that share most of the weight of `count` words, best first, to those there; returns how many are."""
    for w in range(count):
        words.options[w], words.having[w], words.weights[w] = 0, 0, 0
        again = False
        for v in range(w):
            again = again or mention.hashes[v] == mention.hashes[w]
        if not again:  # a repeated word has no weight
            _weigh(text, w, mention, index, labels_only, points, checked, words)
    if count == 1 and mention.tokens[0] >= 0 and words.options[0] == 1:
        return there  # whoever shares the word contains it
    total = _drop_common(count, words, index.entities)
    most, nearer = len(out), there
    for i in range(_best_sharing(count, words, total, index, labels_only, min(most, index.most_sharing), best)):
        again = False
        for j in range(nearer):
            again = again or out[j] == best.entities[i]
        if not again and there < most:
            out[there], match_types[there] = best.entities[i], best.match_types[i]
            there += 1
    return there


@kernel
def _is_common(having: Any, entities: Any) -> Any:
    return having > COMMON and having * COMMON > entities


@kernel
def _drop_common(count: Any, words: Any, entities: Any) -> Any:
    """Leave out the common words where there are others; returns the weight of the rest."""
    all_common = True
    for w in range(count):
        all_common = all_common and (words.weights[w] == 0 or _is_common(words.having[w], entities))
    total = 0
    for w in range(count):
        if not all_common and _is_common(words.having[w], entities):
            words.weights[w], words.options[w] = 0, 0
        total += words.weights[w]
    return total


@kernel
def _weigh(text: Any, w: Any, mention: Any, index: Any, labels_only: Any, points: Any, checked: Any, words: Any) -> Any:
    """Fill in the tokens a word may stand for, and its weight."""
    token, tenths, own, count = words.token[w], words.tenths[w], mention.tokens[w], 0
    first, last = mention.starts[w], mention.ends[w]
    if own >= 0:
        token[0], tenths[0], count = own, 10, 1
    shift = shift_of(index.token_buckets)
    forms = other_words(
        text[first:last], own, mention.states, index, shift, token[count:]
    )  # the mention's states are done with
    tenths[count : count + forms] = FORM_TENTHS
    count += forms
    if count == 0:
        if mention.near_word[0] == w:
            count = mention.near_word[1]
            for i in range(count):
                token[i] = mention.near[i]
        else:
            count = nearest(text, first, last, index, points, checked, token[:MOST_TYPOS])
        tenths[:count] = TYPO_TENTHS
    words.options[w] = count
    having = 0
    for i in range(count):
        having += _entities_with(token[i], index, labels_only)
    words.having[w] = having
    words.weights[w] = np.int64(UNIT * math.log2(1.0 + index.entities / max(1, having)))


@kernel
def _entities_with(token: Any, index: Any, labels_only: Any) -> Any:
    first, last = index.postings_indptr[token], index.postings_indptr[token + 1]
    if not labels_only:
        return last - first
    having = 0
    for posting in range(first, last):
        having += index.in_label[posting]
    return having


@kernel
def _best_sharing(size: Any, words: Any, total: Any, index: Any, labels_only: Any, most: Any, best_of: Any) -> Any:
    """Walk through the entities of the rarest words, ascending, and keep the best scores; returns how many."""
    # Plain arrays from here on: handing a tuple of arrays to a function called for each entity costs more than the function.
    indptr, postings, in_label = index.postings_indptr, index.postings, index.in_label
    token, tenths, options, weights, at = words.token, words.tenths, words.options, words.weights, words.at
    least = index.least_tenths
    out, match_types, scores = best_of.entities, best_of.match_types, best_of.scores[:most]
    lists = _open_rare_lists(size, token, options, weights, total, indptr, best_of.heads, best_of.left, best_of.taken, least)
    heads, left = best_of.heads[:lists], best_of.left[:lists]
    for w in range(size):
        for i in range(options[w]):
            at[w, i] = indptr[token[w, i]]
    count = 0
    while True:
        entity = _next_entity(heads, left, postings, in_label, labels_only)
        if entity < 0:
            return count
        shared, slipped, rest = 0, False, total
        needed = total * least if count < most else max(total * least, 10 * scores[most - 1])
        for w in range(size):
            if (shared + rest) * 10 < needed:
                break
            rest -= weights[w]
            best = 0
            for i in range(options[w]):
                last = indptr[token[w, i] + 1]
                at[w, i] = position(postings, at[w, i], last, entity)  # entities ascend: the next look starts here
                if at[w, i] < last and postings[at[w, i]] == entity and (not labels_only or in_label[at[w, i]] == 1):
                    best = max(best, tenths[w, i])
            shared += weights[w] * best // 10
            slipped = slipped or best == TYPO_TENTHS
        if shared * 10 >= total * least:
            count = _rank(entity, shared, slipped, count, scores, out, match_types)


@kernel
def _open_rare_lists(
    size: Any, token: Any, options: Any, weights: Any, total: Any, indptr: Any, heads: Any, left: Any, taken: Any, least: Any
) -> Any:
    """Write (next entry, end) of the posting lists of the rarest words, and how many entities each gives; returns how many.

    Any entity that shares enough weight is in one of them.
    """
    for w in range(size):
        taken[w] = False
    lists, weight_left = 0, total
    for _ in range(RARE_TOKENS):
        rarest = -1
        for w in range(size):
            if not taken[w] and weights[w] > 0 and (rarest < 0 or weights[w] > weights[rarest]):
                rarest = w
        if rarest < 0 or weight_left * 10 < total * least:
            break
        taken[rarest] = True
        weight_left -= weights[rarest]
        for i in range(options[rarest]):
            heads[lists, 0], heads[lists, 1] = indptr[token[rarest, i]], indptr[token[rarest, i] + 1]
            left[lists] = RARE_LIST
            lists += 1
    return lists


@kernel
def _next_entity(heads: Any, left: Any, postings: Any, in_label: Any, labels_only: Any) -> Any:
    """Return the next entity of the opened lists, ascending, each once; -1 at the end."""
    entity = np.int64(-1)
    for k in range(len(heads)):
        while labels_only and heads[k, 0] < heads[k, 1] and in_label[heads[k, 0]] == 0:
            heads[k, 0] += 1
        if left[k] > 0 and heads[k, 0] < heads[k, 1]:
            head = np.int64(postings[heads[k, 0]])
            if entity < 0 or head < entity:
                entity = head
    for k in range(len(heads)):
        if left[k] > 0 and heads[k, 0] < heads[k, 1] and postings[heads[k, 0]] == entity:
            heads[k, 0] += 1
            left[k] -= 1
    return entity


@kernel
def _rank(entity: Any, score: Any, slipped: Any, count: Any, scores: Any, out: Any, match_types: Any) -> Any:
    """Keep the best scores, best first; of equals the one that came first, which has the higher prior."""
    most = len(scores)
    if count == most and score <= scores[count - 1]:
        return count
    at = min(count, most - 1)
    while at > 0 and scores[at - 1] < score:
        scores[at], out[at], match_types[at] = scores[at - 1], out[at - 1], match_types[at - 1]
        at -= 1
    scores[at], out[at], match_types[at] = score, entity, TYPO if slipped else SHARES
    return min(count + 1, most)
