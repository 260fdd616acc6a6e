"""Find the spans of texts that are names of the KB: as written, by their cores, and by corrections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import OFFSET, HashTable, find, finish, may_hold, shift_of, step
from eigenthemes.core.arrays import read_only
from eigenthemes.core.jit import kernel
from eigenthemes.core.strings import Strings, bit_filter, hash_strings
from eigenthemes.kb.name_arrays import BEST_KIND, INITIALS, UNBRACKETED, NameIndexArrays
from eigenthemes.kb.store import KB
from eigenthemes.names.analysis import NameAnalysis
from eigenthemes.names.name_memory import NameMemories, NameMemory, key_of
from eigenthemes.names.token_model import EQUIVALENT as OTHER_SPELLING
from eigenthemes.names.token_model import TYPO, TokenModel
from eigenthemes.names.weak_words import EQUIVALENT, FUNCTION, is_common
from eigenthemes.text.segment import Pieces, Words
from eigenthemes.text.stems import KNOWN_BY_ENDINGS

LONGEST = 12  # pieces of a span
SAME, LETTER_LEFT_OFF, SAME_CORE, COORDINATED = range(4)  # how a span differs from a name
NO_KEY = -1  # as the row of a match: the name may be none of the KB's

Flags = NDArray[np.bool_]
Matches = NDArray[np.int64]  # [n, 4]: first piece, last piece, row of the key, how it differs

_STEPS = 75  # inner steps of a kernel for each piece of a text, in plain Python
_IN_CAPITALS = 6  # letters of a word in capitals that is inflected: "NEUTROPHILS IN BLOOD", but the gene "CANS" is no plural
_SHORT = 2  # letters
_MISSPELLED_FROM = 6  # letters of a word that may be misspelled


@dataclass(frozen=True, slots=True)
class Keys:
    """The table for span look-ups: hashes, their summaries (`NameIndexArrays.key_summary`), and a filter for fast misses."""

    table: HashTable
    summary: NDArray[np.uint8]
    filter: NDArray[np.uint8]

    @classmethod
    def of_names(cls, index: NameIndexArrays) -> Keys:
        """Return the keys of a KB's names."""
        return cls(index.key_table, index.key_summary, index.key_filter)

    @classmethod
    def of_hashes(cls, hashes: NDArray[np.uint64]) -> Keys:
        """Return keys of other names, given in order; read-only like the KB's, so that the same compiled code takes them."""
        table = HashTable.of(hashes)
        summary, bits = np.zeros(len(hashes), np.uint8), bit_filter(hashes)
        return cls(HashTable(read_only(table.hashes), read_only(table.buckets)), read_only(summary), read_only(bits))

    def row(self, key: int, worst: int = UNBRACKETED) -> int:
        """Return the row of a key that is a name, of a match type no worse than this; else -1."""
        row = self.table.find(key)
        return row if row >= 0 and self.summary[row] & BEST_KIND <= worst else -1


@dataclass(frozen=True, slots=True)
class WordForms:
    """Forms of the words of texts, all [w].

    forms       as they are part of a name; empty: a weak word, which is no part of a core
    drops       whether the last letter may be left off
    changed     not as written
    misspelled  corrected
    """

    forms: Strings
    drops: Flags
    changed: Flags
    misspelled: Flags

    @classmethod
    def written(cls, words: Words) -> WordForms:
        """Return the words as they are written; possessives may drop their s."""
        no = np.zeros(len(words.plain), dtype=bool)
        return cls(words.forms, words.possessive, no, no)

    @property
    def empty(self) -> Flags:
        """Return which words are no part of a core [w]."""
        return np.asarray(self.forms.offsets[1:] == self.forms.offsets[:-1])


def find_names(pieces: Pieces, words: WordForms, keys: Keys, worst: int = UNBRACKETED) -> Matches:
    """Return all spans that are a name, of a match type no worse than this."""
    matches: Matches = find_spans.select_backend(_STEPS * len(pieces.word))(
        (pieces.word, pieces.joined, pieces.apart),
        (read_only(words.forms.blob), words.forms.offsets, words.drops),
        (keys.table.hashes, keys.table.buckets, keys.summary, keys.filter),
        worst,
    )
    return matches


