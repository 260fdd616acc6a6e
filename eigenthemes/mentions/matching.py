"""Match spans of a text with names of the KB: as written, inflected, by stems, and by corrections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import OFFSET, find, finish, may_hold, shift_of, step
from eigenthemes.core.arrays import read_only
from eigenthemes.core.jit import kernel
from eigenthemes.core.strings import FNV_OFFSET, HashTable, Strings, bit_filter, extend_hash, finish_hash, hash_strings
from eigenthemes.kb.name_arrays import UNBRACKETED, NameIndexArrays
from eigenthemes.kb.name_memory import NameMemories
from eigenthemes.kb.stem_index import USUAL, StemIndex, inflected_languages, is_inflected, stem_index
from eigenthemes.kb.store import KB
from eigenthemes.text.segment import Pieces, Words
from eigenthemes.text.stems import guess_language, stem

_SHORTEST = 4  # letters of a word that is inflected

# an ending and what may stand for it; the plural's s alone is left off elsewhere
_ENDINGS = (
    ("ies", "y"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("sses", "ss"),
    ("ses", "sis"),
    ("sis", "ses"),
    ("ae", "a"),
)
_BRITISH = (("aem", "em"), ("oed", "ed"), ("aes", "es"), ("oes", "es"), ("our", "or"), ("paed", "ped"), ("haem", "hem"))


@dataclass(frozen=True, slots=True)
class OtherForms:
    """Other forms of the words of a text: those of word i are forms[indptr[i]:indptr[i + 1]]."""

    forms: Strings
    indptr: NDArray[np.int64]

    def of(self, word: int) -> list[bytes]:
        """Return the other forms of a word."""
        return [self.forms.raw(row) for row in range(int(self.indptr[word]), int(self.indptr[word + 1]))]


def no_other_forms(words: Words) -> OtherForms:
    """Return that no word has other forms."""
    return OtherForms(Strings.of([]), np.zeros(len(words.texts) + 1, np.int64))


def other_forms(words: Words) -> OtherForms:
    """Return the other forms of the words of a text."""
    forms = [_other_forms(text.lower()) if flat else () for text, flat in zip(words.texts, words.flat.tolist(), strict=True)]
    indptr = np.concatenate(([0], np.cumsum([len(of_word) for of_word in forms]))).astype(np.int64)
    return OtherForms(Strings.of([form for of_word in forms for form in of_word]), indptr)


@lru_cache(maxsize=1 << 14)
def _other_forms(word: str) -> tuple[str, ...]:
    """Return the forms of a word in lower case that a KB may have instead; none of a word that is not plain letters."""
    if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
        return ()
    forms = [word[: len(word) - len(ending)] + other for ending, other in _ENDINGS if word.endswith(ending)]
    if word.endswith("y"):
        forms.append(word[:-1] + "ies")
    elif not word.endswith("s"):
        forms.append(word + ("es" if word.endswith(("x", "ch", "sh")) else "s"))
    for british, american in _BRITISH:
        if british in word:
            forms.append(word.replace(british, american))
        elif american in word:
            forms.append(word.replace(american, british))
    return tuple(dict.fromkeys(form for form in forms if form != word))


LONGEST = 12  # pieces of a span
LETTER_LEFT_OFF, OTHER_FORM, STEMMED, COORDINATED = 1, 2, 3, 4  # how a match differs from a name

Flags = NDArray[np.bool_]
Matches = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Keys:
    """The table for span look-ups: hashes, their match types, and a filter for fast misses."""

    table: HashTable
    indptr: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    filter: NDArray[np.uint8]

    @classmethod
    def of_names(cls, index: NameIndexArrays) -> Keys:
        """Return the keys of a KB's names without stemming."""
        return cls(index.key_table, index.key_indptr, index.key_kinds, index.key_filter)

    @classmethod
    def of_stems(cls, index: StemIndex) -> Keys:
        """Return the names of a KB by the stems of their words."""
        count = len(index.key)
        return cls(index.table, np.arange(count + 1), np.zeros(count, dtype=np.uint8), index.filter)

    def row(self, key: int) -> int:
        """Return the row of a key that is a name or a label without brackets, or -1."""
        bit = key & (8 * len(self.filter) - 1)
        if not self.filter[bit >> 3] >> (bit & 7) & 1:
            return -1
        row = self.table.find(key)
        if row < 0 or not (self.kinds[self.indptr[row] : self.indptr[row + 1]] <= UNBRACKETED).any():
            return -1
        return row


@dataclass(frozen=True, slots=True)
class WordForms:
    """Forms of the words of a text [w], which may drop their last letter [w], and other forms of the last word."""

    forms: Strings
    drops: Flags
    others: OtherForms


