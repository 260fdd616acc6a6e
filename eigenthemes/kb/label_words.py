"""The words that labels begin with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import OutOfBoundsError
from eigenthemes.kb.store import KB


@dataclass(frozen=True, slots=True)
class LabelWords:
    """The tokens of labels: `names` [entities + 1], where the names of each entity begin, the rest as in `SpelledNames`.

    Of a KB that does not keep them all are empty, and no label has words.
    """

    names: NDArray[np.int64]
    indptr: NDArray[np.int64]
    tokens: NDArray[np.uint32]

    @classmethod
    def of(cls, kb: KB, *, mapped: bool = False) -> LabelWords:
        """Return those of a KB; `mapped`: as they lie on the disk, for a few look-ups, which check the rows they read."""
        if not kb.has("name_tokens"):
            nothing = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32)
            for array in nothing:
                array.flags.writeable = False  # as of a KB: kernels are compiled once
            return cls(*nothing)
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
