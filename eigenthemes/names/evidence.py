"""Evidence around a span that it is a name: letters, surroundings, abbreviations that the text defines."""

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


_LIST_LINE = re.compile(
    r"^(?=[^;|\u2022\t\n]*[;|\u2022\t]|[ ]*[-*\u2013] |[^:,\n]{1,40}: [^,\n]*,)[ \t]*(?P<bullet>[-*\u2013\u2022] +)?"
    r"(?P<heading>[^:;,|\n]{1,40}:[ \t]+)?(?P<items>[^\n]+)$",
    re.MULTILINE,
)
_SEPARATED = re.compile(r"[^;|\u2022\t]+")
_BY_COMMAS = re.compile(r"[^,]+")
_ITEM = re.compile(r"[^\s.](?:.*[^\s.])?|[^\s.]")
_LEAST_ITEMS, _LONGEST_ITEM = 3, 4  # of a list without a heading or between commas; words


def items_of(text: str, *, sure: bool = False) -> list[Span]:
    """Return the spans of the items of keyword lists ("Keywords: wages; mortgages"), which hold names, and nothing else.

    A list is a line with semicolons, bars or tabs, one behind a bullet, or three short items or more between commas behind a
    heading.

    sure  only of short items behind a heading or a bullet, or three or more: a sentence may have a semicolon, too
    """
    spans = list[Span]()
    for line in _LIST_LINE.finditer(text):
        parts = list(_SEPARATED.finditer(line["items"]))
        has_commas = len(parts) == 1 and not line["bullet"]
        if has_commas:
            parts = list(_BY_COMMAS.finditer(line["items"])) if line["heading"] else []
        if len(parts) < _LEAST_ITEMS and (has_commas or (sure and not line["heading"] and not line["bullet"])):
            continue
        if (has_commas or sure) and not all(len(part[0].split()) <= _LONGEST_ITEM for part in parts):
            continue
        first = line.start("items")
        found = (_ITEM.search(part[0]) for part in parts)
        spans += [
            (first + part.start() + item.start(), first + part.start() + item.end())
            for part, item in zip(parts, found, strict=True)
            if item
        ]
    return spans


def are_items(document: Document, mentions: Sequence[Mention]) -> list[bool]:
    """Return which mentions are a whole item of a list, but for a title before them."""
    text = document.text or ""
    begin_of = {end: start for start, end in items_of(text)}
    begin_of |= {end + 1: start for end, start in begin_of.items() if text[end : end + 1] == "."}
    return [
        mention.start is not None
        and (begin := begin_of.get(mention.end or -1)) is not None
        and (begin == mention.start or _TITLE.fullmatch(text, begin, mention.start) is not None)
        for mention in mentions
    ]


def follows_title(document: Document, mention: Mention) -> bool:
    """Return whether a title of a person stands before a mention."""
    if mention.start is None:
        return False
    return _TITLE.search((document.text or "")[max(0, mention.start - _OF_TITLE) : mention.start]) is not None


def _shares_words(mention: Mention) -> bool:
    """Return True if a mention shares words with a coordinated name: "breast" and ovarian cancer."""
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
    if _is_in_formula(before, after) or _ET_AL.match(after):
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


_SURROUNDINGS_NEAR = 40  # characters looked at on each side
_TOKEN = re.compile(r"\w+|[^\w\s]")
_SHORT = 4  # letters


def surroundings(document: Document, mention: Mention) -> list[str]:
    """Return the features of a mention: the word before it, the word after it, and its shape."""
    text = document.text or ""
    if mention.start is None or mention.end is None:
        return []
    before = _TOKEN.findall(text[max(0, mention.start - _SURROUNDINGS_NEAR) : mention.start])
    after = _TOKEN.match(text[mention.end : mention.end + _SURROUNDINGS_NEAR].lstrip())
    return [
        f"before {before[-1].lower()}" if before else "begins the text",
        f"after {after[0].lower()}" if after else "ends the text",
        *shape(mention.text),
    ]


