"""Detect the names of a KB in a text, following how the KB writes its names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import hash_bytes
from eigenthemes.kb.name_arrays import CORE, INITIALS, UNBRACKETED
from eigenthemes.kb.store import KB
from eigenthemes.mentions.coordination import with_compounds, with_coordinated
from eigenthemes.mentions.matching import (
    COORDINATED,
    LETTER_LEFT_OFF,
    LONGEST,
    SAME_CORE,
    CoreForms,
    FindMatches,
    Flags,
    Keys,
    Matches,
    RememberedNames,
    WordForms,
    find_spans,
    matches_compiled,
    matches_plain,
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
from eigenthemes.names.analysis import NameAnalysis
from eigenthemes.names.name_memory import name_memories
from eigenthemes.names.weak_words import EQUIVALENT, LEGAL_FORMS, TITLES, is_common
from eigenthemes.records import Document, Mention
from eigenthemes.text.normalize import name_key, normalize, turned_round
from eigenthemes.text.segment import POSSESSIVE, Pieces, Words, split
from eigenthemes.text.stems import checked_language
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
        self.kb, self.analysis = kb, NameAnalysis.of(kb)
        self._style_of: dict[tuple[int, str], bool] = {}
        self._spelling_of: dict[int, str] = {}
        self._common: dict[str, bool] = {}

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
        kinds = index.key_kinds[first:last]
        entities = index.key_entities[first:last][kinds <= max(UNBRACKETED, kinds.min(initial=INITIALS))]
        key = int(index.key_table.hashes[row])
        names = chain.from_iterable(map(self._first_names, entities[:_MOST_READ].tolist()))
        return (name for name in names if self._has_key(name, key))

    def _has_key(self, name: str, key: int) -> bool:
        """Return whether a key is of a name, of the name turned at its commas or without brackets, or of its core."""
        forms = (name, name.partition(" (")[0], turned_round(name))
        if key in map(name_key, forms):
            return True
        cores = chain.from_iterable(self.analysis.cores(form) for form in forms if form)
        return key in [hash_bytes(core.encode("utf-8", "replace")) for core in cores]

    def _first_names(self, entity: int) -> Iterator[str]:
        first, last = self.kb.array("entity_names")[entity : entity + 2].tolist()
        return (str(self.kb.names[name]) for name in range(first, min(last, first + _MOST_NAMES)))


__all__ = ["LONGEST", "NameDetector"]

_STEPS = 75  # inner steps of a kernel that take about as long as one piece of a text in plain Python
_SHORTEST = 3  # letters of a name that is stemmed; as the text has it, it has more
_SHORT = 6  # letters of a name that may be an abbreviation
_NEAR = 5  # words on each side of one that differs in a core
_LONG_INITIALS = 4  # letters of an uncommon word in lower case that may be an abbreviation, and then no core
_LONG_ENOUGH = 8  # letters of a single word that may be misspelled
_NO_KEY = -1  # as the row of a match: the name may be none of the KB's
_STOP, _STOP_OR_COMMA = re.compile(r"[.;:]\s"), re.compile(r"[.,;:]\s")


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
        name = self._writing.spelling(match.row) if match.change == COORDINATED else None
        return Mention(text[match.start : match.end], match.start, match.end, full_name=name)

    def _detect(self, text: str) -> list[LocatedMatch]:
        parted = part_elisions(text)
        pieces, words = split(without_turkish_endings(parted) if "tr" in self._cores.languages else parted)
        if not len(pieces.word):
            return []
        matches = content_matches(self._matches(text, pieces, words), pieces, words)
        if self._allowed_keys is not None:
            matches = matches[self._allowed_keys[matches[:, 2]]]
        matches = matches[self._may_be_mentions(matches, pieces, words)]
        matches = matches[self._has_its_ending(matches, words.possessive[pieces.word[matches[:, 1]]])]
        if self._remembered is not None:
            remembered = self._remembered.matches(text, pieces, words, self._find_matches(pieces), self._cores)
            matches = np.concatenate((matches, remembered))
        matches = without_broken_lists(matches, text, pieces, words)
        found = (all_matches if self.nested else longest_matches)(text, matches, pieces, words)
        if self._writing.analysis.is_inflected:
            if "de" in self._cores.languages:
                found = with_compounds(found, pieces, words, self._row_of_name)
            found = with_coordinated(found, text, pieces, words, self._row_of_name)
        if self._writing.analysis.has_companies:
            found = [self._with_legal_form(match, pieces, words, text) for match in found]
        return self._with_last_names(found, pieces, words) if self._writing.analysis.has_persons else found

    def _row_of_name(self, forms: Sequence[str]) -> int:
        """Return the row of the key of the name that words are, as they stand or by their core; -1: of none."""
        row = self._keys.row(hash_bytes("".join(forms).encode("utf-8", "replace")))
        for language in self._cores.languages if row < 0 else ():
            core = self._writing.analysis.core(forms, language)
            row = max(row, self._keys.row(hash_bytes(core.encode("utf-8", "replace")), CORE))
        return row if row < 0 or self._allowed_keys is None or self._allowed_keys[row] else -1

    @cached_property
    def _cores(self) -> CoreForms:
        return CoreForms(self.kb, self.language)

    @cached_property
    def _allowed_keys(self) -> NDArray[np.bool_] | None:
        """Return which keys are the name of an entity that may be meant [keys]; None: all are."""
        if self.allowed is None:
            return None
        index = self.kb.name_index
        meant = self.allowed[index.key_entities] & (index.key_kinds <= INITIALS)
        return np.diff(np.concatenate(([0], np.cumsum(meant)))[index.key_indptr]) > 0

    def _matches(self, text: str, pieces: Pieces, words: Words) -> Matches:
        """Return all spans that are a name or have the core of one: first piece, last piece, row of the key, change; [n, 4]."""
        find_matches, inflected = self._find_matches(pieces), self._writing.analysis.is_inflected
        written = WordForms.written(words)
        found = find_matches(pieces, written, self._keys, UNBRACKETED if inflected else INITIALS)
        is_name = self._best_kinds[found[:, 2]] <= UNBRACKETED
        matches, seen = [found[is_name]], _spans(found[is_name])
        cores = [(found[~is_name], written)]
        for language in self._cores.languages:
            forms = self._cores.of(words, language)
            near = pieces if inflected else _near_changes(pieces, words, forms)
            cores.append((find_matches(near, forms, self._keys, INITIALS), forms))
        for found, forms in cores:
            spans = _spans(found)
            new = np.append(seen, -1)[np.searchsorted(seen, spans)] != spans
            kept = [
                self._may_be_core(first, last, row, text, pieces, words, forms) for first, last, row, _ in found[new].tolist()
            ]
            found = found[new][np.array(kept, dtype=bool)]
            found[:, 3] = SAME_CORE
            matches.append(found)
            seen = np.sort(np.concatenate((seen, _spans(found))))
        return np.concatenate(matches)

    @cached_property
    def _best_kinds(self) -> NDArray[np.uint8]:
        """The best match type of each key."""
        index = self.kb.name_index
        return np.minimum.reduceat(index.key_kinds, index.key_indptr[:-1]) if len(index.key_kinds) else index.key_kinds

    def _may_be_core(self, first: int, last: int, row: int, text: str, pieces: Pieces, words: Words, forms: WordForms) -> bool:
        """Return whether a span with the core of a name may be a mention: as strict as single words and typos ask for."""
        offsets = forms.forms.offsets
        word = [each for each in pieces.word[first : last + 1].tolist() if offsets[each] < offsets[each + 1]]
        stop = _STOP_OR_COMMA if self._writing.analysis.is_inflected else _STOP
        start, end = int(pieces.starts[first]), int(pieces.ends[last])
        if not forms.forms.raw(int(pieces.word[last])) or _has_stop(text, start, end, stop):
            return False
        index, single = self.kb.name_index, len(word) == 1
        kinds = index.key_kinds[index.key_indptr[row] : index.key_indptr[row + 1]]
        is_misspelled = bool(forms.misspelled[word].any())
        if kinds.min() > CORE:  # initials
            is_initial = len(words.plain[word[0]]) == 1 and bool(words.capital[word[0]])
            return self._writing.analysis.has_persons and is_initial and not single and not is_misspelled
        letters = len(words.plain[word[0]])
        if single and is_misspelled and letters < _LONG_ENOUGH:
            return False
        if self._writing.analysis.is_inflected:
            name = self._writing.spelling(row)
            is_written = (not single and len(name) > _SHORT) or self._writing.has_style(row, "small")
            return is_written and len(name) >= _SHORTEST < end - start
        if not single:
            return bool(words.capital[word].any()) or not all(is_common(words.plain[each]) for each in word)
        if not words.capital[word[0]]:
            return letters > _LONG_INITIALS and not is_misspelled and not is_common(words.plain[word[0]])
        if letters < _SHORTEST:
            return False
        if self._is_legal_form(last + 1, pieces, words):
            return self._writing.analysis.has_companies
        return not is_common(words.plain[word[0]]) and not self._beside_name(first, last, pieces, words)

    def _is_legal_form(self, piece: int, pieces: Pieces, words: Words) -> bool:
        """Return whether a piece is the legal form of the company before it."""
        if piece >= len(pieces.word) or pieces.apart[piece]:
            return False
        word = int(pieces.word[piece])
        return bool(words.capital[word]) and words.plain[word] in LEGAL_FORMS

    def _beside_name(self, first: int, last: int, pieces: Pieces, words: Words) -> bool:
        """Return whether another capitalised word stands right before or behind a span: it may be a part of a longer name."""
        capital = words.capital & ~words.function
        if last + 1 < len(pieces.word) and pieces.follows[last + 1] and capital[pieces.word[last + 1]]:
            return True
        return bool(first > 0 and pieces.follows[first] and capital[pieces.word[first - 1]] and not pieces.opens[first - 1])

    def _with_legal_form(self, match: LocatedMatch, pieces: Pieces, words: Words, text: str) -> LocatedMatch:
        """Return a match with the legal forms that follow it."""
        last = match.last
        while self._is_legal_form(last + 1, pieces, words) and last + 1 - match.first < LONGEST:
            last += 1
        if last == match.last:
            return match
        end = int(pieces.ends[last])
        dot = text[end : end + 1] == "." and len(words.plain[pieces.word[last]]) < _SHORT
        return match._replace(last=last, end=end + dot)

    def _with_last_names(self, found: list[LocatedMatch], pieces: Pieces, words: Words) -> list[LocatedMatch]:
        """Return matches with last names alone: after a title, or where the full name is in the text, too."""
        word, titles = pieces.word, words.capital.copy()
        for each in np.flatnonzero(titles).tolist():
            titles[each] = words.plain[each] in TITLES
        titled = np.append(False, titles[word[:-1]]) & ~pieces.apart
        full = [int(words.sound[word[match.last]]) for match in found if self._is_person(match, pieces, words)]
        asked = (words.capital & ~words.function)[word] & (titled | np.isin(words.sound[word], full))
        for match in found:
            asked[match.first : match.last + 1] = False
        more = list[LocatedMatch]()
        for piece in np.flatnonzero(asked).tolist():
            form = words.plain[word[piece]]
            is_known = self.kb.name_index.token_table.find(hash_bytes(form.encode("utf-8", "replace"))) >= 0
            if is_known and len(form) >= _SHORTEST and (titled[piece] or not self._beside_name(piece, piece, pieces, words)):
                end = int(pieces.ends[piece]) - 2 * bool(words.possessive[word[piece]])
                more.append(LocatedMatch(int(pieces.starts[piece]), end, piece, piece, _NO_KEY, 0))
        return sorted((*found, *more)) if more else found

    def _is_person(self, match: LocatedMatch, pieces: Pieces, words: Words) -> bool:
        """Return whether a match may be the full name of a person."""
        if match.last == match.first or not words.capital[pieces.word[match.first : match.last + 1]].all():
            return False
        forms = [words.plain[word] for word in pieces.word[match.first : match.last + 1].tolist()]
        return bool(self._writing.analysis.words_of_person(" ".join(forms)))

    def _find_matches(self, pieces: Pieces) -> FindMatches:
        """Return what finds spans: in plain Python for a sentence, compiled for more."""
        steps = _STEPS * len(pieces.word)
        return matches_compiled if find_spans.select_backend(steps) is find_spans else find_spans.timed(matches_plain, steps)

    @cached_property
    def _remembered(self) -> RememberedNames | None:
        memory = name_memories(self.kb)
        return None if memory is None else RememberedNames(memory, self.allowed)

    @cached_property
    def _keys(self) -> Keys:
        return Keys.of_names(self.kb.name_index)

    def _may_be_mentions(self, matches: Matches, pieces: Pieces, words: Words) -> Flags:
        """Apply the rules of the text, then those of the KB for single words."""
        flags = apply_rules(matches, pieces, words, weak=self._writing.analysis.weak_words, dates=self.dates)
        mention = flags.mention.copy()
        small = np.flatnonzero(flags.small_word)
        heads, inflects = pieces.word[matches[small, 0]].tolist(), self._writing.analysis.inflects
        for i, word in zip(small.tolist(), heads, strict=True):
            is_usual = inflects or not is_common(words.plain[word])
            several = not inflects and matches[i, 0] < matches[i, 1]
            mention[i] = is_usual and (several or self._writing.has_style(int(matches[i, 2]), "small"))
        asked = np.flatnonzero(mention & flags.plain_word)
        for i, (first, _, row, change) in zip(asked.tolist(), matches[asked].tolist(), strict=True):
            mention[i] = not self._writing.is_common(self._form(words.plain[pieces.word[first]], row, change))
        return mention

    def _form(self, word: str, row: int, change: int) -> str:
        """Return the word of the KB that a single word of a text is read as."""
        if change == SAME_CORE:
            return normalize(self._writing.spelling(row))
        return word[:-1] if change == LETTER_LEFT_OFF else word

    def _has_its_ending(self, matches: Matches, possessive: Flags) -> Flags:
        """Return which matches have no 's but one that the KB writes: "McDonald's" keeps it, "China's" does not."""
        kept = np.ones(len(matches), dtype=bool)
        for i in np.flatnonzero(possessive & (matches[:, 3] == 0)).tolist():
            kept[i] = self._writing.has_style(int(matches[i, 2]), "possessive")
        return kept


