"""Analysis of names and forms: their language, the stems of their words, and their core.

The core of a name is what is left without weak words: articles, legal forms, function words and what is in brackets. Two strings
with one core are the same name for most purposes ("The Netflix Corp." and "Netflix, Inc."); `alignment` says how they differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import Strings
from eigenthemes.kb.store import KB
from eigenthemes.names.weak_words import ARTICLES, CLEAR_TITLES, EQUIVALENT, FUNCTION_WORDS, LEGAL_FORMS
from eigenthemes.text.normalize import normalize
from eigenthemes.text.segment import FUNCTION_WORDS as SMALL_WORDS
from eigenthemes.text.stems import LANGUAGE_WORDS, STEMMERS, stem
from eigenthemes.text.words import part_elisions

BRACKETED = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_POSSESSIVE = re.compile(r"['\u2019][sS](?!\w)")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_SAMPLE = 2000  # names that tell how a KB writes, and in which language
_MOSTLY = 2 / 3
_SHARE = 0.1  # of the tagged names that are in a language of the KB
_OFTEN = 0.3  # words of a language in untagged names, as a share of those of the most frequent language
_USUAL = "en"


@dataclass(frozen=True, slots=True)
class NameAnalysis:
    """How the names of a KB are analysed.

    languages  of the names, those whose inflection is known
    inflects   the names are common nouns, with other forms; proper names have other spellings only
    """

    languages: tuple[str, ...]
    inflects: bool

    @classmethod
    def of(cls, kb: KB) -> NameAnalysis:
        """Return how the names of a KB are analysed."""
        return kb.cached(_of_kb)

    @classmethod
    def of_names(cls, names: Strings, tags: Sequence[str], tag_of_name: NDArray[np.unsignedinteger]) -> NameAnalysis:
        """Look at names, and at their language tags."""
        counts = np.bincount(tag_of_name, minlength=len(tags))
        shares: dict[str, int] = {}
        for tag, count in zip(tags, counts.tolist(), strict=True):
            shares[main_language(tag)] = shares.get(main_language(tag), 0) + count
        shares.pop("", None)
        tagged = [language for language, count in shares.items() if count >= _SHARE * sum(shares.values())]
        some = [str(names[row]) for row in range(0, len(names), max(1, len(names) // _SAMPLE))]
        known = [language for language in sorted(tagged, key=lambda each: -shares[each]) if language in STEMMERS]
        return cls(tuple(known) or ((_USUAL,) if tagged else _languages_of(some)), _are_common_nouns(some))

    def stem(self, word: str, language: str) -> str:
        """Return what stands for all forms and spellings of a normalised word."""
        return _stem(word, language, self.inflects)

    def core(self, words: Sequence[str], language: str) -> str:
        """Return the stems of the strong words, joined."""
        return "".join([self.stem(word, language) for word in strong_words(words)])

    def cores(self, name: str, language: str = "") -> set[str]:
        """Return the cores of a name or a form, in one language or in each language of the KB."""
        words = normalize(part_elisions(_POSSESSIVE.sub("", BRACKETED.sub(" ", name)))).split()
        return {self.core(words, each) for each in ((language,) if language in self.languages else self.languages)}


def _of_kb(kb: KB) -> NameAnalysis:
    return NameAnalysis.of_names(kb.names, list(kb.languages), kb.array("name_languages"))


def strong_words(words: Sequence[str]) -> Sequence[str]:
    """Return words without function words, an article or a title before them and legal forms behind them; all if none is left."""
    first, last = 0, len(words)
    while first < last and (words[first] in ARTICLES or words[first] in CLEAR_TITLES):
        first += 1
    while first < last and words[last - 1] in LEGAL_FORMS:
        last -= 1
    return [word for word in words[first:last] if word not in FUNCTION_WORDS] or words


@lru_cache(maxsize=1 << 15)
def _stem(word: str, language: str, inflects: bool) -> str:
    word = EQUIVALENT.get(word, word)
    return stem(word, language) if inflects or language == "de" else word


def main_language(tag: str) -> str:
    """Return the language of a tag: de of de-AT."""
    return str(tag).lower().partition("-")[0]


def _languages_of(names: Sequence[str]) -> tuple[str, ...]:
    """Return the languages of untagged names, by the small words in them."""
    words = [word for name in names for word in normalize(name).split()]
    counts = {}
    for language, of_language in LANGUAGE_WORDS.items():
        others = frozenset(chain.from_iterable(own for other, own in LANGUAGE_WORDS.items() if other != language))
        counts[language] = sum(word in of_language and word not in others for word in words)
    most = max(counts.values())
    return tuple(language for language, count in counts.items() if count > 0 and count >= _OFTEN * most) or (_USUAL,)


def _are_common_nouns(names: Sequence[str]) -> bool:
    """Return whether the words inside names are written in lower case, as ontologies do."""
    inside = [
        word for name in names for word in _LETTERS.findall(name)[1:] if word.lower() not in SMALL_WORDS
    ]
    return sum(map(str.islower, inside)) > _MOSTLY * len(inside)
