"""What the letters around a span say for or against it being a name at all: log-odds, from the text alone.

The numbers were chosen on lgl, biored-train and gsc (docs/detection.md): each is near the log-odds by which spans with the
clue were right less often there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from eigenthemes.records import Document, Mention

_NEAR = 24  # characters looked at on each side

_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Sen|Rep|Gov|Rev|Capt|Sgt|Lt|Col)\.? $")
_SYMBOL_BEFORE, _SYMBOL_AFTER = re.compile(r"[=<>±]\s*$"), re.compile(r"\s*[=<>]")
_HYPHEN_BEFORE, _HYPHEN_AFTER = re.compile(r"\w[-\u2010\u2011]$"), re.compile(r"[-\u2010\u2011]\w")
_NAME_AFTER = re.compile(r" [A-Z][a-z]+\b")
_ET_AL = re.compile(r",? et al\b")
# "Peiris M, Yuen KY, Guan Y": three authors or more
_AUTHORS = re.compile(r"(?:\b[A-Z][\w'\u2019-]+ [A-Z]{1,3}(?:, (?:and )?|; | and |\.)){3,}")
_SLASHED = re.compile(r"[\w.-]+(?:/[\w.-]+){2,}")  # A/CA/04/09

NO_NAME = -4.0  # surely something else
_SHORT_CAPITALS = -1.0  # two or three capitals
_PART = -1.0  # of a hyphenated token
_BEFORE_NAME = -0.7  # "Baker" of "Baker Street"
_SHARED = -1.0  # a name that shares its last words with another one


def clues(document: Document, mentions: Sequence[Mention]) -> list[float]:
    """Return for each mention the log-odds of the clues around it; 0 where it has no span in the text."""
    text = document.text or ""
    others = [span for pattern in (_AUTHORS, _SLASHED) for span in _spans(pattern, text)]
    return [
        0.0
        if mention.start is None or mention.end is None
        else _clue(text, mention.start, mention.end, others) + (_SHARED * _shares_words(mention))
        for mention in mentions
    ]


def _shares_words(mention: Mention) -> bool:
    """Return whether a mention stands for a name of which other words stand elsewhere: "breast" and ovarian cancer."""
    return mention.full_name is not None and len(mention.full_name.split()) > len(mention.text.split())


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    for match in pattern.finditer(text):
        if pattern is _AUTHORS or any(map(str.isdigit, match[0])):
            yield match.span()


def _clue(text: str, start: int, end: int, others: list[tuple[int, int]]) -> float:
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    if _TITLE.search(before) or _SYMBOL_BEFORE.search(before) or _SYMBOL_AFTER.match(after) or _ET_AL.match(after):
        return NO_NAME
    if any(first <= start and end <= last and end - start < last - first for first, last in others):
        return NO_NAME
    name = text[start:end]
    short = len(name) <= 3 and name.isupper()
    clue = _SHORT_CAPITALS if short else 0.0
    if _HYPHEN_BEFORE.search(before) or (short and _HYPHEN_AFTER.match(after)):
        clue += _PART
    if " " not in name and _NAME_AFTER.match(after):
        clue += _BEFORE_NAME
    return clue
