"""Parquet: schema, metadata, types and compression stay."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.table_files import linked_bytes

from eigenthemes import Linker, OptionError, SourceError, TableOptions

TABLE = pa.table(
    {
        "nr": pa.array([1, None, 3], pa.uint8()),
        "city": pa.array(["Paris", None, "Iowa"]).dictionary_encode(),
        "when": pa.array([0, 1, None], pa.timestamp("us", "Europe/Rome")),
        "list": pa.array([[1], None, []], pa.list_(pa.int16())),
        "price": pa.array([None, 1, 2], pa.decimal128(5, 2)),
    }
).replace_schema_metadata({"owner": "somebody"})


def as_bytes(table: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def test_everything_stays(degree_linker: Linker, tmp_path: Path) -> None:
    written = linked_bytes(degree_linker, as_bytes(TABLE, compression="zstd"), tmp_path, "in.parquet")
    table, file = pq.read_table(io.BytesIO(written)), pq.ParquetFile(io.BytesIO(written))
    assert table.column_names == [*TABLE.column_names, "city_id", "city_label", "city_probability"]
    assert table.select(TABLE.column_names).equals(TABLE)
    assert [table.schema.field(name).type for name in TABLE.column_names] == [field.type for field in TABLE.schema]
    assert table.schema.metadata[b"owner"] == b"somebody"
    assert table["city_id"].to_pylist() == ["paris", None, "iowa"]
    assert (table.schema.field("city_id").type, table.schema.field("city_probability").type) == (pa.string(), pa.float64())
    assert {file.metadata.row_group(0).column(number).compression for number in range(8)} == {"ZSTD"}


def test_what_pandas_keeps_in_parquet_stays(degree_linker: Linker, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"city": ["Paris", None]}, index=pandas.Index([7, 7], name="key"))
    frame["kind"] = pandas.Categorical(["a", "b"])
    frame.to_parquet(tmp_path / "source.parquet")
    linked_bytes(degree_linker, (tmp_path / "source.parquet").read_bytes(), tmp_path, "in.parquet")
    read = pandas.read_parquet(tmp_path / "out_in.parquet")
    pandas.testing.assert_frame_equal(read[["city", "kind"]], frame)


def test_tables_without_rows_or_texts(degree_linker: Linker, tmp_path: Path) -> None:
    assert pq.read_table(io.BytesIO(linked_bytes(degree_linker, as_bytes(TABLE[:0]), tmp_path, "in.parquet"))).num_rows == 0
    numbers = as_bytes(pa.table({"n": [1, 2]}))
    with pytest.raises(OptionError, match=r"no column of in\.parquet looks like names \(n: its cells have no letters"):
        linked_bytes(degree_linker, numbers, tmp_path, "in.parquet", columns=None)


@pytest.mark.parametrize("data", [b"PAR1", as_bytes(TABLE)[:-9]])
def test_damaged_files_are_told(degree_linker: Linker, tmp_path: Path, data: bytes) -> None:
    with pytest.raises(SourceError, match="not a complete Parquet file"):
        linked_bytes(degree_linker, data, tmp_path, "in.parquet")


def test_a_text_that_is_not_utf_8_is_told(degree_linker: Linker, tmp_path: Path) -> None:
    broken = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xe8"]).buffers())
    data = as_bytes(pa.table({"city": broken}))
    with pytest.raises(SourceError, match="a text that is not UTF-8"):
        linked_bytes(degree_linker, data, tmp_path, "in.parquet")


def test_a_name_alone_makes_no_parquet(degree_linker: Linker, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not a parquet file, although its name ends so"):
        linked_bytes(degree_linker, b"city\nParis\n", tmp_path, "in.parquet")
    with pytest.raises(OptionError, match="header does not apply to"):
        linked_bytes(degree_linker, as_bytes(TABLE), tmp_path, "in.parquet", reading=TableOptions(header=False))
