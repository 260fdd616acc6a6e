"""Candidates of many mentions at once, compiled: the same rules, in the same order, as the plain look-up in `plain`.

Mentions come normalised, as UTF-8 bytes in one buffer, tokens apart by a space. A property test holds both look-ups together,
entity by entity.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eigenthemes.candidates.compiled_lists import lists_buffers, next_in_all, open_lists
from eigenthemes.candidates.compiled_parts import add_parts
from eigenthemes.candidates.compiled_reading import BLOCK, Mention, block_buffers, read_block
from eigenthemes.candidates.compiled_sharing import add_sharing, sharing_buffers
from eigenthemes.candidates.compiled_spelling import other_spellings, other_wordings, spelling_buffers
from eigenthemes.candidates.rules import (
    CONTAINS,
    ENDING,
    ENDINGS,
    LONGEST_SPELLED,
    LOOKED_AT,
    QUOTA,
    SPELLING,
    WORDING,
)
from eigenthemes.core.jit import kernel
from eigenthemes.kb.name_arrays import ACRONYM, ALIAS, LABEL, SHORT_ACRONYM, UNBRACKETED
from eigenthemes.kernels.common import position
from eigenthemes.kernels.hashing import find, shift_of

_SHORT = 256


class Buffers(NamedTuple):
    """Arrays that a look-up writes to while it works, for names of at most `longest` bytes."""

    longest: int
    arrays: Any


def allocate_buffers(longest: int, most: int) -> Buffers:
    """Allocate buffers for names of so many bytes, and some more, and so many candidates."""
    longest, rules = max(_SHORT, 1 << longest.bit_length()), len(ENDINGS)
    return Buffers(
        longest,
        (
            block_buffers(longest, rules),
            lists_buffers(longest, 2 * most),
            np.empty(rules, dtype=np.int64),
            spelling_buffers(longest),
            sharing_buffers(longest),
        ),
    )


@kernel(counts_references=False)
def find_candidates(
    text: Any, starts: Any, ends: Any, in_capitals: Any, index: Any, labels_only: Any, paper: Any, arrays: Any, found: Any
) -> None:
    """Find the candidates of each mention text[starts[i]:ends[i]], and write them into `found`.

    in_capitals  [m] bool: which mentions are written so, before they were normalised
    paper        only entities that contain all tokens
    arrays       of `Buffers`
    found        counts [m], entities [m, most] in order of prior, match types [m, most], and whether a mention is a name of
                 the KB, but for its ending [m] bool

    One function for all rules: to hand all this over takes as long as some of them.
    """
    block, lists, rows, spelling, sharing = arrays
    worst, keys, postings = LABEL if labels_only else ALIAS, index.keys, index.postings
    fills_up = index.fills_up and len(index.families.members) > 0
    for m in range(len(starts)):
        i, most = m % BLOCK, found[1].shape[1]
        if i == 0:
            read_block(text, starts[m : m + BLOCK], ends[m : m + BLOCK], index, block)
        size, key = block.size[i], block.key[i]
        if size == 0:
            continue
        out, match_types, count = found[1][m], found[2][m], 0
        mention, known = _mention(block.words, block.first[i], block.first[i + 1])
        if paper:
            count = _contain(mention.tokens, postings, labels_only, lists, out) if known else 0
            _mark_whole(key, keys, worst, count, out, match_types)
            found[0][m] = count
            continue
        if key >= 0:
            acronyms = QUOTA if in_capitals[m] or size != SHORT_ACRONYM else 0
            count = _whole_names(key, keys, worst, acronyms, out, match_types)
        if count < most and block.others[i] > 0:
            held = _keys_of(block.other_hashes[i, : block.others[i]], keys, rows)
            count = _by_other_key(rows[:held], ENDING, keys, worst, count, out, match_types)
        found[3][m], spelling.near_word[0] = count > 0, -1
        if count == 0 and size <= LONGEST_SPELLED:
            held = other_spellings(text, mention, index, spelling, rows)
            count = _by_other_key(rows[:held], SPELLING, keys, worst, count, out, match_types)
            if count == 0:
                held = other_wordings(text, mention, index, spelling, rows)
                count = _by_other_key(rows[:held], WORDING, keys, worst, count, out, match_types)
        if count < most and known:
            count = _add_containing(mention.tokens, postings, labels_only, lists, count, out, match_types)
        wanted = count == 0 or fills_up
        if count == 0:
            count = add_parts(text, mention, index.tokens.common, keys, worst, count, out, match_types)
        if wanted and count < most:
            count = add_sharing(text, mention, index, labels_only, spelling, sharing, count, out, match_types)
        _sort(out, match_types, count)
        found[0][m] = count


@kernel
def _mention(words: Any, first: Any, last: Any) -> Any:
    """Return the words of one of the mentions of a block, and whether all are known."""
    known = True
    for w in range(first, last):
        known = known and words.tokens[w] >= 0
    return Mention(words.starts[first:last], words.ends[first:last], words.hashes[first:last], words.tokens[first:last]), known


@kernel
def _contain(tokens: Any, postings: Any, labels_only: Any, lists: Any, out: Any) -> Any:
    """Write the first entities that contain all tokens; returns how many there are."""
    count = 0
    posting, last, of_first = open_lists(tokens, postings.indptr, lists)
    while posting < last and count < len(out):
        posting, some = next_in_all(posting, last, of_first, len(tokens), postings, labels_only, lists)
        for k in range(min(some, len(out) - count)):
            out[count] = lists.some[k]
            count += 1
    return count


@kernel
def _mark_whole(key: Any, keys: Any, worst: Any, count: Any, out: Any, match_types: Any) -> None:
    """Write the match types of the paper's candidates: whole names are told from names that contain the tokens."""
    entry, last = np.int64(0), np.int64(0)
    if key >= 0:
        entry, last = keys.indptr[key], keys.indptr[key + 1]
    for i in range(count):
        entry = position(keys.entities, entry, last, out[i])
        whole = entry < last and keys.entities[entry] == out[i] and keys.kinds[entry] <= worst
        match_types[i] = keys.kinds[entry] if whole else CONTAINS


