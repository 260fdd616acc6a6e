"""Which language a text is read in, and its spans that are a name once both are stemmed."""

from __future__ import annotations

from threading import Lock

import numpy as np

from eigenthemes.core.strings import Strings
from eigenthemes.kb.stem_index import USUAL, StemIndex, inflected_languages, is_inflected, stem_index
from eigenthemes.kb.store import KB
from eigenthemes.mentions.inflection import no_other_forms
from eigenthemes.mentions.matching import LONGEST, STEMMED, Keys, Matches, WordForms
from eigenthemes.text.languages import guess_language
from eigenthemes.text.segment import Words
from eigenthemes.text.stems import stem

_SHOUTED_FROM = 6  # letters of a word in capitals that is inflected: "NEUTROPHILS IN BLOOD", but the gene "CANS" is no plural


class Stems:
    """The names of a KB by their stems, of each language that a text turns out to be in; made when first asked for.

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
    """Return the stems of the words of a text; a word with capitals inside, but for headlines, stays as it is."""
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
