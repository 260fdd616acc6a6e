"""Statements on disk: parts of tables in Arrow's file format, written while the sources are read.

A part is `<table>-<number>.arrow`, its columns those of `Statements.TABLES`, nodes by number; `ids-<number>.arrow` holds
the ids of the nodes in order of number (an id may have several: `kg.numbering`). Any program that reads Arrow can read them,
and an update could begin with them.
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
from eigenthemes.core.spill import SpillScratch, one_sentence
from eigenthemes.core.strings import HashTable, Strings, hash_bytes
from eigenthemes.kg.numbering import Numbering, join_numbers
from eigenthemes.kg.statements import Statements

_TEXTS = ("name_text", "description_text", "id")
_IDS = 1 << 18  # ids of one part
_PROGRAM, _ID = 150 * 10**6, 170  # bytes of the program itself, and of an id and its number
_EACH = 16  # bytes that a statement takes in memory, about


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
        """Write what was read so far to disk, if it has become much."""
        if _PROGRAM + _ID * self.ids.held > self._scratch.own_memory // 2:
            self.write_ids()
        columns = (statements.edge_source, statements.name_node, statements.description_node, statements.type_node)
        if sum(map(len, columns)) + len(statements.record_node) > self._rows:
            self.write(statements)

    def write(self, statements: Statements) -> None:
        """Write what was read so far to disk."""
        for table, columns in statements.take_rows().items():
            self._write(table, columns)

    def write_ids(self) -> None:
        """Write the ids that are known to disk, and forget them: those that appear again get further numbers."""
        texts = iter(self.ids)
        while some := list(islice(texts, _IDS)):
            self._write("ids", {"id": Strings.of(some)})
        self._times += 1
        self.ids.forget()

    def settle(self, statements: Statements) -> None:
        """Give statements that are read their columns back, as arrays that are mapped, and their ids as a table of strings."""
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
        with one_sentence(self._folder.parent):
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
    """Ids -> their numbers 0, 1, ..., in order; strings and a table of their hashes, nothing of it Python objects."""

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
        return zip(self, range(len(self)), strict=True)

    def values(self) -> Any:
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
