"""Align a form with the names of an entity: which tokens are paired, which are missing, and which are too many.

Tokens are paired by the strongest relation there is: the same, two that are one when put together, related ones
(`token_model`), an initial. Information is in bits:

    name coverage = sum of r I(t) over paired tokens of the name / (their information + cost of what is missing)
    form coverage = the same for the form, with the cost of what is too much

where r is the strength of the relation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.arrays import read_only
from eigenthemes.core.jit import kernel
from eigenthemes.kb.store import KB
from eigenthemes.names.token_model import (
    DERIVED,
    LEAST_INFORMATION,
    MOST_TOKENS,
    NAMED_BEFORE,
    SAME,
    STRENGTH,
    TYPO,
    WEAK,
    TokenModel,
)
from eigenthemes.names.weak_words import COST_OF_FUNCTION, COST_OF_NAMING, FUNCTION, LEGAL_FORM, TITLE

COLUMNS = {
    "name_coverage": "the share of the information of a name that the mention has; weak words (articles, titles, legal forms) "
    "count 3 %",
    "form_coverage": "the share of the information of the mention that the name has",
    "coverage": "the product of both, of the name for which it is highest",
    "missing": "log of 1 + the bits of the name that are missing",
    "extra": "log of 1 + the bits that the mention has beside the name",
    "same_name": "nothing is missing, and nothing is too much",
    "misspelled": "words of the mention with a typo",
    "inflected": "words in another form",
    "derived": 'words that are derived from those of the name ("German" for Germany)',
    "initial": "words of which there is only an initial",
    "reordered": "words in another order",
    "other_kind": "a title before a name of one word, or a legal form behind a name that has none",
    "weaker": "another candidate has a name that fits much better",
}
NAME_COVERAGE, FORM_COVERAGE, COVERAGE, MISSING, EXTRA, SAME_NAME = range(6)
MISSPELLED, INFLECTED, DERIVED_WORDS, INITIAL, REORDERED, OTHER_KIND, WEAKER = range(6, len(COLUMNS))
WIDTH = len(COLUMNS)
MUCH_WEAKER = np.float32(0.3)  # share of the best coverage: "Mr Baker" is no "Mr. Farage", and sixteen of them make it no NIL

MOST_NAMES = 32  # of an entity
# relations that only an alignment finds, and how much of the information of their tokens counts
JOINED, INITIALS = len(STRENGTH), len(STRENGTH) + 1
STRENGTHS = np.append(STRENGTH, np.array((0.99, 0.5), np.float32))
_NEARLY_ALL = np.float32(0.999)
_ZERO, _ONE, _LEAST = np.float32(0), np.float32(1), np.float32(LEAST_INFORMATION)
_NAMING, _FUNCTION = np.float32(COST_OF_NAMING), np.float32(COST_OF_FUNCTION)
_UNBRACKETED = np.float32(0.97)  # the share that a name has of itself where what is in its brackets is missing
# of tokens, by their low bits: whether a token of the form is the same, or may be related
_MARKS, _IS_SAME, _IS_OTHER = 1024, np.uint8(1), np.uint8(2)
_MOST_OTHERS = 32  # tokens related to one of a form
_MOST_LETTERS = 1024  # bytes of the tokens of a form that may be two in one


def names_and_tokens(kb: KB) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the arrays of a KB that `align` compares with."""
    model, spelled, strings = kb.cached(TokenModel.of), kb.spelled_names, kb.name_index.tokens
    return (
        (kb.array("entity_names"), spelled.indptr, spelled.tokens, model.brackets, model.name_costs),
        (model.information, model.kinds, *model.related, strings.offsets, read_only(strings.blob), model.initials),
    )


