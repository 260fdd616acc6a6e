"""Spans of a text whose words, put together, are a name: in plain Python for a sentence, compiled for more.

matches   [n, 4] int64: first piece, last piece, row of the key, change (`LETTER_LEFT_OFF` and so on; 0: none)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import read_only
from eigenthemes.core.strings import FNV_OFFSET, HashTable, Strings, extend_hash, finish_hash
from eigenthemes.kb.name_index import UNBRACKETED, NameIndexArrays
from eigenthemes.kb.stem_index import StemIndex
from eigenthemes.mentions.inflection import OtherForms
from eigenthemes.text.segment import Pieces

LONGEST = 12  # pieces of a span
LETTER_LEFT_OFF, OTHER_FORM, STEMMED, COORDINATED = 1, 2, 3, 4  # how a match differs from a name

Flags = NDArray[np.bool_]
Matches = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Keys:
    """What spans are looked up in: hashes, the match types of each, and a filter that ends most looks in vain."""

    table: HashTable
    indptr: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    filter: NDArray[np.uint8]

    @classmethod
    def of_names(cls, index: NameIndexArrays) -> Keys:
        """Return the names of a KB as they are spelled."""
        return cls(index.key_table, index.key_indptr, index.key_kinds, index.key_filter)

    @classmethod
    def of_stems(cls, index: StemIndex) -> Keys:
        """Return the names of a KB by the stems of their words."""
        count = len(index.key)
        return cls(index.table, np.arange(count + 1), np.zeros(count, dtype=np.uint8), index.filter)

    def row(self, key: int) -> int:
        """Return the row of a key that is a name or a label without brackets, or -1."""
        bit = key & (8 * len(self.filter) - 1)
        if not self.filter[bit >> 3] >> (bit & 7) & 1:
            return -1
        row = self.table.find(key)
        if row < 0 or not (self.kinds[self.indptr[row] : self.indptr[row + 1]] <= UNBRACKETED).any():
            return -1
        return row


@dataclass(frozen=True, slots=True)
class WordForms:
    """How the words of a text may be read: forms [w], which may lose their last letter [w], and other forms of the last one."""

    forms: Strings
    drops: Flags
    others: OtherForms


def matches_plain(pieces: Pieces, words: WordForms, keys: Keys) -> Matches:
    """Return all spans that are a name."""
    forms = [words.forms.raw(row) for row in range(len(words.forms))]
    word, joined, apart = pieces.word.tolist(), pieces.joined.tolist(), pieces.apart.tolist()
    matches: list[tuple[int, int, int, int]] = []
    for first in range(len(word)):
        h, run = FNV_OFFSET, 0
        for last in range(first, min(first + LONGEST, len(word))):
            if last > first and apart[last]:
                break
            run = run + 1 if last > first and joined[last] else 1
            if run > 2:  # bigrams: the character before is said again
                h = extend_hash(h, forms[word[last - 1]])
            form = forms[word[last]]
            before, short = h, extend_hash(h, form[:-1])
            h = extend_hash(short, form[-1:])
            states = [(0, h), *([(LETTER_LEFT_OFF, short)] if words.drops[word[last]] else [])]
            others = [(OTHER_FORM, extend_hash(before, other)) for other in words.others.of(word[last])]
            for change, state in states + others:
                row = keys.row(finish_hash(state))
                if row >= 0:
                    matches.append((first, last, row, change))
    return np.array(matches, dtype=np.int64).reshape(-1, 4)


def matches_compiled(pieces: Pieces, words: WordForms, keys: Keys) -> Matches:
    """Return the same, by a kernel."""
    from eigenthemes.kernels.spans import find_spans

    others, table = words.others, keys.table
    matches: Matches = find_spans(
        (pieces.word, pieces.joined, pieces.apart),
        (words.forms.blob, words.forms.offsets, words.drops),
        (others.forms.blob, others.forms.offsets, others.indptr),
        tuple(read_only(array) for array in (table.hashes, table.buckets, keys.indptr, keys.kinds, keys.filter)),
        LONGEST,
        UNBRACKETED,
    )
    return matches
