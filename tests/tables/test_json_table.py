"""Tables of JSON lines: every byte of the objects stays; fields are added at the end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.table_files import link_bytes, linked_bytes

from eigenthemes import Linker, OptionError, SourceError, TableOptions


def test_fields_are_added_and_nothing_else_changes(degree_linker: Linker, tmp_path: Path) -> None:
    data = b'\xef\xbb\xbf{"z":1.50,"city":"Paris","a":{"b":[1,2]}}\r\n\n{"city":null}\n{}\n{"city" : "Iowa" }'
    assert linked_bytes(degree_linker, data, tmp_path, "in.jsonl") == (
        b'{"z":1.50,"city":"Paris","a":{"b":[1,2]},"city_id":"paris","city_label":"Paris","city_probability":null}\n'
        b'{"city":null,"city_id":null,"city_label":null,"city_probability":null}\n'
        b'{"city_id":null,"city_label":null,"city_probability":null}\n'
        b'{"city" : "Iowa" ,"city_id":"iowa","city_label":"Iowa","city_probability":null}\n'
    )


def test_a_column_may_come_late(degree_linker: Linker, tmp_path: Path) -> None:
    data = b'{"a":1}\n{"a":2,"city":"Iowa"}\n{"city":7}\n'
    written, report = link_bytes(degree_linker, data, tmp_path, "in.ndjson")
    assert [json.loads(line)["city_id"] for line in written.splitlines()] == [None, "iowa", None]
    assert report.rows == 3


def test_a_field_of_that_name_is_refused_wherever_it_is(degree_linker: Linker, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="has a column city_id already"):
        linked_bytes(degree_linker, b'{"city":"Paris"}\n{"city_id":1}\n', tmp_path, "in.jsonl")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"city":"Paris"}\n{"city":\n', r"line 2 of in\.jsonl is not JSON"),
        (b'{"city":"Paris"}\n[1]\n', r"line 2 of in\.jsonl is not an object"),
        (b'{"city":"Par\xe8s"}\n', r"line 1 of in\.jsonl is not JSON"),
        (b"\n\n", "is empty"),
    ],
)
def test_broken_lines_are_told(degree_linker: Linker, tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        linked_bytes(degree_linker, data, tmp_path, "in.jsonl")
    assert not (tmp_path / "out_in.jsonl").exists()


def test_an_array_is_told_how_to_become_lines(degree_linker: Linker, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"one JSON array.*jq"):
        linked_bytes(degree_linker, b'[\n {"city":"Paris"}]', tmp_path, "in.json")


@pytest.mark.parametrize("reading", [TableOptions(header=False), TableOptions(delimiter=";"), TableOptions(sheet="1")])
def test_options_of_other_formats_are_refused(degree_linker: Linker, tmp_path: Path, reading: TableOptions) -> None:
    with pytest.raises(OptionError):
        linked_bytes(degree_linker, b'{"city":"Paris"}\n', tmp_path, "in.jsonl", reading=reading)
