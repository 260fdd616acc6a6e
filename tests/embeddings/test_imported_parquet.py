"""Vectors in Parquet files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from helpers.vector_files import IDS, MATRIX, parquet, read, refusal, same, vector_column

# Parquet


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64(), pa.int8(), pa.uint64()])
@pytest.mark.parametrize("list_of", [pa.list_, pa.large_list, lambda kind: pa.list_(kind, 2)])
def test_parquet_with_lists_of_any_kind(tmp_path: Path, kind: pa.DataType, list_of: Callable[..., pa.DataType]) -> None:
    rows = np.array([[1, 2], [3, 4], [5, 6]]).astype(kind.to_pandas_dtype())
    data = parquet({"extra": ["x"] * 3, "vector": pa.array(list(map(list, rows)), list_of(kind)), "id": ["a", "b", "c"]})
    assert same(read(tmp_path, data), ["a", "b", "c"], np.array([[1, 2], [3, 4], [5, 6]]))


def test_parquet_with_a_column_for_each_dimension(tmp_path: Path) -> None:
    columns = {f"d{i}": MATRIX[:, i] for i in range(3)}
    assert same(read(tmp_path, parquet({"id": IDS, **columns})))
    assert same(read(tmp_path, parquet({"id": IDS, **columns, "__index_level_0__": [0, 1, 2, 3]})))  # pandas adds it
    assert same(read(tmp_path, parquet({"id": IDS, "x": [1, 2, 3, 4]})), IDS, np.array([[1], [2], [3], [4]]))


def test_parquet_in_many_row_groups_and_with_other_ids(tmp_path: Path) -> None:
    data = parquet({"id": IDS, "vector": vector_column(MATRIX)}, row_group_size=1, compression="zstd")
    assert same(read(tmp_path, data))
    for ids in (pa.array([7, 8]), pa.array(["7", "8"]).dictionary_encode(), pa.array([b"7", b"8"])):
        assert read(tmp_path, parquet({"id": ids, "vector": vector_column(MATRIX[:2])}))[0] == ["7", "8"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"key": ["a"], "vector": [[1.0]]}, "v has the columns key, vector; expected id and vector (lists of numbers), or id"),
        ({"id": ["a"]}, "v has the columns id; expected id and vector"),
        ({"id": ["a"], "vector": ["1 2"]}, "the column 'vector' of v holds string; expected lists of numbers: "),
        ({"id": ["a"], "vector": [1.0]}, "the column 'vector' of v holds double; expected lists of numbers: "),
        ({"id": ["a"], "vector": [["x"]]}, "the column 'vector' of v holds list<element: string>; expected lists of numbers: "),
        ({"id": ["a"], "x": [1.0], "y": ["b"]}, "the column 'y' of v holds string; expected numbers, or a column vector"),
        ({"id": ["a"], "x": [True]}, "the column 'x' of v holds bool; expected numbers"),
        ({"id": ["a"], "x": [[1.0]]}, "the column 'x' of v holds list<element: double>; expected numbers, or a column vector"),
        (
            {"id": ["a", "b"], "x": [1, None]},
            "v has NaN or infinite values (or too large for float32) in 1 of 2 vectors, first in",
        ),
        ({"id": ["a", "b"], "vector": [[1.0], [None]]}, "v has NaN or infinite values (or too large for float32) in 1 of 2 "),
        ({"id": ["a", "b"], "vector": [[1.0], None]}, "vector 2 of v has 0 numbers, the first 1; give all the same"),
        ({"id": ["a", "b"], "vector": [[1.0, 2.0], [1.0]]}, "vector 2 of v has 1 numbers, the first 2; give all the same"),
        ({"id": ["a", None], "x": [1.0, 2.0]}, "v has an id of the type NoneType; save the ids as strings"),
        ({"id": [1.5], "x": [1.0]}, "v has an id of the type float; save the ids as strings"),
    ],
)
def test_bad_parquet_is_refused(tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    assert refusal(tmp_path, parquet(columns)).startswith(message)


def test_an_empty_vector_of_a_fixed_size_is_refused(tmp_path: Path) -> None:
    column = pa.array([[1.0, 2.0], None], pa.list_(pa.float32(), 2))
    assert refusal(tmp_path, parquet({"id": ["a", "b"], "vector": column})).startswith("vector 2 of v ")


def test_what_only_begins_as_parquet_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, b"PAR1 and so on").startswith("v is not a whole Parquet file (")