class CoreForms:
    """The words of texts as they are part of cores: stemmed, without typos, function words empty.

    language  of all texts; None: any language of the KB's names
    """

    def __init__(self, kb: KB, language: str | None) -> None:
        self.analysis, self.model = NameAnalysis.of(kb), kb.cached(TokenModel.of)
        self.languages = (language,) if language else self.analysis.languages
        self._uses_lemmas = language not in KNOWN_BY_ENDINGS

    def of(self, words: Words, token: NDArray[np.int64], common: Flags) -> list[WordForms]:
        """Return the forms of words in each language; token [w], or -1; common [w] words of the language."""
        corrected, weak = self._corrected(words, token, common), self.analysis.weak_words
        misspelled = np.fromiter(map(str.__ne__, corrected, words.plain), bool, len(corrected)) & ~words.possessive
        lengths = np.diff(words.forms.offsets)
        inflected = (words.flat | (words.shouted & (lengths >= _IN_CAPITALS))) & self.analysis.is_inflected
        no, found = np.zeros(len(corrected), dtype=bool), list[WordForms]()
        small = np.flatnonzero(words.function | (lengths <= _SHORT)).tolist()  # d' is short
        unknown = np.flatnonzero(inflected & (token < 0) & self._uses_lemmas).tolist()
        of_lemma = self.model.of_lemmas([corrected[word] for word in unknown])
        for word, known in zip(unknown, of_lemma.tolist(), strict=True):
            if known >= 0:
                corrected[word] = self.model.tokens[known]
        for language in self.languages:
            forms = [EQUIVALENT.get(form, form) for form in corrected]
            for word in np.flatnonzero(inflected).tolist():
                forms[word] = self.analysis.stem(corrected[word], language)
            for word in small:
                if weak.get(words.plain[word], 0) & FUNCTION:
                    forms[word] = ""
            changed = np.fromiter(map(str.__ne__, forms, words.plain), bool, len(forms))
            found.append(WordForms(Strings.of(forms), no, changed, misspelled))
        return found

    def _corrected(self, words: Words, token: NDArray[np.int64], common: Flags) -> list[str]:
        """Return the words without a possessive, and without typos where they are words of the KB then.

        Names that are not inflected are written with capitals: a word in lower case is no misspelled part of one.
        """
        forms = list(words.plain)
        for owner in np.flatnonzero(words.possessive).tolist():
            forms[owner] = forms[owner][:-1]
        asked = (token < 0) & ~common & (np.diff(words.forms.offsets) >= _MISSPELLED_FROM)
        if not self.analysis.is_inflected:
            asked &= words.capital
        doubtful = [word for word in np.flatnonzero(asked).tolist() if forms[word].isalpha()]
        known = self.model.unknown_words([forms[word] for word in doubtful]) if doubtful else {}
        tokens, information = self.model.tokens, self.model.information
        for word in doubtful:
            found = known[forms[word]]
            pairs = zip(found.tokens, found.relations, strict=True)
            near = [other for other, relation in pairs if relation in (OTHER_SPELLING, TYPO)]
            if near:
                forms[word] = tokens[min(near, key=lambda other: float(information[other]))]
        return forms


class RememberedNames:
    """Finds the names that people linked, and did not more often call no name.

    A common word that was always written with a capital ("Aids") is not found in small letters. The s of a plural or
    possessive may follow, also where names are not inflected.

    allowed  [entities] bool: those that may be meant; names that only meant others are no names. None: all
    """

    def __init__(self, memory: NameMemories, allowed: Flags | None) -> None:
        self._names, self._cores = (
            _linked_names(names, allowed, memory.strong_words) for names in (dict(memory.items()), memory.by_core)
        )

    def matches(self, text: str, pieces: Pieces, written: WordForms, cores: list[WordForms]) -> Matches:
        """Return the spans that are such a name or have the core of one."""
        matches = list[Matches]()
        ends_in_s = written.forms.blob[np.maximum(written.forms.offsets[1:] - 1, 0)] == ord("s")
        written = replace(written, drops=written.drops | ends_in_s)
        for forms, (keys, is_small) in ((written, self._names), *((core, self._cores) for core in cores)):
            found = find_names(pieces, forms, keys)
            if forms is not written:
                found[:, 3] = SAME_CORE
            spans = zip(pieces.starts[found[:, 0]].tolist(), pieces.ends[found[:, 1]].tolist(), strict=True)
            capital = np.array([not text[start:end].islower() for start, end in spans], dtype=bool)
            matches.append(found[capital | is_small[found[:, 2]]])
        kept = np.concatenate(matches)
        kept[:, 2] = NO_KEY
        return kept


