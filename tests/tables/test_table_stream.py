"""Table files, linked some rows at a time: the same answers as at once, columns by name or found, over several processes."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from helpers.kbs import TINY_EDGES, TINY_NODES, write_sources
from helpers.table_files import CITIES, link_bytes, linked_bytes

from eigenthemes import KB, Linker, OptionError, SourceError, Table, build_kb
from eigenthemes.core.progress import Advance
from eigenthemes.tables import parquet_table, table_file, table_stream
from eigenthemes.tables.open_table import open_table
from eigenthemes.tables.table_file import SAMPLE


def cells(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


@pytest.mark.parametrize("context", ["table", "column", "row", "none"])
def test_a_file_is_linked_as_the_table_in_it(trained_tiny: KB, tmp_path: Path, context: str) -> None:
    rows = [("Paris", "Jordan"), ("Iowa", "United States"), ("", "The Who"), ("Paris", "Tokyo")]
    linker = Linker(trained_tiny, top=1)
    data = "".join(f"{a},{b}\n" for a, b in [("city", "other"), *rows]).encode()
    written = cells(linked_bytes(linker, data, tmp_path, columns=["city", "other"], context=context))
    table = linker.link_table(Table(("city", "other"), tuple(rows)), columns=[0, 1], context=context).to_table()
    assert [row[:8] for row in written] == [list(row) for row in (table.header, *table.rows)]


@pytest.mark.parametrize("context", ["row", "none"])
def test_chunks_change_nothing_where_rows_do_not_speak_for_each_other(
    trained_tiny: KB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, context: str
) -> None:
    linker = Linker(trained_tiny, top=1)
    data = b"city,x\n" + b"Paris,Jordan\nIowa,America\n,\n" * 10
    whole = linked_bytes(linker, data, tmp_path, columns=["city", "x"], context=context)
    monkeypatch.setattr(table_file, "CHUNK", 4)
    monkeypatch.setattr(table_stream, "CHUNK", 4)
    assert linked_bytes(linker, data, tmp_path, columns=["city", "x"], context=context) == whole


def test_a_chunk_is_decided_with_rows_from_all_over_the_file(
    trained_tiny: KB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_file, "CHUNK", 5)
    monkeypatch.setattr(table_stream, "CHUNK", 5)
    linker, seen = Linker(trained_tiny, top=1), []

    def link_table(table: Table, **options: Any) -> Any:
        seen.append([row[0] for row in table.rows])
        return Linker.link_table(linker, table, **options)

    monkeypatch.setattr(linker, "link_table", link_table)
    names = [f"Paris {number}" for number in range(12)]
    written, report = link_bytes(linker, "\n".join(["city", *names, ""]).encode(), tmp_path)
    assert [chunk[:-12] for chunk in seen] == [names[:5], names[5:10], names[10:]]
    assert all(chunk[-12:] == names for chunk in seen)
    assert (report.rows, len(cells(written))) == (12, 13)


def test_a_sample_is_evenly_spaced_and_small(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["number", *map(str, range(100_003))]))
    with open_table(str(path)) as table:
        scan = table.scan(lambda amount: None)
    kept = [int(row[0]) for row in scan.sample]
    assert scan.rows == 100_003
    assert SAMPLE <= len(kept) <= 2 * SAMPLE
    assert len({after - before for before, after in pairwise(kept)}) == 1
    assert kept[-1] > 99_000


@pytest.mark.slow
def test_several_processes_write_the_same_bytes(trained_tiny: KB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_file, "CHUNK", 10)
    monkeypatch.setattr(table_stream, "CHUNK", 10)
    linker = Linker(trained_tiny, top=1)
    data = b"city,x\n" + b"Paris,Jordan\nIowa,America\n,\n" * 20
    alone = linked_bytes(linker, data, tmp_path, columns=["city", "x"])
    assert linked_bytes(linker, data, tmp_path, columns=["city", "x"], jobs=2) == alone


def test_parquet_is_read_and_written_in_chunks(degree_linker: Linker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    monkeypatch.setattr(parquet_table, "CHUNK", 10)
    monkeypatch.setattr(parquet_table, "_GROUP", 20)
    table = pa.table({"city": ["Paris", "Iowa", None] * 20, "n": range(60)})
    pq.write_table(table, tmp_path / "source.parquet", row_group_size=7)
    written = linked_bytes(degree_linker, (tmp_path / "source.parquet").read_bytes(), tmp_path, "in.parquet")
    read = pq.read_table(io.BytesIO(written))
    assert read.select(["city", "n"]).equals(table)
    assert read["city_id"].to_pylist() == ["paris", "iowa", None] * 20
    assert pq.ParquetFile(io.BytesIO(written)).num_row_groups == 3


# columns


def test_columns_of_names_are_found_and_told(degree_linker: Linker, tmp_path: Path) -> None:
    written, report = link_bytes(degree_linker, CITIES, tmp_path, columns=None)
    assert report.columns == ("city",)
    assert [(profile.name, profile.named) for profile in report.profiles] == [("nr", False), ("city", True), ("note", False)]
    assert (report.cells, report.linked) == ({"city": 3}, {"city": 2})
    assert written == linked_bytes(degree_linker, CITIES, tmp_path)
    with pytest.raises(OptionError, match=r"no column of in\.csv looks like names \(a: its cells have no letters"):
        linked_bytes(degree_linker, b"a,b\n1,2\n", tmp_path, columns=None)


def test_a_suffix_makes_other_names(degree_linker: Linker, tmp_path: Path) -> None:
    data = b"city,city_id\nParis,7\n"
    with pytest.raises(OptionError, match=r"in\.csv has a column city_id already; give a suffix") as refused:
        linked_bytes(degree_linker, data, tmp_path)
    assert refused.value.code == "column-taken"
    written = linked_bytes(degree_linker, data, tmp_path, suffix="_kb")
    assert written.splitlines()[0] == b"city,city_id,city_kb_id,city_kb_label,city_kb_probability"


def test_columns_of_one_name_are_told_apart_by_number(degree_linker: Linker, tmp_path: Path) -> None:
    data = b"city,city,\nParis,Iowa,Tokyo\n"
    with pytest.raises(OptionError, match="2 columns are called 'city'"):
        linked_bytes(degree_linker, data, tmp_path)
    written = linked_bytes(degree_linker, data, tmp_path, columns=[0, 1, 2]).splitlines()
    assert written[0].split(b",")[3::3] == [b"city_1_id", b"city_2_id", b"column 3_id"]
    assert written[1].split(b",")[3::3] == [b"paris", b"iowa", b"tokyo"]


def test_column_names_with_commas_and_line_breaks(degree_linker: Linker, tmp_path: Path) -> None:
    written = cells(linked_bytes(degree_linker, b'"City, or\ntown",x\nParis,1\n', tmp_path, columns=["City, or\ntown"]))
    assert written[0][2] == "City, or\ntown_id"
    assert written[1][2] == "paris"


def test_types_hold_for_their_column(tmp_path: Path) -> None:
    from helpers.kbs import build_untrained, write_sources

    nodes = [
        {"id": "p1", "name": "Paris", "types": ["City"]},
        {"id": "p2", "name": "Paris", "types": ["Person"]},
        {"id": "h", "name": "Helen", "types": ["Person"]},
    ]
    kb = build_untrained(write_sources(tmp_path / "kg", nodes, [("p2", "h"), ("p1", "h"), ("p2", "p1")]), tmp_path / "my.kb")
    linker = Linker(kb, method="degree")
    data = b"a,b\nParis,Paris\n"
    for context in ("table", "none"):
        options: dict[str, Any] = {"columns": ["a", "b"], "only_types": {"b": ["Person"], "a": ["City"]}, "context": context}
        assert cells(linked_bytes(linker, data, tmp_path, **options))[1][2::3] == ["p1", "p2"]
    with pytest.raises(OptionError, match="column b: no entity is of the type Persn"):
        linked_bytes(linker, data, tmp_path, columns=["a", "b"], only_types={"b": ["Persn"]})
    with pytest.raises(OptionError, match="types are given for the column b, which is not linked"):
        linked_bytes(linker, data, tmp_path, columns=["a"], only_types={"b": ["Person"]})


def test_bad_options_are_told_before_anything_is_written(degree_linker: Linker, tmp_path: Path) -> None:
    for options, said in (
        ({"columns": ["town"]}, "no column 'town'; the table has 'nr', 'city', 'note'"),
        ({"context": "page"}, "one of table, column, row, none"),
    ):
        with pytest.raises(OptionError, match=said):
            linked_bytes(degree_linker, CITIES, tmp_path, **options)
    assert not (tmp_path / "out_in.csv").exists()


# files


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("in.pdf", b"%PDF-1.4", "is a PDF"),
        ("in.db", b"SQLite format 3\0", "SQLite"),
        ("in.html", b"<html>", "web page"),
        ("in.csv", b"%PDF-1.4", "is a PDF"),
    ],
)
def test_what_is_no_table_is_told(degree_linker: Linker, tmp_path: Path, name: str, data: bytes, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        linked_bytes(degree_linker, data, tmp_path, name)


def test_an_interrupted_run_leaves_nothing(degree_linker: Linker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(degree_linker, "link_table", stop, raising=False)
    with pytest.raises(KeyboardInterrupt):
        linked_bytes(degree_linker, CITIES, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_streams_take_every_format(degree_linker: Linker, tmp_path: Path) -> None:
    out = io.BytesIO()
    (tmp_path / "in.csv").write_bytes(CITIES)
    table_stream.link_table_file(degree_linker, tmp_path / "in.csv", out, columns=["city"])
    assert out.getvalue() == linked_bytes(degree_linker, CITIES, tmp_path)
    packed = linked_bytes(degree_linker, CITIES, tmp_path, output="o.parquet")
    out = io.BytesIO()
    table_stream.link_table_file(degree_linker, tmp_path / "o.parquet", out, columns=["city"], suffix="2")
    assert packed[:4] == out.getvalue()[:4] == b"PAR1"


def test_progress_tells_rows_and_bytes(degree_linker: Linker, tmp_path: Path) -> None:
    steps: dict[str, list[float]] = {}

    class Told:
        @contextmanager
        def step(self, label: str, *, total: float | None, unit: str) -> Iterator[Advance]:
            steps[label] = [total or 0]
            yield steps[label].append

    linked_bytes(degree_linker, CITIES, tmp_path, progress=Told())
    assert list(steps) == ["reading in.csv", "linking"]
    assert [(total, sum(done)) for total, *done in steps.values()] == [(len(CITIES), len(CITIES)), (3, 3)]


def test_added_names_that_cells_do_not_follow_are_reported(tmp_path: Path) -> None:
    sources = write_sources(tmp_path / "kg", TINY_NODES, TINY_EDGES)
    kb = build_kb(sources, tmp_path / "my.kb", names=[("Paris", "paris-tx"), ("Big Apple", "us")], train=False)
    data = b"city\nParis\nBig Apple\nIowa\nparis\n"
    written, summary = link_bytes(Linker(kb, method="degree"), data, tmp_path)
    assert [row[1] for row in cells(written)[1:]] == ["paris", "us", "iowa", "paris"]
    (note,) = summary.notes
    assert note.startswith(
        "2 cells hold a name that was added or corrected, without a link to its entity (such as 'Paris' to paris-tx)"
    )
