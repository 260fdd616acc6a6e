"""The tokens of a KB's names: how much information each carries, which are weak, and which are related.

Two tokens are related where one is an inflected form of the other or another spelling of it, is derived from it, or is
misspelled. The relations of the KB's own tokens are stored in the KB; those of other words are found when they are met.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import OFFSET, HashTable, finish, step
from eigenthemes.core.arrays import read_only
from eigenthemes.core.jit import kernel
from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.core.threads import lazy
from eigenthemes.kb.name_arrays import NameIndexArrays, TypoIndex
from eigenthemes.kb.store import KB
from eigenthemes.names.analysis import NameAnalysis
from eigenthemes.names.typos import LONGEST, ONE_EDIT, similar_tokens
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
from eigenthemes.text.stems import DERIVED_ENDINGS, ROOT, lemmas

Ints = NDArray[np.int64]
Floats32 = NDArray[np.float32]

# how a token of a form is related to a token of a name, and how much of its information then counts
SAME, INFLECTED, EQUIVALENT, DERIVED, TYPO, TWO_TYPOS = range(6)
STRENGTH = np.array((1, 0.97, 0.95, 0.8, 0.8, 0.6), np.float32)
MOST_RELATED = 8  # tokens related to one

FILES = (
    "token_information", "token_kinds", "related_indptr", "related_tokens", "related_kinds", "stem_hashes", "stem_tokens",
    "root_hashes", "root_tokens", "name_brackets", "name_costs",
)  # fmt: skip
NAMED_BEFORE = ARTICLE | TITLE
WEAK = ARTICLE | TITLE | LEGAL_FORM | FUNCTION
NO_BRACKETS = 255
WHOLE_SHARE = 255
MOST_TOKENS = 16  # of a form or a name that are compared
LEAST_INFORMATION = 0.5  # bits
_SPELLED_OUT = re.compile("([aou])e")
_STEPS = 40  # of finding the roots of a word, in plain Python
_REMEMBERED = 1 << 16  # unknown words that are kept in memory
_NONE = np.zeros(0, np.int64)
_FORM, _LEMMA = "form:", "lemma:"  # beside the languages of stems
_MOST_LANGUAGES = 6  # whose dictionaries are read: each takes some seconds


class UnknownWord(NamedTuple):
    """A word that no name has: its kinds, and the tokens it is related to, each with its relation."""

    kinds: int
    tokens: Sequence[int]
    relations: Sequence[int]
    letters: bytes


@dataclass(frozen=True)
class TokenModel:
    """The tokens of a KB's names, and the costs of its names.

    information  [tokens] float32: bits, log2(entities / entities that have a form of the word in a name)
    kinds        [tokens] uint8: bits of `weak_words`
    related      (indptr [tokens + 1] int64, tokens uint32, relations uint8): other tokens, the nearest relation first
    stems        (hashes [stems] uint64 ascending, tokens [stems] uint32): a stem with its language, or a form of a lemma that
                 is in a dictionary, and one of its tokens
    roots        (hashes [r] uint64 ascending, tokens [r] uint32): roots of tokens, without the endings of derived words
    brackets     [names] uint8: how many tokens stand before what is in brackets; NO_BRACKETS: nothing is
    name_costs   [names] float32: bits that are lost where none of its tokens is there
    unknown      bits of a word that no name has
    """

    information: Floats32
    kinds: NDArray[np.uint8]
    related: tuple[Ints, NDArray[np.uint32], NDArray[np.uint8]]
    stems: tuple[NDArray[np.uint64], NDArray[np.uint32]]
    roots: tuple[NDArray[np.uint64], NDArray[np.uint32]]
    brackets: NDArray[np.uint8]
    name_costs: Floats32
    unknown: float
    analysis: NameAnalysis
    tokens: Strings
    table: HashTable
    typos: TypoIndex
    _unknown_words: dict[str, UnknownWord] = field(default_factory=dict)

    @classmethod
    def of(cls, kb: KB) -> TokenModel:
        """Return the model of a KB's tokens."""
        information, kinds, *others, brackets, name_costs = (kb.array(name) for name in FILES)
        index = kb.mapped_name_index
        return cls(
            information,
            kinds,
            (others[0], others[1], others[2]),
            (others[3], others[4]),
            (others[5], others[6]),
            brackets,
            name_costs,
            _bits(kb.manifest["counts"]["named"]),
            NameAnalysis.of(kb),
            index.tokens,
            index.token_table,
            index.typos,
        )

    @classmethod
    def make(
        cls, index: NameIndexArrays, names: Strings, languages: Sequence[str], analysis: NameAnalysis, named: int
    ) -> TokenModel:
        """Make the model of the tokens of names.

        languages  [names] the language of each; named: how many entities have a name
        """
        tokens = list(index.tokens)
        token, stems, forms = _stems(index, tokens, languages, analysis)
        hashes, row = np.unique(hash_strings(Strings.of(stems)), return_inverse=True)
        having = np.diff(index.postings_indptr)
        of_stem = np.bincount(row, weights=having[token], minlength=len(hashes))
        spread = having.astype(np.float64)
        np.maximum.at(spread, token, of_stem[row])
        information = np.maximum(LEAST_INFORMATION, _bits(named) - np.log2(np.clip(spread, 1, max(2, named))))
        bits = information.astype(np.float32)
        weak = analysis.weak_words
        kinds = np.array([weak.get(each, 0) for each in tokens], np.uint8)
        stem_tokens = np.zeros(len(hashes), np.uint32)
        stem_tokens[row[::-1]] = token[::-1]  # the first token of each stem
        form_tokens = stem_tokens[np.searchsorted(hashes, hash_strings(Strings.of(forms.values())))]
        all_hashes, first = np.unique(np.concatenate((hashes, hash_strings(Strings.of(forms)))), return_index=True)
        word_of, roots = roots_of(index.tokens)
        order = np.lexsort((-having[word_of], roots))
        word_of, roots = word_of[order], roots[order]
        related = _related(index, tokens, (token, row), (word_of, roots), having)
        brackets = _brackets(names)
        name_costs = _name_costs(index, bits, kinds, brackets)
        return cls(
            bits,
            kinds,
            related,
            (all_hashes, np.concatenate((stem_tokens, form_tokens))[first]),
            (roots, word_of.astype(np.uint32)),
            brackets,
            name_costs,
            _bits(named),
            analysis,
            index.tokens,
            index.token_table,
            index.typos,
        )

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by the names of their files."""
        values = self.information, self.kinds, *self.related, *self.stems, *self.roots, self.brackets, self.name_costs
        return dict(zip(FILES, values, strict=True))

    @lazy
    def initials(self) -> NDArray[np.uint8]:
        """The first letter of each token; a token of the same first letter may be meant by an initial."""
        places = np.minimum(self.tokens.offsets[:-1], max(0, len(self.tokens.blob) - 1))
        return self.tokens.blob[places] if len(self.tokens.blob) else np.zeros(len(places), np.uint8)

    def unknown_words(self, words: Iterable[str]) -> dict[str, UnknownWord]:
        """Return what is known of words that no name has."""
        remembered = self._unknown_words
        found = {word: remembered.get(word) for word in words}
        new = [word for word, known in found.items() if known is None]
        if new:
            computed = dict(zip(new, self._analyse_unknown(new), strict=True))
            if len(remembered) + len(new) > _REMEMBERED:
                remembered.clear()
            remembered.update(computed)
            found.update(computed)
        return found  # type: ignore[return-value]

    def _analyse_unknown(self, words: list[str]) -> list[UnknownWord]:
        """Find the tokens that each word is related to: by its stem, else by other spellings, derivation or typos."""
        related = [dict.fromkeys(tokens, INFLECTED) for tokens in self._of_stems(words)]
        folded = [_SPELLED_OUT.sub(r"\1", word) for word in words]  # umlauts that are spelled out: "Loew" for Löw
        for number, tokens in enumerate(self._of_stems([word.removesuffix("s") for word in folded])):
            if folded[number] != words[number] or not related[number]:  # or a possessive, whose apostrophe is gone
                related[number] = dict.fromkeys(tokens, EQUIVALENT) | related[number]
        word_of, roots = roots_of(Strings.of(words))
        first, last = (np.searchsorted(self.roots[0], roots, side=side).tolist() for side in ("left", "right"))
        for number, begin, end in zip(word_of.tolist(), first, last, strict=True):
            for token in self.roots[1][begin : min(end, begin + MOST_RELATED)].tolist():
                related[number].setdefault(token, DERIVED)
        doubtful = [n for n, word in enumerate(words) if not related[n] and len(word) >= ONE_EDIT and not is_common(word)]
        similar = similar_tokens([words[n] for n in doubtful], self.tokens, self.typos) if doubtful else []
        for number, (tokens, edits) in zip(doubtful, similar, strict=True):
            tokens = [
                token for token in tokens if self.tokens[token][0] == words[number][0]
            ]  # few typos are in the first letter
            related[number] = dict.fromkeys(tokens, TYPO if edits == 1 else TWO_TYPOS)
        weak = self.analysis.weak_words
        return [
            UnknownWord(weak.get(word, 0), list(of_word), list(of_word.values()), word.encode("utf-8", "replace"))
            for word, of_word in zip(words, related, strict=True)
        ]

    def _of_stems(self, words: Sequence[str]) -> list[list[int]]:
        """Return the tokens that have a stem or the lemma of each word, in any language of the KB."""
        languages, stem = self.analysis.languages, self.analysis.stem
        stems = self._tokens_of(f"{language}:{stem(word, language)}" for word in words for language in languages)
        found: list[list[int]] = [[] for _ in words]
        for each, tokens in (len(languages), stems), (1, self.of_lemmas(words)):
            for place in np.flatnonzero(tokens >= 0).tolist():
                token = int(tokens[place])
                first, last = self.related[0][token : token + 2].tolist()
                inflected = self.related[1][first:last][self.related[2][first:last] == INFLECTED].tolist()
                found[place // each] += [token, *inflected]
        return found

    def of_lemmas(self, words: Sequence[str]) -> Ints:
        """Return a token that has the lemma of each word, by a dictionary; -1 where there is none."""
        return self._tokens_of(_FORM + word for word in words)

    def _tokens_of(self, stems: Iterable[str]) -> Ints:
        hashes = hash_strings(Strings.of(stems))
        rows = np.minimum(np.searchsorted(self.stems[0], hashes), len(self.stems[0]) - 1)
        known = self.stems[0][rows] == hashes if len(self.stems[0]) else np.zeros(len(hashes), bool)
        return np.where(known, self.stems[1][rows].astype(np.int64), -1) if known.any() else np.full(len(hashes), -1)


def _ending_letters() -> NDArray[np.uint8]:
    letters = np.zeros((len(_ENDINGS_IN_ORDER), max(map(len, _ENDINGS_IN_ORDER))), np.uint8)
    for row, ending in enumerate(_ENDINGS_IN_ORDER):
        letters[row, : len(ending)] = list(ending.encode())
    return letters


_ENDINGS_IN_ORDER = sorted(DERIVED_ENDINGS, key=lambda ending: ending[-1])
_ENDINGS = _ending_letters()
_LENGTHS = np.array(list(map(len, _ENDINGS_IN_ORDER)), np.int64)
# the endings that end with a letter are _FIRST[letter]:_FIRST[letter + 1]
_FIRST = np.searchsorted([ord(ending[-1]) for ending in _ENDINGS_IN_ORDER], np.arange(257))
_LETTER = ord("a")  # below it are digits
_MOST_ROOTS = 8


def roots_of(words: Strings) -> tuple[Ints, NDArray[np.uint64]]:
    """Return the roots of words: of each pair of a word and a root its number, ascending, and the hash of the root."""
    run = find_roots.select_backend(_STEPS * len(words))
    counts, hashes = run(read_only(words.blob), words.offsets)
    kept = np.arange(_MOST_ROOTS) < counts[:, None]
    return np.repeat(np.arange(len(words)), counts), hashes[kept]


@kernel
def find_roots(blob: Any, offsets: Any) -> Any:
    """Find what is left of each word without an ending of `DERIVED_ENDINGS`: (how many [w], hashes [w, most] uint64).

    The word itself is a root, too. Words with digits have none.
    """
    counts, hashes = np.zeros(len(offsets) - 1, np.int64), np.zeros((len(offsets) - 1, _MOST_ROOTS), np.uint64)
    states = np.zeros(LONGEST + 1, np.uint64)
    states[0] = OFFSET
    for w in range(len(offsets) - 1):
        first, size = offsets[w], offsets[w + 1] - offsets[w]
        is_word = ROOT <= size <= LONGEST
        for i in range(size if is_word else 0):
            is_word = is_word and blob[first + i] >= _LETTER
            states[i + 1] = step(states[i], blob[first + i])
        if not is_word:
            continue
        hashes[w, 0], counts[w] = finish(states[size]), 1
        last = np.int64(blob[first + size - 1])
        for e in range(_FIRST[last], _FIRST[last + 1]):
            root = size - _LENGTHS[e]
            has_ending = root >= ROOT and counts[w] < _MOST_ROOTS
            for i in range(_LENGTHS[e] if has_ending else 0):
                has_ending = has_ending and blob[first + root + i] == _ENDINGS[e, i]
            if has_ending:
                hashes[w, counts[w]] = finish(states[root])
                counts[w] += 1
    return counts, hashes


def _bits(entities: int) -> float:
    return float(np.log2(max(2, entities)))


def _stems(
    index: NameIndexArrays, tokens: list[str], languages: Sequence[str], analysis: NameAnalysis
) -> tuple[Ints, list[str], dict[str, str]]:
    """Return tokens, ascending, each with a stem or lemma in one of the languages of the names that have it.

    Also returns the forms that dictionaries know of these lemmas.
    """
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
    forms: dict[str, str] = {}
    row_of = {word: row for row, word in enumerate(tokens)} if analysis.is_inflected else {}
    read = 0
    for language, _ in Counter(languages).most_common() if row_of else ():
        lemma_of = lemmas(row_of, language) if read < _MOST_LANGUAGES else {}
        read += bool(lemma_of)
        known = [word for word in row_of if word in lemma_of]
        rows.append(np.array([row_of[word] for word in known], np.int64))
        stems.append([_LEMMA + lemma_of[word] for word in known])
        having_token = set(stems[-1])
        found = {_FORM + form: _LEMMA + lemma for form, lemma in lemma_of.items() if _LEMMA + lemma in having_token}
        forms = found | forms  # the more frequent language wins
    token = np.concatenate(rows)
    order = np.argsort(token, kind="stable")
    joined = list(chain.from_iterable(stems))
    return token[order], [joined[i] for i in order.tolist()], forms


def _related(
    index: NameIndexArrays, tokens: list[str], stems: tuple[Ints, Ints], roots: tuple[Ints, NDArray[np.uint64]], having: Ints
) -> tuple[Ints, NDArray[np.uint32], NDArray[np.uint8]]:
    """Return the tokens that are related to each token, MOST_RELATED at most, the nearest relation and most frequent first.

    stems, roots  pairs of a token and a stem or root of it; having [tokens] entities that have it
    """
    pairs = list[tuple[Ints, Ints, int]]()
    order = np.lexsort((-having[stems[0]], stems[1]))
    for relation, token, common in ((INFLECTED, stems[0][order], stems[1][order]), (DERIVED, roots[0], roots[1])):
        for apart in range(1, MOST_RELATED + 1):
            same = np.flatnonzero(common[apart:] == common[:-apart])
            pairs += [(token[same], token[same + apart], relation), (token[same + apart], token[same], relation)]
    spelled_out = [row for row, word in enumerate(tokens) if "e" in word and _SPELLED_OUT.search(word)]
    folded = index.token_table.find_all(hash_strings(Strings.of(_SPELLED_OUT.sub(r"\1", tokens[row]) for row in spelled_out)))
    pairs.append((np.array(spelled_out, np.int64)[folded >= 0], folded[folded >= 0], EQUIVALENT))
    one, other = np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])
    kind = np.repeat(np.array([pair[2] for pair in pairs], np.uint8), [len(pair[0]) for pair in pairs])
    order = np.lexsort((kind, one * len(tokens) + other))
    order = order[np.flatnonzero(np.diff((one * len(tokens) + other)[order], prepend=-1))]  # each pair once
    order = order[one[order] != other[order]]
    order = order[np.lexsort((other[order], -having[other[order]], kind[order], one[order]))]
    place = np.arange(len(order)) - np.searchsorted(one[order], one[order])
    order = order[place < MOST_RELATED]
    indptr = np.searchsorted(one[order], np.arange(len(tokens) + 1)).astype(np.int64)
    return indptr, other[order].astype(np.uint32), kind[order]


def _name_costs(
    index: NameIndexArrays, information: Floats32, kinds: NDArray[np.uint8], brackets: NDArray[np.uint8]
) -> Floats32:
    """Return the sum of the costs of the tokens of each name; of a long one, of those that are compared.

    What is in brackets costs nothing: the name is whole without it (`alignment`).
    """
    assert index.spelled is not None
    indptr, tokens = index.spelled.indptr, index.spelled.tokens
    place = np.arange(len(tokens)) - np.repeat(indptr[:-1], np.diff(indptr))
    share = np.where(place >= np.repeat(brackets, np.diff(indptr)), np.float32(0), costs(kinds[tokens], indptr))
    cost = np.where(place < MOST_TOKENS, share * information[tokens], 0)
    return np.diff(np.concatenate(([0.0], np.cumsum(cost, dtype=np.float64)))[indptr]).astype(np.float32)


def posting_shares(index: NameIndexArrays, entity_of_name: NDArray[np.uint32], model: TokenModel) -> NDArray[np.uint8]:
    """Return the share of a name's information that each token of an entity has, in the name where it is highest [postings]."""
    assert index.spelled is not None
    share = np.zeros(len(index.postings), np.uint8)
    names = index.spelled.indptr, index.spelled.tokens, entity_of_name
    steps = 20 * len(index.spelled.tokens)
    fill_shares.select_backend(steps)(
        names, (index.postings_indptr, index.postings), model.information, model.name_costs, share
    )
    return share


