"""The tokens of a KB's names: how much each tells, which are weak, and which are forms of one word."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.kb.name_arrays import NameIndexArrays
from eigenthemes.kb.store import KB
from eigenthemes.names.analysis import NameAnalysis
from eigenthemes.names.weak_words import (
    ARTICLE,
    COST_OF_FUNCTION,
    COST_OF_NAMING,
    FUNCTION,
    LEGAL_FORM,
    TITLE,
    is_common,
)
from eigenthemes.text.normalize import normalize

Ints = NDArray[np.int64]
Floats32 = NDArray[np.float32]

RELATED = 16  # a kind of tokens beside those of `weak_words`: others of the KB are forms of the same word
FILES = (
    "token_information", "token_kinds", "token_stem_indptr", "token_stems", "stem_hashes", "name_brackets", "name_costs",
)  # fmt: skip
NAMED_BEFORE = ARTICLE | TITLE
WEAK = ARTICLE | TITLE | LEGAL_FORM | FUNCTION
NO_BRACKETS = 255
ANY, NO_OTHER = 0, 255  # as first letters
_SHORT = 4  # letters of a word that may be written in quite other letters: 2 for ii
MOST_TOKENS = 16  # of a form or a name that are compared
LEAST_INFORMATION = 0.5  # bits
TYPO_FROM = 5  # letters of a word that may be misspelled
_SPELLED_OUT = re.compile("([aou])e")
_REMEMBERED = 1 << 16  # unknown words that are kept in memory
_NONE = np.zeros(0, np.int64)


class UnknownWord(NamedTuple):
    """A word that no name has: its kinds and stems, whether it may be a misspelled word, and its letters."""

    kinds: int
    stems: Ints
    misspelled: bool
    letters: bytes


@dataclass(frozen=True, slots=True)
class TokenModel:
    """What is known of the tokens of a KB.

    information  [tokens] float32: bits, log2(entities / entities that have a form of the word in a name)
    kinds        [tokens] uint8: bits of `weak_words`, and RELATED
    indptr       [tokens + 1] int64, stems [s] int64: rows of the stems of each token, one for each language of its names
    hashes       [stems] uint64, ascending: of each stem with its language
    brackets     [names] uint8: how many tokens stand before what is in brackets; NO_BRACKETS: nothing is
    name_costs   [names] float32: bits that are lost where none of its tokens is there
    unknown      bits of a word that no name has
    analysis     of the names
    initials     [tokens] uint8: as `Forms.initial`
    """

    information: Floats32
    kinds: NDArray[np.uint8]
    indptr: Ints
    stems: Ints
    hashes: NDArray[np.uint64]
    brackets: NDArray[np.uint8]
    name_costs: Floats32
    unknown: float
    analysis: NameAnalysis
    initials: NDArray[np.uint8]
    _unknown_words: dict[str, UnknownWord] = field(default_factory=dict)

    @classmethod
    def of(cls, kb: KB) -> TokenModel:
        """Return the model of a KB's tokens."""
        information, kinds, indptr, stems, hashes, brackets, name_costs = (kb.array(name) for name in FILES)
        unknown = _bits(kb.manifest["counts"]["named"])
        initials = _initials(kb.name_index.tokens, kinds)
        return cls(information, kinds, indptr, stems, hashes, brackets, name_costs, unknown, NameAnalysis.of(kb), initials)

    @classmethod
    def make(
        cls, index: NameIndexArrays, names: Strings, languages: Sequence[str], analysis: NameAnalysis, named: int
    ) -> TokenModel:
        """Make the model of the tokens of names.

        languages  [names] the language of each; named: how many entities have a name
        """
        tokens = list(index.tokens)
        token, stems = _stems(index, tokens, languages, analysis)
        hashes, row = np.unique(hash_strings(Strings.of(stems)), return_inverse=True)
        indptr = np.searchsorted(token, np.arange(len(tokens) + 1))
        having = np.diff(index.postings_indptr)
        of_stem = np.bincount(row, weights=having[token], minlength=len(hashes))
        spread = np.maximum(having, np.maximum.reduceat(np.append(of_stem[row], 0.0), indptr[:-1]) if len(token) else 0)
        information = np.maximum(LEAST_INFORMATION, _bits(named) - np.log2(np.clip(spread, 1, max(2, named))))
        shared = np.bincount(row, minlength=len(hashes))[row] > 1
        related = np.bincount(token, weights=shared, minlength=len(tokens)) > 0
        weak = analysis.weak_words
        kinds = np.array([weak.get(each, 0) for each in tokens], np.uint8) | (RELATED * related).astype(np.uint8)
        stems_of_token, bits, brackets = row.astype(np.int64), information.astype(np.float32), _brackets(names)
        name_costs = _name_costs(index, bits, kinds, brackets)
        initials = _initials(index.tokens, kinds)
        return cls(bits, kinds, indptr, stems_of_token, hashes, brackets, name_costs, _bits(named), analysis, initials)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by the names of their files."""
        values = self.information, self.kinds, self.indptr, self.stems, self.hashes, self.brackets, self.name_costs
        return dict(zip(FILES, values, strict=True))

    def unknown_word(self, word: str) -> UnknownWord:
        """Return what is known of a word that no name has."""
        known = self._unknown_words.get(word)
        if known is None:
            if len(self._unknown_words) >= _REMEMBERED:
                self._unknown_words.clear()
            known = self._unknown_words[word] = _unknown_word(word, self)
        return known

    def stems_of(self, word: str) -> Ints:
        """Return the rows of the stems of any word, in each language of the KB."""
        stems = [f"{language}:{self.analysis.stem(word, language)}" for language in self.analysis.languages]
        hashes = hash_strings(Strings.of(stems))
        at = np.minimum(np.searchsorted(self.hashes, hashes), max(0, len(self.hashes) - 1))
        return at[self.hashes[at] == hashes] if len(self.hashes) else _NONE


def _initials(tokens: Strings, kinds: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the first letters of the tokens that each token may stand for."""
    if not len(tokens):
        return np.zeros(0, np.uint8)
    lengths = np.diff(tokens.offsets)
    letter = tokens.blob[np.minimum(tokens.offsets[:-1], max(0, len(tokens.blob) - 1))]
    related = kinds & RELATED > 0
    initial = np.where(related | (lengths == 1), letter, NO_OTHER)
    return np.where(related & (lengths <= _SHORT), ANY, initial).astype(np.uint8)