@kernel
def align(forms: Any, bounds: Any, entity: Any, is_whole: Any, names: Any, tokens: Any) -> Any:
    """Align m forms with the names of their candidates, those of form i in bounds[i]:bounds[i + 1]; [n, 13] float32.

    forms     the arrays of `token_model.Forms`
    entity    [n] int64; is_whole [n] bool: the form is a name of the entity, and nothing has to be compared
    names     (names of each entity, tokens of each name: indptr and tokens, brackets, costs)
    tokens    (information, kinds, related: indptr, tokens and relations, letters: offsets and bytes, first letters) of the KB

    Most forms and names differ by strong words that are not related: these are compared right here. What others need to know of
    a form is copied first: numba counts references to each array that a kernel is given, which takes longer than comparing.
    """
    columns, best = np.zeros((len(entity), WIDTH), np.float32), np.zeros(WIDTH, np.float32)
    pair, relation = np.zeros(MOST_TOKENS, np.int64), np.zeros(MOST_TOKENS, np.int64)
    taken, marks, letters = np.zeros(MOST_TOKENS, np.bool_), np.zeros(_MARKS, np.uint8), np.zeros(256, np.uint8)
    others, spelled = np.zeros((3, MOST_TOKENS * _MOST_OTHERS), np.int64), np.zeros(_MOST_LETTERS, np.uint8)
    sizes = np.zeros(MOST_TOKENS + 1, np.int64)
    form_indptr, form_token, form_information, form_cost = forms[0], forms[1], forms[2], forms[3]
    entity_names, name_indptr, name_tokens, brackets, name_costs = names
    information, kinds, offsets, blob, initials, named = tokens[0], tokens[1], tokens[5], tokens[6], tokens[7], forms[9]
    for form in range(len(bounds) - 1):
        first, size = form_indptr[form], min(MOST_TOKENS, form_indptr[form + 1] - form_indptr[form])
        of_form = _ZERO
        marks[:] = letters[:] = 0
        many, has_letters = _describe(forms, first, size, tokens, marks, letters, others, sizes, spelled)
        for i in range(size):
            of_form += form_cost[first + i]
        for row in range(bounds[form], bounds[form + 1]):
            if is_whole[row]:
                columns[row, NAME_COVERAGE] = columns[row, FORM_COVERAGE] = columns[row, COVERAGE] = 1
                continue
            begin = entity_names[entity[row]]
            for name in range(begin, min(begin + MOST_NAMES, entity_names[entity[row] + 1])):
                start = name_indptr[name]
                length, marked = min(MOST_TOKENS, name_indptr[name + 1] - start), np.uint8(0)
                for j in range(length):
                    token = np.int64(name_tokens[start + j])
                    marked |= marks[token % _MARKS]
                    if has_letters:
                        marked |= letters[initials[token]]
                if marked == 0:
                    continue
                shared, has_weak, last, in_order = 0, False, -1, True
                paired, extra, missing = _ZERO, of_form, name_costs[name]
                for i in range(size):
                    pair[i], token = -1, form_token[first + i]
                    for j in range(length if token >= 0 else 0):
                        if np.int64(name_tokens[start + j]) == token and (shared == 0 or not _is_paired(pair, i, j)):
                            pair[i], in_order, last = j, in_order and j > last, j
                            shared += 1
                            has_weak = has_weak or kinds[token] & WEAK != 0 or j >= brackets[name]
                            paired += information[token]
                            extra -= form_cost[first + i]
                            missing -= information[token]
                            break
                may_relate = marked & _IS_OTHER != 0 and shared < size and shared < length
                if has_weak or may_relate:
                    for j in range(length):
                        taken[j] = False
                    for i in range(size):
                        if pair[i] >= 0:
                            relation[i], taken[pair[i]] = SAME, True
                    of_name = name_tokens[start : start + length]
                    if shared < size and shared < length:
                        shared += _pair_related(
                            size, of_name, others, many, sizes, spelled, offsets, blob, initials, pair, relation, taken
                        )
                    if shared == 0:
                        continue
                    of_form_tokens = form_information[first : first + size], form_cost[first : first + size]
                    _measure(of_form_tokens, of_name, brackets[name], information, kinds, pair, relation, taken, best)
                elif shared > 0:
                    extra, missing = max(extra, _ZERO), max(missing, _ZERO)
                    best[NAME_COVERAGE], best[FORM_COVERAGE] = paired / (paired + missing), paired / (paired + extra)
                    if brackets[name] < length:
                        best[NAME_COVERAGE] *= _UNBRACKETED
                    best[COVERAGE] = best[NAME_COVERAGE] * best[FORM_COVERAGE]
                    best[MISSING], best[EXTRA], best[REORDERED] = missing, extra, not in_order
                    best[MISSPELLED], best[INFLECTED], best[DERIVED_WORDS], best[INITIAL] = _ZERO, _ZERO, _ZERO, _ZERO
                else:
                    continue
                best[OTHER_KIND] = (named[form] & TITLE != 0 and length == 1) or (
                    named[form] & LEGAL_FORM != 0 and kinds[np.int64(name_tokens[start + length - 1])] & LEGAL_FORM == 0
                )
                if best[COVERAGE] > columns[row, COVERAGE]:
                    for column in range(WEAKER):
                        columns[row, column] = best[column]
            # in double precision, which numpy and numba round alike
            columns[row, MISSING] = np.log1p(np.float64(columns[row, MISSING]))
            columns[row, EXTRA] = np.log1p(np.float64(columns[row, EXTRA]))
        _mark_weaker(columns, bounds[form], bounds[form + 1])
    return columns


