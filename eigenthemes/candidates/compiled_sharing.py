"""Compiled look-up of entities that share words with a mention, closest names first."""

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
from eigenthemes.core.array_kernels import position
from eigenthemes.core.jit import kernel
from eigenthemes.core.prefetch import prefetch_entry

_LOW_BITS = 1023
_MANY = 1e6  # other words in a name: more than there are


class Choice(NamedTuple):
    """The entities that share enough, and scratch for choosing the best of them."""

    sharing: Any  # [n, 3]: entity, the weight it shares, whether by a slip of the pen
    scores: Any  # [MOST_SHARING]: how close the best are, best first; and their rows in `sharing`
    rows: Any
    found: Any  # [words]: the weight that the best token of a name shares of each word
    token_of: Any  # [_LOW_BITS + 1]: one more than the last token of `Words` with these low bits; 0: none, as between mentions
    before: Any  # [tokens]: the same for the one before it


def choice_buffers(entities: int, words: int, tokens: int) -> Choice:
    """Allocate buffers for entities, words and their alternative tokens."""
    return Choice(
        np.empty((entities, 3), dtype=np.int64),
        np.empty(MOST_SHARING, dtype=np.float64),
        np.empty(MOST_SHARING, dtype=np.int64),
        np.empty(words, dtype=np.int64),
        np.zeros(_LOW_BITS + 1, dtype=np.int64),
        np.empty(tokens, dtype=np.int64),
    )


@kernel
def choose_closest(count: Any, most: Any, size: Any, words: Any, total: Any, index: Any, labels_only: Any, choice: Any) -> Any:
    """Keep those of `count` entities with the closest names; returns how many."""
    sharing, rows, kept = choice.sharing, choice.rows, 0
    if len(index.names.tokens) > 0 and len(index.families.members) > 0:
        compared = 1 if labels_only else NAMES_COMPARED
        _prefetch_names(count, sharing, index.names)
        average = _by_low_bits(size, words, total, choice.token_of, choice.before)
        kept = _compare_names(count, most, compared, size, words, total, average, index.names, index.tokens.common, choice)
        for k in range(words.first[size]):
            choice.token_of[words.token[k] & _LOW_BITS] = 0
    else:
        for row in range(count):
            kept = _rank(row, sharing[row, 1] / total, kept, choice.scores[:most], rows)
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
def _prefetch_names(count: Any, sharing: Any, names: Any) -> None:
    """Ask for the names of entities, and for their words."""
    for row in range(count):
        prefetch_entry(names.indptr, names.names[sharing[row, 0]])
    for row in range(count):
        prefetch_entry(names.tokens, names.indptr[names.names[sharing[row, 0]]])


@kernel
def _by_low_bits(size: Any, words: Any, total: Any, token_of: Any, before: Any) -> Any:
    """Index the tokens of weighted words by their low bits, and return the mean weight of these words."""
    weighed = 0
    for w in range(size):
        if words.weights[w] > 0:
            weighed += 1
            for k in range(words.first[w], words.first[w + 1]):
                low_bits = words.token[k] & _LOW_BITS
                before[k], token_of[low_bits] = token_of[low_bits], k + 1
    return total // max(1, weighed)


@kernel
def _compare_names(
    count: Any,
    most: Any,
    compared: Any,
    size: Any,
    words: Any,
    total: Any,
    average: Any,
    names: Any,
    common: Any,
    choice: Any,
) -> Any:
    """Rank the entities by how close the closest of the first `compared` names of each is; returns how many are kept.

    A name is left where it has so many other words that it cannot be closer than those that are known.
    """
    indptr, tokens, token, word, gain = names.indptr, names.tokens, words.token, words.word, words.gain
    token_of, before, found, sharing = choice.token_of, choice.before, choice.found, choice.sharing
    scores, kept = choice.scores[:most], 0
    for row in range(count):
        at_least = scores[most - 1] if kept == most else 0.0
        if sharing[row, 1] / total <= at_least:  # no name of it has more
            continue
        name, last = names.names[sharing[row, 0]], names.names[sharing[row, 0] + 1]
        at, end = indptr[name], indptr[min(last, name + compared)]
        closest, most_others = 0.0, _max_extra_words(sharing[row, 1], at_least, total, average)
        while at < end:
            if token_of[tokens[at] & _LOW_BITS] == 0:
                at += 1
                continue
            while indptr[name + 1] <= at:
                name += 1
            shared, others, at = 0, 0, indptr[name + 1]
            for w in range(size):
                found[w] = 0
            for entry in range(indptr[name], at):
                k, is_other = token_of[tokens[entry] & _LOW_BITS], True
                while k > 0:
                    if token[k - 1] == tokens[entry]:
                        is_other = False
                        if gain[k - 1] > found[word[k - 1]]:
                            shared += gain[k - 1] - found[word[k - 1]]
                            found[word[k - 1]] = gain[k - 1]
                    k = before[k - 1]
                others += is_other and not common[tokens[entry]]
                if others > most_others:
                    break
            if others <= most_others and shared / (total + others * average) > closest:
                closest = shared / (total + others * average)
                most_others = _max_extra_words(sharing[row, 1], max(at_least, closest), total, average)
        kept = _rank(row, closest, kept, scores, choice.rows)
    return kept


