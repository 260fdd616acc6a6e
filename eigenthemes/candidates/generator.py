"""Mentions -> candidates, as a table of arrays."""

from __future__ import annotations

import time
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.name_index import only_entities
from eigenthemes.candidates.options import MAX_CANDIDATES, CandidateOptions
from eigenthemes.candidates.other_words import OtherWords, no_other_words, other_words_of
from eigenthemes.candidates.plain import Lookup, MatchTypes
from eigenthemes.candidates.rules import (
    ENDING,
    MATCH_TYPES,
    REMEMBERED,
    SHARES,
    SHARING,
    SPELLING,
    TYPO,
    Sharing,
    with_umlauts,
)
from eigenthemes.candidates.whole_names import core_keys, match_types_of, matched_name, remembered_rows
from eigenthemes.core.arrays import read_only
from eigenthemes.core.checks import check_arguments
from eigenthemes.core.strings import OutOfBoundsError
from eigenthemes.core.threads import lazy
from eigenthemes.kb.entity_records import damaged
from eigenthemes.kb.name_arrays import CORE, SHORT_ACRONYM, UNBRACKETED, LabelWords
from eigenthemes.kb.store import KB
from eigenthemes.names.alignment import coverages
from eigenthemes.names.analysis import NameAnalysis
from eigenthemes.names.name_memory import name_memories
from eigenthemes.names.token_model import may_be_misspelled
from eigenthemes.records import Candidate
from eigenthemes.text.normalize import normalize, normalize_many, squash, tokenize

_BATCH = 64  # mentions from which kernels may be used
_SINGLES = 2000  # the same for mentions looked up one by one
# inner steps that take about as long as looking one mention up in plain Python, until that is measured; some 30 times as many
# where words have families; four times as many as it takes, because every command uses these kernels once they are compiled
_STEPS, _STEPS_WITH_FAMILIES, _WEIGHT = 240, 8000, 4
_KEPT = 1 << 12  # bytes of the longest name for which buffers are kept
_LONG = 1 << 14  # letters of a mention from which the kernels, which compare each word with all others, are slower
_LEAST_COVERAGE = 0.3  # of a name of similar spelling
_START = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True)
class CandidateTable:
    """The candidates of a batch of mentions, in order of mention and rank; all columns [n].

    Attributes
    ----------
    mentions
        The number of mentions, with or without candidates.
    mention_of
        int64, which mention.
    entity
        uint32, which entity of the KB.
    rank
        int32, 1 = highest prior.
    prior
        float64.
    match_type
        uint8, how its name matched: a key of `rules.MATCH_TYPES`.
    """

    mentions: int
    mention_of: NDArray[np.int64]
    entity: NDArray[np.uint32]
    rank: NDArray[np.int32]
    prior: NDArray[np.float64]
    match_type: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.entity)

    @lazy
    def bounds(self) -> NDArray[np.int64]:
        """Return the offsets of the candidates of each mention [mentions + 1]."""
        bounds = np.zeros(self.mentions + 1, np.int64)
        np.cumsum(np.bincount(self.mention_of, minlength=self.mentions), out=bounds[1:])
        return bounds


