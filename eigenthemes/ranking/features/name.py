"""Spelling of a mention compared with the names of a candidate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.name_index import letters_of
from eigenthemes.candidates.rules import CONTAINS, ENDING, OVERLAP, REMEMBERED, SHARES, SPELLING, TYPO, WORDING
from eigenthemes.core.arrays import lists_of, read_only
from eigenthemes.core.strings import Strings
from eigenthemes.kb.name_arrays import ACRONYM, ALIAS, INITIALS, UNBRACKETED, WHOLE
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext, about_length
from eigenthemes.ranking.features.feature_group import LocalGroup

_MATCH_TYPES = {
    "alias": (ALIAS, "1 where the name matched an alias; all match types are against \"is the label\""),
    "unbracketed": (UNBRACKETED, "the label without what stands in brackets, or turned round at its commas"),
    "initials": (INITIALS, "the label with initials for first names"),
    "acronym": (ACRONYM, "an acronym of the label"),
    "ending": (ENDING, "a name with another ending (\"German\" for Germany)"),
    "contains": (CONTAINS, "names that contain all words of the mention"),
    "shares": (SHARES, "names that share some words with the mention"),
    "typo": (TYPO, "a name of similar spelling"),
    "spelling": (SPELLING, "a whole name, but for a slip of the pen, umlauts that are spelled out, or one word for another"),
}  # fmt: skip
_SPELLING = {
    "cased": "a whole name, written in the same letters: TP53 is not Trp53, Apple is not apple",
    "covered": "the share of a name's words that the mention has, as a part of it; 1 for a whole name",
    "begins": "a longer name begins with the mention",
    "ends": "a longer name ends with the mention",
    "in_label": "the label contains the mention",
    OVERLAP: "words that the mention and a name share, as a part of all their words; 0 where a name has all of them",
}
_COLUMNS = {**{column: meaning for column, (_, meaning) in _MATCH_TYPES.items()}, **_SPELLING}
_STEPS = 25  # of comparing a mention with one name, in plain Python
_COVERED = list(_COLUMNS).index("covered")
_OF_MATCH_TYPE = np.zeros((256, len(_MATCH_TYPES)), np.float32)  # the columns of each match type
for _number, (_match_type, _) in enumerate(_MATCH_TYPES.values()):
    _OF_MATCH_TYPE[_match_type, _number] = 1


def compute(groups: MentionGroups, context: FeatureContext) -> NDArray[np.float32]:
    """Compute match types and the position of mentions within names [n, c]."""
    from eigenthemes.kernels.spelling import spelling

    match_type = groups.batch.table.match_type[groups.table_row]
    match_type = np.where(match_type == WORDING, SPELLING, match_type).astype(match_type.dtype)
    columns = np.empty((len(groups.table_row), len(_COLUMNS)), np.float32)
    columns[:, : len(_MATCH_TYPES)] = np.take(_OF_MATCH_TYPE, match_type, axis=0)
    indptr, words = lists_of(groups.words, groups.name_of)
    compare = spelling.select_backend(_STEPS * about_length(context.spelled[0], groups.entity))
    columns[:, len(_MATCH_TYPES) :] = compare(
        (indptr, context.tokens(words)),
        _letters(groups),
        groups.bounds,
        groups.entity,
        match_type,
        WHOLE,
        (SHARES, TYPO),
        context.spelled,
    )
    given = groups.batch.brings_candidates[groups.first_mention][groups.group]
    given |= match_type == REMEMBERED
    if given.any():  # whoever gave them has compared names already, with more than the KB's
        columns[given] = 0
        columns[given, _COVERED] = 1
    return columns


def _letters(groups: MentionGroups) -> NDArray[np.uint64]:
    """Return the hash of the letters of each group's name, with letter case [m]."""
    from eigenthemes.kernels.name_words import hash_letters

    names = map(groups.batch.names.__getitem__, groups.first_mention.tolist())
    written = Strings.of(name if name.isascii() else letters_of(name) for name in names)
    return np.asarray(
        hash_letters.select_backend(len(written.blob))(read_only(written.blob), written.offsets[:-1], written.offsets[1:])
    )


GROUP = LocalGroup(name="name", columns=_COLUMNS, compute=compute, weakness="its name fits less well")