@kernel
def _max_extra_words(shared: Any, score: Any, total: Any, average: Any) -> Any:
    """Return an upper bound of extra words with which a name of this overlap can reach a higher score."""
    return np.int64(min(_MANY, (shared / max(score, 1 / _MANY) - total) / average + 1))


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


_OPTIONS = max(1 + MOST_FORMS, MOST_TYPOS)  # tokens that a word may stand for, at most
_LISTS = RARE_TOKENS * _OPTIONS
_NONE = np.int64(1 << 62)  # more than any entity


class Words(NamedTuple):
    """The words of a mention and their alternative tokens: those of word w are first[w] to first[w + 1]."""

    first: Any
    having: Any  # [words] entities with any of the tokens
    weights: Any  # [words]
    token: Any  # [tokens]
    word: Any  # [tokens] which word
    tenths: Any  # [tokens] what it counts
    gain: Any  # [tokens] the weight that who has it shares
    at: Any  # [tokens] where its entities are read, and where they end
    ends: Any


class Rare(NamedTuple):
    """The lists of the rarest words."""

    at: Any  # where each is read, and where it ends
    ends: Any
    head: Any  # the entity there; _NONE at the end
    taken: Any  # [words] bool: whose lists these are


def sharing_buffers(longest: int) -> tuple[Words, Rare, Choice]:
    """Allocate buffers for mentions of up to `longest` letters."""
    words = longest // 2 + 1
    tokens = (words + 1) * _OPTIONS
    of_words = [np.empty(words + 1, dtype=np.int64) for _ in range(3)]
    of_tokens = [np.empty(tokens, dtype=np.int64) for _ in range(6)]
    of_lists = [np.empty(_LISTS, dtype=np.int64) for _ in range(3)]
    return (
        Words(*of_words, *of_tokens),
        Rare._make((*of_lists, np.empty(words, dtype=np.bool_))),
        choice_buffers(_LISTS * LONG_RARE_LIST, words, tokens),
    )


@kernel
def add_sharing(
    text: Any, mention: Any, index: Any, labels_only: Any, spelling: Any, sharing: Any, there: Any, out: Any, match_types: Any
) -> Any:
    """Add the entities that share most of the weight of the words to those there; returns how many are."""
    words, rare, choice = sharing
    count = len(mention.tokens)
    words.first[0] = 0
    for w in range(count):
        words.first[w + 1], words.having[w], words.weights[w] = words.first[w], 0, 0
        again = False
        for v in range(w):
            again = again or mention.hashes[v] == mention.hashes[w]
        if not again:  # a repeated word has no weight
            _weigh(text, w, mention, index, labels_only, spelling, words)
    if count == 1 and mention.tokens[0] >= 0 and words.first[1] == 1:
        return there  # whoever shares the word contains it
    total = _drop_common(count, words, index.entities)
    found = _sharing(count, words, total, index, labels_only, rare, choice.sharing, out[:there])
    room = min(len(out) - there, index.most_sharing)
    if found > room:
        found = choose_closest(found, room, count, words, total, index, labels_only, choice)
    for i in range(found):
        out[there], match_types[there] = choice.sharing[i, 0], TYPO if choice.sharing[i, 2] else SHARES
        there += 1
    return there


@kernel
def _is_common(having: Any, entities: Any) -> Any:
    return having > COMMON and having * COMMON > entities


