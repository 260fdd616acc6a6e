"""Names within a longer mention, compiled: the first half of rule 5 of `rules`; see `plain.Lookup`."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.candidates.rules import MOST_WORDS, QUOTA, SHARES, SHORTEST_PART
from eigenthemes.core.jit import kernel
from eigenthemes.kb.name_index import UNBRACKETED
from eigenthemes.kernels.hashing import OFFSET, find, finish, may_hold, step

_ZERO, _NINE = np.uint8(ord("0")), np.uint8(ord("9"))


@kernel
def add_parts(
    text: Any,
    words: Any,
    mention: Any,
    index: Any,
    shift: Any,
    worst: Any,
    count: Any,
    most: Any,
    out: Any,
    match_types: Any,
) -> Any:
    """Add the entities with a name that is a part of the mention, longest parts first; returns the new count."""
    if words < 2 or words > MOST_WORDS:
        return count
    quota = QUOTA
    for size in range(words - 1, 0, -1):
        for start in range(words - size + 1):
            if size == 1 and not _is_name_alone(text, mention.starts[start], mention.ends[start], mention.tokens[start], index):
                continue
            h = OFFSET
            for w in range(start, start + size):
                for at in range(mention.starts[w], mention.ends[w]):
                    h = step(h, text[at])
            h = finish(h)
            row = find(h, index.key_hashes, index.key_buckets, shift) if may_hold(h, index.key_filter) else np.int64(-1)
            if row < 0:
                continue
            for entry in range(index.key_indptr[row], index.key_indptr[row + 1]):
                if quota == 0 or count == most:
                    return count
                match_type = index.key_kinds[entry]
                if match_type <= worst or match_type == UNBRACKETED:
                    again = False
                    for i in range(count):
                        again = again or out[i] == index.key_entities[entry]
                    if not again:
                        out[count], match_types[count] = index.key_entities[entry], SHARES
                        count += 1
                        quota -= 1
    return count


@kernel
def _is_name_alone(text: Any, first: Any, last: Any, token: Any, index: Any) -> Any:
    """Return whether the word text[first:last] may be a name within a mention: it is no number, not short and not common."""
    if last - first < SHORTEST_PART or (token >= 0 and index.common[token]):
        return False
    digits = 0
    for at in range(first, last):
        digits += _ZERO <= text[at] <= _NINE
    return digits == 0
