"""Mentions -> candidates, as a table of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.name_index import only_entities
from eigenthemes.candidates.plain import Found, Lookup
from eigenthemes.candidates.rules import MATCH_TYPES
from eigenthemes.errors import OptionError
from eigenthemes.kb.name_index import ACRONYM, INITIALS, UNBRACKETED
from eigenthemes.kb.store import KB
from eigenthemes.records import Candidate
from eigenthemes.text.normalize import normalize, squash, tokenize

GENERATORS = ("default", "paper")
MAX_CANDIDATES = 20

_BATCH = 64  # mentions from which the compiled kernels are worth loading
_SINGLES = 2000  # the same for mentions looked up one by one
_START = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """The candidates of a batch of mentions, in order of mention and rank; all columns [n].

    mentions    the number of mentions, with or without candidates
    mention_of  int64, which mention
    entity      uint32, which entity of the KB
    rank        int32, 1 = highest prior
    prior       float64
    match_type  uint8, how it was found: a key of `matching.MATCH_TYPES`
    """

    mentions: int
    mention_of: NDArray[np.int64]
    entity: NDArray[np.uint32]
    rank: NDArray[np.int32]
    prior: NDArray[np.float64]
    match_type: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.entity)


class CandidateGenerator:
    """Finds the candidates of names in a KB.

    generator       "default" (see `matching`) or "paper" (names and aliases contain all tokens of the mention)
    max_candidates  T, or None for all
    aliases         look at aliases too, not at labels only
    embedded        [entities] bool: those with a vector; the paper's generator drops all others before it counts to T
    """

    def __init__(
        self,
        kb: KB,
        *,
        generator: str = "default",
        max_candidates: int | None = MAX_CANDIDATES,
        aliases: bool = True,
        embedded: NDArray[np.bool_] | None = None,
    ) -> None:
        if generator not in GENERATORS:
            raise OptionError(f"generator {generator!r} is unknown; expected one of {', '.join(GENERATORS)}")
        if max_candidates is not None and max_candidates < 1:
            raise OptionError(f"max_candidates is {max_candidates}; expected 1 or more, or None for all")
        self.kb, self.generator, self.max_candidates, self.aliases = kb, generator, max_candidates, aliases
        self._names = kb.name_index if embedded is None or generator != "paper" else only_entities(kb.name_index, embedded)
        self._lookup = Lookup(self._names, len(kb), aliases=aliases)
        self._kernel: Any = None
        self._index: Any = None
        self._singles = 0

    def find(self, name: str) -> CandidateTable:
        """The candidates of one name."""
        if self._kernel is None:
            return self.find_batch((name,))
        text = normalize(name).encode("utf-8", "replace")
        counts, entity, how = self._run_kernel(np.frombuffer(text, dtype=np.uint8), _START, np.array((len(text),)))
        n = counts[0]
        return CandidateTable(1, self._zeros[:n], entity[0, :n], self._ranks[:n], self.kb.prior[entity[0, :n]], how[0, :n])

    def find_batch(self, names: Sequence[str]) -> CandidateTable:
        """The candidates of many names; the same as one by one, faster."""
        if self.max_candidates is None or not self._worth_compiling(len(names)):
            return self._find_plain(names)
        return self._find_compiled(names)

    def kinds(self, name: str) -> dict[int, int]:
        """Entity -> how its name is this one (a key of `matching.MATCH_TYPES`), of all entities with such a name."""
        return dict(zip(*self._lookup.whole(squash(normalize(name))), strict=True))

    def records(self, name: str) -> list[Candidate]:
        """The candidates of one name, for people."""
        table = self.find(name)
        columns = zip(table.entity.tolist(), table.rank.tolist(), table.prior.tolist(), table.match_type.tolist(), strict=True)
        return [
            Candidate(
                rank=rank,
                id=self.kb.id_of(entity),
                label=self.kb.label_of(entity),
                matched_name=self._matched(name, entity, how),
                match_type=MATCH_TYPES[how],
                prior=prior,
                description=self.kb.description_of(entity),
            )
            for entity, rank, prior, how in columns
        ]

    def _matched(self, name: str, entity: int, how: int) -> str:
        label_only = not self.aliases or how in (UNBRACKETED, INITIALS, ACRONYM)
        return self.kb.label_of(entity) if label_only else matched_names(name, self.kb.names_of(entity))

    def why_not(self, name: str, external_id: str) -> str:
        """One sentence: why an entity is, or is not, among the candidates of a name."""
        kb = self.kb
        entity = kb.index_of(external_id)
        if entity is None:
            return f"{external_id} is not in the KB; it has ids like {kb.id_of(0)}"
        what = external_id if kb.id_of(entity) == external_id else f"{external_id} (now {kb.id_of(entity)})"
        names = kb.names_of(entity)
        if not names:
            return f"{what} has no name in the KB: it connects others but is never a candidate"
        found = self.find(name)
        at = np.flatnonzero(found.entity == entity)
        if len(at):
            how = MATCH_TYPES[int(found.match_type[at[0]])]
            return f"{what} ({names[0]}) is candidate {found.rank[at[0]]} of {len(found)} ({how})"
        everything = self._plain(name, None)
        if entity in everything:
            rank = list(everything).index(entity) + 1
            return (
                f"{what} ({names[0]}) matches ({MATCH_TYPES[everything[entity]]}) but is not among the first "
                f"{self.max_candidates} of {len(everything)} (it is number {rank} by prior); raise --max-candidates"
            )
        return f"{what} ({names[0]}) does not match: {self._difference(name, names)}"

    def _difference(self, name: str, names: list[str]) -> str:
        said = tokenize(name)
        shown = [names[0]] if not self.aliases else names
        known = {token for each in shown for token in tokenize(each)}
        missing = [token for token in said if token not in known]
        listed = ", ".join(shown[:5]) + (f" and {len(shown) - 5} more" if len(shown) > 5 else "")
        if not missing:
            return f"all its tokens are there, but nearer names came first (its names: {listed})"
        return f"its names ({listed}) lack {', '.join(missing)}"

    def _worth_compiling(self, mentions: int) -> bool:
        if self._kernel is not None or mentions >= _BATCH:
            return True
        self._singles += mentions
        return self._singles > _SINGLES

    def _plain(self, name: str, limit: int | None) -> Found:
        look = self._lookup.paper if self.generator == "paper" else self._lookup.default
        return look(normalize(name), limit)

    def _find_plain(self, names: Sequence[str]) -> CandidateTable:
        found = [self._plain(name, self.max_candidates) for name in names]
        entity = np.array([entity for each in found for entity in each], dtype=np.uint32)
        how = np.array([how for each in found for how in each.values()], dtype=np.uint8)
        return self._table(np.array([len(each) for each in found], dtype=np.int64), entity, how)

    def _find_compiled(self, names: Sequence[str]) -> CandidateTable:
        if self._kernel is None:
            self._load_kernels()
        # Documents repeat their names: each is looked up once.
        row_of = {name: row for row, name in enumerate(dict.fromkeys(names))}
        text = "\n".join([normalize(name) for name in row_of]) + "\n"
        buffer = np.frombuffer(text.encode("utf-8", "replace"), dtype=np.uint8)
        ends = np.flatnonzero(buffer == 10)
        starts = np.zeros_like(ends)
        starts[1:] = ends[:-1] + 1
        counts, entity, how = self._run_kernel(buffer, starts, ends)
        if len(row_of) < len(names):
            rows = np.fromiter(map(row_of.__getitem__, names), dtype=np.int64, count=len(names))
            counts, entity, how = counts[rows], entity[rows], how[rows]
        kept = np.arange(entity.shape[1]) < counts[:, None]
        return self._table(counts, entity[kept], how[kept])

    def _load_kernels(self) -> None:
        from eigenthemes.candidates.compiled import find_candidates, index_of

        self._kernel = find_candidates
        self._index = index_of(self._names, len(self.kb))
        self._zeros = np.zeros(self.max_candidates or 0, dtype=np.int64)
        self._ranks = np.arange(1, 1 + (self.max_candidates or 0), dtype=np.int32)

    def _run_kernel(self, text: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Any:
        paper = self.generator == "paper"
        return self._kernel(text, starts, ends, self._index, self.max_candidates, not self.aliases, paper)

    def _table(self, counts: NDArray[np.int64], entity: NDArray[np.uint32], how: NDArray[np.uint8]) -> CandidateTable:
        first = np.cumsum(counts) - counts
        rank = np.arange(1, len(entity) + 1) - np.repeat(first, counts)
        mention_of = np.repeat(np.arange(len(counts)), counts)
        return CandidateTable(len(counts), mention_of, entity, rank.astype(np.int32), self.kb.prior[entity], how)


def matched_names(mention: str, names: list[str]) -> str:
    """The names of an entity that a mention met: one that is the same, or the fewest that together have its tokens."""
    from rapidfuzz.distance import OSA

    normalized = normalize(mention)
    key, missing = squash(normalized), set(normalized.split())
    tokens = {name: set(tokenize(name)) for name in names}

    def distance(name: str) -> tuple[bool, int, int]:
        squashed = squash(normalize(name))
        return squashed != key, -len(missing & tokens[name]), OSA.distance(squashed, key)

    chosen = [min(names, key=distance)]
    missing -= tokens[chosen[0]]
    while missing and any(missing & each for each in tokens.values()):
        chosen.append(min(names, key=distance))
        missing -= tokens[chosen[-1]]
    return " + ".join(chosen)
