"""Numbers for ids that do not fit into memory: some at a time, the same in the end as if all had been there at once.

While sources are read, ids get numbers in order of appearance. Where too many are known, they are written to disk and
forgotten; an id that appears again gets a further number. When all is read, each id keeps the place of its first number, and
what was said of its others is said of that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.scratch import Scratch, blocks
from eigenthemes.core.strings import Strings

_GROUPS = 1 << 16  # ids whose texts are compared at a time


class Numbering(dict[str, int]):
    """Ids -> numbers, as a dictionary; its length is the next number, also when earlier ids were forgotten.

    over_lines  forgotten ids with a line break in them, which readers warn of
    """

    def __init__(self) -> None:
        self.forgotten = 0
        self.over_lines: list[str] = []

    def __len__(self) -> int:
        return self.forgotten + super().__len__()

    @property
    def held(self) -> int:
        """How many ids are in memory."""
        return super().__len__()

    def forget(self) -> None:
        """Forget all ids; their numbers are not given again."""
        self.forgotten = len(self)
        self.over_lines += [entity_id for entity_id in self if "\n" in entity_id]
        self.clear()


def join_numbers(ids: Strings, scratch: Scratch) -> tuple[Strings, NDArray[np.uint32]]:
    """Return ids without repetition, in order of their first appearance, and for each row of `ids` its row there."""
    numbers = scratch.row_numbers(len(ids))
    hashes, row = scratch.sort_rows((scratch.hashes(ids), numbers), (1 << 64, max(1, len(ids))))
    (bounds,) = scratch.chosen(scratch.first_of_equal(hashes), numbers)
    first = scratch.empty(len(ids), np.uint32)  # for each row, the first one of the same id
    for begin, end in blocks(len(bounds), _GROUPS):
        last = len(row) if end == len(bounds) else bounds[end]
        some, starts = row[bounds[begin] : last], bounds[begin:end] - bounds[begin]
        leader = np.repeat(some[starts], np.diff(np.append(starts, len(some))))
        first[some] = leader
        for at in _different(ids, some, leader):  # two ids have the same hash, which hardly ever happens
            group = some[leader == leader[at]].tolist()  # ascending
            first[some[at]] = next(other for other in group if ids.raw(other) == ids.raw(int(some[at])))
    (kept,) = scratch.by_blocks(lambda own, other: (own == other,), (first, numbers), (np.bool_,))
    place = scratch.offsets(kept)
    (joined,) = scratch.by_blocks(lambda some: (place[some],), (first,), (np.uint32,))
    (rows,) = scratch.chosen(kept, numbers)
    return scratch.take_strings(ids, rows), joined


def _different(ids: Strings, rows: NDArray[np.uint32], others: NDArray[np.uint32]) -> list[int]:
    """Return the places at which two rows of ids are not the same id."""
    apart = np.flatnonzero(rows != others)
    if not len(apart):
        return []
    one, other = ids.take(rows[apart]), ids.take(others[apart])
    same_length = np.diff(one.offsets) == np.diff(other.offsets)
    if same_length.all() and np.array_equal(one.blob, other.blob):
        return []
    return [int(at) for number, at in enumerate(apart) if one.raw(number) != other.raw(number)]
