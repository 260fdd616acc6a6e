"""The names of a KB by the stems of their words: what a text or a mention writes with other endings, or in British spelling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import HashTable, Strings, bit_filter, hash_strings
from eigenthemes.kb.store import KB
from eigenthemes.text.normalize import normalize
from eigenthemes.text.stems import STEMMERS
from eigenthemes.text.words import part_elisions

MOST_NAMES = 250_000  # of a KB whose names are stemmed: more take seconds
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
        row = self.table.find(int(hash_strings(Strings.of([stems]))[0]))
        return -1 if row < 0 else int(self.key[row])


def stem_index(kb: KB, language: str) -> StemIndex | None:
    """Index the names of a KB in one language, and those without a language; None where they are too many, or not spelled."""
    spelled = kb.spelled_names
    if spelled is None or len(kb.names) > MOST_NAMES:
        return None
    stemmer = STEMMERS[language]
    words = list(kb.name_index.tokens)
    stems = list(map(stemmer, words))
    bounds, tokens = spelled.indptr.tolist(), spelled.tokens.tolist()
    rows = [row for row in _rows_in(kb, language).tolist() if bounds[row] < bounds[row + 1]]
    stemmed = ["".join([stems[token] for token in tokens[bounds[row] : bounds[row + 1]]]) for row in rows]
    for i, row in enumerate(rows):
        name = str(kb.names[row])
        if (apart := part_elisions(name)) != name:  # "d'études" is one word of the index, and two of a text
            stemmed[i] = "".join(map(stemmer, normalize(apart).split()))
    names = ["".join([words[token] for token in tokens[bounds[row] : bounds[row + 1]]]) for row in rows]
    key = kb.name_index.key_table.find_all(hash_strings(Strings.of(names)))
    known = (key >= 0) & (np.array([len(each) for each in stemmed], dtype=np.int64) >= _SHORTEST)
    hashes, first = np.unique(hash_strings(Strings.of(stemmed))[known], return_index=True)
    return StemIndex(HashTable.of(hashes), key[known][first].astype(np.int64), bit_filter(hashes))


def languages_of(kb: KB) -> dict[str, float]:
    """Return the languages of a KB's names, the commonest first, each with its share of the names that have one."""
    if not kb.has("name_languages"):
        return {}
    counts: dict[str, int] = {}
    for tag, count in zip(kb.languages, np.bincount(kb.array("name_languages"), minlength=len(kb.languages)).tolist(), strict=True):
        language = main_language(tag)
        counts[language] = counts.get(language, 0) + count
    counts.pop("", None)
    total = max(1, sum(counts.values()))
    shares = {language: count / total for language, count in sorted(counts.items(), key=lambda each: -each[1])}
    return {language: share for language, share in shares.items() if share >= _SHARE}


def main_language(tag: str) -> str:
    """Return the language of a tag: de of de-AT."""
    return str(tag).lower().partition("-")[0]


def _rows_in(kb: KB, language: str) -> NDArray[np.int64]:
    """Return the names in a language, or in none."""
    if not kb.has("name_languages"):
        return np.arange(len(kb.names))
    wanted = np.array([main_language(tag) in ("", language) for tag in kb.languages], dtype=bool)
    return np.flatnonzero(wanted[kb.array("name_languages")])
