"""What every table file has: a header, rows some at a time, and a writer that adds columns to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

from eigenthemes.core.progress import Advance

LONGEST_NAME = 500  # letters; a longer cell is a text, and no name
SAMPLE = 500  # rows that are kept of a long table, at least
CHUNK = 10_000  # rows that are read at a time
CHUNK_LETTERS = 1 << 24  # or as many letters


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """How to read a table file; what is None is found from its content.

    header     False: the first row is data, and columns are known by number
    sheet      of a spreadsheet: its name, or its number from 1; None: the first one that has cells
    delimiter  between the cells of a text
    encoding   of a text, as Python calls it
    quotes     False: quotes in a text are letters like the rest
    """

    header: bool = True
    sheet: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    quotes: bool = True


class Rows(Protocol):
    """Some rows of a table."""

    def __len__(self) -> int: ...

    def texts(self, column: int) -> list[str]:
        """The cells of a column as texts; empty where there is nothing, or nothing that is a text."""
        ...

    def values(self, column: int) -> list[Any]:
        """The cells of a column as the format has them; None where there is nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers for a column of some rows: one a row, None where there is no link."""

    ids: list[str | None]
    labels: list[str | None]
    probabilities: list[float | None]

    def columns(self) -> tuple[list[str | None], list[str | None], list[float | None]]:
        return self.ids, self.labels, self.probabilities


class TableWriter(Protocol):
    """Writes the rows of a table with columns more: three for each linked one."""

    def write(self, rows: Rows, answers: Sequence[Answers]) -> None: ...

    def close(self) -> None:
        """Write what is left, and the end."""
        ...


@dataclass(slots=True)
class Look:
    """What a first pass over a table saw.

    rows    how many there are
    sample  some of them, evenly spaced over the file: the first cells as texts, cut where they are too long for a name
    kinds   column -> what its values are: "text", "integer", "number", "boolean", "date", "time"; several where they are mixed
    notes   what is odd about the file, in sentences
    """

    rows: int = 0
    sample: list[tuple[str, ...]] = field(default_factory=list)
    kinds: dict[int, set[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class TableFile(Protocol):
    """An opened table file.

    format   "csv", "tsv", "jsonl", "parquet" or "xlsx"
    header   the names of its columns; empty where there are none
    """

    name: str
    format: str

    @property
    def header(self) -> tuple[str, ...]: ...

    @property
    def width(self) -> int:
        """How many columns it has; of some formats only known after a look."""
        ...

    def look(self, advance: Advance) -> Look:
        """Read the whole file once; whatever is wrong with it is said now."""
        ...

    def chunks(self) -> Iterator[Rows]:
        """Read the file again, some rows at a time."""
        ...

    def writer(self, out: IO[bytes], added: Sequence[str]) -> TableWriter:
        """A writer of the same format that keeps everything as it is, and adds columns of these names."""
        ...


class Sampler:
    """Keeps evenly spaced rows of a table of unknown length: twice `SAMPLE` at most."""

    def __init__(self) -> None:
        self.seen, self.step = 0, 1
        self.kept: list[tuple[str, ...]] = []

    def wants(self) -> bool:
        """Count a row; return whether it is to be added."""
        self.seen += 1
        return (self.seen - 1) % self.step == 0

    def add(self, cells: Sequence[str]) -> None:
        self.kept.append(tuple(cell if len(cell) <= LONGEST_NAME else cell[: LONGEST_NAME + 1] for cell in cells))
        if len(self.kept) > 2 * SAMPLE:
            self.kept = self.kept[::2]
            self.step *= 2


def kind_of_value(value: Any) -> str | None:
    """Return what a value is, in the words of `Look.kinds`; None for nothing."""
    if value is None:
        return None
    return _KINDS.get(type(value), "other")


_KINDS: dict[type, str] = {str: "text", bool: "boolean", int: "integer", float: "number"}
