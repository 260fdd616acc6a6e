"""Spelling of a mention compared with the names of a candidate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import lists_of, read_only
from eigenthemes.core.jit import kernel
from eigenthemes.core.strings import Strings
from eigenthemes.kb.name_arrays import ACRONYM, ALIAS, INITIALS, UNBRACKETED, WHOLE
from eigenthemes.names import alignment, token_model
from eigenthemes.names.name_index import letters_of
from eigenthemes.names.retrieval import CONTAINS, MISSPELLED, OTHER_FORM, REMEMBERED, SHARES
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext, LocalGroup, about_length

_MATCH_TYPES = {
    "alias": (ALIAS, "1 where the name matched an alias; all match types are against \"is the label\""),
    "unbracketed": (UNBRACKETED, "the label without what stands in brackets, or turned round at its commas"),
    "initials": (INITIALS, "the label with initials for first names"),
    "acronym": (ACRONYM, "an acronym of the label"),
    "other_form": (OTHER_FORM, "a name in other forms of its words (\"German\" for Germany)"),
    "contains": (CONTAINS, "names that contain all words of the mention"),
    "shares": (SHARES, "names that share some words with the mention"),
    "typo": (MISSPELLED, "a name of similar spelling"),
}  # fmt: skip
_SPELLING = {
    "cased": "a whole name, written in the same letters: TP53 is not Trp53, Apple is not apple",
    "covered": "the share of a name's words that the mention has, as a part of it; 1 for a whole name",
    "begins": "a longer name begins with the mention",
    "ends": "a longer name ends with the mention",
    "in_label": "the label contains the mention",
    "overlap": "words that the mention and a name share, as a part of all their words; 0 where a name has all of them",
}
# the alignment comes first, where `nil` looks for it
_COLUMNS = {
    **alignment.COLUMNS,
    **{column: meaning for column, (_, meaning) in _MATCH_TYPES.items()},
    **_SPELLING,
    "name_words": "log of the number of words of the mention, without articles and titles in front and legal forms at the end",
}
_ALIGNED, _TYPED = len(alignment.COLUMNS), len(alignment.COLUMNS) + len(_MATCH_TYPES)
_GIVEN = np.array((alignment.NAME_COVERAGE, alignment.FORM_COVERAGE, alignment.COVERAGE, alignment.SAME_NAME))
_STEPS = 25  # of comparing a mention with one name, in plain Python
_COVERED = list(_COLUMNS).index("covered")
_OF_MATCH_TYPE = np.zeros((256, len(_MATCH_TYPES)), np.float32)  # the columns of each match type
for _number, (_match_type, _) in enumerate(_MATCH_TYPES.values()):
    _OF_MATCH_TYPE[_match_type, _number] = 1


def compute(groups: MentionGroups, context: FeatureContext) -> NDArray[np.float32]:
    """Compute match types and the position of mentions within names [n, c]."""
    match_type = groups.batch.table.match_type[groups.table_row]
    columns = np.empty((len(groups.table_row), len(_COLUMNS)), np.float32)
    columns[:, _ALIGNED:_TYPED] = np.take(_OF_MATCH_TYPE, match_type, axis=0)
    indptr, words = lists_of(groups.words, groups.name_of)
    steps = _STEPS * about_length(context.spelled[0], groups.entity)
    tokens = context.tokens(words)
    forms = token_model.analyse(lambda group: groups.names[groups.name_of[group]], indptr, tokens, context.token_model)
    cores = forms.without_naming
    columns[:, -1] = np.log(np.maximum(1, np.diff(cores[0])))[groups.group]
    columns[:, _TYPED:-1] = spelling.select_backend(steps)(
        cores,
        _letters(groups),
        groups.bounds,
        groups.entity,
        match_type,
        (WHOLE, SHARES, MISSPELLED),
        context.spelled,
    )
    columns[:, :_ALIGNED] = alignment.align.select_backend(steps)(
        forms.arrays, groups.bounds, groups.entity, match_type <= WHOLE, *context.aligned_with
    )
    given = groups.batch.brings_candidates[groups.first_mention][groups.group]
    given |= match_type == REMEMBERED
    if given.any():  # whoever gave them has compared names already, with more than the KB's
        columns[given] = 0
        columns[given, _COVERED] = 1
        columns[np.ix_(given, _GIVEN)] = 1
    return columns


def _letters(groups: MentionGroups) -> NDArray[np.uint64]:
    """Return the hash of the letters of each group's name, with letter case [m]."""
    from eigenthemes.kb.name_arrays import hash_letters

    names = map(groups.batch.names.__getitem__, groups.first_mention.tolist())
    written = Strings.of(name if name.isascii() else letters_of(name) for name in names)
    return np.asarray(
        hash_letters.select_backend(len(written.blob))(read_only(written.blob), written.offsets[:-1], written.offsets[1:])
    )


