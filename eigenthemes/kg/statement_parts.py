"""Statements on disk: parts of tables in Arrow's file format, written while the sources are read.

A part is `<table>-<number>.arrow`, its columns those of `Statements.TABLES`, nodes by number; `ids-<number>.arrow` holds
the ids of the nodes in order of number.

While sources are read, ids get numbers in order of appearance. If there are too many for the memory, they are written to disk
and forgotten; an id that appears again gets another number. When all is read, each id keeps its first number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.scratch import Scratch, blocks, part_of
from eigenthemes.core.spill import SpillScratch, spill_errors
from eigenthemes.core.strings import HashTable, Strings, hash_bytes
from eigenthemes.kg.statements import Statements

_TEXTS = ("name_text", "description_text", "id")
_IDS = 1 << 18  # ids of one part
_PROGRAM, _ID = 150 * 10**6, 170  # bytes of the program itself, and of an id and its number
_EACH = 16  # bytes that a statement takes in memory, about
_GROUPS = 1 << 16  # ids whose texts are compared at a time


class Numbering(dict[str, int]):
    """Numbers of ids; its length is the next number, also when earlier ids were forgotten.

    over_lines  forgotten ids that contain a line break, which readers report
    """

    def __init__(self) -> None:
        self.forgotten = 0
        self.over_lines: list[str] = []

    def __len__(self) -> int:
        return self.forgotten + super().__len__()

    @property
    def held(self) -> int:
        """Return the number of ids in memory."""
        return super().__len__()

    def forget(self) -> None:
        """Forget all ids; their numbers are not used again."""
        self.forgotten = len(self)
        self.over_lines += [entity_id for entity_id in self if "\n" in entity_id]
        self.clear()


def join_numbers(ids: Strings, scratch: Scratch) -> tuple[Strings, NDArray[np.uint32]]:
    """Return the distinct ids in order of first appearance, and for each row of `ids` its row among them."""
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
    """Return the positions at which two lists of rows are different ids."""
    unequal = np.flatnonzero(rows != others)
    if not len(unequal):
        return []
    one, other = ids.take(rows[unequal]), ids.take(others[unequal])
    same_length = np.diff(one.offsets) == np.diff(other.offsets)
    if same_length.all() and np.array_equal(one.blob, other.blob):
        return []
    return [int(at) for number, at in enumerate(unequal) if one.raw(number) != other.raw(number)]


class Parts:
    """The parts of the statements of one build."""

    def __init__(self, scratch: SpillScratch) -> None:
        self.ids = Numbering()
        self._scratch = scratch
        self._folder = scratch.folder / "statements"
        self._count: Counter[str] = Counter()
        self._rows = scratch.at_once // 4 // _EACH
        self._times = 0  # that ids were written

    def write_if_large(self, statements: Statements) -> None:
        """Write the statements to disk if they take much memory."""
        if _PROGRAM + _ID * self.ids.held > self._scratch.own_memory // 2:
            self.write_ids()
        columns = (statements.edge_source, statements.name_node, statements.description_node, statements.type_node)
        if sum(map(len, columns)) + len(statements.record_node) > self._rows:
            self.write(statements)

    def write(self, statements: Statements) -> None:
        """Write the statements to disk."""
        for table, columns in statements.take_rows().items():
            self._write(table, columns)

    def write_ids(self) -> None:
        """Write the ids to disk and forget them; those that appear again get new numbers."""
        texts = iter(self.ids)
        while some := list(islice(texts, _IDS)):
            self._write("ids", {"id": Strings.of(some)})
        self._times += 1
        self.ids.forget()

    def settle(self, statements: Statements) -> None:
        """Give the statements their columns back as mapped arrays, and their ids as a table of strings."""
        self.write(statements)
        self.write_ids()
        columns = {name: self._read(table, name) for table, names in Statements.TABLES.items() for name in names}
        strings = self._read("ids", "id")
        assert isinstance(strings, Strings)
        numbers = None
        if self._times > 1:
            strings, numbers = join_numbers(strings, self._scratch)
        statements.settle(IdTable(strings, self._scratch), columns)
        if numbers is not None:
            statements.renumber(numbers)

    def _write(self, table: str, columns: dict[str, NDArray[Any] | Strings]) -> None:
        import pyarrow as pa

        batch = pa.record_batch({name: _to_arrow(values) for name, values in columns.items()})
        with spill_errors(self._folder.parent):
            self._folder.mkdir(exist_ok=True)
            with pa.OSFile(str(self._file(table, self._count[table])), "wb") as out, pa.ipc.new_file(out, batch.schema) as file:
                file.write_batch(batch)
        self._count[table] += 1

    def _read(self, table: str, name: str) -> NDArray[Any] | Strings:
        if name in _TEXTS:
            return self._read_texts(table, name)
        parts = [column.to_numpy() for column in self._columns(table, name)]
        return self._scratch.joined(parts, parts[0].dtype if parts else np.uint32)

    def _read_texts(self, table: str, name: str) -> Strings:
        parts = [_from_arrow(column) for column in self._columns(table, name)]
        blob = self._scratch.joined([part.blob for part in parts], np.uint8)
        offsets = self._scratch.empty(sum(map(len, parts)) + 1, np.int64)
        offsets[0] = at = end = 0
        for part in parts:
            offsets[at + 1 : at + len(part) + 1] = part.offsets[1:] + end
            at, end = at + len(part), end + len(part.blob)
        return Strings(blob, offsets)

    def _columns(self, table: str, name: str) -> Iterator[Any]:
        import pyarrow as pa

        for number in range(self._count[table]):
            with pa.memory_map(str(self._file(table, number))) as source:
                yield pa.ipc.open_file(source).get_batch(0).column(name)

    def _file(self, table: str, number: int) -> Path:
        return self._folder / f"{table}-{number:05}.arrow"


class IdTable(Mapping[str, int]):
    """Numbers of ids, kept as strings and a table of hashes instead of Python objects."""

    def __init__(self, strings: Strings, scratch: Scratch) -> None:
        self.strings = strings
        row = scratch.row_numbers(len(strings))
        hashes, self._rows = scratch.sort_rows((scratch.hashes(strings), row), (1 << 64, max(1, len(row))))
        self._table = HashTable.of(hashes)

    def __getitem__(self, entity_id: str) -> int:
        encoded = entity_id.encode("utf-8", "surrogatepass")
        place = self._table.find(hash_bytes(encoded))
        while 0 <= place < len(self._rows):  # two ids may have the same hash: then they follow one another
            row = int(self._rows[place])
            if self.strings.raw(row) == encoded:
                return row
            place = place + 1 if (self._table.hashes[place : place + 2] == self._table.hashes[place]).sum() == 2 else -1
        raise KeyError(entity_id)

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


def _to_arrow(values: NDArray[Any] | Strings) -> Any:
    import pyarrow as pa

    if not isinstance(values, Strings):
        return pa.array(values)
    buffers = [None, pa.py_buffer(values.offsets), pa.py_buffer(values.blob)]
    return pa.Array.from_buffers(pa.large_string(), len(values), buffers)


def _from_arrow(column: Any) -> Strings:
    _, offsets, blob = column.buffers()
    return Strings(np.frombuffer(blob or b"", dtype=np.uint8), np.frombuffer(offsets, dtype=np.int64)[: len(column) + 1])