def _has_stop(text: str, start: int, end: int, stop: re.Pattern[str]) -> bool:
    """Return whether a sentence or a part of it ends within a span; the stop of an abbreviation or an initial is none."""
    for match in stop.finditer(text, start, end):
        before = normalize(text[start : match.start()]).rpartition(" ")[2]
        if match[0][0] != "." or (len(before) > 1 and before not in TITLES and before not in EQUIVALENT):
            return True
    return False


def _spans(matches: Matches) -> NDArray[np.int64]:
    """Return a number for the span of each match."""
    return np.asarray(matches[:, 0] * LONGEST + matches[:, 1] - matches[:, 0])


def _near_changes(pieces: Pieces, words: Words, forms: WordForms) -> Pieces:
    """Return pieces of which only those near words that differ in a core go together: few do in names that are not inflected.

    Function words count between capitalised words; possessives are found without that.
    """
    capital = words.capital[pieces.word]
    between = np.append(capital[1:], False) & np.append(False, capital[:-1])
    changed = (forms.changed & ~words.possessive)[pieces.word]
    at = np.flatnonzero(changed & (between | ~words.function[pieces.word]))
    far = np.ones(len(pieces.word), dtype=bool)
    for step in range(-_NEAR, _NEAR + 1):
        far[np.clip(at + step, 0, len(far) - 1)] = False
    return replace(pieces, apart=pieces.apart | far)