def _linked_names(names: dict[str, NameMemory], allowed: Flags | None, core: Callable[[str], str]) -> tuple[Keys, Flags]:
    """Return the names that were linked, as keys, and which of them may be meant in lower case.

    core  returns the strong words of a spelling
    """
    small = {
        name: any(
            (spelling.islower() and key_of(spelling) == name) or not is_common(core(spelling)) for spelling in said.spellings
        )
        for name, said in names.items()
        if sum(said.linked.values()) > said.not_a_name and (allowed is None or allowed[list(said.linked)].any())
    }
    hashes = hash_strings(Strings.of(list(small)))
    order = np.argsort(hashes)
    return Keys.of_hashes(hashes[order]), np.array(list(small.values()), dtype=bool)[order]


def core_matches(
    matches: Matches, pieces: Pieces, words: Words, keys: Keys, cores: list[WordForms], *, near_changes: bool
) -> list[tuple[Matches, WordForms]]:
    """Return, for the forms of each language, the spans that have the core of a name, without those in `matches`.

    near_changes  look only near words that differ in a core, which are few where names are not inflected
    """
    found, seen = list[tuple[Matches, WordForms]](), np.sort(_spans(matches))
    for forms in cores:
        near = _near_changes(pieces, words, forms) if near_changes else pieces
        new = find_names(near, forms, keys, INITIALS)
        new = new[~np.isin(_spans(new), seen)]
        new[:, 3] = SAME_CORE
        found.append((new, forms))
        seen = np.concatenate((seen, _spans(new)))
    return found


def _spans(matches: Matches) -> NDArray[np.int64]:
    """Return a number for the span of each match."""
    return np.asarray(matches[:, 0] * LONGEST + matches[:, 1] - matches[:, 0])


_NEAR = 5  # words on each side of one that differs in a core


def _near_changes(pieces: Pieces, words: Words, forms: WordForms) -> Pieces:
    """Return pieces of which only those near words that differ in a core go together.

    Function words count between capitalised words; possessives are found without that.
    """
    capital = words.capital[pieces.word]
    between = np.append(capital[1:], False) & np.append(False, capital[:-1])
    changed = (forms.changed & ~words.possessive)[pieces.word]
    at = np.flatnonzero(changed & (between | ~words.function[pieces.word]))
    far = np.ones(len(pieces.word), dtype=bool)
    for distance in range(-_NEAR, _NEAR + 1):
        far[np.clip(at + distance, 0, len(far) - 1)] = False
    return replace(pieces, apart=pieces.apart | far)


@kernel
def find_spans(pieces: Any, words: Any, index: Any, worst_match_type: Any) -> Any:
    """Find every span that is a name: first piece, last piece, row of the key, change; [n, 4] int64.

    pieces  (word [p] int64, joined [p] bool, apart [p] bool): see `eigenthemes.text.segment.Pieces`
    words   (blob [b] uint8, offsets [w + 1] int64, drops [w] bool) of `WordForms`; empty ones are skipped
    index   (hashes, buckets, summary, filter) of `Keys`
    """
    word, joined, apart = pieces
    blob, offsets, drops = words
    key_hashes, key_buckets, key_summary, key_filter = index
    shift = shift_of(key_buckets)
    spans, count = np.empty((len(word) // 4 + 16, 4), dtype=np.int64), 0
    for first in range(len(word)):
        h, run = OFFSET, 0
        for last in range(first, min(first + LONGEST, len(word))):
            if last > first and apart[last]:
                break
            run = run + 1 if last > first and joined[last] else 1
            if run > 2:  # bigrams: the character before comes again
                h = _append(h, blob, offsets[word[last - 1]], offsets[word[last - 1] + 1])
            if offsets[word[last]] == offsets[word[last] + 1]:
                if last == first:
                    break
                continue
            end = offsets[word[last] + 1]
            short = _append(h, blob, offsets[word[last]], end - 1)
            h = step(short, blob[end - 1])
            for variant in range(2 if drops[word[last]] else 1):
                key = finish(h if variant == 0 else short)
                if not may_hold(key, key_filter):
                    continue
                row = find(key, key_hashes, key_buckets, shift)
                if row >= 0 and key_summary[row] & BEST_KIND <= worst_match_type:
                    if count == len(spans):
                        spans = _larger(spans)
                    spans[count, 0], spans[count, 1], spans[count, 2], spans[count, 3] = first, last, row, variant
                    count += 1
    return spans[:count]


@kernel
def _larger(spans: Any) -> Any:
    """Return spans with as much room again."""
    larger = np.empty((2 * len(spans), 4), dtype=np.int64)
    for i in range(len(spans)):
        for j in range(4):
            larger[i, j] = spans[i, j]
    return larger


@kernel
def _append(h: Any, blob: Any, first: Any, last: Any) -> Any:
    for i in range(first, last):
        h = step(h, blob[i])
    return h
