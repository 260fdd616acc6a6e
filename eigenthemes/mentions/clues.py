"""What the letters around a span say for or against it being a name at all: log-odds, from the text alone.

The numbers were chosen on lgl, biored-train and gsc (docs/detection.md): each is near the log-odds by which spans with the
clue were right less often there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from eigenthemes.records import Document, Mention, Span

_NEAR = 24  # characters looked at on each side

_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Sen|Rep|Gov|Rev|Capt|Sgt|Lt|Col)\.? $")
_OF_TITLE = 8  # characters at the end of what stands before: the longest title, and one before it
_SYMBOLS_BEFORE, _SYMBOLS_AFTER = tuple("=<>±"), tuple("=<>")
_HYPHENS = tuple("-\u2010\u2011")
_HYPHEN_BEFORE, _HYPHEN_AFTER = re.compile(r"\w[-\u2010\u2011]$"), re.compile(r"[-\u2010\u2011]\w")
_NAME_AFTER = re.compile(r" [A-Z][a-z]+\b")
_ET_AL = re.compile(r",? et al\b")
# "Peiris M, Yuen KY, Guan Y": three authors or more
_LEAST_AUTHORS = 3
_AUTHORS = re.compile(r"(?:\b[A-Z][\w'\u2019-]+ [A-Z]{1,3}(?:, (?:and )?|; | and |\.)){3,}")
_AUTHOR = re.compile(r" [A-Z]{1,3}(?=, |; | and |\.)")  # the end of one
# A/CA/04/09, and how that goes on from its first slash
_SLASHED, _AFTER_SLASH = re.compile(r"[\w.-]+(?:/[\w.-]+){2,}"), re.compile(r"/[\w.-]+/[\w.-]")

NO_NAME = -4.0  # surely something else
_SHORT_CAPITALS = -1.0  # two or three capitals
_PART = -1.0  # of a hyphenated token
_BEFORE_NAME = -0.7  # "Baker" of "Baker Street"
_SHARED = -1.0  # a name that shares its last words with another one


def clues(document: Document, mentions: Sequence[Mention]) -> list[float]:
    """Return for each mention the log-odds of the clues around it; 0 where it has no span in the text."""
    text = document.text or ""
    others = list(_lists_of_authors(text)), list(_slashed(text))
    return [
        0.0
        if mention.start is None or mention.end is None
        else _clue(text, mention.start, mention.end, others) + (_SHARED * _shares_words(mention))
        for mention in mentions
    ]


def _shares_words(mention: Mention) -> bool:
    """Return whether a mention stands for a name of which other words stand elsewhere: "breast" and ovarian cancer."""
    return mention.full_name is not None and len(mention.full_name.split()) > len(mention.text.split())


def _lists_of_authors(text: str) -> Iterator[Span]:
    if len(_AUTHOR.findall(text)) >= _LEAST_AUTHORS:  # most texts have none, and so they are told apart in a tenth of the time
        yield from (match.span() for match in _AUTHORS.finditer(text))


def _slashed(text: str) -> Iterator[Span]:
    """Yield the spans of words apart by slashes, with a digit somewhere; looked for from their first slashes."""
    last = 0
    while slash := _AFTER_SLASH.search(text, last):
        first = slash.start()
        while first > last and (text[first - 1].isalnum() or text[first - 1] in "_.-"):
            first -= 1
        match = _SLASHED.match(text, first)
        if match is not None and any(map(str.isdigit, match[0])):
            yield match.span()
        last = slash.start() + 1 if match is None else match.end()


def _clue(text: str, start: int, end: int, others: tuple[list[Span], ...]) -> float:
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    if _is_in_formula(before, after) or _TITLE.search(before[-_OF_TITLE:]) or _ET_AL.match(after):
        return NO_NAME
    if any(_is_within(start, end, spans) for spans in others):
        return NO_NAME
    name = text[start:end]
    short = len(name) <= 3 and name.isupper()
    clue = _SHORT_CAPITALS if short else 0.0
    if (before.rstrip("\n").endswith(_HYPHENS) and _HYPHEN_BEFORE.search(before)) or (short and _HYPHEN_AFTER.match(after)):
        clue += _PART
    if " " not in name and _NAME_AFTER.match(after):
        clue += _BEFORE_NAME
    return clue


def _is_in_formula(before: str, after: str) -> bool:
    """Return whether a symbol stands before or after a span: "OR = 1.4"."""
    return before.rstrip().endswith(_SYMBOLS_BEFORE) or after.lstrip().startswith(_SYMBOLS_AFTER)


def _is_within(start: int, end: int, spans: list[Span]) -> bool:
    """Return whether a span is part of one of those, which are in order and apart."""
    at = bisect_right(spans, start, key=_start_of) - 1
    return at >= 0 and end <= spans[at][1] and end - start < spans[at][1] - spans[at][0]


def _start_of(span: Span) -> int:
    return span[0]
