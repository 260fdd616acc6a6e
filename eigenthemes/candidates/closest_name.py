"""How near the names of entities are to the words of a mention, for rule 5 of `rules`; compiled in `compiled_sharing`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.rules import NAMES_COMPARED
from eigenthemes.core.strings import OutOfBoundsError
from eigenthemes.kb.name_arrays import LabelWords

Options = list[list[tuple[int, int]]]  # of each word: the tokens it may stand for, with what each counts in tenths


def closeness(
    entities: NDArray[np.uint32],
    options: Options,
    weights: list[int],
    spelled: LabelWords,
    are_common: Callable[[NDArray[np.uint32]], NDArray[np.bool_]],
    *,
    labels_only: bool,
) -> NDArray[np.float64]:
    """Return how much of the words' weight the closest name of each entity has, as a part of that of its words and theirs [n].

    A word of a name that is none of the mention's weighs as much as these do on average, a common one nothing.
    """
    first = spelled.names[entities]
    last = np.minimum(spelled.names[entities.astype(np.int64) + 1], first + (1 if labels_only else NAMES_COMPARED))
    name, entity_of = _ranges(first, last, "name", len(spelled.indptr) - 1)
    row, name_of = _ranges(spelled.indptr[name], spelled.indptr[name + 1], "word", len(spelled.tokens))
    token = spelled.tokens[row]
    total, other = sum(weights), np.ones(len(token), dtype=bool)
    shared = np.zeros(len(name), dtype=np.int64)
    for of_word, weight in zip(options, weights, strict=True):
        if weight:
            tenths = np.zeros(len(token), dtype=np.int64)
            for standing_for, counts in of_word:
                same = token == standing_for
                tenths[same] = np.maximum(tenths[same], counts)
            other &= tenths == 0
            best = np.zeros(len(name), dtype=np.int64)
            np.maximum.at(best, name_of, tenths)
            shared += weight * best // 10
    others = np.bincount(name_of[other & ~are_common(token)], minlength=len(name))
    average = total // max(1, sum(weight > 0 for weight in weights))
    scores = np.zeros(len(entities))
    np.maximum.at(scores, entity_of, shared / np.maximum(1, total + others * average))
    return scores


def _ranges(
    first: NDArray[np.int64], last: NDArray[np.int64], what: str, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows first[i] to last[i] of each i, and that i; refused where a damaged file leads past `size` rows."""
    counts = np.maximum(0, last - first)
    if len(first) and (int(first.min()) < 0 or int(last.max()) > size or int(counts.sum()) > size):
        raise OutOfBoundsError(f"{what} {int(last.max()):,} of {size:,}")
    which = np.repeat(np.arange(len(first)), counts)
    return np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts) + first[which], which