def _bits(entities: int) -> float:
    return float(np.log2(max(2, entities)))


def _stems(
    index: NameIndexArrays, tokens: list[str], languages: Sequence[str], analysis: NameAnalysis
) -> tuple[Ints, list[str]]:
    """Return tokens, ascending, each with a stem in one of the languages of the names that have it."""
    spelled = index.spelled
    assert spelled is not None
    rows = list[Ints]()
    stems = list[list[str]]()
    number_of = {language: number for number, language in enumerate(analysis.languages)}
    of_name = np.fromiter((number_of.get(language, -1) for language in languages), np.int16, len(languages))
    of_token = np.repeat(of_name, np.diff(spelled.indptr))
    for number, language in enumerate(analysis.languages):
        having = np.zeros(len(tokens), bool)
        having[spelled.tokens[(of_token == number) | (of_token < 0)]] = True
        rows.append(np.flatnonzero(having))
        stems.append([f"{language}:{analysis.stem(tokens[row], language)}" for row in rows[-1].tolist()])
    token = np.concatenate(rows)
    order = np.argsort(token, kind="stable")
    joined = list(chain.from_iterable(stems))
    return token[order], [joined[i] for i in order.tolist()]


def _name_costs(
    index: NameIndexArrays, information: Floats32, kinds: NDArray[np.uint8], brackets: NDArray[np.uint8]
) -> Floats32:
    """Return the sum of the costs of the tokens of each name; of a long one, of those that are compared."""
    assert index.spelled is not None
    indptr, tokens = index.spelled.indptr, index.spelled.tokens
    place = np.arange(len(tokens)) - np.repeat(indptr[:-1], np.diff(indptr))
    share = np.where(place >= np.repeat(brackets, np.diff(indptr)), np.float32(COST_OF_NAMING), costs(kinds[tokens], indptr))
    cost = np.where(place < MOST_TOKENS, share * information[tokens], 0)
    return np.diff(np.concatenate(([0.0], np.cumsum(cost, dtype=np.float64)))[indptr]).astype(np.float32)


def _brackets(names: Strings) -> NDArray[np.uint8]:
    """Return how many tokens of each name stand before its brackets."""
    before = np.full(len(names), NO_BRACKETS, np.uint8)
    for row in names.holding("(").tolist():
        words = normalize(str(names[row]).partition("(")[0]).split()
        if 0 < len(words) < NO_BRACKETS:
            before[row] = len(words)
    return before


@dataclass(frozen=True, slots=True)
class Forms:
    """The tokens of some forms, as they are aligned with names: form i has the tokens indptr[i]:indptr[i + 1].

    token        [f] int64: of the KB, or -1
    information  [f] float32
    cost         [f] float32: bits lost where no token of the name stands for it
    stems        (indptr [f + 1], rows [s]) of unknown words; the stems of the others are the KB's
    letters      (offsets [f + 1], bytes) of unknown words
    misspelled   [f] bool: it may be a misspelled word
    initial      [f] uint8: the first letter of the tokens it may stand for beside itself; ANY, or NO_OTHER
    """

    indptr: Ints
    token: Ints
    information: Floats32
    cost: Floats32
    stems: tuple[Ints, Ints]
    letters: tuple[Ints, NDArray[np.uint8]]
    misspelled: NDArray[np.bool_]
    initial: NDArray[np.uint8]

    @property
    def arrays(self) -> tuple[Any, ...]:
        """All of it, for `alignment.align`."""
        return self.indptr, self.token, self.information, self.cost, self.stems, self.letters, self.misspelled, self.initial


