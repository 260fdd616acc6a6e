"""Candidates of many mentions at once, compiled: the same rules, in the same order, as the plain look-up in `plain`.

Mentions come normalised, as UTF-8 bytes in one buffer, tokens apart by a space. A property test holds both look-ups together,
entity by entity.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates import rules
from eigenthemes.candidates.compiled_families import families_of, no_families
from eigenthemes.candidates.compiled_parts import add_parts
from eigenthemes.candidates.compiled_sharing import add_sharing, sharing_scratch
from eigenthemes.candidates.compiled_spelling import other_spellings, other_wordings
from eigenthemes.candidates.compiled_typos import CHECKED
from eigenthemes.candidates.other_words import OtherWords
from eigenthemes.candidates.rules import (
    CONTAINS,
    ENDING,
    LONGEST_SPELLED,
    LOOKED_AT,
    MOST_FORMS,
    MOST_TYPOS,
    MOST_WORDINGS,
    QUOTA,
    SPELLING,
    WORDING,
)
from eigenthemes.candidates.typos import LONGEST
from eigenthemes.core.jit import kernel
from eigenthemes.kb.label_words import LabelWords
from eigenthemes.kb.name_index import ACRONYM, ALIAS, LABEL, SHORT_ACRONYM, UNBRACKETED, NameIndexArrays
from eigenthemes.kernels.common import other_form, position
from eigenthemes.kernels.hashing import OFFSET, find, finish, may_hold, shift_of, step

_SPACE = np.uint8(32)


class Index(NamedTuple):
    """The name index as the kernels take it; see `eigenthemes.kb.name_index.NameIndexArrays`."""

    entities: Any
    endings: Any  # [rules, 2, 4] uint8: ending of the mention, ending of the name
    lengths: Any  # [rules, 4] int64: their lengths, letters before, last letter of the first (0: none)
    families: Any
    least_tenths: Any  # `rules.Sharing`
    most_sharing: Any
    fills_up: Any
    first_words: Any  # [entities] int32: the token that the label begins with, or -1
    names: Any  # `LabelWords`
    name_indptr: Any
    name_tokens: Any
    common: Any  # [tokens] bool: `rules.is_common`
    other_words: Any  # `OtherWords`
    token_blob: Any
    token_offsets: Any
    token_hashes: Any
    token_buckets: Any
    postings_indptr: Any
    postings: Any
    in_label: Any
    key_hashes: Any
    key_buckets: Any
    key_indptr: Any
    key_entities: Any
    key_kinds: Any
    typo_indptr: Any
    typo_members: Any
    typo_checks: Any
    typo_filter: Any
    key_filter: Any


class Mention(NamedTuple):
    """Scratch for one mention: its words, and its squashed form with the state of the hash after each byte."""

    starts: Any
    ends: Any
    hashes: Any
    tokens: Any
    squashed: Any
    states: Any
    order: Any
    at: Any
    near: Any  # tokens a slip away from one of the words; which word, and how many tokens, are in `near_word`
    near_word: Any


def index_of(
    names: NameIndexArrays,
    label_words: LabelWords,
    entities: int,
    *,
    has_families: bool,
    other_words: OtherWords,
    sharing: rules.Sharing,
) -> Index:
    """Return the index of a KB, ready for `find_candidates`."""
    return Index(
        np.int64(entities),
        *_ending_table(),
        families_of(names.tokens) if has_families else no_families(),
        np.int64(sharing.tenths),
        np.int64(sharing.most),
        sharing.fills_up,
        label_words.first(np.arange(entities, dtype=np.uint32)).astype(np.int32),
        label_words.names,
        label_words.indptr,
        label_words.tokens,
        rules.are_common(entities, np.diff(names.postings_indptr)),
        other_words,
        names.tokens.blob,
        names.tokens.offsets,
        names.token_table.hashes,
        names.token_table.buckets,
        names.postings_indptr,
        names.postings,
        names.in_label,
        names.key_table.hashes,
        names.key_table.buckets,
        names.key_indptr,
        names.key_entities,
        names.key_kinds,
        names.typos.indptr,
        names.typos.members,
        names.typos.checks,
        names.typos.filter,
        names.key_filter,
    )


def _ending_table() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    ending_rules = rules.ENDINGS
    endings, lengths = np.zeros((len(ending_rules), 2, 4), dtype=np.uint8), np.zeros((len(ending_rules), 4), dtype=np.int64)
    for row, (of_mention, of_name, letters_before) in enumerate(ending_rules):
        for side, text in enumerate((of_mention, of_name)):
            endings[row, side, : len(text)] = list(text.encode())
        lengths[row] = len(of_mention), len(of_name), letters_before, ord(of_mention[-1]) if of_mention else 0
    return endings, lengths


@kernel
def find_candidates(
    text: Any, starts: Any, ends: Any, in_capitals: Any, index: Any, most: Any, labels_only: Any, paper: Any
) -> Any:
    """Find the candidates of each mention text[starts[i]:ends[i]]: counts [m], entities [m, most], match types [m, most].

    `in_capitals` [m] bool: which mentions are written so, before they were normalised.
    `paper`: only entities that contain all tokens. Both in order of prior.
    """
    mentions = len(starts)
    counts = np.zeros(mentions, dtype=np.int64)
    out, match_types = np.empty((mentions, most), dtype=np.uint32), np.empty((mentions, most), dtype=np.uint8)
    looked_at = most if paper else max(most, LOOKED_AT)
    hits = np.empty(looked_at, dtype=np.uint32)
    most_forms = max(len(index.lengths), MOST_TYPOS + 1, MOST_WORDINGS)
    forms, rows = np.empty(most_forms, dtype=np.uint64), np.empty(most_forms, dtype=np.int64)
    points, checked = np.empty((5, LONGEST + 1), dtype=np.int64), np.zeros(CHECKED + 1, dtype=np.int64)
    token_shift, key_shift = shift_of(index.token_buckets), shift_of(index.key_buckets)
    worst_whole = LABEL if labels_only else ALIAS
    mention, fills_up = _scratch(starts, ends), index.fills_up and len(index.families.members) > 0
    weighed, best = sharing_scratch(len(mention.squashed))
    word_forms = np.empty(MOST_FORMS, dtype=np.int64)
    for m in range(mentions):
        words, size, known = _read(text, starts[m], ends[m], index, token_shift, mention)
        if words == 0:
            continue
        key = find(finish(mention.states[size]), index.key_hashes, index.key_buckets, key_shift)
        if paper:
            contained = _contain(words, mention, index, labels_only, most, hits) if known else 0
            _mark_whole(key, index, worst_whole, hits, contained, out[m], match_types[m])
            counts[m] = contained
            continue
        mention.near_word[0] = -1
        acronyms = QUOTA if in_capitals[m] or size != SHORT_ACRONYM else 0
        count = _whole_names(key, index, worst_whole, acronyms, most, out[m], match_types[m])
        if count < most:
            other_forms = _other_forms(index, mention.squashed[:size], mention.states, key_shift, forms, rows)
            count = _by_other_key(rows[:other_forms], ENDING, index, worst_whole, count, most, out[m], match_types[m])
        if count == 0 and size <= LONGEST_SPELLED:
            spellings = other_spellings(text, words, size, mention, index, key_shift, points, checked, rows)
            count = _by_other_key(rows[:spellings], SPELLING, index, worst_whole, count, most, out[m], match_types[m])
            if count == 0:
                wordings = other_wordings(text, words, mention, index, token_shift, key_shift, word_forms, rows)
                count = _by_other_key(rows[:wordings], WORDING, index, worst_whole, count, most, out[m], match_types[m])
        if count < most and known:
            contained = _contain(words, mention, index, labels_only, looked_at, hits)
            count = _choose(hits, contained, mention.tokens[0], index, count, most, out[m], match_types[m])
        wanted = count == 0 or fills_up
        if count == 0:
            count = add_parts(text, words, mention, index, key_shift, worst_whole, count, most, out[m], match_types[m])
        if wanted and count < most:
            count = add_sharing(
                text, words, mention, index, labels_only, points, checked, weighed, best, count, out[m], match_types[m]
            )
        _sort(out[m], match_types[m], count)
        counts[m] = count
    return counts, out, match_types


@kernel
def _scratch(starts: Any, ends: Any) -> Any:
    longest = 0
    for m in range(len(starts)):
        longest = max(longest, ends[m] - starts[m])
    return Mention(
        np.empty(longest, np.int64),
        np.empty(longest, np.int64),
        np.empty(longest, np.uint64),
        np.empty(longest, np.int64),
        np.empty(longest, np.uint8),
        np.empty(longest + 1, np.uint64),
        np.empty(longest, np.int64),
        np.empty(longest, np.int64),
        np.empty(MOST_TYPOS, np.int64),
        np.full(2, -1, np.int64),
    )


@kernel
def _read(text: Any, first: Any, last: Any, index: Any, shift: Any, mention: Any) -> Any:
    """Split a mention into words and look them up: (words, squashed bytes, are all words known)."""
    words, size, known = 0, 0, True
    begin, h = first, OFFSET
    mention.states[0] = OFFSET
    for i in range(first, last + 1):
        if i < last and text[i] != _SPACE:
            h = step(h, text[i])
            mention.squashed[size] = text[i]
            mention.states[size + 1] = step(mention.states[size], text[i])
            size += 1
            continue
        if i > begin:
            mention.starts[words], mention.ends[words] = begin, i
            mention.hashes[words] = finish(h)
            mention.tokens[words] = find(mention.hashes[words], index.token_hashes, index.token_buckets, shift)
            known = known and mention.tokens[words] >= 0
            words += 1
        begin, h = i + 1, OFFSET
    return words, size, known


@kernel
def _contain(words: Any, mention: Any, index: Any, labels_only: Any, most: Any, hits: Any) -> Any:
    """Intersect the tokens' posting lists by leap-frog, shortest first, and stop after `most` hits; returns how many."""
    order, at, indptr, postings = mention.order, mention.at, index.postings_indptr, index.postings
    for i in range(words):
        order[i] = mention.tokens[i]
        j = i
        while j > 0 and _length(order[j], indptr) < _length(order[j - 1], indptr):
            order[j], order[j - 1] = order[j - 1], order[j]
            j -= 1
    for i in range(words):
        at[i] = indptr[order[i]]
    count = 0
    for posting in range(at[0], indptr[order[0] + 1]):
        entity = postings[posting]
        if labels_only and index.in_label[posting] == 0:
            continue
        everywhere = True
        for i in range(1, words):
            last = indptr[order[i] + 1]
            at[i] = position(postings, at[i], last, entity)
            if at[i] == last:
                return count
            if postings[at[i]] != entity or (labels_only and index.in_label[at[i]] == 0):
                everywhere = False
                break
        if everywhere:
            hits[count] = entity
            count += 1
            if count == most:
                break
    return count


