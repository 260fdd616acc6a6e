"""Read CSV records with Python's csv module, and recover from a quote that is not closed in its row.

Such a quote takes the rows behind it into one cell, up to the next quote. Only the row with the quote is lost.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from eigenthemes.core.diagnostics import Diagnostics

_MOST_LINES = 10_000  # of one record
_PROSE = 10  # lines of a cell that may look like rows
_SPACE_AFTER_QUOTE = re.compile(r'"[ \t]+(?=[,;\r\n])')


class CsvRecord(NamedTuple):
    """A record of a CSV file: number of its first line from 1, its cells, and what is wrong with its quotes, if anything."""

    first: int
    cells: list[str]
    fault: str | None = None


def csv_records(lines: Iterable[str], delimiter: str) -> Iterator[CsvRecord]:
    """Yield the records of a CSV text; behind a record with a fault, the rows that it took in."""
    csv.field_size_limit(1 << 30)
    source, first, width = _Lines(iter(lines)), 1, 0
    reader = csv.reader(source, delimiter=delimiter)
    while True:
        cells, fault = list[str](), None
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            fault = str(error)
        record = source.record
        if fault is None and (len(record) > 1 or source.stopped):
            fault = _fault(source, cells, delimiter, width)
        width = width or (len(cells) if any(cells) and not cells[0].lower().startswith("sep=") else 0)
        yield CsvRecord(first, cells, fault)
        source.record = []
        if fault is not None and len(record) > 1:
            # no quote is in the lines between the first and the last, so each is a row; the last may open another quote
            *between, last = record[1:]
            yield from (_row_of_line(number, line, delimiter) for number, line in enumerate(between, first + 1))
            source = _Lines(source.lines, last)
            reader = csv.reader(source, delimiter=delimiter)
            record.pop()
        first += len(record)


def csv_rows(lines: Iterable[str], delimiter: str, origin: str, diagnostics: Diagnostics) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the first line and the cells of each row that is not empty; count rows with a fault as broken."""
    for record in csv_records(lines, delimiter):
        if record.fault is not None:
            diagnostics.add("broken row", f"{origin}:{record.first}", record.fault)
        elif any(record.cells):
            yield record.first, record.cells


def is_well_quoted(lines: Iterable[str], delimiter: str) -> bool:
    """Return whether each quoted cell of these lines ends where its quote does."""
    text = io.StringIO(_SPACE_AFTER_QUOTE.sub('"', "".join(lines)), newline="")
    try:
        for _ in csv.reader(text, delimiter=delimiter, strict=True):
            pass
    except csv.Error:
        return False
    return True


def _row_of_line(number: int, line: str, delimiter: str) -> CsvRecord:
    source = _Lines(iter([line]))
    cells = next(csv.reader(source, delimiter=delimiter))
    return CsvRecord(number, cells, "a quote is not closed in its row" if source.stopped else None)


def _fault(source: _Lines, cells: list[str], delimiter: str, width: int) -> str | None:
    """Return what is wrong with the quotes of a record of several lines, or of the last one."""
    count = len(source.record)
    looks_like_rows = count > _PROSE and all(line.count(delimiter) == width - 1 for line in source.record[1:-1])
    if source.stopped or 0 < width < len(cells) or looks_like_rows or not is_well_quoted(source.record, delimiter):
        behind = f", and {count:,} lines would be one record; those behind it are read as rows" if count > 1 else ""
        return f"a quote is not closed in its row{behind}"
    return None


class _Lines(Iterator[str]):
    """Lines of a text, and those of the current record.

    stopped  the reader requested a line behind the last one, or behind the longest record: a quote is open
    """

    def __init__(self, lines: Iterator[str], *again: str) -> None:
        self.lines, self.again = lines, list(again)
        self.record: list[str] = []
        self.stopped = False

    def __next__(self) -> str:
        line = self.again.pop() if self.again else next(self.lines, None) if len(self.record) < _MOST_LINES else None
        if line is None:
            self.stopped = bool(self.record)
            raise StopIteration
        self.record.append(line)
        return line
