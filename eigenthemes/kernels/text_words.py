"""The words of a text in one pass: where each starts, and which token of a name index it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel
from eigenthemes.kernels.hashing import OFFSET, find, finish, shift_of, step


@kernel
def ascii_words(text: Any, hashes: Any, buckets: Any) -> Any:
    """Return where each run of letters and digits starts [k], and the row of its hash in small letters, -1: unknown [k].

    text             [bytes] uint8: ASCII; whatever else there is ends a word
    hashes, buckets  a `HashTable` of tokens
    """
    starts = np.zeros(len(text) // 2 + 1, np.int64)
    rows = np.zeros(len(text) // 2 + 1, np.int64)
    shift = shift_of(buckets)
    many, at = 0, 0
    while at < len(text):
        if not _is_word(text[at]):
            at += 1
            continue
        starts[many] = at
        h = OFFSET
        while at < len(text) and _is_word(text[at]):
            h = step(h, text[at] + 32 if 65 <= text[at] <= 90 else text[at])
            at += 1
        rows[many] = find(finish(h), hashes, buckets, shift) if len(hashes) else -1
        many += 1
    return starts[:many], rows[:many]


@kernel
def _is_word(char: Any) -> Any:
    return 48 <= char <= 57 or 65 <= char <= 90 or 97 <= char <= 122
