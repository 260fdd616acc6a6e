"""Runs of words that are a name of the KB, in a long text; the plain Python of `eigenthemes.mentions.names`, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel
from eigenthemes.kernels.hashing import OFFSET, find, finish, may_hold, shift_of, step


@kernel
def find_spans(pieces: Any, words: Any, other_forms: Any, index: Any, longest: Any, worst_match_type: Any) -> Any:
    """Find every span that is a name: first piece, last piece, row of the key, change; [n, 4] int64.

    change: 0 none, 1 the last letter was left off, 2 the last word has another form.

    pieces  (word [p] int64, joined [p] bool, apart [p] bool): see `eigenthemes.text.segment.Pieces`
    words   (blob [b] uint8, offsets [w + 1] int64, drops [w] bool: its last letter may be left off)
    other_forms  (blob, offsets [f + 1], indptr [w + 1]): other forms of a word, which it may stand for at the end of a name
    index   (key_hashes, key_buckets, key_indptr, key_kinds, key_filter): see `eigenthemes.kb.name_arrays.NameIndexArrays`
    longest           pieces of a span at most
    worst_match_type  a key is a name where its best match type is no worse than this
    """
    word, joined, apart = pieces
    blob, offsets, drops = words
    form_blob, form_offsets, form_indptr = other_forms
    key_hashes, key_buckets, key_indptr, key_kinds, key_filter = index
    shift = shift_of(key_buckets)
    spans, count = np.empty((len(word) // 4 + 16, 4), dtype=np.int64), 0
    for first in range(len(word)):
        h, run = OFFSET, 0
        for last in range(first, min(first + longest, len(word))):
            if last > first and apart[last]:
                break
            run = run + 1 if last > first and joined[last] else 1
            if run > 2:  # bigrams: the character before comes again
                h = _append(h, blob, offsets[word[last - 1]], offsets[word[last - 1] + 1])
            end, before = offsets[word[last] + 1], h
            short = _append(h, blob, offsets[word[last]], end - 1)
            h = step(short, blob[end - 1])
            first_form, last_form = form_indptr[word[last]], form_indptr[word[last] + 1]
            for variant in range(2 + last_form - first_form):
                if variant == 1 and not drops[word[last]]:
                    continue
                if variant < 2:
                    key = finish(h if variant == 0 else short)
                else:
                    form = first_form + variant - 2
                    key = finish(_append(before, form_blob, form_offsets[form], form_offsets[form + 1]))
                if not may_hold(key, key_filter):
                    continue
                row = find(key, key_hashes, key_buckets, shift)
                if row >= 0 and _is_name(row, key_indptr, key_kinds, worst_match_type):
                    if count == len(spans):
                        spans = _larger(spans)
                    spans[count, 0], spans[count, 1], spans[count, 2], spans[count, 3] = first, last, row, min(variant, 2)
                    count += 1
    return spans[:count]


@kernel
def _larger(spans: Any) -> Any:
    """Return spans with as much room again."""
    larger = np.empty((2 * len(spans), 4), dtype=np.int64)
    for i in range(len(spans)):
        for j in range(4):
            larger[i, j] = spans[i, j]
    return larger


@kernel
def _append(h: Any, blob: Any, first: Any, last: Any) -> Any:
    for i in range(first, last):
        h = step(h, blob[i])
    return h


@kernel
def _is_name(row: Any, key_indptr: Any, key_kinds: Any, worst_match_type: Any) -> Any:
    best = key_kinds[key_indptr[row]]
    for entry in range(key_indptr[row], key_indptr[row + 1]):
        best = min(best, key_kinds[entry])
    return best <= worst_match_type