@kernel
def _mark_whole(key: Any, index: Any, worst: Any, hits: Any, count: Any, out: Any, match_types: Any) -> Any:
    """Write the paper's candidates, each with its match type: whole names are told from names that contain the tokens."""
    entry, last = np.int64(0), np.int64(0)
    if key >= 0:
        entry, last = index.key_indptr[key], index.key_indptr[key + 1]
    for i in range(count):
        entry = position(index.key_entities, entry, last, hits[i])
        whole = entry < last and index.key_entities[entry] == hits[i] and index.key_kinds[entry] <= worst
        out[i] = hits[i]
        match_types[i] = index.key_kinds[entry] if whole else CONTAINS


@kernel
def _whole_names(key: Any, index: Any, worst: Any, acronyms: Any, most: Any, out: Any, match_types: Any) -> Any:
    """Apply rules 1 and 2: entities of which the mention is a whole name, then of its shorter forms; returns the count."""
    if key < 0:
        return 0
    count = 0
    first, last = index.key_indptr[key], index.key_indptr[key + 1]
    for entry in range(first, last):
        if index.key_kinds[entry] <= worst:
            if count == most:
                break
            count = _add(index.key_entities[entry], index.key_kinds[entry], count, 0, most, out, match_types)
    for match_type in range(UNBRACKETED, ACRONYM + 1):
        quota = most if match_type == UNBRACKETED else (acronyms if match_type == ACRONYM else QUOTA)
        for entry in range(first, last):
            if quota == 0 or count == most:
                break
            if index.key_kinds[entry] == match_type:
                quota -= 1
                count = _add(index.key_entities[entry], match_type, count, 0, most, out, match_types)
    return count


