"""Rule 5 of `eigenthemes.candidates.rules`, compiled: entities that share most of a mention's words; see `plain.Lookup`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from eigenthemes.candidates.compiled_typos import similar_tokens
from eigenthemes.candidates.rules import (
    COMMON,
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
from eigenthemes.core.jit import kernel
from eigenthemes.kernels.common import other_form, position
from eigenthemes.kernels.hashing import OFFSET, find, shift_of, step

_PLURALS = len(PLURALS)
_ALTERNATIVES = max(_PLURALS, MOST_TYPOS)


class Words(NamedTuple):
    """The words of a mention: tokens each may stand for and what they count [words, alternatives], and its weight."""

    token: Any
    tenths: Any
    options: Any
    having: Any  # entities with any of the tokens
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
    match_types: Any,
) -> Any:
    """Find the entities that share most of the words' weight, best first; returns how many."""
    words = Words(
        np.full((count, _ALTERNATIVES), -1, dtype=np.int64),
        np.zeros((count, _ALTERNATIVES), dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        np.zeros(count, dtype=np.int64),
        np.zeros(count, dtype=np.int64),
    )
    for w in range(count):
        again = False
        for v in range(w):
            again = again or mention.hashes[v] == mention.hashes[w]
        if not again:  # a repeated word has no weight
            _weigh(text, w, mention, index, labels_only, points, checked, words)
    total = _drop_common(words, index.entities)
    return _best_sharing(words, total, index, labels_only, min(most, MOST_SHARING), out, match_types)


@kernel
def _is_common(having: Any, entities: Any) -> Any:
    return having > COMMON and having * COMMON > entities


@kernel
def _drop_common(words: Any, entities: Any) -> Any:
    """Leave out the common words where there are others; returns the weight of the rest."""
    all_common = True
    for w in range(len(words.having)):
        all_common = all_common and (words.weights[w] == 0 or _is_common(words.having[w], entities))
    total = 0
    for w in range(len(words.having)):
        if not all_common and _is_common(words.having[w], entities):
            words.weights[w], words.options[w] = 0, 0
        total += words.weights[w]
    return total


@kernel
def _weigh(text: Any, w: Any, mention: Any, index: Any, labels_only: Any, points: Any, checked: Any, words: Any) -> Any:
    """Fill in the tokens a word may stand for, and its weight."""
    token, tenths, count = words.token[w], words.tenths[w], 0
    first, last = mention.starts[w], mention.ends[w]
    shift = shift_of(index.token_buckets)
    if mention.tokens[w] >= 0:
        token[0], tenths[0], count = mention.tokens[w], 10, 1
    else:
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
def _best_sharing(words: Any, total: Any, index: Any, labels_only: Any, most: Any, out: Any, match_types: Any) -> Any:
    """Walk through the entities of the rarest words, ascending, and keep the best scores."""
    # Plain arrays from here on: handing a tuple of arrays to a function called for each entity costs more than the function.
    indptr, postings, in_label = index.postings_indptr, index.postings, index.in_label
    token, tenths, options, weights = words.token, words.tenths, words.options, words.weights
    heads, left = _open_rare_lists(token, options, weights, total, indptr)
    at = np.empty(token.shape, dtype=np.int64)
    for w in range(len(options)):
        for i in range(options[w]):
            at[w, i] = indptr[token[w, i]]
    scores = np.empty(most, dtype=np.int64)
    count = 0
    while True:
        entity = _next_entity(heads, left, postings, in_label, labels_only)
        if entity < 0:
            return count
        shared, slipped = 0, False
        for w in range(len(options)):
            best = 0
            for i in range(options[w]):
                last = indptr[token[w, i] + 1]
                at[w, i] = position(postings, at[w, i], last, entity)  # entities ascend: the next look starts here
                if at[w, i] < last and postings[at[w, i]] == entity and (not labels_only or in_label[at[w, i]] == 1):
                    best = max(best, tenths[w, i])
            shared += weights[w] * best // 10
            slipped = slipped or best == TYPO_TENTHS
        if shared * 10 >= total * SHARE_OF_TEN:
            count = _rank(entity, shared, slipped, count, scores, out, match_types)


@kernel
def _open_rare_lists(token: Any, options: Any, weights: Any, total: Any, indptr: Any) -> Any:
    """Return (next entry, end) of the posting lists of the rarest words [lists, 2], and how many entities each may still give.

    Any entity that shares enough weight is in one of them.
    """
    heads = np.empty((RARE_TOKENS * _ALTERNATIVES, 2), dtype=np.int64)
    taken = np.zeros(len(weights), dtype=np.bool_)
    lists, left = 0, total
    for _ in range(RARE_TOKENS):
        rarest = -1
        for w in range(len(taken)):
            if not taken[w] and weights[w] > 0 and (rarest < 0 or weights[w] > weights[rarest]):
                rarest = w
        if rarest < 0 or left * 10 < total * SHARE_OF_TEN:
            break
        taken[rarest] = True
        left -= weights[rarest]
        for i in range(options[rarest]):
            heads[lists, 0], heads[lists, 1] = indptr[token[rarest, i]], indptr[token[rarest, i] + 1]
            lists += 1
    return heads[:lists], np.full(lists, RARE_LIST, dtype=np.int64)


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
