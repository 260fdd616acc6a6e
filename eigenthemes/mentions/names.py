"""Find the names of a KB in plain text.

A text is cut into pieces (words; single characters where a script has no spaces) whose normalised forms, put together, are
the key of the span they cover. Every span that is a label, an alias or a label without its brackets is a match; of the
matches that may be mentions, the longest win, from left to right. Which match may be a mention, case and frequency decide:

1. Function words alone never, but in capitals ("US", "WHO") or as a title ("The Who"). A longer match does not begin or end
   with a function word in lower case: "in Paris" is Paris. A particle may begin it ("van Gogh"), but where the rest is a name,
   too. Numbers and single letters never; nor contractions ("I'll") and, unless they are asked for, months and weekdays.
2. A capital or a digit makes a mention. One capital at the start of a sentence says nothing about several words, nor does it
   about a word that the text itself mostly writes in lower case.
3. A single capitalised word after another one inside a sentence is part of a longer name that the KB does not have ("Smith"
   of "met Ann Smith"); so is an abbreviation before one ("Dr" of "Dr. Smith").
4. In lower case, several words are a mention. One word is, where the KB writes words inside its names in lower case, as
   ontologies do ("Short stature"), or the text has no capital at all; not one that very many entities have ("protein").

Where the KB writes words in lower case, the last word of a name may be inflected: singular for plural and the other way
(`eigenthemes.mentions.inflection`), British for American.

Each rule was measured on annotated texts of four KBs; that a single word in lower case is rare in the KB did not help.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from itertools import chain
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import FNV_OFFSET, extend_hash, finish_hash, hash_bytes
from eigenthemes.kb.name_index import UNBRACKETED
from eigenthemes.kb.store import KB
from eigenthemes.mentions.cells import cells
from eigenthemes.mentions.inflection import OtherForms, no_other_forms, other_forms, part_elisions
from eigenthemes.mentions.name_rules import LONGEST, Flags, Matches, all_spans, apply_rules, longest_spans
from eigenthemes.records import Document, Mention
from eigenthemes.text.normalize import name_key
from eigenthemes.text.segment import FUNCTION_WORDS, POSSESSIVE, Pieces, Words, split

__all__ = ["LONGEST", "NameDetector"]

_COMPILE_FROM = 20_000  # pieces in all texts so far: where plain Python has taken as long as numba takes to load
_SAMPLE = 2000  # names that tell how a KB writes
_MOSTLY = 2 / 3
_COMMON, _COMMON_SHARE = 1000, 128  # a word of more entities than this, and than one in so many, says nothing alone
_MOST_READ = 20  # entities of a key whose names are read for their case
_MOST_NAMES = 2000  # names of such an entity: one with 100,000 would be read again for each
_REMEMBERED = 1 << 18  # keys whose writing is kept in memory

_LETTERS = re.compile(r"[^\W\d_]{3,}")

# "Seizure" is written small, the gene "CAN" is not.
_STYLES: dict[str, Callable[[str], object]] = {
    "small": lambda name: name[1:] == name[1:].lower(),
    "possessive": POSSESSIVE.match,  # not fullmatch: brackets may follow
}


class NameDetector:
    """Finds the names of a KB in texts; in a table, the cells that may be names.

    dates   months and weekdays may be names, too
    nested  names within names are mentions, too; else the longest win

    Any number of threads may share one: what it remembers follows from the KB alone, and how many pieces it has seen decides
    only which of two equal searches is used.
    """

    by_spelling = True

    def __init__(self, kb: KB, *, dates: bool = False, nested: bool = False) -> None:
        self.kb, self.dates, self.nested = kb, dates, nested
        self._pieces_seen = 0
        self._counting = Lock()
        self._style_of: dict[tuple[int, str], bool] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return partial(NameDetector, dates=self.dates, nested=self.nested), (self.kb,)

    def detect(self, document: Document) -> tuple[Mention, ...]:
        """Return the mentions of a document: names in its text or, where it has a table, the cells."""
        if document.table is not None:
            return tuple(cells(document.table))
        text = document.text or ""
        return tuple(Mention(text[start:end], start, end) for start, end in self.find(text))

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of `text` that may mention an entity: half-open, in code points, in order, never overlapping."""
        pieces, words = split(part_elisions(text))
        if not len(pieces.word):
            return []
        drops = words.possessive | (self._plurals(words) if self._writes_small else False)
        others = other_forms(words) if self._writes_small else no_other_forms(words)
        matches = self._matches(pieces, words, drops, others)
        matches = matches[self._may_be_mentions(matches, pieces, words)]
        matches = matches[self._has_its_ending(matches, words.possessive[pieces.word[matches[:, 1]]])]
        return (all_spans if self.nested else longest_spans)(text, matches, pieces, words)

    def _matches(self, pieces: Pieces, words: Words, drops: Flags, others: OtherForms) -> Matches:
        """Return all spans that are a name: first piece, last piece, row of the key, change; [n, 4]."""
        with self._counting:
            self._pieces_seen += len(pieces.word)
        if self._pieces_seen < _COMPILE_FROM and "numba" not in sys.modules:
            return self._matches_plain(pieces, words, drops, others)
        return self._matches_compiled(pieces, words, drops, others)

    def _matches_plain(self, pieces: Pieces, words: Words, drops: Flags, others: OtherForms) -> Matches:
        forms = [words.forms.raw(row) for row in range(len(words.forms))]
        word, joined, apart = pieces.word.tolist(), pieces.joined.tolist(), pieces.apart.tolist()
        matches: list[tuple[int, int, int, int]] = []
        for first in range(len(word)):
            h, run = FNV_OFFSET, 0
            for last in range(first, min(first + LONGEST, len(word))):
                if last > first and apart[last]:
                    break
                run = run + 1 if last > first and joined[last] else 1
                if run > 2:  # bigrams: the character before is said again
                    h = extend_hash(h, forms[word[last - 1]])
                form = forms[word[last]]
                before, short = h, extend_hash(h, form[:-1])
                h = extend_hash(short, form[-1:])
                states = [(0, h), *([(1, short)] if drops[word[last]] else [])]
                for change, state in states + [(2, extend_hash(before, other)) for other in others.of(word[last])]:
                    row = self._row_of_name(finish_hash(state))
                    if row >= 0:
                        matches.append((first, last, row, change))
        return np.array(matches, dtype=np.int64).reshape(-1, 4)

    def _matches_compiled(self, pieces: Pieces, words: Words, drops: Flags, others: OtherForms) -> Matches:
        from eigenthemes.core.jit import announce_compilation
        from eigenthemes.kernels.spans import find_spans

        announce_compilation(find_spans, "finding names in long texts")
        index = self.kb.name_index
        matches: Matches = find_spans(
            (pieces.word, pieces.joined, pieces.apart),
            (words.forms.blob, words.forms.offsets, drops),
            (others.forms.blob, others.forms.offsets, others.indptr),
            (index.key_table.hashes, index.key_table.buckets, index.key_indptr, index.key_kinds, index.key_filter),
            LONGEST,
            UNBRACKETED,
        )
        return matches

    def _row_of_name(self, key: int) -> int:
        """Return the row of a key that is a name or a label without brackets, or -1."""
        index = self.kb.name_index
        bit = key & (8 * len(index.key_filter) - 1)
        if not index.key_filter[bit >> 3] >> (bit & 7) & 1:
            return -1
        row = index.key_table.find(key)
        return row if row >= 0 and len(self._entities(row)) else -1

    def _entities(self, row: int) -> NDArray[np.uint32]:
        index = self.kb.name_index
        first, last = index.key_indptr[row : row + 2]
        return index.key_entities[first:last][index.key_kinds[first:last] <= UNBRACKETED]

    def _may_be_mentions(self, matches: Matches, pieces: Pieces, words: Words) -> Flags:
        """Apply the rules of this module's docstring: those of the text, then what the KB has to say of single words."""
        flags = apply_rules(matches, pieces, words, dates=self.dates)
        mention = flags.mention.copy()
        if self._writes_small or not words.capital.any():
            for i in np.flatnonzero(flags.small_word).tolist():
                mention[i] = self._has_style(int(matches[i, 2]), "small")
        asked = np.flatnonzero(mention & flags.plain_word)
        mention[asked] = ~self._is_common(pieces.word[matches[asked, 0]], matches[asked, 3] == 1, words)
        return mention

    def _is_common(self, word: NDArray[np.int64], dropped: Flags, words: Words) -> Flags:
        """Return which words, less the letters dropped, very many entities have."""
        index, most = self.kb.name_index, max(_COMMON, len(self.kb) // _COMMON_SHARE)
        forms, form_of = np.unique(2 * word + dropped, return_inverse=True)
        common = np.zeros(len(forms), dtype=bool)
        for i, (row, less) in enumerate(zip((forms // 2).tolist(), (forms % 2).tolist(), strict=True)):
            form = words.forms.raw(row)
            token = index.token_table.find(hash_bytes(form[: len(form) - less]))
            common[i] = token >= 0 and index.postings_indptr[token + 1] - index.postings_indptr[token] > most
        return common[form_of]

    @cached_property
    def _writes_small(self) -> bool:
        """Does the KB write the words inside its names in lower case, as ontologies do?"""
        names, small, all_words = self.kb.names, 0, 0
        for row in range(0, len(names), max(1, len(names) // _SAMPLE)):
            inside = [word for word in _LETTERS.findall(names[row])[1:] if word.lower() not in FUNCTION_WORDS]
            small += sum(word.islower() for word in inside)
            all_words += len(inside)
        return small > _MOSTLY * all_words

    def _has_its_ending(self, matches: Matches, possessive: Flags) -> Flags:
        """Return which matches have no 's but one that the KB writes: "McDonald's" keeps it, "China's" does not."""
        kept = np.ones(len(matches), dtype=bool)
        for i in np.flatnonzero(possessive & (matches[:, 3] == 0)).tolist():
            kept[i] = self._has_style(int(matches[i, 2]), "possessive")
        return kept

    def _has_style(self, row: int, style: str) -> bool:
        """Return whether a name of a key is written in one of `_STYLES`."""
        known = self._style_of.get((row, style))
        if known is not None:
            return known
        key, fits = int(self.kb.name_index.key_table.hashes[row]), _STYLES[style]
        names = chain.from_iterable(map(self._first_names, self._entities(row)[:_MOST_READ].tolist()))
        answer = any(fits(name) and key in (name_key(name), name_key(name.partition(" (")[0])) for name in names)
        if len(self._style_of) >= _REMEMBERED:
            self._style_of.clear()
        self._style_of[row, style] = answer
        return answer

    def _first_names(self, entity: int) -> Iterator[str]:
        first, last = self.kb.array("entity_names")[entity : entity + 2].tolist()
        return (str(self.kb.names[name]) for name in range(first, min(last, first + _MOST_NAMES)))

    def _plurals(self, words: Words) -> Flags:
        """Return which words may end in a plural's s."""
        ends = words.forms.offsets[1:]
        return np.asarray((words.forms.blob[ends - 1] == ord("s")) & (np.diff(words.forms.offsets) > 3) & words.flat)
