"""The words of a text, as they stand."""

from __future__ import annotations

import re

# letters and digits, with the marks that Python does not count as letters: combining accents, vowels of Indic scripts
WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f\u0900-\u0963\u0966-\u0dff])+")


def words_of(text: str) -> list[str]:
    """Return the words of a text, as they stand."""
    return WORD.findall(text)
