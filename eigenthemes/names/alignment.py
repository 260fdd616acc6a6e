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
    "count a tenth",
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
NO_LETTER = 255
_NEARLY_ALL = np.float32(0.999)
_ZERO, _ONE, _LEAST = np.float32(0), np.float32(1), np.float32(LEAST_INFORMATION)
_NAMING, _FUNCTION = np.float32(COST_OF_NAMING), np.float32(COST_OF_FUNCTION)
# of tokens, by their low bits: whether a token of the form is the same, or may be related
_MARKS, _IS_SAME, _IS_OTHER = 1024, np.uint8(1), np.uint8(2)


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

    Most forms and names differ by strong words that are not related: these are compared right here, all others by `_compare`.
    """
    columns, best = np.zeros((len(entity), WIDTH), np.float32), np.zeros(WIDTH, np.float32)
    pair, relation = np.zeros(MOST_TOKENS, np.int64), np.zeros(MOST_TOKENS, np.int64)
    taken, marks, letters = np.zeros(MOST_TOKENS, np.bool_), np.zeros(_MARKS, np.uint8), np.zeros(256, np.uint8)
    form_indptr, form_token, form_cost = forms[0], forms[1], forms[3]
    entity_names, name_indptr, name_tokens, brackets, name_costs = names
    information, kinds, initials, named = tokens[0], tokens[1], tokens[7], forms[9]
    for form in range(len(bounds) - 1):
        first, size = form_indptr[form], min(MOST_TOKENS, form_indptr[form + 1] - form_indptr[form])
        of_form, has_letters = _ZERO, False
        marks[:] = letters[:] = 0
        for i in range(size):
            of_form += form_cost[first + i]
            has_letters = _mark(forms, first + i, tokens, marks, letters) or has_letters
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
                if has_weak or (marked & _IS_OTHER != 0 and shared < size and shared < length):
                    _compare(forms, first, size, names, name, start, length, tokens, pair, relation, taken, best)
                elif shared > 0:
                    extra, missing = max(extra, _ZERO), max(missing, _ZERO)
                    best[NAME_COVERAGE], best[FORM_COVERAGE] = paired / (paired + missing), paired / (paired + extra)
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
def _mark(forms: Any, at: Any, tokens: Any, marks: Any, letters: Any) -> Any:
    """Mark the tokens that a token of a form may be paired with; returns whether some are marked by their first letter.

    Those are for initials, and for unknown words, which may be two of the name in one.
    """
    token, letter = forms[1][at], np.int64(NO_LETTER)
    if token >= 0:
        marks[token % _MARKS] |= _IS_SAME
        for k in range(tokens[2][token], tokens[2][token + 1]):
            marks[np.int64(tokens[3][k]) % _MARKS] |= _IS_OTHER
        if tokens[5][token + 1] - tokens[5][token] == 1:
            letter = np.int64(tokens[7][token])
    else:
        for k in range(forms[4][at], forms[4][at + 1]):
            marks[np.int64(forms[5][k]) % _MARKS] |= _IS_OTHER
        if forms[7][at + 1] > forms[7][at]:
            letter = np.int64(forms[8][forms[7][at]])
    if letter != NO_LETTER:
        letters[letter] = _IS_OTHER
    return letter != NO_LETTER


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
def _compare(
    forms: Any,
    first: Any,
    size: Any,
    names: Any,
    name: Any,
    start: Any,
    length: Any,
    tokens: Any,
    pair: Any,
    relation: Any,
    taken: Any,
    best: Any,
) -> None:
    """Write the columns of a form and a name, whose equal tokens are paired already."""
    paired = 0
    for j in range(length):
        taken[j] = False
    for i in range(size):
        if pair[i] >= 0:
            relation[i], taken[pair[i]] = SAME, True
            paired += 1
    if paired < size and paired < length:
        paired += _pair_related(forms, first, size, names[2], start, length, tokens, pair, relation, taken)
    best[COVERAGE] = _ZERO
    if paired > 0:
        _measure(forms, first, size, names[2], start, length, names[3][name], tokens, pair, relation, taken, best)


@kernel
def _pair_related(
    forms: Any,
    first: Any,
    size: Any,
    name_tokens: Any,
    start: Any,
    length: Any,
    tokens: Any,
    pair: Any,
    relation: Any,
    taken: Any,
) -> Any:
    """Pair the tokens that are left by the strongest relation; returns how many."""
    paired = 0
    for i in range(size):
        strongest, at, found = _ZERO, -1, SAME
        for j in range(length if pair[i] < 0 else 0):
            if not taken[j]:
                other = _relation(forms, first + i, np.int64(name_tokens[start + j]), tokens)
                if other > SAME and STRENGTHS[other] > strongest:
                    strongest, at, found = STRENGTHS[other], j, other
        if at >= 0:
            pair[i], relation[i], taken[at] = at, found, True
            paired += 1
    for i in range(size - 1):
        for j in range(length if pair[i] < 0 and pair[i + 1] < 0 else 0):
            if pair[i] < 0 and not taken[j] and _are_joined(forms, first + i, np.int64(name_tokens[start + j]), tokens):
                pair[i] = pair[i + 1] = j
                relation[i] = relation[i + 1] = JOINED
                taken[j] = True
                paired += 2
    for j in range(length - 1):
        for i in range(size if not taken[j] and not taken[j + 1] else 0):
            if pair[i] < 0 and not taken[j] and _joins(forms, first + i, name_tokens, start + j, tokens):
                pair[i], relation[i] = j, JOINED
                taken[j] = taken[j + 1] = True
                paired += 1
    return paired


@kernel
def _relation(forms: Any, at: Any, other: Any, tokens: Any) -> Any:
    """Return the relation of a token of a form to another one of a name; SAME where there is none."""
    token = forms[1][at]
    if token >= 0:
        for k in range(tokens[2][token], tokens[2][token + 1]):
            if np.int64(tokens[3][k]) == other:
                return np.int64(tokens[4][k])
    else:
        for k in range(forms[4][at], forms[4][at + 1]):
            if np.int64(forms[5][k]) == other:
                return np.int64(forms[6][k])
    word, name = _letters(forms, at, tokens), tokens[6][tokens[5][other] : tokens[5][other + 1]]
    if len(word) > 0 and len(name) > 0 and word[0] == name[0] and (len(word) == 1) != (len(name) == 1):
        return np.int64(INITIALS)
    return np.int64(SAME)


@kernel
def _letters(forms: Any, at: Any, tokens: Any) -> Any:
    """Return the letters of a token of a form."""
    token = forms[1][at]
    if token >= 0:
        return tokens[6][tokens[5][token] : tokens[5][token + 1]]
    return forms[8][forms[7][at] : forms[7][at + 1]]


@kernel
def _are_joined(forms: Any, at: Any, other: Any, tokens: Any) -> Any:
    """Return whether two tokens of a form, one after the other, are one of the name."""
    word, following = _letters(forms, at, tokens), _letters(forms, at + 1, tokens)
    return _is_join(word, following, tokens[6][tokens[5][other] : tokens[5][other + 1]])


@kernel
def _joins(forms: Any, at: Any, name_tokens: Any, start: Any, tokens: Any) -> Any:
    """Return whether a token of a form is two of the name, one after the other."""
    one, two = np.int64(name_tokens[start]), np.int64(name_tokens[start + 1])
    offsets, letters = tokens[5], tokens[6]
    first, second = letters[offsets[one] : offsets[one + 1]], letters[offsets[two] : offsets[two + 1]]
    return _is_join(first, second, _letters(forms, at, tokens))


@kernel
def _is_join(first: Any, second: Any, whole: Any) -> Any:
    if len(first) + len(second) != len(whole):
        return False
    for k in range(len(whole)):  # noqa: SIM110, numba knows no generators
        if whole[k] != (first[k] if k < len(first) else second[k - len(first)]):
            return False
    return True


@kernel
def _measure(
    forms: Any,
    first: Any,
    size: Any,
    name_tokens: Any,
    start: Any,
    length: Any,
    brackets: Any,
    tokens: Any,
    pair: Any,
    relation: Any,
    taken: Any,
    columns: Any,
) -> None:
    """Write the columns of a form and a name whose tokens are paired."""
    of_form, all_of_form, of_name, all_of_name, extra, missing = _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO
    typos, inflected, derived, initials, reordered, last = _ZERO, _ZERO, _ZERO, _ZERO, _ZERO, -1
    for i in range(size):
        at, information = first + i, forms[2][first + i]
        if pair[i] < 0:
            extra += forms[3][at]
            continue
        strength = STRENGTHS[relation[i]]
        of_form += strength * information
        all_of_form += information
        if i == 0 or pair[i] != pair[i - 1]:
            of_token = tokens[0][np.int64(name_tokens[start + pair[i]])]
            after = pair[i] + 1
            if relation[i] == JOINED and after < length and taken[after] and not _is_paired(pair, size, after):
                of_token += tokens[0][np.int64(name_tokens[start + after])]
            of_name += strength * of_token
            all_of_name += of_token
        typos += TYPO <= relation[i] < JOINED
        inflected += SAME < relation[i] < DERIVED
        derived += relation[i] == DERIVED
        initials += relation[i] == INITIALS
        reordered += pair[i] < last
        last = pair[i]
    begin, end = 0, length
    while end - begin > 1 and tokens[1][np.int64(name_tokens[start + begin])] & NAMED_BEFORE:
        begin += 1
    while end - begin > 1 and tokens[1][np.int64(name_tokens[start + end - 1])] & LEGAL_FORM:
        end -= 1
    for j in range(length):
        if not taken[j]:
            token = np.int64(name_tokens[start + j])
            weak = j < begin or j >= end or j >= brackets
            share = _NAMING if weak else (_FUNCTION if tokens[1][token] & FUNCTION else _ONE)
            missing += share * tokens[0][token]
    columns[NAME_COVERAGE] = of_name / max(all_of_name + missing, _LEAST)
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
