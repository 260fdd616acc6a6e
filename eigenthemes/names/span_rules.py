"""Rules for which spans of texts may be names, applied to all of them at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.names.spans import LETTER_LEFT_OFF, LONGEST, SAME_CORE, Flags, Matches
from eigenthemes.names.weak_words import ARTICLE, FUNCTION
from eigenthemes.text.normalize import normalize
from eigenthemes.text.segment import Pieces, Words

_DATES = """january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
    januar februar marz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag
    janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre
    lundi mardi mercredi jeudi vendredi samedi dimanche
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    lunes martes miercoles jueves viernes sabado domingo
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
    lunedi martedi mercoledi giovedi venerdi""".split()
DATE_WORDS = frozenset(_DATES)  # months and weekdays, without accents, as `normalize` leaves them

# "I'll", "don't": with its apostrophe left out, such a word may be spelled like a name.
CONTRACTION = re.compile(r".+(?:n['`\u2019]t|['`\u2019](?:ll|d|re|ve|m))", re.IGNORECASE | re.DOTALL)


_SHORTEST_SMALL = 3  # letters of a single word in lower case: "mg" is no gene

# With these a name may begin: "van Gogh", "al Qaeda", "de Gaulle".
_PARTICLES = frozenset("al da de del della den der di do dos du el het la le les los van von".split())

_TITLES = frozenset("Mr Mrs Ms Dr Prof".split())

_ABBREVIATED = re.compile(r"\w\.\w{1,3}\Z")  # U.S, W.Va
_MAY_BE_ABBREVIATED = re.compile(r"\b\w{1,5}\Z")  # Calif, Ky


@dataclass(frozen=True, slots=True)
class MatchFlags:
    """Results of the text-only rules for matches; all [n] bool.

    mention      may be a mention
    small_word   a single word in lower case: a mention where the KB writes it so
    plain_word   a single word without capitals inside or digits: no mention where very many entities have it
    """

    mention: Flags
    small_word: Flags
    plain_word: Flags


def apply_rules(matches: Matches, pieces: Pieces, words: Words, *, weak: Mapping[str, int], dates: bool = False) -> MatchFlags:
    """Apply the rules to all matches at once.

    weak   kinds of weak words, as of `names.weak_words`
    dates  months and weekdays may be names
    """
    first, last = matches[:, 0], matches[:, 1]
    word = pieces.word
    single = first == last
    head = word[first]

    length = np.diff(words.forms.offsets)
    long = length > 1
    content, not_capital, not_number, outstanding, spelled_out = counts_within(
        first,
        last,
        ~words.function[word],
        ~words.capital[word],
        ~words.number[word],
        words.striking[word] | (words.capital[word] & ~pieces.opens),
        (long & ~words.function)[word],
    )
    all_capital = not_capital == 0
    emphatic = np.where(single, words.shouted[head] & _beside_quiet_word(first, word, words), all_capital)
    letters = (not_number > 0) & (~single | long[head])
    allowed = ((content > 0) | emphatic) & ~_has_spare_edge(matches, pieces, words, weak) & letters

    plain_word = single & words.flat[head] & ~words.striking[head]
    striking = outstanding > 0
    striking |= ~single & (words.capital & ~long & ~words.function)[head]  # "T cells" also at the start of a sentence
    usually_small = plain_word & _mostly_small(pieces, words)[first]
    part_of_longer = plain_word & striking & _follows_name(first, pieces, words)
    part_of_longer |= plain_word & np.append(pieces.titled, False)[first + 1]
    part_of_longer |= plain_word & _is_title(head, words) & np.append(pieces.follows & words.capital[word], False)[first + 1]
    opening_capital = words.capital[head] & pieces.opens[first] & (single | all_capital)
    capitalised = (striking | opening_capital) & ~usually_small & ~part_of_longer
    several = ~single & (spelled_out > 1)
    mention = allowed & (capitalised | several)
    small_word = allowed & ~mention & (single | (spelled_out == 1)) & ~part_of_longer
    small_word &= ~single | (length >= _SHORTEST_SMALL)[head]
    asked = np.flatnonzero(single & (mention | small_word))
    never = asked[_never_named(head[asked], words, dates)]
    mention[never] = small_word[never] = False
    return MatchFlags(mention, small_word, plain_word)


def content_matches(matches: Matches, pieces: Pieces, words: Words) -> Matches:
    """Return matches without single function words in small letters, which no rule lets pass."""
    spare = (words.function & ~words.shouted)[pieces.word]
    return matches[(matches[:, 0] < matches[:, 1]) | ~spare[matches[:, 0]]]


def without_broken_lists(matches: Matches, text: str, pieces: Pieces, words: Words) -> Matches:
    """Return matches without those that take the beginning of the next name with them.

    In "intellectual disability, mild scoliosis" the KB's "Intellectual disability, mild" is not meant: its last words, after
    the comma and small, belong to a name that goes on.
    """
    first, last = matches[:, 0], matches[:, 1]
    goes_on = np.append(pieces.follows, False)[last + 1] & words.small[pieces.word[last]] & (last > first)
    asked = np.flatnonzero(goes_on)
    if not len(asked):
        return matches
    reach = np.full(len(pieces.word) + 1, -1)
    np.maximum.at(reach, first, last)
    kept = np.ones(len(matches), dtype=bool)
    for i in asked.tolist():
        begin, end = int(first[i]), int(last[i])
        comma = text.rfind(", ", int(pieces.starts[begin]), int(pieces.ends[end]))
        if comma >= 0:
            tail = int(np.searchsorted(pieces.starts, comma))
            small = words.small[pieces.word[tail : end + 1]].all()
            kept[i] = not (small and (reach[tail : end + 2] > end).any())
    return matches[kept]


def counts_within(first: NDArray[np.int64], last: NDArray[np.int64], *flags: Flags) -> NDArray[np.int64]:
    """Return for how many pieces from first to last each flag is true [flags, n]."""
    before = np.zeros((len(flags), len(flags[0]) + 1), dtype=np.int64)
    np.cumsum(flags, axis=1, out=before[:, 1:])
    return before[:, last + 1] - before[:, np.minimum(first, last + 1)]


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
    for start, bare_end, first, last, row, change in _in_order(matches, pieces, words):
        if first >= free and (end := _with_sign(text, start, bare_end)):
            found.append(LocatedMatch(start, end, first, last, row, change))
            free = last + 1
    return found


def all_matches(text: str, matches: Matches, pieces: Pieces, words: Words) -> list[LocatedMatch]:
    """Return all matches, also those within others, one for each span."""
    by_span: dict[tuple[int, int], LocatedMatch] = {}
    for start, bare_end, *rest in _in_order(matches, pieces, words):
        if end := _with_sign(text, start, bare_end):
            by_span.setdefault((start, end), LocatedMatch(start, end, *rest))
    return list(by_span.values())


def _in_order(matches: Matches, pieces: Pieces, words: Words) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Yield start, end, and the columns of each match, from left to right, where several begin the longest first."""
    order = np.argsort((matches[:, 0] * LONGEST - (matches[:, 1] - matches[:, 0])) * 8 + matches[:, 3], kind="stable")
    first, last, row, change = matches[order].T
    left_off = (change == LETTER_LEFT_OFF) | (change == SAME_CORE)
    ends = pieces.ends[last] - 2 * (left_off & words.possessive[pieces.word[last]])
    columns = (pieces.starts[first], ends, first, last, row, change)
    return zip(*(column.tolist() for column in columns), strict=True)


