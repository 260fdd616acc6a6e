"""Input of eigenthemes link: lines of any make, bad records, large and damaged files."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from helpers.commands import assert_one_sentence, call, json_lines, json_output, run_process
from helpers.documents import json_line, linked_entities, names_document
from helpers.streaming import BOM, link_lines

from eigenthemes import KB

# odd input


GOOD = b'{"id": 1, "text": "Paris"}'
ALSO = b'{"id": 2, "text": "Iowa"}'


@pytest.mark.parametrize(
    "data",
    [
        GOOD + b"\n" + ALSO + b"\n",
        GOOD + b"\n" + ALSO,
        GOOD + b"\r\n" + ALSO + b"\r\n",
        BOM + GOOD + b"\n" + ALSO,
        b"\n\n" + GOOD + b"\n  \t\n\r\n" + ALSO + b"\n\n\n",
        BOM + b"\n" + GOOD + b"\n" + ALSO,
        BOM + b"\r\n" + GOOD + b"\r\n" + ALSO,
        b"  " + GOOD + b"  \n\t" + ALSO + b" ",
        gzip.compress(GOOD + b"\n" + ALSO, mtime=0),
        gzip.compress(GOOD + b"\n", mtime=0) + gzip.compress(ALSO + b"\n", mtime=0),
        gzip.compress(BOM + GOOD + b"\r\n" + ALSO, mtime=0),
    ],
)  # fmt: skip
def test_any_line_ends_blank_lines_and_compression(tiny: KB, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "docs").write_bytes(data)
    for done in (call("link", tiny.path, "-", stdin=data), call("link", tiny.path, tmp_path / "docs")):
        assert done.stderr == ""
        assert linked_entities(json_output(done)) == [["paris"], ["iowa"]]


@pytest.mark.parametrize("data", [b"", b"\n", b"\r\n \n\t\n", BOM, BOM + b"\n", gzip.compress(b"", mtime=0)])
@pytest.mark.parametrize("options", [(), ("--text",), ("--jobs", 2), ("--strict",)])
def test_an_empty_input_gives_an_empty_output(tiny: KB, data: bytes, options: tuple[object, ...]) -> None:
    done = call("link", tiny.path, "-", *options, stdin=data)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "warning: there was no document to link: the input is empty\n"


BAD = [
    b"no JSON at all",
    b'{"text": "Paris"',
    b"42",
    b"null",
    b"[]",
    b"{}",
    b'{"text": 7}',
    b'{"id": {}, "text": "Paris"}',
    b'{"text": "Paris", "mentions": 3}',
    b'{"text": "Paris", "mentions": [3]}',
    b'{"text": "Paris", "mentions": [{"start": 0, "end": 50}]}',
    b'{"text": "Paris", "mentions": [{"start": -5, "end": 2}]}',
    b'{"text": "Paris", "mentions": [{"start": 3, "end": 3}]}',
    b'{"text": "Paris", "mentions": [{"start": 0}]}',
    b'{"text": "Paris", "mentions": [{"start": 0, "end": 4, "text": "Iowa"}]}',
    '{"text": "😀 Paris", "mentions": [{"start": 3, "end": 8, "text": "Paris"}]}'.encode(),
    b'{"text": "Paris", "mentions": [{"text": "Paris", "candidates": 3}]}',
    b'{"table": {"rows": [["a"]]}, "mentions": [{"row": 5, "col": 0}]}',
    b'{"text": "\xff"}',
    b'{"text": "\\ud800"}',
]  # fmt: skip


def test_bad_records_are_kept_apart_and_the_run_goes_on(tiny: KB, tmp_path: Path) -> None:
    lines = [line for bad in BAD for line in (GOOD, b"", bad)]
    (tmp_path / "in.jsonl").write_bytes(b"\n".join(lines))
    done = call("link", tiny.path, tmp_path / "in.jsonl", "--errors", tmp_path / "errors.jsonl")
    assert done.returncode == 1
    assert linked_entities(json_lines(done.stdout)) == [["paris"]] * len(BAD)
    failed = json_lines((tmp_path / "errors.jsonl").read_bytes())
    assert [each["line"] for each in failed] == [3 * i + 3 for i in range(len(BAD))]
    for each in failed:
        assert each.keys() >= {"line", "cause"}
        assert each["cause"]
        assert "\n" not in each["cause"]
    assert "UTF-16" in failed[15]["cause"]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("bad", BAD)
def test_without_a_file_of_errors_the_causes_are_printed(tiny: KB, tmp_path: Path, bad: bytes) -> None:
    (tmp_path / "in.jsonl").write_bytes(GOOD + b"\n" + bad + b"\n" + ALSO)
    done = call("link", tiny.path, tmp_path / "in.jsonl", "--method", "degree")
    assert done.returncode == 1
    assert linked_entities(json_lines(done.stdout)) == [["paris"], ["iowa"]]
    assert "line 2: " in done.stderr


@pytest.mark.parametrize("jobs", [1, 2])
def test_strict_stops_at_the_first_bad_record(tiny: KB, tmp_path: Path, jobs: int) -> None:
    (tmp_path / "in.jsonl").write_bytes(GOOD + b"\n" + b"{\n" + b"[\n" + ALSO)
    done = call("link", tiny.path, tmp_path / "in.jsonl", "--strict", "--method", "degree", "--jobs", jobs)
    assert_one_sentence(done, "line 2", "no JSON")


def test_strict_is_content_with_good_records(tiny: KB) -> None:
    assert len(json_output(call("link", tiny.path, "-", "--strict", stdin=GOOD + b"\n\n" + ALSO))) == 2


@pytest.mark.parametrize("first", [b"42", b"null", b"true", b'{"text": 7}'])
def test_a_bad_first_record_does_not_turn_the_others_into_text(tiny: KB, first: bytes) -> None:
    done = call("link", tiny.path, "-", "--method", "degree", stdin=first + b"\n" + GOOD + b"\n" + ALSO)
    assert done.returncode == 1
    assert linked_entities(json_lines(done.stdout)) == [["paris"], ["iowa"]]
    assert "line 1: " in done.stderr


def test_an_id_may_stand_there_twice(tiny: KB) -> None:
    assert linked_entities(json_output(call("link", tiny.path, "-", stdin=GOOD + b"\n" + GOOD))) == [["paris"], ["paris"]]


def test_documents_without_mentions(tiny: KB) -> None:
    lines = b'{"mentions": []}\n{"text": "Paris", "mentions": []}\n{"text": ""}\n""\n{"table": {"rows": []}}\n'
    found = json_output(call("link", tiny.path, "-", stdin=lines))
    assert linked_entities(found) == [[], [], [], [], []]


def test_a_text_of_five_million_letters(tiny: KB) -> None:
    text = "Nobody there went anywhere at all. " * 150_000 + "Michael Jordan went to Paris."
    assert len(text) > 5_000_000
    output, _, failures = link_lines(tiny, [json_line({"text": text}), GOOD], method="degree")
    found = json_lines(output)
    assert failures == []
    assert linked_entities(found) == [["mj", "paris"], ["paris"]]
    assert text[found[0]["mentions"][0]["start"] :].startswith("Michael Jordan")


def test_ten_thousand_mentions(tiny: KB) -> None:
    many = names_document(*["Michael Jordan", "Paris", "xyzzy", "Iowa"] * 2500)
    output, report, _ = link_lines(tiny, [json_line(many), GOOD])
    assert (report.mentions, report.linked) == (10_001, 7_501)
    assert linked_entities(json_lines(output))[0][:4] == ["mj", "paris", None, "iowa"]


@pytest.mark.parametrize("options", [(), ("--text",)])
def test_a_cut_archive_is_linked_as_far_as_it_goes_and_reported(tiny: KB, tmp_path: Path, options: tuple[str, ...]) -> None:
    packed = gzip.compress(b"".join(b'{"id": %d, "text": "Paris %d"}\n' % (i, i * i) for i in range(4_000)))
    (tmp_path / "in.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    done = call("link", tiny.path, tmp_path / "in.jsonl.gz", "--method", "degree", *options)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "in.jsonl.gz" in done.stderr
    assert "truncated" in done.stderr
    found = json_lines(done.stdout)
    if options:
        assert len(found) == 1
    else:
        assert [each["id"] for each in found] == list(range(len(found)))
        assert len(found) > 1000


def test_a_cut_archive_keeps_what_failed_in_the_file(tiny: KB, tmp_path: Path) -> None:
    packed = gzip.compress(GOOD + b"\n" + os.urandom(4000).hex().encode() + b"\n" + ALSO)
    (tmp_path / "in.jsonl.gz").write_bytes(packed[:-1000])
    done = call("link", tiny.path, tmp_path / "in.jsonl.gz", "--errors", tmp_path / "e.jsonl", "--method", "degree")
    assert done.returncode == 1
    assert linked_entities(json_lines(done.stdout)) == [["paris"]]
    assert [each["line"] for each in json_lines((tmp_path / "e.jsonl").read_bytes())] == [2]


def test_bytes_that_are_no_utf_8_are_read_as_latin_1_with_a_warning(tiny: KB, tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("Ville Lumière is Paris".encode("latin-1"))
    done = run_process("link", tiny.path, tmp_path / "latin.txt", "--method", "degree")
    assert json.loads(done.stdout)["mentions"][0]["text"] == "Ville Lumière"
    assert done.stderr.startswith("warning: ")
