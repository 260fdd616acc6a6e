"""The naming channel: label, alias, part, inflection, letter case and typos."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from eigenthemes.core.strings import hash_bytes
from eigenthemes.kb.store import KB
from eigenthemes.names.analysis import NameAnalysis, main_language
from eigenthemes.names.token_model import TokenModel
from eigenthemes.selftrain.recipe import Recipe
from eigenthemes.selftrain.written_forms import Write, WrittenForms, other_number
from eigenthemes.text.normalize import name_key, normalize
from eigenthemes.text.segment import FUNCTION_WORDS

_T = TypeVar("_T")
_BRACKETED = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_UMLAUTS = re.compile("[äöüÄÖÜ]")
_LAST_WORD = re.compile(r"([^\W\d_]+)$")
_TYPO_FROM = 5  # letters of a word that may be misspelled
_BRACKETS_DROPPED, _BRACKETS_DROPPED_TOO = 0.7, 0.3  # alone; before a name is written in another form
_TWO_FORMS = 0.1
_LONGEST_PART = 64  # words
_SAMPLE = 5000  # entities looked at for the rates of aliases
_USUAL_RATE, _USUAL_COUNT = 0.2, 20  # as if it had been seen on so many


def short_alias_rate(kb: KB, rng: np.random.Generator) -> float:
    """Estimate how often the KG itself calls an entity by a part of its label, among those with an alias and a longer label.

    Persons and teams are, diseases hardly ever: the KG's own aliases say so. Where there are few of them, about a fifth.
    """
    seen = short = 0
    for entity in _some_with_aliases(kb, rng):
        label, *aliases = map(normalize, kb.names_of(entity))
        words = label.split()
        if len(words) > 1:
            seen += 1
            short += not set(aliases).isdisjoint(_parts(words))
    return (short + _USUAL_RATE * _USUAL_COUNT) / (seen + _USUAL_COUNT)


def reworded_alias_rate(kb: KB, rng: np.random.Generator) -> float:
    """Estimate the share of aliases that reword the label: some shared words, and other words on both sides.

    "Kidney abnormality" for "Abnormality of the kidney": an ontology is full of them, a gazetteer has few. What the KG does
    itself, texts do too, in words that it has not thought of.
    """
    seen = reworded = 0
    for entity in _some_with_aliases(kb, rng):
        label, *aliases = (set(normalize(name).split()) - FUNCTION_WORDS for name in kb.names_of(entity))
        seen += len(aliases)
        reworded += sum(bool(label & words and label - words and words - label) for words in aliases)
    return reworded / (seen + _USUAL_COUNT)


def _some_with_aliases(kb: KB, rng: np.random.Generator) -> list[int]:
    """Draw entities that have more than one name; all of them where they are few."""
    having = np.flatnonzero(np.diff(kb.array("entity_names")) > 1)
    return list((rng.choice(having, _SAMPLE, replace=False) if len(having) > _SAMPLE else having).tolist())


def names_common_nouns(kb: KB) -> bool:
    """Return whether most labels of several words end in one in lower case, as those of ontologies and thesauri do.

    Their names have a singular and a plural, and texts use the one where the KG has the other.
    """
    bounds = kb.array("entity_names")
    named = np.flatnonzero(np.diff(bounds) > 0)
    some = named[:: max(1, len(named) // _SAMPLE)]
    last_words = [words[-1] for words in (str(kb.names[row]).split() for row in bounds[some].tolist()) if len(words) > 1]
    return 2 * sum(word.islower() for word in last_words) > len(last_words)


def _parts(words: list[str]) -> list[str]:
    """Return the beginnings and the ends of a name; of a very long one, not those that are very long themselves."""
    count = len(words)
    beginnings = [" ".join(words[:cut]) for cut in range(1, min(count, _LONGEST_PART + 1))]
    return beginnings + [" ".join(words[cut:]) for cut in range(max(1, count - _LONGEST_PART), count)]


class Namer:
    """Makes up names for the entities of a KB."""

    def __init__(self, kb: KB, recipe: Recipe, rng: np.random.Generator) -> None:
        self.kb, self.recipe, self.rng = kb, recipe, rng
        self.short = min(recipe.shortest, recipe.short * short_alias_rate(kb, rng))
        self.reworded_rate = recipe.reworded * reworded_alias_rate(kb, rng)
        self.common_nouns = names_common_nouns(kb)
        self.written = WrittenForms(kb, rng, common_nouns=self.common_nouns)
        self._languages = NameAnalysis.of(kb).languages
        self.form_rate = recipe.form
        self.operation: Write | None = None  # the only one, where set

    def name(self, entity: int) -> str:
        """Draw a name for an entity."""
        recipe = self.recipe
        first, last = self.kb.array("entity_names")[entity : entity + 2].tolist()
        aliases = range(first + 1, last)  # their rows: an entity may have very many
        row = self._choose(aliases) if aliases and self._happens(recipe.alias) else first
        name = str(self.kb.names[row])
        if self._happens(self.form_rate):
            return self._in_another_form(name, self._language(row))
        if self._happens(self.reworded_rate):
            name = self.reworded(name, str(self.kb.names[self._choose(range(first, last))]))
        elif self._happens(self.short):
            name = self.shortened(name)
        elif self._happens(_BRACKETS_DROPPED):
            name = _BRACKETED.sub(" ", name).strip() or name
        if self._happens(recipe.ending):
            name = self._other_ending(name)
        if self._happens(recipe.typo):
            name = self._misspelled(name)
        return self._in_other_letters(name) if self._happens(recipe.case) else name

    def _in_another_form(self, name: str, language: str) -> str:
        """Write a name as people do, in one form or, sometimes, in two at once."""
        if self._happens(_BRACKETS_DROPPED_TOO):
            name = _BRACKETED.sub(" ", name).strip() or name
        name = self.written.form(name, language, self.operation)
        return self.written.form(name, language) if self._happens(_TWO_FORMS) else name

    def _language(self, row: int) -> str:
        """Return the language of a name; of one without a tag, any language of the KB."""
        tag = main_language(str(self.kb.languages[int(self.kb.array("name_languages")[row])]))
        return tag if tag in self._languages else self._choose(self._languages)

    def shortened(self, name: str) -> str:
        """Return a part of a name: one the KG knows, or the last, first or some words; the name itself if it has one."""
        words = _BRACKETED.sub(" ", name).partition(",")[0].split()
        if len(words) < 2:
            return name
        parts = _parts(words)
        if self._happens(self.recipe.known):
            known = [part for part in parts if self._is_known(part)]
            if known:
                return self._choose(known)
        return self._choose([words[-1], words[-1], words[0], self._choose(parts)])

    def reworded(self, name: str, other: str) -> str:
        """Return a name reworded with words of another name of the same entity."""
        words = _BRACKETED.sub(" ", name).split()
        if len(words) < 2:
            return name
        words.pop(int(self.rng.integers(len(words))))
        further = [word for word in other.split() if word not in words]
        if further:
            words.insert(int(self.rng.integers(len(words) + 1)), self._choose(further))
        return " ".join(words)

    def crossed(self, first_entity: int, second_entity: int) -> str:
        """Return the first half of one name and the second half of another: usually the name of no entity."""
        first, second = self.kb.label_of(first_entity).split(), self.kb.label_of(second_entity).split()
        return " ".join(first[: max(1, len(first) // 2)] + second[len(second) // 2 :])

    def with_extra_word(self, name: str, other: int) -> str:
        """Return the name with a word of another one."""
        word = self._choose(self.kb.label_of(other).split() or [name])
        return f"{name} {word}" if self._happens(0.5) else f"{word} {name}"

    def _other_ending(self, name: str) -> str:
        """Change the ending, as "German" for Germany, if the KG knows the word."""
        head, last, _ = _LAST_WORD.split(name, 1) if _LAST_WORD.search(name) else ("", "", "")
        model = self.kb.cached(TokenModel.of)
        token = model.table.find(hash_bytes(normalize(last).encode())) if last else -1
        first, end = model.related[0][token : token + 2].tolist() if token >= 0 else (0, 0)
        words = [str(model.tokens[other]) for other in model.related[1][first:end].tolist()]
        words = [word.capitalize() if last[0].isupper() else word for word in words]
        known = [form for word in words if self._is_known(form := head + word)]
        if known:
            return self._choose(known)
        return other_number(name) if self.common_nouns else name

    def _misspelled(self, name: str) -> str:
        """Put two letters in the wrong order, or spell out the umlauts of a name that has some."""
        if _UMLAUTS.search(name):
            return _UMLAUTS.sub(lambda match: f"{unicodedata.normalize('NFD', match[0])[0]}e", name)
        words = name.split()
        long = [i for i, word in enumerate(words) if len(word) >= _TYPO_FROM]
        if not long:
            return name
        i = self._choose(long)
        at = int(self.rng.integers(1, len(words[i]) - 1))
        word = words[i]
        words[i] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        return " ".join(words)

    def _in_other_letters(self, name: str) -> str:
        return self._choose([name.upper(), name.lower(), name.title()])

    def _is_known(self, name: str) -> bool:
        return self.kb.name_index.key_table.find(name_key(name)) >= 0

    def _happens(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def _choose(self, of: Sequence[_T]) -> _T:
        return of[int(self.rng.integers(len(of)))]
