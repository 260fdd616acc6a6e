"""Names within a longer mention, compiled: the first half of rule 5 of `rules`; see `plain.Lookup`."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.candidates.rules import MOST_WORDS, QUOTA, SHARES, SHORTEST_PART
from eigenthemes.core.jit import kernel
from eigenthemes.kb.name_arrays import UNBRACKETED
from eigenthemes.kernels.hashing import OFFSET, find, finish, may_hold, shift_of, step

_ZERO, _NINE, _SPACE = (np.uint8(ord(letter)) for letter in "09 ")


@kernel
def add_parts(text: Any, mention: Any, common: Any, keys: Any, worst: Any, count: Any, out: Any, match_types: Any) -> Any:
    """Add the entities with a name that is a part of the mention, longest parts first; returns the new count.

    common  [tokens] bool: `rules.is_common`
    """
    words, quota, shift = len(mention.tokens), QUOTA, shift_of(keys.buckets)
    if words < 2 or words > MOST_WORDS:
        return count
    for size in range(words - 1, 0, -1):
        for start in range(words - size + 1):
            if size == 1 and not _is_name_alone(
                text, mention.starts[start], mention.ends[start], mention.tokens[start], common
            ):
                continue
            h = mention.hashes[start] if size == 1 else _hash(text, mention.starts[start], mention.ends[start + size - 1])
            row = find(h, keys.hashes, keys.buckets, shift) if may_hold(h, keys.filter) else np.int64(-1)
            if row < 0:
                continue
            for entry in range(keys.indptr[row], keys.indptr[row + 1]):
                if quota == 0 or count == len(out):
                    return count
                match_type = keys.kinds[entry]
                if match_type <= worst or match_type == UNBRACKETED:
                    again = False
                    for i in range(count):
                        again = again or out[i] == keys.entities[entry]
                    if not again:
                        out[count], match_types[count] = keys.entities[entry], SHARES
                        count += 1
                        quota -= 1
    return count


@kernel
def _hash(text: Any, first: Any, last: Any) -> Any:
    """Return the hash of text[first:last] without its spaces."""
    h = OFFSET
    for at in range(first, last):
        if text[at] != _SPACE:
            h = step(h, text[at])
    return finish(h)


@kernel
def _is_name_alone(text: Any, first: Any, last: Any, token: Any, common: Any) -> Any:
    """Return whether the word text[first:last] may be a name within a mention: it is no number, not short and not common."""
    if last - first < SHORTEST_PART or (token >= 0 and common[token]):
        return False
    digits = 0
    for at in range(first, last):
        digits += _ZERO <= text[at] <= _NINE
    return digits == 0