@kernel
def _whole_names(key: Any, keys: Any, worst: Any, acronyms: Any, out: Any, match_types: Any) -> Any:
    """Apply rules 1 and 2: entities of which the mention is a whole name, then of its shorter forms; returns the count."""
    count, most, shorter = 0, len(out), False
    first, last = keys.indptr[key], keys.indptr[key + 1]
    for entry in range(first, last):
        shorter = shorter or keys.kinds[entry] >= UNBRACKETED
        if keys.kinds[entry] <= worst and count < most:
            out[count], match_types[count] = keys.entities[entry], keys.kinds[entry]
            count += 1
    for match_type in range(UNBRACKETED, ACRONYM + 1 if shorter else UNBRACKETED):
        quota = most if match_type == UNBRACKETED else (acronyms if match_type == ACRONYM else QUOTA)
        for entry in range(first, last):
            if quota == 0 or count == most:
                break
            if keys.kinds[entry] == match_type:
                quota -= 1
                out[count], match_types[count] = keys.entities[entry], match_type
                count += 1
    return count


@kernel
def _keys_of(hashes: Any, keys: Any, rows: Any) -> Any:
    """Write the rows of those hashes that are keys; returns how many."""
    held, shift = 0, shift_of(keys.buckets)
    for h in hashes:
        rows[held] = find(h, keys.hashes, keys.buckets, shift)
        held += rows[held] >= 0
    return held


@kernel
def _by_other_key(rows: Any, how: Any, keys: Any, worst: Any, count: Any, out: Any, match_types: Any) -> Any:
    """Apply rule 3: entities of which the mention is a name but for its ending or spelling; returns the new count."""
    quota = QUOTA
    for row in rows:
        for entry in range(keys.indptr[row], keys.indptr[row + 1]):
            match_type = keys.kinds[entry]
            if quota and (match_type <= worst or match_type == UNBRACKETED):
                quota -= 1
                count = _add(keys.entities[entry], how, count, out, match_types)
    return count


@kernel
def _add_containing(tokens: Any, postings: Any, labels_only: Any, lists: Any, count: Any, out: Any, match_types: Any) -> Any:
    """Apply rule 4: add entities that contain all tokens; returns the new count.

    They are looked for until it is known which are kept: some by prior, then those whose label begins with the first token.
    """
    most, nearer = len(out), count
    room, looked_at = most - nearer, max(most, LOOKED_AT)
    by_prior = room // 2  # rules.by_prior
    left = room - by_prior
    beginning, others = lists.hits[:left], lists.hits[left:]
    found, begin, other = 0, 0, 0
    posting, last, of_first = open_lists(tokens, postings.indptr, lists)
    while posting < last and looked_at > 0 and (found <= room or begin < left):
        posting, some = next_in_all(posting, last, of_first, len(tokens), postings, labels_only, lists)
        for k in range(min(some, looked_at)):
            entity = lists.some[k]
            if _is_among(entity, out, nearer):
                continue
            if count < most:
                out[count], match_types[count] = entity, CONTAINS
                count += 1
            if found >= by_prior and lists.begin[k] and begin < left:
                beginning[begin] = entity
                begin += 1
            elif found >= by_prior and not lists.begin[k] and other < left:
                others[other] = entity
                other += 1
            found += 1
        looked_at -= some
    if found > room:
        for i in range(left):
            out[nearer + by_prior + i] = beginning[i] if i < begin else others[i - begin]
    return count


@kernel
def _is_among(entity: Any, entities: Any, count: Any) -> Any:
    at = 0
    while at < count and entities[at] != entity:
        at += 1
    return at < count


@kernel
def _add(entity: Any, match_type: Any, count: Any, out: Any, match_types: Any) -> Any:
    """Append a candidate unless it is there already; returns the new count."""
    if count == len(out) or _is_among(entity, out, count):
        return count
    out[count], match_types[count] = entity, match_type
    return count + 1


@kernel
def _sort(entities: Any, match_types: Any, count: Any) -> None:
    """Put candidates in order of prior; most are already."""
    for i in range(1, count):
        entity, match_type, j = entities[i], match_types[i], i
        while j > 0 and entities[j - 1] > entity:
            entities[j], match_types[j] = entities[j - 1], match_types[j - 1]
            j -= 1
        entities[j], match_types[j] = entity, match_type
