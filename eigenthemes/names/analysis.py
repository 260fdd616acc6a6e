"""Analysis of names and forms: their language, the stems of their words, and their core.

The core of a name is what is left without weak words: articles, legal forms, function words and what is in brackets. Two
strings with one core are the same name for most purposes ("Netflix Corp.", "Netflix, Inc."); `alignment` says how they differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import Strings
from eigenthemes.kb.store import KB
from eigenthemes.names.weak_words import (
    ARTICLE,
    CLEAR_TITLES,
    EQUIVALENT,
    FUNCTION,
    GIVEN_NAMES,
    LEGAL_FORM,
    LEGAL_FORMS,
    TITLE,
    is_common,
    kinds_of_weak_words,
)
from eigenthemes.text.normalize import normalize, squash, turned_round
from eigenthemes.text.segment import FUNCTION_WORDS as SMALL_WORDS
from eigenthemes.text.stems import LANGUAGE_WORDS, STEMMERS, stem
from eigenthemes.text.words import part_elisions

BRACKETED = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_POSSESSIVE = re.compile(r"['\u2019][sS](?!\w)")
_SIGNS = frozenset("'\u2019([.")  # of possessives, brackets and abbreviations
_PARTING = str.maketrans(",-/&", "    ")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_SAMPLE = 2000  # names that tell how a KB writes, and in which language
_MOSTLY = 2 / 3
_SHARE = 0.1  # of the tagged names that are in a language of the KB
# Share of names from which on there are some companies or persons: .005 to .011 companies in general KGs, .000 to .002 in
# ontologies, thesauri and places; .087 to .105 persons in general KGs, .000 to .002 in the others.
_SOME = 0.003
# Share of common words among names of one word below which these are names by chance: .02 in genes and places, .12 to .47 in
# ontologies, thesauri and general KGs. Of few names it is drawn towards a usual share.
_BY_CHANCE, _USUAL_COMMON, _USUAL_SINGLE = 0.05, 0.2, 20
_OFTEN = 0.3  # words of a language in untagged names, as a share of those of the most frequent language
_SELDOM, _AT_LEAST = 0.01, 2  # of the names, and how many, that say in which language they are
_LETTERS_OF = {"de": "äß", "fr": "èêàœ", "es": "ñ", "tr": "ışğ"}
USUAL_LANGUAGE = "en"
MOSTLY_PERSONS = 0.4  # of the names begin with a given name: all may be names of persons
_LONGEST_PERSON = 4  # words


@dataclass(frozen=True, slots=True)
class NameAnalysis:
    """How the names of a KB are analysed.

    languages  of the names, those whose inflection is known
    inflects   the names are common nouns, with other forms; proper names have other spellings only
    companies  the share of names with a legal form; persons: of those that begin with a given name
    common     the share of common words among the names of one word
    """

    languages: tuple[str, ...]
    inflects: bool
    companies: float
    persons: float
    common: float

    @classmethod
    def of(cls, kb: KB) -> NameAnalysis:
        """Return how the names of a KB are analysed, as its manifest says."""
        stored = kb.manifest["names"]
        shares = (float(stored[share]) for share in ("companies", "persons", "common"))
        return cls(tuple(stored["languages"]), stored["inflects"], *shares)

    def to_dict(self) -> dict[str, Any]:
        """Describe it for the manifest."""
        return asdict(self)

    @classmethod
    def of_names(cls, names: Strings, tags: Sequence[str], tag_of_name: NDArray[np.unsignedinteger]) -> NameAnalysis:
        """Look at names, and at their language tags."""
        counts = np.bincount(tag_of_name, minlength=len(tags))
        shares: dict[str, int] = {}
        for tag, count in zip(tags, counts.tolist(), strict=True):
            shares[main_language(tag)] = shares.get(main_language(tag), 0) + count
        shares.pop("", None)
        tagged = [language for language, count in shares.items() if count >= _SHARE * sum(shares.values())]
        step = max(1, len(names) // _SAMPLE)
        some = [str(names[row]) for row in range(0, len(names), step)]
        known = [language for language in sorted(tagged, key=lambda each: -shares[each]) if language in STEMMERS]
        german = [main_language(tag) == "de" for tag in tags]  # which capitalises all nouns
        others = [name for name, tag in zip(some, tag_of_name[::step].tolist(), strict=True) if not german[tag]]
        words = [normalize(name).split() for name in some]
        several, single = [each for each in words if len(each) > 1], [each[0] for each in words if len(each) == 1]
        return cls(
            tuple(known) or ((USUAL_LANGUAGE,) if tagged else _languages_of(some)),
            _are_common_nouns(others),
            round(sum(each[-1] in LEGAL_FORMS for each in several) / max(1, len(words)), 4),
            round(sum(is_person(each) for each in several) / max(1, len(words)), 4),
            round((sum(map(is_common, single)) + _USUAL_COMMON * _USUAL_SINGLE) / (len(single) + _USUAL_SINGLE), 4),
        )

    @property
    def is_inflected(self) -> bool:
        """Return whether names have inflected forms: common nouns, and all German nouns, which are capitalised."""
        return self.inflects or "de" in self.languages

    @property
    def has_companies(self) -> bool:
        """Return whether some of the names are those of companies."""
        return self.companies >= _SHARE

    @property
    def has_persons(self) -> bool:
        """Return whether some of the names are those of persons."""
        return self.persons >= _SHARE

    @property
    def has_common_words(self) -> bool:
        """Return whether common words may be names: not where only a few are, as the gene "key"."""
        return self.common >= _BY_CHANCE

    def stem(self, word: str, language: str) -> str:
        """Return what stands for all forms and spellings of a normalised word."""
        return _stem(word, language, self.inflects)

    def core(self, words: Sequence[str], language: str) -> str:
        """Return the stems of the strong words, joined."""
        return "".join([self.stem(word, language) for word in self.strong_words(words)])

    def strong_words(self, words: Sequence[str]) -> Sequence[str]:
        """Return words without function words inside, an article or title before, a legal form behind; all if none is left.

        A name may begin with a function word: de Gaulle.
        """
        kinds, first, last = self.weak_words, 0, len(words)
        while first < last and (kind := kinds.get(words[first], 0)) & (ARTICLE | TITLE):
            if not kind & ARTICLE and words[first] not in CLEAR_TITLES:
                break
            first += 1
        while first < last and kinds.get(words[last - 1], 0) & LEGAL_FORM:
            last -= 1
        inside = [word for word in words[first + 1 : last] if not kinds.get(word, 0) & FUNCTION]
        return [*words[first : min(first + 1, last)], *inside] or words

    @property
    def weak_words(self) -> dict[str, int]:
        """The kinds of the weak words in the languages of the names, and in English.

        A title is weak only where some names are those of persons, a legal form where some are those of companies: "Mr. Baker"
        is not the town.
        """
        strong = (0 if self.persons >= _SOME else TITLE) | (0 if self.companies >= _SOME else LEGAL_FORM)
        return kinds_of_weak_words((*self.languages, USUAL_LANGUAGE), without=strong)

    def cores(self, name: str, language: str = "") -> set[str]:
        """Return the cores of a name or a form, in one language or in each language of the KB."""
        if "(" in name or "[" in name:
            name = BRACKETED.sub(" ", name)
        if "'" in name or "\u2019" in name:
            name = part_elisions(_POSSESSIVE.sub("", name))
        words = normalize(name).split()
        return {self.core(words, each) for each in ((language,) if language in self.languages else self.languages)}

    def with_cores(self, names: Sequence[str]) -> list[int]:
        """Return which of some forms may have a core that is not the form itself; fast, for many."""
        if self.is_inflected:
            return list(range(len(names)))
        changing = _changing_words(self.languages)
        return [
            number
            for number, name in enumerate(names)
            if not changing.isdisjoint(name.lower().translate(_PARTING).split())
            or not _SIGNS.isdisjoint(name)
            or not name.isascii()
        ]

    def name_cores(self, name: str, language: str) -> set[str]:
        """Return the cores of a name of the KB: also turned round at its commas, and with the last name of a person first.

        A common word is no core of a name that loses nothing but an article: "who" is not The Who, "apple" may be Apple Inc.
        """
        words = normalize(name).split()
        strong = self.strong_words(words)
        is_common_word = len(strong) == 1 < len(words) and words[-1] not in LEGAL_FORMS and is_common(strong[0])
        cores = set() if is_common_word else self.cores(name, language)
        if "," in name and words[-1] not in LEGAL_FORMS and (other := turned_round(name)):
            cores |= self.cores(other, language)
        if self.has_persons and (words := self.words_of_person(name)):
            cores |= {self.core([words[-1], *words[:-1]], each) for each in self.languages}
        return cores

    def words_of_person(self, name: str) -> list[str]:
        """Return the words of what may be the name of a person, normalised, without titles; a hyphen makes one word."""
        words = [squash(normalize(word)) for word in name.split()]
        while words and words[0] in CLEAR_TITLES:
            words.pop(0)
        is_known = is_person(words) or (self.persons >= MOSTLY_PERSONS and 1 < len(words) <= _LONGEST_PERSON)
        return words if is_known and all(words) else []


@lru_cache(maxsize=1 << 15)
def _stem(word: str, language: str, inflects: bool) -> str:
    word = EQUIVALENT.get(word, word)
    return stem(word, language) if inflects or language == "de" else word


@cache
def _changing_words(languages: tuple[str, ...]) -> frozenset[str]:
    """Return the words that make the core of a form of a proper name differ from the form."""
    kinds = kinds_of_weak_words((*languages, USUAL_LANGUAGE))
    weak = [word for word, kind in kinds.items() if kind & (ARTICLE | FUNCTION | LEGAL_FORM) or word in CLEAR_TITLES]
    return frozenset((*weak, *EQUIVALENT))


def main_language(tag: str) -> str:
    """Return the language of a tag: de of de-AT."""
    return str(tag).lower().partition("-")[0]


def is_person(words: Sequence[str]) -> bool:
    """Return whether the words of a name begin with a given name, and one to three others follow."""
    return 1 < len(words) <= _LONGEST_PERSON and words[0] in GIVEN_NAMES


def _languages_of(names: Sequence[str]) -> tuple[str, ...]:
    """Return the languages of untagged names, by small words and letters that only one of them has; else English."""
    words = [set(name.casefold().split()) for name in names]
    counts = {}
    for language, of_language in LANGUAGE_WORDS.items():
        others = chain.from_iterable(own for other, own in LANGUAGE_WORDS.items() if other != language)
        own, letters = of_language.difference(others), set(_LETTERS_OF.get(language, ""))
        counts[language] = sum(
            bool(own & of_name or letters.intersection(name)) for name, of_name in zip(names, words, strict=True)
        )
    least = max(_OFTEN * max(counts.values()), _SELDOM * len(names), _AT_LEAST)
    return tuple(language for language, count in counts.items() if count and count >= least) or (USUAL_LANGUAGE,)


def _are_common_nouns(names: Sequence[str]) -> bool:
    """Return whether the words inside names are written in lower case, as ontologies do; where few have several, all words."""
    first = 1 if sum(" " in name for name in names) >= _SHARE * len(names) else 0
    inside = [word for name in names for word in _LETTERS.findall(name)[first:] if word.lower() not in SMALL_WORDS]
    return sum(map(str.islower, inside)) > _MOSTLY * len(inside)
