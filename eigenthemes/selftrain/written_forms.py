"""Forms in which people write a name: with an article, a title, another legal form, in the plural, with a typo ..."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from eigenthemes.kb.store import KB
from eigenthemes.names.analysis import MOSTLY_PERSONS, NameAnalysis
from eigenthemes.names.weak_words import GIVEN_NAMES, LEGAL_FORMS, TITLES, is_common
from eigenthemes.text.normalize import normalize, turned_round

_SHORTEST_PLURAL = 4  # letters
_LONGEST_PERSON = 4  # words
_TYPO = re.compile(r"[^\W\d_]{6,}")
_LAST_WORD = re.compile(r"[\s,]+([^\s,]+)$")
_ARTICLES = {
    "en": ("the ", "The ", "a "),
    "de": ("der ", "die ", "das ", "Die "),
    "fr": ("le ", "la ", "les ", "l'"),
    "es": ("el ", "la ", "los ", "El "),
}
_ENDINGS = {"de": ("e", "en", "n", "s", "er", "es"), "fr": ("s", "s", "x"), "es": ("s", "es"), "tr": ("lar", "ler", "da", "de")}
_TITLES = (
    "Mr.", "Mr", "Mrs.", "Ms.", "Dr.", "Dr", "Prof.", "Sen.", "Senator", "Rep.", "Gov.", "President", "Minister", "Secretary",
    "Sir", "Herr", "Frau", "M.", "Mme",
)  # fmt: skip
_LEGAL_FORMS = (
    "Inc.", "Inc", "Incorporated", "Corp.", "Corporation", "Ltd.", "Ltd", "Limited", "LLC", "L.L.C.", "Co.", "Company", "PLC",
    "plc", "GmbH", "AG", "S.A.", "SE", "N.V.", "Group", "Holdings",
)  # fmt: skip

_T = TypeVar("_T")
Write = Callable[[str, str], Iterator[str]]  # a name and its language -> other forms of it


class WrittenForms:
    """Writes names in other forms.

    Every operation that applies to a name is as likely as every other one: what training never saw is not understood later.
    """

    def __init__(self, kb: KB, rng: np.random.Generator, *, common_nouns: bool) -> None:
        self.rng, self.common_nouns, self.analysis = rng, common_nouns, NameAnalysis.of(kb)
        self.operations: list[Write] = [
            self._article, self._case, self._accents, self._and, self._hyphen, self._turned, self._typo, self._other_form,
        ]  # fmt: skip
        if self.analysis.has_companies:
            self.operations += [self._without_legal_form, self._other_legal_form]
        if self.analysis.has_persons:
            self.operations += [self._last_name, self._title, self._title_and_last_name, self._initial, self._last_name_first]

    def form(self, name: str, language: str, only: Write | None = None) -> str:
        """Return a name in another form, by any operation or only by one; the same name where none applies."""
        if only is not None and (forms := list(only(name, language))):
            return self._choose(forms)
        forms = [self._choose(written) for operation in self.operations if (written := list(operation(name, language)))]
        return self._choose(forms) if forms else name

    def any_operation(self) -> Write:
        """Draw an operation."""
        return self._choose(self.operations)

    def _article(self, name: str, language: str) -> Iterator[str]:
        for article in _ARTICLES.get(language, _ARTICLES["en"]):
            if not name.lower().startswith(article.lower()):
                yield article + name

    def _case(self, name: str, language: str) -> Iterator[str]:
        yield from (other for other in (name.upper(), name.lower(), name.title()) if other != name)

    def _accents(self, name: str, language: str) -> Iterator[str]:
        plain = "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))
        if plain != name:
            yield plain

    def _and(self, name: str, language: str) -> Iterator[str]:
        if " & " in name:
            yield name.replace(" & ", " and ")
        elif " and " in name:
            yield name.replace(" and ", " & ")

    def _hyphen(self, name: str, language: str) -> Iterator[str]:
        if "-" in name:
            yield name.replace("-", " ")
        elif name.count(" ") == 1:
            yield name.replace(" ", "-")

    def _turned(self, name: str, language: str) -> Iterator[str]:
        if (other := turned_round(name)) and _base(name) == name:
            yield other

    def _typo(self, name: str, language: str) -> Iterator[str]:
        """Leave out a letter, or swap two, where that makes no other word."""
        if not (words := list(_TYPO.finditer(name))):
            return
        start, end = self._choose(words).span()
        at = int(self.rng.integers(start + 1, end - 1))
        for word in (name[start:at] + name[at + 1 : end], name[start:at] + name[at + 1] + name[at] + name[at + 2 : end]):
            if word != name[start:end] and not is_common(normalize(word)):
                yield name[:start] + word + name[end:]

    def _other_form(self, name: str, language: str) -> Iterator[str]:
        """Write a common noun in another number or case, a proper name as a possessive."""
        if not name[-1:].isalpha():
            return
        if not self.common_nouns and language != "de":
            if not name.endswith("s"):
                yield name + "'s"
        elif language in _ENDINGS:
            yield name + self._choose(_ENDINGS[language])
        elif (other := other_number(name)) != name:
            yield other

    def _without_legal_form(self, name: str, language: str) -> Iterator[str]:
        if (base := _base(name)) != name:
            yield base

    def _other_legal_form(self, name: str, language: str) -> Iterator[str]:
        last = _LAST_WORD.search(name)
        if _base(name) == name:
            yield name + self._choose((" ", ", ")) + self._choose(_LEGAL_FORMS)
        elif last:
            yield name[: last.start(1)] + self._choose([form for form in _LEGAL_FORMS if form != last[1]])

    def _person(self, name: str) -> tuple[str, str] | None:
        """Return first and last name, if this may be the name of a person."""
        words = name.split()
        if not 2 <= len(words) <= _LONGEST_PERSON or any(map(str.isdigit, name)) or "(" in name or _base(name) != name:
            return None
        while len(words) > 2 and normalize(words[0]) in TITLES:
            words.pop(0)
        is_person = self.analysis.persons >= MOSTLY_PERSONS or normalize(words[0]) in GIVEN_NAMES
        return (" ".join(words[:-1]), words[-1]) if is_person else None

    def _last_name(self, name: str, language: str) -> Iterator[str]:
        if person := self._person(name):
            yield person[1]

    def _title(self, name: str, language: str) -> Iterator[str]:
        if person := self._person(name):
            yield f"{self._choose(_TITLES)} {person[0]} {person[1]}"

    def _title_and_last_name(self, name: str, language: str) -> Iterator[str]:
        if person := self._person(name):
            yield f"{self._choose(_TITLES)} {person[1]}"

    def _initial(self, name: str, language: str) -> Iterator[str]:
        if person := self._person(name):
            yield f"{person[0][0]}. {person[1]}"

    def _last_name_first(self, name: str, language: str) -> Iterator[str]:
        if person := self._person(name):
            yield f"{person[1]}, {person[0]}"

    def _choose(self, of: Sequence[_T]) -> _T:
        return of[int(self.rng.integers(len(of)))]


def _base(name: str) -> str:
    """Return a name without the legal forms at its end."""
    base = name
    while (last := _LAST_WORD.search(base)) and normalize(last[1]) in LEGAL_FORMS:
        base = base[: last.start()]
    return base


def other_number(name: str) -> str:
    """Return the plural of an English name, or the singular of one that looks like a plural."""
    small = name.lower()
    if small.endswith("ies") and len(name) > _SHORTEST_PLURAL:
        return name[:-3] + "y"
    if small.endswith("s"):
        return name if small.endswith(("ss", "us", "is")) or len(name) < _SHORTEST_PLURAL else name[:-1]
    if not small[-1:].isalpha():
        return name
    if small.endswith("y") and small[-2:-1] not in tuple("aeiou"):
        return name[:-1] + "ies"
    return name + ("es" if small.endswith(("x", "ch", "sh")) else "s")
