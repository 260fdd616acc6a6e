"""The parts that all formats of table files share: options, rows, links, and the interfaces of readers and writers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, NamedTuple

import numpy as np
import orjson

from eigenthemes.core.progress import Advance
from eigenthemes.core.spreadsheets import cell_text
from eigenthemes.errors import SourceError
from eigenthemes.records import LinkedTable

LONGEST_NAME = 500  # characters; a longer cell is a text, not a name
SAMPLE = 500  # rows that are kept of a long table, at least
CHUNK = 10_000  # rows that are read at a time
CHUNK_SIZE = 1 << 24  # or as many characters


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """Options for reading a table file; those that are None are detected.

    Parameters
    ----------
    header : bool
        False: the first row is data, and columns are given by number.
    sheet : str, optional
        Sheet of a spreadsheet, by name or number from 1; None: the first one that has cells.
    delimiter : str, optional
        Character between the cells of a CSV or TSV file.
    encoding : str, optional
        Encoding of a CSV or TSV file, by its Python name.
    quotes : bool
        False: quotes in a CSV or TSV file are characters like any other.
    """

    header: bool = True
    sheet: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    quotes: bool = True


@dataclass(slots=True)
class Rows:
    """Consecutive rows of a table.

    cells  with the types of the format; None for missing ones
    lines  the rows as they are in the file, if it is written with the same lines
    """

    cells: list[list[Any]] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.cells)

    def values(self, column: int) -> list[Any]:
        """Return the cells of a column."""
        return [row[column] for row in self.cells]

    def texts(self, column: int) -> list[str]:
        """Return the cells of a column that are texts; empty for others."""
        return [value if isinstance(value, str) else "" for value in self.values(column)]

    def extended(self, width: int, links: Sequence[ColumnLinks]) -> Iterator[tuple[Any, ...]]:
        """Yield the first cells of each row, with those of the added columns behind them."""
        return zip(*map(self.values, range(width)), *added_columns(links), strict=True)


class ColumnLinks(NamedTuple):
    """The links of a column of some rows: one per row, None where there is no link."""

    ids: list[str | None]
    labels: list[str | None]
    probabilities: list[float | None]


def column_links(linked: LinkedTable, rows: int) -> list[ColumnLinks]:
    """Return the links of the first rows of a table, for each of its linked columns."""
    by_column = {column: ColumnLinks([None] * rows, [None] * rows, [None] * rows) for column in linked.columns}
    for link in linked.links:
        row = link.mention.row or 0
        if link.entity is not None and row < rows:
            links = by_column[link.mention.col or 0]
            links.ids[row], links.labels[row] = link.entity, link.label
            links.probabilities[row] = None if link.probability is None else round(link.probability, 4)
    return list(by_column.values())


def added_columns(links: Sequence[ColumnLinks]) -> list[list[Any]]:
    """Return the columns that are added to a table: three for each linked one."""
    return [column for each in links for column in each]


class TableWriter(ABC):
    """Writes the rows of a table with the added columns.

    notes  remarks for the user, complete after `close`
    """

    def __init__(self, table: TableFile, out: IO[bytes]) -> None:
        self.table, self.out = table, out
        self.notes: list[str] = []

    @abstractmethod
    def write(self, rows: Any, links: Sequence[ColumnLinks]) -> None:
        """Write consecutive rows."""

    def close(self) -> None:  # noqa: B027
        """Write what is still in memory."""

    def discard(self) -> None:  # noqa: B027
        """Remove temporary files; called in any case, also after `close`."""


@dataclass(slots=True)
class Scan:
    """Findings of the first pass over a table.

    rows    number of rows
    sample  evenly spaced rows: their first cells as texts, shortened where they are too long for a name
    kinds   column -> kinds of its values: "text", "integer", "number", "boolean", "other"
    notes   remarks for the user
    """

    rows: int = 0
    sample: list[tuple[str, ...]] = field(default_factory=list)
    kinds: dict[int, set[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def spread(self) -> list[tuple[str, ...]]:
        """Return up to `SAMPLE` of the rows, evenly spaced."""
        places = np.linspace(0, len(self.sample) - 1, min(len(self.sample), SAMPLE)).astype(int).tolist()
        return [self.sample[place] for place in places]


class TableFile(ABC):
    """An opened table file.

    source  path that was opened; "-" for standard input
    format  "csv", "tsv", "jsonl", "parquet" or "xlsx"
    header  names of the columns; empty without a header
    width   number of columns; final after `scan`
    """

    source: str
    name: str
    format: str
    header: tuple[str, ...]
    width: int

    @abstractmethod
    def rows(self, advance: Advance = lambda amount: None) -> Iterator[tuple[list[Any], bytes]]:
        """Read the file from its beginning: the cells of each row, as many as the table is wide, and its line if it is kept."""

    @abstractmethod
    def writer(self, out: IO[bytes], added: Sequence[str]) -> TableWriter:
        """Return a writer of the same format that adds columns with these names."""

    def notes(self) -> list[str]:
        """Return remarks for the user, after all rows were read."""
        return []

    def error(self, problem: str, code: str | None = None) -> SourceError:
        """Return an error whose sentence begins with the name of the file."""
        return SourceError(f"{self.name} {problem}", code=code, where=self.name)

    @property
    def full_header(self) -> tuple[str, ...]:
        """The names of all columns; empty for those that the header does not name."""
        return self.header + ("",) * (self.width - len(self.header))

    def column_names(self) -> list[str]:
        """Return a distinct name for each column: "column N" where the header has none."""
        names: list[str] = []
        for name in self.full_header:
            name = name or f"column {len(names) + 1}"
            while name in names:
                name += "_"
            names.append(name)
        return names

    def scan(self, advance: Advance) -> Scan:
        """Read the complete file once, and raise an error if any part of it cannot be read."""
        types, sample = list[set[type]](), list[tuple[str, ...]]()
        rows, step = 0, 1  # of `step` rows, the sample has one; twice `SAMPLE` at most
        for rows, (row, _) in enumerate(self.rows(advance), 1):
            types += (set() for _ in range(len(row) - len(types)))
            for kinds, value in zip(types, row, strict=False):
                kinds.add(type(value))
            if (rows - 1) % step == 0:
                cells = ("" if isinstance(value, dict | list) else cell_text(value) for value in row)
                sample.append(tuple(cell[: LONGEST_NAME + 1] for cell in cells))
            if len(sample) > 2 * SAMPLE:
                sample, step = sample[::2], 2 * step
        self.width = max(self.width, len(types))
        named = {column: {_KINDS.get(each, "other") for each in kinds - {type(None)}} for column, kinds in enumerate(types)}
        return Scan(rows, sample, named, self.notes())

    def chunks(self) -> Iterator[Rows]:
        """Read the file again, up to `CHUNK` rows at a time."""
        chunk, size = Rows(), 0
        for row, line in self.rows():
            chunk.cells.append(row)
            chunk.lines.append(line)
            size += sum(map(len, map(str, row)))
            if len(chunk) >= CHUNK or size >= CHUNK_SIZE:
                yield chunk
                chunk, size = Rows(), 0
        if chunk.cells:
            yield chunk


_KINDS: dict[type, str] = {str: "text", bool: "boolean", int: "integer", float: "number"}


def value_text(value: Any) -> str:
    """Return a value as a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and not value.is_integer():
        return repr(value)
    if isinstance(value, dict | list):
        return orjson.dumps(value, default=str).decode()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return cell_text(value)
