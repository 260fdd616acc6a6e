"""Tokens at one or two edits from a word: an index of deletions (SymSpell) over the vocabulary.

Two words within edit distance k share a string that both reach by deleting at most k letters. The index holds, for the first
8 letters of each word of 5+ letters, every such string (k = 1, and 2 for words of 9+). A look-up makes the same strings of its
word and checks the true distance of what it finds. Words with digits are left alone: "2004" is no misspelled "2005".
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import OFFSET, finish, may_hold, shift_of, step
from eigenthemes.core.arrays import read_only
from eigenthemes.core.jit import kernel
from eigenthemes.core.scratch import GrowingColumn, Scratch, blocks
from eigenthemes.core.strings import FNV_OFFSET, FNV_PRIME, Strings, bit_filter, mix, part_of
from eigenthemes.kb.name_arrays import TypoIndex

PREFIX = 8
ONE_EDIT, TWO_EDITS = 5, 9  # letters from which one and two edits are allowed
LONGEST = 64
MOST_SIMILAR = 8
_WORDS = 1 << 16  # words whose deletions are made together; each has up to 37
_PATTERNS = 1 + PREFIX + PREFIX * (PREFIX - 1) // 2
_STEPS = 2000  # of one word, in plain Python


def build_typo_index(tokens: Strings, scratch: Scratch | None = None) -> TypoIndex:
    """Index the deletions of a vocabulary."""
    scratch = scratch or Scratch()
    hash_column, row_column, check_column = (GrowingColumn(scratch, dtype) for dtype in (np.uint64, np.uint32, np.uint8))
    for first, last in blocks(len(tokens), _WORDS):
        hashes, row, lengths = _deletions(part_of(tokens, first, last))
        hash_column.append(hashes)
        row_column.append(row + np.uint32(first))
        check_column.append((np.minimum(lengths[row] - ONE_EDIT, 15) << 4).astype(np.uint8) | (hashes & np.uint64(0xF)))
    hashes, rows, checks = hash_column.concatenate(), row_column.concatenate(), check_column.concatenate()
    bits = max(1, int(len(hashes) // 2).bit_length())
    bucket = scratch.by_blocks(lambda some: (some >> np.uint64(64 - bits),), (hashes,), (np.uint32,))[0]
    filtered = bit_filter(hashes)
    del hashes
    bucket, members, checks = scratch.sort_rows((bucket, rows, checks), (1 << bits, max(1, len(tokens)), 256))
    indptr = scratch.by_blocks(lambda some: (some,), (scratch.indptr(bucket, 1 << bits),), (np.uint32,))[0]
    return TypoIndex(indptr, members, scratch.by_blocks(lambda some: (some,), (checks,), (np.uint8,))[0], filtered)


def _deletions(words: Strings) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.int64]]:
    """Return (hash, row) of every string reached by deleting up to two of the first PREFIX letters; and all lengths."""
    codes = np.frombuffer(words.blob.tobytes().decode("utf-8").encode("utf-32-le"), dtype=np.uint32)
    letters_before = np.concatenate(([0], np.cumsum((words.blob & 0xC0) != 0x80)))
    digits_before = np.concatenate(([0], np.cumsum((codes >= ord("0")) & (codes <= ord("9")))))
    start = letters_before[words.offsets]
    lengths = np.diff(start)
    has_edits = (lengths >= ONE_EDIT) & (lengths <= LONGEST) & (np.diff(digits_before[start]) == 0)
    allowed = np.where(has_edits, np.where(lengths >= TWO_EDITS, 2, 1), 0)
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


def similar_tokens(words: list[str], tokens: Strings, index: TypoIndex) -> list[tuple[list[int], int]]:
    """Return the tokens nearest to each word, MOST_SIMILAR at most, ascending, and their edit distance to it."""
    encoded = Strings.of(words)
    run = find_similar.select_backend(_STEPS * len(words))
    counts, found, distance = run(
        (read_only(encoded.blob), encoded.offsets),
        (tokens.blob, tokens.offsets),
        (index.indptr, index.members, index.checks, index.filter),
    )
    rows = zip(counts.tolist(), found.tolist(), distance.tolist(), strict=True)
    return [(similar[:count], edits) for count, similar, edits in rows]


@kernel
def find_similar(words: Any, tokens: Any, index: Any) -> Any:
    """Find the tokens nearest to each word: (how many [w], tokens [w, MOST_SIMILAR], edit distance [w]), int64.

    words, tokens  (UTF-8 bytes, offsets); index: the arrays of a `TypoIndex`
    """
    blob, offsets = words
    indptr, members, checks, bits = index
    count, found = np.zeros(len(offsets) - 1, np.int64), np.zeros((len(offsets) - 1, MOST_SIMILAR), np.int64)
    nearest, rows = np.zeros(len(offsets) - 1, np.int64), np.zeros((3, LONGEST + 1), np.int64)
    word, other, hashes = np.zeros(LONGEST + 1, np.int64), np.zeros(LONGEST + 1, np.int64), np.zeros(_PATTERNS, np.uint64)
    shift = shift_of(indptr)
    for w in range(len(offsets) - 1):
        length = _decode(blob, offsets[w], offsets[w + 1], word)
        allowed = _allowed_edits(word, length)
        nearest[w] = allowed
        for deleted in range(1, allowed + 1):  # none or one letter deleted, then two; what one edit reaches is nearer
            if count[w] > 0 and nearest[w] < deleted:
                break
            for p in range(_hash_deletions(word, min(length, PREFIX), deleted == 2, bits, hashes)):
                bucket = np.int64(hashes[p] >> shift)
                for entry in range(np.int64(indptr[bucket]), np.int64(indptr[bucket + 1])):
                    if not _may_be_near(checks[entry], hashes[p], length, nearest[w]):
                        continue
                    token = np.int64(members[entry])
                    if _is_among(token, found[w], count[w]):
                        continue
                    n = _decode(tokens[0], tokens[1][token], tokens[1][token + 1], other)
                    limit = min(_allowed_edits(other, n), nearest[w])
                    edits = edit_distance(word, length, other, n, limit, rows)
                    if edits <= limit:
                        if edits < nearest[w]:
                            nearest[w], count[w] = edits, 0
                        count[w] = _insert(token, count[w], found[w])
    return count, found, nearest


@kernel
def edit_distance(a: Any, m: Any, b: Any, n: Any, limit: Any, rows: Any) -> Any:
    """Compute the edit distance with swaps of neighbours (optimal string alignment); limit + 1 where it is more than `limit`.

    Only the diagonals within `limit` are computed; `rows` [3, LONGEST + 1] is scratch.
    """
    if abs(m - n) > limit:
        return limit + 1
    before, last, now = 0, 1, 2
    for j in range(min(n, limit) + 1):
        rows[last, j] = j
    for i in range(1, m + 1):
        low, high = max(1, i - limit), min(n, i + limit)
        rows[now, low - 1] = i if low == 1 else limit + 1
        smallest = rows[now, low - 1]
        for j in range(low, high + 1):
            best = rows[last, j - 1] + (0 if a[i - 1] == b[j - 1] else 1)
            if j < i + limit:
                best = min(best, rows[last, j] + 1)
            best = min(best, rows[now, j - 1] + 1)
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                best = min(best, rows[before, j - 2] + 1)
            rows[now, j] = best
            smallest = min(smallest, best)
        if smallest > limit:
            return limit + 1
        before, last, now = last, now, before
    return min(rows[last, n], limit + 1)


@kernel
def _decode(blob: Any, first: Any, last: Any, points: Any) -> Any:
    """Decode UTF-8 to code points; returns how many, 0 where there are more than LONGEST."""
    count, i = 0, first
    while i < last:
        if count == LONGEST:
            return 0
        byte = np.int64(blob[i])
        if byte < 0x80:
            point, more = byte, 0
        elif byte < 0xE0:
            point, more = byte & 0x1F, 1
        elif byte < 0xF0:
            point, more = byte & 0x0F, 2
        else:
            point, more = byte & 0x07, 3
        for j in range(more):
            point = (point << 6) | (np.int64(blob[i + 1 + j]) & 0x3F)
        points[count] = point
        count += 1
        i += 1 + more
    return count


@kernel
def _allowed_edits(points: Any, count: Any) -> Any:
    """Return how many edits are allowed in a word."""
    if count < ONE_EDIT:
        return 0
    for i in range(count):
        if 48 <= points[i] <= 57:  # a digit
            return 0
    return 2 if count >= TWO_EDITS else 1


@kernel
def _hash_deletions(word: Any, prefix: Any, pairs: Any, bits: Any, hashes: Any) -> Any:
    """Hash the word's first `prefix` letters with none or one deleted, or with two; return how many the index may hold."""
    count, before = 0, OFFSET  # the state of the hash before the first letter that is deleted
    if not pairs:
        hashes[0] = finish(_extended(before, word, 0, prefix))
        count += may_hold(hashes[0], bits)
    for gone in range(prefix):
        between = before  # the state before the second one
        for gone_too in range(gone + 1, prefix if pairs else gone + 2):
            hashes[count] = finish(_extended(between, word, gone_too + 1 if pairs else gone_too, prefix))
            count += may_hold(hashes[count], bits)
            if pairs:
                between = step(between, word[gone_too])
        before = step(before, word[gone])
    return count


@kernel
def _extended(h: Any, word: Any, first: Any, last: Any) -> Any:
    """Return the state of the hash after some more letters."""
    for i in range(first, last):
        h = step(h, word[i])
    return h


@kernel
def _may_be_near(check: Any, h: Any, length: Any, nearest: Any) -> Any:
    """Return whether the hash bits and the length in a check allow the token to be near: see `kb.name_arrays.TypoIndex`."""
    if np.int64(check & 0xF) != np.int64(h & np.uint64(0xF)):
        return False
    n = np.int64(check) >> 4
    return n == 15 or abs(n + ONE_EDIT - length) <= nearest


@kernel
def _is_among(token: Any, found: Any, count: Any) -> Any:
    at = 0
    while at < count and found[at] != token:
        at += 1
    return at < count


@kernel
def _insert(token: Any, count: Any, found: Any) -> Any:
    """Keep the smallest distinct tokens, ascending, MOST_SIMILAR at most; returns the new count."""
    at = count
    while at > 0 and found[at - 1] > token:
        at -= 1
    if at == MOST_SIMILAR:
        return count
    for i in range(min(count, MOST_SIMILAR - 1), at, -1):
        found[i] = found[i - 1]
    found[at] = token
    return min(count + 1, MOST_SIMILAR)
