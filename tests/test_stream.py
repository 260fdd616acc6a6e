"""A stream of JSON lines: any line is a result or a failure, order is kept, jobs change no byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import call, json_lines, json_output
from helpers.documents import json_line, linked_entities, names_document
from helpers.files import write_jsonl
from helpers.kbs import build_untrained
from helpers.streaming import BOM, LINK_FIELDS, SENTENCE, link_lines, mixed_documents, records_of
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes import KB
from eigenthemes.errors import DocumentError
from eigenthemes.linker import Linker
from eigenthemes.stream import Failure, link_stream

# any line


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
_SMALL = st.integers(-2, 14) | st.none() | _JSON
_NAME = st.sampled_from(["Paris", "Jordan", "is in", "", "Par\nis"]) | _JSON
_CANDIDATES = st.lists(st.sampled_from(["mj", "jo", "nobody", ["paris", 2], {"id": "iowa"}, 7]), max_size=4) | _JSON
_MENTION = st.fixed_dictionaries(
    {},
    optional={
        "text": _NAME, "start": _SMALL, "end": _SMALL, "row": _SMALL, "col": _SMALL, "candidates": _CANDIDATES, "gold": _JSON,
        "x": _JSON,
    },
)  # fmt: skip
_DOCUMENT = st.fixed_dictionaries(
    {},
    optional={
        "id": st.text(max_size=3) | _JSON,
        "text": st.sampled_from(["Paris is in Jordan", "", "😀 Paris"]) | _JSON,
        "mentions": st.lists(_MENTION, max_size=3) | _JSON,
        "table": st.fixed_dictionaries({"rows": st.lists(st.lists(_NAME, max_size=2), max_size=2)}, optional={"header": _JSON})
        | _JSON,
        "x": _JSON,
    },
)


@given(st.lists(_JSON | _DOCUMENT, max_size=4))
def test_any_json_on_a_line_is_a_result_or_a_failure(tiny: KB, values: list[Any]) -> None:
    output, report, failures = link_lines(tiny, [json.dumps(value).encode() + b"\n" for value in values], method="degree")
    found = json_lines(output)
    assert report.documents == len(found)
    assert report.failures == len(failures)
    assert len(found) + len(failures) == len(values)
    assert all(1 <= failure.line <= len(values) and "\n" not in failure.cause for failure in failures)


@given(st.lists(st.binary(max_size=20).map(lambda data: data.replace(b"\n", b"")), max_size=4))
def test_any_bytes_on_a_line_are_a_result_or_a_failure(tiny: KB, lines: list[bytes]) -> None:
    output, _, failures = link_lines(tiny, [line + b"\n" for line in lines], method="degree")
    assert len(json_lines(output)) + len(failures) == sum(
        not line.removeprefix(BOM).isspace() and line not in (b"", BOM) for line in lines
    )


@given(_DOCUMENT)
def test_library_and_stream_give_the_same_json(tiny: KB, degree_linker: Linker, document: dict[str, Any]) -> None:
    output, _, failures = link_lines(tiny, [json.dumps(document).encode()], method="degree")
    if failures:
        with pytest.raises(DocumentError):
            degree_linker.link(document)
    else:
        (line,) = json_lines(output)
        assert json.loads(json.dumps(degree_linker.link(document).to_dict())) == line


@given(_DOCUMENT)
def test_output_can_be_linked_again(tiny: KB, document: dict[str, Any]) -> None:
    once, _, failures = link_lines(tiny, [json.dumps(document).encode()], method="degree")
    if not failures:
        again, _, failures = link_lines(tiny, once.splitlines(keepends=True), method="degree")
        assert (json_lines(again), failures) == (json_lines(once), [])


@pytest.mark.parametrize(
    "document",
    [
        {"text": SENTENCE},
        {"id": 7, "text": SENTENCE, "mentions": [{"start": 0, "end": 14}], "more": {"a": [1, None, 2.5]}},
        {"text": "In Paris", "mentions": [{"start": 3, "end": 99, "text": "Paris"}]},
        {"text": "New\nYork", "mentions": [{"start": 0, "end": 8, "text": "New York"}]},
        {"text": "Paris", "mentions": [{"text": "Paris", "start": None, "end": None}]},
        {"table": {"rows": [["Paris", 3, None, True]]}},
        {"table": {"header": ["a"], "rows": [["Paris"]]}, "mentions": [{"row": 0, "col": 0}]},
        {"text": None, "mentions": [{"text": "", "x": 1}]},
        names_document("Paris", candidates=["nobody", "paris"]),
    ],
)
def test_library_and_command_give_the_same_json(tiny: KB, eigen_linker: Linker, document: dict[str, Any]) -> None:
    (line,) = json_output(call("link", tiny.path, "-", stdin=json_line(document)))
    assert json.loads(json.dumps(eigen_linker.link(document).to_dict())) == line


# the stream


def test_order_is_kept_and_unknown_fields_pass_through(tiny: KB) -> None:
    given_documents = [
        {"note": {"deep": [1, {"ä": None}]}, "id": i, "text": "Paris", "mentions": [{"text": "Paris", "kind": "LOC", "n": [i]}]}
        for i in range(150)
    ]
    output, report, _ = link_lines(tiny, [json_line(each) for each in given_documents], method="degree")
    assert (report.documents, report.mentions, report.linked) == (150, 150, 150)
    for before, after in zip(given_documents, json_lines(output), strict=True):
        (mention,) = after["mentions"]
        assert {**after, "mentions": [{key: value for key, value in mention.items() if key not in LINK_FIELDS}]} == before


@pytest.mark.parametrize(
    "value", ["12345678901234567890", "-9223372036854775808", "0.1", "1e300", '"\\u2028"', "[" * 200 + "]" * 200]
)
def test_unknown_values_pass_through_unchanged(tiny: KB, value: str) -> None:
    output, _, failures = link_lines(tiny, [f'{{"text": "Paris", "x": {value}}}'.encode()], method="degree")
    assert failures == []
    assert json_lines(output)[0]["x"] == json.loads(value)


@pytest.mark.parametrize("depth", [300, 900, 5000])
def test_what_is_nested_deeply_is_a_result_or_a_failure(tiny: KB, depth: int) -> None:
    deep = f'{{"text": "Paris", "x": {"[" * depth}{"]" * depth}}}\n'.encode()
    output, _, failures = link_lines(tiny, [json_line({"text": "Iowa"}), deep, json_line({"text": "Tokyo"})], method="degree")
    assert len(output.splitlines()) + len(failures) == 3
    assert output.splitlines()[0].startswith(b'{"text":"Iowa"')
    assert [failure.line for failure in failures] in ([], [2])


def test_lines_are_read_no_further_ahead_than_needed(tiny: KB) -> None:
    read, written = 0, 0

    def lines() -> Iterator[bytes]:
        nonlocal read
        for i in range(1000):
            read += 1
            yield json_line({"id": i, "text": "Paris"})

    def write(data: bytes) -> None:
        nonlocal written
        written += data.count(b"\n")
        assert read - written <= 64

    link_stream(records_of(lines()), Linker(tiny, method="degree"), write=write)
    assert written == 1000


@pytest.mark.slow
@pytest.mark.parametrize("method", ["eigen", "degree"])
def test_jobs_change_no_byte(tiny: KB, method: str) -> None:
    lines = [json_line(each) for each in mixed_documents(200)]
    lines[100] = b"broken\n"
    alone, together = (link_lines(tiny, lines, jobs=jobs, method=method) for jobs in (1, 2))
    assert alone[0] == together[0]
    assert alone[2] == together[2] == [Failure("documents.jsonl", 101, alone[2][0].cause, alone[2][0].record)]
    assert [each["id"] for each in json_lines(together[0])] == [f"d{i}" for i in range(200) if i != 100]
    one_by_one = b"".join(link_lines(tiny, [line], method=method)[0] for line in lines[:15])
    assert alone[0].startswith(one_by_one)
    assert len(one_by_one.splitlines()) == 15


def test_a_kb_built_anew_is_the_one_that_answers(tmp_path: Path) -> None:
    place = tmp_path / "my.kb"
    for external in ("old", "new"):
        nodes = write_jsonl(tmp_path / "nodes.jsonl", [{"id": external, "name": "Paris"}])
        build_untrained([nodes], place, force=True)
        output, _, _ = link_lines(place, [b'"Paris"'], method="degree")
        assert linked_entities(json_lines(output)) == [[external]]
