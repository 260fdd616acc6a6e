"""The words of a text, as they stand."""

from __future__ import annotations

import re

# letters and digits, with the marks that Python does not count as letters: combining accents, vowels of Indic scripts
WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f\u0900-\u0963\u0966-\u0dff])+")
_APOSTROPHE = re.compile(r"['\u2019](?=[^\W\d_]{2})")
_ARTICLE = re.compile(r"(?:^|[^\w'\u2019])(?:l|d|qu|un|dell|nell|all|dall|sull)$", re.IGNORECASE)
_LONGEST_ARTICLE = 4

# Turkish writes the endings of a name behind an apostrophe: İstanbul'dan, Mısır'ın, Ankara'dakiler
_VOWEL = "[ıiuü]"
_TURKISH_ENDING = re.compile(
    rf"(?<=\w\w)['\u2019](?=[^\W\d_])(?:l[ae]r)?(?:[sn]?{_VOWEL}|{_VOWEL}m{_VOWEL}z)?"
    rf"(?:[yn]?{_VOWEL}|[yn]?[ae]|n?[dt][ae]n?|n?{_VOWEL}n|y?l[ae]|n?c[ae])?"
    rf"(?:ki(?:l[ae]r)?(?:n?[dt][ae]n?|n?{_VOWEL}n?)?|[dt]{_VOWEL}r|y?[dt]{_VOWEL}|y?m{_VOWEL}ş)?(?:l{_VOWEL}k?|s{_VOWEL}z)?(?!\w)"
)


def words_of(text: str) -> list[str]:
    """Return the words of a text, as they stand."""
    return WORD.findall(text)


def part_elisions(text: str) -> str:
    """Return a text of the same length in which an elided article stands apart: "l'Europe" is "l Europe".

    A name that is written with an apostrophe is found in two pieces as well as in one.
    """
    if "'" not in text and "\u2019" not in text:
        return text
    parts, done = [], 0
    for apostrophe in _APOSTROPHE.finditer(text):
        at = apostrophe.start()
        if _ARTICLE.search(text[max(0, at - _LONGEST_ARTICLE - 1) : at]):
            parts += [text[done:at], " "]
            done = at + 1
    return "".join(parts) + text[done:] if parts else text


def without_turkish_endings(text: str) -> str:
    """Return a text of the same length in which the endings behind apostrophes are blanks: "İstanbul'dan" is İstanbul."""
    if "'" not in text and "\u2019" not in text:
        return text
    return _TURKISH_ENDING.sub(lambda ending: " " * len(ending[0]), text)


def has_turkish_ending(word: str) -> bool:
    """Return whether a word is a name with a Turkish ending behind an apostrophe."""
    if "'" not in word and "\u2019" not in word:
        return False
    ending = _TURKISH_ENDING.search(word)
    return ending is not None and len(ending[0]) > 1 and ending.end() == len(word) and word[0].isupper()
