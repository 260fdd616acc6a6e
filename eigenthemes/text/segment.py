"""Segment texts into pieces, and describe each by its looks: case, breaks, sentences."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import Strings
from eigenthemes.text.normalize import UNSPACED, normalize, squash

_ABBREVIATION = 3  # letters
_USUAL = 64  # letters of a word that is remembered, so that those never are many megabytes
# English, German, French, Spanish, Italian, Portuguese, Dutch; without accents, as `normalize` leaves them.
FUNCTION_WORDS = frozenset(
    """a an the and or but nor not no of in on at by for from to with into onto over under up down out off about after before
    between through during against among within without upon via per as if then than that this these those there here where
    when while who whom whose which what why how i me my we us our you your he him his she her it its they them their is are
    was were be been being am do does did done has have had having can could may might must shall should will would also all
    any both each every few more most many much other others some such only own same so too very just even still yet again
    once ever never always often now new one two first last well
    der die das den dem des ein eine einer eines und oder aber nicht von im am auf aus bei mit nach zu zum zur fur uber unter
    ist sind war wird le la les un une du de et ou mais ne pas dans sur sous par pour avec sans est sont il elle ils elles ce
    cette ces qui que se sa son ses vers chez depuis
    au aux el los las una unos unas y o pero del al en con sin es su sus lo gli di da dal della
    dei e ed ma non nel nella os um uma do dos das em na nos nas com het een van op te dat""".split()
)
_APOSTROPHE = "'`\u00b4\u2018\u2019\u02bc\u2032\uff07"
POSSESSIVE = re.compile(f".+[{_APOSTROPHE}][sS]", re.DOTALL)
_IS_UNSPACED = re.compile(f"[{UNSPACED}]")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*\s")
_NO_NAME_GOES_ON = re.compile(r"\n\s*\n|[=<>;|{}*•#@~^\\\t。！？、，；：]|.{5}", re.DOTALL)
_OPENS = re.compile(r"[\n\"“”„‘’«»:(\[*•|–—]")


@dataclass(frozen=True, slots=True)
class Pieces:
    """Texts in pieces; columns [p].

    document       int64, which text
    starts, ends   int64, code points of all texts, joined
    word           int64, row of `Words`
    joined         bool, continues a run of a script without spaces
    apart          bool, no name goes on from the piece before to this one
    opens          bool, at the start of a sentence, a line or a quotation: a capital says nothing
    follows        bool, nothing but a space before it
    titled         bool, capitalised after an abbreviation ("Dr. Who")
    hyphened       bool, a hyphen before it
    """

    document: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    word: NDArray[np.int64]
    joined: NDArray[np.bool_]
    apart: NDArray[np.bool_]
    opens: NDArray[np.bool_]
    follows: NDArray[np.bool_]
    titled: NDArray[np.bool_]
    hyphened: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Words:
    """The distinct words of texts; columns [w].

    texts      as they stand
    plain      normalised and squashed
    forms      the same, as arrays
    sound      int64, the same number for the same form
    function   bool, a function word
    capital    bool, begins with a capital
    small      bool, begins with a small letter
    flat       bool, no capital after the first letter
    striking   bool, a capital inside, a digit, or a script without capitals
    shouted    bool, two letters or more, all capitals
    number     bool, digits only
    possessive bool, ends in 's
    """

    texts: list[str]
    plain: list[str]
    forms: Strings
    sound: NDArray[np.int64]
    function: NDArray[np.bool_]
    capital: NDArray[np.bool_]
    small: NDArray[np.bool_]
    flat: NDArray[np.bool_]
    striking: NDArray[np.bool_]
    shouted: NDArray[np.bool_]
    number: NDArray[np.bool_]
    possessive: NDArray[np.bool_]


BETWEEN = "\n\n"  # texts: no word and no name goes on from one to the next


def split(text: str, begins: NDArray[np.int64]) -> tuple[Pieces, Words]:
    """Segment texts into pieces, each with the properties that the rules of detection need.

    text    the texts, joined by BETWEEN; begins: where each begins
    """
    parts = _pattern(*_special(text)).split(text)  # a gap, a word, a gap ..., a gap
    gap, gaps = _numbered(parts[:-1:2])
    word, texts = _numbered(parts[1::2])
    ends = np.cumsum(np.fromiter(map(len, parts), dtype=np.int64, count=len(parts)))
    words, bits = _words(texts)
    starts = ends[:-1:2]
    document = np.searchsorted(begins, starts, side="right") - 1
    return _pieces(document, starts, ends[1::2], word, gap, gaps, words, bits), words


def _numbered(texts: list[str]) -> tuple[NDArray[np.int64], list[str]]:
    """Return the number of each text [n], and the distinct ones in the order they come."""
    number_of = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return np.fromiter(map(number_of.__getitem__, texts), dtype=np.int64, count=len(texts)), list(number_of)


def _special(text: str) -> tuple[str, str, str]:
    """Return the text's marks of letters, other characters that do not part a word, and those of unspaced scripts that do."""
    if text.isascii():
        return "", "'`", ""
    marks, others, parting = "", "", ""
    for char in sorted(set(text)):
        if char.isalnum():
            continue
        is_mark = unicodedata.category(char)[0] == "M"
        if _IS_UNSPACED.match(char):
            parting += "" if is_mark else char
        elif " " not in normalize(f"xx{char}xx"):
            marks, others = (marks + char, others) if is_mark else (marks, others + char)
    return marks, others, parting