@kernel
def _other_forms(index: Any, word: Any, states: Any, shift: Any, forms: Any, rows: Any) -> Any:
    """Find the keys of the mention with other endings, in the order of the rules; returns how many are in the table.

    Three short loops, not one: the look-ups do not wait for each other's memory.
    """
    count, last_letter = 0, np.int64(word[-1])
    for rule in range(len(index.lengths)):
        if index.lengths[rule, 3] == last_letter or index.lengths[rule, 0] == 0:
            applies, h = other_form(index.endings, index.lengths, rule, word, states)
            if applies and may_hold(h, index.key_filter):
                forms[count] = h
                count += 1
    for f in range(count):
        rows[f] = index.key_buckets[np.int64(forms[f] >> shift)]
    held = 0
    for f in range(count):
        for row in range(rows[f], index.key_buckets[np.int64(forms[f] >> shift) + 1]):
            if index.key_hashes[row] == forms[f]:
                rows[held] = row
                held += 1
                break
    return held


@kernel
def _by_other_key(rows: Any, how: Any, index: Any, worst: Any, count: Any, most: Any, out: Any, match_types: Any) -> Any:
    """Apply rule 3: entities of which the mention is a name but for its ending or spelling; returns the new count."""
    quota = QUOTA
    for row in rows:
        for entry in range(index.key_indptr[row], index.key_indptr[row + 1]):
            match_type = index.key_kinds[entry]
            if quota and (match_type <= worst or match_type == UNBRACKETED):
                quota -= 1
                count = _add(index.key_entities[entry], how, count, count, most, out, match_types)
    return count


