"""Tokens at one edit: an index of deletions (SymSpell) over the vocabulary.

Two words within edit distance k share a string that both reach by deleting at most k letters. The index holds, for the first
8 letters of each word of 5+ letters, every such string (k = 1, and 2 for words of 9+); a look-up makes the same strings of the
word asked for and checks the true distance of what it meets. Words with digits are never mended: "2004" is no slip of "2005".
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.scratch import GrowingColumn, Scratch, blocks
from eigenthemes.core.strings import FNV_OFFSET, FNV_PRIME, OutOfBoundsError, Strings, bit_filter, bounds_of, mix, part_of
from eigenthemes.kb.name_arrays import TypoIndex

PREFIX = 8
ONE_SLIP, TWO_SLIPS = 5, 9  # letters from which one and two slips are forgiven
LONGEST = 64
_FEW = 16  # strings from which they are looked up by arrays
_WORDS = 1 << 16  # words whose deletions are made together; each has up to 37
_AT_ONCE = 1 << 14  # words looked up together; each takes some kilobytes meanwhile
_DIGITS = frozenset("0123456789")


def slips(token: str) -> int:
    """Return how many slips are forgiven in a token."""
    if not ONE_SLIP <= len(token) <= LONGEST or not _DIGITS.isdisjoint(token):
        return 0
    return 2 if len(token) >= TWO_SLIPS else 1


def is_one_edit(word: str, other: str) -> bool:
    """Return whether two words differ by one letter that is added, missing or exchanged, or by two that are swapped."""
    from rapidfuzz.distance import OSA

    return int(OSA.distance(word, other, score_cutoff=1)) <= 1


def build_typo_index(tokens: Strings, scratch: Scratch | None = None) -> TypoIndex:
    """Index the deletions of a vocabulary."""
    scratch = scratch or Scratch()
    hash_column, row_column, check_column = (GrowingColumn(scratch, dtype) for dtype in (np.uint64, np.uint32, np.uint8))
    for first, last in blocks(len(tokens), _WORDS):
        hashes, row, lengths = _deletions(part_of(tokens, first, last))
        hash_column.append(hashes)
        row_column.append(row + np.uint32(first))
        check_column.append((np.minimum(lengths[row] - ONE_SLIP, 15) << 4).astype(np.uint8) | (hashes & np.uint64(0xF)))
    hashes, rows, checks = hash_column.concatenate(), row_column.concatenate(), check_column.concatenate()
    bits = max(1, int(len(hashes) // 2).bit_length())
    bucket = scratch.by_blocks(lambda some: (some >> np.uint64(64 - bits),), (hashes,), (np.uint32,))[0]
    filtered = bit_filter(hashes)
    del hashes
    bucket, members, checks = scratch.sort_rows((bucket, rows, checks), (1 << bits, max(1, len(tokens)), 256))
    indptr = scratch.by_blocks(lambda some: (some,), (scratch.indptr(bucket, 1 << bits),), (np.uint32,))[0]
    return TypoIndex(indptr, members, scratch.by_blocks(lambda some: (some,), (checks,), (np.uint8,))[0], filtered)


def similar_tokens(word: str, tokens: Strings, index: TypoIndex) -> list[int]:
    """Return the tokens nearest to a word, within the slips forgiven to both; ascending."""
    return similar_to_all([word], tokens, index)[0]


def similar_to_all(words: list[str], tokens: Strings, index: TypoIndex) -> list[list[int]]:
    """Return `similar_tokens` of many words, much faster than one by one."""
    similar: list[list[int]] = []
    for start in range(0, len(words), _AT_ONCE):
        some = words[start : start + _AT_ONCE]
        similar += [[] for _ in some]
        for row, met in _met(some, len(tokens), index).items():
            similar[start + row] = _nearest(some[row], met, tokens)
    return similar


def _met(words: list[str], width: int, index: TypoIndex) -> dict[int, list[int]]:
    """Return, by the number of the word, which of `width` tokens share a string with it, ascending."""
    if not any(map(slips, words)):
        return {}
    bits = (len(index.indptr) - 1).bit_length() - 1
    hashes, row, _ = _deletions(Strings.of(words))
    bit = (hashes & np.uint64(8 * len(index.filter) - 1)).astype(np.int64)
    known = (index.filter[bit >> 3] >> (bit & 7).astype(np.uint8)) & 1 == 1
    hashes, row = hashes[known], row[known]
    if len(hashes) < _FEW:
        return _met_by_few(hashes, row, bits, index)
    bucket = (hashes >> np.uint64(64 - bits)).astype(np.int64)
    first = index.indptr[bucket].astype(np.int64)
    counts = index.indptr[bucket + 1] - first
    if np.any(counts < 0) or np.any(first + counts > len(index.members)):
        raise OutOfBoundsError("buckets of misspelt words")
    entry = np.arange(counts.sum()) + np.repeat(first - (np.cumsum(counts) - counts), counts)
    same = index.checks[entry] & 0xF == np.repeat(hashes & np.uint64(0xF), counts)
    members = index.members[entry[same]]
    if len(members) and int(members.max()) >= width:
        raise OutOfBoundsError(f"token {int(members.max()):,} of {width:,}")
    pairs = np.unique(np.repeat(row.astype(np.int64), counts)[same] * width + members)
    met: dict[int, list[int]] = {}
    for pair in pairs.tolist():
        met.setdefault(pair // width, []).append(pair % width)
    return met


def _met_by_few(hashes: NDArray[np.uint64], row: NDArray[np.uint32], bits: int, index: TypoIndex) -> dict[int, list[int]]:
    """Do what `_met` does with many strings, quicker for the few of one word."""
    met: dict[int, set[int]] = {}
    for h, of_word in zip(hashes.tolist(), row.tolist(), strict=True):
        first, last = bounds_of(index.indptr, h >> (64 - bits), len(index.members))
        found = index.members[first:last][index.checks[first:last] & 0xF == h & 0xF].tolist()
        met.setdefault(of_word, set()).update(found)
    return {of_word: sorted(found) for of_word, found in met.items()}


def _nearest(word: str, met: list[int], tokens: Strings) -> list[int]:
    from rapidfuzz.distance import OSA

    nearest, tokens_found = LONGEST, list[int]()
    for token in met:
        if token >= len(tokens):
            raise OutOfBoundsError(f"token {token:,} of {len(tokens):,}")
        other = tokens[token]
        limit = min(slips(word), slips(other), nearest)
        distance = OSA.distance(word, other, score_cutoff=limit)
        if distance > limit:
            continue
        if distance < nearest:
            nearest, tokens_found = distance, []
        tokens_found.append(token)
    return tokens_found


def _deletions(words: Strings) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.int64]]:
    """Return (hash, row) of every string reached by deleting up to `slips` of the first PREFIX letters; and all lengths."""
    codes = np.frombuffer(words.blob.tobytes().decode("utf-8").encode("utf-32-le"), dtype=np.uint32)
    letters_before = np.concatenate(([0], np.cumsum((words.blob & 0xC0) != 0x80)))
    digits_before = np.concatenate(([0], np.cumsum((codes >= ord("0")) & (codes <= ord("9")))))
    start = letters_before[words.offsets]
    lengths = np.diff(start)
    mended = (lengths >= ONE_SLIP) & (lengths <= LONGEST) & (np.diff(digits_before[start]) == 0)
    allowed = np.where(mended, np.where(lengths >= TWO_SLIPS, 2, 1), 0)
    rows = np.flatnonzero(allowed)
    columns = np.arange(PREFIX)
    inside = columns < lengths[rows, None]
    letters = np.where(inside, codes[np.where(inside, start[rows, None] + columns, 0)], 0) if len(rows) else inside
    hashes, origins = [], []
    for deleted in range(3):
        for gone in combinations(range(PREFIX), deleted):
            chosen = np.flatnonzero((allowed[rows] >= deleted) & (lengths[rows] > max(gone, default=-1)))
            hashes.append(_hash_columns(letters[chosen], [c for c in range(PREFIX) if c not in gone]))
            origins.append(rows[chosen].astype(np.uint32))
    return np.concatenate(hashes), np.concatenate(origins), lengths


def _hash_columns(letters: NDArray[Any], columns: list[int]) -> NDArray[np.uint64]:
    h = np.full(len(letters), FNV_OFFSET, dtype=np.uint64)
    for column in columns:
        letter = letters[:, column].astype(np.uint64)
        h = np.where(letter > 0, (h ^ letter) * np.uint64(FNV_PRIME), h)
    return mix(h)
