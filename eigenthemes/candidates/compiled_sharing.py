"""Rule 5 of `eigenthemes.candidates.rules`, compiled: entities that share most of a mention's words; see `plain.Lookup`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from eigenthemes.candidates.compiled_spelling import other_words
from eigenthemes.candidates.compiled_typos import similar_tokens
from eigenthemes.candidates.rules import (
    COMMON,
    FORM_TENTHS,
    LONG_RARE_LIST,
    MOST_FORMS,
    MOST_SHARING,
    MOST_TYPOS,
    NAMES_COMPARED,
    RARE_LIST,
    RARE_TOKENS,
    SHARES,
    TYPO,
    TYPO_TENTHS,
    UNIT,
)
from eigenthemes.core.jit import kernel
from eigenthemes.kernels.common import position

_ONE = np.uint64(1)
_ALTERNATIVES = max(1 + MOST_FORMS, MOST_TYPOS)
_SHARING = RARE_TOKENS * _ALTERNATIVES * LONG_RARE_LIST  # entities that are looked at


class Words(NamedTuple):
    """The words of a mention: tokens each may stand for and what they count [words, alternatives], and its weight."""

    token: Any
    tenths: Any
    options: Any
    having: Any  # entities with any of the tokens
    weights: Any
    at: Any  # scratch as large as `token`: where each posting list is read


class Best(NamedTuple):
    """The entities that share enough, and scratch for choosing the best of them."""

    sharing: Any  # [_SHARING, 3]: entity, the weight it shares, whether by a slip of the pen
    scores: Any  # [MOST_SHARING]: how close the best are, best first; and their rows in `sharing`
    rows: Any
    heads: Any  # the lists that are read
    left: Any
    taken: Any
    found: Any  # [words]: what the best token of a name counts for each word


def sharing_room(longest: int) -> tuple[Words, Best]:
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
        np.empty((_SHARING, 3), dtype=np.int64),
        np.empty(MOST_SHARING, dtype=np.float64),
        np.empty(MOST_SHARING, dtype=np.int64),
        np.empty((RARE_TOKENS * _ALTERNATIVES, 2), dtype=np.int64),
        np.empty(RARE_TOKENS * _ALTERNATIVES, dtype=np.int64),
        np.empty(words, dtype=np.bool_),
        np.empty(words, dtype=np.int64),
    )


@kernel
def add_sharing(
    text: Any, mention: Any, index: Any, labels_only: Any, spelling: Any, sharing: Any, there: Any, out: Any, match_types: Any
) -> Any:
    """Add the entities that share most of the weight of the words to those there; returns how many are."""
    words, best = sharing
    count = len(mention.tokens)
    for w in range(count):
        words.options[w], words.having[w], words.weights[w] = 0, 0, 0
        again = False
        for v in range(w):
            again = again or mention.hashes[v] == mention.hashes[w]
        if not again:  # a repeated word has no weight
            _weigh(text, w, mention, index, labels_only, spelling, words)
    if count == 1 and mention.tokens[0] >= 0 and words.options[0] == 1:
        return there  # whoever shares the word contains it
    total = _drop_common(count, words, index.entities)
    found = _sharing(count, words, total, index, labels_only, best, out[:there])
    room = min(len(out) - there, index.most_sharing)
    if found > room:
        found = _closest(found, room, count, words, total, index, labels_only, best)
    for i in range(found):
        out[there], match_types[there] = best.sharing[i, 0], TYPO if best.sharing[i, 2] else SHARES
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
def _weigh(text: Any, w: Any, mention: Any, index: Any, labels_only: Any, spelling: Any, words: Any) -> None:
    """Fill in the tokens a word may stand for, and its weight."""
    token, tenths, own, count = words.token[w], words.tenths[w], mention.tokens[w], 0
    first, last = mention.starts[w], mention.ends[w]
    if own >= 0:
        token[0], tenths[0], count = own, 10, 1
    forms = other_words(text, first, last, own, index, spelling.states, token[count:])
    for i in range(count, count + forms):
        tenths[i] = FORM_TENTHS
    count += forms
    if count == 0:
        if spelling.near_word[0] == w:
            count = spelling.near_word[1]
            for i in range(count):
                token[i] = spelling.near[i]
        else:
            count = similar_tokens(text, first, last, index.tokens, index.typos, spelling.slips, token[:MOST_TYPOS])
        for i in range(count):
            tenths[i] = TYPO_TENTHS
    words.options[w] = count
    having = 0
    for i in range(count):
        having += _entities_with(token[i], index.postings, labels_only)
    words.having[w] = having
    words.weights[w] = np.int64(UNIT * math.log2(1.0 + index.entities / max(1, having)))


@kernel
def _entities_with(token: Any, postings: Any, labels_only: Any) -> Any:
    first, last = postings.indptr[token], postings.indptr[token + 1]
    if not labels_only:
        return last - first
    having = 0
    for posting in range(first, last):
        having += postings.in_label[posting]
    return having


@kernel
def _sharing(size: Any, words: Any, total: Any, index: Any, labels_only: Any, best_of: Any, there: Any) -> Any:
    """Write the entities of the rarest words, ascending, that share enough and are not there; returns how many."""
    # Plain arrays from here on: handing a tuple of arrays to a function called for each entity costs more than the function.
    indptr, postings, in_label = index.postings.indptr, index.postings.entities, index.postings.in_label
    token, tenths, options, weights, at = words.token, words.tenths, words.options, words.weights, words.at
    least, sharing = total * index.least_tenths, best_of.sharing
    lists = _open_rare_lists(size, token, options, weights, total, indptr, best_of.heads, best_of.taken, index.least_tenths)
    longest = LONG_RARE_LIST if len(index.families.members) > 0 else RARE_LIST
    heads, left = best_of.heads[:lists], best_of.left[:lists]
    for k in range(lists):
        left[k] = longest
    for w in range(size):
        for i in range(options[w]):
            at[w, i] = indptr[token[w, i]]
    count = 0
    while True:
        entity = _next_entity(heads, left, postings, in_label, labels_only)
        if entity < 0:
            return count
        shared, slipped, rest = 0, False, total
        for w in range(size):
            if (shared + rest) * 10 < least:
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
        if shared * 10 >= least:
            again = False
            for i in range(len(there)):
                again = again or there[i] == entity
            if not again:
                sharing[count, 0], sharing[count, 1], sharing[count, 2] = entity, shared, slipped
                count += 1


@kernel
def _closest(count: Any, most: Any, size: Any, words: Any, total: Any, index: Any, labels_only: Any, best_of: Any) -> Any:
    """Keep those of `count` entities with the closest names, by `closest_name.closeness`; returns how many."""
    names, name_indptr, name_tokens, common = index.names.names, index.names.indptr, index.names.tokens, index.tokens.common
    token, tenths, options, weights, found = words.token, words.tenths, words.options, words.weights, best_of.found
    sharing, rows, scores = best_of.sharing, best_of.rows, best_of.scores[:most]
    average, mask = _summary(size, token, options, weights, total)
    compared, kept = 1 if labels_only else NAMES_COMPARED, 0
    is_compared = len(name_tokens) > 0 and len(index.families.members) > 0
    for row in range(count):
        closest = sharing[row, 1] / total  # no name of it has more
        if kept == most and closest <= scores[most - 1]:
            continue
        if is_compared:
            closest = 0.0
            first = names[sharing[row, 0]]
            for name in range(first, min(names[sharing[row, 0] + 1], first + compared)):
                for w in range(size):
                    found[w] = 0
                others = 0
                for at in range(name_indptr[name], name_indptr[name + 1]):
                    word = np.int64(name_tokens[at])
                    is_other = True
                    if (mask >> np.uint64(word & 63)) & _ONE:
                        for w in range(size):
                            if weights[w] > 0:
                                for i in range(options[w]):
                                    if token[w, i] == word:
                                        is_other, found[w] = False, max(found[w], tenths[w, i])
                    if is_other and not common[word]:
                        others += 1
                shared = 0
                for w in range(size):
                    shared += weights[w] * found[w] // 10
                closest = max(closest, shared / (total + others * average))
        kept = _rank(row, closest, kept, scores, rows)
    for i in range(kept):  # in the order of `sharing`: no row is overwritten before it is read
        smallest = i
        for j in range(i + 1, kept):
            if rows[j] < rows[smallest]:
                smallest = j
        rows[i], rows[smallest] = rows[smallest], rows[i]
        for column in range(3):
            sharing[i, column] = sharing[rows[i], column]
    return kept


@kernel
def _summary(size: Any, token: Any, options: Any, weights: Any, total: Any) -> Any:
    """Return the average weight of words, and a mask of the low bits of the tokens they may stand for."""
    weighed, mask = 0, np.uint64(0)
    for w in range(size):
        if weights[w] > 0:
            weighed += 1
            for i in range(options[w]):
                mask |= _ONE << np.uint64(token[w, i] & 63)
    return total // max(1, weighed), mask


@kernel
def _open_rare_lists(
    size: Any, token: Any, options: Any, weights: Any, total: Any, indptr: Any, heads: Any, taken: Any, least: Any
) -> Any:
    """Write (next entry, end) of the posting lists of the rarest words; returns how many.

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
def _rank(row: Any, score: Any, count: Any, scores: Any, rows: Any) -> Any:
    """Keep the best scores, best first; of equals the one that came first, which has the higher prior."""
    most = len(scores)
    if count == most and score <= scores[count - 1]:
        return count
    at = min(count, most - 1)
    while at > 0 and scores[at - 1] < score:
        scores[at], rows[at] = scores[at - 1], rows[at - 1]
        at -= 1
    scores[at], rows[at] = score, row
    return min(count + 1, most)
