"""Names in coordinations ("North and South Korea") and in compounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from eigenthemes.names.span_rules import LocatedMatch
from eigenthemes.names.spans import COORDINATED
from eigenthemes.text.segment import Pieces, Words

_AND = frozenset("and or und oder sowie bzw et ou".split())
_MOST_WORDS = 3  # of what stands before the "and"
_SHORTEST_PART = 4  # letters of the part of a word that another one shares
_UNITS = tuple(map(re.compile, (r"[A-Z]", r"\d{1,2}", r"I{1,3}|I?V|VI{1,3}")))
_HEAD = re.compile(r"[^\W\d_]{4,}")
_LIST_GAP = re.compile(r",? |, ?")
_WORD_GAP = re.compile(r" |-")
_UNIT_GAP = re.compile(r" |, ")
_HANGS = re.compile(r"\w[-\u2010\u2011](?=,? )")
_GOES_ON = re.compile(r"[-\u2010\u2011.,]\w|\s?%")  # C-reactive, 2.5, 95 %
_HYPHENS = "-\u2010\u2011"

LookUp = Callable[[Sequence[str]], int]  # the forms of words -> row of the key that is their name, or -1


class _Text:
    """The pieces of a text, one by one."""

    def __init__(self, text: str, pieces: Pieces, words: Words) -> None:
        self.text, self.words = text, words
        self.starts, self.ends, self.word = pieces.starts, pieces.ends, pieces.word
        self.count = len(pieces.word)

    def form(self, piece: int) -> str:
        return self.words.plain[int(self.word[piece])]

    def forms(self, first: int, last: int) -> list[str]:
        return [self.form(piece) for piece in range(first, last + 1)]

    def text_of(self, piece: int) -> str:
        return self.words.texts[int(self.word[piece])]

    def gap(self, piece: int) -> str:
        """Return what stands between a piece and the next one."""
        return self.text[int(self.ends[piece]) : int(self.starts[piece + 1])] if piece + 1 < self.count else ""

    def is_and(self, piece: int) -> bool:
        return self.text_of(piece).lower() in _AND

    def hangs(self, piece: int) -> bool:
        """Return whether a piece ends in a hyphen, as "Herz-" of "Herz- und Lungenkrankheiten"."""
        gap = self.gap(piece)
        return gap[:1] in _HYPHENS and gap[1:] in (" ", ", ") and gap != ""

    def match(self, first: int, last: int, row: int) -> LocatedMatch:
        return LocatedMatch(int(self.starts[first]), int(self.ends[last]), first, last, row, COORDINATED)


def with_coordinated(found: list[LocatedMatch], text: str, pieces: Pieces, words: Words, look_up: LookUp) -> list[LocatedMatch]:
    """Return matches with coordinated ones added; these replace shorter matches within them."""
    if not _AND.intersection(words.texts):
        return found
    located = _Text(text, pieces, words)
    more = [match for each in found for match in (*_before(each, located, look_up), *_after(each, located, look_up))]
    if _HANGS.search(text):
        more += _hanging(located, look_up)
    return _merged(found, more, text) if more else found


def _before(match: LocatedMatch, text: _Text, look_up: LookUp) -> Iterator[LocatedMatch]:
    if match.last == match.first or match.first < 2 or not text.is_and(match.first - 1) or text.gap(match.first - 1) != " ":
        return
    if not _HEAD.fullmatch(text.text_of(match.last)):
        return
    end = match.first - 2
    while end >= 0 and _LIST_GAP.fullmatch(text.gap(end)) and not text.hangs(end):
        item = _with_head(end, match, text, look_up)
        if item is None:
            return
        yield item
        end = item.first - 1
        if end >= 0 and not text.gap(end).startswith(","):
            return


def _with_head(end: int, match: LocatedMatch, text: _Text, look_up: LookUp) -> LocatedMatch | None:
    """Return the words that end at a piece and with the last words of a match are a name; most words first."""
    start = end
    while start > 0 and end - start + 1 < _MOST_WORDS and _WORD_GAP.fullmatch(text.gap(start - 1)):
        start -= 1
    for first in range(start, end + 1):
        if text.words.function[text.word[first]] or text.words.function[text.word[end]]:
            continue
        for head in range(match.first + 1, match.last + 1):
            row = look_up(text.forms(first, end) + text.forms(head, match.last))
            if row >= 0:
                return text.match(first, end, row)
    return None


def _after(match: LocatedMatch, text: _Text, look_up: LookUp) -> Iterator[LocatedMatch]:
    if match.last == match.first:
        return
    unit = next((unit for unit in _UNITS if unit.fullmatch(text.text_of(match.last))), None)
    if unit is None:
        return
    front, piece = text.forms(match.first, match.last - 1), match.last
    while piece + 1 < text.count and _UNIT_GAP.fullmatch(text.gap(piece)):
        piece += 1
        if text.is_and(piece):
            continue
        if not unit.fullmatch(text.text_of(piece)) or _GOES_ON.match(text.text, int(text.ends[piece])):
            return
        row = look_up([*front, text.form(piece)])
        if row < 0:
            return
        yield text.match(piece, piece, row)


def _hanging(text: _Text, look_up: LookUp) -> Iterator[LocatedMatch]:
    for piece in range(text.count - 2):
        if not text.hangs(piece):
            continue
        other = piece + 1
        while other < text.count - 1 and (text.is_and(other) or text.hangs(other)):
            other += 1
        if other > piece + 1 or text.gap(piece).endswith(", "):
            row = _completed(piece, other, text, look_up)
            if row >= 0:
                yield text.match(piece, piece, row)


def _completed(piece: int, other: int, text: _Text, look_up: LookUp) -> int:
    """Return the row of the name that a word with a hyphen is together with later words, or with the last part of one."""
    last = other
    while last + 1 < text.count and last - other < _MOST_WORDS and _WORD_GAP.fullmatch(text.gap(last)):
        last += 1
    begin, whole = text.form(piece), text.form(other)
    for end in range(last, other, -1):
        row = look_up([begin, *text.forms(other + 1, end)])
        if row >= 0:
            return row
    for end in range(last, other - 1, -1):
        for cut in range(2, len(whole) - _SHORTEST_PART + 1):
            row = look_up([begin + whole[cut:], *text.forms(other + 1, end)])
            if row >= 0:
                return row
    return -1


def _merged(found: list[LocatedMatch], more: list[LocatedMatch], text: str) -> list[LocatedMatch]:
    """Return all matches; what lies within a new one gives way to it, and a new one to what it lies within.

    A single word with capitals that is a name itself stays what it is: "Akt" of "Akt and protein kinases".
    """
    covering: dict[int, list[LocatedMatch]] = {}
    for old in found:
        for piece in range(old.first, old.last + 1):
            covering.setdefault(piece, []).append(old)

    def beside(new: LocatedMatch) -> Iterator[LocatedMatch]:
        return (old for piece in range(new.first, new.last + 1) for old in covering.get(piece, ()))

    kept = [new for new in dict.fromkeys(more) if not any(_gives_way(new, old, text) for old in beside(new))]
    replaced = {old for new in kept for old in beside(new) if new.first <= old.first and old.last <= new.last}
    return [*(old for old in found if old not in replaced), *kept]


def _gives_way(new: LocatedMatch, old: LocatedMatch, text: str) -> bool:
    within = new.first <= old.first and old.last <= new.last
    if within:
        same = (new.first, new.last) == (old.first, old.last)
        return same and old.change == 0 and not text[old.start : old.end].islower()
    return old.first <= new.last and new.first <= old.last


_SHORTEST = 9  # letters of a compound
_SHORTEST_ALONE = 6  # of a part that is the only one known, and then it is more than half of the word
_SHORTEST_REST = 3
_JOINTS = ("", "s", "es", "n", "en")

Part = tuple[int, int, int]  # first letter, the one after the last, row of the key


def with_compounds(found: list[LocatedMatch], pieces: Pieces, words: Words, look_up: LookUp) -> list[LocatedMatch]:
    """Return matches with the known parts of the long words of a text that are in none."""
    asked = (words.capital & (np.diff(words.forms.offsets) >= _SHORTEST))[pieces.word]
    for match in found:
        asked[match.first : match.last + 1] = False
    parts_of: dict[int, list[Part]] = {}
    more: list[LocatedMatch] = []
    for piece in np.flatnonzero(asked).tolist():
        word = int(pieces.word[piece])
        text = words.texts[word]
        if len(text) < _SHORTEST or not text.isalpha():
            continue
        if word not in parts_of:
            form = words.plain[word]
            parts_of[word] = list(_parts(form, look_up)) if len(form) == len(text) else []  # "ß" is two letters of its form
        start = int(pieces.starts[piece])
        more += [
            LocatedMatch(start + first, start + last, piece, piece, row, COORDINATED) for first, last, row in parts_of[word]
        ]
    return [*found, *more]


def _parts(word: str, look_up: LookUp) -> Iterator[Part]:
    size = len(word)
    starts = {end: row for end in range(size - _SHORTEST_REST, _SHORTEST_PART - 1, -1) if (row := look_up([word[:end]])) >= 0}
    ends = {first: row for first in range(_SHORTEST_REST, size - _SHORTEST_PART + 1) if (row := look_up([word[first:]])) >= 0}
    starts = {end - (word[end - 1] == "s" and starts.get(end - 1) == row): row for end, row in starts.items()}  # no joint in it
    for end, row in starts.items():
        for joint in _JOINTS:
            if word.startswith(joint, end) and end + len(joint) in ends:
                yield 0, end, row
                yield end + len(joint), size, ends[end + len(joint)]
                return
    known = [(0, end, row) for end, row in starts.items()] + [(first, size, row) for first, row in ends.items()]
    longest = max(known, key=lambda part: part[1] - part[0], default=None)
    if longest is not None and longest[1] - longest[0] >= max(_SHORTEST_ALONE, size // 2 + 1):
        yield longest
