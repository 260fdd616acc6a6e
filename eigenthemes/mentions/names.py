"""Detect the names of a KB in a text, following how the KB writes its names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import hash_bytes
from eigenthemes.kb.name_arrays import UNBRACKETED
from eigenthemes.kb.name_memory import name_memories
from eigenthemes.kb.stem_index import StemIndex, writes_small
from eigenthemes.kb.store import KB
from eigenthemes.mentions.coordination import with_compounds, with_coordinated
from eigenthemes.mentions.matching import (
    LETTER_LEFT_OFF,
    LONGEST,
    STEMMED,
    FindMatches,
    Flags,
    Keys,
    Matches,
    RememberedNames,
    Stems,
    WordForms,
    find_spans,
    matches_compiled,
    matches_plain,
    no_other_forms,
    other_forms,
    stemmed_forms,
    with_stem_matches,
)
from eigenthemes.mentions.name_rules import (
    LocatedMatch,
    all_matches,
    apply_rules,
    content_matches,
    longest_matches,
    without_broken_lists,
)
from eigenthemes.mentions.plain_detectors import cells
from eigenthemes.records import Document, Mention
from eigenthemes.text.normalize import name_key, normalize, turned_round
from eigenthemes.text.segment import POSSESSIVE, Pieces, Words, split
from eigenthemes.text.stems import checked_language, stem
from eigenthemes.text.words import part_elisions, without_turkish_endings

_COMMON, _COMMON_SHARE = 1000, 128  # a word of more entities than this, and than one in so many, says nothing alone
_MOST_READ = 20  # entities of a key whose names are read for their case
_MOST_NAMES = 2000  # names of such an entity: one with 100,000 would be read again for each
_REMEMBERED = 1 << 18  # keys whose writing is kept in memory

# "Seizure" is written small, the gene "CAN" is not.
_STYLES: dict[str, Callable[[str], object]] = {
    "small": lambda name: name[1:] == name[1:].lower(),
    "possessive": POSSESSIVE.match,  # not fullmatch: brackets may follow
}


class NameWriting:
    """Describe how a KB writes its names; its cache depends on the KB only, so threads may share it."""

    def __init__(self, kb: KB) -> None:
        self.kb = kb
        self._style_of: dict[tuple[int, str], bool] = {}
        self._spelling_of: dict[int, str] = {}
        self._common: dict[str, bool] = {}

    @cached_property
    def is_small(self) -> bool:
        """Return whether the KB writes the words inside its names in lower case, as ontologies do."""
        return writes_small(self.kb)

    def has_style(self, row: int, style: str) -> bool:
        """Return whether a name of a key is written in one of `_STYLES`."""
        known = self._style_of.get((row, style))
        if known is not None:
            return known
        fits = _STYLES[style]
        answer = any(fits(name) for name in self._names_of_key(row))
        if len(self._style_of) >= _REMEMBERED:
            self._style_of.clear()
        self._style_of[row, style] = answer
        return answer

    def spelling(self, row: int) -> str:
        """Return the first name of a key, by prior, as the KB writes it."""
        known = self._spelling_of.get(row)
        if known is None:
            if len(self._spelling_of) >= _REMEMBERED:
                self._spelling_of.clear()
            known = self._spelling_of[row] = next(self._names_of_key(row), "")
        return known

    def is_common(self, form: str) -> bool:
        """Return True if too many entities have a word for it to be evidence alone."""
        known = self._common.get(form)
        if known is None:
            if len(self._common) >= _REMEMBERED:
                self._common.clear()
            index = self.kb.name_index
            token = index.token_table.find(hash_bytes(form.encode("utf-8", "replace")))
            count = 0 if token < 0 else int(index.postings_indptr[token + 1] - index.postings_indptr[token])
            known = self._common[form] = count > max(_COMMON, len(self.kb) // _COMMON_SHARE)
        return known

    def _names_of_key(self, row: int) -> Iterator[str]:
        """Yield the names of a key as written, with brackets, or turned at commas."""
        index = self.kb.name_index
        first, last = index.key_indptr[row : row + 2]
        entities = index.key_entities[first:last][index.key_kinds[first:last] <= UNBRACKETED]
        key = int(index.key_table.hashes[row])
        names = chain.from_iterable(map(self._first_names, entities[:_MOST_READ].tolist()))
        return (name for name in names if key in map(name_key, (name, name.partition(" (")[0], turned_round(name))))

    def _first_names(self, entity: int) -> Iterator[str]:
        first, last = self.kb.array("entity_names")[entity : entity + 2].tolist()
        return (str(self.kb.names[name]) for name in range(first, min(last, first + _MOST_NAMES)))


__all__ = ["LONGEST", "NameDetector"]

_STEPS = 75  # inner steps of a kernel that take about as long as one piece of a text in plain Python
_SHORTEST = 3  # letters of a name that is stemmed; as the text has it, it has more
_SHORT = 6  # letters of a name that may be an abbreviation
_STOP = re.compile(r"[.,;:]\s")


class NameDetector:
    """Finds the names of a KB in texts; in a table, the cells that may be names.

    dates     months and weekdays may be names, too
    nested    names within names are mentions, too; else the longest win
    language  of the texts: "en", "de", "fr", "es" or "tr"; None: as the KB's names and the words of each text say
    allowed   [entities] bool: those that may be meant; names that only others have are no names. None: all

    Any number of threads may share one: what it remembers follows from the KB alone.
    """

    by_spelling = True

    def __init__(
        self,
        kb: KB,
        *,
        dates: bool = False,
        nested: bool = False,
        language: str | None = None,
        allowed: NDArray[np.bool_] | None = None,
    ) -> None:
        self.kb, self.dates, self.nested, self.allowed = kb, dates, nested, allowed
        self.language = None if language is None else checked_language(language)
        self._writing = NameWriting(kb)

    def __reduce__(self) -> tuple[object, ...]:
        options: dict[str, Any] = {
            "dates": self.dates,
            "nested": self.nested,
            "language": self.language,
            "allowed": self.allowed,
        }
        return partial(NameDetector, **options), (self.kb,)

    def detect(self, document: Document) -> tuple[Mention, ...]:
        """Return the mentions of a document: names in its text or, where it has a table, the cells."""
        if document.table is not None:
            return tuple(cells(document.table))
        text = document.text or ""
        return tuple(self._mention(text, match) for match in self._detect(text))

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of `text` that may mention an entity: half-open, in code points, in order, never overlapping."""
        return [(match.start, match.end) for match in self._detect(text)]

    def _mention(self, text: str, match: LocatedMatch) -> Mention:
        name = self._writing.spelling(match.row) if match.change >= STEMMED else None
        return Mention(text[match.start : match.end], match.start, match.end, full_name=name)

    def _detect(self, text: str) -> list[LocatedMatch]:
        pieces, words = split(part_elisions(text))
        if not len(pieces.word):
            return []
        language, stems = self._stems.choose(words)
        if language == "tr":
            pieces, words = split(without_turkish_endings(part_elisions(text)))
        matches = content_matches(self._matches(pieces, words, language, stems), pieces, words)
        if self._allowed_keys is not None:
            matches = matches[self._allowed_keys[matches[:, 2]]]
        matches = matches[self._may_be_mentions(matches, pieces, words)]
        matches = matches[self._has_its_ending(matches, words.possessive[pieces.word[matches[:, 1]]])]
        if stems is not None:
            matches = self._rightly_inflected(matches, text, pieces)
        if self._remembered is not None:
            matches = np.concatenate((matches, self._remembered.matches(text, pieces, words, self._find_matches(pieces))))
        matches = without_broken_lists(matches, text, pieces, words)
        found = (all_matches if self.nested else longest_matches)(text, matches, pieces, words)
        if stems is None:
            return found
        look_up = partial(self._row_of_name, language, stems)
        if language == "de":
            found = with_compounds(found, pieces, words, look_up)
        return with_coordinated(found, text, pieces, words, look_up)

    def _row_of_name(self, language: str, stems: StemIndex, forms: Sequence[str]) -> int:
        """Return the row of the key of the name that words are, as they stand or by their stems; -1: of none."""
        row = self._keys.row(hash_bytes("".join(forms).encode("utf-8", "replace")))
        row = row if row >= 0 else stems.find("".join([stem(form, language) for form in forms]))
        return row if row < 0 or self._allowed_keys is None or self._allowed_keys[row] else -1

    @cached_property
    def _allowed_keys(self) -> NDArray[np.bool_] | None:
        """Return which keys are the name of an entity that may be meant [keys]; None: all are."""
        if self.allowed is None:
            return None
        index = self.kb.name_index
        meant = self.allowed[index.key_entities] & (index.key_kinds <= UNBRACKETED)
        return np.diff(np.concatenate(([0], np.cumsum(meant)))[index.key_indptr]) > 0

    def _matches(self, pieces: Pieces, words: Words, language: str, stems: StemIndex | None) -> Matches:
        """Return all spans that are a name: first piece, last piece, row of the key, change; [n, 4]."""
        find_matches = self._find_matches(pieces)
        forms = self._word_forms(words, stemmed=stems is not None)
        matches = find_matches(pieces, forms, self._keys)
        if stems is None:
            return matches
        return with_stem_matches(
            matches, find_matches(pieces, stemmed_forms(words, language), self._stems.keys(language, stems)), stems
        )

    def _find_matches(self, pieces: Pieces) -> FindMatches:
        """Return what finds spans: in plain Python for a sentence, compiled for more."""
        steps = _STEPS * len(pieces.word)
        return matches_compiled if find_spans.select_backend(steps) is find_spans else find_spans.timed(matches_plain, steps)

    @cached_property
    def _remembered(self) -> RememberedNames | None:
        memory = name_memories(self.kb)
        return None if memory is None else RememberedNames(memory, self.allowed)

    def _word_forms(self, words: Words, *, stemmed: bool) -> WordForms:
        """Return how the words of a text may be read, but for their stems; where there are some, none."""
        inflected = self._writing.is_small and not stemmed
        if not inflected:
            return WordForms(words.forms, words.possessive, no_other_forms(words))
        return WordForms(words.forms, words.possessive | self._plurals(words), other_forms(words))

    @cached_property
    def _keys(self) -> Keys:
        return Keys.of_names(self.kb.name_index)

    def _may_be_mentions(self, matches: Matches, pieces: Pieces, words: Words) -> Flags:
        """Apply the rules of the text, then those of the KB for single words."""
        flags = apply_rules(matches, pieces, words, dates=self.dates)
        mention = flags.mention.copy()
        if self._writing.is_small or not words.capital.any():
            for i in np.flatnonzero(flags.small_word).tolist():
                mention[i] = self._writing.has_style(int(matches[i, 2]), "small")
        asked = np.flatnonzero(mention & flags.plain_word)
        for i, (first, _, row, change) in zip(asked.tolist(), matches[asked].tolist(), strict=True):
            mention[i] = not self._writing.is_common(self._form(words.plain[pieces.word[first]], row, change))
        return mention

    def _form(self, word: str, row: int, change: int) -> str:
        """Return the word of the KB that a single word of a text is read as."""
        if change == STEMMED:
            return normalize(self._writing.spelling(row))
        return word[:-1] if change == LETTER_LEFT_OFF else word

    def _rightly_inflected(self, matches: Matches, text: str, pieces: Pieces) -> Matches:
        """Return matches without those by stems of short names in capitals ("GLNS" is no plural of "Gln") or across a stop."""
        kept = np.ones(len(matches), dtype=bool)
        for i in np.flatnonzero(matches[:, 3] == STEMMED).tolist():
            first, last, row, _ = matches[i].tolist()
            name = self._writing.spelling(row)
            start, end = int(pieces.starts[first]), int(pieces.ends[last])
            written = (first < last and len(name) > _SHORT) or self._writing.has_style(row, "small")
            kept[i] = written and len(name) >= _SHORTEST < end - start and not _STOP.search(text, start, end)
        return matches[kept]

    @cached_property
    def _stems(self) -> Stems:
        return Stems(self.kb, self.language)

    def _has_its_ending(self, matches: Matches, possessive: Flags) -> Flags:
        """Return which matches have no 's but one that the KB writes: "McDonald's" keeps it, "China's" does not."""
        kept = np.ones(len(matches), dtype=bool)
        for i in np.flatnonzero(possessive & (matches[:, 3] == 0)).tolist():
            kept[i] = self._writing.has_style(int(matches[i, 2]), "possessive")
        return kept

    def _plurals(self, words: Words) -> Flags:
        """Return which words may end in a plural's s."""
        ends = words.forms.offsets[1:]
        return np.asarray((words.forms.blob[ends - 1] == ord("s")) & (np.diff(words.forms.offsets) > 3) & words.flat)