def shape(name: str) -> list[str]:
    """Return what a name looks like."""
    capitals = name.isupper()
    looks = {
        "lower case": name.islower(),
        "short capitals": capitals and len(name) < _SHORT,
        "long capitals": capitals and len(name) >= _SHORT,
        "capitalised": name[:1].isupper() and name[1:].islower(),
        "several words": " " in name,
        "digit": any(map(str.isdigit, name)),
        "short": len(name) <= _SHORT,
        "hyphen": "-" in name,
    }
    return [look for look, holds in looks.items() if holds]


_ABBREVIATIONS_SHORT = r"[A-Za-z][\w/-]{1,9}"
_BRACKET = re.compile(r"\(([^()\n]{2,90})\)")
_IS_SHORT = re.compile(rf"\s*({_ABBREVIATIONS_SHORT})\s*(?:[,;].*)?")
_ENDS_IN_SHORT = re.compile(rf"(?<![\w(])({_ABBREVIATIONS_SHORT})\s*$")
_LISTED = re.compile(
    rf"(?:^|[;.,:]\s)\s*({_ABBREVIATIONS_SHORT})\s?[:=,]\s([a-zA-Z][^;:,.()\n]{{4,80}})(?=[;.,\n]|$)", re.MULTILINE
)
_BREAK = re.compile(r"[\n;:()]|[.!?]\s")
_WORD = re.compile(r"\w+")
_BEFORE = 120  # characters before a bracket that may hold the long form


def definitions(text: str) -> dict[str, tuple[str, ...]]:
    """Return short form -> long forms, of the abbreviations that a text defines."""
    found: dict[str, dict[str, None]] = {}
    for bracket in _BRACKET.finditer(text):
        before = _BREAK.split(text[max(0, bracket.start() - _BEFORE) : bracket.start()])[-1]
        if short := _IS_SHORT.fullmatch(bracket[1]):
            _note(found, short[1], _tail(before, short[1]))
        if short := _ENDS_IN_SHORT.search(before[-12:]):
            _note(found, short[1], re.split("[,;]", bracket[1])[0].strip())
    for listed in _LISTED.finditer(text):
        _note(found, listed[1], listed[2])
    return {short: tuple(long_forms) for short, long_forms in found.items()}


def _note(found: dict[str, dict[str, None]], short: str, candidate: str) -> None:
    if not _may_be_short(short):
        return
    long_form = long_form_of(short, candidate)
    if long_form is not None and short.lower() not in long_form.lower().split():
        found.setdefault(short, {})[long_form] = None


def _may_be_short(text: str) -> bool:
    """Return whether a word is written as abbreviations are: a capital letter, and more than one letter."""
    return any(char.isupper() for char in text) and (text[1:] != text[1:].lower() or any(map(str.isdigit, text)))


def _tail(before: str, short: str) -> str:
    """Return the words before a bracket that may be the long form: as many as letters and five more, twice as many at most."""
    words = list(_WORD.finditer(before))
    letters = sum(map(str.isalnum, short))
    most = min(letters + 5, 2 * letters)
    return before[words[-most].start() :] if len(words) > most else before.lstrip()


def long_form_of(short: str, candidate: str) -> str | None:
    """Return the end of a text that a short form abbreviates; None if the letters do not fit."""
    at = len(candidate)
    letters = [char.lower() for char in short if char.isalnum()]
    lowered = candidate.lower()
    if len(lowered) != len(candidate):
        return None
    for number in range(len(letters) - 1, -1, -1):
        at = lowered.rfind(letters[number], 0, at)
        while number == 0 and at > 0 and lowered[at - 1].isalnum():
            at = lowered.rfind(letters[number], 0, at)
        if at < 0:
            return None
    long_form = candidate[at:].strip()
    return long_form if len(long_form) > len(short) and len(_WORD.findall(long_form)) <= len(letters) + 5 else None