def _never_named(heads: NDArray[np.int64], words: Words, dates: bool) -> Flags:
    """Return which words are contractions or, unless `dates` are wanted, months and weekdays."""
    texts = words.texts
    return np.fromiter((_is_never_named(texts[word], dates) for word in heads.tolist()), dtype=bool, count=len(heads))


@lru_cache(maxsize=1 << 14)
def _is_never_named(text: str, dates: bool) -> bool:
    plain = text.lower() if text.isascii() else normalize(text)
    return (not dates and plain in DATE_WORDS) or (not text.isalnum() and CONTRACTION.fullmatch(text) is not None)


def _is_title(heads: NDArray[np.int64], words: Words) -> Flags:
    """Return a mask of personal titles without a full stop ("Mr Baker")."""
    texts = words.texts
    return np.fromiter((texts[word] in _TITLES for word in heads.tolist()), dtype=bool, count=len(heads))


def _beside_quiet_word(first: NDArray[np.int64], word: NDArray[np.int64], words: Words) -> Flags:
    """Return a mask of pieces next to a word that is not all capitals; in all-capital text, case is no evidence."""
    quiet = np.concatenate(([False], (~words.shouted & (np.diff(words.forms.offsets) > 1))[word], [False]))
    return np.asarray(quiet[first] | quiet[first + 2])


def _follows_name(first: NDArray[np.int64], pieces: Pieces, words: Words) -> Flags:
    """Return which matches come right after a capitalised word inside a sentence."""
    named = words.capital[pieces.word] & ~words.function[pieces.word] & ~pieces.opens
    return np.asarray(pieces.follows[first] & (first > 0) & named[first - 1])


def _has_spare_edge(matches: Matches, pieces: Pieces, words: Words, weak: Mapping[str, int]) -> Flags:
    """Return which matches begin or end with a function word in lower case; a particle counts if the rest is a name, too."""
    first, last = matches[:, 0], matches[:, 1]
    is_weak = words.function.copy()
    for word in np.flatnonzero(is_weak).tolist():
        is_weak[word] = weak.get(words.plain[word], 0) & (ARTICLE | FUNCTION) > 0
    spare = (is_weak & words.small)[pieces.word]
    begins = spare[first] & ~np.append(pieces.hyphened, False)[first + 1] & (last > first)
    doubtful = np.flatnonzero(begins)
    if len(doubtful):
        spans = first * LONGEST + (last - first)  # a number for each span
        texts = words.texts
        for i in doubtful.tolist():
            if texts[pieces.word[first[i]]] in _PARTICLES:
                begins[i] = (spans == spans[i] + LONGEST - 1).any()
    long = (np.diff(words.forms.offsets) > 1)[pieces.word]  # "vitamin a" ends with a letter, not with an article
    return np.asarray(begins | ((last > first) & (spare & long)[last]))


def _mostly_small(pieces: Pieces, words: Words) -> Flags:
    """Return which pieces their text writes in lower case at least as often as with a capital inside a sentence [p]."""
    form, word = pieces.document * len(words.sound) + words.sound[pieces.word], pieces.word
    many = int(form.max(initial=-1)) + 1
    small = np.bincount(form[words.small[word]], minlength=many)
    capital = np.bincount(form[words.capital[word] & ~pieces.opens], minlength=many)
    return np.asarray(((small > 0) & (small >= capital))[form])


def _with_sign(text: str, start: int, end: int) -> int:
    """Return the end of a name with the full stop or bracket that belongs to it; 0 where a bracket stays open."""
    sign = text[end : end + 1]
    if sign == "." and (
        _ABBREVIATED.search(text, start, end) or (_MAY_BE_ABBREVIATED.search(text, start, end) and _goes_on(text, end + 1))
    ):
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
