"""Align a form with the names of an entity: which tokens stand for each other, what is missing, what is too much.

Tokens are paired by the strongest relation there is: the same, two that are one when put together, forms of one word, an
initial, a typo. Information is in bits (`token_model`):

    name coverage = sum of r I(t) over paired tokens of the name / (their information + cost of what is missing)
    form coverage = the same for the form, with the cost of what is too much
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import read_only
from eigenthemes.core.jit import kernel
from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.kb.store import KB
from eigenthemes.names.token_model import (
    ANY,
    LEAST_INFORMATION,
    MOST_TOKENS,
    NAMED_BEFORE,
    NO_OTHER,
    RELATED,
    TYPO_FROM,
    WEAK,
    TokenModel,
    analyse,
)
from eigenthemes.names.typos import TWO_SLIPS
from eigenthemes.names.weak_words import COST_OF_FUNCTION, COST_OF_NAMING, FUNCTION, LEGAL_FORM
from eigenthemes.text.normalize import normalize

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
    "initial": "words of which there is only an initial",
    "reordered": "words in another order",
    "weaker": "another candidate has a name that fits much better",
}
NAME_COVERAGE, FORM_COVERAGE, COVERAGE, MISSING, EXTRA, SAME_NAME = range(6)
MISSPELLED, INFLECTED, INITIAL, REORDERED, WEAKER = range(6, len(COLUMNS))
WIDTH = len(COLUMNS)
MUCH_WEAKER = np.float32(0.3)  # share of the best coverage: "Mr Baker" is no "Mr. Farage", and sixteen of them make it no NIL

MOST_NAMES = 32  # of an entity
LONGEST_WORD = 64
# what a paired token counts
SAME, JOINED, INFLECTION, INITIALS = np.float32(1), np.float32(0.99), np.float32(0.97), np.float32(0.5)
TYPO, TYPOS = np.float32(0.8), np.float32(0.6)
_STEPS = 100  # of comparing a form with an entity, in plain Python
_NEARLY_ALL = np.float32(0.999)
_ZERO, _ONE = np.float32(0), np.float32(1)
_NAMING, _FUNCTION = np.float32(COST_OF_NAMING), np.float32(COST_OF_FUNCTION)


Ints = NDArray[np.int64]


def names_and_tokens(kb: KB) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the arrays of a KB that `align` compares with."""
    model, spelled, strings = kb.cached(TokenModel.of), kb.spelled_names, kb.name_index.tokens
    first_letters = strings.blob[np.minimum(strings.offsets[:-1], max(0, len(strings.blob) - 1))]
    return (
        (kb.array("entity_names"), spelled.indptr, spelled.tokens, model.brackets, model.name_costs),
        (model.information, model.kinds, model.indptr, model.stems, strings.offsets, read_only(strings.blob), first_letters),
    )


def coverages(kb: KB, forms: Sequence[str], form_of: Ints, entity: NDArray[Any]) -> NDArray[np.float32]:
    """Return the coverage of some entities [n], each for the form forms[form_of[i]]; `form_of` ascends."""
    normalized = [normalize(form) for form in forms]
    words = [form.split() for form in normalized]
    token = kb.name_index.token_table.find_all(hash_strings(Strings.of(word for of_form in words for word in of_form)))
    indptr = np.concatenate(([0], np.cumsum([len(of_form) for of_form in words]))).astype(np.int64)
    analysed = analyse(normalized.__getitem__, indptr, token.astype(np.int64), kb.cached(TokenModel.of))
    bounds = np.searchsorted(form_of, np.arange(len(forms) + 1))
    run = align.select_backend(_STEPS * len(entity))
    aligned = run(analysed.arrays, bounds, entity.astype(np.int64), np.zeros(len(entity), bool), *kb.cached(names_and_tokens))
    return np.asarray(aligned[:, COVERAGE])