def may_be_misspelled(kb: KB, forms: Sequence[str]) -> list[bool | None]:
    """Return whether all unknown words of each form may be misspelled, or none of them; None where its words differ in that."""
    words = [normalize(form).split() for form in forms]
    every = [word for of_form in words for word in of_form]
    rows = kb.name_index.token_table.find_all(hash_strings(Strings.of(every))).tolist()
    unknown = {word for word, row in zip(every, rows, strict=True) if row < 0 and len(word) >= TYPO_FROM}
    model = kb.cached(TokenModel.of)
    return [_may_be_misspelled(of_form, unknown.intersection(of_form), model) for of_form in words]


def _may_be_misspelled(words: Sequence[str], unknown: set[str], model: TokenModel) -> bool | None:
    found = {model.unknown_word(word).misspelled for word in unknown} or {False}
    if False in found and (
        _SPELLED_OUT.search(" ".join(words)) or any(len(model.unknown_word(each).stems) for each in unknown)
    ):
        return None
    return found.pop() if len(found) == 1 else None


def analyse(name_of: Callable[[int], str], indptr: Ints, token: Ints, model: TokenModel) -> Forms:
    """Analyse forms, given their tokens; `name_of` returns a form, normalised, and is called for those with unknown words."""
    known = np.maximum(token, 0)
    information = np.where(token >= 0, model.information[known], np.float32(model.unknown)).astype(np.float32)
    kinds = np.where(token >= 0, model.kinds[known], 0)
    initial = np.where(token >= 0, model.initials[known], NO_OTHER)
    unknown = np.flatnonzero(token < 0)
    stems, words = [_NONE] * len(token), [b""] * len(token)
    misspelled = np.zeros(len(token), bool)
    if len(unknown):
        form_of = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        for at in unknown.tolist():
            word = name_of(form_of[at]).split(" ")[at - indptr[form_of[at]]]
            kinds[at], stems[at], misspelled[at], words[at] = model.unknown_word(word)
            if len(stems[at]) or misspelled[at] or len(words[at]) == 1 or len(word) >= TYPO_FROM:
                initial[at] = ANY if len(word) <= _SHORT else words[at][0]
    information[(token < 0) & (kinds & WEAK > 0)] = LEAST_INFORMATION  # the KB need not have the word for it to be weak
    cost = information * costs(kinds, indptr)
    return Forms(
        indptr,
        token,
        information,
        cost.astype(np.float32),
        (_offsets(list(map(len, stems))), np.concatenate([_NONE, *stems]) if len(unknown) else _NONE),
        (_offsets(list(map(len, words))), np.frombuffer(b"".join(words) or b"\0", np.uint8)),
        misspelled,
        initial.astype(np.uint8),
    )


def _unknown_word(word: str, model: TokenModel) -> UnknownWord:
    stems = model.stems_of(word)
    if not len(stems) and word.endswith("s"):  # a possessive, whose apostrophe is gone
        stems = model.stems_of(word[:-1])
    if not len(stems) and "e" in word:  # umlauts that are spelled out: "Loew" for Löw
        stems = model.stems_of(_SPELLED_OUT.sub(r"\1", word))
    may_be = len(word) >= TYPO_FROM and word.isalpha() and not len(stems) and not is_common(word)
    return UnknownWord(model.analysis.weak_words.get(word, 0), stems, may_be, word.encode("utf-8", "replace"))


def _offsets(lengths: list[int]) -> Ints:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def costs(kinds: NDArray[Any], indptr: Ints) -> Floats32:
    """Return the share of its information that each token of some forms or names costs where it is missing or too much.

    Articles and titles are weak at the beginning, legal forms at the end, function words anywhere.
    """
    share = np.where(kinds & FUNCTION, np.float32(COST_OF_FUNCTION), np.float32(1))
    having = np.flatnonzero(indptr[1:] - indptr[:-1] > 1)
    edges = (kinds[indptr[having]] & NAMED_BEFORE) | (kinds[indptr[having + 1] - 1] & LEGAL_FORM)
    for form in having[edges > 0].tolist():
        begin, end = indptr[form], indptr[form + 1]
        while end - begin > 1 and kinds[begin] & NAMED_BEFORE:
            share[begin] = COST_OF_NAMING
            begin += 1
        while end - begin > 1 and kinds[end - 1] & LEGAL_FORM:
            share[end - 1] = COST_OF_NAMING
            end -= 1
    return share
