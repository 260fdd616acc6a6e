"""Detect the names of a KB in texts, following how the KB writes its names."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import hash_bytes, hash_strings
from eigenthemes.kb.name_arrays import BEST_KIND, CORE, INITIALS, POSSESSIVE, SMALL, UNBRACKETED
from eigenthemes.kb.store import KB
from eigenthemes.names.analysis import NameAnalysis
from eigenthemes.names.coordination import with_compounds, with_coordinated
from eigenthemes.names.evidence import items_of
from eigenthemes.names.lexicon import derived_forms
from eigenthemes.names.name_memory import name_memories
from eigenthemes.names.span_rules import (
    DATE_WORDS,
    LocatedMatch,
    all_matches,
    apply_rules,
    content_matches,
    counts_within,
    longest_matches,
    without_broken_lists,
)
from eigenthemes.names.spans import (
    COORDINATED,
    LONGEST,
    NO_KEY,
    SAME,
    SAME_CORE,
    CoreForms,
    Flags,
    Keys,
    Matches,
    RememberedNames,
    WordForms,
    core_matches,
    find_names,
)
from eigenthemes.names.weak_words import EQUIVALENT, GIVEN_NAMES, LEGAL_FORMS, TITLES, is_common, is_participle
from eigenthemes.records import Document, Mention, Table
from eigenthemes.text.normalize import name_key, normalize, turned_round
from eigenthemes.text.segment import BETWEEN, Pieces, Words, split
from eigenthemes.text.stems import checked_language
from eigenthemes.text.words import part_elisions, without_turkish_endings

_COMMON, _COMMON_SHARE = 1000, 128  # a word of more entities than this, and than one in so many, says nothing alone
_MOST_READ = 20  # entities of a key whose names are read
_MOST_NAMES = 2000  # names of such an entity
_REMEMBERED = 1 << 18  # keys whose names are kept in memory

_SHORTEST = 3  # letters of a name that is found by its core
_SHORT = 6  # letters of a legal form that may be an abbreviation
_SHORT_CORE = 4  # letters of several words that are too few for a core
# Of n entities, the first n ** .7 by prior are well known: of the common words and given names that were linked to others, 33
# of 234 were right in lgl, 2 of 81 in gwn; of those that were linked to these, .60 and .81. With n ** .6 the mean F1 is the
# same, but Nice, Reading and Mobile are not found.
_WELL_KNOWN = 0.7
_LONG_INITIALS = 4  # letters of an uncommon word in lower case that may be an abbreviation, and then no core
_LONG_ENOUGH = 8  # letters of a single word that may be misspelled
# words after an adjective that is the name of a language then
_LANGUAGE = ("language", "speak", "word", "dialect", "translat")
_STOP, _COMMA = re.compile(r"[.;:]\s"), re.compile(r"[.,;:]\s")


HAS_LETTER = re.compile(r"[^\W\d_]")
_UNKNOWN = frozenset(("n/a", "#n/a", "n.a.", "null", "nan", "none", "nil", "unknown", "not available", "not applicable", "tbd"))


def cells(table: Table) -> Iterator[Mention]:
    """Yield the cells of a table that may be names: those with a letter, but for "n/a" and the like."""
    for row, line in enumerate(table.rows):
        for col, cell in enumerate(line):
            if HAS_LETTER.search(cell) and cell.strip().casefold() not in _UNKNOWN:
                yield Mention(cell, row=row, col=col)


class _Text(NamedTuple):
    """Texts in pieces, and what the KB knows of their words.

    text     all texts, joined; begins: where each begins
    token    [w] of the KB, or -1
    common   [w] common words of the language
    lengths  [w] letters
    """

    text: str
    begins: NDArray[np.int64]
    pieces: Pieces
    words: Words
    token: NDArray[np.int64]
    common: Flags
    lengths: NDArray[np.int64]


def _with_items(mentions: list[Mention], text: str) -> list[Mention]:
    """Return the mentions of a text with the items of keyword lists in which none was found: they are looked up as a whole."""
    starts = [mention.start or 0 for mention in mentions]
    reach = [0, *accumulate((mention.end or 0 for mention in mentions), max)]
    others = [
        Mention(text[start:end], start, end)
        for start, end in items_of(text, sure=True)
        if reach[bisect_left(starts, end)] <= start and _may_be_item(text[start:end])
    ]
    return sorted([*mentions, *others], key=lambda mention: mention.start or 0) if others else mentions


def _may_be_item(item: str) -> bool:
    """Return whether an item of a list may be a name: no single letter, no date, no common word in lower case."""
    plain = normalize(item)
    return (
        len(plain) > 1
        and plain not in DATE_WORDS
        and not (item.islower() and is_common(plain))
        and bool(HAS_LETTER.search(item))
    )


class NameDetector:
    """Finds the names of a KB in texts; in a table, the cells that may be names.

    dates     months and weekdays may be names, too
    nested    names within names are mentions, too; else the longest win
    language  of the texts: "en", "de", "fr", "es" or "tr"; None: any language of the KB's names
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
        allowed: Flags | None = None,
    ) -> None:
        self.kb, self.dates, self.nested, self.allowed = kb, dates, nested, allowed
        self.language = None if language is None else checked_language(language)
        self._analysis = NameAnalysis.of(kb)
        self._spelling_of: dict[int, str] = {}

    def __reduce__(self) -> tuple[object, ...]:
        options: dict[str, Any] = {
            "dates": self.dates,
            "nested": self.nested,
            "language": self.language,
            "allowed": self.allowed,
        }
        return partial(NameDetector, **options), (self.kb,)

    def detect(self, documents: Sequence[Document]) -> list[tuple[Mention, ...]]:
        """Return the mentions of each document: names in its text or, where it has a table, the cells."""
        tables = [document.table for document in documents]
        texts = [document.text or "" for document in documents if document.table is None]
        found = iter(self._mentions(texts))
        return [next(found) if table is None else tuple(cells(table)) for table in tables]

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of `text` that may mention an entity: half-open, in code points, in order, never overlapping."""
        return [(match.start, match.end) for match in self._detect(self._segment([text]))]

    def _mentions(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        mentions: list[list[Mention]] = [[] for _ in texts]
        if texts:
            segmented = self._segment(texts)
            document, begins = segmented.pieces.document, segmented.begins.tolist()
            for match in self._detect(segmented):
                number = int(document[match.first])
                start, end = match.start - begins[number], match.end - begins[number]
                name = self._spelling(match.row) if match.change == COORDINATED else None
                mentions[number].append(Mention(texts[number][start:end], start, end, full_name=name))
        return [tuple(_with_items(of_text, text)) for of_text, text in zip(mentions, texts, strict=True)]

    def _segment(self, texts: Sequence[str]) -> _Text:
        joined = BETWEEN.join(texts)
        lengths = np.array([0, *(len(text) + len(BETWEEN) for text in texts[:-1])], np.int64)
        parted = part_elisions(joined)
        begins = np.cumsum(lengths)
        pieces, words = split(without_turkish_endings(parted) if "tr" in self._cores.languages else parted, begins)
        token = self.kb.name_index.token_table.find_all(hash_strings(words.forms))
        common = np.fromiter(map(is_common, words.plain), bool, len(words.plain))
        return _Text(joined, begins, pieces, words, token, common, np.diff(words.forms.offsets))

    def _detect(self, text: _Text) -> list[LocatedMatch]:
        pieces, words = text.pieces, text.words
        if not len(pieces.word):
            return []
        written, cores = WordForms.written(words), self._cores.of(words, text.token, text.common)
        matches = content_matches(self._matches(text, written, cores), pieces, words)
        if self._allowed_keys is not None:
            matches = matches[self._allowed_keys[matches[:, 2]]]
        matches = matches[self._may_be_mentions(matches, text)]
        matches = matches[self._has_its_ending(matches, words.possessive[pieces.word[matches[:, 1]]])]
        matches = matches[self._has_its_spaces(matches, text)]
        if self._remembered is not None:
            matches = np.concatenate((matches, self._remembered.matches(text.text, pieces, written, cores)))
        matches = without_broken_lists(matches, text.text, pieces, words)
        found = (all_matches if self.nested else longest_matches)(text.text, matches, pieces, words)
        if self._analysis.is_inflected:
            if "de" in self._cores.languages:
                found = with_compounds(found, pieces, words, self._row_of_name)
            found = with_coordinated(found, text.text, pieces, words, self._row_of_name)
        if self._analysis.has_companies:
            found = _with_legal_forms(found, text)
        if self._analysis.has_persons or self._analysis.has_companies:
            found = self._with_short_names(found, text)
        return sorted(found, key=lambda match: (match.start, -match.end))

    # which spans are names of the KB

    @cached_property
    def _cores(self) -> CoreForms:
        return CoreForms(self.kb, self.language)

    @cached_property
    def _keys(self) -> Keys:
        return Keys.of_names(self.kb.name_index)

    @cached_property
    def _remembered(self) -> RememberedNames | None:
        memory = name_memories(self.kb)
        return None if memory is None else RememberedNames(memory, self.allowed)

    @cached_property
    def _allowed_keys(self) -> Flags | None:
        """Return which keys are the name of an entity that may be meant [keys]; None: all are."""
        if self.allowed is None:
            return None
        index = self.kb.name_index
        meant = self.allowed[index.key_entities] & (index.key_kinds <= INITIALS)
        return np.diff(np.concatenate(([0], np.cumsum(meant)))[index.key_indptr]) > 0

    def _matches(self, text: _Text, written: WordForms, cores: list[WordForms]) -> Matches:
        """Return all spans that are a name or have the core of one."""
        inflected, keys = self._analysis.is_inflected, self._keys
        found = find_names(text.pieces, written, keys, UNBRACKETED if inflected else INITIALS)
        is_name = keys.summary[found[:, 2]] & BEST_KIND <= UNBRACKETED
        names, same_core = found[is_name], found[~is_name]
        same_core[:, 3] = SAME_CORE
        kept = [names, same_core[self._may_be_cores(same_core, text, written)]]
        seen = np.concatenate(kept)
        for more, forms in core_matches(seen, text.pieces, text.words, keys, cores, near_changes=not inflected):
            kept.append(more[self._may_be_cores(more, text, forms)])
        return np.concatenate(kept)

    def _may_be_cores(self, matches: Matches, text: _Text, forms: WordForms) -> Flags:
        """Return which spans with the core of a name may be mentions: as strict as single words and typos need."""
        pieces, words, analysis = text.pieces, text.words, self._analysis
        first, last, word, summary = matches[:, 0], matches[:, 1], pieces.word, self._keys.summary[matches[:, 2]]
        head, tail = word[first], word[last]
        empty = forms.empty
        strong, misspelled, capitals, uncommon = counts_within(
            first,
            last,
            ~empty[word],
            forms.misspelled[word],
            words.capital[word],
            (~text.common & ~empty)[word],
        )
        single, is_misspelled, letters = strong == 1, misspelled > 0, text.lengths[head]
        possible = ~empty[tail] & ~self._has_stop(first, last, text)
        initials = analysis.has_persons & (letters == 1) & words.capital[head] & ~single & ~is_misspelled
        core = ~(single & is_misspelled & (letters < _LONG_ENOUGH))
        if analysis.is_inflected:
            size = pieces.ends[last] - pieces.starts[first]
            core &= ((~single & (size > _SHORT_CORE)) | (summary & SMALL > 0)) & (size > _SHORTEST)
        else:
            is_company = _is_legal_form(text)[last + 1]
            of_text = pieces.document[first] * len(self._keys.summary) + matches[:, 2]
            is_named = analysis.has_companies & np.isin(of_text, of_text[is_company])  # "Apple", where "Apple Inc." is, too
            alone = (
                np.where(is_company, analysis.has_companies, ~text.common[head] & ~_beside_name(first, last, text)) | is_named
            )
            small = (letters > _LONG_INITIALS) & ~is_misspelled & ~text.common[head]
            core &= np.where(
                single,
                np.where((words.capital | words.striking)[head], (letters >= _SHORTEST) & alone, small),  # also "eBay"
                (capitals > 0) | (uncommon > 0),
            )
        return np.asarray(possible & np.where(summary & BEST_KIND > CORE, initials, core))

    def _has_stop(self, first: NDArray[np.int64], last: NDArray[np.int64], text: _Text) -> Flags:
        """Return within which spans a sentence or a part of it ends; the stop of an abbreviation or an initial is none."""
        pieces, words = text.pieces, text.words
        stop = _COMMA if self._analysis.is_inflected else _STOP
        ends = np.zeros(len(pieces.word), dtype=bool)
        for piece in np.flatnonzero(_inside(first, last, len(ends))).tolist():
            gap = text.text[int(pieces.ends[piece - 1]) : int(pieces.starts[piece])]
            if len(gap) > 1 and (found := stop.search(gap)):
                before = words.plain[int(pieces.word[piece - 1])]
                ends[piece] = found[0][0] != "." or (len(before) > 1 and before not in TITLES and before not in EQUIVALENT)
        return np.asarray(counts_within(first + 1, last, ends)[0] > 0)

    def _row_of_name(self, forms: Sequence[str]) -> int:
        """Return the row of the key of the name that words are, as they stand or by their core; -1: of none."""
        row = self._keys.row(hash_bytes("".join(forms).encode("utf-8", "replace")))
        for language in self._cores.languages if row < 0 else ():
            core = self._analysis.core(forms, language)
            row = max(row, self._keys.row(hash_bytes(core.encode("utf-8", "replace")), CORE))
        return row if row < 0 or self._allowed_keys is None or self._allowed_keys[row] else -1

    def _spelling(self, row: int) -> str:
        """Return the first name of a key, by prior, as the KB writes it."""
        known = self._spelling_of.get(row)
        if known is None:
            if len(self._spelling_of) >= _REMEMBERED:
                self._spelling_of.clear()
            key = int(self.kb.name_index.key_table.hashes[row])
            names = (str(self.kb.names[name]) for name in self._names_of_key(row))
            known = self._spelling_of[row] = next((name for name in names if self._has_key(name, key)), "")
        return known

    def _names_of_key(self, row: int) -> Iterator[int]:
        """Yield names of the entities that have a key, by prior; few are read."""
        index, bounds = self.kb.name_index, self.kb.array("entity_names")
        first, last = index.key_indptr[row : row + 2]
        entities = index.key_entities[first:last][index.key_kinds[first:last] <= CORE][:_MOST_READ].tolist()
        for entity in entities:
            begin, end = bounds[entity : entity + 2].tolist()
            yield from range(begin, min(end, begin + _MOST_NAMES))

    def _has_key(self, name: str, key: int) -> bool:
        """Return whether a key is of a name, of the name turned at its commas or without brackets, or of its core."""
        forms = (name, name.partition(" (")[0], turned_round(name))
        if key in map(name_key, forms):
            return True
        cores = chain.from_iterable(self._analysis.cores(form) for form in forms if form)
        return key in [hash_bytes(core.encode("utf-8", "replace")) for core in cores]

    # which names are mentions

    def _may_be_mentions(self, matches: Matches, text: _Text) -> Flags:
        """Apply the rules of the text, then those of the KB for single words."""
        flags = apply_rules(matches, text.pieces, text.words, weak=self._analysis.weak_words, dates=self.dates)
        head, inflects = text.pieces.word[matches[:, 0]], self._analysis.inflects
        is_small = self._keys.summary[matches[:, 2]] & SMALL > 0
        if not self._analysis.has_common_words:
            derived = np.fromiter(map(derived_forms().__contains__, text.words.plain), bool, len(text.words.plain))
            by_chance = text.common & ~derived
            is_small &= ~by_chance[head]
            flags.mention[self._are_by_chance(matches, flags.plain_word & by_chance[head])] = False
        if not inflects:
            uncommon = (matches[:, 0] < matches[:, 1]) | (text.lengths[head] > _LONG_INITIALS)  # "paypal"
            is_small = ~text.common[head] & (is_small | uncommon)
        asked = np.flatnonzero(flags.small_word & is_small)
        is_small[asked] = [not is_participle(text.words.plain[word]) for word in head[asked].tolist()]
        mention = np.where(flags.small_word, is_small, flags.mention)
        mention &= ~self._before_language(matches, text) & ~_are_last_names(matches, mention, text)
        return np.asarray(mention & ~(flags.plain_word & self._is_frequent(text)[head]))

    def _are_by_chance(self, matches: Matches, asked: Flags) -> NDArray[np.int64]:
        """Return which of the matches that are common words or given names mean no well-known entity."""
        index, known = self.kb.name_index, len(self.kb) ** _WELL_KNOWN
        rows = np.flatnonzero(asked)
        bounds = index.key_indptr[matches[rows, 2, None] + np.arange(2)].tolist()
        best = [int(index.key_entities[first:last].min(initial=len(self.kb))) for first, last in bounds]
        return np.asarray(rows[np.array(best, np.int64) >= known])

    @cached_property
    def _derived(self) -> frozenset[str]:
        """The names that a lexicon added, normalised."""
        rows = self.kb.mapped("name_derived").tolist() if self.kb.has("name_derived") else []
        return frozenset(normalize(str(self.kb.names[row])) for row in rows)

    def _before_language(self, matches: Matches, text: _Text) -> Flags:
        """Return which matches are an adjective for a language: "French" before "language" is not France."""
        pieces, plain = text.pieces, text.words.plain
        about = np.fromiter((word.startswith(_LANGUAGE) for word in plain), bool, len(plain))
        asked = (matches[:, 0] == matches[:, 1]) & np.append(pieces.follows & about[pieces.word], False)[matches[:, 1] + 1]
        for each in np.flatnonzero(asked).tolist():
            asked[each] = plain[pieces.word[matches[each, 0]]] in self._derived
        return np.asarray(asked)

    def _is_frequent(self, text: _Text) -> Flags:
        """Return which words are in the names of too many entities to be evidence alone [w]."""
        indptr, known = self.kb.name_index.postings_indptr, np.maximum(text.token, 0)
        having = (indptr[known + 1] - indptr[known]) if len(indptr) > 1 else np.zeros(len(known), np.int64)
        return np.asarray((text.token >= 0) & (having > max(_COMMON, len(self.kb) // _COMMON_SHARE)))

    def _has_its_ending(self, matches: Matches, possessive: Flags) -> Flags:
        """Return which matches have no 's but one that the KB writes: "McDonald's" keeps it, "China's" does not."""
        written = self._keys.summary[matches[:, 2]] & POSSESSIVE > 0
        return np.asarray(~possessive | (matches[:, 3] != SAME) | written)

    def _has_its_spaces(self, matches: Matches, text: _Text) -> Flags:
        """Return which matches have the words of a name, where a function word is first or last.

        Keys have no spaces: "London as" is not the town Londonas, "foot ball" may be Football.
        """
        pieces, function, first, last = text.pieces, text.words.function[text.pieces.word], matches[:, 0], matches[:, 1]
        kept = np.ones(len(matches), dtype=bool)
        asked = (first < last) & (function[first] | function[last]) & (matches[:, 3] == SAME)
        for each in np.flatnonzero(asked).tolist():
            begin, end = int(first[each]), int(last[each])
            if any(function[at] and text.text[pieces.ends[at] : pieces.ends[at] + 1] != "." for at in (begin, end)):
                words = set(text.token[pieces.word[begin : end + 1]].tolist())
                kept[each] = any(words <= name for name in self._tokens_of_key(int(matches[each, 2])))
        return kept

    def _tokens_of_key(self, row: int) -> list[set[int]]:
        """Return the tokens of the names of those who have a key; few are read."""
        names = self.kb.spelled_names
        spans = ((int(names.indptr[name]), int(names.indptr[name + 1])) for name in self._names_of_key(row))
        return [set(names.tokens[first:last].tolist()) for first, last in spans]

    def _with_short_names(self, found: list[LocatedMatch], text: _Text) -> list[LocatedMatch]:
        """Return matches with last names and first words of companies alone, where the full name is in the text, too.

        A last name may also follow a title.
        """
        pieces, words, word = text.pieces, text.words, text.pieces.word
        sounds, token = words.sound.copy(), text.token.copy()
        row_of = {form: row for row, form in enumerate(words.plain)}
        for owner in np.flatnonzero(words.possessive).tolist():  # "Cisco's" is "Cisco"
            if (base := row_of.get(words.plain[owner][:-1])) is not None:
                sounds[owner], token[owner] = sounds[base], token[base]
        titled = np.zeros(len(word), dtype=bool)
        if self._analysis.has_persons:
            titles = words.capital.copy()
            for each in np.flatnonzero(titles).tolist():
                titles[each] = words.plain[each] in TITLES
            titled = np.append(False, titles[word[:-1]]) & ~pieces.apart
        sound = pieces.document * len(sounds) + sounds[word]
        short = [match.last for match in found if self._analysis.has_persons and self._is_person(match, pieces, words)]
        if self._analysis.has_companies:
            short += [match.first for match in found if match.first < match.last and not text.common[word[match.first]]]
        asked = (words.capital & ~words.function)[word] & (titled | np.isin(sound, sound[short]))
        asked &= ((token >= 0) & (text.lengths >= _SHORTEST))[word]
        for match in found:
            asked[match.first : match.last + 1] = False
        at = np.flatnonzero(asked)
        at = at[titled[at] | ~_beside_name(at, at, text)]
        ends = pieces.ends[at] - 2 * words.possessive[word[at]]
        more = zip(pieces.starts[at].tolist(), ends.tolist(), at.tolist(), strict=True)
        return [*found, *(LocatedMatch(start, end, piece, piece, NO_KEY, SAME) for start, end, piece in more)]

    def _is_person(self, match: LocatedMatch, pieces: Pieces, words: Words) -> bool:
        """Return whether a match may be the full name of a person."""
        if match.last == match.first or not words.capital[pieces.word[match.first : match.last + 1]].all():
            return False
        forms = [words.plain[word] for word in pieces.word[match.first : match.last + 1].tolist()]
        return bool(self._analysis.words_of_person(" ".join(forms)))


