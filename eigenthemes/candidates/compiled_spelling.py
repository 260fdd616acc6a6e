"""Compiled look-up of other spellings and endings of a mention."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eigenthemes.candidates.compiled_typos import similar_tokens, slips_buffers
from eigenthemes.candidates.rules import (
    FAMILY,
    MOST_FORMS,
    MOST_TYPOS,
    MOST_WORDINGS,
    MOST_WORDS,
    PLURALS,
    ROOT,
    by_last_letter,
)
from eigenthemes.core.array_kernels import OFFSET, find, finish, other_form, shift_of, step
from eigenthemes.core.arrays import read_only
from eigenthemes.core.jit import kernel
from eigenthemes.core.strings import HashTable, Strings

_LENGTHS = np.array([len(ending) for ending in FAMILY], dtype=np.int64)
_ENDINGS = np.array([list(ending.encode().ljust(int(_LENGTHS.max()), b"\0")) for ending in FAMILY], dtype=np.uint8)
_INDPTR, _ROWS = by_last_letter(FAMILY)


class Families(NamedTuple):
    """Tokens by the hash of their root: `members` of row r are members[indptr[r]:indptr[r + 1]], in the order of FAMILY."""

    hashes: Any
    buckets: Any
    indptr: Any
    members: Any


def families_of(tokens: Strings) -> Families:
    """Return the families of a vocabulary."""
    roots, endings = _roots(read_only(tokens.blob), read_only(tokens.offsets))
    order = np.lexsort((endings, roots))
    order = order[endings[order] >= 0]
    distinct, sizes = np.unique(roots[order], return_counts=True)
    table = HashTable.of(distinct)
    return Families(table.hashes, table.buckets, np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), order)


def no_families() -> Families:
    """Return the families of a KB whose words have none."""
    return families_of(Strings.of(()))


@kernel
def _roots(blob: Any, offsets: Any) -> Any:
    """Return the hash of each token's root, and the row of its ending in FAMILY; -1: it is too short to have one."""
    tokens = len(offsets) - 1
    roots, endings = np.zeros(tokens, dtype=np.uint64), np.full(tokens, -1, dtype=np.int64)
    for token in range(tokens):
        word = blob[offsets[token] : offsets[token + 1]]
        endings[token] = _ending(word)
        if endings[token] >= 0:
            roots[token] = _hash(word, len(word) - _LENGTHS[endings[token]])
    return roots, endings


@kernel
def family_row(word: Any, families: Any) -> Any:
    """Return the row of a word's family, or -1."""
    if len(families.members) == 0:
        return np.int64(-1)
    ending = _ending(word)
    if ending < 0:
        return np.int64(-1)
    h = _hash(word, len(word) - _LENGTHS[ending])
    return find(h, families.hashes, families.buckets, shift_of(families.buckets))


@kernel
def _ending(word: Any) -> Any:
    """Return the row of the longest ending of a word; -1: none leaves a root."""
    if len(word) < ROOT:
        return -1
    letter = np.int64(word[-1])
    for entry in range(_INDPTR[letter], _INDPTR[letter + 1]):
        row = _ROWS[entry]
        root = len(word) - _LENGTHS[row]
        if root < ROOT:
            continue
        same = True
        for i in range(_LENGTHS[row]):
            if word[root + i] != _ENDINGS[row, i]:
                same = False
                break
        if same:
            return row
    return -1


@kernel
def _hash(word: Any, size: Any) -> Any:
    h = OFFSET
    for i in range(size):
        h = step(h, word[i])
    return finish(h)


_A, _E, _O, _U, _SPACE = (np.uint8(ord(letter)) for letter in "aeou ")
_PLURALS = len(PLURALS)


class Spelling(NamedTuple):
    """Scratch for other spellings of one mention."""

    states: Any  # of the hash of a word
    forms: Any  # [MOST_FORMS]: tokens that are another form of a word
    near: Any  # [MOST_TYPOS]: tokens a slip away from one of the words; which word, and how many, are in `near_word`
    near_word: Any
    slips: Any  # `Slips`


def spelling_buffers(longest: int) -> Spelling:
    """Allocate buffers for mentions of up to `longest` bytes."""
    return Spelling(
        np.empty(longest + 1, dtype=np.uint64),
        np.empty(MOST_FORMS, dtype=np.int64),
        np.empty(MOST_TYPOS, dtype=np.int64),
        np.empty(2, dtype=np.int64),
        slips_buffers(),
    )