@kernel
def fill_shares(names: Any, postings: Any, information: Any, name_costs: Any, share: Any) -> None:
    """Write the highest share of each token of an entity among its names into `share`."""
    name_indptr, name_tokens, entity_of_name = names
    indptr, entities = postings
    for name in range(len(name_indptr) - 1):
        entity = entity_of_name[name]
        for k in range(name_indptr[name], name_indptr[name + 1]):
            token = np.int64(name_tokens[k])
            low, high = indptr[token], indptr[token + 1]
            while low < high:
                middle = (low + high) // 2
                if entities[middle] < entity:
                    low = middle + 1
                else:
                    high = middle
            part = np.float64(information[token]) / max(np.float64(name_costs[name]), np.float64(information[token]))
            share[low] = max(share[low], np.uint8(max(1.0, np.floor(WHOLE_SHARE * part))))


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
    """The tokens of some forms, as they are looked up and aligned with names: form i has the tokens indptr[i]:indptr[i + 1].

    token        [f] int64: of the KB, or -1
    information  [f] float32
    cost         [f] float32: bits lost where no token of the name is paired with it
    related      (indptr [f + 1], tokens, relations) of unknown words; those of the others are in the model
    letters      (offsets [f + 1], bytes) of unknown words
    named        [forms] uint8: TITLE where the form begins with a title, LEGAL_FORM where it ends with a legal form
    """

    indptr: Ints
    token: Ints
    information: Floats32
    cost: Floats32
    related: tuple[Ints, NDArray[np.uint32], NDArray[np.uint8]]
    letters: tuple[Ints, NDArray[np.uint8]]
    named: NDArray[np.uint8]

    @property
    def arrays(self) -> tuple[Any, ...]:
        """All of it, for kernels."""
        return self.indptr, self.token, self.information, self.cost, *self.related, *self.letters, self.named

    @property
    def without_naming(self) -> tuple[Ints, Ints]:
        """The tokens without articles and titles in front, and legal forms at the end: (indptr [forms + 1], tokens)."""
        kept = self.cost > (COST_OF_NAMING + COST_OF_FUNCTION) / 2 * self.information
        return np.concatenate(([0], np.cumsum(kept)))[self.indptr], self.token[kept]


