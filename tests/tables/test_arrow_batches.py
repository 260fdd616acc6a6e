"""Batches of Arrow: the answers and the bytes of `link`, every row in its place, columns as they were, bad rows told."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.commands import call, json_lines
from helpers.documents import json_line
from helpers.files import write_jsonl
from helpers.streaming import SENTENCE, link_lines
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes import KB, Linker, OptionError, SourceError, arrow_json_lines, link_arrow, linked_schema

TABLE = {"header": ["player", "country"], "rows": [["Michael Jordan", "Jordan"], ["", "Paris"]]}


def batch_of(rows: list[dict[str, Any]], schema: pa.Schema | None = None) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(rows, schema=schema)


def without_error(batch: pa.RecordBatch) -> pa.RecordBatch:
    return batch.remove_column(batch.num_columns - 1)


_NAME = st.sampled_from(["Paris", "Jordan", "Michael Jordan", "Iowa", "nobody"])
_TEXT = st.sampled_from(["", SENTENCE, "Paris is in Jordan", "😀 Paris"])
_MENTION = st.tuples(_NAME, _NAME).map(lambda names: {"text": names[0], "kind": names[1]})
_FOUND = st.tuples(st.integers(0, 9), _TEXT).map(lambda row: {"id": row[0], "text": row[1]})
_GIVEN = st.tuples(st.text("ab", max_size=2), st.lists(_MENTION, max_size=3)).map(
    lambda row: {"id": row[0], "mentions": row[1]}
)
_TABLES = st.lists(st.lists(_NAME, min_size=2, max_size=2), max_size=3).map(
    lambda rows: {"table": {"header": ["a", "b"], "rows": rows}}
)


@pytest.mark.parametrize("documents", [_FOUND, _GIVEN, _TABLES], ids=["texts", "mentions", "tables"])
def test_the_bytes_are_those_of_link(tiny: KB, degree_linker: Linker, documents: st.SearchStrategy[dict[str, Any]]) -> None:
    @given(st.lists(documents, min_size=1, max_size=5))
    def check(rows: list[dict[str, Any]]) -> None:
        lines, _, failures = link_lines(tiny, [json_line(row) for row in rows], method="degree")
        linked = link_arrow(batch_of(rows), degree_linker)
        assert failures == []
        assert arrow_json_lines(linked) == lines

    check()


@pytest.mark.parametrize("explain", [False, True])
def test_a_trained_linker_and_its_explanations(trained_tiny: KB, explain: bool) -> None:
    rows = [{"id": "a", "text": SENTENCE}, {"id": "b", "text": "Paris is in Jordan"}]
    linker = Linker(trained_tiny, explain=explain)
    linked = link_arrow(batch_of(rows), linker)
    assert arrow_json_lines(linked) == link_lines(trained_tiny, [json_line(row) for row in rows], explain=explain)[0]
    assert linked.schema.equals(linked_schema(batch_of(rows).schema, explain=explain))


def test_every_row_comes_back_and_a_bad_one_is_told(degree_linker: Linker) -> None:
    rows = [
        {"id": 1, "text": "Paris", "mentions": None},
        {"id": 2, "text": None, "mentions": None},
        {"id": 3, "text": "Paris", "mentions": [{"start": 1, "end": 99, "text": "Iowa"}]},
        {"id": 4, "text": "Iowa", "mentions": [{"start": 0, "end": 4, "text": None}]},
    ]
    linked = link_arrow(batch_of(rows), degree_linker)
    assert linked.column("id").to_pylist() == [1, 2, 3, 4]
    assert [mentions and mentions[0]["entity"] for mentions in linked.column("mentions").to_pylist()] == [
        "paris",
        None,
        None,
        "iowa",
    ]
    errors = linked.column("error").to_pylist()
    assert [error is None for error in errors] == [True, False, False, True]
    assert "nothing to link" in errors[1]
    assert "outside the text" in errors[2]


def test_the_answers_do_not_depend_on_the_batch(eigen_linker: Linker) -> None:
    rows = [{"id": number, "text": f"{SENTENCE} {number}"} for number in range(150)]
    whole = link_arrow(batch_of(rows), eigen_linker)
    alone = [link_arrow(batch_of([row]), eigen_linker) for row in (rows[0], rows[77], rows[149])]
    assert [each.to_pylist()[0] for each in alone] == [whole.to_pylist()[number] for number in (0, 77, 149)]


def test_other_columns_pass_through_whatever_they_are(degree_linker: Linker) -> None:
    schema = pa.schema(
        [
            ("id", pa.binary()),
            ("when", pa.timestamp("ns", "UTC")),
            ("price", pa.decimal128(9, 2)),
            ("text", pa.dictionary(pa.int32(), pa.string())),
            ("vector", pa.list_(pa.float32(), 2)),
            ("tags", pa.map_(pa.string(), pa.int8())),
        ],
        metadata={"made by": "somebody"},
    )
    row = {
        "id": b"\xff",
        "when": datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC),
        "price": Decimal("1.50"),
        "text": "Paris",
        "vector": [1, 2],
        "tags": [("a", 1)],
    }
    batch = batch_of([row, dict.fromkeys(row, None) | {"text": "Iowa"}], schema)
    linked = link_arrow(batch, degree_linker)
    assert linked.select(schema.names).equals(batch)
    assert linked.schema.metadata == schema.metadata
    first, second = json_lines(arrow_json_lines(linked))
    assert (first["id"], first["price"], first["text"]) == ("/w==", "1.50", "Paris")
    assert second.keys() == {"text", "mentions"}


def test_columns_of_other_names(degree_linker: Linker) -> None:
    batch = batch_of([{"doc": 7, "body": "Paris", "mentions": 3, "error": "none"}])
    columns = {"id": "doc", "text": "body", "mentions": "links"}
    linked = link_arrow(batch, degree_linker, columns=columns, error_column="why")
    assert linked.schema.names == ["doc", "body", "mentions", "error", "links", "why"]
    assert linked.column("links").to_pylist()[0][0]["entity"] == "paris"


def test_no_rows(degree_linker: Linker) -> None:
    batch = batch_of([], pa.schema([("text", pa.string())]))
    linked = link_arrow(batch, degree_linker)
    assert linked.num_rows == 0
    assert linked.schema.equals(linked_schema(batch.schema))


def test_a_text_that_is_not_utf8_costs_its_row_only(degree_linker: Linker) -> None:
    texts = pa.array([b"Paris", b"\xffIowa", b"Iowa"]).view(pa.string())
    linked = link_arrow(pa.RecordBatch.from_arrays([texts], ["text"]), degree_linker)
    assert [error is None for error in linked.column("error").to_pylist()] == [True, False, True]


@pytest.mark.parametrize(
    ("row", "options", "words"),
    [
        ({"body": "Paris"}, {}, "no column 'text'"),
        ({"text": 7}, {}, "of the type int64"),
        ({"text": "Paris", "mentions": "Paris"}, {}, "'mentions'"),
        ({"text": "Paris", "table": "a,b"}, {}, "'table'"),
        ({"text": "Paris", "error": "x"}, {}, "error_column"),
        ({"text": "Paris"}, {"columns": {"texts": "text"}}, "'texts'"),
        ({"text": "Paris"}, {"columns": {"id": "text"}}, "two roles"),
    ],
)
def test_columns_that_hold_no_documents(degree_linker: Linker, row: dict[str, Any], options: Any, words: str) -> None:
    with pytest.raises((OptionError, SourceError), match=words):
        link_arrow(batch_of([row]), degree_linker, **options)


def test_two_columns_of_one_name(degree_linker: Linker) -> None:
    texts = pa.array(["Paris"])
    with pytest.raises(SourceError, match="two columns"):
        link_arrow(pa.RecordBatch.from_arrays([texts, texts], ["text", "text"]), degree_linker)


# Parquet files of documents


MIXED: list[dict[str, Any]] = [
    {"id": "a", "text": SENTENCE, "table": None, "mentions": None, "at": datetime.date(2026, 1, 2)},
    {"id": "b", "text": None, "table": TABLE, "mentions": None, "at": None},
    {"id": "c", "text": "Paris", "table": None, "mentions": [{"text": "Paris", "kind": "x", "start": 0, "end": 5}], "at": None},
    {"id": "d", "text": "Iowa", "table": None, "mentions": [{"text": None, "kind": None, "start": 0, "end": 4}], "at": None},
    {"id": "e", "text": None, "table": None, "mentions": None, "at": None},
]


def test_parquet_is_a_format_of_documents(trained_tiny: KB, tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(MIXED), tmp_path / "mixed.parquet")
    done = call("link", trained_tiny.path, tmp_path / "mixed.parquet", "--explain")
    linked = link_arrow(pa.Table.from_pylist(MIXED).to_batches()[0], Linker(trained_tiny, explain=True))
    assert done.returncode == 1
    assert "line 5: the document has the fields 'id, mentions', nothing to link" in done.stderr
    assert done.stdout.encode() == arrow_json_lines(without_error(linked).slice(0, 4))
    assert json_lines(done.stdout)[0]["at"] == "2026-01-02"


@pytest.mark.slow
def test_parquet_with_several_jobs(tiny: KB, tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist([{"id": i, "text": SENTENCE} for i in range(200)]), tmp_path / "a.parquet")
    alone, together = (call("link", tiny.path, tmp_path / "a.parquet", "--jobs", jobs) for jobs in (1, 2))
    assert (alone.stdout, alone.returncode) == (together.stdout, together.returncode)
    assert len(json_lines(alone.stdout)) == 200


def test_parquet_in_a_folder_and_with_columns_of_other_names(tiny: KB, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    pq.write_table(pa.Table.from_pylist([{"body": "Paris"}]), tmp_path / "in" / "a.parquet")
    done = call("link", tiny.path, tmp_path / "in", "--column", "text=body")
    assert json.loads(done.stdout)["text"] == "Paris"
    done = call("link", tiny.path, tmp_path / "in" / "a.parquet")
    assert "no column 'text' (it has body)" in done.stderr
    assert "--column text=NAME" in done.stderr
    assert done.returncode == 1


def test_a_broken_parquet_file_is_one_sentence(tiny: KB, tmp_path: Path) -> None:
    whole = pq.write_table(pa.Table.from_pylist([{"text": "Paris"}]), tmp_path / "a.parquet")
    assert whole is None
    data = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(data[: len(data) // 2])
    done = call("link", tiny.path, tmp_path / "a.parquet")
    assert done.returncode == 1
    assert "a.parquet is not a complete Parquet file" in done.stderr
    assert "Traceback" not in done.stderr
    assert "standard input" in call("link", tiny.path, "-", stdin=data).stderr


def test_gold_in_parquet(tiny: KB, tmp_path: Path) -> None:
    rows = [{"id": 1, "text": "Paris", "mentions": [{"start": 0, "end": 5, "text": "Paris", "gold": "paris"}]}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "gold.parquet")
    write_jsonl(tmp_path / "lines.jsonl", rows)
    results = [
        json.loads(call("eval", tiny.path, tmp_path / name, "--methods", "degree", "--json").stdout)
        for name in ("gold.parquet", "lines.jsonl")
    ]
    assert results[0]["gold"]["degree"]["overall"] == results[1]["lines"]["degree"]["overall"]


def test_a_table_comes_back_as_a_table(degree_linker: Linker) -> None:
    texts = pa.chunked_array([["Paris"], ["Jordan and Paris", None]], pa.string())
    table = pa.table({"text": texts})
    linked = link_arrow(table, degree_linker)
    assert isinstance(linked, pa.Table)
    batches = [link_arrow(batch, degree_linker) for batch in table.to_batches()]
    assert linked.equals(pa.Table.from_batches(batches))
    assert link_arrow(table.slice(0, 0), degree_linker).schema == linked.schema


def test_what_is_no_batch_is_told(degree_linker: Linker) -> None:
    for wrong in ((degree_linker, pa.table({"text": ["Paris"]})), (["Paris"], degree_linker)):
        with pytest.raises(OptionError, match="expected a RecordBatch or a Table"):
            link_arrow(*wrong)  # type: ignore[type-var]
    with pytest.raises(OptionError, match="expected a Linker"):
        link_arrow(pa.table({"text": ["Paris"]}), "my.kb")  # type: ignore[arg-type]
