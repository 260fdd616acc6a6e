"""Choose the columns of a table that hold names, and form documents from the cells that are decided together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenthemes.documents.json_lines import document_of
from eigenthemes.errors import OptionError
from eigenthemes.kb.name_arrays import CORE
from eigenthemes.names.detector import cells
from eigenthemes.names.generator import CandidateGenerator
from eigenthemes.names.retrieval import OTHER_FORM, REMEMBERED
from eigenthemes.records import Document, Mention, Table

CONTEXTS = {
    "table": "all cells of the table",
    "column": "the cells of a column",
    "row": "the cells of a row",
    "none": "every cell alone",
}
Columns = Sequence[str | int]
PARTS = ("_id", "_label", "_probability")  # endings of the names of the added columns

_SAMPLE = 200  # distinct cells of a column that are looked up to see whether they are names
_LEAST_KNOWN = 0.3  # share of them that must be complete names of the KB
_LONGEST = 80  # characters of a median cell; longer ones are sentences


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """Statistics of the cells of a column.

    named     whether the column is linked as one of names
    why       the reason in words
    cells     number of cells that are not empty
    distinct  number of distinct cells that have a letter
    known     share of the cells looked up that are a complete name of the KB
    """

    column: int
    name: str
    named: bool
    why: str
    cells: int
    distinct: int
    known: float


def table_of(given: Table | Mapping[str, Any]) -> Table:
    """Return a table from a `Table`, or from a mapping with "header" and "rows"."""
    if isinstance(given, Table):
        return given
    table = document_of({"table": dict(given), "mentions": []}).table
    assert table is not None
    return table


def column_numbers(table: Table, columns: Columns) -> tuple[int, ...]:
    """Return the numbers of columns given by name or number from 0, in their order in the table."""
    if isinstance(columns, str):
        raise OptionError(f"columns is the string {columns!r}; expected a list of names", where="columns")
    numbers = {_column_number(table, column) for column in columns}
    if not numbers:
        raise OptionError("columns is empty; name at least one column, or leave it out", where="columns")
    return tuple(sorted(numbers))


def _column_number(table: Table, column: str | int) -> int:
    width = _width(table)
    if isinstance(column, int) and not isinstance(column, bool):
        if 0 <= column < width:
            return column
        raise OptionError(f"there is no column {column}; expected a number from 0 to {width - 1}", where="columns")
    places = [number for number, name in enumerate(table.header) if name == column]
    if len(places) == 1:
        return places[0]
    listed = ", ".join(repr(name) for name in table.header[:12]) + (" ..." if len(table.header) > 12 else "")
    if places:
        at = " and ".join(map(str, places))
        raise OptionError(f"{len(places)} columns are called {column!r}; give the number of one ({at})", where="columns")
    raise OptionError(f"there is no column {column!r}; the table has {listed or 'no header'}", where="columns")


def _width(table: Table) -> int:
    return max([len(table.header), *map(len, table.rows)], default=0)


def added_names(names: Sequence[str], suffix: str, header: Sequence[str], where: str) -> list[str]:
    """Return the names of the columns that are added for columns of these names; refuse one that the table has."""
    added = [f"{name}{suffix}{part}" for name in names for part in PARTS]
    taken = next((name for name in added if name in header), None)
    if taken is not None:
        problem = f"{where} has a column {taken} already; give a suffix that makes another name"
        raise OptionError(problem, code="column-taken", where=taken)
    return added


def types_by_column(table: Table, only_types: Mapping[str | int, str | Sequence[str]]) -> dict[int, tuple[str, ...]]:
    """Return number of a column -> the types that its cells can mean, for columns given by name or number."""
    return {
        column_numbers(table, [column])[0]: (types,) if isinstance(types, str) else tuple(types)
        for column, types in only_types.items()
    }


def profile_columns(table: Table, generator: CandidateGenerator) -> list[ColumnProfile]:
    """Return a profile of every column: whether its cells are names of the KB."""
    by_column: list[dict[str, None]] = [{} for _ in range(_width(table))]
    for mention in cells(table):
        by_column[mention.col or 0][mention.text] = None
    return [_profile(table, column, list(distinct), generator) for column, distinct in enumerate(by_column)]


def _profile(table: Table, column: int, distinct: list[str], generator: CandidateGenerator) -> ColumnProfile:
    filled = sum(1 for row in table.rows if column < len(row) and row[column].strip())
    name = table.header[column] if column < len(table.header) else ""
    sample = [distinct[place] for place in np.linspace(0, len(distinct) - 1, min(len(distinct), _SAMPLE)).astype(int).tolist()]
    known = _share_of_names(sample, generator) if sample else 0.0
    usual_length = sorted(map(len, sample))[len(sample) // 2] if sample else 0
    named, why = False, f"{known:.0%} of its cells are names of the KB"
    if not filled:
        why = "it is empty"
    elif not distinct:
        why = "its cells have no letters"
    elif usual_length > _LONGEST:
        why = "its cells are whole texts"
    elif usual_length == 1:
        why = "its cells are single letters"
    else:
        named = known >= _LEAST_KNOWN
        if named and name and _share_of_names([name], generator):
            why += f", and so is its header {name!r}; if that is a row, read the table without a header"
    return ColumnProfile(column, name, named, why, filled, len(distinct), known)


def _share_of_names(names: list[str], generator: CandidateGenerator) -> float:
    table = generator.find_batch(names)
    whole = (table.match_type <= CORE) | np.isin(table.match_type, (OTHER_FORM, REMEMBERED))
    return len(np.unique(table.mention_of[whole])) / len(names)


def documents_of(
    table: Table, columns: Sequence[int], context: str, only_types: Mapping[int, tuple[str, ...]] | None = None
) -> list[Document]:
    """Return a document for each group of cells of these columns that are decided together.

    only_types  column -> the types that its cells can mean
    """
    if context not in CONTEXTS:
        raise OptionError(f"context is {context!r}; expected one of {', '.join(CONTEXTS)}", where="context")
    groups: dict[Any, list[Mention]] = {}
    for mention in cells(table):
        if mention.col in columns:
            types = (only_types or {}).get(mention.col or 0)
            groups.setdefault(_group(mention, context), []).append(replace(mention, only_types=types) if types else mention)
    return [Document(table=table, mentions=tuple(mentions)) for mentions in groups.values()]


def _group(mention: Mention, context: str) -> Any:
    return {"table": None, "column": mention.col, "row": mention.row, "none": (mention.row, mention.col)}[context]