@kernel
def _describe(
    forms: Any, first: Any, size: Any, tokens: Any, marks: Any, letters: Any, others: Any, sizes: Any, spelled: Any
) -> Any:
    """Write what the tokens of a form may be paired with; returns how many relations, and whether first letters matter.

    marks    of tokens, by their low bits; letters: of first letters, where a token may be an initial, or be two in one
    others   [3, n] related tokens: the place in the form, the token of the KB, the relation; each form's own relations first
    sizes    where the letters of each token begin in `spelled`
    """
    many, has_letters = 0, False
    sizes[0] = 0
    for i in range(size):
        at, token = first + i, forms[1][first + i]
        if token >= 0:
            marks[token % _MARKS] |= _IS_SAME
            begin, end, related, relations = tokens[2][token], tokens[2][token + 1], tokens[3], tokens[4]
            word = tokens[6][tokens[5][token] : tokens[5][token + 1]]
        else:
            begin, end, related, relations = forms[4][at], forms[4][at + 1], forms[5], forms[6]
            word = forms[8][forms[7][at] : forms[7][at + 1]]
        for k in range(begin, min(end, begin + _MOST_OTHERS)):
            others[0, many], others[1, many], others[2, many] = i, related[k], relations[k]
            marks[others[1, many] % _MARKS] |= _IS_OTHER
            many += 1
        if len(word) == 1 or (token < 0 and len(word) > 0):
            letters[word[0]] = _IS_OTHER
            has_letters = True
        sizes[i + 1] = sizes[i]
        if sizes[i] + len(word) <= len(spelled):
            for k in range(len(word)):
                spelled[sizes[i] + k] = word[k]
            sizes[i + 1] += len(word)
    return many, has_letters


@kernel
def _mark_weaker(columns: Any, first: Any, last: Any) -> None:
    """Mark the candidates of a form whose names are the same, and those that fit much worse than the best one."""
    best = _ZERO
    for row in range(first, last):
        best = max(best, columns[row, COVERAGE])
    for row in range(first, last):
        columns[row, SAME_NAME] = columns[row, COVERAGE] >= _NEARLY_ALL
        columns[row, WEAKER] = columns[row, COVERAGE] < MUCH_WEAKER * best


@kernel
def _pair_related(
    size: Any,
    name: Any,
    others: Any,
    many: Any,
    sizes: Any,
    spelled: Any,
    offsets: Any,
    blob: Any,
    initials: Any,
    pair: Any,
    relation: Any,
    taken: Any,
) -> Any:
    """Pair the tokens of a form and a name that are left by the strongest relation; returns how many of the form."""
    paired, length = 0, len(name)
    for i in range(size):
        strongest, at, found = _ZERO, -1, SAME
        letters = sizes[i + 1] - sizes[i]
        for j in range(length if pair[i] < 0 else 0):
            if taken[j]:
                continue
            token = np.int64(name[j])
            other: Any = SAME
            for k in range(many):
                if others[0, k] == i and others[1, k] == token:
                    other = others[2, k]
                    break
            if other == SAME and letters > 0 and initials[token] == spelled[sizes[i]]:
                is_letter = offsets[token + 1] - offsets[token] == 1
                other = np.int64(INITIALS) if is_letter != (letters == 1) else SAME
            if other > SAME and STRENGTHS[other] > strongest:
                strongest, at, found = STRENGTHS[other], j, other
        if at >= 0:
            pair[i], relation[i], taken[at] = at, found, True
            paired += 1
    for i in range(size - 1):  # two tokens of the form are one of the name
        for j in range(length if pair[i] < 0 and pair[i + 1] < 0 else 0):
            begin, end = offsets[np.int64(name[j])], offsets[np.int64(name[j]) + 1]
            if pair[i] < 0 and not taken[j] and _is_same(spelled, sizes[i], sizes[i + 2], blob, begin, end):
                pair[i] = pair[i + 1] = j
                relation[i] = relation[i + 1] = JOINED
                taken[j] = True
                paired += 2
    for j in range(length - 1):  # one token of the form is two of the name
        one, two = np.int64(name[j]), np.int64(name[j + 1])
        middle, end = offsets[one + 1] - offsets[one], offsets[two + 1] - offsets[two]
        for i in range(size if not taken[j] and not taken[j + 1] else 0):
            if (
                pair[i] < 0
                and not taken[j]
                and sizes[i + 1] - sizes[i] == middle + end
                and _is_same(spelled, sizes[i], sizes[i] + middle, blob, offsets[one], offsets[one + 1])
                and _is_same(spelled, sizes[i] + middle, sizes[i + 1], blob, offsets[two], offsets[two + 1])
            ):
                pair[i], relation[i] = j, JOINED
                taken[j] = taken[j + 1] = True
                paired += 1
    return paired


