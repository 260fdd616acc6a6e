"""Tokens a slip of the pen away: an index of deletions (SymSpell) over the vocabulary.

Two words within edit distance k share a string that both reach by deleting at most k letters. The index holds, for the first
7 letters of each word of 5+ letters, every such string (k = 1, and 2 for words of 9+); a look-up makes the same strings of the
word asked for and checks the true distance of what it meets. Words with digits are never mended: "2004" is not a slip of "2005".
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.strings import FNV_OFFSET, FNV_PRIME, Strings, mix, sorted_distinct

PREFIX = 7
ONE_SLIP, TWO_SLIPS = 5, 9  # letters from which one and two slips are forgiven


def slips(token: str) -> int:
    """How many slips are forgiven in a token."""
    if len(token) < ONE_SLIP or not token.isalpha():
        return 0
    return 2 if len(token) >= TWO_SLIPS else 1


def build_typo_index(tokens: Strings) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Bucket -> tokens: `indptr` [2^b + 1] int64, `members` uint32 ascending in each bucket."""
    kept, words = [], []
    for number, token in enumerate(tokens):
        if slips(token):
            kept.append(number)
            words.append(token)
    hashes, row = _deletions(words)
    bits = max(1, int(len(hashes) // 2).bit_length())
    bucket = (hashes >> np.uint64(64 - bits)).astype(np.uint32)
    members = np.array(kept, dtype=np.uint32)[row] if kept else np.zeros(0, dtype=np.uint32)
    packed = sorted_distinct((bucket.astype(np.uint64) << np.uint64(32)) | members)
    counts = np.bincount((packed >> np.uint64(32)).astype(np.int64), minlength=1 << bits)
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return indptr, (packed & np.uint64(0xFFFFFFFF)).astype(np.uint32)


def similar_tokens(
    words: list[str], tokens: Strings, indptr: NDArray[np.int64], members: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Pairs (row in `words`, token of the vocabulary) within the slips forgiven to both; nearest distance only."""
    from rapidfuzz.distance import OSA

    wanted = [row for row, word in enumerate(words) if slips(word)]
    hashes, origin = _deletions([words[row] for row in wanted])
    bits = (len(indptr) - 1).bit_length() - 1
    bucket = (hashes >> np.uint64(64 - bits)).astype(np.int64)
    counts = indptr[bucket + 1] - indptr[bucket]
    total = int(counts.sum())
    if not total:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32)
    where = np.repeat(indptr[bucket] - np.concatenate(([0], np.cumsum(counts)[:-1])), counts) + np.arange(total)
    pairs = sorted_distinct((np.repeat(origin, counts).astype(np.uint64) << np.uint64(32)) | members[where])
    best: dict[int, tuple[int, list[int]]] = {}
    for pair in pairs.tolist():
        row, token = wanted[pair >> 32], pair & 0xFFFFFFFF
        word, other = words[row], tokens[token]
        limit = min(slips(word), slips(other))
        distance = OSA.distance(word, other, score_cutoff=limit)
        if distance > limit:
            continue
        nearest, found = best.setdefault(row, (distance, []))
        if distance < nearest:
            best[row] = (distance, [token])
        elif distance == nearest:
            found.append(token)
    rows = [row for row, (_, found) in sorted(best.items()) for _ in found]
    return np.array(rows, dtype=np.int64), np.array([t for _, (_, f) in sorted(best.items()) for t in f], dtype=np.uint32)


def _deletions(words: list[str]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """(hash, row) of every string reached by deleting up to `slips` of the first PREFIX letters."""
    if not words:
        return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint32)
    lengths = np.array([min(len(word), PREFIX) for word in words])
    allowed = np.array([slips(word) for word in words])
    padded = "".join(word[:PREFIX].ljust(PREFIX, "\0") for word in words)
    letters = np.frombuffer(padded.encode("utf-32-le"), dtype=np.uint32).reshape(len(words), PREFIX)
    hashes, rows = [], []
    for deleted in range(3):
        for gone in combinations(range(PREFIX), deleted):
            chosen = np.nonzero((allowed >= deleted) & (lengths > max(gone, default=-1)))[0]
            if len(chosen):
                hashes.append(_hash_columns(letters[chosen], [c for c in range(PREFIX) if c not in gone]))
                rows.append(chosen.astype(np.uint32))
    return np.concatenate(hashes), np.concatenate(rows)


def _hash_columns(letters: NDArray[np.uint32], columns: list[int]) -> NDArray[np.uint64]:
    h = np.full(len(letters), FNV_OFFSET, dtype=np.uint64)
    for column in columns:
        letter = letters[:, column].astype(np.uint64)
        h = np.where(letter > 0, (h ^ letter) * np.uint64(FNV_PRIME), h)
    return mix(h)
