"""Data frames: index, order and types stay, missing values stay missing, and no library is imported for nothing."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from eigenthemes import KB, Linker, OptionError, link_frame

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

CITIES = ["Paris", None, "Iowa", "Nowhere Land", "Paris"]
IDS = ["paris", None, "iowa", None, "paris"]
ADDED = ["city_id", "city_label", "city_probability"]


def missing_as_none(values: Any) -> list[Any]:
    return [None if pandas.isna(value) else value for value in values]


@pytest.mark.parametrize("dtype", ["object", "str", "string", "category", "string[pyarrow]"])
def test_pandas_keeps_index_and_types(degree_linker: Linker, dtype: str) -> None:
    frame = pandas.DataFrame(
        {
            "city": pandas.Series(CITIES, dtype=dtype),
            "n": pandas.array([1, None, 3, 4, 5], dtype="Int8"),
            "when": pandas.to_datetime(["2020-01-01"] * 5),
            "flag": [True, False, True, False, True],
        }
    )
    frame.index = pandas.Index([7, 7, "a", None, 7], name="key")
    before = frame.copy(deep=True)
    linked = degree_linker.link_frame(frame, columns=["city"])
    assert list(linked.columns) == [*before.columns, *ADDED]
    pandas.testing.assert_frame_equal(linked[list(before.columns)], before)
    pandas.testing.assert_frame_equal(frame, before)
    assert missing_as_none(linked["city_id"]) == IDS
    assert linked["city_probability"].dtype == "float64"
    if dtype in ("object", "string", "str"):
        assert linked["city_id"].dtype == frame["city"].dtype


def test_pandas_with_levels(degree_linker: Linker) -> None:
    index = pandas.MultiIndex.from_tuples([("a", 1), ("a", 1)], names=["x", "y"])
    linked = degree_linker.link_frame(pandas.DataFrame({"city": ["Paris", "Iowa"]}, index=index), columns=["city"])
    assert linked.index.equals(index)
    assert list(linked["city_id"]) == ["paris", "iowa"]
    frame = pandas.DataFrame([["Paris"]], columns=pandas.MultiIndex.from_tuples([("a", "city")]))
    with pytest.raises(OptionError, match="columns of 2 levels; flatten them first"):
        degree_linker.link_frame(frame, columns=["city"])


def test_pandas_columns_that_are_numbers_or_called_the_same(degree_linker: Linker) -> None:
    frame = pandas.DataFrame([["Paris", 1, "Iowa"]], columns=["a", "a", 3])
    with pytest.raises(OptionError, match="2 columns are called 'a'"):
        degree_linker.link_frame(frame, columns=["a"])
    linked = degree_linker.link_frame(frame, columns=[2])
    assert linked["3_id"].tolist() == ["iowa"]
    assert linked.iloc[0, :3].tolist() == ["Paris", 1, "Iowa"]
    assert degree_linker.link_frame(frame, columns=[0])["a_id"].tolist() == ["paris"]


def test_polars_keeps_types(degree_linker: Linker) -> None:
    for dtype in (polars.String, polars.Categorical):
        frame = polars.DataFrame(
            {"city": polars.Series(CITIES, dtype=dtype), "n": polars.Series([1, None, 3, 4, 5], dtype=polars.Int8)}
        )
        linked = degree_linker.link_frame(frame, columns=["city"])
        assert linked.select(frame.columns).equals(frame)
        assert linked.schema == {
            **frame.schema,
            **dict(zip(ADDED, (polars.String, polars.String, polars.Float64), strict=True)),
        }
        assert linked["city_id"].to_list() == IDS
    with pytest.raises(OptionError, match=r"LazyFrame of polars; collect\(\) it first"):
        degree_linker.link_frame(frame.lazy(), columns=["city"])


def test_arrow_keeps_schema_and_metadata(degree_linker: Linker) -> None:
    table = pa.table({"city": pa.chunked_array([CITIES[:2], CITIES[2:]]), "n": pa.array(range(5), pa.uint8())})
    table = table.replace_schema_metadata({"owner": "x"})
    linked = degree_linker.link_frame(table, columns=["city"])
    assert linked.select(["city", "n"]).equals(table)
    assert linked.schema.metadata == {b"owner": b"x"}
    assert linked["city_id"].to_pylist() == IDS
    batch = degree_linker.link_frame(table.combine_chunks().to_batches()[0], columns=["city"])
    assert isinstance(batch, pa.RecordBatch)
    assert batch.column("city_id").to_pylist() == IDS


def frames() -> list[Any]:
    table = pa.table({"n": [1, 2], "city": ["Paris", "Iowa"]})
    return [table, polars.from_arrow(table), table.to_pandas()]


@pytest.mark.parametrize("frame", frames(), ids=lambda frame: type(frame).__module__.partition(".")[0])
def test_all_frames_give_the_same_answers(trained_tiny: KB, frame: Any) -> None:
    linker = Linker(trained_tiny, top=1)
    expected = [
        (link.entity, link.label) for link in linker.link_table({"header": ["city"], "rows": [["Paris"], ["Iowa"]]}).links
    ]
    linked = linker.link_frame(frame, context="table", suffix="_kb")  # columns found
    names = linked.column_names if isinstance(frame, pa.Table) else list(linked.columns)
    assert names[-3:] == ["city_kb_id", "city_kb_label", "city_kb_probability"]
    values = [
        list(linked[name].to_pylist() if isinstance(frame, pa.Table) else linked[name])
        for name in ("city_kb_id", "city_kb_label")
    ]
    present = [
        [None if value != value else value for value in column] for column in values
    ]  # pandas has nan for what is missing
    assert list(zip(*present, strict=True)) == expected
    with pytest.raises(OptionError, match="column city_kb_id already"):
        link_frame(linker, linked, columns=["city"], suffix="_kb")


@pytest.mark.parametrize("frame", frames(), ids=lambda frame: type(frame).__module__.partition(".")[0])
def test_frames_without_rows_and_bad_options(degree_linker: Linker, frame: Any) -> None:
    empty = degree_linker.link_frame(frame[:0], columns=["city"])
    assert len(empty) == 0
    with pytest.raises(OptionError, match="no column 'town'"):
        degree_linker.link_frame(frame, columns=["town"])
    with pytest.raises(OptionError, match="context is 'page'"):
        degree_linker.link_frame(frame, columns=["city"], context="page")


@pytest.mark.parametrize("frame", [{"city": ["Paris"]}, [["Paris"]], "Paris"])
def test_what_is_no_frame_is_told(degree_linker: Linker, frame: Any) -> None:
    with pytest.raises(OptionError, match="expected a DataFrame of pandas or polars, or a pyarrow"):
        degree_linker.link_frame(frame)


def test_no_library_is_imported_for_the_frame_of_another(tiny: KB) -> None:
    """pyarrow itself imports pandas where it is installed; here nobody can."""
    check = f"""
import sys

class Missing:
    def find_spec(self, name, *_):
        if name in ("pandas", "polars"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
import pyarrow
from eigenthemes import Linker
linker = Linker({str(tiny.path)!r}, method="degree")
linked = linker.link_frame(pyarrow.table({{"city": ["Paris"]}}), columns=["city"])
print(linked["city_id"].to_pylist(), [name for name in ("pandas", "polars") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['paris'] []"
