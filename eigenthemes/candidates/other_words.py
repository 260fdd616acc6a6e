"""Words that a KB's own names use for each other: "tumor" and "neoplasm", "loss" and "impairment".

Two names of one entity that are the same but for one word (and the order) say that one word may stand for the other. Where
`LEAST` entities say so, it is believed. Numbers and words of one or two letters are left out: they tell things apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.rules import MOST_WORDS
from eigenthemes.core.strings import Strings, mix
from eigenthemes.kb.store import KB

LEAST = 3  # entities whose names say so
MOST = 8  # words that stand for one; also names alike but for one word, of which more are a list
MOST_NAMES = 1_000_000  # of a KB in which other words are looked for: more take seconds
_SHORTEST = 3  # letters of a word


class OtherWords(NamedTuple):
    """Alternative tokens of each token, most frequent first: `indptr` [tokens + 1] int64, `tokens` [t] int64."""

    indptr: NDArray[np.int64]
    tokens: NDArray[np.int64]

    def of(self, token: int) -> list[int]:
        """Return the alternatives of a token; none for -1."""
        if token < 0 or not len(self.tokens):
            return []
        others: list[int] = self.tokens[self.indptr[token] : self.indptr[token + 1]].tolist()
        return others


def no_other_words() -> OtherWords:
    """Return an empty table of alternatives."""
    return OtherWords(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64))


def other_words_of(kb: KB) -> OtherWords:
    """Return the other words of a KB, found once; none where it has too many names."""
    return kb.cached(_find)


def _find(kb: KB) -> OtherWords:
    spelled = kb.spelled_names
    if len(kb.names) > MOST_NAMES:
        return no_other_words()
    vocabulary = kb.name_index.tokens
    names_of = kb.array("entity_names")
    owner = np.repeat(np.arange(len(names_of) - 1), np.diff(names_of))
    return pairs_of(spelled.indptr, spelled.tokens, owner, _are_words(vocabulary))


def pairs_of(
    indptr: NDArray[np.int64], tokens: NDArray[np.uint32], owner: NDArray[np.int64], are_words: NDArray[np.bool_]
) -> OtherWords:
    """Return the other words of names, tokens[indptr[i]:indptr[i + 1]] of entity owner[i]; only `are_words` [tokens] count."""
    frames, token = _frames(indptr, tokens, owner, are_words)
    first, second = [], []
    for apart in range(1, MOST):
        pairs_left = max(0, len(frames) - apart)
        same = frames[apart:] == frames[:pairs_left]
        first.append(token[:pairs_left][same])
        second.append(token[apart:][same])
    one, other = np.concatenate(first), np.concatenate(second)
    width = max(1, len(are_words))
    pairs, seen = np.unique(one * width + other, return_counts=True)
    pairs, seen = pairs[seen >= LEAST], seen[seen >= LEAST]
    one, other = np.concatenate((pairs // width, pairs % width)), np.concatenate((pairs % width, pairs // width))
    order = np.lexsort((other, -np.tile(seen, 2), one))
    one, other = one[order], other[order]
    begins = np.searchsorted(one, np.arange(width + 1))
    kept = np.arange(len(one)) - begins[one] < MOST
    return OtherWords(np.searchsorted(one[kept], np.arange(width + 1)).astype(np.int64), other[kept])


def _frames(
    indptr: NDArray[np.int64], tokens: NDArray[np.uint32], owner: NDArray[np.int64], are_words: NDArray[np.bool_]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return names without one of their words, as hashes, and that word; those of 2 to MOST distinct words, in order."""
    lengths = np.diff(indptr)
    name = np.repeat(np.arange(len(lengths)), lengths)
    mixed = mix(mix(tokens.astype(np.uint64) + np.uint64(1)))  # once more: small numbers stay in line otherwise
    before = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(mixed, dtype=np.uint64)))
    bags = before[indptr[1:]] - before[indptr[:-1]]  # of the words of a name in any order, modulo 2^64
    wanted = np.flatnonzero((lengths[name] >= 2) & (lengths[name] <= MOST_WORDS) & are_words[tokens])
    rest = bags[name[wanted]] - mixed[wanted]
    frame = mix(mix(rest) + mix(mix(owner[name[wanted]].astype(np.uint64))))
    token = tokens[wanted].astype(np.int64)
    order = np.lexsort((token, frame))
    frame, token = frame[order], token[order]
    new = np.concatenate((np.ones(min(1, len(frame)), dtype=bool), (frame[1:] != frame[:-1]) | (token[1:] != token[:-1])))
    frame, token = frame[new], token[new]
    _, group, size = np.unique(frame, return_inverse=True, return_counts=True)
    several = (size[group] > 1) & (size[group] <= MOST)
    return frame[several], token[several]


def _are_words(vocabulary: Strings) -> NDArray[np.bool_]:
    """Return a mask of tokens that can replace others [tokens]."""
    return np.array([len(token) >= _SHORTEST and token.isalpha() for token in vocabulary], dtype=bool)