@lru_cache(maxsize=64)
def _pattern(marks: str, others: str, parting: str) -> re.Pattern[str]:
    letter = rf"[^\W_{UNSPACED}]"
    more = f"(?:{letter}|[{re.escape(marks)}])" if marks else letter
    inside = f"(?:[{re.escape(others)}]+{more}+)*" if others else ""
    no_piece = f"(?![{re.escape(parting)}])" if parting else ""
    return re.compile(rf"((?<!\w)[^\W\d_{UNSPACED}][+#]+(?!\w)|{letter}{more}*{inside}|{no_piece}[{UNSPACED}])")


# What can be told of a word by looking at it, as bits: the columns of `Words` from `function` on, then those of `_pieces`.
_COLUMNS = ("function", "capital", "small", "flat", "striking", "shouted", "number", "possessive")
_IS_ABBREVIATION, _IS_RUN = (1 << len(_COLUMNS) + i for i in range(2))


@lru_cache(maxsize=1 << 16)
def _word(text: str) -> tuple[str, int]:
    """Return the form of a word, and its bits."""
    plain = text.isascii() and text.isalpha()  # as most words are, which are told quickly
    form, flat = text.lower() if plain else squash(normalize(text)), text[1:] == text[1:].lower()
    capital = text[0].isupper()
    looks = (
        form in FUNCTION_WORDS,
        capital,
        text[0].islower(),
        flat,
        not flat or (not plain and (text.lower() == text.upper() or any(map(str.isdigit, text)))),
        len(text) > 1 and text.isupper(),
        not plain and text.isdigit(),
        not plain and POSSESSIVE.fullmatch(text) is not None,
        capital and len(text) <= _ABBREVIATION,
        not plain and _IS_UNSPACED.match(text) is not None,
    )
    return form, sum(1 << bit for bit, holds in enumerate(looks) if holds)


def _words(texts: list[str]) -> tuple[Words, NDArray[np.int64]]:
    """Return the distinct words of texts with the properties that the rules need, and their bits."""
    usual = max(map(len, texts), default=0) <= _USUAL
    some = _word if usual else lambda text: _word(text) if len(text) <= _USUAL else _word.__wrapped__(text)
    looks = list(map(some, texts))
    forms = [form for form, _ in looks]
    bits = np.array([bits for _, bits in looks], dtype=np.int64)
    number_of = {form: number for number, form in enumerate(dict.fromkeys(forms))}
    sound = np.fromiter(map(number_of.__getitem__, forms), dtype=np.int64, count=len(forms))
    flags = ((bits & (1 << bit)) != 0 for bit in range(len(_COLUMNS)))
    return Words(texts, forms, Strings.of(forms), sound, *flags), bits


_GAP_BITS = 7


@lru_cache(maxsize=1 << 12)
def _gap(text: str) -> int:
    """Return the properties of the characters between two words, as bits."""
    looks = (
        text == "",
        text == " ",
        text == ". ",
        text != "" and text in "-\u2010\u2011",
        _SENTENCE_END.search(text),
        _NO_NAME_GOES_ON.search(text),
        _OPENS.search(text),
    )
    return sum(1 << bit for bit, holds in enumerate(looks) if holds)


def _pieces(
    document: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    word: NDArray[np.int64],
    gap: NDArray[np.int64],
    gaps: list[str],
    words: Words,
    bits: NDArray[np.int64],
) -> Pieces:
    begins_text = np.diff(document, prepend=-1) > 0

    def before(column: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the value of the word before; False at the beginning of a text."""
        return np.concatenate(([False], column[:-1]))[: len(column)] & ~begins_text

    looks = ((_gap if len(text) <= _USUAL else _gap.__wrapped__)(text) for text in gaps)
    gap_bits = np.fromiter(looks, dtype=np.int64, count=len(gaps))[gap]
    empty, space, stop, hyphen, ends_sentence, parts, opening = ((gap_bits & (1 << bit)) != 0 for bit in range(_GAP_BITS))
    unspaced = ((bits & _IS_RUN) != 0)[word]
    # "St. Petersburg", "J. K. Rowling": a short capitalised word may be an abbreviation, and its stop no end.
    abbreviated = before(((bits & _IS_ABBREVIATION) != 0)[word])
    ended = ends_sentence & ~abbreviated
    return Pieces(
        document,
        starts,
        ends,
        word,
        joined=empty & unspaced & before(unspaced),
        apart=parts | begins_text | (ended & words.capital[word]),
        opens=ended | opening | begins_text,
        follows=space & ~begins_text,
        titled=stop & abbreviated & words.capital[word],
        hyphened=hyphen,
    )
