"""Normalise and tokenise names: one function for the names of the KG and the mentions of a text.

`normalize` turns any string into its tokens, joined by single spaces. Two strings that a reader would call "the
same name" should come out equal, or at least equal once `squash` has taken the spaces away:

    O'Neill, O’Neill           -> oneill
    al-Qaeda, Al Qaeda         -> al qaeda
    U.S., US                   -> us
    Málaga, MALAGA             -> malaga
    TGF-β1, TGF beta1          -> tgf beta1
    東京都                      -> 東京 京都      (scripts without spaces: bigrams)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import hash_bytes
from eigenthemes.errors import OptionError

_APOSTROPHES = "'`\u00b4\u2018\u2019\u02bc\u02bb\u02b9\u2032\uff07\u05f3\u05f4"
_MARKS_OF_TRADE = "™®©℠"
_DROPPED = _APOSTROPHES + _MARKS_OF_TRADE + "\u0640"  # the last one only stretches Arabic words
# Letters with a stroke or a ligature have no Unicode decomposition.
_LETTERS = {
    "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ı": "i", "ŧ": "t",
    "ə": "e", "ɓ": "b", "ɗ": "d", "ƙ": "k", "ŋ": "n", "ς": "σ",
}  # fmt: skip
# Accents are folded where they are an ornament of a letter (Latin, Greek, Cyrillic, Hebrew and Arabic points), never where
# the mark is a vowel of its own (Devanagari, Thai ...).
_ACCENTS = (
    (0x0300, 0x036F), (0x0483, 0x0489), (0x0591, 0x05BD), (0x05BF, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F),
    (0x0670, 0x0670), (0x06D6, 0x06DC), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE00, 0xFE0F),
    (0xFE20, 0xFE2F),
)  # fmt: skip
# Thai, Lao, Myanmar, Khmer, kana, CJK ideographs: written without spaces.
UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)

# Patterns are compiled when one is needed: most names need none, and it takes as long as a look-up.
_MOST_PARTS = 3  # of a name with commas: more are a list
_MOST_MARKS = 30  # combining marks in a row, as in Unicode's stream-safe text: sorting a longer run takes quadratic time
# All combining marks are outside \w, but for the two that voice halfwidth kana.
_LONG_RUN = rf"(?:[^\w\x00-\x7f]|[\uff9e\uff9f]){{{_MOST_MARKS + 1},}}"
_ACRONYM = r"(?<!\w)(?:[^\W\d_]\.)+[^\W\d_]?(?!\w)"
_LONE_SYMBOL = r"(?<!\w)([^\W\d_])([+#]+)(?!\w)"
_LONE_GREEK = r"(?<![\u0370-\u03ff])[α-ω](?![\u0370-\u03ff])"
_HAS_GREEK = r"[α-ω]"
_HAS_UNSPACED = f"[{UNSPACED}]"
_UNSPACED_RUN = f"[{UNSPACED}]+|[^{UNSPACED}]+"


_compiled = cache(re.compile)


class _Folding(dict[int, str | int | None]):
    """Character folding for `str.translate`, computed once per character."""

    def __missing__(self, code: int) -> str | int | None:
        self[code] = folded = _fold(chr(code))
        return folded


def _fold(char: str) -> str | int | None:
    """Return the character itself, its plain letters, a space for a separator, or None for nothing."""
    if char in _DROPPED or any(low <= ord(char) <= high for low, high in _ACCENTS):
        return None
    if char in _LETTERS:
        return _LETTERS[char]
    category = unicodedata.category(char)
    if category == "Cf":  # joiners, soft hyphens, direction marks
        return None
    return ord(char) if char.isalnum() or category[0] == "M" else " "


_FOLD = _Folding()
_FOLD_ASCII = {code: _FOLD[code] for code in range(128)}  # most names are ASCII: one step, and quick
_FOLD_ASCII.update({code: code + 32 for code in range(ord("A"), ord("Z") + 1)})
# The same for bytes: many names at once, a line each. Bytes above ASCII stay; names that have them are not folded so.
_NEW_LINE, _SPACE = ord("\n"), ord(" ")
_FOLD_BYTES = bytes(
    code if code == _NEW_LINE else folded if isinstance(folded := _FOLD_ASCII.get(code, code), int) else _SPACE
    for code in range(256)
)
_CACHED = 100  # letters of a text that may come again
_DROPPED_BYTES = bytes(code for code, folded in _FOLD_ASCII.items() if folded is None)
_IS_SPECIAL = np.array([code in b".+#" or code >= 128 for code in range(256)])  # bytes that `normalize` looks at more closely


def normalize(text: str) -> str:
    """Return the tokens of a text joined by single spaces.

    Parameters
    ----------
    text : str
        A name or any other text.

    Returns
    -------
    str
        The normalised text; empty only if `text` is blank.

    Examples
    --------
    >>> normalize("Málaga (U.S.)")
    'malaga us'
    """
    if not isinstance(text, str):
        raise OptionError(f"the text is {str(text)[:40]!r}; expected a string", where="text")
    return _normalized(text) if len(text) <= _CACHED else _normalized.__wrapped__(text)


@lru_cache(maxsize=1 << 15)  # the names of a corpus come again and again
def _normalized(text: str) -> str:
    folded = text
    if "." in folded:
        folded = _compiled(_ACRONYM).sub(lambda match: match[0].replace(".", ""), folded)
    if "+" in folded or "#" in folded:
        folded = _compiled(_LONE_SYMBOL).sub(_spell_symbols, folded)
    tokens = (folded.translate(_FOLD_ASCII) if folded.isascii() else _fold_unicode(folded)).split()
    if tokens:
        return " ".join(tokens)
    # Nothing but symbols ("!!!", "+/-"): the symbols are the name.
    return "".join(text.casefold().split())


class NormalizedNames(NamedTuple):
    """Names as `normalize` returns them, in UTF-8: text[starts[i]:ends[i]], where words may be more than one space apart.

    letters  [n] int64: the bytes of each without its spaces
    """

    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    letters: NDArray[np.int64]


def normalize_many(names: Sequence[str]) -> NormalizedNames:
    """Normalise one name or more, most of them at once."""
    joined = "\n".join(names)
    if joined.count("\n") >= len(names):
        joined = "\n".join([name.replace("\n", " ") for name in names])
    encoded = f"{joined}\n".encode("utf-8", "surrogatepass")
    folded = _lines(encoded.translate(_FOLD_BYTES, _DROPPED_BYTES))
    special = folded.letters == 0  # nothing but symbols
    as_written = np.frombuffer(encoded, dtype=np.uint8)
    marks = np.flatnonzero(_IS_SPECIAL[as_written])
    if len(marks):
        special[np.searchsorted(np.flatnonzero(as_written == _NEW_LINE), marks)] = True
    rows = np.flatnonzero(special)
    if not len(rows):
        return folded
    others = _lines("".join([f"{normalize(names[row])}\n" for row in rows.tolist()]).encode("utf-8", "replace"))
    folded.starts[rows], folded.ends[rows] = others.starts + len(folded.text), others.ends + len(folded.text)
    folded.letters[rows] = others.letters
    return folded._replace(text=np.concatenate((folded.text, others.text)))


def _lines(encoded: bytes) -> NormalizedNames:
    text = np.frombuffer(encoded, dtype=np.uint8)
    ends = np.flatnonzero(text == _NEW_LINE)
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    return NormalizedNames(text, starts, ends, np.add.reduceat(text > _SPACE, starts, dtype=np.int64))


def tokenize(text: str) -> list[str]:
    """Return the normalised tokens of a text, in order.

    Parameters
    ----------
    text : str
        A name or any other text.

    Returns
    -------
    list of str
        The tokens of `normalize`.
    """
    return normalize(text).split()


def squash(normalized: str) -> str:
    """Return a normalised name without its spaces: "walmart" for "wal mart", so that spelling apart or together is one key."""
    return normalized.replace(" ", "")


def name_key(name: str) -> int:
    """Return the key of a name in the name index: the hash of its normalised letters without spaces."""
    return hash_bytes(squash(normalize(name)).encode("utf-8", "replace"))


def turned_round(name: str) -> str:
    """Return a name with its head first the other way round, or "": Intellectual disability, severe; Smith, John."""
    parts = [part.strip() for part in name.split(",")]
    is_turned = 2 <= len(parts) <= _MOST_PARTS and all(any(map(str.isalnum, part)) for part in parts)
    return " ".join(parts[::-1]) if is_turned else ""


def _spell_symbols(match: re.Match[str]) -> str:
    return match[1] + match[2].replace("+", "plus").replace("#", "sharp")


def _spell_greek(match: re.Match[str]) -> str:
    return unicodedata.name(match[0]).split()[-1].lower().replace("lamda", "lambda")


def _fold_unicode(text: str) -> str:
    # Case first, marks apart, fold, then together again: Hangul and kana must not stay in pieces.
    for symbol in _MARKS_OF_TRADE + _APOSTROPHES:
        if symbol in text:
            text = text.replace(symbol, "")
    apart = _normal_form("NFKD", text.casefold()).casefold()
    folded = _normal_form("NFC", apart.translate(_FOLD))
    if _compiled(_HAS_GREEK).search(folded):
        folded = _compiled(_LONE_GREEK).sub(_spell_greek, folded)
    if _compiled(_HAS_UNSPACED).search(folded):
        folded = " ".join(map(_bigrams, _compiled(_UNSPACED_RUN).findall(folded)))
    return folded


def _normal_form(form: Literal["NFC", "NFKD"], text: str) -> str:
    """Return a Unicode normal form in linear time: of a long run of combining marks, the first ones count."""
    if len(text) > _MOST_MARKS:
        text = _compiled(_LONG_RUN).sub(_limit_marks, text)
    return unicodedata.normalize(form, text)


def _limit_marks(match: re.Match[str]) -> str:
    kept, in_a_row = [], 0
    for char in match[0]:
        in_a_row = in_a_row + 1 if _is_mark(char) else 0
        if in_a_row <= _MOST_MARKS:
            kept.append(char)
    return "".join(kept)


@cache
def _is_mark(char: str) -> bool:
    return unicodedata.combining(unicodedata.normalize("NFKD", char)[0]) > 0


def _bigrams(run: str) -> str:
    if len(run) < 3 or not _compiled(_HAS_UNSPACED).match(run):
        return run
    return " ".join(run[i : i + 2] for i in range(len(run) - 1))