GROUP = LocalGroup(name="name", columns=_COLUMNS, compute=compute, weakness="its name fits less well")


CASED, COVERED, BEGINS, ENDS, IN_LABEL, SPELLING_OVERLAP = range(6)  # columns of the result


@kernel
def spelling(mentions: Any, letters: Any, bounds: Any, entity: Any, match_type: Any, kinds: Any, names: Any) -> Any:
    """Compare m mentions with the names of their candidates, those of mention i in bounds[i]:bounds[i + 1]; [n, 6] float32.

    mentions  (indptr [m + 1], tokens int64; -1: unknown to the KB); letters [m] uint64, as `SpelledNames.letters`
    entity    [n] int64; match_type [n] uint8: how its name matched
    kinds     of match types: the first and better ones are by a whole name, by the two others names share some words only
    names     (names of each entity, then the arrays of `SpelledNames`) of the KB

    CASED             matched by a whole name, and one is written in the same letters, capitals and all
    COVERED           the share of a name's words that the mention has, as a part of it; 1 for a whole name
    BEGINS, ENDS      a name begins, ends with the mention; IN_LABEL: the label contains it
    OVERLAP           of names that share some words only: words in both the mention and a name, by words in either
    """
    columns = np.zeros((len(entity), 6), np.float32)
    indptr, tokens = mentions
    names_of, name_indptr, name_tokens, name_letters = names[0], names[1], names[2], names[3]
    for mention in range(len(bounds) - 1):
        begin, size = indptr[mention], indptr[mention + 1] - indptr[mention]
        for row in range(bounds[mention], bounds[mention + 1]):
            first, last = names_of[entity[row]], names_of[entity[row] + 1]
            if match_type[row] <= kinds[0]:
                columns[row, COVERED] = 1
                for name in range(first, last):
                    if name_letters[name] == letters[mention]:
                        columns[row, CASED] = 1
                        break
            elif match_type[row] == kinds[1] or match_type[row] == kinds[2]:
                for name in range(first, last):
                    start, end, common = name_indptr[name], name_indptr[name + 1], 0
                    for i in range(begin, begin + size):
                        for k in range(start, end):
                            if tokens[i] == np.int64(name_tokens[k]):
                                common += 1
                                break
                    if common:
                        overlap = np.float32(common / max(1, size + end - start - common))
                        columns[row, SPELLING_OVERLAP] = max(columns[row, SPELLING_OVERLAP], overlap)
            elif size > 0:  # all names are looked through at once: few of their words are the first word of the mention
                name = first
                for at in range(name_indptr[first], name_indptr[last]):
                    if np.int64(name_tokens[at]) != tokens[begin]:
                        continue
                    while name_indptr[name + 1] <= at:
                        name += 1
                    same = at + size <= name_indptr[name + 1]
                    for k in range(1, size if same else 1):
                        same = same and np.int64(name_tokens[at + k]) == tokens[begin + k]
                    if same:
                        covered = np.float32(size / (name_indptr[name + 1] - name_indptr[name]))
                        columns[row, COVERED] = max(columns[row, COVERED], covered)
                        if at == name_indptr[name]:
                            columns[row, BEGINS] = 1
                        if at + size == name_indptr[name + 1]:
                            columns[row, ENDS] = 1
                        if name == first:
                            columns[row, IN_LABEL] = 1
    return columns
