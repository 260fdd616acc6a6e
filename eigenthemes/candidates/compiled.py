"""Compiled look-up of candidates for batches of names."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eigenthemes.candidates.compiled_index import BLOCK, Mention, block_buffers, read_block
from eigenthemes.candidates.compiled_sharing import add_sharing, sharing_buffers
from eigenthemes.candidates.compiled_spelling import other_spellings, other_wordings, spelling_buffers
from eigenthemes.candidates.rules import (
    CONTAINS,
    ENDING,
    ENDINGS,
    LONGEST_SPELLED,
    LOOKED_AT,
    MOST_WORDS,
    QUOTA,
    SHARES,
    SHORTEST_PART,
    SPELLING,
    WORDING,
)
from eigenthemes.core.array_kernels import OFFSET, find, finish, may_hold, position, shift_of, step
from eigenthemes.core.jit import kernel
from eigenthemes.kb.name_arrays import ACRONYM, ALIAS, CORE, LABEL, SHORT_ACRONYM, UNBRACKETED

SOME = 16  # entities that are looked for at a time: none waits for the memory of another


class Lists(NamedTuple):
    """Lists of ascending entities that are read."""

    at: Any  # where each is read, and where it ends
    ends: Any
    some: Any  # [SOME] uint32: entities that are in all, and whether the label of each begins with the first token
    begin: Any
    places: Any  # [SOME]: where they are in one list
    hits: Any  # room for entities


def lists_buffers(lists: int, hits: int) -> Lists:
    """Allocate buffers for `lists` lists with `hits` entities."""
    return Lists(
        np.empty(lists, dtype=np.int64),
        np.empty(lists, dtype=np.int64),
        np.empty(SOME, dtype=np.uint32),
        np.empty(SOME, dtype=np.bool_),
        np.empty(SOME, dtype=np.int64),
        np.empty(hits, dtype=np.uint32),
    )


@kernel
def open_lists(tokens: Any, indptr: Any, lists: Any) -> Any:
    """Write where the posting lists of tokens begin and end, shortest first.

    Returns where the shortest begins and ends, and which one is that of the first token.
    """
    at, ends, of_first = lists.at, lists.ends, 0
    for i in range(len(tokens)):
        first, last = indptr[tokens[i]], indptr[tokens[i] + 1]
        j = i
        while j > 0 and last - first < ends[j - 1] - at[j - 1]:
            at[j], ends[j] = at[j - 1], ends[j - 1]
            j -= 1
        at[j], ends[j] = first, last
        of_first += i > 0 and j <= of_first
    return at[0], ends[0], of_first


@kernel
def next_in_all(posting: Any, last: Any, of_first: Any, count: Any, postings: Any, labels_only: Any, lists: Any) -> Any:
    """Write those of the next entities of the first of `count` lists, from `posting` on, that are in all, into `some`.

    Returns where to go on, `last` where there are no more, and how many there are.
    """
    entities, in_label, begins = postings.entities, postings.in_label, postings.begins
    some, begin, places = lists.some, lists.begin, lists.places
    held, after = 0, min(last, posting + SOME)
    for entry in range(posting, after):
        if not labels_only or in_label[entry] != 0:
            some[held], begin[held] = entities[entry], begins[entry]
            held += 1
    for i in range(1, count):
        if held == 0:
            break
        first, end = lists.at[i], lists.ends[i]
        lists.at[i] = position(entities, first, end, some[held - 1])
        if lists.at[i] == end:
            after = last
        find_places(entities, first, min(lists.at[i] + 1, end), some, held, places)
        left = 0
        for k in range(held):
            place = places[k]
            if entities[place] == some[k] and (not labels_only or in_label[place] != 0):
                some[left], begin[left] = some[k], begins[place] if i == of_first else begin[k]
                left += 1
        held = left
    return after, held


@kernel
def find_places(entities: Any, first: Any, last: Any, wanted: Any, count: Any, places: Any) -> None:
    """Write where each of the first `count` wanted entities is in entities[first:last] (ascending, not empty).

    Of one that is not there, the place of another. All are looked for in step, without a branch.
    """
    for k in range(count):
        places[k] = first
    size = last - first
    while size > 1:
        half = size // 2
        for k in range(count):
            places[k] += half if entities[places[k] + half] <= wanted[k] else 0
        size -= half


_ZERO, _NINE, _SPACE = (np.uint8(ord(letter)) for letter in "09 ")


@kernel
def is_name(match_type: Any, worst: Any) -> Any:
    """Return whether a key of this match type is a name, without brackets or weak words; cores may be those of aliases."""
    return match_type <= worst or match_type == UNBRACKETED or (match_type == CORE and worst == ALIAS)


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
                if is_name(match_type, worst):
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


_SHORT = 256


class Buffers(NamedTuple):
    """Arrays that a look-up writes to while it works, for names of at most `longest` bytes."""

    longest: int
    arrays: Any


def allocate_buffers(longest: int, most: int) -> Buffers:
    """Allocate buffers for names of up to `longest` bytes and `most` candidates."""
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
            _mark_full_names(key, keys, worst, count, out, match_types)
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
def _mark_full_names(key: Any, keys: Any, worst: Any, count: Any, out: Any, match_types: Any) -> None:
    """Write the match types of the paper's candidates: full name, or name that contains the tokens."""
    entry, last = np.int64(0), np.int64(0)
    if key >= 0:
        entry, last = keys.indptr[key], keys.indptr[key + 1]
    for i in range(count):
        entry = position(keys.entities, entry, last, out[i])
        whole = entry < last and keys.entities[entry] == out[i] and keys.kinds[entry] <= worst
        match_types[i] = keys.kinds[entry] if whole else CONTAINS


@kernel
def _whole_names(key: Any, keys: Any, worst: Any, acronyms: Any, out: Any, match_types: Any) -> Any:
    """Apply rules 1 and 2 (full name, then shorter forms) and return the count."""
    count, most, shorter = 0, len(out), False
    first, last = keys.indptr[key], keys.indptr[key + 1]
    for entry in range(first, last):
        shorter = shorter or keys.kinds[entry] >= UNBRACKETED
        if keys.kinds[entry] <= worst and count < most:
            out[count], match_types[count] = keys.entities[entry], keys.kinds[entry]
            count += 1
    for match_type in range(UNBRACKETED, ACRONYM + 1 if shorter else UNBRACKETED):
        if match_type == CORE and worst == LABEL:
            continue
        quota = most if match_type <= CORE else (acronyms if match_type == ACRONYM else QUOTA)
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
    """Apply rule 3 (name with another ending or spelling) and return the new count."""
    quota = QUOTA
    for row in rows:
        for entry in range(keys.indptr[row], keys.indptr[row + 1]):
            match_type = keys.kinds[entry]
            if quota and is_name(match_type, worst):
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
