"""The arrays of the name index as the KB folder stores them; `candidates` builds and reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import HashTable, OutOfBoundsError, Strings

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB

# How a whole name can equal a mention, best first. The first two are the name itself; the others are made from it:
# UNBRACKETED is the label without what stands in brackets, or turned round at its commas.
LABEL, ALIAS, UNBRACKETED, INITIALS, ACRONYM = range(5)
SHORT_ACRONYM = 2  # letters of an acronym that only mentions in capitals find: BC is British Columbia, "la" is not Los Angeles
WHOLE = ALIAS  # kinds up to this one are names the KG itself gives


@dataclass(frozen=True, slots=True)
class SpelledNames:
    """Names with letter case.

    indptr   [names + 1] int64, tokens [t] uint32: the tokens of each name, in order
    letters  [names] uint64: hash of its letters and digits as they are written
    """

    indptr: NDArray[np.int64]
    tokens: NDArray[np.uint32]
    letters: NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class NameIndexArrays:
    """The arrays of the index, as they lie in the KB folder.

    tokens          the vocabulary, in order of hash
    token_table     hash -> token
    postings_indptr [tokens + 1] int64, postings [p] uint32 entities ascending, in_label [p] uint8 (0: only in an alias)
    key_table       hash of a squashed name -> key
    key_indptr      [keys + 1] int64, key_entities [q] uint32 ascending, key_kinds [q] uint8
    key_filter      `bit_filter` of the keys that are a name, or a label but for brackets or commas
    typos           tokens a slip of the pen away
    spelled         how each name is spelled; of a KB that is opened it is apart, as `KB.spelled_names`
    """

    tokens: Strings
    token_table: HashTable
    postings_indptr: NDArray[np.int64]
    postings: NDArray[np.uint32]
    in_label: NDArray[np.uint8]
    key_table: HashTable
    key_indptr: NDArray[np.int64]
    key_entities: NDArray[np.uint32]
    key_kinds: NDArray[np.uint8]
    key_filter: NDArray[np.uint8]
    typos: TypoIndex
    spelled: SpelledNames | None = None


@dataclass(frozen=True, slots=True)
class TypoIndex:
    """Bucket of a hash -> tokens: `indptr` [2^b + 1] uint32, `members` [r] uint32, `checks` [r] uint8; and a `bit_filter`.

    A check spares most looks at the token itself: its low 4 bits are those of the hash, its high ones the length of the token
    less 5, at most 15.
    """

    indptr: NDArray[np.uint32]
    members: NDArray[np.uint32]
    checks: NDArray[np.uint8]
    filter: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class LabelWords:
    """The tokens of labels: `names` [entities + 1], where the names of each entity begin, the rest as in `SpelledNames`."""

    names: NDArray[np.int64]
    indptr: NDArray[np.int64]
    tokens: NDArray[np.uint32]

    @classmethod
    def of(cls, kb: KB, *, mapped: bool = False) -> LabelWords:
        """Return those of a KB; `mapped`: as they lie on the disk, for a few look-ups, which check the rows they read."""
        read = kb.mapped if mapped else kb.array
        return cls(read("entity_names"), read("name_token_indptr"), read("name_tokens"))

    def first(self, entities: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return the first token of each label, or -1; entities without a name have no label."""
        first = np.full(len(entities), -1, dtype=np.int64)
        if not len(self.tokens) or not len(entities):
            return first
        named = np.flatnonzero(self.names[entities] < self.names[np.asarray(entities, dtype=np.int64) + 1])
        label = self.names[entities[named]]
        _check("name", label, len(self.indptr) - 1)
        at, end = self.indptr[label], self.indptr[label + 1]
        has = at < end
        _check("word", at[has], len(self.tokens))
        first[named[has]] = self.tokens[at[has]]
        return first


def _check(what: str, rows: NDArray[np.int64], size: int) -> None:
    """Refuse rows that a damaged file names and that there are none of."""
    if len(rows) and not 0 <= int(rows.min()) <= int(rows.max()) < size:
        raise OutOfBoundsError(f"{what} {int(rows.max()):,} of {size:,}")
