"""Letters as kernels read them: of each code point the plain small letter, or that it is none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.text.normalize import normalize
from eigenthemes.text.words import WORD

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


def _first_letters() -> NDArray[np.uint8]:
    letters = np.zeros(_CODE_POINTS, np.uint8)
    letters[: _ASCII + 1] = [_letter(chr(code)) for code in range(_ASCII + 1)]
    return letters


_LETTERS = _first_letters()
