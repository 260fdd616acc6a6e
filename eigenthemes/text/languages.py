"""The language of a text, told by its commonest words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eigenthemes.errors import OptionError
from eigenthemes.text.stems import STEMMERS
from eigenthemes.text.words import has_turkish_ending

_COMMON_WORDS = {
    "en": frozenset("the of and to in is that for with was on are as by at be this from have which not or had were it".split()),
    "de": frozenset(
        "der die das und ist nicht den von mit ein eine einer im dem auf für zu des sich auch als wird sind bei wie in".split()
    ),
    "fr": frozenset("le la les des et est une un dans que pour qui sur pas au par du de avec sont ce plus aux en il".split()),
    "es": frozenset("una por con para del como más sus fue está pero este entre cuando y también ser".split()),
    "tr": frozenset("ve bir bu için ile olarak çok daha gibi olan sonra kadar değil göre ise bugün yarın dün".split()),
}
_CLEARLY = 2  # more common words than of any other language


def checked_language(language: str) -> str:
    """Return the language of a tag such as de or de-AT, if its inflection is known; else refuse it."""
    main = language.lower().replace("_", "-").partition("-")[0]
    if main not in STEMMERS:
        raise OptionError(
            f"the language is {language[:40]!r}; expected one of {', '.join(STEMMERS)}, whose inflection is known",
            where="language",
        )
    return main


def guess_language(words: Sequence[str], among: Iterable[str]) -> str | None:
    """Return which of some languages the distinct words of a text are in; None where they do not clearly say so."""
    counts = sorted(((_clues(words, language), language) for language in among), reverse=True)
    if not counts or counts[0][0] < _CLEARLY + (counts[1][0] if len(counts) > 1 else 0):
        return None
    return counts[0][1]


def _clues(words: Sequence[str], language: str) -> int:
    """Count the words that speak for a language: its commonest and, in Turkish, names with endings behind an apostrophe."""
    common = len(_COMMON_WORDS[language].intersection(words))
    return common if language != "tr" else common + sum(map(has_turkish_ending, words))
