"""Mentions -> candidates, as a table of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import read_only, spans_joined
from eigenthemes.core.checks import check_arguments, check_fields, check_integer
from eigenthemes.core.strings import OutOfBoundsError, Strings, bounds_of, check_bounds, hash_strings
from eigenthemes.core.threads import lazy
from eigenthemes.errors import OptionError
from eigenthemes.kb.entity_records import damaged
from eigenthemes.kb.name_arrays import (
    ACRONYM,
    INITIALS,
    SHORT_ACRONYM,
    UNBRACKETED,
    NameIndexArrays,
    hash_words,
)
from eigenthemes.kb.store import KB
from eigenthemes.names.name_index import only_entities
from eigenthemes.names.name_memory import name_memories
from eigenthemes.names.retrieval import CONTAINS, MATCH_TYPES, REMEMBERED, find_candidates, find_containing
from eigenthemes.names.token_model import TokenModel, analyse
from eigenthemes.records import Candidate
from eigenthemes.text.normalize import NormalizedNames, name_key, normalize, normalize_many, squash, tokenize

GENERATORS = ("default", "paper")
MAX_CANDIDATES = 20
_STEPS = 1000  # inner steps of looking one name up, in plain Python
_MOST_REMEMBERED = 10  # entities of a corrected name; those it meant most often
_AT_ONCE = 1 << 22  # candidates that there is room for in one call

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateOptions:
    """Options of the candidate generator.

    Parameters
    ----------
    generator
        "default" (see `names.retrieval`) or "paper" (names and aliases contain all tokens of the mention).
    max_candidates
        T, or None for all.
    aliases
        Look at aliases too, not at labels only.
    only_types
        Only entities of one of these types; by id, its last part, or label.
    not_types
        No entities of any of these.
    """

    generator: str = "default"
    max_candidates: int | None = MAX_CANDIDATES
    aliases: bool = True
    only_types: tuple[str, ...] = ()
    not_types: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)
        if self.generator not in GENERATORS:
            raise OptionError(f"generator {self.generator!r} is unknown; expected one of {', '.join(GENERATORS)}")
        if self.max_candidates is not None:
            check_integer("max_candidates", self.max_candidates, otherwise=", or None for all")


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
        uint8, how its name matched: a key of `retrieval.MATCH_TYPES`.
    """

    mentions: int
    mention_of: Ints
    entity: NDArray[np.uint32]
    rank: NDArray[np.int32]
    prior: NDArray[np.float64]
    match_type: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.entity)

    @lazy
    def bounds(self) -> Ints:
        """Return the offsets of the candidates of each mention [mentions + 1]."""
        bounds = np.zeros(self.mentions + 1, np.int64)
        np.cumsum(np.bincount(self.mention_of, minlength=self.mentions), out=bounds[1:])
        return bounds


