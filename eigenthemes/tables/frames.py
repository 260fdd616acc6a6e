"""Link the cells of data frames of pandas and polars, and of Arrow tables.

None of these libraries is imported unless a frame of it is passed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from eigenthemes.core.checks import check_arguments
from eigenthemes.errors import OptionError
from eigenthemes.records import Table
from eigenthemes.tables.table_documents import Columns, added_names, column_numbers
from eigenthemes.tables.table_file import added_columns, column_links

if TYPE_CHECKING:
    from eigenthemes.linker import Linker

Frame = TypeVar("Frame")
Added = Sequence[tuple[str, list[Any]]]  # names and values of the added columns: three for each linked one


@check_arguments
def link_frame(
    linker: Linker,
    frame: Frame,
    *,
    columns: Columns | None = None,
    context: str = "table",
    only_types: Mapping[str | int, str | Sequence[str]] | None = None,
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
    given: Any = frame
    library = _library_of(given)
    header = list(map(str, given.schema.names if library == "pyarrow" else given.columns))
    texts = [_texts(library, given, number) for number in range(len(header))]
    table = Table(tuple(header), tuple(zip(*texts, strict=True)))
    if columns is not None:
        columns = column_numbers(table, columns)
        added_names([table.column_name(number) for number in columns], suffix, header, "the frame")  # before the work
    linked = linker.link_table(table, columns=columns, context=context, only_types=only_types)
    names = added_names([table.column_name(number) for number in linked.columns], suffix, header, "the frame")
    values = added_columns(column_links(linked, len(table.rows)))
    extended: Frame = _EXTENDED[library](given, list(zip(names, values, strict=True)), linked.columns)
    return extended


def _library_of(frame: Any) -> str:
    """Return the library that made a frame, which is imported already."""
    for library, type_name in _FRAMES:
        kind = getattr(sys.modules.get(library), type_name, None)
        if kind is not None and isinstance(frame, kind):
            if library == "pandas" and frame.columns.nlevels > 1:
                problem = f"the frame has columns of {frame.columns.nlevels} levels; flatten them first"
                raise OptionError(f"{problem}, e.g. frame.columns = frame.columns.map('_'.join)", where="frame")
            return library
    if type(frame).__name__ == "LazyFrame":
        raise OptionError("the frame is a LazyFrame of polars; collect() it first", where="frame")
    expected = "expected a DataFrame of pandas or polars, or a pyarrow.Table"
    raise OptionError(f"the frame is of the type {type(frame).__name__}; {expected}", where="frame")


def _texts(library: str, frame: Any, number: int) -> list[str]:
    """Return the cells of a column that are texts; empty for others."""
    if library == "pandas":
        values = frame.iloc[:, number].tolist()
    elif library == "polars":
        values = frame.to_series(number).to_list()
    else:
        values = frame.column(number).to_pylist()
    return [value if isinstance(value, str) else "" for value in values]


# frames with columns added: names and values of ids, labels and probabilities for each linked column


def _extended_pandas(frame: Any, added: Added, linked: Sequence[int]) -> Any:
    """Return a copy; its index is kept, also where it holds a value twice."""
    import pandas

    copy = frame.copy()
    for place, (name, values) in enumerate(added):
        dtype = "float64" if place % 3 == 2 else _text_dtype(frame.iloc[:, linked[place // 3]].dtype)
        copy[name] = pandas.Series(values, index=copy.index, dtype=dtype)  # the same index, so nothing is aligned
    return copy


def _text_dtype(dtype: Any) -> Any:
    """Return the type for added texts: that of the linked column, where it is one of texts."""
    import pandas

    if isinstance(dtype, pandas.StringDtype):
        return dtype
    has_str = int(pandas.__version__.partition(".")[0]) >= 3
    return "str" if has_str and dtype.name != "object" else "object"


def _extended_polars(frame: Any, added: Added, linked: Sequence[int]) -> Any:
    import polars

    types = (polars.String, polars.String, polars.Float64)
    return frame.with_columns(polars.Series(name, values, dtype=types[at % 3]) for at, (name, values) in enumerate(added))


def _extended_arrow(frame: Any, added: Added, linked: Sequence[int]) -> Any:
    import pyarrow

    types = (pyarrow.string(), pyarrow.string(), pyarrow.float64())
    for at, (name, values) in enumerate(added):
        frame = frame.append_column(pyarrow.field(name, types[at % 3]), pyarrow.array(values, types[at % 3]))
    return frame


_FRAMES = (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table"), ("pyarrow", "RecordBatch"))
_EXTENDED = {"pandas": _extended_pandas, "polars": _extended_polars, "pyarrow": _extended_arrow}
