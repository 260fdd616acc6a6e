"""The words of a vocabulary by their roots, and look-up in them, compiled: `rules.root_of` and `rules.family_of`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eigenthemes.candidates.rules import FAMILY, ROOT, by_last_letter
from eigenthemes.core.arrays import read_only
from eigenthemes.core.jit import kernel
from eigenthemes.core.strings import HashTable, Strings
from eigenthemes.kernels.hashing import OFFSET, find, finish, shift_of, step

_LENGTHS = np.array([len(ending) for ending in FAMILY], dtype=np.int64)
_ENDINGS = np.array([list(ending.encode().ljust(int(_LENGTHS.max()), b"\0")) for ending in FAMILY], dtype=np.uint8)
_INDPTR, _ROWS = by_last_letter(FAMILY)


class Families(NamedTuple):
    """Tokens by the hash of their root: `members` of row r are members[indptr[r]:indptr[r + 1]], in the order of FAMILY."""

    hashes: Any
    buckets: Any
    indptr: Any
    members: Any


def families_of(tokens: Strings) -> Families:
    """Return the families of a vocabulary."""
    roots, endings = _roots(read_only(tokens.blob), read_only(tokens.offsets))
    order = np.lexsort((endings, roots))
    order = order[endings[order] >= 0]
    distinct, sizes = np.unique(roots[order], return_counts=True)
    table = HashTable.of(distinct)
    return Families(table.hashes, table.buckets, np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), order)


def no_families() -> Families:
    """Return the families of a KB whose words have none."""
    return families_of(Strings.of(()))


@kernel
def _roots(blob: Any, offsets: Any) -> Any:
    """Return the hash of each token's root, and the row of its ending in FAMILY; -1: it is too short to have one."""
    tokens = len(offsets) - 1
    roots, endings = np.zeros(tokens, dtype=np.uint64), np.full(tokens, -1, dtype=np.int64)
    for token in range(tokens):
        word = blob[offsets[token] : offsets[token + 1]]
        endings[token] = _ending(word)
        if endings[token] >= 0:
            roots[token] = _hash(word, len(word) - _LENGTHS[endings[token]])
    return roots, endings


@kernel
def family_row(word: Any, families: Any) -> Any:
    """Return the row of a word's family, or -1."""
    if len(families.members) == 0:
        return np.int64(-1)
    ending = _ending(word)
    if ending < 0:
        return np.int64(-1)
    h = _hash(word, len(word) - _LENGTHS[ending])
    return find(h, families.hashes, families.buckets, shift_of(families.buckets))


@kernel
def _ending(word: Any) -> Any:
    """Return the row of the longest ending of a word; -1: none leaves a root."""
    if len(word) < ROOT:
        return -1
    letter = np.int64(word[-1])
    for entry in range(_INDPTR[letter], _INDPTR[letter + 1]):
        row = _ROWS[entry]
        root = len(word) - _LENGTHS[row]
        if root < ROOT:
            continue
        same = True
        for i in range(_LENGTHS[row]):
            if word[root + i] != _ENDINGS[row, i]:
                same = False
                break
        if same:
            return row
    return -1


@kernel
def _hash(word: Any, size: Any) -> Any:
    h = OFFSET
    for i in range(size):
        h = step(h, word[i])
    return finish(h)