@kernel
def align(forms: Any, bounds: Any, entity: Any, is_whole: Any, names: Any, tokens: Any) -> Any:
    """Align m forms with the names of their candidates, those of form i in bounds[i]:bounds[i + 1]; [n, 11] float32.

    forms     the fields of `token_model.Forms`
    entity    [n] int64; is_whole [n] bool: the form is a name of the entity, and nothing has to be compared
    names     (names of each entity, tokens of each name: indptr and tokens, brackets, costs)
    tokens    (information, kinds, stem indptr, stems, offsets of the letters, letters, first letters) of the KB's tokens

    Most forms and names differ by strong words of the KB only: these are compared right here, all others by `_compare`.
    """
    columns, best = np.zeros((len(entity), WIDTH), np.float32), np.zeros(WIDTH, np.float32)
    pair, relation, taken = np.zeros(MOST_TOKENS, np.int64), np.zeros(MOST_TOKENS, np.float32), np.zeros(MOST_TOKENS, np.bool_)
    form_indptr, form_token, form_cost = forms[0], forms[1], forms[3]
    entity_names, name_indptr, name_tokens, brackets, name_costs = names
    kinds, information, initials, form_initial = tokens[1], tokens[0], tokens[6], forms[7]
    for form in range(len(bounds) - 1):
        first, size = form_indptr[form], min(MOST_TOKENS, form_indptr[form + 1] - form_indptr[form])
        of_form = _ZERO
        for at in range(first, first + size):
            of_form += form_cost[at]
        for row in range(bounds[form], bounds[form + 1]):
            if is_whole[row]:
                columns[row, NAME_COVERAGE] = columns[row, FORM_COVERAGE] = columns[row, COVERAGE] = 1
                continue
            begin = entity_names[entity[row]]
            for name in range(begin, min(begin + MOST_NAMES, entity_names[entity[row] + 1])):
                start = name_indptr[name]
                length = min(MOST_TOKENS, name_indptr[name + 1] - start)
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
                others = False
                if shared < size and shared < length:
                    for i in range(size):
                        if pair[i] < 0 and form_initial[first + i] != NO_OTHER:
                            for j in range(length):
                                letter = initials[np.int64(name_tokens[start + j])]
                                others = others or letter == form_initial[first + i] or form_initial[first + i] == ANY
                if others or has_weak:
                    _compare(forms, first, size, names, name, start, length, tokens, pair, relation, taken, best)
                elif shared > 0:
                    extra, missing = max(extra, _ZERO), max(missing, _ZERO)
                    best[NAME_COVERAGE], best[FORM_COVERAGE] = paired / (paired + missing), paired / (paired + extra)
                    best[COVERAGE] = best[NAME_COVERAGE] * best[FORM_COVERAGE]
                    best[MISSING], best[EXTRA], best[REORDERED] = missing, extra, not in_order
                    best[MISSPELLED], best[INFLECTED], best[INITIAL] = _ZERO, _ZERO, _ZERO
                else:
                    continue
                if best[COVERAGE] > columns[row, COVERAGE]:
                    for column in range(WEAKER):
                        columns[row, column] = best[column]
            # in double precision, which numpy and numba round alike
            columns[row, MISSING] = np.log1p(np.float64(columns[row, MISSING]))
            columns[row, EXTRA] = np.log1p(np.float64(columns[row, EXTRA]))
        _mark_weaker(columns, bounds[form], bounds[form + 1])
    return columns


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
        paired += _pair_others(forms, first, size, names[2], start, length, tokens, pair, relation, taken)
    best[COVERAGE] = _ZERO
    if paired > 0:
        _measure(forms, first, size, names[2], start, length, names[3][name], tokens, pair, relation, taken, best)


