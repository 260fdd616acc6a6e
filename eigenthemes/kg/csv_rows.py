"""The rows of a CSV file, where quotes may stray.

A quote that nobody closes takes the rows behind it into one cell, up to the next quote or the end of the file. Such a record is
recognised, its first row is counted as broken, and the rows behind it are read on their own.
"""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterable, Iterator

from eigenthemes.core.diagnostics import Diagnostics

_LONGEST = 10_000  # lines of one record
_MOST_READ_AGAIN = 300_000  # lines, of all records that a stray quote made; then each line is a row
_PROSE = 10  # lines of a cell that may look like rows by chance
_SPACE_BEHIND_QUOTE = re.compile(r'"[ \t]+(?=[,;\r\n])')


def csv_rows(lines: Iterable[str], delimiter: str, origin: str, diagnostics: Diagnostics) -> Iterator[tuple[int, list[str]]]:
    """Yield (number of its first line, cells) of each row that is not empty."""
    csv.field_size_limit(1 << 30)
    kept = _Lines(lines)
    reader = csv.reader(kept, delimiter=delimiter)
    width, read_again = 0, 0  # cells of the header; lines read a second time
    while True:
        kept.begin()
        try:
            cells = next(reader)
            fault = _fault(kept, cells, delimiter, width)
        except StopIteration:
            return
        except csv.Error as error:
            fault = str(error)
        where = f"{origin}:{kept.first}"
        if fault is not None:
            diagnostics.add("broken row", where, fault)
            read_again += kept.return_all_but_first()
            if read_again > _MOST_READ_AGAIN and kept.longest > 1:
                diagnostics.add("too many stray quotes (each line behind is read as a row)", where)
                kept.longest = 1
        elif any(cells):
            if not width and not cells[0].lower().startswith("sep="):
                width = len(cells)
            yield kept.first, cells


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
        or not _is_well_quoted(kept.record, delimiter)
    ):
        return f"a quote is not closed in its row, and {count:,} lines would be one record; those behind it are read as rows"
    return None


def _is_well_quoted(record: list[str], delimiter: str) -> bool:
    """Return whether each quoted cell ends where its quote does."""
    lines = io.StringIO(_SPACE_BEHIND_QUOTE.sub('"', "".join(record)), newline="")
    try:
        next(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error:
        return False
    return True


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
