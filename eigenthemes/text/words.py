"""Content words of a text: function words, plain letters and English word classes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.text.normalize import normalize

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
    """Replace the apostrophe of elided articles by a space: "l'Europe" becomes "l Europe".

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


SEPARATOR, OTHER = 1, 2
_UNSEEN = 0
_ASCII, _CODE_POINTS = 127, 0x110000


def plain_letters(text: str) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Return the code points of a text [c], and a table of the letters of at least these [code points].

    A letter is the byte of a small ASCII letter or digit, SEPARATOR for what is in no word, OTHER for a letter that is
    normalised to something else: a word without any OTHER is normalised letter by letter.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    if not text.isascii():
        beyond = codes[codes > _ASCII]
        for code in np.unique(beyond[_LETTERS[beyond] == _UNSEEN]).tolist():
            _LETTERS[code] = _letter(chr(code))  # threads that write it write the same
    return codes, _LETTERS


def _letter(char: str) -> int:
    if not WORD.fullmatch(char):
        return SEPARATOR
    plain = normalize(char)
    return ord(plain) if len(plain) == 1 and plain.isascii() and plain.isalnum() else OTHER


_LETTERS = np.zeros(_CODE_POINTS, np.uint8)
_LETTERS[: _ASCII + 1] = [_letter(chr(code)) for code in range(_ASCII + 1)]


STOP_WORDS = frozenset(
    """a about above across after afterwards again against ago all almost alone along already also although always am among
    an and another any anybody anyone anything anywhere are around as aside at away back be became because become becomes been
    before behind being below beside besides best better between beyond both but by came can cannot come could did do does
    doing done down due during each either else elsewhere end enough etc even ever every everybody everyone everything
    everywhere except far few first five for former formerly four from full further get gets getting give given go goes going
    gone got had has have having he hence her here hers herself him himself his how however i if in including indeed instead
    into is it its itself just keep kept known last later latter least less let like likely made make makes making many may
    maybe me meanwhile might mine more moreover most mostly much must my myself namely near nearly neither never nevertheless
    new next nine no nobody none nor not nothing now nowhere of off often on once one ones only onto or other others otherwise
    ought our ours ourselves out over own part per perhaps put quite rather really said same saw say says second see seem
    seemed seems seen several shall she should show since six so some somebody somehow someone something sometimes somewhere
    soon still such take taken takes ten than that the their theirs them themselves then thence there thereafter therefore
    these they third this those though three through throughout thus to together too took toward towards two under until up
    upon us use used uses using very via was way we well went were what whatever when whenever where whereas wherever whether
    which while who whoever whole whom whose why will with within without would year years yes yet you your yours yourself
    yourselves don doesn didn isn wasn aren weren won wouldn couldn shouldn hasn haven hadn ll ve re""".split()
)


def is_content(word: str) -> bool:
    """Return whether a word is neither a stop word, nor a number, nor a single letter."""
    return len(word) > 1 and not word.isdigit() and word.lower() not in STOP_WORDS


def noun_tagger() -> str | None:
    """Return the name of the tagger that finds nouns; None: none is installed, and all content words are taken for nouns."""
    return "TextBlob's PatternTagger" if find_spec("textblob") else None


def nouns(text: str) -> tuple[str, ...]:
    """Return the nouns of an English text, names among them; without a tagger, all its content words."""
    if noun_tagger() is None:
        return tuple(word for word in words_of(text) if is_content(word))
    return _tagged(text)


@lru_cache(maxsize=2000)  # experiments read the same documents again and again
def _tagged(text: str) -> tuple[str, ...]:
    return tuple(word for word, tag in _tagger()(text) if tag.startswith("NN"))


def clear_tagger_cache() -> None:
    """Forget the texts that were tagged before: for measuring time."""
    _tagged.cache_clear()


@lru_cache(maxsize=1)
def _tagger() -> Callable[[str], Any]:
    """Return the tagger of the pattern project, which carries its lexicon: nothing is downloaded."""
    from textblob.en.taggers import PatternTagger

    tagger = PatternTagger()
    with warnings.catch_warnings():  # it does not close the files of its lexicon
        warnings.simplefilter("ignore", ResourceWarning)
        tagger.tag("read them now", tokenize=True)
    return lambda text: tagger.tag(text, tokenize=True)
