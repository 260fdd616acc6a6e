"""Other spellings, compiled: of a whole mention, for rule 3 of `rules`, and of its words, for rule 5; see `plain.Lookup`."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.candidates.compiled_families import family_row
from eigenthemes.candidates.compiled_typos import similar_tokens
from eigenthemes.candidates.rules import MOST_FORMS, MOST_WORDINGS, MOST_WORDS, PLURALS
from eigenthemes.core.jit import kernel
from eigenthemes.kernels.common import other_form
from eigenthemes.kernels.hashing import OFFSET, find, finish, step

_A, _E, _O, _U = (np.uint8(ord(letter)) for letter in "aeou")
_PLURALS = len(PLURALS)


@kernel
def other_spellings(
    text: Any, words: Any, size: Any, mention: Any, index: Any, shift: Any, points: Any, checked: Any, rows: Any
) -> Any:
    """Find the keys of a mention with umlauts, and with its one unknown word a slip of the pen away; returns how many.

    The words a slip away are left in the mention's `near`. rows  [MOST_TYPOS + 1 or more] int64, written: rows of the key table
    """
    count, mention.near_word[0] = 0, -1
    folded, h = _with_umlauts(mention.squashed[:size])
    if folded:
        rows[0] = find(h, index.key_hashes, index.key_buckets, shift)
        count += rows[0] >= 0
    unknown, unknown_words = -1, 0
    for w in range(words):
        if mention.tokens[w] < 0:
            unknown, unknown_words = w, unknown_words + 1
    if unknown_words != 1:
        return count
    similar = nearest(text, mention.starts[unknown], mention.ends[unknown], index, points, checked, mention.near)
    mention.near_word[0], mention.near_word[1] = unknown, similar
    for i in range(similar):
        rows[count] = _key_with(text, words, mention, unknown, mention.near[i], index, shift)
        count += rows[count] >= 0
    return count


@kernel
def other_wordings(
    text: Any, words: Any, mention: Any, index: Any, token_shift: Any, key_shift: Any, forms: Any, rows: Any
) -> Any:
    """Find the keys of a mention with a word in the place of another that names use for it; returns how many.

    forms  [MOST_FORMS] int64, scratch; rows [MOST_WORDINGS or more] int64, written; the mention's `states` are overwritten
    """
    count = 0
    if words < 2 or words > MOST_WORDS or len(index.other_words.tokens) == 0:
        return count
    indptr, tokens = index.other_words.indptr, index.other_words.tokens
    for w in range(words):
        own = mention.tokens[w]
        several = other_words(text[mention.starts[w] : mention.ends[w]], own, mention.states, index, token_shift, forms)
        for i in range(-1, several):
            form = own if i < 0 else forms[i]
            if form < 0:
                continue
            for entry in range(indptr[form], indptr[form + 1]):
                row = _key_with(text, words, mention, w, tokens[entry], index, key_shift)
                if row >= 0 and count < MOST_WORDINGS:
                    rows[count] = row
                    count += 1
    return count


@kernel
def _key_with(text: Any, words: Any, mention: Any, replaced: Any, token: Any, index: Any, shift: Any) -> Any:
    """Return the key of a mention with a token in the place of one of its words, or -1."""
    h = OFFSET
    for w in range(words):
        if w == replaced:
            for at in range(index.token_offsets[token], index.token_offsets[token + 1]):
                h = step(h, index.token_blob[at])
        else:
            for at in range(mention.starts[w], mention.ends[w]):
                h = step(h, text[at])
    return find(finish(h), index.key_hashes, index.key_buckets, shift)


@kernel
def nearest(text: Any, first: Any, last: Any, index: Any, points: Any, checked: Any, out: Any) -> Any:
    """Find the tokens nearest to the word text[first:last]; returns how many."""
    return similar_tokens(
        text,
        first,
        last,
        index.token_blob,
        index.token_offsets,
        index.typo_indptr,
        index.typo_members,
        index.typo_checks,
        index.typo_filter,
        points,
        checked,
        out,
    )


@kernel
def other_words(word: Any, own: Any, states: Any, index: Any, shift: Any, out: Any) -> Any:
    """Find the tokens that are another form of a word, whose token is `own`; returns how many.

    states  [len(word) + 1 or more] uint64, scratch
    out     [MOST_FORMS or more] int64, written
    """
    count = 0
    if own < 0:
        states[0] = OFFSET
        for i in range(len(word)):
            states[i + 1] = step(states[i], word[i])
        for rule in range(_PLURALS):
            applies, h = other_form(index.endings, index.lengths, rule, word, states)
            if applies:
                count = _add(find(h, index.token_hashes, index.token_buckets, shift), own, count, out)
    folded, h = _with_umlauts(word)
    if folded:
        count = _add(find(h, index.token_hashes, index.token_buckets, shift), own, count, out)
    row = family_row(word, index.families)
    if row >= 0:
        for i in range(index.families.indptr[row], index.families.indptr[row + 1]):
            count = _add(index.families.members[i], own, count, out)
    return count


@kernel
def _with_umlauts(word: Any) -> Any:
    """Return (whether it has ae, oe or ue, the hash of a word with a, o and u for them): `rules.with_umlauts`."""
    folded, h, i = False, OFFSET, 0
    while i < len(word):
        h = step(h, word[i])
        if (word[i] == _A or word[i] == _O or word[i] == _U) and i + 1 < len(word) and word[i + 1] == _E:
            folded = True
            i += 1
        i += 1
    return folded, finish(h)


@kernel
def _add(token: Any, own: Any, count: Any, out: Any) -> Any:
    """Keep a token that is none of the others; returns the new count."""
    if token < 0 or token == own or count == MOST_FORMS:
        return count
    for i in range(count):
        if out[i] == token:
            return count
    out[count] = token
    return count + 1
