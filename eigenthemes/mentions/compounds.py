"""Parts of German compounds that are names where the whole is none: "Wasserverschmutzung" of "Wasserverschmutzungsgrad".

Both parts are proposed where they make up the word, but for the letters that join them. One part alone is, where it is most of
the word. The span is the part's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from eigenthemes.mentions.matching import COORDINATED
from eigenthemes.mentions.name_rules import LocatedMatch
from eigenthemes.text.segment import Pieces, Words

_SHORTEST = 9  # letters of a compound
_SHORTEST_PART = 4  # of a part, where both are known
_SHORTEST_ALONE = 6  # of a part that is the only one known, and then it is more than half of the word
_SHORTEST_REST = 3
_JOINTS = ("", "s", "es", "n", "en")

LookUp = Callable[[Sequence[str]], int]
Part = tuple[int, int, int]  # first letter, the one after the last, row of the key


def with_compounds(found: list[LocatedMatch], pieces: Pieces, words: Words, look_up: LookUp) -> list[LocatedMatch]:
    """Return matches with the known parts of the long words of a text that are in none."""
    covered = {piece for match in found for piece in range(match.first, match.last + 1)}
    parts_of: dict[int, list[Part]] = {}
    more: list[LocatedMatch] = []
    for piece, word in enumerate(pieces.word.tolist()):
        text = words.texts[word]
        if piece in covered or len(text) < _SHORTEST or not text.isalpha() or not words.capital[word]:
            continue
        if word not in parts_of:
            form = words.plain[word]
            parts_of[word] = list(_parts(form, look_up)) if len(form) == len(text) else []  # "ß" is two letters of its form
        start = int(pieces.starts[piece])
        more += [
            LocatedMatch(start + first, start + last, piece, piece, row, COORDINATED) for first, last, row in parts_of[word]
        ]
    return sorted((*found, *more)) if more else found


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
