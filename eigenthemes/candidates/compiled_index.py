"""The name index as the compiled look-up reads it, and the words of mentions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates import rules
from eigenthemes.candidates.compiled_spelling import families_of, no_families
from eigenthemes.candidates.other_words import OtherWords
from eigenthemes.core.array_kernels import OFFSET, find, finish, may_hold, other_form, shift_of, step
from eigenthemes.core.jit import kernel
from eigenthemes.core.prefetch import prefetch_bit, prefetch_entry
from eigenthemes.kb.name_arrays import LabelWords, NameIndexArrays


class Endings(NamedTuple):
    """`rules.ENDINGS`; those that a last letter allows are rules[indptr[letter]:indptr[letter + 1]]."""

    letters: Any  # [rules, 2, 4] uint8: ending of the mention, ending of the name
    lengths: Any  # [rules, 3] int64: their lengths, letters before
    indptr: Any  # [257] int64
    rules: Any


class Tokens(NamedTuple):
    """The vocabulary."""

    hashes: Any
    buckets: Any
    blob: Any
    offsets: Any
    common: Any  # [tokens] bool: `rules.is_common`


class Postings(NamedTuple):
    """The entities of each token."""

    indptr: Any
    entities: Any
    in_label: Any
    begins: Any  # [postings] bool: the label begins with the token


class Keys(NamedTuple):
    """The entities of each squashed name."""

    hashes: Any
    buckets: Any
    indptr: Any
    entities: Any
    kinds: Any
    filter: Any


class Typos(NamedTuple):
    """Tokens at one edit, as in `eigenthemes.kb.name_arrays.TypoIndex`."""

    indptr: Any
    members: Any
    checks: Any
    filter: Any


class Names(NamedTuple):
    """The words of names: `eigenthemes.kb.name_arrays.LabelWords`."""

    names: Any
    indptr: Any
    tokens: Any


class Index(NamedTuple):
    """The name index; see `eigenthemes.kb.name_arrays.NameIndexArrays`."""

    entities: Any
    least_tenths: Any  # `rules.Sharing`
    most_sharing: Any
    fills_up: Any
    endings: Any
    tokens: Any
    postings: Any
    keys: Any
    typos: Any
    names: Any
    families: Any
    other_words: Any  # `OtherWords`


def index_of(
    names: NameIndexArrays,
    label_words: LabelWords,
    entities: int,
    *,
    has_families: bool,
    other_words: OtherWords,
    sharing: rules.Sharing,
) -> Index:
    """Return the index of a KB, ready for `compiled.find_candidates`."""
    return Index(
        np.int64(entities),
        np.int64(sharing.tenths),
        np.int64(sharing.most),
        sharing.fills_up,
        _endings(),
        Tokens(
            names.token_table.hashes,
            names.token_table.buckets,
            names.tokens.blob,
            names.tokens.offsets,
            rules.are_common(entities, np.diff(names.postings_indptr)),
        ),
        Postings(names.postings_indptr, names.postings, names.in_label, _begins(names, label_words, entities)),
        Keys(
            names.key_table.hashes,
            names.key_table.buckets,
            names.key_indptr,
            names.key_entities,
            names.key_kinds,
            names.key_filter,
        ),
        Typos(names.typos.indptr, names.typos.members, names.typos.checks, names.typos.filter),
        Names(label_words.names, label_words.indptr, label_words.tokens),
        families_of(names.tokens) if has_families else no_families(),
        other_words,
    )


def _begins(names: NameIndexArrays, label_words: LabelWords, entities: int) -> NDArray[np.bool_]:
    """Return for each entity with a token whether its label begins with it [postings]."""
    first = label_words.first(np.arange(entities, dtype=np.uint32)).astype(np.int32)
    token = np.repeat(np.arange(len(names.tokens), dtype=np.int32), np.diff(names.postings_indptr))
    return np.asarray(first[names.postings] == token)


def _endings() -> Endings:
    count = len(rules.ENDINGS)
    letters, lengths = np.zeros((count, 2, 4), dtype=np.uint8), np.zeros((count, 3), dtype=np.int64)
    for row, (of_mention, of_name, letters_before) in enumerate(rules.ENDINGS):
        for side, text in enumerate((of_mention, of_name)):
            letters[row, side, : len(text)] = list(text.encode())
        lengths[row] = len(of_mention), len(of_name), letters_before
    indptr, allowed = rules.by_last_letter([of_mention for of_mention, _, _ in rules.ENDINGS])
    return Endings(letters, lengths, indptr, allowed)


BLOCK = 32  # mentions at a time
_SPACE = np.uint8(32)


class Mention(NamedTuple):
    """The words of a mention, or of several one after the other: where they stand, and their tokens; -1: unknown."""

    starts: Any
    ends: Any
    hashes: Any
    tokens: Any


class Block(NamedTuple):
    """A block of mentions: their words and their keys in the name index."""

    words: Any  # `Mention` of all
    first: Any  # [BLOCK + 1]: the first word of each
    size: Any  # [BLOCK]: how many bytes it has, without spaces
    hashes: Any  # [BLOCK] uint64: their hash
    key: Any  # [BLOCK]: its key; -1: it is no whole name
    other_hashes: Any  # [BLOCK, rules] uint64: the hashes of the mention with other endings that may be keys
    others: Any  # [BLOCK]: how many there are
    letters: Any  # scratch: a mention without spaces, and the state of the hash after each byte
    states: Any


def block_buffers(longest: int, rules: int) -> Block:
    """Allocate buffers for mentions of up to `longest` bytes and the hashes of `rules` endings."""
    words = BLOCK * (longest // 2 + 1)
    return Block(
        Mention(
            np.empty(words, np.int64),
            np.empty(words, np.int64),
            np.empty(words, np.uint64),
            np.empty(words, np.int64),
        ),
        np.empty(BLOCK + 1, np.int64),
        np.empty(BLOCK, np.int64),
        np.empty(BLOCK, np.uint64),
        np.empty(BLOCK, np.int64),
        np.empty((BLOCK, rules), np.uint64),
        np.empty(BLOCK, np.int64),
        np.empty(longest, np.uint8),
        np.empty(longest + 1, np.uint64),
    )


@kernel
def read_block(text: Any, starts: Any, ends: Any, index: Any, block: Any) -> None:
    """Read the mentions text[starts[i]:ends[i]], `BLOCK` at most."""
    words = 0
    for i in range(len(starts)):
        block.first[i] = words
        words, block.size[i] = _split(text, starts[i], ends[i], words, index.tokens.buckets, block)
        block.hashes[i] = finish(block.states[block.size[i]])
        prefetch_entry(index.keys.buckets, block.hashes[i] >> shift_of(index.keys.buckets))
        block.others[i] = 0
        if block.size[i] > 0:
            block.others[i] = _other_forms(
                index.endings, block.letters[: block.size[i]], block.states, index.keys.filter, block.other_hashes[i]
            )
    block.first[len(starts)] = words
    _find_tokens(words, block.words.hashes, block.words.tokens, index.tokens, index.postings)
    _find_keys(len(starts), block, index.keys)


@kernel
def _split(text: Any, first: Any, last: Any, words: Any, buckets: Any, block: Any) -> Any:
    """Write the words of a mention after those there: (words there then, bytes of the mention without spaces)."""
    starts, ends, hashes, letters, states = (
        block.words.starts,
        block.words.ends,
        block.words.hashes,
        block.letters,
        block.states,
    )
    begin, size, h, of_all = first, 0, OFFSET, OFFSET
    shift = shift_of(buckets)
    states[0] = OFFSET
    for i in range(first, last + 1):
        if i < last and text[i] != _SPACE:
            h, of_all = step(h, text[i]), step(of_all, text[i])
            letters[size] = text[i]
            size += 1
            states[size] = of_all
            continue
        if i > begin:
            starts[words], ends[words], hashes[words] = begin, i, finish(h)
            prefetch_entry(buckets, hashes[words] >> shift)
            words += 1
        begin, h = i + 1, OFFSET
    return words, size


@kernel
def _other_forms(endings: Any, word: Any, states: Any, bits: Any, hashes: Any) -> Any:
    """Write the hashes of a mention with other endings, in the order of the rules, and ask for their bits; returns how many."""
    count, last_letter = 0, np.int64(word[-1])
    for entry in range(endings.indptr[last_letter], endings.indptr[last_letter + 1]):
        applies, h = other_form(endings.letters, endings.lengths, endings.rules[entry], word, states)
        if applies:
            prefetch_bit(bits, h)
            hashes[count] = h
            count += 1
    return count


@kernel
def _find_tokens(words: Any, hashes: Any, found: Any, tokens: Any, postings: Any) -> None:
    """Look words up, and ask for the entities that have them."""
    shift = shift_of(tokens.buckets)
    for w in range(words):
        prefetch_entry(tokens.hashes, tokens.buckets[np.int64(hashes[w] >> shift)])
    for w in range(words):
        found[w] = find(hashes[w], tokens.hashes, tokens.buckets, shift)
        prefetch_entry(postings.indptr, max(0, found[w]))
    for w in range(words):
        if found[w] >= 0:
            prefetch_entry(postings.entities, postings.indptr[found[w]])


@kernel
def _find_keys(mentions: Any, block: Any, keys: Any) -> None:
    """Look whole mentions up, and ask for the entities they are names of; of other endings, leave what may be a name."""
    shift = shift_of(keys.buckets)
    for i in range(mentions):
        prefetch_entry(keys.hashes, keys.buckets[np.int64(block.hashes[i] >> shift)])
    for i in range(mentions):
        block.key[i] = find(block.hashes[i], keys.hashes, keys.buckets, shift)
        prefetch_entry(keys.indptr, max(0, block.key[i]))
        held, hashes = 0, block.other_hashes[i]
        for f in range(block.others[i]):
            if may_hold(hashes[f], keys.filter):
                hashes[held] = hashes[f]
                prefetch_entry(keys.buckets, hashes[held] >> shift)
                held += 1
        block.others[i] = held
    for i in range(mentions):
        if block.key[i] >= 0:
            prefetch_entry(keys.entities, keys.indptr[block.key[i]])
            prefetch_entry(keys.kinds, keys.indptr[block.key[i]])
        for f in range(block.others[i]):
            prefetch_entry(keys.hashes, keys.buckets[np.int64(block.other_hashes[i, f] >> shift)])