@kernel
def other_spellings(text: Any, mention: Any, index: Any, spelling: Any, rows: Any) -> Any:
    """Find the keys of a mention with umlauts, or with a typo in its one unknown word; return their number.

    The words a slip away are left in `near`. rows  [MOST_TYPOS + 1 or more] int64, written: rows of the key table
    """
    words, count = len(mention.tokens), 0
    folded, h = _with_umlauts(text, mention.starts[0], mention.ends[words - 1])
    if folded:
        rows[0] = find(h, index.keys.hashes, index.keys.buckets, shift_of(index.keys.buckets))
        count += rows[0] >= 0
    unknown, unknown_words = -1, 0
    for w in range(words):
        if mention.tokens[w] < 0:
            unknown, unknown_words = w, unknown_words + 1
    if unknown_words != 1:
        return count
    similar = similar_tokens(
        text, mention.starts[unknown], mention.ends[unknown], index.tokens, index.typos, spelling.slips, spelling.near
    )
    spelling.near_word[0], spelling.near_word[1] = unknown, similar
    for i in range(similar):
        rows[count] = _key_with(text, mention, unknown, spelling.near[i], index.tokens, index.keys)
        count += rows[count] >= 0
    return count


@kernel
def other_wordings(text: Any, mention: Any, index: Any, spelling: Any, rows: Any) -> Any:
    """Find the keys of a mention with a word in the place of another that names use for it; returns how many.

    rows  [MOST_WORDINGS or more] int64, written
    """
    words, count, indptr, tokens = len(mention.tokens), 0, index.other_words.indptr, index.other_words.tokens
    if words < 2 or words > MOST_WORDS or len(tokens) == 0:
        return count
    for w in range(words):
        own = mention.tokens[w]
        several = other_words(text, mention.starts[w], mention.ends[w], own, index, spelling.states, spelling.forms)
        for i in range(-1, several):
            form = own if i < 0 else spelling.forms[i]
            if form < 0:
                continue
            for entry in range(indptr[form], indptr[form + 1]):
                row = _key_with(text, mention, w, tokens[entry], index.tokens, index.keys)
                if row >= 0 and count < MOST_WORDINGS:
                    rows[count] = row
                    count += 1
    return count


@kernel
def _key_with(text: Any, mention: Any, replaced: Any, token: Any, tokens: Any, keys: Any) -> Any:
    """Return the key of a mention with a token in the place of one of its words, or -1."""
    h = OFFSET
    for w in range(len(mention.tokens)):
        if w == replaced:
            for at in range(tokens.offsets[token], tokens.offsets[token + 1]):
                h = step(h, tokens.blob[at])
        else:
            for at in range(mention.starts[w], mention.ends[w]):
                h = step(h, text[at])
    return find(finish(h), keys.hashes, keys.buckets, shift_of(keys.buckets))


@kernel
def other_words(text: Any, first: Any, last: Any, own: Any, index: Any, states: Any, out: Any) -> Any:
    """Find the tokens that are another form of the word text[first:last], whose token is `own`; returns how many.

    states  [letters + 1 or more] uint64, scratch
    out     [MOST_FORMS or more] int64, written
    """
    hashes, buckets, word, count = index.tokens.hashes, index.tokens.buckets, text[first:last], 0
    shift = shift_of(buckets)
    if own < 0:
        states[0] = OFFSET
        for i in range(len(word)):
            states[i + 1] = step(states[i], word[i])
        for rule in range(_PLURALS):
            applies, h = other_form(index.endings.letters, index.endings.lengths, rule, word, states)
            if applies:
                count = _add(find(h, hashes, buckets, shift), own, count, out)
    folded, h = _with_umlauts(text, first, last)
    if folded:
        count = _add(find(h, hashes, buckets, shift), own, count, out)
    row = family_row(word, index.families)
    if row >= 0:
        for i in range(index.families.indptr[row], index.families.indptr[row + 1]):
            count = _add(index.families.members[i], own, count, out)
    return count


@kernel
def _with_umlauts(text: Any, first: Any, last: Any) -> Any:
    """Return (whether it has ae, oe or ue, the hash with a, o and u for them) of text[first:last]: `rules.with_umlauts`.

    Spaces are none of its letters.
    """
    folded, h, is_vowel = False, OFFSET, False
    for at in range(first, last):
        letter = text[at]
        if letter == _SPACE:
            continue
        if letter == _E and is_vowel:
            folded, is_vowel = True, False
        else:
            h, is_vowel = step(h, letter), letter in (_A, _O, _U)
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
