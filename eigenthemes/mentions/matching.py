"""Match spans of a text with names of the KB: as written, inflected, by stems, and by corrections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import OFFSET, find, finish, may_hold, shift_of, step
from eigenthemes.core.arrays import read_only
from eigenthemes.core.jit import kernel
from eigenthemes.core.strings import FNV_OFFSET, HashTable, Strings, bit_filter, extend_hash, finish_hash, hash_strings
from eigenthemes.kb.name_arrays import UNBRACKETED, NameIndexArrays
from eigenthemes.kb.store import KB
from eigenthemes.names.analysis import NameAnalysis
from eigenthemes.names.name_memory import NameMemories, NameMemory
from eigenthemes.names.token_model import TokenModel
from eigenthemes.names.typos import is_one_edit, similar_to_all
from eigenthemes.names.weak_words import EQUIVALENT, FUNCTION, is_common
from eigenthemes.text.segment import Pieces, Words

LONGEST = 12  # pieces of a span
LETTER_LEFT_OFF, SAME_CORE, COORDINATED = 1, 2, 3  # how a match differs from a name

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

    def row(self, key: int, worst: int = UNBRACKETED) -> int:
        """Return the row of a key that is a name, of a match type no worse than this; else -1."""
        bit = key & (8 * len(self.filter) - 1)
        if not self.filter[bit >> 3] >> (bit & 7) & 1:
            return -1
        row = self.table.find(key)
        if row < 0 or not (self.kinds[self.indptr[row] : self.indptr[row + 1]] <= worst).any():
            return -1
        return row


@dataclass(frozen=True, slots=True)
class WordForms:
    """Forms of the words of a text [w], which may drop their last letter [w], and which are not the words as written [w]."""

    forms: Strings
    drops: Flags
    changed: Flags
    misspelled: Flags

    @classmethod
    def written(cls, words: Words) -> WordForms:
        """Return the words as they are written; possessives may drop their s."""
        no = np.zeros(len(words.plain), dtype=bool)
        return cls(words.forms, words.possessive, no, no)


def matches_plain(pieces: Pieces, words: WordForms, keys: Keys, worst: int = UNBRACKETED) -> Matches:
    """Return all spans that are a name, of a match type no worse than this."""
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
            if not form:  # a weak word, which is no part of a core
                if last == first:
                    break
                continue
            short = extend_hash(h, form[:-1])
            h = extend_hash(short, form[-1:])
            for change, state in [(0, h), *([(LETTER_LEFT_OFF, short)] if words.drops[word[last]] else [])]:
                row = keys.row(finish_hash(state), worst)
                if row >= 0:
                    matches.append((first, last, row, change))
    return np.array(matches, dtype=np.int64).reshape(-1, 4)


def matches_compiled(pieces: Pieces, words: WordForms, keys: Keys, worst: int = UNBRACKETED) -> Matches:
    """Return the same, by a kernel."""
    table = keys.table
    matches: Matches = find_spans(
        (pieces.word, pieces.joined, pieces.apart),
        (words.forms.blob, words.forms.offsets, words.drops),
        tuple(read_only(array) for array in (table.hashes, table.buckets, keys.indptr, keys.kinds, keys.filter)),
        LONGEST,
        worst,
    )
    return matches


_SHOUTED_FROM = 6  # letters of a word in capitals that is inflected: "NEUTROPHILS IN BLOOD", but the gene "CANS" is no plural
_SHORT = 2  # letters
_MISSPELLED_FROM = 6  # letters of a word that may be misspelled
_REMEMBERED = 1 << 16  # words whose corrected spelling is kept in memory


class CoreForms:
    """The words of texts as they are part of cores: stemmed, without typos, function words empty.

    language  of all texts; None: any language of the KB's names
    """

    def __init__(self, kb: KB, language: str | None) -> None:
        self.kb, self.analysis, self.tokens = kb, NameAnalysis.of(kb), kb.cached(TokenModel.of)
        self.languages = (language,) if language else self.analysis.languages
        self._corrected: dict[str, str] = {}

    def of(self, words: Words, language: str) -> WordForms:
        """Return the forms of words in a language."""
        corrected, weak = self._correct(words), self.analysis.weak_words
        if self.analysis.is_inflected:
            inflected = words.flat | (words.shouted & (np.diff(words.forms.offsets) >= _SHOUTED_FROM))
            stem = self.analysis.stem
            forms = [stem(form, language) if may else form for form, may in zip(corrected, inflected.tolist(), strict=True)]
        else:
            forms = [EQUIVALENT.get(form, form) for form in corrected]
        for word in np.flatnonzero(words.function | (np.diff(words.forms.offsets) <= _SHORT)).tolist():  # d' is short
            if weak.get(words.plain[word], 0) & FUNCTION:
                forms[word] = ""
        changed, corrections = (np.fromiter(map(str.__ne__, some, words.plain), bool, len(some)) for some in (forms, corrected))
        return WordForms(Strings.of(forms), np.zeros(len(forms), dtype=bool), changed, corrections & ~words.possessive)

    def _correct(self, words: Words) -> list[str]:
        """Return the words without a possessive, and without typos where they are words of the KB then."""
        forms = list(words.plain)
        for owner in np.flatnonzero(words.possessive).tolist():
            forms[owner] = forms[owner][:-1]
        asked = [form for form in forms if len(form) >= _MISSPELLED_FROM and form not in self._corrected and form.isalpha()]
        if len(self._corrected) > _REMEMBERED:
            self._corrected = {}
        if asked:
            self._corrected.update(self._spell(asked))
        return [self._corrected.get(form, form) for form in forms]

    def _spell(self, forms: list[str]) -> dict[str, str]:
        """Return each form, or the word of the KB that it is but for a typo."""
        index = self.kb.name_index
        unknown = index.token_table.find_all(hash_strings(Strings.of(forms))) < 0
        spelled = {form: form for form in forms}
        doubtful = [
            form
            for form, may in zip(forms, unknown.tolist(), strict=True)
            if may and not is_common(form) and not len(self.tokens.stems_of(form))
        ]
        for form, similar in zip(doubtful, similar_to_all(doubtful, index.tokens, index.typos), strict=True):
            near = [token for token in similar if is_one_edit(form, index.tokens[token]) and form[0] == index.tokens[token][0]]
            if near:
                spelled[form] = index.tokens[max(near, key=lambda token: -self.tokens.information[token])]
        return spelled


FindMatches = Callable[..., Matches]
_NO_KEY = -1  # as the row of a match: the name may be none of the KB's


class RememberedNames:
    """Finds the names that people linked, and did not more often call no name.

    A name that was always written with a capital ("Aids") is not found in small letters.

    allowed  [entities] bool: those that may be meant; names that only meant others are no names. None: all
    """

    def __init__(self, memory: NameMemories, allowed: NDArray[np.bool_] | None) -> None:
        self._names, self._cores = (_linked_names(names, allowed) for names in (dict(memory.items()), memory.by_core))

    def matches(self, text: str, pieces: Pieces, words: Words, find_matches: FindMatches, cores: CoreForms) -> Matches:
        """Return the spans that are such a name or have the core of one, as rows of `matching`."""
        looked_up = [(WordForms.written(words), self._names)]
        looked_up += [(cores.of(words, language), self._cores) for language in cores.languages]
        matches = list[Matches]()
        for forms, (keys, is_small) in looked_up:
            found = find_matches(pieces, forms, keys)
            spans = zip(pieces.starts[found[:, 0]].tolist(), pieces.ends[found[:, 1]].tolist(), strict=True)
            capital = np.array([not text[start:end].islower() for start, end in spans], dtype=bool)
            matches.append(found[capital | is_small[found[:, 2]]])
        kept = np.concatenate(matches)
        kept[:, 2] = _NO_KEY
        return kept


def _linked_names(names: dict[str, NameMemory], allowed: NDArray[np.bool_] | None) -> tuple[Keys, Flags]:
    """Return the names that were linked, as keys, and which of them were written in lower case."""
    small = {
        name: any(spelling.islower() for spelling in said.spellings)
        for name, said in names.items()
        if sum(said.linked.values()) > said.not_a_name and (allowed is None or allowed[list(said.linked)].any())
    }
    hashes = hash_strings(Strings.of(list(small)))
    order = np.argsort(hashes)
    return _keys(hashes[order]), np.array(list(small.values()), dtype=bool)[order]


def _keys(hashes: NDArray[np.uint64]) -> Keys:
    """Return what spans are looked up in; read-only like the KB's own keys, so that the same compiled code takes them."""
    table = HashTable.of(hashes)
    keys = Keys(table, np.arange(len(hashes) + 1), np.zeros(len(hashes), dtype=np.uint8), bit_filter(hashes))
    for array in (table.hashes, table.buckets, keys.indptr, keys.kinds, keys.filter):
        array.flags.writeable = False
    return keys


