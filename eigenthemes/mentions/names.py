"""Find the names of a KB in plain text.

A text is cut into pieces (words; single characters where a script has no spaces) whose normalised forms, put together, are
the key of the span they cover. Every span that is a label, an alias or a label without its brackets is a match; of the
matches that may be mentions, the longest win, from left to right. Which match may be a mention, case and frequency decide:

1. Function words alone never, but in capitals ("US", "WHO") or as a title ("The Who"). A longer match does not begin or end
   with a function word in lower case: "in Paris" is Paris. A particle may begin it ("van Gogh"), but where the rest is a name,
   too. Numbers and single letters never.
2. A capital or a digit makes a mention. One capital at the start of a sentence says nothing about several words, nor does it
   about a word that the text itself mostly writes in lower case.
3. A single capitalised word after another one inside a sentence is part of a longer name that the KB does not have ("Smith"
   of "met Ann Smith"); so is an abbreviation before one ("Dr" of "Dr. Smith").
4. In lower case, several words are a mention. One word is, where the KB writes words inside its names in lower case, as
   ontologies do ("Short stature"), or the text has no capital at all; not one that very many entities have ("protein").

Each rule was measured on annotated texts of four KBs; that a single word in lower case is rare in the KB did not help.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import FNV_OFFSET, extend_hash, finish_hash, hash_bytes
from eigenthemes.kb.name_index import UNBRACKETED
from eigenthemes.kb.store import KB
from eigenthemes.text.normalize import normalize, squash
from eigenthemes.text.segment import FUNCTION_WORDS, POSSESSIVE, Pieces, Words, split

LONGEST = 12  # pieces of a span

_WORTH_COMPILING = 20_000  # pieces in all texts so far: where plain Python has taken as long as numba takes to load
_SAMPLE = 2000  # names that tell how a KB writes
_MOSTLY = 2 / 3
_COMMON, _COMMON_SHARE = 1000, 128  # a word of more entities than this, and than one in so many, says nothing alone
_SHORTEST_SMALL = 3  # letters of a single word in lower case: "mg" is no gene
_MOST_READ = 20  # entities of a key whose names are read for their case

# With these a name may begin: "van Gogh", "al Qaeda", "de Gaulle".
_PARTICLES = frozenset("al da de del della den der di do dos du el het la le les los van von".split())

_ACRONYM_END = re.compile(r"\w\.\w")
_LETTERS = re.compile(r"[^\W\d_]{3,}")


# "Seizure" is written small, the gene "CAN" is not.
_WRITTEN: dict[str, Callable[[str], object]] = {
    "small": lambda name: name[1:] == name[1:].lower(),
    "possessive": POSSESSIVE.match,  # not fullmatch: brackets may follow
}


class NameDetector:
    """Finds the names of a KB in texts."""

    def __init__(self, kb: KB) -> None:
        self.kb = kb
        self._seen = 0
        self._written: dict[tuple[int, str], bool] = {}

    def find(self, text: str) -> list[tuple[int, int]]:
        """The spans of `text` that may mention an entity: half-open, in code points, in order, never overlapping."""
        pieces, words = split(text)
        if not len(pieces.word):
            return []
        small_names = self._writes_small or not words.capital.any()
        drops = words.possessive | (self._plurals(words) if self._writes_small else False)
        matches = self._matches(pieces, words, drops)
        matches = matches[self._may_be_mentions(matches, pieces, words, small_names)]
        matches = matches[self._has_its_ending(matches, words.possessive[pieces.word[matches[:, 1]]])]
        return _longest(text, matches, pieces, words)

    def _matches(self, pieces: Pieces, words: Words, drops: NDArray[np.bool_]) -> NDArray[np.int64]:
        """All spans that are a name: first piece, last piece, row of the key, letters left off; [n, 4]."""
        self._seen += len(pieces.word)
        if self._seen < _WORTH_COMPILING and "numba" not in sys.modules:
            return self._matches_plain(pieces, words, drops)
        return self._matches_compiled(pieces, words, drops)

    def _matches_plain(self, pieces: Pieces, words: Words, drops: NDArray[np.bool_]) -> NDArray[np.int64]:
        forms = [words.forms.raw(row) for row in range(len(words.forms))]
        word, joined, apart = pieces.word.tolist(), pieces.joined.tolist(), pieces.apart.tolist()
        found: list[tuple[int, int, int, int]] = []
        for first in range(len(word)):
            h, run = FNV_OFFSET, 0
            for last in range(first, min(first + LONGEST, len(word))):
                if last > first and apart[last]:
                    break
                run = run + 1 if last > first and joined[last] else 1
                if run > 2:  # bigrams: the character before is said again
                    h = extend_hash(h, forms[word[last - 1]])
                form = forms[word[last]]
                short = extend_hash(h, form[:-1])
                h = extend_hash(short, form[-1:])
                for dropped, state in enumerate((h, short) if drops[word[last]] else (h,)):
                    row = self._name(finish_hash(state))
                    if row >= 0:
                        found.append((first, last, row, dropped))
        return np.array(found, dtype=np.int64).reshape(-1, 4)

    def _matches_compiled(self, pieces: Pieces, words: Words, drops: NDArray[np.bool_]) -> NDArray[np.int64]:
        from eigenthemes.core.jit import announce_compilation
        from eigenthemes.kernels.spans import find_spans

        announce_compilation(find_spans, "finding names in long texts")
        index = self.kb.name_index
        found: NDArray[np.int64] = find_spans(
            (pieces.word, pieces.joined, pieces.apart),
            (words.forms.blob, words.forms.offsets, drops),
            (index.key_table.hashes, index.key_table.buckets, index.key_indptr, index.key_kinds, index.key_filter),
            LONGEST,
            UNBRACKETED,
        )
        return found

    def _name(self, key: int) -> int:
        """The row of a key that is a name or a label without brackets, or -1."""
        index = self.kb.name_index
        place = key & (8 * len(index.key_filter) - 1)
        if not index.key_filter[place >> 3] >> (place & 7) & 1:
            return -1
        row = index.key_table.find(key)
        return row if row >= 0 and len(self._entities(row)) else -1

    def _entities(self, row: int) -> NDArray[np.uint32]:
        index = self.kb.name_index
        first, last = index.key_indptr[row : row + 2]
        return index.key_entities[first:last][index.key_kinds[first:last] <= UNBRACKETED]

    def _may_be_mentions(
        self, matches: NDArray[np.int64], pieces: Pieces, words: Words, small_names: bool
    ) -> NDArray[np.bool_]:
        """The rules of this module's docstring, for all matches at once."""
        first, last = matches[:, 0], matches[:, 1]
        word = pieces.word
        single = first == last
        head = word[first]

        def count(flag: NDArray[np.bool_]) -> NDArray[np.int64]:
            upto = np.concatenate(([0], np.cumsum(flag)))
            return upto[last + 1] - upto[first]

        long = np.diff(words.forms.offsets) > 1
        content = count(~words.function[word])
        all_capital = count(~words.capital[word]) == 0
        emphatic = np.where(single, words.shouted[head] & _among_others(first, word, words), all_capital)
        edged = _has_spare_edge(matches, pieces, words)
        letters = (count(~words.number[word]) > 0) & (~single | long[head])
        allowed = ((content > 0) | emphatic) & ~edged & letters

        simple = single & words.flat[head] & ~words.striking[head]
        striking = count(words.striking[word] | (words.capital[word] & ~pieces.opens)) > 0
        usual = simple & _mostly_small(pieces, words)[words.sound[head]]
        named = words.capital[word] & ~words.function[word] & ~pieces.opens
        continued = simple & striking & pieces.follows[first] & (first > 0) & named[first - 1]
        continued |= simple & np.append(pieces.titled, False)[first + 1]
        shown = (striking | (words.capital[head] & pieces.opens[first] & (single | all_capital))) & ~usual & ~continued
        several = ~single & (count((long & ~words.function)[word]) > 1)
        mentions: NDArray[np.bool_] = allowed & (shown | several)
        if small_names:
            asked = allowed & ~mentions & single & ~continued & (np.diff(words.forms.offsets) >= _SHORTEST_SMALL)[head]
            for i in np.flatnonzero(asked).tolist():
                mentions[i] = self._is_written(int(matches[i, 2]), "small")
        asked = np.flatnonzero(mentions & simple)
        mentions[asked] = ~self._is_common(head[asked], matches[asked, 3], words)
        return mentions

    def _is_common(self, word: NDArray[np.int64], dropped: NDArray[np.int64], words: Words) -> NDArray[np.bool_]:
        """Words, less the letters dropped, that very many entities have."""
        index, most = self.kb.name_index, max(_COMMON, len(self.kb) // _COMMON_SHARE)
        forms, place = np.unique(2 * word + dropped, return_inverse=True)
        common = np.zeros(len(forms), dtype=bool)
        for i, (row, less) in enumerate(zip((forms // 2).tolist(), (forms % 2).tolist(), strict=True)):
            form = words.forms.raw(row)
            token = index.token_table.find(hash_bytes(form[: len(form) - less]))
            common[i] = token >= 0 and index.postings_indptr[token + 1] - index.postings_indptr[token] > most
        return common[place]

    @cached_property
    def _writes_small(self) -> bool:
        """Does the KB write the words inside its names in lower case, as ontologies do?"""
        names, small, all_words = self.kb.names, 0, 0
        for row in range(0, len(names), max(1, len(names) // _SAMPLE)):
            inside = [word for word in _LETTERS.findall(names[row])[1:] if word.lower() not in FUNCTION_WORDS]
            small += sum(word.islower() for word in inside)
            all_words += len(inside)
        return small > _MOSTLY * all_words

    def _has_its_ending(self, matches: NDArray[np.int64], possessive: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Matches but those with a 's that the KB does not write so: "McDonald's" keeps it, "China's" does not."""
        kept = np.ones(len(matches), dtype=bool)
        for i in np.flatnonzero(possessive & (matches[:, 3] == 0)).tolist():
            kept[i] = self._is_written(int(matches[i, 2]), "possessive")
        return kept

    def _is_written(self, row: int, how: str) -> bool:
        """Does a name of a key fit one of `_WRITTEN`?"""
        found = self._written.get((row, how))
        if found is None:
            key, fits = int(self.kb.name_index.key_table.hashes[row]), _WRITTEN[how]
            names = (name for entity in self._entities(row)[:_MOST_READ].tolist() for name in self.kb.names_of(entity))
            found = any(fits(name) and key in (_key(name), _key(name.partition(" (")[0])) for name in names)
            self._written[row, how] = found
        return found

    def _plurals(self, words: Words) -> NDArray[np.bool_]:
        """Words whose last letter may be a plural's s."""
        ends = words.forms.offsets[1:]
        return np.asarray((words.forms.blob[ends - 1] == ord("s")) & (np.diff(words.forms.offsets) > 3) & words.flat)


def _among_others(first: NDArray[np.int64], word: NDArray[np.int64], words: Words) -> NDArray[np.bool_]:
    """Is a piece beside a word that is not in capitals? Where all is shouted, capitals say nothing."""
    quiet = np.concatenate(([False], (~words.shouted & (np.diff(words.forms.offsets) > 1))[word], [False]))
    return np.asarray(quiet[first] | quiet[first + 2])


def _has_spare_edge(matches: NDArray[np.int64], pieces: Pieces, words: Words) -> NDArray[np.bool_]:
    """Does a match begin or end with a function word in lower case? A particle is spare where the rest is a name, too."""
    first, last = matches[:, 0], matches[:, 1]
    spare = (words.function & words.small)[pieces.word]
    particle = np.array([text in _PARTICLES for text in words.texts], dtype=bool)[pieces.word[first]]
    spans = first * LONGEST + (last - first)  # a number for each span
    rest_is_name = np.isin(spans + LONGEST - 1, spans)
    begins = spare[first] & ~np.append(pieces.hyphened, False)[first + 1] & (~particle | rest_is_name)
    return np.asarray((last > first) & (begins | spare[last]))


def _mostly_small(pieces: Pieces, words: Words) -> NDArray[np.bool_]:
    """By sound: does the text write it in lower case, and at least as often as with a capital inside a sentence?"""
    sounds, word = len(words.sound), pieces.word
    small = np.bincount(words.sound[word[words.small[word]]], minlength=sounds)
    capital = np.bincount(words.sound[word[words.capital[word] & ~pieces.opens]], minlength=sounds)
    return np.asarray((small > 0) & (small >= capital))


def _longest(text: str, matches: NDArray[np.int64], pieces: Pieces, words: Words) -> list[tuple[int, int]]:
    """The longest matches from left to right, as spans of the text."""
    order = np.lexsort((matches[:, 3], -matches[:, 1], matches[:, 0]))
    first, last, _, dropped = matches[order].T
    starts = pieces.starts[first]
    ends = pieces.ends[last] - 2 * (dropped & words.possessive[pieces.word[last]])
    spans: list[tuple[int, int]] = []
    free = 0
    for piece, last_piece, start, bare_end in zip(first.tolist(), last.tolist(), starts.tolist(), ends.tolist(), strict=True):
        if piece >= free:
            end = _with_sign(text, start, bare_end)
            if end:
                spans.append((start, end))
                free = last_piece + 1
    return spans


def _with_sign(text: str, start: int, end: int) -> int:
    """The end of a name with the full stop or bracket that belongs to it; 0 where a bracket stays open."""
    sign = text[end : end + 1]
    if sign == "." and (_ACRONYM_END.fullmatch(text[max(start, end - 3) : end]) or _goes_on(text, end + 1)):
        return end + 1
    opened = text.count("(", start, end) - text.count(")", start, end)
    if opened == 0:
        return end
    return end + 1 if opened == 1 and sign == ")" else 0


def _goes_on(text: str, at: int) -> bool:
    """Does the sentence go on after a full stop? Then it belonged to an abbreviation ("Lexington, Ky., on")."""
    after = text[at : at + 1]
    if after.isspace():
        after = text[at + 1 : at + 2]
        return after.islower() or after.isdigit()
    return after != "" and after in ",;:)"


def _key(name: str) -> int:
    return hash_bytes(squash(normalize(name)).encode("utf-8", "replace"))