@kernel
def _choose(hits: Any, found: Any, first: Any, index: Any, count: Any, most: Any, out: Any, match_types: Any) -> Any:
    """Apply rule 4 to the entities that contain all tokens, of which `first` is the mention's first; returns the new count."""
    others, nearer, room = 0, count, most - count
    for i in range(found):
        again = False
        for j in range(nearer):
            if out[j] == hits[i]:
                again = True
                break
        if not again:
            hits[others] = hits[i]
            others += 1
    by_prior = others if others <= room else room // 2  # rules.by_prior
    for i in range(by_prior):
        out[count], match_types[count] = hits[i], CONTAINS
        count += 1
    first_words = index.first_words
    for begins in (True, False):
        for i in range(by_prior, others):
            if count == most:
                return count
            if (first_words[hits[i]] == first) == begins:
                out[count], match_types[count] = hits[i], CONTAINS
                count += 1
    return count


@kernel
def _add(entity: Any, match_type: Any, count: Any, among: Any, most: Any, out: Any, match_types: Any) -> Any:
    """Append a candidate unless it is there already, among the first `among`; returns the new count."""
    if count >= most:
        return count
    for i in range(among):
        if out[i] == entity:
            return count
    out[count], match_types[count] = entity, match_type
    return count + 1


@kernel
def _length(token: Any, indptr: Any) -> Any:
    return indptr[token + 1] - indptr[token]


@kernel
def _sort(entities: Any, match_types: Any, count: Any) -> Any:
    for i in range(1, count):
        j = i
        while j > 0 and entities[j] < entities[j - 1]:
            entities[j], entities[j - 1] = entities[j - 1], entities[j]
            match_types[j], match_types[j - 1] = match_types[j - 1], match_types[j]
            j -= 1