@kernel
def _drop_common(count: Any, words: Any, entities: Any) -> Any:
    """Leave out the common words where there are others, and weigh the tokens; returns the weight of all words."""
    all_common = True
    for w in range(count):
        all_common = all_common and (words.weights[w] == 0 or _is_common(words.having[w], entities))
    total = 0
    for w in range(count):
        if not all_common and _is_common(words.having[w], entities):
            words.weights[w] = 0
        total += words.weights[w]
        for k in range(words.first[w], words.first[w + 1]):
            words.word[k], words.gain[k] = w, words.weights[w] * words.tenths[k] // 10
    return total


@kernel
def _weigh(text: Any, w: Any, mention: Any, index: Any, labels_only: Any, spelling: Any, words: Any) -> None:
    """Fill in the alternative tokens of a word and its weight."""
    own, first, last = mention.tokens[w], mention.starts[w], mention.ends[w]
    token, tenths, count = words.token[words.first[w] :], words.tenths[words.first[w] :], 0
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
    words.first[w + 1] = words.first[w] + count
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
def _sharing(size: Any, words: Any, total: Any, index: Any, labels_only: Any, rare: Any, sharing: Any, there: Any) -> Any:
    """Write the entities of the rarest words, ascending, that share enough and are not there; returns how many."""
    # Plain arrays from here on: handing a tuple of arrays to a function called for each entity costs more than the function.
    postings, in_label = index.postings.entities, index.postings.in_label
    first, weights, tenths, gain, at, ends = words.first, words.weights, words.tenths, words.gain, words.at, words.ends
    for k in range(first[size]):
        at[k], ends[k] = index.postings.indptr[words.token[k]], index.postings.indptr[words.token[k] + 1]
    longest, least = LONG_RARE_LIST if len(index.families.members) > 0 else RARE_LIST, total * index.least_tenths
    lists = _open_rare_lists(size, words, total, index.least_tenths, longest, postings, in_label, labels_only, rare)
    head, count = rare.head, 0
    while True:
        entity = _NONE
        for k in range(lists):
            entity = min(entity, head[k])
        if entity == _NONE:
            return count
        for k in range(lists):
            if head[k] == entity:
                rare.at[k] += 1
                head[k] = _head(k, rare.at, rare.ends, postings, in_label, labels_only)
        shared, slipped, rest = 0, False, total
        for w in range(size):
            if (shared + rest) * 10 < least:
                break
            rest -= weights[w]
            best = 0
            for k in range(first[w], first[w + 1] if weights[w] > 0 else 0):
                if at[k] < ends[k] and postings[at[k]] < entity:
                    at[k] = position(postings, at[k], ends[k], entity)  # entities ascend: the next look starts here
                if at[k] < ends[k] and postings[at[k]] == entity and (not labels_only or in_label[at[k]] == 1):
                    best = max(best, gain[k])
                    slipped = slipped or tenths[k] == TYPO_TENTHS
            shared += best
        if shared * 10 >= least:
            again = False
            for i in range(len(there)):
                again = again or there[i] == entity
            if not again:
                sharing[count, 0], sharing[count, 1], sharing[count, 2] = entity, shared, slipped
                count += 1


@kernel
def _open_rare_lists(
    size: Any,
    words: Any,
    total: Any,
    least: Any,
    longest: Any,
    postings: Any,
    in_label: Any,
    labels_only: Any,
    rare: Any,
) -> Any:
    """Open the posting lists of the rarest words, `longest` entities of each; returns how many.

    Any entity that shares enough weight is in one of them.
    """
    weights, taken = words.weights, rare.taken
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
        for k in range(words.first[rarest], words.first[rarest + 1]):
            rare.at[lists] = words.at[k]
            rare.ends[lists] = _end_of_some(words.at[k], words.ends[k], longest, in_label, labels_only)
            rare.head[lists] = _head(lists, rare.at, rare.ends, postings, in_label, labels_only)
            lists += 1
    return lists


@kernel
def _end_of_some(first: Any, last: Any, most: Any, in_label: Any, labels_only: Any) -> Any:
    """Return the end of a list truncated to `most` entities."""
    if not labels_only:
        return min(last, first + most)
    taken, at = 0, first
    while at < last and taken < most:
        taken += in_label[at]
        at += 1
    return at


@kernel
def _head(k: Any, at: Any, ends: Any, postings: Any, in_label: Any, labels_only: Any) -> Any:
    """Return the next entity of list k that counts, and go there; _NONE at the end."""
    while labels_only and at[k] < ends[k] and in_label[at[k]] == 0:
        at[k] += 1
    return np.int64(postings[at[k]]) if at[k] < ends[k] else _NONE
