"""Tables written in another format than they were read in: values, texts that look like numbers, limits of spreadsheets."""

from __future__ import annotations

import datetime
import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from helpers.table_files import CITIES, linked_bytes

from eigenthemes import Linker, SourceError
from eigenthemes.tables import spreadsheet_file

openpyxl = pytest.importorskip("openpyxl")


def read(data: bytes, output: str) -> list[dict[str, Any]]:
    """The records of a file of any format, without what is empty."""
    if output.endswith("xlsx"):
        header, *rows = openpyxl.load_workbook(io.BytesIO(data)).active.values
        records = [dict(zip(header, row, strict=True)) for row in rows]
    elif output.endswith("parquet"):
        records = pq.read_table(io.BytesIO(data)).to_pylist()
    elif output.endswith("jsonl"):
        records = list(map(json.loads, data.splitlines()))
    else:
        lines = [line.split("\t" if output.endswith("tsv") else ",") for line in data.decode().splitlines()]
        records = [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]
    return [{key: value for key, value in record.items() if value not in (None, "")} for record in records]


EXPECTED = [
    {"nr": "007", "city": "Paris", "city_id": "paris", "city_label": "Paris"},
    {"nr": "008", "city": "Iowa", "note": "x", "city_id": "iowa", "city_label": "Iowa"},
    {"nr": "009", "city": "Nowhere Land"},
]
OUTPUTS = ["o.csv", "o.tsv", "o.xlsx", "o.parquet", "o.jsonl"]


@pytest.mark.parametrize("output", OUTPUTS)
def test_leading_zeros_and_empty_cells_stay_in_every_format(degree_linker: Linker, tmp_path: Path, output: str) -> None:
    first = linked_bytes(degree_linker, CITIES, tmp_path, "in.csv", output=output)
    assert read(first, output) == EXPECTED
    for again in OUTPUTS:
        second = linked_bytes(degree_linker, first, tmp_path, output, output=f"again_{again}", suffix="2")
        records = read(second, again)
        assert [{key: record[key] for key in record if "2" not in key} for record in records] == EXPECTED, (output, again)
        assert [record.get("city2_id") for record in records] == ["paris", "iowa", None]


def test_types_of_values_stay_where_the_format_has_them(degree_linker: Linker, tmp_path: Path) -> None:
    data = b'{"city":"Paris","n":1,"x":0.5,"b":true,"m":"t","l":[1]}\n{"city":null,"n":null,"x":2,"m":3}\n'
    table = pq.read_table(io.BytesIO(linked_bytes(degree_linker, data, tmp_path, "in.jsonl", output="o.parquet")))
    assert [str(table.schema.field(name).type) for name in ("city", "n", "x", "b", "m", "l")] == [
        "string", "int64", "double", "bool", "string", "string",
    ]  # fmt: skip
    assert table.to_pylist()[0]["l"] == "[1]"
    assert [row["m"] for row in table.to_pylist()] == ["t", "3"]
    book = openpyxl.load_workbook(io.BytesIO(linked_bytes(degree_linker, data, tmp_path, "in.jsonl", output="o.xlsx")))
    assert list(book.active.values)[1][:6] == ("Paris", 1, 0.5, True, "t", "[1]")


def test_dates_of_sheets_become_iso_texts(degree_linker: Linker, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["city", "when"])
    book.active.append(["Paris", datetime.date(2020, 1, 2)])
    file = io.BytesIO()
    book.save(file)
    written = linked_bytes(degree_linker, file.getvalue(), tmp_path, "in.xlsx", output="o.csv")
    assert written.splitlines()[1] == b"Paris,2020-01-02,paris,Paris,"


@pytest.mark.parametrize(
    ("data", "limit", "said"),
    [
        (CITIES, "MOST_ROWS", "in.csv with the links has 3 rows, and a sheet holds 3"),
        (CITIES, "MOST_COLUMNS", "in.csv with the links has 6 columns, and a sheet holds 3"),
        (CITIES, "LONGEST_CELL", "in.csv with the links has a cell of 4 characters, and a sheet holds cells of 3"),
    ],
)
def test_limits_of_sheets_are_told(
    degree_linker: Linker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, limit: str, said: str
) -> None:
    monkeypatch.setattr(spreadsheet_file, limit, 3)
    with pytest.raises(SourceError, match=f"{said}; write another format") as refused:
        linked_bytes(degree_linker, data, tmp_path, output="o.xlsx")
    assert refused.value.code == "table-output"
    assert not (tmp_path / "o.xlsx").exists()