def _are_last_names(matches: Matches, mention: Flags, text: _Text) -> Flags:
    """Return which matches are a word that follows a given name in the same text, the two being no name of the KB."""
    pieces, words, word, single = text.pieces, text.words, text.pieces.word, matches[:, 0] == matches[:, 1]
    given = words.capital.copy()
    for each in np.flatnonzero(given).tolist():
        given[each] = words.plain[each] in GIVEN_NAMES
    last = np.append(False, given[word[:-1]]) & ~pieces.apart & (words.capital & ~words.function)[word]
    longer = matches[mention & ~single]
    last &= ~(_inside(longer[:, 0] - 1, longer[:, 1], len(last)))
    of_text = pieces.document * len(words.plain) + word
    return np.asarray(single & np.isin(of_text[matches[:, 0]], of_text[last]))


def _is_legal_form(text: _Text) -> Flags:
    """Return which pieces are the legal form of the company before them [p + 1]; nothing is after the last piece."""
    is_form = text.words.capital.copy()
    for word in np.flatnonzero(is_form).tolist():
        is_form[word] = text.words.plain[word] in LEGAL_FORMS
    return np.append(is_form[text.pieces.word] & ~text.pieces.apart, False)


def _with_legal_forms(found: list[LocatedMatch], text: _Text) -> list[LocatedMatch]:
    """Return matches with the legal forms that follow them."""
    pieces, is_form, longer = text.pieces, _is_legal_form(text), list[LocatedMatch]()
    for match in found:
        last = match.last
        while is_form[last + 1] and last + 1 - match.first < LONGEST:
            last += 1
        if last > match.last:
            end = int(pieces.ends[last])
            dot = text.text[end : end + 1] == "." and text.lengths[pieces.word[last]] < _SHORT
            match = match._replace(last=last, end=end + dot)
        longer.append(match)
    return longer


def _beside_name(first: NDArray[np.int64], last: NDArray[np.int64], text: _Text) -> Flags:
    """Return which spans have another capitalised word right before or behind them: they may be a part of a longer name."""
    pieces, capital = text.pieces, (text.words.capital & ~text.words.function)[text.pieces.word]
    after = np.append(pieces.follows & capital, False)[last + 1]
    before = pieces.follows[first] & (first > 0) & (capital & ~pieces.opens)[first - 1]
    return np.asarray(after | before)


def _inside(first: NDArray[np.int64], last: NDArray[np.int64], size: int) -> Flags:
    """Return which pieces are within a span, apart from its first one [p]."""
    change = np.zeros(size + 2, np.int64)
    np.add.at(change, first + 1, 1)
    np.add.at(change, last + 1, -1)
    return np.asarray(np.cumsum(change)[:size] > 0)