class CandidateGenerator:
    """Finds the candidates of names in a KB.

    Parameters
    ----------
    generator
        "default" (see `rules`) or "paper" (names and aliases contain all tokens of the mention).
    max_candidates
        T, or None for all.
    aliases
        Look at aliases too, not at labels only.
    only_types
        Only entities of one of these types; not_types: of none of these.
    language
        Of the names that are looked up; None: any language of the KB's names.
    sharing
        Which entities that share words are candidates; None: those that the rankers of the KB know.
    embedded
        [entities] bool: those with a vector; the paper's generator drops all others before it counts to T.
    remembers
        What people said a name means is a candidate, too.
    """

    @check_arguments
    def __init__(
        self,
        kb: KB,
        *,
        generator: str = "default",
        max_candidates: int | None = MAX_CANDIDATES,
        aliases: bool = True,
        only_types: Sequence[str] = (),
        not_types: Sequence[str] = (),
        embedded: NDArray[np.bool_] | None = None,
        language: str | None = None,
        sharing: Sharing | None = None,
        remembers: bool = True,
    ) -> None:
        CandidateOptions(generator=generator, max_candidates=max_candidates, aliases=aliases)  # checks them
        max_candidates = None if max_candidates is None else int(max_candidates)
        self.kb, self.generator, self.max_candidates, self.aliases = kb, generator, max_candidates, aliases
        self.sharing = sharing or SHARING
        self._embedded = embedded if generator == "paper" else None
        self.analysis = None if generator == "paper" else NameAnalysis.of(kb)
        self.language = language or ""
        self._memory = name_memories(kb) if remembers and generator != "paper" else None
        self._allow(_of_types(kb, only_types, not_types))
        self._most = min(max_candidates or 0, len(kb))  # no name has more
        self._zeros = np.zeros(self._most, dtype=np.int64)
        self._ranks = np.arange(1, 1 + self._most, dtype=np.int32)

    def _allow(self, allowed: NDArray[np.bool_] | None) -> None:
        """Look names up among these entities only [entities]; None: among all."""
        self.allowed = allowed
        wanted = [mask for mask in (allowed, self._embedded) if mask is not None]
        self._only = only_entities(self.kb.name_index, np.logical_and.reduce(wanted)) if wanted else None
        self._lookup = Lookup(
            self._only or self.kb.mapped_name_index,
            LabelWords.of(self.kb, mapped=True),
            len(self.kb),
            aliases=self.aliases,
            has_families=self._has_families,
            other_words=self._other_words,
            sharing=self.sharing,
        )
        self._compiled: tuple[Any, Any, Any] | None = None  # the kernel, its buffers and index: set together, for threads
        self._free_buffers = list[Any]()  # of the kernel; each thread takes one out
        self._singles = 0

    def _has_families(self) -> bool:
        return self.analysis is not None and self.analysis.is_inflected

    def _is_abbreviation(self, name: str) -> bool:
        """Return whether two letters may be an acronym: in capitals, and not of an ontology, whose labels write words small."""
        return name.isupper() and not self._has_families()

    def _other_words(self) -> OtherWords:
        return other_words_of(self.kb) if self._has_families() else no_other_words()

    @check_arguments
    def only_of_types(self, types: Sequence[str]) -> CandidateGenerator:
        """Return a generator like this one that finds only entities of one of these types."""
        narrowed = copy(self)
        of_types = self.kb.of_types(types)
        narrowed._allow(of_types if self.allowed is None else self.allowed & of_types)
        return narrowed

    @check_arguments
    def find(self, name: str) -> CandidateTable:
        """Return the candidates of one name."""
        if self._compiled is None or len(name) > _LONG:
            return self.find_batch((name,))
        text = normalize(name).encode("utf-8", "replace")
        counts, entity, match_types, is_named = self._run_kernel(
            np.frombuffer(text, dtype=np.uint8),
            _START,
            np.array((len(text),)),
            np.array((self._is_abbreviation(name),)),
            len(text),
        )
        self._add_cores((name,), () if is_named[0] else (0,), counts, entity, match_types)
        n = counts[0]
        table = CandidateTable(
            1, self._zeros[:n], entity[0, :n], self._ranks[:n], self.kb.priors_of(entity[0, :n]), match_types[0, :n]
        )
        return self._with_remembered((name,), table)

    def find_batch(self, names: Sequence[str]) -> CandidateTable:
        """Return the candidates of many names; the same as one by one, faster."""
        if not names or self.max_candidates is None or not self._should_compile(len(names)):
            return self._with_remembered(names, self._find_plain(names))
        return self._with_remembered(names, self._find_compiled(names))

    def _with_remembered(self, names: Sequence[str], table: CandidateTable) -> CandidateTable:
        """Return the table with candidates from corrections added, in order of prior, and without false typos."""
        if self.generator != "paper":
            table = self._without_false_typos(names, table)
        if self._memory is None:
            return table
        places, entities = remembered_rows(names, table.mention_of, table.entity, self._memory, self.allowed)
        if not len(places):
            return table
        mention_of, entity = np.concatenate((table.mention_of, places)), np.concatenate((table.entity, entities))
        match_type = np.concatenate((table.match_type, np.full(len(places), REMEMBERED, np.uint8)))
        order = np.lexsort((entity, mention_of))  # entities are numbered from the highest prior down
        counts = np.bincount(mention_of, minlength=len(names))
        return self._table(counts, entity[order], match_type[order])

    def _without_false_typos(self, names: Sequence[str], table: CandidateTable) -> CandidateTable:
        """Return the table without names of similar spelling where a real word is another one: Invention, Convention."""
        rows = np.flatnonzero((table.match_type == TYPO) | (table.match_type == SPELLING))
        if not len(rows):
            return table
        kept = np.ones(len(table), bool)
        number, form_of = np.unique(table.mention_of[rows], return_inverse=True)
        is_typo = may_be_misspelled(self.kb, [names[each] for each in number.tolist()])
        kept[rows] = np.array([each is not False for each in is_typo], dtype=bool)[form_of]
        rows = rows[np.array([each is None for each in is_typo], dtype=bool)[form_of]]
        if len(rows):
            number, form_of = np.unique(table.mention_of[rows], return_inverse=True)
            forms = [normalize(names[each]) for each in number.tolist()]
            spelled_out = [with_umlauts(form.encode("utf-8", "replace")).decode("utf-8") for form in forms]
            coverage = [coverages(self.kb, each, form_of, table.entity[rows]) for each in (forms, spelled_out)]
            kept[rows] = np.maximum(*coverage) >= _LEAST_COVERAGE
        if kept.all():
            return table
        counts = np.bincount(table.mention_of[kept], minlength=table.mentions)
        return self._table(counts, table.entity[kept], table.match_type[kept])

    @check_arguments
    def match_types(self, name: str) -> dict[int, int]:
        """Return entity -> match type (a key of `rules.MATCH_TYPES`) of all entities with this whole name."""
        try:
            return dict(zip(*self._lookup.whole_names(squash(normalize(name))), strict=True))
        except OutOfBoundsError as error:
            raise damaged(self.kb.path, f"its name index leads nowhere ({error})") from None

    def match_types_of(self, names: Sequence[str], name_of: NDArray[np.int64], entity: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the match type of each entity [n] for the name names[name_of[i]]; CONTAINS where it is no whole name of it."""
        try:
            return match_types_of(self._lookup.index, names, name_of, entity)
        except OutOfBoundsError as error:
            raise damaged(self.kb.path, f"its name index leads nowhere ({error})") from None

    @check_arguments
    def records(self, name: str) -> list[Candidate]:
        """Return the candidates of one name, as records for people."""
        table = self.find(name)
        columns = zip(table.entity.tolist(), table.rank.tolist(), table.prior.tolist(), table.match_type.tolist(), strict=True)
        return [
            Candidate(
                rank=rank,
                id=self.kb.id_of(entity),
                label=self.kb.label_of(entity),
                matched_name=matched_name(name, self.kb.names_of(entity), match_type, aliases=self.aliases),
                match_type=MATCH_TYPES[match_type],
                prior=prior,
                description=self.kb.description_of(entity),
            )
            for entity, rank, prior, match_type in columns
        ]

    @check_arguments
    def why_not(self, name: str, external_id: str) -> str:
        """Explain in one sentence why an entity (id or name) is or is not among the candidates of a name."""
        kb = self.kb
        entity = kb.index_of(external_id)
        if entity is None:
            entity = min((each for each, kind in self.match_types(external_id).items() if kind <= UNBRACKETED), default=None)
        if entity is None:
            return f"{external_id} is not in the KB; it has ids like {kb.id_of(0)} and names like {kb.label_of(0)}"
        named_id = kb.id_of(entity)
        if named_id != external_id and kb.index_of(external_id) is not None:
            named_id = f"{external_id} (now {named_id})"
        names = kb.names_of(entity)
        if not names:
            return f"{named_id} has no name in the KB: it connects others but is never a candidate"
        if not kb.linkable[entity]:
            return f"{named_id} ({names[0]}) connects others but is never a candidate: the KB was built so"
        if self.allowed is not None and not self.allowed[entity]:
            types = ", ".join(kb.types_of(entity)) or "none"
            return f"{named_id} ({names[0]}) is not of the types that were asked for; its types: {types}"
        table = self.find(name)
        rows = np.flatnonzero(table.entity == entity)
        if len(rows):
            match_type = MATCH_TYPES[int(table.match_type[rows[0]])]
            return f"{named_id} ({names[0]}) is candidate {table.rank[rows[0]]} of {len(table)} ({match_type})"
        everything = self._plain(name, None)
        if entity in everything:
            rank = list(everything).index(entity) + 1
            return (
                f"{named_id} ({names[0]}) matches ({MATCH_TYPES[everything[entity]]}) but is not among the first "
                f"{self.max_candidates} of {len(everything)} (it is number {rank} by prior); raise max_candidates"
            )
        return f"{named_id} ({names[0]}) does not match: {self._difference(name, names)}"

    def _difference(self, name: str, names: list[str]) -> str:
        tokens = tokenize(name)
        considered = [names[0]] if not self.aliases else names
        known = {token for other in considered for token in tokenize(other)}
        missing = [token for token in tokens if token not in known]
        listed = ", ".join(considered[:5]) + (f" and {len(considered) - 5} more" if len(considered) > 5 else "")
        if not missing:
            return f"all its tokens are there, but nearer names came first (its names: {listed})"
        return f"its names ({listed}) lack {', '.join(missing)}"

    def _should_compile(self, mentions: int) -> bool:
        if self._compiled is not None:
            return mentions > 0
        self._singles += mentions
        if mentions < _BATCH and self._singles <= _SINGLES:  # the index has to be made ready for kernels, too
            return False
        from eigenthemes.candidates.compiled import find_candidates

        return find_candidates.select_backend(self._steps * mentions) is find_candidates

    @property
    def _steps(self) -> int:
        return _STEPS_WITH_FAMILIES if self._has_families() else _STEPS

    def _plain(self, name: str, limit: int | None) -> MatchTypes:
        try:
            if self.generator == "paper":
                return self._lookup.paper(normalize(name), limit)
            found = self._lookup.default(normalize(name), limit, in_capitals=self._is_abbreviation(name))
            if min(found.values(), default=ENDING + 1) <= ENDING:
                return found
            keys = self._core_keys((name,)).get(0)
            return self._with_names_of(keys, found, limit) if keys else found
        except OutOfBoundsError as error:
            raise damaged(self.kb.path, f"its name index leads nowhere ({error})") from None

    def _core_keys(self, names: Sequence[str]) -> dict[int, list[int]]:
        """Return the rows of the keys that are the core of some of the names."""
        if self.analysis is None or not self.aliases:
            return {}
        short = [name if len(name) <= _LONG else "" for name in names]
        return core_keys(short, self._lookup.index, self.analysis, self.language)

    def _with_names_of(self, keys: Sequence[int], found: MatchTypes, limit: int | None) -> MatchTypes:
        """Return candidates with the entities of some keys, in order of prior."""
        entities = [
            entity
            for key in keys
            for entity, kind in zip(*self._lookup.names_of_key(key), strict=True)
            if kind <= CORE and found.get(entity, CORE) >= CORE
        ]
        most = limit or len(self.kb)
        nearer = dict.fromkeys(sorted(set(entities))[:most], CORE)
        others = sorted(
            ((entity, kind) for entity, kind in found.items() if entity not in nearer),
            key=lambda each: each[1] in (SHARES, TYPO),
        )
        return dict(sorted([*nearer.items(), *others[: max(0, most - len(nearer))]]))

    def _add_cores(self, names: Sequence[str], rows: Sequence[int], counts: Any, entity: Any, match_types: Any) -> None:
        """Do with those rows of what the kernel found that are no names of the KB as `_plain` does."""
        for number, keys in self._core_keys([names[row] for row in rows]).items() if rows else ():
            row = rows[number]
            n = counts[row]
            found = dict(zip(entity[row, :n].tolist(), match_types[row, :n].tolist(), strict=True))
            _write(self._with_names_of(keys, found, self.max_candidates), row, counts, entity, match_types)

    def _find_plain(self, names: Sequence[str]) -> CandidateTable:
        start = time.thread_time()
        found = {name: self._plain(name, self.max_candidates) for name in dict.fromkeys(names)}
        if len(names) >= _BATCH:  # from tens of microseconds in a small KB to a millisecond in an ontology
            from eigenthemes.candidates.compiled import find_candidates

            find_candidates.add_plain_run(self._steps * len(names), _WEIGHT * (time.thread_time() - start))
        matches = [found[name] for name in names]
        entity = np.array([entity for matched in matches for entity in matched], dtype=np.uint32)
        match_types = np.array([match_type for matched in matches for match_type in matched.values()], dtype=np.uint8)
        return self._table(np.array([len(matched) for matched in matches], dtype=np.int64), entity, match_types)

    def _find_compiled(self, names: Sequence[str]) -> CandidateTable:
        # Documents repeat their names: each is looked up once.
        row_of: dict[str, int] = {}
        rows = [row_of.setdefault(name, len(row_of)) for name in names]
        if not rows:
            return self._find_plain(names)
        counts, entity, match_types = self._find_distinct(list(row_of))
        kept = np.arange(entity.shape[1]) < counts[:, None]
        entity, match_types = entity[kept], match_types[kept]
        if len(row_of) == len(names):
            return self._table(counts, entity, match_types)
        first, row = np.cumsum(counts) - counts, np.array(rows)
        counts, first = counts[row], first[row]
        entry = np.repeat(first - np.cumsum(counts) + counts, counts)
        entry += np.arange(len(entry))
        return self._table(counts, entity[entry], match_types[entry])

    def _find_distinct(self, names: list[str]) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint8]]:
        """Return how many candidates each name has, and these, and how they match [names, T]."""
        long = [row for row, name in enumerate(names) if len(name) > _LONG] if max(map(len, names)) > _LONG else []
        normalized = normalize_many(["" if len(name) > _LONG else name for name in names] if long else names)
        in_capitals = np.zeros(len(names), dtype=bool)
        for row in np.flatnonzero(normalized.letters == SHORT_ACRONYM).tolist():
            in_capitals[row] = self._is_abbreviation(names[row])
        longest = int((normalized.ends - normalized.starts).max())
        counts, entity, match_types, is_named = self._run_kernel(*normalized[:3], in_capitals, longest)
        for row in long:  # it was looked up as nothing
            _write(self._plain(names[row], self.max_candidates), row, counts, entity, match_types)
        is_named[long] = True
        self._add_cores(names, np.flatnonzero(~is_named).tolist(), counts, entity, match_types)
        return counts, entity, match_types

    def _load_kernels(self) -> tuple[Any, Any, Any]:
        from eigenthemes.candidates.compiled import allocate_buffers, find_candidates
        from eigenthemes.candidates.compiled_index import index_of

        names, label_words = self._only or self.kb.name_index, LabelWords.of(self.kb)
        index = index_of(
            names,
            label_words,
            len(self.kb),
            has_families=self._has_families(),
            other_words=self._other_words(),
            sharing=self.sharing,
        )
        return find_candidates, allocate_buffers, index

    def _run_kernel(
        self,
        text: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        in_capitals: NDArray[np.bool_],
        longest: int,
    ) -> Any:
        """Look up names of `longest` bytes at most."""
        if self._compiled is None:
            self._compiled = self._load_kernels()
        kernel, allocate_buffers, index = self._compiled
        mentions, most = len(starts), self._most
        try:
            buffers = self._free_buffers.pop()
        except IndexError:  # other threads have them all
            buffers = None
        if buffers is None or buffers.longest < longest:
            buffers = allocate_buffers(longest, most)
        found = (
            np.zeros(mentions, np.int64),
            np.empty((mentions, most), np.uint32),
            np.empty((mentions, most), np.uint8),
            np.zeros(mentions, np.bool_),
        )
        rules = not self.aliases, self.generator == "paper"
        kernel(read_only(text), starts, ends, in_capitals, index, *rules, buffers.arrays, found)
        if buffers.longest <= _KEPT:
            self._free_buffers.append(buffers)
        return found

    def _table(self, counts: NDArray[np.int64], entity: NDArray[np.uint32], match_types: NDArray[np.uint8]) -> CandidateTable:
        first = np.cumsum(counts) - counts
        rank = np.arange(1, len(entity) + 1) - np.repeat(first, counts)
        mention_of = np.repeat(np.arange(len(counts)), counts)
        return CandidateTable(len(counts), mention_of, entity, rank.astype(np.int32), self.kb.priors_of(entity), match_types)


def _write(found: MatchTypes, row: int, counts: Any, entity: Any, match_types: Any) -> None:
    counts[row] = len(found)
    entity[row, : len(found)], match_types[row, : len(found)] = list(found), list(found.values())


def _of_types(kb: KB, only: Sequence[str], without: Sequence[str]) -> NDArray[np.bool_] | None:
    """Return a mask of entities with the given types [n]; None if all have them."""
    if not only and not without:
        return None
    allowed = kb.of_types(only) if only else np.ones(len(kb), dtype=bool)
    return allowed & ~kb.of_types(without) if without else allowed