def matches_plain(pieces: Pieces, words: WordForms, keys: Keys) -> Matches:
    """Return all spans that are a name."""
    forms = [words.forms.raw(row) for row in range(len(words.forms))]
    word, joined, apart = pieces.word.tolist(), pieces.joined.tolist(), pieces.apart.tolist()
    matches: list[tuple[int, int, int, int]] = []
    for first in range(len(word)):
        h, run = FNV_OFFSET, 0
        for last in range(first, min(first + LONGEST, len(word))):
            if last > first and apart[last]:
                break
            run = run + 1 if last > first and joined[last] else 1
            if run > 2:  # bigrams: the character before is said again
                h = extend_hash(h, forms[word[last - 1]])
            form = forms[word[last]]
            before, short = h, extend_hash(h, form[:-1])
            h = extend_hash(short, form[-1:])
            states = [(0, h), *([(LETTER_LEFT_OFF, short)] if words.drops[word[last]] else [])]
            others = [(OTHER_FORM, extend_hash(before, other)) for other in words.others.of(word[last])]
            for change, state in states + others:
                row = keys.row(finish_hash(state))
                if row >= 0:
                    matches.append((first, last, row, change))
    return np.array(matches, dtype=np.int64).reshape(-1, 4)


def matches_compiled(pieces: Pieces, words: WordForms, keys: Keys) -> Matches:
    """Return the same, by a kernel."""
    others, table = words.others, keys.table
    matches: Matches = find_spans(
        (pieces.word, pieces.joined, pieces.apart),
        (words.forms.blob, words.forms.offsets, words.drops),
        (others.forms.blob, others.forms.offsets, others.indptr),
        tuple(read_only(array) for array in (table.hashes, table.buckets, keys.indptr, keys.kinds, keys.filter)),
        LONGEST,
        UNBRACKETED,
    )
    return matches


_SHOUTED_FROM = 6  # letters of a word in capitals that is inflected: "NEUTROPHILS IN BLOOD", but the gene "CANS" is no plural


class Stems:
    """The names of a KB by stems, per language of the text; built on first use.

    language  of all texts; None: that of the KB's names or, where they have several or none, what each text looks like
    """

    def __init__(self, kb: KB, language: str | None) -> None:
        self.kb = kb
        self._languages = (language,) if language else inflected_languages(kb)
        self._index_of: dict[str, StemIndex | None] = {}
        self._keys_of: dict[str, Keys] = {}
        self._making = Lock()

    def keys(self, language: str, index: StemIndex) -> Keys:
        """Return the keys of an index, made once."""
        known = self._keys_of.get(language)
        if known is None:
            known = self._keys_of[language] = Keys.of_stems(index)
        return known

    def choose(self, words: Words) -> tuple[str, StemIndex | None]:
        """Return the language of a text, and the KB's names in it by their stems; None where they are not inflected."""
        language = self._languages[0] if len(self._languages) == 1 else guess_language(words.texts, self._languages) or USUAL
        if language not in self._index_of:
            with self._making:
                if language not in self._index_of:
                    self._index_of[language] = stem_index(self.kb, language) if is_inflected(self.kb, language) else None
        return language, self._index_of[language]


def stemmed_forms(words: Words, language: str) -> WordForms:
    """Return the stems of the words of a text; words with inner capitals are unchanged outside headlines."""
    inflected = words.flat | (words.shouted & (np.diff(words.forms.offsets) >= _SHOUTED_FROM))
    stems = [stem(form, language) if may else form for form, may in zip(words.plain, inflected.tolist(), strict=True)]
    return WordForms(Strings.of(stems), np.zeros(len(stems), dtype=bool), no_other_forms(words))


def with_stem_matches(matches: Matches, stemmed: Matches, index: StemIndex) -> Matches:
    """Return matches with those by stems that are no match otherwise."""
    if not len(stemmed):
        return matches
    spans, stemmed_spans = (each[:, 0] * LONGEST + each[:, 1] - each[:, 0] for each in (matches, stemmed))
    at = np.searchsorted(spans, stemmed_spans)  # both ascend
    new = stemmed[np.append(spans, -1)[at] != stemmed_spans]
    new[:, 2], new[:, 3] = index.key[new[:, 2]], STEMMED
    return np.concatenate((matches, new))


FindMatches = Callable[[Pieces, WordForms, Keys], Matches]
_NO_KEY = -1  # as the row of a match: the name may be none of the KB's