@kernel
def _pair_others(
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
        token = forms[1][first + i]
        if pair[i] >= 0 or (token >= 0 and tokens[1][token] & RELATED == 0 and tokens[4][token + 1] - tokens[4][token] > 1):
            continue  # a word of the KB without other forms
        strongest, at = _ZERO, -1
        for j in range(length):
            if not taken[j]:
                strength = _related(forms, first + i, np.int64(name_tokens[start + j]), tokens)
                if strength > strongest:
                    strongest, at = strength, j
        if at >= 0:
            pair[i], relation[i], taken[at] = at, strongest, True
            paired += 1
    for i in range(size - 1):
        if pair[i] < 0 and pair[i + 1] < 0:
            for j in range(length):
                if not taken[j] and _are_joined(forms, first + i, np.int64(name_tokens[start + j]), tokens):
                    pair[i] = pair[i + 1] = j
                    relation[i] = relation[i + 1] = JOINED
                    taken[j] = True
                    paired += 2
                    break
    for j in range(length - 1):
        if not taken[j] and not taken[j + 1]:
            for i in range(size):
                if pair[i] < 0 and _joins(forms, first + i, name_tokens, start + j, tokens):
                    pair[i], relation[i] = j, JOINED
                    taken[j] = taken[j + 1] = True
                    paired += 1
                    break
    return paired


@kernel
def _letters(forms: Any, at: Any, tokens: Any) -> Any:
    """Return the letters of a token of a form."""
    token = forms[1][at]
    if token >= 0:
        return tokens[5][tokens[4][token] : tokens[4][token + 1]]
    return forms[5][1][forms[5][0][at] : forms[5][0][at + 1]]


@kernel
def _related(forms: Any, at: Any, other: Any, tokens: Any) -> Any:
    """Return how strongly a token of a form stands for another one of a name."""
    token = forms[1][at]
    if token >= 0:
        own, first, last = tokens[3], tokens[2][token], tokens[2][token + 1]
    else:
        own, first, last = forms[4][1], forms[4][0][at], forms[4][0][at + 1]
    for k in range(first, last):
        for m in range(tokens[2][other], tokens[2][other + 1]):
            if own[k] == tokens[3][m]:
                return INFLECTION
    word, name = _letters(forms, at, tokens), tokens[5][tokens[4][other] : tokens[4][other + 1]]
    if len(word) == 0 or len(name) == 0 or word[0] != name[0]:
        return _ZERO
    if (len(word) == 1) != (len(name) == 1):
        return INITIALS
    if forms[6][at] and len(name) >= TYPO_FROM:
        edits = _edits(word, name)
        if edits <= 1:
            return TYPO
        if edits == 2 and min(len(word), len(name)) >= TWO_SLIPS:
            return TYPOS
    return _ZERO


@kernel
def _edits(word: Any, other: Any) -> Any:
    """Return how many letters are added, missing, exchanged or swapped between two words; 3 for more than two."""
    if abs(len(word) - len(other)) > 2 or len(word) >= LONGEST_WORD or len(other) >= LONGEST_WORD:
        return 3
    rows = np.zeros((3, LONGEST_WORD), np.int64)  # of the usual table, the last three
    for j in range(len(other) + 1):
        rows[0, j] = j
    for i in range(1, len(word) + 1):
        row, before, earlier = i % 3, (i - 1) % 3, (i - 2) % 3
        rows[row, 0] = i
        for j in range(1, len(other) + 1):
            edits = min(rows[before, j] + 1, rows[row, j - 1] + 1, rows[before, j - 1] + (word[i - 1] != other[j - 1]))
            if i > 1 and j > 1 and word[i - 1] == other[j - 2] and word[i - 2] == other[j - 1]:
                edits = min(edits, rows[earlier, j - 2] + 1)
            rows[row, j] = edits
    return min(3, rows[len(word) % 3, len(other)])


@kernel
def _are_joined(forms: Any, at: Any, other: Any, tokens: Any) -> Any:
    """Return whether two tokens of a form, one after the other, are one of the name."""
    word, following = _letters(forms, at, tokens), _letters(forms, at + 1, tokens)
    return _is_join(word, following, tokens[5][tokens[4][other] : tokens[4][other + 1]])


@kernel
def _joins(forms: Any, at: Any, name_tokens: Any, start: Any, tokens: Any) -> Any:
    """Return whether a token of a form is two of the name, one after the other."""
    one, two = np.int64(name_tokens[start]), np.int64(name_tokens[start + 1])
    offsets, letters = tokens[4], tokens[5]
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
    typos, inflected, initials, reordered, last = _ZERO, _ZERO, _ZERO, _ZERO, -1
    for i in range(size):
        at, information = first + i, forms[2][first + i]
        if pair[i] < 0:
            extra += forms[3][at]
            continue
        of_form += relation[i] * information
        all_of_form += information
        if i == 0 or pair[i] != pair[i - 1]:
            of_token = tokens[0][np.int64(name_tokens[start + pair[i]])]
            after = pair[i] + 1
            if relation[i] == JOINED and after < length and taken[after] and not _is_paired(pair, size, after):
                of_token += tokens[0][np.int64(name_tokens[start + after])]
            of_name += relation[i] * of_token
            all_of_name += of_token
        typos += (relation[i] == TYPO) | (relation[i] == TYPOS)
        inflected += relation[i] == INFLECTION
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
    columns[NAME_COVERAGE] = of_name / max(all_of_name + missing, np.float32(LEAST_INFORMATION))
    columns[FORM_COVERAGE] = of_form / max(all_of_form + extra, np.float32(LEAST_INFORMATION))
    columns[COVERAGE] = columns[NAME_COVERAGE] * columns[FORM_COVERAGE]
    columns[MISSING], columns[EXTRA] = missing, extra
    columns[MISSPELLED], columns[INFLECTED], columns[INITIAL], columns[REORDERED] = typos, inflected, initials, reordered > 0


@kernel
def _is_paired(pair: Any, size: Any, token: Any) -> Any:
    """Return whether a token of the form stands for this token of the name."""
    for i in range(size):  # noqa: SIM110
        if pair[i] == token:
            return True
    return False
