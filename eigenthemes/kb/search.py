"""Names that begin with given words: a view over the name index, made once per KB that is searched."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import Strings
from eigenthemes.text.normalize import tokenize

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB


@dataclass(frozen=True, slots=True)
class NamePrefixes:
    """The vocabulary in alphabetical order, and the names by it.

    tokens  [v] in order
    rank    [t] int64: of each token of each name, its position in that order
    indptr  [names + 1] int64: the tokens of each name, in order
    first   [names] int64: `rank` of the first token of each name; -1 for a name without any
    """

    tokens: list[str]
    rank: NDArray[np.int64]
    indptr: NDArray[np.int64]
    first: NDArray[np.int64]

    @classmethod
    def of(cls, kb: KB) -> NamePrefixes:
        """Make the view for a KB."""
        if kb.has("name_tokens"):
            vocabulary, rows, indptr = list(kb.name_index.tokens), kb.array("name_tokens"), kb.array("name_token_indptr")
        else:  # an old KB does not keep how each name is spelled
            vocabulary, rows, indptr = _spell(kb.names)
        order = sorted(range(len(vocabulary)), key=vocabulary.__getitem__)
        new_rank = np.empty(len(order), dtype=np.int64)
        new_rank[order] = np.arange(len(order))
        rank = new_rank[rows]
        first = np.full(len(indptr) - 1, -1, dtype=np.int64)
        has_any = np.diff(indptr) > 0
        first[has_any] = rank[indptr[:-1][has_any]]
        return cls([vocabulary[row] for row in order], rank, indptr, first)

    def find(self, prefix: str) -> NDArray[np.int64]:
        """Return the names that begin with a prefix, ascending."""
        words = tokenize(prefix)
        ranges = [self._range(word, is_open=False) for word in words[:-1]]
        ranges += [self._range(word, is_open=not prefix[-1].isspace()) for word in words[-1:]]
        low, high = ranges[0] if ranges else (0, len(self.tokens))
        rows = np.flatnonzero((self.first >= low) & (self.first < high))
        for position, (low, high) in enumerate(ranges[1:], 1):
            rows = rows[self.indptr[rows + 1] - self.indptr[rows] > position]
            rank = self.rank[self.indptr[rows] + position]
            rows = rows[(rank >= low) & (rank < high)]
        return rows

    def _range(self, word: str, *, is_open: bool) -> tuple[int, int]:
        """Return the tokens that are this word, or begin with it."""
        size = len(word)
        low = bisect_left(self.tokens, word)
        high = bisect_right(self.tokens, word, lo=low, key=(lambda token: token[:size]) if is_open else None)
        return low, high


def _spell(names: Strings) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
    """Return the vocabulary, the tokens of all names in a row, and where those of each begin."""
    vocabulary: dict[str, int] = {}
    spelled = [[vocabulary.setdefault(token, len(vocabulary)) for token in tokenize(name)] for name in names]
    indptr = np.concatenate(([0], np.cumsum([len(tokens) for tokens in spelled]))).astype(np.int64)
    return list(vocabulary), np.array([token for tokens in spelled for token in tokens], dtype=np.int64), indptr
