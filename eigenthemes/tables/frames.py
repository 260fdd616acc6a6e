"""Link the cells of data frames of pandas and polars, and of Arrow tables.

None of these libraries is imported unless a frame of it is passed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from eigenthemes.core.checks import check_arguments
from eigenthemes.errors import OptionError
from eigenthemes.records import Table
from eigenthemes.tables.table_documents import PARTS, Columns, column_numbers
from eigenthemes.tables.table_file import ColumnLinks, column_links

if TYPE_CHECKING:
    from eigenthemes.linker import Linker

Frame = TypeVar("Frame")
Added = Sequence[tuple[int, Sequence[str], ColumnLinks]]  # number of a linked column, names of the added ones, their values


@check_arguments
def link_frame(
    linker: Linker,
    frame: Frame,
    *,
    columns: Columns | None = None,
    context: str = "table",
    only_types: Mapping[str | int, Sequence[str]] | None = None,
    suffix: str = "",
) -> Frame:
    """Link the cells of a data frame.

    Parameters
    ----------
    linker : Linker
        Decides the cells.
    frame : pandas.DataFrame, polars.DataFrame, pyarrow.Table or pyarrow.RecordBatch
        Is not changed.
    columns : list of str or int, optional
        Names, or numbers from 0; None: those whose cells are names of the KB.
    context : {"table", "column", "row", "none"}
        Cells that are decided together.
    only_types : dict, optional
        Column -> the types that its cells can mean.
    suffix : str
        Text between the name of a column and _id, _label, _probability.

    Returns
    -------
    frame of the same type
        The frame with three columns added for each linked one.

    Raises
    ------
    OptionError
        If it is no such frame, or a column is unknown or exists already.
    """
    adapter = _adapter(frame)
    header = adapter.header()
    texts = [[value if isinstance(value, str) else "" for value in adapter.values(column)] for column in range(len(header))]
    table = Table(tuple(header), tuple(zip(*texts, strict=True)))
    chosen = None if columns is None else column_numbers(table, columns)
    _check_names(header, chosen or (), suffix)
    linked = linker.link_table(table, columns=chosen, context=context, only_types=only_types)
    _check_names(header, linked.columns, suffix)
    links = zip(linked.columns, column_links(linked, len(table.rows)), strict=True)
    extended: Frame = adapter.extended([(column, _names(header, column, suffix), each) for column, each in links])
    return extended


def _names(header: Sequence[str], column: int, suffix: str) -> list[str]:
    return [f"{header[column] or f'column {column + 1}'}{suffix}{part}" for part in PARTS]


def _check_names(header: Sequence[str], columns: Sequence[int], suffix: str) -> None:
    for name in (name for column in columns for name in _names(header, column, suffix)):
        if name in header:
            raise OptionError(
                f"the frame has a column {name} already; give a suffix that makes another name",
                code="column-taken",
                where=name,
            )


def _adapter(frame: Any) -> _PandasFrame | _PolarsFrame | _ArrowTable:
    """Return the adapter of a frame; its library is imported already, because it made the frame."""
    adapters: dict[tuple[str, str], Callable[[Any], _PandasFrame | _PolarsFrame | _ArrowTable]] = {
        ("pandas", "DataFrame"): _PandasFrame,
        ("polars", "DataFrame"): _PolarsFrame,
        ("pyarrow", "Table"): _ArrowTable,
        ("pyarrow", "RecordBatch"): _ArrowTable,
    }
    for (library, type_name), adapter in adapters.items():
        kind = getattr(sys.modules.get(library), type_name, None)
        if kind is not None and isinstance(frame, kind):
            return adapter(frame)
    if type(frame).__name__ == "LazyFrame":
        raise OptionError("the frame is a LazyFrame of polars; collect() it first", where="frame")
    raise OptionError(
        f"the frame is of the type {type(frame).__name__}; expected a DataFrame of pandas or polars, or a pyarrow.Table",
        where="frame",
    )


def _typed(added: Added, text: Any, number: Any) -> Iterator[tuple[str, list[Any], Any]]:
    """Yield name, values and type of each added column."""
    for _, names, links in added:
        yield from zip(names, links.columns(), (text, text, number), strict=True)


class _PandasFrame:
    """A pandas frame: its index is kept, also where it holds a value twice."""

    def __init__(self, frame: Any) -> None:
        if frame.columns.nlevels > 1:
            raise OptionError(
                f"the frame has columns of {frame.columns.nlevels} levels; flatten them first, e.g. "
                "frame.columns = frame.columns.map('_'.join)",
                where="frame",
            )
        self.frame = frame

    def header(self) -> list[str]:
        return list(map(str, self.frame.columns))

    def values(self, column: int) -> list[Any]:
        series = self.frame.iloc[:, column]
        return [None] * len(series) if series.dtype.kind in "biufcmM" else series.tolist()

    def extended(self, added: Added) -> Any:
        import pandas

        copy = self.frame.copy()
        for each in added:
            for name, values, dtype in _typed([each], self._text_dtype(each[0]), "float64"):
                copy[name] = pandas.Series(values, index=copy.index, dtype=dtype)  # the same index, so nothing is aligned
        return copy

    def _text_dtype(self, column: int) -> Any:
        """Return the type for added texts: that of the linked column, where it is one of texts."""
        import pandas

        dtype = self.frame.iloc[:, column].dtype
        if isinstance(dtype, pandas.StringDtype):
            return dtype
        has_str = int(pandas.__version__.partition(".")[0]) >= 3
        return "str" if has_str and dtype.name != "object" else "object"


class _PolarsFrame:
    """A polars frame."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def header(self) -> list[str]:
        return list(self.frame.columns)

    def values(self, column: int) -> list[Any]:
        values: list[Any] = self.frame.to_series(column).to_list()
        return values

    def extended(self, added: Added) -> Any:
        import polars

        typed = _typed(added, polars.String, polars.Float64)
        return self.frame.with_columns(polars.Series(name, values, dtype=dtype) for name, values, dtype in typed)


class _ArrowTable:
    """An Arrow table or record batch."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def header(self) -> list[str]:
        return list(self.table.schema.names)

    def values(self, column: int) -> list[Any]:
        values: list[Any] = self.table.column(column).to_pylist()
        return values

    def extended(self, added: Added) -> Any:
        import pyarrow

        table = self.table
        for name, values, type_ in _typed(added, pyarrow.string(), pyarrow.float64()):
            table = table.append_column(pyarrow.field(name, type_), pyarrow.array(values, type_))
        return table
