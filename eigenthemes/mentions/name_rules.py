"""Which spans of a text that are names may be mentions: the rules of `eigenthemes.mentions.names`, over arrays.

For the columns of `matches` see `eigenthemes.mentions.matching`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.mentions.dates import CONTRACTION, DATE_WORDS
from eigenthemes.mentions.matching import LETTER_LEFT_OFF, LONGEST, STEMMED, Flags, Matches
from eigenthemes.text.normalize import normalize
from eigenthemes.text.segment import Pieces, Words

_SHORTEST_SMALL = 3  # letters of a single word in lower case: "mg" is no gene

# With these a name may begin: "van Gogh", "al Qaeda", "de Gaulle".
_PARTICLES = frozenset("al da de del della den der di do dos du el het la le les los van von".split())

_ACRONYM_END = re.compile(r"\w\.\w")


@dataclass(frozen=True, slots=True)
class MatchFlags:
    """What the rules say of matches, as far as the text alone can tell; all [n] bool.

    mention      may be a mention
    small_word   a single word in lower case: a mention where the KB writes it so
    plain_word   a single word without capitals inside or digits: no mention where very many entities have it
    """

    mention: Flags
    small_word: Flags
    plain_word: Flags


def apply_rules(matches: Matches, pieces: Pieces, words: Words, *, dates: bool = False) -> MatchFlags:
    """Apply the rules to all matches at once; `dates`: months and weekdays may be names."""
    first, last = matches[:, 0], matches[:, 1]
    word = pieces.word
    single = first == last
    head = word[first]

    def count(flag: Flags) -> NDArray[np.int64]:
        before = np.concatenate(([0], np.cumsum(flag)))
        return before[last + 1] - before[first]

    length = np.diff(words.forms.offsets)
    long = length > 1
    content = count(~words.function[word])
    all_capital = count(~words.capital[word]) == 0
    emphatic = np.where(single, words.shouted[head] & _beside_quiet_word(first, word, words), all_capital)
    letters = (count(~words.number[word]) > 0) & (~single | long[head])
    allowed = ((content > 0) | emphatic) & ~_has_spare_edge(matches, pieces, words) & letters
    allowed[single] &= ~_never_named(head[single], words, dates)

    plain_word = single & words.flat[head] & ~words.striking[head]
    striking = count(words.striking[word] | (words.capital[word] & ~pieces.opens)) > 0
    striking |= ~single & (words.capital & ~long & ~words.function)[head]  # "T cells" also at the start of a sentence
    usually_small = plain_word & _mostly_small(pieces, words)[words.sound[head]]
    part_of_longer = plain_word & striking & _follows_name(first, pieces, words)
    part_of_longer |= plain_word & np.append(pieces.titled, False)[first + 1]
    opening_capital = words.capital[head] & pieces.opens[first] & (single | all_capital)
    capitalised = (striking | opening_capital) & ~usually_small & ~part_of_longer
    several = ~single & (count((long & ~words.function)[word]) > 1)
    mention = allowed & (capitalised | several)
    small_word = allowed & ~mention & single & ~part_of_longer & (length >= _SHORTEST_SMALL)[head]
    return MatchFlags(mention, small_word, plain_word)


class LocatedMatch(NamedTuple):
    """A match as a span of the text: its pieces, the row of its key, and how it differs from the name."""

    start: int
    end: int
    first: int
    last: int
    row: int
    change: int


def longest_matches(text: str, matches: Matches, pieces: Pieces, words: Words) -> list[LocatedMatch]:
    """Return the longest matches from left to right."""
    found: list[LocatedMatch] = []
    free = 0
    for match in _located(text, matches, pieces, words):
        if match.first >= free:
            found.append(match)
            free = match.last + 1
    return found


def all_matches(text: str, matches: Matches, pieces: Pieces, words: Words) -> list[LocatedMatch]:
    """Return all matches, also those within others, one for each span."""
    by_span: dict[tuple[int, int], LocatedMatch] = {}
    for match in _located(text, matches, pieces, words):
        by_span.setdefault((match.start, match.end), match)
    return list(by_span.values())


def _located(text: str, matches: Matches, pieces: Pieces, words: Words) -> Iterator[LocatedMatch]:
    """Yield the matches with their spans, from left to right, where several begin the longest first."""
    order = np.lexsort((matches[:, 3], -matches[:, 1], matches[:, 0]))
    first, last, row, change = matches[order].T
    starts = pieces.starts[first]
    ends = pieces.ends[last] - 2 * (np.isin(change, (LETTER_LEFT_OFF, STEMMED)) & words.possessive[pieces.word[last]])
    columns = (column.tolist() for column in (starts, ends, first, last, row, change))
    for start, bare_end, *rest in zip(*columns, strict=True):
        end = _with_sign(text, start, bare_end)
        if end:
            yield LocatedMatch(start, end, *rest)


def _never_named(heads: NDArray[np.int64], words: Words, dates: bool) -> Flags:
    """Return which words are contractions or, unless `dates` are wanted, months and weekdays."""
    distinct, word_of = np.unique(heads, return_inverse=True)
    date_words = frozenset[str]() if dates else DATE_WORDS
    texts = [words.texts[word] for word in distinct.tolist()]
    never = [_plain_form(text) in date_words or (not text.isalnum() and CONTRACTION.fullmatch(text)) for text in texts]
    return np.array(never, dtype=bool)[word_of]


def _plain_form(text: str) -> str:
    return text.lower() if text.isascii() else normalize(text)


def _beside_quiet_word(first: NDArray[np.int64], word: NDArray[np.int64], words: Words) -> Flags:
    """Return which pieces are beside a word that is not in capitals: where all is in capitals, these say nothing."""
    quiet = np.concatenate(([False], (~words.shouted & (np.diff(words.forms.offsets) > 1))[word], [False]))
    return np.asarray(quiet[first] | quiet[first + 2])


def _follows_name(first: NDArray[np.int64], pieces: Pieces, words: Words) -> Flags:
    """Return which matches come right after a capitalised word inside a sentence."""
    named = words.capital[pieces.word] & ~words.function[pieces.word] & ~pieces.opens
    return np.asarray(pieces.follows[first] & (first > 0) & named[first - 1])


def _has_spare_edge(matches: Matches, pieces: Pieces, words: Words) -> Flags:
    """Return which matches begin or end with a function word in lower case; a particle counts if the rest is a name, too."""
    first, last = matches[:, 0], matches[:, 1]
    spare = (words.function & words.small)[pieces.word]
    particle = np.array([text in _PARTICLES for text in words.texts], dtype=bool)[pieces.word[first]]
    spans = first * LONGEST + (last - first)  # a number for each span
    rest_is_name = np.isin(spans + LONGEST - 1, spans)
    begins = spare[first] & ~np.append(pieces.hyphened, False)[first + 1] & (~particle | rest_is_name)
    return np.asarray((last > first) & (begins | spare[last]))


def _mostly_small(pieces: Pieces, words: Words) -> Flags:
    """Return which forms the text writes in lower case at least as often as with a capital inside a sentence."""
    sounds, word = len(words.sound), pieces.word
    small = np.bincount(words.sound[word[words.small[word]]], minlength=sounds)
    capital = np.bincount(words.sound[word[words.capital[word] & ~pieces.opens]], minlength=sounds)
    return np.asarray((small > 0) & (small >= capital))


def _with_sign(text: str, start: int, end: int) -> int:
    """Return the end of a name with the full stop or bracket that belongs to it; 0 where a bracket stays open."""
    sign = text[end : end + 1]
    if sign == "." and (_ACRONYM_END.fullmatch(text[max(start, end - 3) : end]) or _goes_on(text, end + 1)):
        return end + 1
    opened = text.count("(", start, end) - text.count(")", start, end)
    if opened == 0:
        return end
    return end + 1 if opened == 1 and sign == ")" else 0


def _goes_on(text: str, at: int) -> bool:
    """Return whether the sentence goes on after a full stop, which then is of an abbreviation ("Lexington, Ky., on")."""
    after = text[at : at + 1]
    if after.isspace():
        after = text[at + 1 : at + 2]
        return after.islower() or after.isdigit()
    return after != "" and after in ",;:)"
