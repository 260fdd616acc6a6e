"""Spreadsheets: a sheet is read as values; columns are added to it in place, and all else in the workbook stays as it is."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

from eigenthemes.core.progress import Advance
from eigenthemes.core.spreadsheets import MOST_COLUMNS, Row, Workbook, cell_text
from eigenthemes.documents.table_files.sheet_xml import SheetEditor
from eigenthemes.documents.table_files.table_file import CHUNK, Answers, Look, Sampler, TableOptions, kind_of_value
from eigenthemes.errors import SourceError


class SheetRows:
    """Rows of a sheet.

    first  number of the first one in the sheet, from 0
    """

    def __init__(self, first: int, rows: list[Row]) -> None:
        self.first, self.rows = first, rows

    def __len__(self) -> int:
        return len(self.rows)

    def texts(self, column: int) -> list[str]:
        return [value if isinstance(value, str) else "" for value in self.values(column)]

    def values(self, column: int) -> list[Any]:
        return [row[column] if column < len(row) else None for row in self.rows]


class SpreadsheetFile:
    """A sheet of a spreadsheet; the first row that has cells is its header."""

    format = "xlsx"

    def __init__(self, path: str, name: str, options: TableOptions) -> None:
        self.path, self.name = path, name
        self.workbook = Workbook(Path(path).read_bytes(), name)
        self.sheet = self.workbook.choose_sheet(options.sheet)
        number, row = next(((number, row) for number, row in enumerate(self.workbook.rows(self.sheet)) if row), (0, []))
        if not row:
            raise SourceError(
                f"the sheet {self.sheet!r} of {name} is empty; a table has at least a header", code="empty-table", where=name
            )
        self.header_row = number if options.header else None
        self.first = number + 1 if options.header else number
        self.header = tuple(cell_text(value).strip() for value in row) if options.header else ()
        self.width = len(row)

    def look(self, advance: Advance) -> Look:
        sampler, kinds = Sampler(), dict[int, set[str]]()
        for row in islice(self.workbook.rows(self.sheet), self.first, None):
            self.width = max(self.width, len(row))
            for column, value in enumerate(row):
                kind = kind_of_value(value)
                if kind is not None:
                    kinds.setdefault(column, set()).add(kind)
            if sampler.wants():
                sampler.add(list(map(cell_text, row)))
        others = [sheet for sheet in self.workbook.sheets if sheet != self.sheet]
        notes = [f"the sheet {self.sheet!r} is linked; others are kept as they are"] if others else []
        return Look(sampler.seen, sampler.kept, kinds, notes)

    def chunks(self) -> Iterator[SheetRows]:
        rows, first = islice(self.workbook.rows(self.sheet), self.first, None), self.first
        while some := list(islice(rows, CHUNK)):
            yield SheetRows(first, some)
            first += len(some)

    def writer(self, out: IO[bytes], added: Sequence[str]) -> SheetWriter:
        if not self.name.lower().endswith((".xlsx", ".xlsm")):
            raise SourceError(
                f"{self.name} is a spreadsheet of a kind that is only read; write an .xlsx file",
                code="table-output",
                where=self.name,
            )
        return SheetWriter(self, out, added)


class SheetWriter:
    """Adds cells to the rows of a sheet, and copies everything else."""

    def __init__(self, file: SpreadsheetFile, out: IO[bytes], added: Sequence[str]) -> None:
        self.out = out
        self.editor = SheetEditor(io.BytesIO(Path(file.path).read_bytes()), file.sheet, file.name)
        width = max(self.editor.width, file.width)
        if width + len(added) > MOST_COLUMNS:
            raise SourceError(
                f"{file.name} would have more than {MOST_COLUMNS:,} columns, which a sheet cannot hold; write another format",
                code="table-output",
                where=file.name,
            )
        self.width = width
        if file.header_row is not None:
            self.editor.add(file.header_row, width, list(added), header=True)

    def write(self, rows: Any, answers: Sequence[Answers]) -> None:
        answered = zip(*(column for answer in answers for column in answer.columns()), strict=True)
        for number, values in enumerate(answered, rows.first):
            if any(value is not None for value in values):
                self.editor.add(number, self.width, list(values))

    def close(self) -> None:
        self.editor.save(self.out)