def analyse(name_of: Callable[[int], str], indptr: Ints, token: Ints, model: TokenModel) -> Forms:
    """Analyse forms, given their tokens; `name_of` returns a form, normalised, and is called for those with unknown words."""
    known = np.maximum(token, 0)
    information = np.where(token >= 0, model.information[known], np.float32(model.unknown)).astype(np.float32)
    kinds = np.where(token >= 0, model.kinds[known], 0)
    form_of = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    place = np.arange(len(token)) - indptr[form_of]
    unknown = np.flatnonzero((token < 0) & (place < MOST_TOKENS)).tolist()
    related: tuple[Ints, NDArray[np.uint32], NDArray[np.uint8]] = (np.zeros(len(token) + 1, np.int64), _NO_TOKENS, _NO_BYTES)
    letters = related[0], _NO_LETTERS
    if unknown:
        split = {form: name_of(form).split(None, MOST_TOKENS) for form in dict.fromkeys(form_of[unknown].tolist())}
        words = [split[form_of[at]][place[at]] for at in unknown]
        of_words = model.unknown_words(words)
        found = [of_words[word] for word in words]
        kinds[unknown] = [word.kinds for word in found]
        tokens = np.fromiter(chain.from_iterable(word.tokens for word in found), np.uint32)
        relations = np.fromiter(chain.from_iterable(word.relations for word in found), np.uint8)
        related = _offsets(unknown, [len(word.tokens) for word in found], len(token)), tokens, relations
        joined = np.frombuffer(b"".join([word.letters for word in found]) or b"\0", np.uint8)
        letters = _offsets(unknown, [len(word.letters) for word in found], len(token)), joined
        has_related = np.diff(related[0]) > 0
        if len(tokens):
            information[has_related] = np.maximum.reduceat(model.information[tokens], related[0][:-1][has_related])
        information[(token < 0) & (kinds & WEAK > 0)] = LEAST_INFORMATION  # the KB need not have the word for it to be weak
    cost = (information * costs(kinds, indptr)).astype(np.float32)
    named, several = np.zeros(len(indptr) - 1, np.uint8), np.flatnonzero(np.diff(indptr) > 1)
    named[several] = (kinds[indptr[several]] & TITLE) | (kinds[indptr[several + 1] - 1] & LEGAL_FORM)
    return Forms(indptr, token, information, cost, related, letters, named)


_NO_TOKENS, _NO_BYTES, _NO_LETTERS = np.zeros(0, np.uint32), np.zeros(0, np.uint8), np.zeros(1, np.uint8)


def _offsets(places: list[int], lengths: list[int], size: int) -> Ints:
    """Return the offsets of `size` parts, of which only those at some places have a length."""
    offsets = np.zeros(size + 1, np.int64)
    offsets[np.array(places) + 1] = lengths
    return np.cumsum(offsets)


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
