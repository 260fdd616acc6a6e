"""The words of a text around some of its places, as tokens of a name index, in one pass over the text."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel
from eigenthemes.kernels.common import position
from eigenthemes.kernels.hashing import OFFSET, find, finish, shift_of, step

SEPARATOR, OTHER = 1, 2  # letters that end a word; that are no plain ones, but parts of words
_UNREAD = -(1 << 62)  # beyond every place of a text


@kernel
def words_around(codes: Any, letters: Any, places: Any, owners: Any, hashes: Any, buckets: Any) -> Any:
    """Return the words around the places of each owner (indptr [owners + 1], words [q] int64).

    codes            [c] uint32 code points; letters: the plain small letter of each code point, SEPARATOR or OTHER
    places           (owner, low, begin, end, high, reach), [k] each: of the words that start in low:begin the last ones
                     count, of those that start in end:high the first ones, `reach` of each
    hashes, buckets  a `HashTable` of tokens

    Words are rows of the table, in the order of places; those that it has not are left out. A word with other letters cannot be
    looked up here: it is given as -2 - (where it starts).
    """
    owner, low, begin, end, high, reach = places
    starts = _starts(codes, letters)
    many = len(starts)
    spans = np.zeros((len(owner), 4), np.int64)
    counts = np.zeros(owners + 1, np.int64)
    for k in range(len(owner)):
        first = position(starts, 0, many, low[k])
        before = position(starts, first, many, begin[k])
        after = position(starts, before, many, end[k])
        last = position(starts, after, many, high[k])
        spans[k, 0], spans[k, 1] = max(first, before - reach[k]), before
        spans[k, 2], spans[k, 3] = after, min(last, after + reach[k])
        counts[owner[k] + 1] += spans[k, 1] - spans[k, 0] + spans[k, 3] - spans[k, 2]
    filled = np.cumsum(counts)
    found = np.zeros(filled[owners], np.int64)
    rows, hashes_of = np.full(many, _UNREAD, np.int64), np.zeros(many, np.uint64)
    asked, unsure = np.zeros(many, np.int64), 0
    for k in range(len(owner)):
        for side in range(0, 4, 2):
            for word in range(spans[k, side], spans[k, side + 1]):
                if rows[word] == _UNREAD:
                    rows[word], hashes_of[word] = _hash(codes, letters, starts[word])
                    if rows[word] == -1 and len(hashes):
                        asked[unsure] = word
                        unsure += 1
    _find_all(asked[:unsure], hashes_of, hashes, buckets, rows)
    for k in range(len(owner)):
        for side in range(0, 4, 2):
            for word in range(spans[k, side], spans[k, side + 1]):
                found[filled[owner[k]]] = rows[word]
                filled[owner[k]] += 1
    return _without_unknown(np.cumsum(counts), found)


@kernel
def _starts(codes: Any, letters: Any) -> Any:
    """Return where the words of a text start, in order."""
    starts = np.zeros(len(codes) // 2 + 1, np.int64)
    many, inside = 0, False
    for at in range(len(codes)):
        is_letter = letters[codes[at]] > SEPARATOR
        if is_letter and not inside:
            starts[many] = at
            many += 1
        inside = is_letter
    return starts[:many]


@kernel
def _hash(codes: Any, letters: Any, start: Any) -> Any:
    """Return -1 and the hash of the word that starts somewhere; -2 - start where it has other letters."""
    h, at = OFFSET, start
    while at < len(codes) and letters[codes[at]] > SEPARATOR:
        if letters[codes[at]] == OTHER:
            return np.int64(-2 - start), np.uint64(0)
        h = step(h, letters[codes[at]])
        at += 1
    return np.int64(-1), finish(h)


@kernel
def _find_all(words: Any, hashes_of: Any, hashes: Any, buckets: Any, rows: Any) -> None:
    """Look words up by their hashes; the first loop waits for no memory, so that the second finds all of it there."""
    shift, last = shift_of(buckets), len(hashes) - 1
    met = np.zeros(len(words), np.uint64)
    for k in range(len(words)):
        met[k] = hashes[min(np.int64(buckets[np.int64(hashes_of[words[k]] >> shift)]), last)]
    for k in range(len(words)):
        rows[words[k]] = find(hashes_of[words[k]], hashes, buckets, shift)


@kernel
def _without_unknown(indptr: Any, words: Any) -> Any:
    """Take the words that are -1 out of lists."""
    many, first = 0, 0
    for owner in range(len(indptr) - 1):
        last = indptr[owner + 1]
        for k in range(first, last):
            if words[k] != -1:
                words[many] = words[k]
                many += 1
        first = last
        indptr[owner + 1] = many
    return indptr, words[:many]
