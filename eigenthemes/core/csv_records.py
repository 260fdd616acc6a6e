"""The records of a CSV file, where quotes may stray.

A quote that nobody closes takes the rows behind it into one cell, up to the next quote or the end of the file. Such a record is
recognised; whoever reads the file says what becomes of it.
"""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from eigenthemes.core.diagnostics import Diagnostics

_LONGEST = 10_000  # lines of one record
_MOST_READ_AGAIN = 300_000  # lines, of all records that a stray quote made; then each line is a row
_PROSE = 10  # lines of a cell that may look like rows by chance
_SPACE_BEHIND_QUOTE = re.compile(r'"[ \t]+(?=[,;\r\n])')


class CsvRecord(NamedTuple):
    """A record of a CSV file.

    first  number of its first line, from 1
    lines  as they stand in the file, line ends included
    cells  what they hold; none for an empty line
    fault  what is wrong with its quotes, if anything
    """

    first: int
    lines: list[str]
    cells: list[str]
    fault: str | None


class CsvRecords(Iterator[CsvRecord]):
    """The records of a CSV file, one after the other."""

    def __init__(self, lines: Iterable[str], delimiter: str) -> None:
        csv.field_size_limit(1 << 30)
        self.delimiter = delimiter
        self._kept = _Lines(lines)
        self._reader = csv.reader(self._kept, delimiter=delimiter)
        self._width = 0  # cells of the header
        self._read_again = 0  # lines read a second time

    def __next__(self) -> CsvRecord:
        kept, cells = self._kept, list[str]()
        kept.begin()
        try:
            cells = next(self._reader)
            fault = _fault(kept, cells, self.delimiter, self._width)
        except csv.Error as error:
            fault = str(error)
        if fault is None and not self._width and any(cells) and not cells[0].lower().startswith("sep="):
            self._width = len(cells)
        return CsvRecord(kept.first, kept.record, cells, fault)

    def read_lines_behind(self) -> bool:
        """Read the lines behind the first one of the last record again, as rows; return whether this was done too often.

        Then every line is a row of its own from now on.
        """
        self._read_again += self._kept.return_all_but_first()
        too_often = self._read_again > _MOST_READ_AGAIN and self._kept.longest > 1
        if too_often:
            self._kept.longest = 1
        return too_often


def csv_rows(lines: Iterable[str], delimiter: str, origin: str, diagnostics: Diagnostics) -> Iterator[tuple[int, list[str]]]:
    """Yield (number of its first line, cells) of each row that is not empty.

    Of a record with a stray quote the first row is counted as broken, and the rows behind it are read on their own.
    """
    records = CsvRecords(lines, delimiter)
    for record in records:
        if record.fault is not None:
            where = f"{origin}:{record.first}"
            diagnostics.add("broken row", where, record.fault)
            if records.read_lines_behind():
                diagnostics.add("too many stray quotes (each line behind is read as a row)", where)
        elif any(record.cells):
            yield record.first, record.cells


def is_well_quoted(record: list[str], delimiter: str) -> bool:
    """Return whether each quoted cell ends where its quote does."""
    lines = io.StringIO(_SPACE_BEHIND_QUOTE.sub('"', "".join(record)), newline="")
    try:
        next(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error:
        return False
    return True


def _fault(kept: _Lines, cells: list[str], delimiter: str, width: int) -> str | None:
    """Say what is wrong with the quotes of a record, if anything."""
    count = len(kept.record)
    if kept.cut and kept.longest == 1:
        return "a quote is not closed in its row"
    if count == 1:
        return None
    if (
        (width and len(cells) > width)
        or (count > _PROSE and all(line.count(delimiter) == width - 1 for line in kept.record[1:-1]))
        or not is_well_quoted(kept.record, delimiter)
    ):
        return f"a quote is not closed in its row, and {count:,} lines would be one record; those behind it are read as rows"
    return None


class _Lines(Iterator[str]):
    """Lines, and those of the record that is being read, which may be read again."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = iter(lines)
        self.again: deque[str] = deque()
        self.record: list[str] = []
        self.number = 0  # of the last line read
        self.first = 0  # line of the record
        self.longest = _LONGEST
        self.cut = False  # whether the record would go on

    def begin(self) -> None:
        self.record, self.first, self.cut = [], self.number + 1, False

    def return_all_but_first(self) -> int:
        """Let all lines of the record but the first be read again; return how many."""
        self.again.extendleft(reversed(self.record[1:]))
        self.number = self.first
        return len(self.record) - 1

    def __next__(self) -> str:
        if len(self.record) >= self.longest:
            self.cut = True
            raise StopIteration
        line = self.again.popleft() if self.again else next(self.lines)
        self.number += 1
        self.record.append(line)
        return line
