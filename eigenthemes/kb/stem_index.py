"""The names of a KB by the stems of their words: what a text or a mention writes with other endings, or in British spelling."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import HashTable, Strings, bit_filter, hash_bytes, hash_strings
from eigenthemes.kb.name_arrays import WHOLE, NameIndexArrays
from eigenthemes.kb.store import KB
from eigenthemes.text.normalize import normalize
from eigenthemes.text.segment import FUNCTION_WORDS
from eigenthemes.text.stems import STEMMERS, stem
from eigenthemes.text.words import part_elisions

MOST_NAMES = 1_000_000  # of a KB whose names are stemmed: more take seconds
USUAL = "en"
_ALONE = 0.9  # share of the KB's tagged names that make their language that of all texts
_SAMPLE = 2000  # names that tell how a KB writes
_MOSTLY = 2 / 3
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_SHARE = 0.1  # of the tagged names that are in a language of the KB
_SHORTEST = 3  # letters of a name that is stemmed


@dataclass(frozen=True, slots=True)
class StemIndex:
    """Hash of a name's stems, put together -> its row.

    table   of the hashes
    key     [n] int64: row of the name index's `key_table` of the first name, by prior, that has these stems
    filter  `bit_filter` of the hashes
    """

    table: HashTable
    key: NDArray[np.int64]
    filter: NDArray[np.uint8]

    def find(self, stems: str) -> int:
        """Return the row of the key of a name with these stems, or -1."""
        row = self.table.find(hash_bytes(stems.encode("utf-8", "replace")))
        return -1 if row < 0 else int(self.key[row])


class InflectedNames:
    """Find the names that equal a form up to inflection and spelling; the index is built on first use.

    language  of the names; None: that of the KB's names, or English
    """

    def __init__(self, kb: KB, language: str | None) -> None:
        self.kb = kb
        self.language = language or next(iter(inflected_languages(kb)))

    @cached_property
    def is_inflected(self) -> bool:
        """Return True if some name has inflected forms."""
        return is_inflected(self.kb, self.language)

    @cached_property
    def index(self) -> StemIndex | None:
        """The names by their stems; None where they are not inflected."""
        return stem_index(self.kb, self.language) if self.is_inflected else None

    def key(self, name: str) -> int | None:
        """Return the row of the key of the name, or None."""
        if self.index is None:
            return None
        stems = "".join([stem(word, self.language) for word in normalize(part_elisions(name)).split()])
        row = self.index.find(stems) if len(stems) >= _SHORTEST else -1
        return row if row >= 0 else None


def stem_index(kb: KB, language: str) -> StemIndex | None:
    """Index the names of a KB in one language, and those without a language; None where they are too many."""
    spelled, index = kb.spelled_names, kb.name_index
    if len(kb.names) > MOST_NAMES:
        return None
    words = list(index.tokens)
    stems = list(map(STEMMERS[language], words))
    changed = np.array([word != stem for word, stem in zip(words, stems, strict=True)], dtype=bool)
    changes = np.concatenate(([0], np.cumsum(changed[spelled.tokens])))[spelled.indptr]
    elided = _with_apostrophe(kb.names) if language == "fr" else np.zeros(len(kb.names), dtype=bool)
    rows = np.flatnonzero(((np.diff(changes) > 0) | elided) & (np.diff(spelled.indptr) > 0) & _are_in(kb, language))
    bounds = zip(spelled.indptr[rows].tolist(), spelled.indptr[rows + 1].tolist(), strict=True)
    tokens = [spelled.tokens[first:last].tolist() for first, last in bounds]
    stemmed = ["".join([stems[token] for token in of_name]) for of_name in tokens]
    for i in np.flatnonzero(elided[rows]).tolist():  # "d'études" is one word of the index, and two of a text
        stemmed[i] = "".join(map(STEMMERS[language], normalize(part_elisions(kb.names[rows[i]])).split()))
    names = ["".join([words[token] for token in of_name]) for of_name in tokens]
    key = index.key_table.find_all(hash_strings(Strings.of(names)))
    known = (key >= 0) & (np.array([len(each) for each in stemmed], dtype=np.int64) >= _SHORTEST)
    return _joined(index, hash_strings(Strings.of(stemmed))[known], key[known])


def _joined(index: NameIndexArrays, hashes: NDArray[np.uint64], key: NDArray[np.int64]) -> StemIndex:
    """Index names by stems and as written; on a clash the name as written wins."""
    kinds = index.key_kinds <= WHOLE
    names = np.flatnonzero(np.logical_or.reduceat(kinds, index.key_indptr[:-1])) if len(kinds) else np.zeros(0, dtype=np.int64)
    both, first = np.unique(np.concatenate((index.key_table.hashes[names], hashes)), return_index=True)
    return StemIndex(HashTable.of(both), np.concatenate((names, key))[first].astype(np.int64), bit_filter(both))


def _with_apostrophe(names: Strings) -> NDArray[np.bool_]:
    """Return which names have an apostrophe."""
    blob = names.blob
    typographic = np.flatnonzero(blob[:-2] == 0xE2)  # U+2019 is E2 80 99
    typographic = typographic[(blob[typographic + 1] == 0x80) & (blob[typographic + 2] == 0x99)]
    having = np.zeros(len(names), dtype=bool)
    having[np.searchsorted(names.offsets, np.concatenate((np.flatnonzero(blob == 0x27), typographic)), side="right") - 1] = True
    return having


def inflected_languages(kb: KB) -> tuple[str, ...]:
    """Return the languages that texts for a KB may be in: that of its names, if they have one, else all that are known."""
    shares = languages_of(kb)
    if next(iter(shares.values()), 0) >= _ALONE:
        only = next(iter(shares))
        return (only if only in STEMMERS else USUAL,)
    return tuple(language for language in STEMMERS if not shares or language in shares) or (USUAL,)


def is_inflected(kb: KB, language: str) -> bool:
    """Return whether the names of a KB have other forms; German nouns are capitalised, names or not."""
    return language == "de" or writes_small(kb)


def writes_small(kb: KB) -> bool:
    """Return whether a KB writes the words inside its names in lower case, as ontologies do."""
    names, small, all_words = kb.names, 0, 0
    for row in range(0, len(names), max(1, len(names) // _SAMPLE)):
        inside = [word for word in _LETTERS.findall(names[row])[1:] if word.lower() not in FUNCTION_WORDS]
        small += sum(word.islower() for word in inside)
        all_words += len(inside)
    return small > _MOSTLY * all_words


def languages_of(kb: KB) -> dict[str, float]:
    """Return the languages of a KB's names, the commonest first, each with its share of the names that have one."""
    counts: dict[str, int] = {}
    for tag, count in zip(
        kb.languages, np.bincount(kb.array("name_languages"), minlength=len(kb.languages)).tolist(), strict=True
    ):
        language = main_language(tag)
        counts[language] = counts.get(language, 0) + count
    counts.pop("", None)
    total = max(1, sum(counts.values()))
    shares = {language: count / total for language, count in sorted(counts.items(), key=lambda each: -each[1])}
    return {language: share for language, share in shares.items() if share >= _SHARE}


def main_language(tag: str) -> str:
    """Return the language of a tag: de of de-AT."""
    return str(tag).lower().partition("-")[0]


def _are_in(kb: KB, language: str) -> NDArray[np.bool_]:
    """Return which names are in a language, or in none."""
    wanted = np.array([main_language(tag) in ("", language) for tag in kb.languages], dtype=bool)
    return np.asarray(wanted[kb.array("name_languages")])