class RememberedNames:
    """Finds the names that people linked, and did not more often call no name.

    A name that was always written with a capital ("Aids") is not found in small letters.

    allowed  [entities] bool: those that may be meant; names that only meant others are no names. None: all
    """

    def __init__(self, memory: NameMemories, allowed: NDArray[np.bool_] | None) -> None:
        small = {
            name: any(spelling.islower() for spelling in said.spellings)
            for name, said in memory.items()
            if sum(said.linked.values()) > said.not_a_name and (allowed is None or allowed[list(said.linked)].any())
        }
        hashes = hash_strings(Strings.of(list(small)))
        order = np.argsort(hashes)
        self._small = np.array(list(small.values()), dtype=bool)[order]
        self._keys = _keys(hashes[order])

    def matches(self, text: str, pieces: Pieces, words: Words, find_matches: FindMatches) -> Matches:
        """Return the spans that are such a name, as rows of `matching`."""
        found = find_matches(pieces, WordForms(words.forms, words.possessive, no_other_forms(words)), self._keys)
        spans = zip(pieces.starts[found[:, 0]].tolist(), pieces.ends[found[:, 1]].tolist(), strict=True)
        capital = np.array([not text[start:end].islower() for start, end in spans], dtype=bool)
        kept: Matches = found[capital | self._small[found[:, 2]]]
        kept[:, 2] = _NO_KEY
        return kept


def _keys(hashes: NDArray[np.uint64]) -> Keys:
    """Return what spans are looked up in; read-only like the KB's own keys, so that the same compiled code takes them."""
    table = HashTable.of(hashes)
    keys = Keys(table, np.arange(len(hashes) + 1), np.zeros(len(hashes), dtype=np.uint8), bit_filter(hashes))
    for array in (table.hashes, table.buckets, keys.indptr, keys.kinds, keys.filter):
        array.flags.writeable = False
    return keys


@kernel
def find_spans(pieces: Any, words: Any, other_forms: Any, index: Any, longest: Any, worst_match_type: Any) -> Any:
    """Find every span that is a name: first piece, last piece, row of the key, change; [n, 4] int64.

    change: 0 none, 1 the last letter was left off, 2 the last word has another form.

    pieces  (word [p] int64, joined [p] bool, apart [p] bool): see `eigenthemes.text.segment.Pieces`
    words   (blob [b] uint8, offsets [w + 1] int64, drops [w] bool: its last letter may be left off)
    other_forms  (blob, offsets [f + 1], indptr [w + 1]): other forms of a word, which it may stand for at the end of a name
    index   (key_hashes, key_buckets, key_indptr, key_kinds, key_filter): see `eigenthemes.kb.name_arrays.NameIndexArrays`
    longest           pieces of a span at most
    worst_match_type  a key is a name where its best match type is no worse than this
    """
    word, joined, apart = pieces
    blob, offsets, drops = words
    form_blob, form_offsets, form_indptr = other_forms
    key_hashes, key_buckets, key_indptr, key_kinds, key_filter = index
    shift = shift_of(key_buckets)
    spans, count = np.empty((len(word) // 4 + 16, 4), dtype=np.int64), 0
    for first in range(len(word)):
        h, run = OFFSET, 0
        for last in range(first, min(first + longest, len(word))):
            if last > first and apart[last]:
                break
            run = run + 1 if last > first and joined[last] else 1
            if run > 2:  # bigrams: the character before comes again
                h = _append(h, blob, offsets[word[last - 1]], offsets[word[last - 1] + 1])
            end, before = offsets[word[last] + 1], h
            short = _append(h, blob, offsets[word[last]], end - 1)
            h = step(short, blob[end - 1])
            first_form, last_form = form_indptr[word[last]], form_indptr[word[last] + 1]
            for variant in range(2 + last_form - first_form):
                if variant == 1 and not drops[word[last]]:
                    continue
                if variant < 2:
                    key = finish(h if variant == 0 else short)
                else:
                    form = first_form + variant - 2
                    key = finish(_append(before, form_blob, form_offsets[form], form_offsets[form + 1]))
                if not may_hold(key, key_filter):
                    continue
                row = find(key, key_hashes, key_buckets, shift)
                if row >= 0 and _is_name(row, key_indptr, key_kinds, worst_match_type):
                    if count == len(spans):
                        spans = _larger(spans)
                    spans[count, 0], spans[count, 1], spans[count, 2], spans[count, 3] = first, last, row, min(variant, 2)
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


@kernel
def _is_name(row: Any, key_indptr: Any, key_kinds: Any, worst_match_type: Any) -> Any:
    best = key_kinds[key_indptr[row]]
    for entry in range(key_indptr[row], key_indptr[row + 1]):
        best = min(best, key_kinds[entry])
    return best <= worst_match_type
