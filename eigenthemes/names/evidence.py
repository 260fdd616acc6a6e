"""Evidence around a span that it is a name: letters, surroundings, abbreviations that the text defines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from eigenthemes.records import Document, Mention, Span

_NEAR = 24  # characters looked at on each side

_A_TITLE = r"(?:Mr|Mrs|Ms|Dr|Prof|Sen|Rep|Gov|Rev|Capt|Sgt|Lt|Col)\.? "
_TITLE = re.compile(rf"\b{_A_TITLE}$")
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


_SEPARATORS = ";|\u2022\t"
# what stands around an item of a list: separators, the bullet or the begin of a line, its end
_ITEM_BEGINS = re.compile(rf"(?:^|[{_SEPARATORS},:\n])[ *\u2013-]*(?:{_A_TITLE})?$")
_ITEM_ENDS = re.compile(rf"[ .]*(?:[{_SEPARATORS},\n]|$)")
_MARKS = frozenset(f"{_SEPARATORS},*-\u2013")
# "Keywords: wages, mortgages, prices": three items or more of four words at most, which fill the line
_WORDS = r"[^\s,:;!?]+(?: [^\s,:;!?]+){0,3}"
_COMMA_LIST = re.compile(rf"^[^:,\n]{{1,40}}: *{_WORDS}(?:, *{_WORDS}){{2,}} *$", re.MULTILINE)


def are_items(document: Document, mentions: Sequence[Mention]) -> list[bool]:
    """Return which mentions are a whole item of a list: "Keywords: wages; mortgages" holds names, and nothing else."""
    text = document.text or ""
    comma_lists = [found.span() for found in _COMMA_LIST.finditer(text)] if "," in text and ":" in text else []
    return [
        mention.start is not None and mention.end is not None and _is_item(text, mention.start, mention.end, comma_lists)
        for mention in mentions
    ]


def _is_item(text: str, start: int, end: int, comma_lists: list[Span]) -> bool:
    begins, ends = _ITEM_BEGINS.search(text, max(0, start - _NEAR), start), _ITEM_ENDS.match(text, end)
    if begins is None or ends is None:
        return False
    around = begins[0] + ends[0]
    return not _MARKS.isdisjoint(around) and ("," not in around or _is_within(start, end, comma_lists))


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
