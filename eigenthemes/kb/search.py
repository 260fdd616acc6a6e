"""Search for entities by prefix, and restrict entities to types."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.entity_ids import PREFIXES, last_part
from eigenthemes.errors import OptionError
from eigenthemes.text.normalize import tokenize

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB


@dataclass(frozen=True, slots=True)
class NamePrefixes:
    """The vocabulary in alphabetical order, and the names by it.

    tokens  [v] in order
    rank    [t] int64: of each token of each name, its position in that order
    indptr  [names + 1] int64: the tokens of each name, in order
    first   [names] int64: `rank` of the first token of each name; -1 for a name without any
    """

    tokens: list[str]
    rank: NDArray[np.int64]
    indptr: NDArray[np.int64]
    first: NDArray[np.int64]

    @classmethod
    def of(cls, kb: KB) -> NamePrefixes:
        """Make the view for a KB."""
        vocabulary, rows, indptr = list(kb.name_index.tokens), kb.array("name_tokens"), kb.array("name_token_indptr")
        order = sorted(range(len(vocabulary)), key=vocabulary.__getitem__)
        new_rank = np.empty(len(order), dtype=np.int64)
        new_rank[order] = np.arange(len(order))
        rank = new_rank[rows]
        first = np.full(len(indptr) - 1, -1, dtype=np.int64)
        has_any = np.diff(indptr) > 0
        first[has_any] = rank[indptr[:-1][has_any]]
        return cls([vocabulary[row] for row in order], rank, indptr, first)

    def find(self, prefix: str) -> NDArray[np.int64]:
        """Return the names that begin with a prefix, ascending."""
        words = tokenize(prefix)
        ranges = [self._range(word, is_open=False) for word in words[:-1]]
        ranges += [self._range(word, is_open=not prefix[-1].isspace()) for word in words[-1:]]
        low, high = ranges[0] if ranges else (0, len(self.tokens))
        rows = np.flatnonzero((self.first >= low) & (self.first < high))
        for position, (low, high) in enumerate(ranges[1:], 1):
            rows = rows[self.indptr[rows + 1] - self.indptr[rows] > position]
            rank = self.rank[self.indptr[rows] + position]
            rows = rows[(rank >= low) & (rank < high)]
        return rows

    def _range(self, word: str, *, is_open: bool) -> tuple[int, int]:
        """Return the tokens that are this word, or begin with it."""
        size = len(word)
        low = bisect_left(self.tokens, word)
        high = bisect_right(self.tokens, word, lo=low, key=(lambda token: token[:size]) if is_open else None)
        return low, high


def owners_of(names: NDArray[np.int64], entity_names: NDArray[np.int64]) -> Iterator[int]:
    """Yield the entity of each name, the highest prior first: names are in the order of their entities."""
    for first in range(0, len(names), _BLOCK):
        yield from (np.searchsorted(entity_names, names[first : first + _BLOCK], side="right") - 1).tolist()


_BLOCK = 1024  # names whose entities are looked up at once
_SHOWN = 8
LabelOf = Callable[[str], str | None]  # id of a type -> its label, where it is an entity of its own


def of_types(
    wanted: Sequence[str],
    *,
    types: Sequence[str],
    type_indptr: NDArray[np.int64],
    entity_types: NDArray[np.uint32],
    label_of: LabelOf,
    must_occur: bool = True,
) -> NDArray[np.bool_]:
    """Return which entities have one of the wanted types [n]; an `OptionError` for one that no entity has.

    types         the types that occur
    entity_types  those of each entity, by `type_indptr` [n + 1]
    must_occur    False: types are given by their whole ids, and need not occur
    """
    used = np.bincount(entity_types, minlength=len(types)) if len(types) else np.zeros(0, dtype=np.int64)
    matching = np.zeros(len(types), dtype=bool)
    row_of = {str(each): row for row, each in enumerate(types) if used[row]}
    for name in wanted:
        rows = [row_of[name]] if name in row_of else []
        if not rows and must_occur:
            rows = [row for each, row in row_of.items() if _means(name, each, label_of)]
        if not rows and must_occur:
            raise _unknown(name, types, used, label_of)
        matching[rows] = True
    owner = np.repeat(np.arange(len(type_indptr) - 1), np.diff(type_indptr))
    having = np.zeros(len(type_indptr) - 1, dtype=bool)
    having[owner[matching[entity_types]]] = True
    return having


def _means(name: str, type_id: str, label_of: LabelOf) -> bool:
    """Return whether `name` is the end of a type's id (`Concept`, `skos:Concept`), or its label."""
    prefix, colon, local = name.rpartition(":")
    end = last_part(type_id).casefold()
    if end == name.casefold() or (colon and end == local.casefold() and _has_prefix(prefix, type_id)):
        return True
    label = label_of(type_id)
    return label is not None and label.casefold() == name.casefold()


def _has_prefix(prefix: str, type_id: str) -> bool:
    known = PREFIXES.get(prefix)
    return prefix.lower() in type_id.lower() or (known is not None and type_id.startswith(known))


def _unknown(name: str, types: Sequence[str], used: NDArray[np.int64], label_of: LabelOf) -> OptionError:
    rows = np.argsort(-used, kind="stable").tolist()
    shown = [label_of(str(types[row])) or last_part(str(types[row])) for row in rows if used[row]]
    near = get_close_matches(name.casefold(), [each.casefold() for each in shown], n=1, cutoff=0.6)
    nearest = next((each for each in shown if near and each.casefold() == near[0]), None)
    if nearest is None and not shown:
        return OptionError(f"no entity is of the type {name}: the KG has no types at all; leave it out", code="type-unknown")
    counts = [f"{each} ({used[row]:,})" for each, row in zip(shown[:_SHOWN], rows, strict=False)]
    more = f" and {len(shown) - _SHOWN:,} more" if len(shown) > _SHOWN else ""
    remedy = f"the nearest that there is: {nearest}" if nearest else f"the most frequent are {', '.join(counts)}{more}"
    return OptionError(f"no entity is of the type {name}; {remedy}", code="type-unknown", where=nearest or shown[0])
