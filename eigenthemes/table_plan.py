"""What is wanted of a table file, and which of its columns are linked how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from eigenthemes.documents.table_files.table_file import CHUNK, SAMPLE, Look, TableFile
from eigenthemes.errors import OptionError
from eigenthemes.linker import Linker
from eigenthemes.records import LinkedTable, Table
from eigenthemes.tables import CONTEXTS, PARTS, ColumnProfile, Columns, column_numbers, profile_columns

_WITH_OTHER_ROWS = ("table", "column")  # contexts in which rows speak for each other

Texts = list[list[str]]  # of some rows, column by column
OnSample = Callable[[LinkedTable], None]


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """What is linked, and how; workers get it with every chunk.

    names   what the linked columns are called
    types   number of a linked column among these -> the types that its cells can mean
    others  rows from all over the file that are decided together with each chunk, column by column
    """

    names: tuple[str, ...]
    context: str
    types: dict[str | int, Sequence[str]]
    others: Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTask:
    """What is wanted of a table: see `link_table_file`."""

    columns: Columns | None = None
    context: str = "table"
    only_types: Mapping[str | int, Sequence[str]] = field(default_factory=dict)
    suffix: str = ""
    sssom: str | Path | None = None
    jobs: int = 1
    on_sample: OnSample | None = None

    def __post_init__(self) -> None:
        if self.context not in CONTEXTS:
            raise OptionError(f"context is {self.context!r}; expected one of {', '.join(CONTEXTS)}", where="context")


@dataclass(slots=True)
class TableSummary:
    """What became of a table.

    columns   the names of the linked ones
    profiles  of all columns, why they were taken for names or not; empty where the columns were given
    cells     column -> cells that are not empty
    linked    column -> cells that were linked
    notes     what is odd about the file, in sentences
    """

    rows: int = 0
    columns: tuple[str, ...] = ()
    profiles: list[ColumnProfile] = field(default_factory=list)
    cells: dict[str, int] = field(default_factory=dict)
    linked: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def plan_columns(
    linker: Linker, table: TableFile, look: Look, task: TableTask, report: TableSummary
) -> tuple[tuple[int, ...], ColumnPlan]:
    """Return the numbers of the columns to link, and how; the report gets why these."""
    sample = Table(_padded(table.header, table.width), tuple(look.sample))
    if task.columns is None:
        report.profiles = profile_columns(sample, linker.batches.generator)
        chosen = _named(table.name, report.profiles)
    else:
        chosen = column_numbers(sample, task.columns)
    types = _types(linker, sample, chosen, task.only_types)
    names = report.columns = _names(table, chosen)
    report.cells, report.linked = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    return chosen, ColumnPlan(names, task.context, types, _others(look, chosen) if task.context in _WITH_OTHER_ROWS else [])


def _named(name: str, profiles: list[ColumnProfile]) -> tuple[int, ...]:
    named = tuple(profile.column for profile in profiles if profile.named)
    if not named:
        found = "; ".join(f"{_shown(profile)}: {profile.why}" for profile in profiles[:6]).replace("; ", ", ")
        raise OptionError(f"no column of {name} looks like names ({found}); name the columns", code="columns-needed")
    return named


def _shown(profile: ColumnProfile) -> str:
    return profile.name or f"column {profile.column + 1}"


def _padded(header: tuple[str, ...], width: int) -> tuple[str, ...]:
    return header + ("",) * (width - len(header))


def _names(table: TableFile, chosen: tuple[int, ...]) -> tuple[str, ...]:
    """Return what linked columns are called: their names, with the number where two are called the same."""
    header = _padded(table.header, table.width)
    names = [header[number] or f"column {number + 1}" for number in chosen]
    return tuple(f"{name}_{number + 1}" if names.count(name) > 1 else name for name, number in zip(names, chosen, strict=True))


def added_names(table: TableFile, names: tuple[str, ...], suffix: str) -> list[str]:
    added = [f"{name}{suffix}{part}" for name in names for part in PARTS]
    taken = [name for name in added if name in table.header]
    if taken:
        raise OptionError(
            f"{table.name} has a column {taken[0]} already; give a suffix that makes another name",
            code="column-taken",
            where=taken[0],
        )
    return added


def _types(
    linker: Linker, sample: Table, chosen: tuple[int, ...], only_types: Mapping[str | int, Sequence[str]]
) -> dict[str | int, Sequence[str]]:
    """Return the types of linked columns, by the number of the column among these."""
    types: dict[str | int, Sequence[str]] = {}
    for column, only in only_types.items():
        (number,) = column_numbers(sample, [column])
        name = sample.header[number] or f"column {number + 1}"
        if number not in chosen:
            raise OptionError(f"types are given for the column {name}, which is not linked; link it, too", where="only_types")
        try:
            linker.batches.generator_of(tuple(only))
        except OptionError as error:
            raise OptionError(f"column {name}: {error}", code=error.code, where=error.where) from None
        types[chosen.index(number)] = tuple(only)
    return types


def _others(look: Look, chosen: tuple[int, ...]) -> Texts:
    """Return rows from all over a long table, column by column; none of a table that is linked at once."""
    if look.rows <= CHUNK:
        return []
    places = np.linspace(0, len(look.sample) - 1, min(len(look.sample), SAMPLE)).astype(int).tolist()
    return columns_of([look.sample[place] for place in places], chosen)


def columns_of(rows: list[tuple[str, ...]], chosen: tuple[int, ...]) -> Texts:
    return [[row[number] if number < len(row) else "" for row in rows] for number in chosen]
