"""Rule 5 of `eigenthemes.matching`, compiled: entities that share most of a mention's words; see `Lookup._sharing`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from eigenthemes.jit import kernel
from eigenthemes.kernels.common import other_form, position
from eigenthemes.kernels.hashing import OFFSET, find, shift_of, step
from eigenthemes.kernels.typos import similar_tokens
from eigenthemes.matching import (
    MOST_SHARING,
    MOST_TYPOS,
    PLURAL_TENTHS,
    PLURALS,
    RARE_LIST,
    RARE_TOKENS,
    SHARE_OF_TEN,
    SHARES,
    TYPO,
    TYPO_TENTHS,
    UNIT,
)

_PLURALS = len(PLURALS)
_ALTERNATIVES = max(_PLURALS + 1, MOST_TYPOS)


class Words(NamedTuple):
    """The words of a mention: tokens each may stand for and what they count [words, alternatives], and its weight."""

    token: Any
    tenths: Any
    options: Any
    weights: Any


@kernel
def share(
    text: Any,
    count: Any,
    mention: Any,
    index: Any,
    labels_only: Any,
    most: Any,
    points: Any,
    checked: Any,
    out: Any,
    how: Any,
) -> Any:
    """Entities that share most of the words' weight, best first; returns how many."""
    words = Words(
        np.full((count, _ALTERNATIVES), -1, dtype=np.int64),
        np.zeros((count, _ALTERNATIVES), dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        np.zeros(count, dtype=np.int64),
    )
    total = 0
    for w in range(count):
        again = False
        for v in range(w):
            again = again or mention.hashes[v] == mention.hashes[w]
        if not again:  # a repeated word has no weight
            total += _weigh(text, w, mention, index, labels_only, points, checked, words)
    return _best_sharing(words, total, index, labels_only, min(most, MOST_SHARING), out, how)


@kernel
def _weigh(text: Any, w: Any, mention: Any, index: Any, labels_only: Any, points: Any, checked: Any, words: Any) -> Any:
    """Fill in the tokens a word may stand for; returns its weight."""
    token, tenths, count = words.token[w], words.tenths[w], 0
    first, last = mention.starts[w], mention.ends[w]
    shift = shift_of(index.token_buckets)
    if mention.tokens[w] >= 0:
        token[0], tenths[0], count = mention.tokens[w], 10, 1
    states = mention.states  # the mention's own are no longer needed
    states[0] = OFFSET
    for i in range(last - first):
        states[i + 1] = step(states[i], text[first + i])
    for rule in range(_PLURALS):
        applies, h = other_form(index.endings, index.lengths, rule, text[first:last], states)
        row = find(h, index.token_hashes, index.token_buckets, shift) if applies else -1
        if row >= 0:
            token[count], tenths[count] = row, PLURAL_TENTHS
            count += 1
    if count == 0:
        count = similar_tokens(
            text,
            first,
            last,
            index.token_blob,
            index.token_offsets,
            index.typo_indptr,
            index.typo_members,
            index.typo_checks,
            index.typo_filter,
            points,
            checked,
            token[:MOST_TYPOS],
        )
        tenths[:count] = TYPO_TENTHS
    words.options[w] = count
    having = 0
    for i in range(count):
        having += _entities_with(token[i], index, labels_only)
    words.weights[w] = np.int64(UNIT * math.log2(1.0 + index.entities / max(1, having)))
    return words.weights[w]


@kernel
def _entities_with(token: Any, index: Any, labels_only: Any) -> Any:
    first, last = index.postings_indptr[token], index.postings_indptr[token + 1]
    if not labels_only:
        return last - first
    having = 0
    for place in range(first, last):
        having += index.in_label[place]
    return having


@kernel
def _best_sharing(words: Any, total: Any, index: Any, labels_only: Any, most: Any, out: Any, how: Any) -> Any:
    """Walk through the entities of the rarest words, ascending, and keep the best scores."""
    heads, left = _open_rare_lists(words, total, index)
    at = np.empty(words.token.shape, dtype=np.int64)
    for w in range(len(words.options)):
        for i in range(words.options[w]):
            at[w, i] = index.postings_indptr[words.token[w, i]]
    scores = np.empty(most, dtype=np.int64)
    count = 0
    while True:
        entity = _next_entity(heads, left, index, labels_only)
        if entity < 0:
            return count
        shared, slipped = _shared_weight(entity, words, at, index, labels_only)
        if shared * 10 >= total * SHARE_OF_TEN:
            count = _rank(entity, shared, slipped, count, scores, out, how)


@kernel
def _open_rare_lists(words: Any, total: Any, index: Any) -> Any:
    """(place, end) of the lists of the rarest words [lists, 2], and how many entities may still be taken of each.

    Any entity that shares enough weight is in one of them.
    """
    heads = np.empty((RARE_TOKENS * _ALTERNATIVES, 2), dtype=np.int64)
    taken = np.zeros(len(words.weights), dtype=np.bool_)
    lists, left = 0, total
    for _ in range(RARE_TOKENS):
        rarest = -1
        for w in range(len(taken)):
            weight = words.weights[w]
            if not taken[w] and weight > 0 and (rarest < 0 or weight > words.weights[rarest]):
                rarest = w
        if rarest < 0 or left * 10 < total * SHARE_OF_TEN:
            break
        taken[rarest] = True
        left -= words.weights[rarest]
        for i in range(words.options[rarest]):
            token = words.token[rarest, i]
            heads[lists, 0], heads[lists, 1] = index.postings_indptr[token], index.postings_indptr[token + 1]
            lists += 1
    return heads[:lists], np.full(lists, RARE_LIST, dtype=np.int64)


@kernel
def _next_entity(heads: Any, left: Any, index: Any, labels_only: Any) -> Any:
    """The next entity of the opened lists, ascending, each once; -1 at the end."""
    entity = np.int64(-1)
    for k in range(len(heads)):
        while labels_only and heads[k, 0] < heads[k, 1] and index.in_label[heads[k, 0]] == 0:
            heads[k, 0] += 1
        if left[k] > 0 and heads[k, 0] < heads[k, 1]:
            head = np.int64(index.postings[heads[k, 0]])
            if entity < 0 or head < entity:
                entity = head
    for k in range(len(heads)):
        if left[k] > 0 and heads[k, 0] < heads[k, 1] and index.postings[heads[k, 0]] == entity:
            heads[k, 0] += 1
            left[k] -= 1
    return entity


@kernel
def _shared_weight(entity: Any, words: Any, at: Any, index: Any, labels_only: Any) -> Any:
    """(weight of the words an entity has, was one of them mended); `at` moves along, for entities ascend."""
    shared, slipped = 0, False
    for w in range(len(words.options)):
        best = 0
        for i in range(words.options[w]):
            last = index.postings_indptr[words.token[w, i] + 1]
            place = position(index.postings, at[w, i], last, entity)
            at[w, i] = place
            if place < last and index.postings[place] == entity and (not labels_only or index.in_label[place] == 1):
                best = max(best, words.tenths[w, i])
        shared += words.weights[w] * best // 10
        slipped = slipped or best == TYPO_TENTHS
    return shared, slipped


@kernel
def _rank(entity: Any, score: Any, slipped: Any, count: Any, scores: Any, out: Any, how: Any) -> Any:
    """Keep the best scores, best first; of equals the one that came first, which has the higher prior."""
    most = len(scores)
    if count == most and score <= scores[count - 1]:
        return count
    place = min(count, most - 1)
    while place > 0 and scores[place - 1] < score:
        scores[place], out[place], how[place] = scores[place - 1], out[place - 1], how[place - 1]
        place -= 1
    scores[place], out[place], how[place] = score, entity, TYPO if slipped else SHARES
    return min(count + 1, most)