class CandidateGenerator:
    """Finds the candidates of names in a KB.

    Parameters
    ----------
    generator
        "default" (see `retrieval`) or "paper" (names and aliases contain all tokens of the mention).
    max_candidates
        T, or None for all.
    aliases
        Look at aliases too, not at labels only.
    only_types
        Only entities of one of these types; not_types: of none of these.
    incomplete
        Where names are common nouns, entities whose names lack words of the mention are found beside others. Else, and where
        names are proper names, only where there are no others.
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
        incomplete: bool = True,
        remembers: bool = True,
    ) -> None:
        CandidateOptions(generator=generator, max_candidates=max_candidates, aliases=aliases)  # checks them
        self.kb, self.generator, self.aliases, self.incomplete = kb, generator, aliases, incomplete
        self.max_candidates = None if max_candidates is None else int(max_candidates)
        self._most = len(kb) if max_candidates is None else min(int(max_candidates), len(kb))
        self._embedded = embedded if generator == "paper" else None
        self._memory = name_memories(kb) if remembers and generator != "paper" else None
        self._allow(_of_types(kb, only_types, not_types))

    def _allow(self, allowed: NDArray[np.bool_] | None) -> None:
        """Look names up among these entities only [entities]; None: among all."""
        self.allowed = allowed
        wanted = [mask for mask in (allowed, self._embedded) if mask is not None]
        self._only = only_entities(self.kb.name_index, np.logical_and.reduce(wanted)) if wanted else None

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
        return self.find_batch((name,))

    @check_arguments
    def find_batch(self, names: Sequence[str]) -> CandidateTable:
        """Return the candidates of many names; the same as one by one, faster."""
        row_of: dict[str, int] = {}
        rows = [row_of.setdefault(name, len(row_of)) for name in names]  # documents repeat their names: each is found once
        counts, entity, match_type = self._find(list(row_of), self._most)
        if len(row_of) < len(names):
            row = np.array(rows, np.int64)
            ends = np.cumsum(counts)
            places = spans_joined((ends - counts)[row], ends[row])
            counts, entity, match_type = counts[row], entity[places], match_type[places]
        return self._with_remembered(names, self._table(counts, entity, match_type))

    def _find(self, names: list[str], most: int) -> tuple[Ints, NDArray[np.uint32], NDArray[np.uint8]]:
        """Return how many candidates each name has, the candidates, and their match types."""
        if not names or not most:
            return np.zeros(len(names), np.int64), np.zeros(0, np.uint32), np.zeros(0, np.uint8)
        if len(names) * most > _AT_ONCE and len(names) > 1:
            first, second = (self._find(half, most) for half in (names[: len(names) // 2], names[len(names) // 2 :]))
            return tuple(map(np.concatenate, zip(first, second, strict=True)))  # type: ignore[return-value, arg-type]
        find = find_containing if self.generator == "paper" else find_candidates
        run = find.select_backend(_STEPS * len(names))
        try:
            # plain Python reads few rows of files that are not checked as a whole: it fails where they are damaged
            index = self._only or (self.kb.name_index if run is find else self.kb.mapped_name_index)
            counts, entities, kinds = self._run(run, names, index, most)
        except (IndexError, OutOfBoundsError) as error:
            raise damaged(self.kb.path, f"its name index leads nowhere ({error})") from None
        kept = np.arange(most) < counts[:, None]
        entity, match_type = entities[kept], kinds[kept]
        if len(entity) and int(entity.max()) >= len(self.kb):
            raise damaged(self.kb.path, f"its name index leads to the entity {int(entity.max()):,} of {len(self.kb):,}")
        if self.max_candidates is None:
            order = np.lexsort((entity, np.repeat(np.arange(len(counts)), counts)))
            entity, match_type = entity[order], match_type[order]
        return counts, entity, match_type

    def _run(self, run: Any, names: list[str], index: NameIndexArrays, most: int) -> tuple[Ints, Any, Any]:
        """Look names up by a kernel."""
        normalized = normalize_many(names)
        text = read_only(normalized.text)
        indptr, words, _, keys = hash_words.select_backend(len(text))(text, normalized.starts, normalized.ends)
        token = index.token_table.find_all(words)
        key_row = np.where(normalized.letters > 0, index.key_table.find_all(keys), -1)
        for bounds, rows, size in (
            (index.key_indptr, key_row, len(index.key_entities)),
            (index.postings_indptr, token, len(index.postings)),
        ):
            check_bounds(bounds, rows[rows >= 0], size)
        found = np.zeros(len(names), np.int64), np.empty((len(names), most), np.uint32), np.empty((len(names), most), np.uint8)
        arrays = index.key_indptr, index.key_entities, index.key_kinds, index.postings_indptr, index.postings, index.in_label
        if self.generator == "paper":
            form_of = np.repeat(np.arange(len(names)), np.diff(indptr))
            pairs = np.unique(form_of * (1 + len(index.tokens)) + token + 1)  # each token of a name once
            form_of, token = np.divmod(pairs, 1 + len(index.tokens))
            bounds = np.searchsorted(form_of, np.arange(len(names) + 1))
            run((bounds, token - 1), key_row, arrays, not self.aliases, found)
            return found
        assert index.share is not None
        model = self.kb.cached(TokenModel.of)
        forms = analyse(lambda row: _text_of(normalized, row), indptr, token, model)
        in_capitals = normalized.letters != SHORT_ACRONYM
        for row in np.flatnonzero(~in_capitals).tolist():
            in_capitals[row] = names[row].isupper() and not model.analysis.is_inflected
        options = not self.aliases, self.incomplete and model.analysis.is_inflected, self.max_candidates is None
        run(forms.arrays, (key_row, in_capitals), (*arrays, index.share), model.related, options, found)
        return found

    def _table(self, counts: Ints, entity: NDArray[np.uint32], match_types: NDArray[np.uint8]) -> CandidateTable:
        first = np.cumsum(counts) - counts
        rank = np.arange(1, len(entity) + 1) - np.repeat(first, counts)
        mention_of = np.repeat(np.arange(len(counts)), counts)
        return CandidateTable(len(counts), mention_of, entity, rank.astype(np.int32), self.kb.priors_of(entity), match_types)

    def _with_remembered(self, names: Sequence[str], table: CandidateTable) -> CandidateTable:
        """Return the table with candidates from corrections added, in order of prior."""
        if self._memory is None:
            return table
        places, entities = list[int](), list[int]()
        bounds = table.bounds.tolist()
        for number, name in enumerate(names):
            remembered = self._memory.find(normalize(name))
            if remembered is not None and remembered.linked:
                known = set(table.entity[bounds[number] : bounds[number + 1]].tolist())
                often = sorted(remembered.linked, key=lambda each: (-remembered.linked[each], each))[:_MOST_REMEMBERED]
                new = [each for each in often if each not in known and (self.allowed is None or self.allowed[each])]
                places += [number] * len(new)
                entities += new
        if not places:
            return table
        mention_of = np.concatenate((table.mention_of, np.array(places, np.int64)))
        entity = np.concatenate((table.entity, np.array(entities, np.uint32)))
        match_type = np.concatenate((table.match_type, np.full(len(places), REMEMBERED, np.uint8)))
        order = np.lexsort((entity, mention_of))  # entities are numbered from the highest prior down
        return self._table(np.bincount(mention_of, minlength=len(names)), entity[order], match_type[order])

    @check_arguments
    def match_types(self, name: str) -> dict[int, int]:
        """Return entity -> match type (a key of `MATCH_TYPES`) of all entities with this whole name."""
        index = self._only or self.kb.mapped_name_index
        try:
            row = index.key_table.find(name_key(name)) if normalize(name) else -1
            if row < 0:
                return {}
            first, last = bounds_of(index.key_indptr, row, len(index.key_entities))
        except OutOfBoundsError as error:
            raise damaged(self.kb.path, f"its name index leads nowhere ({error})") from None
        return dict(zip(index.key_entities[first:last].tolist(), index.key_kinds[first:last].tolist(), strict=True))

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
                matched_name=matched_name(name, self._names_of(entity), match_type, aliases=self.aliases),
                match_type=MATCH_TYPES[match_type],
                prior=prior,
                description=self.kb.description_of(entity),
            )
            for entity, rank, prior, match_type in columns
        ]

    def _names_of(self, entity: int) -> list[str]:
        return self.kb.names_of(entity) + self.kb.derived_names_of(entity)

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
        unlimited = copy(self)
        unlimited.max_candidates, unlimited._most = None, len(kb)
        table = unlimited.find(name)
        rows = np.flatnonzero(table.entity == entity)
        if len(rows):
            match_type = MATCH_TYPES[int(table.match_type[rows[0]])]
            return (
                f"{named_id} ({names[0]}) matches ({match_type}) but is not among the best {self.max_candidates} of "
                f"{len(table)} (it is number {rows[0] + 1} by prior); raise max_candidates"
            )
        return f"{named_id} ({names[0]}) does not match: {self._difference(name, names)}"

    def _difference(self, name: str, names: list[str]) -> str:
        considered = names if self.aliases else names[:1]
        known = {token for other in considered for token in tokenize(other)}
        missing = [token for token in tokenize(name) if token not in known]
        listed = ", ".join(considered[:5]) + (f" and {len(considered) - 5} more" if len(considered) > 5 else "")
        if not missing:
            return f"all its tokens are there, but other names came first (its names: {listed})"
        return f"its names ({listed}) lack {', '.join(missing)}"


def match_types_of(generator: CandidateGenerator, names: Sequence[str], name_of: Ints, entity: Ints) -> NDArray[np.uint8]:
    """Return the match type of each entity [n] for the name names[name_of[i]]; CONTAINS where it is no whole name of it."""
    index = generator._only or generator.kb.name_index
    row = index.key_table.find_all(hash_strings(Strings.of(squash(normalize(name)) for name in names)))
    known = np.flatnonzero(row >= 0)
    first, last = index.key_indptr[row[known]], index.key_indptr[row[known] + 1]
    places = spans_joined(first, last)
    span = max(int(entity.max(initial=0)), int(index.key_entities[places].max(initial=0))) + 1
    having = np.repeat(known, last - first) * span + index.key_entities[places]  # ascending, as both parts are
    asked = name_of * span + entity
    at = np.minimum(np.searchsorted(having, asked), max(0, len(having) - 1))
    found = np.full(len(entity), CONTAINS, np.uint8)
    if len(having):
        same = having[at] == asked
        found[same] = index.key_kinds[places[at[same]]]
    return found


def _text_of(normalized: NormalizedNames, row: int) -> str:
    return normalized.text[normalized.starts[row] : normalized.ends[row]].tobytes().decode("utf-8")


def _of_types(kb: KB, only: Sequence[str], without: Sequence[str]) -> NDArray[np.bool_] | None:
    """Return a mask of entities with the given types [n]; None if all have them."""
    if not only and not without:
        return None
    allowed = kb.of_types(only) if only else np.ones(len(kb), dtype=bool)
    return allowed & ~kb.of_types(without) if without else allowed


def matched_name(mention: str, names: list[str], match_type: int, *, aliases: bool) -> str:
    """Return the name of an entity that a mention matched: one that is the same, or the fewest that have all its tokens.

    names  the label first; it is the one that shorter forms are made from, and without `aliases` the only one looked at
    """
    if match_type == REMEMBERED:
        return mention
    if not aliases or match_type in (UNBRACKETED, INITIALS, ACRONYM):
        return names[0]
    normalized = normalize(mention)
    key, missing = squash(normalized), set(normalized.split())
    same = next((name for name in names if squash(normalize(name)) == key), None)
    if same is not None:  # "Wal-Mart" and "Walmart" share no token, and are the same name
        return same
    tokens = {name: set(tokenize(name)) for name in names}
    chosen = list[str]()
    while not chosen or any(missing & tokens[name] for name in names):
        having = max(len(missing & tokens[name]) for name in names)
        alike = [name for name in names if len(missing & tokens[name]) == having]
        chosen.append(min(alike, key=lambda name: _distance(squash(normalize(name)), key)) if len(alike) > 1 else alike[0])
        missing -= tokens[chosen[-1]]
    return " + ".join(chosen)


def _distance(name: str, key: str) -> int:
    """Return the edit distance of two normalised names, with a shortcut where one contains the other's letters in order."""
    shorter, longer = sorted((name, key), key=len)
    left = iter(longer)
    if all(letter in left for letter in shorter):
        return len(longer) - len(shorter)
    from rapidfuzz.distance import OSA  # takes longer to import than a look-up

    return int(OSA.distance(name, key))