@kernel
def find_spans(pieces: Any, words: Any, index: Any, longest: Any, worst_match_type: Any) -> Any:
    """Find every span that is a name: first piece, last piece, row of the key, change; [n, 4] int64.

    change: 0 none, 1 the last letter was left off.

    pieces  (word [p] int64, joined [p] bool, apart [p] bool): see `eigenthemes.text.segment.Pieces`
    words   (blob [b] uint8, offsets [w + 1] int64, drops [w] bool: its last letter may be left off); empty ones are skipped
    index   (key_hashes, key_buckets, key_indptr, key_kinds, key_filter): see `eigenthemes.kb.name_arrays.NameIndexArrays`
    longest           pieces of a span at most
    worst_match_type  a key is a name where its best match type is no worse than this
    """
    word, joined, apart = pieces
    blob, offsets, drops = words
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
            if offsets[word[last]] == offsets[word[last] + 1]:  # a weak word, which is no part of a core
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
                if row >= 0 and _is_name(row, key_indptr, key_kinds, worst_match_type):
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


@kernel
def _is_name(row: Any, key_indptr: Any, key_kinds: Any, worst_match_type: Any) -> Any:
    best = key_kinds[key_indptr[row]]
    for entry in range(key_indptr[row], key_indptr[row + 1]):
        best = min(best, key_kinds[entry])
    return best <= worst_match_type
