"""Move statements to disk while sources are read, if they take too much memory.

Ids get numbers in order of appearance. If there are too many for the memory, they are written to disk and forgotten; an id that
appears again gets another number. When all is read, each id keeps its first number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import HashTable
from eigenthemes.core.scratch import GrowingStrings, Scratch, SpillScratch, blocks
from eigenthemes.core.strings import Strings, hash_bytes, part_of
from eigenthemes.kg.statements import Statements

_IDS = 1 << 18  # ids written at a time
_PROGRAM, _ID = 150 * 10**6, 170  # bytes of the program itself, and of an id and its number
_EACH = 16  # bytes that a statement takes in memory, about


class Numbering(dict[str, int]):
    """Numbers of ids; its length is the next number, also when earlier ids were forgotten.

    over_lines  forgotten ids that contain a line break, which readers report
    """

    def __init__(self) -> None:
        self.forgotten = 0
        self.over_lines: list[str] = []

    def __len__(self) -> int:
        return self.forgotten + super().__len__()

    def forget(self) -> None:
        """Forget all ids; their numbers are not used again."""
        self.forgotten = len(self)
        self.over_lines += [entity_id for entity_id in self if "\n" in entity_id]
        self.clear()


class Spill:
    """Moves the statements of a build to its scratch."""

    def __init__(self, statements: Statements, scratch: SpillScratch) -> None:
        self._statements, self._scratch = statements, scratch
        self._ids = statements.ids = Numbering()
        self._texts = GrowingStrings(scratch)
        self._times = 0  # that ids were written

    def write_if_large(self) -> None:
        """Write what takes much memory."""
        if _PROGRAM + _ID * (len(self._ids) - self._ids.forgotten) > self._scratch.own_memory // 2:
            self.write_ids()
        read = self._statements
        columns = (read.edge_source, read.name_node, read.description_node, read.type_node, read.record_node)
        if _EACH * sum(map(len, columns)) > self._scratch.at_once // 4:
            read.spill()

    def write_ids(self) -> None:
        """Write the ids to disk and forget them; those that appear again get new numbers."""
        texts = iter(self._ids)
        while some := list(islice(texts, _IDS)):
            self._texts.append(Strings.of(some))
        self._times += 1
        self._ids.forget()

    def settle(self) -> None:
        """Give the statements their columns back as mapped arrays, and their ids as a table of strings."""
        self._statements.spill()
        self.write_ids()
        strings, numbers = self._texts.concatenate(), None
        if self._times > 1:
            strings, numbers = join_numbers(strings, self._scratch)
        self._statements.settle(IdTable(strings, self._scratch))
        if numbers is not None:
            self._statements.renumber(numbers)


def join_numbers(ids: Strings, scratch: Scratch) -> tuple[Strings, NDArray[np.uint32]]:
    """Return the distinct ids in order of first appearance, and for each row of `ids` its row among them.

    As everywhere in a KB, ids of the same hash of 64 bits are the same.
    """
    numbers = np.arange(len(ids), dtype=np.uint32)
    hashes, row = scratch.sort_rows((scratch.hashes(ids), numbers), (1 << 64, max(1, len(ids))))
    is_first = scratch.first_of_equal(hashes)
    (leaders,) = scratch.chosen(is_first, row)  # the first row of each id, in order of hash
    id_of_row = scratch.offsets(is_first)[1:] - 1
    first = scratch.empty(len(ids), np.uint32)  # for each row, the first one of the same id
    for begin, end in blocks(len(row)):
        first[row[begin:end]] = leaders[id_of_row[begin:end]]
    (kept,) = scratch.by_blocks(lambda own, other: (own == other,), (first, numbers), (np.bool_,))
    place = scratch.offsets(kept)
    (joined,) = scratch.by_blocks(lambda some: (place[some],), (first,), (np.uint32,))
    (rows,) = scratch.chosen(kept, numbers)
    return scratch.take_strings(ids, rows), joined


class IdTable(Mapping[str, int]):
    """Numbers of ids, kept as strings and a table of hashes instead of Python objects."""

    def __init__(self, strings: Strings, scratch: Scratch) -> None:
        self.strings = strings
        row = np.arange(len(strings), dtype=np.uint32)
        hashes, self._rows = scratch.sort_rows((scratch.hashes(strings), row), (1 << 64, max(1, len(row))))
        self._table = HashTable.of(hashes)

    def __getitem__(self, entity_id: str) -> int:
        place = self._table.find(hash_bytes(entity_id.encode("utf-8", "surrogatepass")))
        if place < 0:
            raise KeyError(entity_id)
        return int(self._rows[place])

    def __iter__(self) -> Iterator[str]:
        for first, last in blocks(len(self.strings)):
            yield from part_of(self.strings, first, last)

    def __len__(self) -> int:
        return len(self.strings)

    def items(self) -> Any:
        """Return pairs of id and number."""
        return zip(self, range(len(self)), strict=True)

    def values(self) -> Any:
        """Return the numbers."""
        return range(len(self))