@kernel
def _is_same(one: Any, first: Any, last: Any, other: Any, begin: Any, end: Any) -> Any:
    """Return whether one[first:last] and other[begin:end] are the same, and not empty."""
    if last - first != end - begin or last == first:
        return False
    for k in range(last - first):  # noqa: SIM110, numba knows no generators
        if one[first + k] != other[begin + k]:
            return False
    return True


@kernel
def _measure(
    form: Any,
    name: Any,
    brackets: Any,
    information: Any,
    kinds: Any,
    pair: Any,
    relation: Any,
    taken: Any,
    columns: Any,
) -> None:
    """Write the columns of a form (information and cost of its tokens) and a name (its tokens) that are paired."""
    of_form, all_of_form, of_name, all_of_name, extra, missing = _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO
    typos, inflected, derived, initials, reordered, last = _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, -1
    size, length = len(form[0]), len(name)
    for i in range(size):
        if pair[i] < 0:
            extra += form[1][i]
            continue
        strength = STRENGTHS[relation[i]]
        of_form += strength * form[0][i]
        all_of_form += form[0][i]
        if i == 0 or pair[i] != pair[i - 1]:
            of_token = information[np.int64(name[pair[i]])]
            after = pair[i] + 1
            if relation[i] == JOINED and after < length and taken[after] and not _is_paired(pair, size, after):
                of_token += information[np.int64(name[after])]
            of_name += strength * of_token
            all_of_name += of_token
        typos += TYPO <= relation[i] < JOINED
        inflected += SAME < relation[i] < DERIVED
        derived += relation[i] == DERIVED
        initials += relation[i] == INITIALS
        reordered += pair[i] < last
        last = pair[i]
    begin, end, whole = 0, length, _ONE
    while end - begin > 1 and kinds[np.int64(name[begin])] & NAMED_BEFORE:
        begin += 1
    while end - begin > 1 and kinds[np.int64(name[end - 1])] & LEGAL_FORM:
        end -= 1
    for j in range(length):
        if not taken[j]:
            token = np.int64(name[j])
            if j >= brackets:
                whole = _UNBRACKETED
            elif j < begin or j >= end:
                missing += _NAMING * information[token]
            else:
                missing += (_FUNCTION if kinds[token] & FUNCTION else _ONE) * information[token]
    columns[NAME_COVERAGE] = whole * of_name / max(all_of_name + missing, _LEAST)
    columns[FORM_COVERAGE] = of_form / max(all_of_form + extra, _LEAST)
    columns[COVERAGE] = columns[NAME_COVERAGE] * columns[FORM_COVERAGE]
    columns[MISSING], columns[EXTRA] = missing, extra
    columns[MISSPELLED], columns[INFLECTED], columns[DERIVED_WORDS] = typos, inflected, derived
    columns[INITIAL], columns[REORDERED] = initials, reordered > 0


@kernel
def _is_paired(pair: Any, size: Any, token: Any) -> Any:
    """Return whether a token of the form is paired with this token of the name."""
    for i in range(size):  # noqa: SIM110
        if pair[i] == token:
            return True
    return False
