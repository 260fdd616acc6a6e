"""The closest names of the entities that share words with a mention, compiled: `closest_name.closeness`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eigenthemes.candidates.rules import MOST_SHARING, NAMES_COMPARED
from eigenthemes.core.jit import kernel
from eigenthemes.kernels.prefetch import prefetch_entry

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
    """Allocate buffers for so many entities, words and tokens that these may stand for."""
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
    """Make the tokens that words with a weight stand for known by their low bits; returns the average weight of these words."""
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
        closest, most_others = 0.0, _most_others(sharing[row, 1], at_least, total, average)
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
                most_others = _most_others(sharing[row, 1], max(at_least, closest), total, average)
        kept = _rank(row, closest, kept, scores, choice.rows)
    return kept


@kernel
def _most_others(shared: Any, score: Any, total: Any, average: Any) -> Any:
    """Return with how many other words a name that shares so much may have a higher score, or one more."""
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
