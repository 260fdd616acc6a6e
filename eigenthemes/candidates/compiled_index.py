"""The name index of a KB as the compiled look-up takes it: arrays in tuples, by what they are read for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates import rules
from eigenthemes.candidates.compiled_families import families_of, no_families
from eigenthemes.candidates.other_words import OtherWords
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
    """The tokens a slip of the pen away: `eigenthemes.kb.name_arrays.TypoIndex`."""

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
