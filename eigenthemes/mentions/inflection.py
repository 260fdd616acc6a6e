"""Other forms of the last word of a name, for KBs of too many names to be stemmed: "museum" for Museums and back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import Strings
from eigenthemes.text.segment import Words

_SHORTEST = 4  # letters of a word that is inflected

# an ending and what may stand for it; the plural's s alone is left off elsewhere
_ENDINGS = (
    ("ies", "y"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("sses", "ss"),
    ("ses", "sis"),
    ("sis", "ses"),
    ("ae", "a"),
)
_BRITISH = (("aem", "em"), ("oed", "ed"), ("aes", "es"), ("oes", "es"), ("our", "or"), ("paed", "ped"), ("haem", "hem"))


@dataclass(frozen=True, slots=True)
class OtherForms:
    """Other forms of the words of a text: those of word i are forms[indptr[i]:indptr[i + 1]]."""

    forms: Strings
    indptr: NDArray[np.int64]

    def of(self, word: int) -> list[bytes]:
        """Return the other forms of a word."""
        return [self.forms.raw(row) for row in range(int(self.indptr[word]), int(self.indptr[word + 1]))]


def no_other_forms(words: Words) -> OtherForms:
    """Return that no word has other forms."""
    return OtherForms(Strings.of([]), np.zeros(len(words.texts) + 1, np.int64))


def other_forms(words: Words) -> OtherForms:
    """Return the other forms of the words of a text."""
    forms = [_other_forms(text.lower()) if flat else () for text, flat in zip(words.texts, words.flat.tolist(), strict=True)]
    indptr = np.concatenate(([0], np.cumsum([len(of_word) for of_word in forms]))).astype(np.int64)
    return OtherForms(Strings.of([form for of_word in forms for form in of_word]), indptr)


@lru_cache(maxsize=1 << 14)
def _other_forms(word: str) -> tuple[str, ...]:
    """Return the forms of a word in lower case that a KB may have instead; none of a word that is not plain letters."""
    if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
        return ()
    forms = [word[: len(word) - len(ending)] + other for ending, other in _ENDINGS if word.endswith(ending)]
    if word.endswith("y"):
        forms.append(word[:-1] + "ies")
    elif not word.endswith("s"):
        forms.append(word + ("es" if word.endswith(("x", "ch", "sh")) else "s"))
    for british, american in _BRITISH:
        if british in word:
            forms.append(word.replace(british, american))
        elif american in word:
            forms.append(word.replace(american, british))
    return tuple(dict.fromkeys(form for form in forms if form != word))
