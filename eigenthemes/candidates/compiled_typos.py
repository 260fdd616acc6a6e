"""`eigenthemes.names.typos.similar_tokens`, compiled."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eigenthemes.core.array_kernels import OFFSET, finish, may_hold, shift_of, step
from eigenthemes.core.jit import kernel
from eigenthemes.core.prefetch import prefetch_bit
from eigenthemes.names.typos import LONGEST, ONE_SLIP, PREFIX, TWO_SLIPS

_CHECKED = 1021  # tokens remembered while one word is mended
_LOW = np.uint64(0xF)
_PATTERNS = PREFIX * PREFIX  # more than there are


class Slips(NamedTuple):
    """Scratch for mending one word."""

    word: Any  # [LONGEST + 1]: its code points, and those of another
    other: Any
    rows: Any  # [3, LONGEST + 1], of `edit_distance`
    checked: Any  # [_CHECKED + 1]: the tokens met for this word; its serial number is the last entry
    hashes: Any  # [_PATTERNS] uint64: the word without some letters, and where the tokens of each begin
    firsts: Any


def slips_buffers() -> Slips:
    """Allocate buffers for mending words."""
    return Slips(
        np.empty(LONGEST + 1, dtype=np.int64),
        np.empty(LONGEST + 1, dtype=np.int64),
        np.empty((3, LONGEST + 1), dtype=np.int64),
        np.zeros(_CHECKED + 1, dtype=np.int64),
        np.empty(_PATTERNS, dtype=np.uint64),
        np.empty(_PATTERNS, dtype=np.int64),
    )


@kernel
def similar_tokens(text: Any, first: Any, last: Any, tokens: Any, typos: Any, slips: Any, out: Any) -> Any:
    """Find the tokens nearest to the word text[first:last], ascending, as many as `out` holds; returns how many."""
    word, other, checked, hashes, firsts = slips.word, slips.other, slips.checked, slips.hashes, slips.firsts
    indptr, shift = typos.indptr, shift_of(typos.indptr)
    length = _decode(text, first, last, word)
    allowed = _slips(word, length)
    if allowed == 0:
        return 0
    checked[_CHECKED] += 1
    serial = checked[_CHECKED] << 32
    nearest, count = allowed, 0
    for pairs in range(allowed):  # none or one letter deleted, then two; what one slip reaches is nearer
        if count and nearest <= pairs:
            break
        several = _deletions(word, min(length, PREFIX), pairs == 1, typos.filter, hashes)
        for p in range(several):  # apart from the next loop, so that the look-ups do not wait for each other
            firsts[p] = indptr[np.int64(hashes[p] >> shift)]
        for p in range(several):
            for entry in range(firsts[p], indptr[np.int64(hashes[p] >> shift) + 1]):
                if not _may_be_near(typos.checks[entry], hashes[p], length, nearest):
                    continue
                token = np.int64(typos.members[entry])
                if checked[token % _CHECKED] == serial + token:
                    continue
                checked[token % _CHECKED] = serial + token
                n = _decode(tokens.blob, tokens.offsets[token], tokens.offsets[token + 1], other)
                limit = min(_slips(other, n), nearest)
                distance = edit_distance(word, length, other, n, limit, slips.rows)
                if distance > limit:
                    continue
                if distance < nearest:
                    nearest, count = distance, 0
                count = _insert(token, count, out)
    return count


@kernel
def edit_distance(a: Any, m: Any, b: Any, n: Any, limit: Any, rows: Any) -> Any:
    """Compute the edit distance with swaps of neighbours (optimal string alignment); limit + 1 where it is more than `limit`.

    Only the diagonals within `limit` are looked at; `rows` [3, LONGEST + 1] is scratch.
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
def _slips(points: Any, count: Any) -> Any:
    """`eigenthemes.names.typos.slips`."""
    if count < ONE_SLIP:
        return 0
    for i in range(count):
        if 48 <= points[i] <= 57:  # a digit
            return 0
    return 2 if count >= TWO_SLIPS else 1


@kernel
def _deletions(word: Any, prefix: Any, pairs: Any, bits: Any, hashes: Any) -> Any:
    """Hash the word's first `prefix` letters with none or one deleted, or with two, that the index may hold."""
    count, before = 0, OFFSET  # the state of the hash before the first letter that is gone
    if not pairs:
        hashes[0], count = finish(_extended(before, word, 0, prefix)), 1
    for gone in range(prefix):
        between = before  # the state before the second one
        for gone_too in range(gone + 1, prefix if pairs else gone + 2):
            hashes[count] = finish(_extended(between, word, gone_too + 1 if pairs else gone_too, prefix))
            prefetch_bit(bits, hashes[count])
            count += 1
            if pairs:
                between = step(between, word[gone_too])
        before = step(before, word[gone])
    held = 0
    for p in range(count):
        hashes[held] = hashes[p]
        held += may_hold(hashes[p], bits)
    return held


@kernel
def _extended(h: Any, word: Any, first: Any, last: Any) -> Any:
    """Return the state of the hash after some more letters."""
    for i in range(first, last):
        h = step(h, word[i])
    return h


@kernel
def _may_be_near(check: Any, h: Any, length: Any, nearest: Any) -> Any:
    """Return whether the hash bits and the length in a check allow the token to be near: see `kb.name_index.TypoIndex`."""
    if np.int64(check & 0xF) != np.int64(h & _LOW):
        return False
    n = np.int64(check) >> 4
    return n == 15 or abs(n + ONE_SLIP - length) <= nearest


@kernel
def _insert(token: Any, count: Any, out: Any) -> Any:
    """Keep the smallest distinct tokens, ascending, as many as `out` holds."""
    at = count
    for i in range(count):
        if out[i] == token:
            return count
        if out[i] > token:
            at = i
            break
    if at == len(out):
        return count
    for i in range(min(count, len(out) - 1), at, -1):
        out[i] = out[i - 1]
    out[at] = token
    return min(count + 1, len(out))
