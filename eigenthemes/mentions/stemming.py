"""Which language a text is read in, and its spans that are a name once both are stemmed."""

from __future__ import annotations

from threading import Lock

import numpy as np

from eigenthemes.core.strings import Strings
from eigenthemes.kb.stem_index import StemIndex, languages_of, stem_index
from eigenthemes.kb.store import KB
from eigenthemes.mentions.inflection import no_other_forms
from eigenthemes.mentions.matching import LONGEST, STEMMED, Matches, WordForms
from eigenthemes.text.languages import guess_language
from eigenthemes.text.segment import Words
from eigenthemes.text.stems import STEMMERS, stem

_USUAL = "en"
_ALONE = 0.9  # share of the KB's tagged names that make their language that of all texts
_SHOUTED_FROM = 6  # letters of a word in capitals that is inflected: "NEUTROPHILS IN BLOOD", but the gene "CANS" is no plural


class Stems:
    """The names of a KB by their stems, of each language that a text turns out to be in; made when first asked for.

    language     of all texts; None: that of the KB's names or, where they have several or none, what each text looks like
    common_nouns the KB writes words in lower case; where it does not, English and French names are not inflected
    """

    def __init__(self, kb: KB, language: str | None, *, common_nouns: bool) -> None:
        self.kb, self.common_nouns = kb, common_nouns
        self._languages = (language,) if language else _possible_languages(kb)
        self._index_of: dict[str, StemIndex | None] = {}
        self._making = Lock()

    def choose(self, words: Words) -> tuple[str, StemIndex | None]:
        """Return the language of a text, and the KB's names in it by their stems; None where they are not inflected."""
        language = self._languages[0] if len(self._languages) == 1 else guess_language(words.texts, self._languages) or _USUAL
        if not self.common_nouns and language != "de":  # a German noun has a capital, whatever it means
            return language, None
        with self._making:
            if language not in self._index_of:
                self._index_of[language] = stem_index(self.kb, language)
        return language, self._index_of[language]


def _possible_languages(kb: KB) -> tuple[str, ...]:
    """Return the languages that texts for a KB may be in: that of its names, if they have one, else all that are known."""
    shares = languages_of(kb)
    if next(iter(shares.values()), 0) >= _ALONE:
        only = next(iter(shares))
        return (only if only in STEMMERS else _USUAL,)
    return tuple(language for language in STEMMERS if not shares or language in shares) or (_USUAL,)


def stemmed_forms(words: Words, language: str) -> WordForms:
    """Return the stems of the words of a text; a word with capitals inside, but for headlines, stays as it is."""
    inflected = words.flat | (words.shouted & (np.diff(words.forms.offsets) >= _SHOUTED_FROM))
    stems = [stem(form, language) if may else form for form, may in zip(words.forms, inflected.tolist(), strict=True)]
    return WordForms(Strings.of(stems), np.zeros(len(stems), dtype=bool), no_other_forms(words))


def with_stem_matches(matches: Matches, stemmed: Matches, index: StemIndex) -> Matches:
    """Return matches with those by stems that are no match otherwise."""
    spans = matches[:, 0] * LONGEST + matches[:, 1] - matches[:, 0]
    stemmed_spans = stemmed[:, 0] * LONGEST + stemmed[:, 1] - stemmed[:, 0]
    new = stemmed[~np.isin(stemmed_spans, spans)]
    new[:, 2], new[:, 3] = index.key[new[:, 2]], STEMMED
    return np.concatenate((matches, new))
