"""Data frames in, the same frames with links out: pandas, polars and pyarrow.

None of these libraries is imported here unless somebody passes a frame of it, and then it is there.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from eigenthemes.errors import OptionError
from eigenthemes.records import LinkedTable, Table
from eigenthemes.tables import PARTS, Columns, column_numbers

if TYPE_CHECKING:
    from eigenthemes.linker import Linker

Frame = TypeVar("Frame")
Values = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]  # ids, labels, probabilities


class _Adapter(Protocol):
    """How the frames of a library are read and extended."""

    def header(self) -> list[str]: ...

    def texts(self, column: int) -> list[str]:
        """The cells of a column: empty where nothing is, or what is no text."""
        ...

    def extended(self, added: Sequence[tuple[int, Sequence[str], Values]]) -> Any:
        """A new frame with the answers for some columns at its end."""
        ...


def link_frame(
    linker: Linker,
    frame: Frame,
    *,
    columns: Columns | None = None,
    context: str = "table",
    only_types: Mapping[str | int, Sequence[str]] | None = None,
    suffix: str = "",
) -> Frame:
    """Link the cells of a data frame: see `Linker.link_frame`."""
    adapter = _adapter(frame)
    header = adapter.header()
    table = Table(tuple(header), tuple(zip(*map(adapter.texts, range(len(header))), strict=True)))
    if columns is not None:
        chosen: Sequence[int] | None = column_numbers(table, columns)
        _check_names(header, chosen or (), suffix)
    else:
        chosen = None
    linked = linker.link_table(table, columns=chosen, context=context, only_types=only_types)
    _check_names(header, linked.columns, suffix)
    rows = len(table.rows)
    added = [(column, _names(linked, column, suffix), _values(linked, column, rows)) for column in linked.columns]
    extended: Frame = adapter.extended(added)
    return extended


def _names(linked: LinkedTable, column: int, suffix: str) -> list[str]:
    return [f"{linked.column_name(column)}{suffix}{part}" for part in PARTS]


def _check_names(header: Sequence[str], columns: Sequence[int], suffix: str) -> None:
    for column in columns:
        for part in PARTS:
            name = f"{header[column] or f'column {column + 1}'}{suffix}{part}"
            if name in header:
                raise OptionError(
                    f"the frame has a column {name} already; give a suffix that makes another name",
                    code="column-taken",
                    where=name,
                )


def _values(linked: LinkedTable, column: int, rows: int) -> Values:
    ids: list[str | None] = [None] * rows
    labels: list[str | None] = [None] * rows
    probabilities: list[float | None] = [None] * rows
    for link in linked.links:
        if link.mention.col == column and link.entity is not None:
            row = link.mention.row or 0
            ids[row], labels[row] = link.entity, link.label
            probabilities[row] = None if link.probability is None else round(link.probability, 4)
    return ids, labels, probabilities


def _adapter(frame: Any) -> _Adapter:
    """Return what reads a frame; its library is imported already, for it made the frame."""
    for library, type_name, adapter in (
        ("pandas", "DataFrame", _PandasFrame),
        ("polars", "DataFrame", _PolarsFrame),
        ("pyarrow", "Table", _ArrowTable),
        ("pyarrow", "RecordBatch", _ArrowTable),
    ):
        kind = getattr(sys.modules.get(library), type_name, None)
        if kind is not None and isinstance(frame, kind):
            return adapter(frame)
    if type(frame).__name__ == "LazyFrame":
        raise OptionError("the frame is a LazyFrame of polars; collect() it first", where="frame")
    raise OptionError(
        f"the frame is of the type {type(frame).__name__}; expected a DataFrame of pandas or polars, or a pyarrow.Table",
        where="frame",
    )


class _PandasFrame:
    """A frame of pandas: its index stays, also where it holds a value twice."""

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

    def texts(self, column: int) -> list[str]:
        series = self.frame.iloc[:, column]
        if series.dtype.kind in "biufcmM":
            return [""] * len(series)
        return [value if isinstance(value, str) else "" for value in series.tolist()]

    def extended(self, added: Sequence[tuple[int, Sequence[str], Values]]) -> Any:
        import pandas

        copy = self.frame.copy()
        for column, names, answers in added:
            text = self._text_dtype(column)
            for name, values, dtype in zip(names, answers, (text, text, "float64"), strict=True):
                copy[name] = pandas.Series(values, index=copy.index, dtype=dtype)  # the same index, so nothing is aligned
        return copy

    def _text_dtype(self, column: int) -> Any:
        """Texts of the new columns are of the type of the linked one, where that is one of texts."""
        import pandas

        dtype = self.frame.iloc[:, column].dtype
        if isinstance(dtype, pandas.StringDtype):
            return dtype
        return "str" if _has_str(pandas) and dtype.name != "object" else "object"


def _has_str(pandas: Any) -> bool:
    """Return whether this pandas has a type of its own for texts (3 and newer)."""
    return int(pandas.__version__.partition(".")[0]) >= 3


class _PolarsFrame:
    """A frame of polars."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def header(self) -> list[str]:
        return list(self.frame.columns)

    def texts(self, column: int) -> list[str]:
        values = self.frame.to_series(column).to_list()
        return [value if isinstance(value, str) else "" for value in values]

    def extended(self, added: Sequence[tuple[int, Sequence[str], Values]]) -> Any:
        import polars

        types: tuple[Any, ...] = (polars.String, polars.String, polars.Float64)
        return self.frame.with_columns(
            polars.Series(name, list(values), dtype=dtype)
            for _, names, answers in added
            for name, values, dtype in zip(names, answers, types, strict=True)
        )


class _ArrowTable:
    """A table or a batch of Arrow."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def header(self) -> list[str]:
        return list(self.table.schema.names)

    def texts(self, column: int) -> list[str]:
        return [value if isinstance(value, str) else "" for value in self.table.column(column).to_pylist()]

    def extended(self, added: Sequence[tuple[int, Sequence[str], Values]]) -> Any:
        import pyarrow

        types = (pyarrow.string(), pyarrow.string(), pyarrow.float64())
        table = self.table
        for _, names, answers in added:
            for name, values, type_ in zip(names, answers, types, strict=True):
                table = table.append_column(pyarrow.field(name, type_), pyarrow.array(values, type_))
        return table
