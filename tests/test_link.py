"""Linking by library, stream and command: right answers, odd input, and all that can go wrong."""

from __future__ import annotations

import copy
import gzip
import io
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from conftest import write_jsonl
from hypothesis import given
from hypothesis import strategies as st
from looking import PLAIN
from test_cli import assert_one_sentence
from test_cli import run as run_process

from eigenthemes import KB, EigenthemesError, build_kb
from eigenthemes.build import import_vectors
from eigenthemes.cli import main
from eigenthemes.errors import DocumentError, OptionError, VectorError
from eigenthemes.linker import Linker
from eigenthemes.records import Document, Mention
from eigenthemes.stream import Failure, Report, link_stream

VERSION_1 = Path(__file__).parent / "formats" / "version-1.kb"
SENTENCE = "Michael Jordan of the United States went to Paris and Tokyo."
BOM = b"\xef\xbb\xbf"
ANSWER = {"entity", "label", "score", "probability", "ranking", "nil_reason"}


def call(*arguments: object, stdin: str | bytes = "") -> subprocess.CompletedProcess[str]:
    """A command in this process, from its arguments to its exit code; a traceback fails the test."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    argv = ["eigenthemes", *map(str, arguments)]
    code: Any = 0
    with mock.patch.multiple(sys, argv=argv, stdin=io.TextIOWrapper(io.BytesIO(data)), stdout=out, stderr=err):
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        out.flush()
        err.flush()
    told = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return subprocess.CompletedProcess(argv, code, *told)


def records(output: str | bytes) -> list[Any]:
    """The JSON lines of an output; each ends with a line break, and none holds what is no JSON."""
    text = output if isinstance(output, str) else output.decode()
    assert not text or text.endswith("\n")
    return [json.loads(line, parse_constant=pytest.fail) for line in text.split("\n")[:-1]]


def good(done: subprocess.CompletedProcess[str]) -> list[Any]:
    assert done.returncode == 0, done.stderr
    return records(done.stdout)


def stream(kb: KB | Path, lines: list[bytes], *, jobs: int = 1, **options: Any) -> tuple[bytes, Report, list[Failure]]:
    out, failures = io.BytesIO(), list[Failure]()
    path = kb.path if isinstance(kb, KB) else kb
    report = link_stream(lines, out.write, path, options=options, jobs=jobs, on_failure=failures.append)
    return out.getvalue(), report, failures


def entities(documents: list[Any]) -> list[list[str | None]]:
    return [[mention["entity"] for mention in document["mentions"]] for document in documents]


def line_of(record: Any) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def mentioned(*names: str, **fields: Any) -> dict[str, Any]:
    return {"mentions": [{"text": name, **fields} for name in names]}


def documents(count: int) -> list[dict[str, Any]]:
    """Of every kind: texts, mentions, tables, given candidates, unknown names."""
    kinds: list[dict[str, Any]] = [
        {"text": SENTENCE},
        mentioned("Jordan", "Michael Jordan", "WHO", "xyzzy"),
        {"table": {"header": ["who", "where"], "rows": [["MJ", "Paris"], ["Tokyo", "7"]]}},
        {"text": "I saw Paris", "mentions": [{"start": 6, "end": 11, "candidates": ["paris-tx", "paris"]}]},
        {"text": "", "mentions": []},
        mentioned("Paris", "Iowa", "Tumor", candidates=["tumor", "nowhere", "iowa"]),
        {"text": "😀 東京都 and Ville Lumière"},
    ]
    return [{"id": f"d{i}", **kinds[i % len(kinds)]} for i in range(count)]


@pytest.fixture(scope="module")
def eigen(tiny: KB) -> Linker:
    return Linker.open(tiny.path)


@pytest.fixture(scope="module")
def degree(tiny: KB) -> Linker:
    return Linker.open(tiny.path, method="degree")


@pytest.fixture
def copied(tiny: KB, tmp_path: Path) -> Path:
    shutil.copytree(tiny.path, tmp_path / "copied.kb")
    return tmp_path / "copied.kb"


# the library


@pytest.mark.parametrize(
    ("method", "name", "entity"),
    [
        ("degree", "Michael Jordan", "mj"),
        ("degree", "Paris", "paris"),
        ("degree", "MJ", "mj"),
        ("eigen", "MJ", "mj"),
        ("average", "National Basketball Association", "nba"),
        ("eigen-unweighted", "City of Light", "paris"),
        ("average-unweighted", "東京都", "tokyo"),
        ("namematch", "michael jordan", "mj"),
        ("namematch", "Jordan", "jo"),
        ("namematch", "Paris (Texas)", "paris-tx"),
        ("prior-name", "Jordan", "jo"),
        ("prior-name", "WHO", "who"),
    ],
)
def test_answers_that_are_plain(tiny: KB, method: str, name: str, entity: str) -> None:
    (link,) = Linker(tiny, method=method).link(mentioned(name)).links
    assert (link.entity, link.nil_reason) == (entity, None)
    assert link.label == tiny.label_of(tiny.index_of(entity) or 0)
    assert (link.ranking[0].id, link.ranking[0].score) == (entity, link.score)


@pytest.mark.parametrize(
    ("method", "name", "reason"),
    [
        ("namematch", "MJ", "no_name_match"),
        ("namematch", "NBA", "no_name_match"),
        ("namematch", "xyzzy", "no_candidate"),
        ("eigen", "xyzzy", "no_candidate"),
        ("degree", "", "no_candidate"),
        ("degree", "?!", "no_candidate"),
    ],
)
def test_no_answer_says_why(tiny: KB, method: str, name: str, reason: str) -> None:
    (link,) = Linker(tiny, method=method).link(mentioned(name)).links
    assert (link.entity, link.label, link.score, link.nil_reason) == (None, None, None, reason)


@pytest.mark.parametrize("method", PLAIN)
def test_rankings_are_best_first_and_no_longer_than_top(tiny: KB, method: str) -> None:
    for top in (0, 1, 2, 50):
        for link in Linker(tiny, method=method, top=top).link(mentioned("Jordan", "Paris", "WHO")).links:
            scores = [each.score for each in link.ranking]
            assert scores == sorted(scores, reverse=True)
            assert len(scores) <= top
            assert len({each.id for each in link.ranking}) == len(scores)


def test_top_changes_no_answer(tiny: KB) -> None:
    answers = [[link.entity for link in Linker(tiny, top=top).link(SENTENCE).links] for top in (0, 1, 9)]
    assert answers[0] == answers[1] == answers[2]
    assert None not in answers[0]


def test_a_text_a_json_object_and_a_document_are_the_same(eigen: Linker) -> None:
    expected = eigen.link(SENTENCE).to_dict()
    assert [each["entity"] for each in expected["mentions"]] == ["mj", "us", "paris", "tokyo"]
    assert eigen.link({"text": SENTENCE}).to_dict() == expected
    assert eigen.link(Document(text=SENTENCE)).to_dict() == expected
    spans = tuple(Mention(each["text"], each["start"], each["end"]) for each in expected["mentions"])
    assert eigen.link(Document(spans, text=SENTENCE)).to_dict() == expected


def test_results_are_frozen(eigen: Linker) -> None:
    linked = eigen.link(SENTENCE)
    with pytest.raises(FrozenInstanceError):
        linked.links = ()  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        linked.links[0].entity = "other"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        linked.links[0].ranking[0].score = 1.0  # type: ignore[misc]


def test_results_are_ready_for_json(eigen: Linker) -> None:
    for document in documents(7):
        shown = eigen.link(document).to_dict()
        assert json.loads(json.dumps(shown, allow_nan=False)) == shown
        for mention in shown["mentions"]:
            assert mention.keys() >= ANSWER
            assert mention["probability"] is None


def test_what_was_given_is_left_alone(eigen: Linker) -> None:
    given_documents = documents(7)
    before = copy.deepcopy(given_documents)
    shown = [eigen.link(each).to_dict() for each in given_documents]
    assert given_documents == before
    shown[1]["mentions"][0]["entity"] = "changed"
    assert given_documents == before


def test_many_documents_are_taken_as_they_come(degree: Linker) -> None:
    numbers = itertools.count()
    endless = ({"id": i, "text": "Paris"} for i in numbers)
    linked = degree.link_batch(endless)
    assert [each.document.id for each in itertools.islice(linked, 200)] == list(range(200))
    assert next(numbers) < 1000  # not much was read ahead
    assert list(degree.link_batch([])) == []


@pytest.mark.parametrize("method", ["eigen", "average", "prior-name"])
def test_any_size_of_batch_gives_the_same(tiny: KB, method: str) -> None:
    linker = Linker(tiny, method=method)
    many = [*documents(30), mentioned(*(["Jordan", "Paris", "WHO", "Tokio", "M. Jordan"] * 20))]  # enough for the kernels
    expected = [linker.link(each).to_dict() for each in many]
    for size in (1, 2, 7, 64, 10_000):
        assert [each.to_dict() for each in linker.link_batch(iter(many), batch_size=size)] == expected


@pytest.mark.parametrize("size", [0, -1])
def test_no_size_of_batch_loses_documents(degree: Linker, size: int) -> None:
    with pytest.raises(OptionError):
        list(degree.link_batch(["Paris"], batch_size=size))


def test_the_mentions_of_a_document_are_answered_the_same_alone_and_among_many(degree: Linker) -> None:
    names = [
        "Jordan",
        "Michael Jordan",
        "paris",
        "Ville Lumiere",
        "W.H.O.",
        "Shaquille ONeill",
        "Pariss",
        "xyzzy",
        "U.S.",
        "al Qaida",
    ]
    together = degree.link(mentioned(*names * 10)).links
    alone = [degree.link(mentioned(name)).links[0] for name in names] * 10
    assert [(each.entity, each.ranking) for each in together] == [(each.entity, each.ranking) for each in alone]


@pytest.mark.parametrize(
    "options",
    [
        {"method": "eigne"}, {"k": 0}, {"k": -3}, {"delta": -1.0}, {"delta": float("nan")}, {"delta": float("inf")},
        {"top": -1}, {"generator": "papier"}, {"max_candidates": 0}, {"vectors": "nothing"},
        {"method": "degree", "vectors": "nothing"},
    ],
)  # fmt: skip
def test_options_are_checked_at_the_door(tiny: KB, options: dict[str, Any]) -> None:
    with pytest.raises(OptionError) as refused:
        Linker.open(tiny.path, **options)
    assert "\n" not in str(refused.value)


def test_the_exponent_may_be_large(tiny: KB) -> None:
    (link,) = Linker(tiny, delta=1e6).link(mentioned("Jordan")).links
    assert link.entity == "mj"  # only rank 1 counts
    assert all(abs(each.score) < 2 for each in link.ranking)


@pytest.mark.parametrize(
    "odd", ["\ud800 Paris", {"text": "\ud800 Paris"}, mentioned("Paris\udc00")], ids=["text", "object", "mention"]
)
def test_half_a_character_is_refused(degree: Linker, odd: str | dict[str, Any]) -> None:
    with pytest.raises(DocumentError):
        degree.link(odd)


@given(st.text())
def test_any_text_links(degree: Linker, text: str) -> None:
    linked = degree.link(text)
    for link in linked.links:
        assert link.mention.start is not None
        assert link.mention.end is not None
        assert text[link.mention.start : link.mention.end] == link.mention.text
        assert (link.entity is None) == (link.nil_reason is not None)


@given(
    st.lists(
        st.sampled_from(
            ["Michael Jordan", "Paris", "U.S.", " ", ", ", ". ", "\n", "the ", "in ", "東京都", "’s", "😀", "(Texas)"]
        )
    )
)
def test_any_mixture_of_names_links(eigen: Linker, parts: list[str]) -> None:
    text = "".join(parts)
    end = 0
    for link in eigen.link(text).links:
        assert link.mention.start is not None
        assert link.mention.end is not None
        assert text[link.mention.start : link.mention.end] == link.mention.text
        assert end <= link.mention.start < link.mention.end
        assert link.entity is not None  # a name of the KB has a candidate
        end = link.mention.end


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
    output, report, failures = stream(tiny, [json.dumps(value).encode() + b"\n" for value in values], method="degree")
    found = records(output)
    assert report.documents == len(found)
    assert report.failures == len(failures)
    assert len(found) + len(failures) == len(values)
    assert all(1 <= failure.line <= len(values) and "\n" not in failure.cause for failure in failures)


@given(st.lists(st.binary(max_size=20).map(lambda data: data.replace(b"\n", b"")), max_size=4))
def test_any_bytes_on_a_line_are_a_result_or_a_failure(tiny: KB, lines: list[bytes]) -> None:
    output, _, failures = stream(tiny, [line + b"\n" for line in lines], method="degree")
    assert len(records(output)) + len(failures) == sum(
        not line.removeprefix(BOM).isspace() and line not in (b"", BOM) for line in lines
    )


@given(_DOCUMENT)
def test_library_and_stream_give_the_same_json(tiny: KB, degree: Linker, document: dict[str, Any]) -> None:
    output, _, failures = stream(tiny, [json.dumps(document).encode()], method="degree")
    if failures:
        return
    (line,) = records(output)
    assert json.loads(json.dumps(degree.link(document).to_dict())) == line


@given(_DOCUMENT)
def test_output_can_be_linked_again(tiny: KB, document: dict[str, Any]) -> None:
    once, _, failures = stream(tiny, [json.dumps(document).encode()], method="degree")
    if not failures:
        again, _, failures = stream(tiny, once.splitlines(keepends=True), method="degree")
        assert (records(again), failures) == (records(once), [])


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
        mentioned("Paris", candidates=["nobody", "paris"]),
    ],
)
def test_library_and_command_give_the_same_json(tiny: KB, eigen: Linker, document: dict[str, Any]) -> None:
    (line,) = good(call("link", tiny.path, "-", stdin=line_of(document)))
    assert json.loads(json.dumps(eigen.link(document).to_dict())) == line


# the stream


def test_order_is_kept_and_unknown_fields_pass_through(tiny: KB) -> None:
    given_documents = [
        {"note": {"deep": [1, {"ä": None}]}, "id": i, "text": "Paris", "mentions": [{"text": "Paris", "kind": "LOC", "n": [i]}]}
        for i in range(150)
    ]
    output, report, _ = stream(tiny, [line_of(each) for each in given_documents], method="degree")
    assert (report.documents, report.mentions, report.linked) == (150, 150, 150)
    for before, after in zip(given_documents, records(output), strict=True):
        (mention,) = after["mentions"]
        assert {**after, "mentions": [{key: value for key, value in mention.items() if key not in ANSWER}]} == before


@pytest.mark.parametrize(
    "value", ["12345678901234567890", "-9223372036854775808", "0.1", "1e300", '"\\u2028"', "[" * 200 + "]" * 200]
)
def test_unknown_values_pass_through_unchanged(tiny: KB, value: str) -> None:
    output, _, failures = stream(tiny, [f'{{"text": "Paris", "x": {value}}}'.encode()], method="degree")
    assert failures == []
    assert records(output)[0]["x"] == json.loads(value)


@pytest.mark.parametrize("depth", [300, 900, 5000])
def test_what_is_nested_deeply_is_a_result_or_a_failure(tiny: KB, depth: int) -> None:
    deep = f'{{"text": "Paris", "x": {"[" * depth}{"]" * depth}}}\n'.encode()
    output, _, failures = stream(tiny, [line_of({"text": "Iowa"}), deep, line_of({"text": "Tokyo"})], method="degree")
    assert len(output.splitlines()) + len(failures) == 3
    assert output.splitlines()[0].startswith(b'{"text":"Iowa"')
    assert [failure.line for failure in failures] in ([], [2])


def test_lines_are_read_no_further_ahead_than_needed(tiny: KB) -> None:
    read, written = 0, 0

    def lines() -> Iterator[bytes]:
        nonlocal read
        for i in range(1000):
            read += 1
            yield line_of({"id": i, "text": "Paris"})

    def write(data: bytes) -> None:
        nonlocal written
        written += data.count(b"\n")
        assert read - written <= 64

    link_stream(lines(), write, tiny.path, options={"method": "degree"})
    assert written == 1000


@pytest.mark.parametrize("method", ["eigen", "degree"])
def test_jobs_change_no_byte(tiny: KB, method: str) -> None:
    lines = [line_of(each) for each in documents(200)]
    lines[100] = b"broken\n"
    alone, together = (stream(tiny, lines, jobs=jobs, method=method) for jobs in (1, 2))
    assert alone[0] == together[0]
    assert alone[2] == together[2] == [Failure(101, alone[2][0].cause)]
    assert [each["id"] for each in records(together[0])] == [f"d{i}" for i in range(200) if i != 100]
    one_by_one = b"".join(stream(tiny, [line], method=method)[0] for line in lines)
    assert one_by_one == alone[0]


def test_a_kb_built_anew_is_the_one_that_answers(tmp_path: Path) -> None:
    place = tmp_path / "my.kb"
    for external in ("old", "new"):
        nodes = write_jsonl(tmp_path / "nodes.jsonl", [{"id": external, "name": "Paris"}])
        build_kb([nodes], place, force=True)
        output, _, _ = stream(place, [b'"Paris"'], method="degree")
        assert entities(records(output)) == [[external]]


# text and tables


def test_plain_text_by_pipe(tiny: KB) -> None:
    done = run_process("link", tiny.path, "-", stdin="Michael Jordan played in the NBA\n")
    (document,) = good(done)
    assert done.stderr == ""
    assert document["text"].rstrip("\n") == "Michael Jordan played in the NBA"
    (mention,) = document["mentions"]
    assert mention.keys() == ANSWER | {"start", "end", "text"}
    assert (mention["start"], mention["end"], mention["text"], mention["entity"]) == (0, 14, "Michael Jordan", "mj")
    assert mention["ranking"][0] == {"id": "mj", "label": "Michael Jordan", "score": mention["score"]}
    assert (mention["probability"], mention["nil_reason"]) == (None, None)


@pytest.mark.parametrize(
    "line",
    ["The Hashemite Kingdom of Jordan", '{"text": "The Hashemite Kingdom of Jordan"}', '"The Hashemite Kingdom of Jordan"'],
)
def test_the_longest_name_is_found_in_text_however_it_comes(tiny: KB, line: str) -> None:
    (document,) = good(call("link", tiny.path, "-", "--method", "degree", stdin=line))
    assert [(each["start"], each["end"], each["entity"]) for each in document["mentions"]] == [(4, 31, "jo")]


def test_a_text_of_several_lines_is_one_document(tiny: KB) -> None:
    text = "Michael Jordan\r\n\r\nwent to Paris.\n"
    (document,) = good(call("link", tiny.path, "-", "--method", "degree", stdin=text))
    assert entities([document]) == [["mj", "paris"]]
    for mention in document["mentions"]:
        assert document["text"][mention["start"] : mention["end"]] == mention["text"]


def test_text_that_begins_as_json_is_text_if_told(tiny: KB) -> None:
    (document,) = good(call("link", tiny.path, "-", "--text", "--method", "degree", stdin='"Paris," he said.'))
    assert entities([document]) == [["paris"]]


def test_a_text_that_is_not_utf_8_is_no_traceback(tiny: KB) -> None:
    done = call("link", tiny.path, "-", "--method", "degree", stdin="Café in Paris".encode("latin-1"))
    assert entities(good(done)) == [["paris"]]


def test_a_table_is_linked_as_one_document(tiny: KB, eigen: Linker) -> None:
    table = {
        "header": ["player", "league"],
        "rows": [["Jordan", "National Basketball Association"], ["Shaquille O'Neill", "12"]],
    }
    (document,) = good(call("link", tiny.path, "-", stdin=line_of({"table": table})))
    assert document["table"] == table
    assert [(each["row"], each["col"], each["text"]) for each in document["mentions"]] == [
        (0, 0, "Jordan"), (0, 1, "National Basketball Association"), (1, 0, "Shaquille O'Neill"),
    ]  # fmt: skip
    together = eigen.link(mentioned("Jordan", "National Basketball Association", "Shaquille O'Neill"))
    assert [each["score"] for each in document["mentions"]] == [link.score for link in together.links]
    assert document["mentions"][0]["score"] != eigen.link(mentioned("Jordan")).links[0].score  # the others have their say


def test_the_cells_that_are_asked_for_are_linked(tiny: KB) -> None:
    record = {
        "table": {"header": [], "rows": [["Iowa", "Paris"], ["Tokyo"]]},
        "mentions": [{"row": 0, "col": 1, "x": 1}, {"row": 1, "col": 0}],
    }
    (document,) = good(call("link", tiny.path, "-", stdin=line_of(record)))
    assert entities([document]) == [["paris", "tokyo"]]
    assert document["mentions"][0]["x"] == 1
    assert document["mentions"][0]["text"] == "Paris"


# candidates of one's own


def test_given_candidates_are_the_only_ones_and_in_their_order(tiny: KB) -> None:
    for first, second in (("iowa", "nba"), ("nba", "iowa")):
        # with a large delta the first candidate decides what the document is about
        (link,) = Linker(tiny, delta=60.0, top=9).link(mentioned("Paris", candidates=[first, second])).links
        assert [each.id for each in link.ranking] == [first, second]


def test_equal_candidates_stay_in_the_given_order(tiny: KB) -> None:
    for order in (["who", "thewho", "tokyo"], ["tokyo", "who", "thewho"]):  # one edge each
        (link,) = Linker(tiny, method="degree").link(mentioned("x", candidates=order)).links
        assert [each.id for each in link.ranking] == order


def test_unknown_candidates_are_reported(tiny: KB) -> None:
    record = mentioned("Paris", candidates=["Q90", "paris", "Q30"])
    record["mentions"].append({"text": "Iowa"})
    done = call("link", tiny.path, "-", stdin=line_of(record))
    (document,) = good(done)
    assert entities([document]) == [["paris", "iowa"]]
    assert document["mentions"][0]["unknown_candidates"] == ["Q90", "Q30"]
    assert "unknown_candidates" not in document["mentions"][1]
    assert "warning" in done.stderr
    assert "2 candidates" in done.stderr
    assert "Q90" in done.stderr


def test_only_unknown_candidates_are_no_candidate(tiny: KB) -> None:
    (link,) = Linker(tiny).link(mentioned("Paris", candidates=["Q90"])).links
    assert (link.entity, link.nil_reason, link.unknown_candidates) == (None, "no_candidate", ("Q90",))
    (link,) = Linker(tiny).link(mentioned("Paris", candidates=[])).links
    assert (link.entity, link.nil_reason, link.unknown_candidates) == (None, "no_candidate", ())


def test_candidates_are_reported_by_several_jobs_too(tiny: KB, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "d.jsonl", [mentioned("Paris", candidates=["Q90"])] * 130)
    done = call("link", tiny.path, file, "--jobs", 2, "--method", "degree")
    assert len(good(done)) == 130
    assert "130 candidates" in done.stderr


# options of the command


def test_the_options_do_what_they_say(tiny: KB) -> None:
    def first(name: str, *options: object) -> Any:
        return good(call("link", tiny.path, "-", *options, stdin=line_of(mentioned(name))))[0]["mentions"][0]

    assert len(first("Jordan")["ranking"]) == 3
    assert len(first("Jordan", "--top", 1)["ranking"]) == 1
    assert first("Jordan", "--top", 0)["ranking"] == []
    assert len(first("Jordan", "--max-candidates", 2)["ranking"]) == 2
    assert len(first("Jordan", "--max-candidates", "all")["ranking"]) == 3
    assert first("MJ")["entity"] == "mj"
    assert first("MJ", "--no-aliases")["entity"] is None
    assert first("NBA")["entity"] == "nba"
    assert first("NBA", "--generator", "paper")["nil_reason"] == "no_candidate"
    assert first("Jordan", "--method", "namematch")["entity"] == "jo"
    assert first("Jordan", "--k", 1)["score"] != first("Jordan", "--k", "all")["score"]
    assert first("Jordan", "--delta", 0)["score"] == first("Jordan", "--method", "eigen-unweighted")["score"]
    assert first("Jordan", "--delta", 0)["score"] != first("Jordan")["score"]
    assert first("Jordan", "--vectors", "prone") == first("Jordan")
    assert first("Jordan", "--k", "9" * 30) == first("Jordan", "--k", "all") == first("Jordan", "--max-candidates", "9" * 30)


def test_unique_counts_an_entity_once(tiny: KB) -> None:
    twice = line_of(mentioned("Michael Jordan", "Michael Jordan", "Paris"))
    plain, unique = (good(call("link", tiny.path, "-", *option, stdin=twice)) for option in ((), ("--unique",)))
    assert plain[0]["mentions"][0]["score"] != unique[0]["mentions"][0]["score"]


def test_vectors_are_chosen_by_name(copied: Path, tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("paris 1 0\nparis-tx 0 1\niowa 0 1\n")
    import_vectors(copied, tmp_path / "vectors.txt", name="mine")
    record = line_of(mentioned("Paris", "Iowa", "Iowa", "Iowa"))
    mine, made = (good(call("link", copied, "-", "--vectors", name, stdin=record)) for name in ("mine", "prone"))
    assert entities(mine)[0][0] == "paris-tx"
    assert good(call("link", copied, "-", stdin=record)) == mine  # the last ones
    assert made != mine


def test_output_to_a_file(tiny: KB, tmp_path: Path) -> None:
    done = call("link", tiny.path, "-", "-o", tmp_path / "out.jsonl", stdin="Paris")
    assert (done.returncode, done.stdout) == (0, "")
    assert entities(records((tmp_path / "out.jsonl").read_bytes())) == [["paris"]]


def test_output_of_the_command_can_be_linked_again(tiny: KB) -> None:
    once = call("link", tiny.path, "-", stdin=b"".join(map(line_of, documents(20))))
    assert once.returncode == 0
    assert call("link", tiny.path, "-", stdin=once.stdout).stdout == once.stdout


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
def test_lines_of_any_make(tiny: KB, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "docs").write_bytes(data)
    for done in (call("link", tiny.path, "-", stdin=data), call("link", tiny.path, tmp_path / "docs")):
        assert done.stderr == ""
        assert entities(good(done)) == [["paris"], ["iowa"]]


@pytest.mark.parametrize("data", [b"", b"\n", b"\r\n \n\t\n", BOM, BOM + b"\n", gzip.compress(b"", mtime=0)])
@pytest.mark.parametrize("options", [(), ("--text",), ("--jobs", 2), ("--strict",)])
def test_an_empty_input_gives_an_empty_output(tiny: KB, data: bytes, options: tuple[object, ...]) -> None:
    done = call("link", tiny.path, "-", *options, stdin=data)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


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
    assert entities(records(done.stdout)) == [["paris"]] * len(BAD)
    failed = records((tmp_path / "errors.jsonl").read_bytes())
    assert [each["line"] for each in failed] == [3 * i + 3 for i in range(len(BAD))]
    for each in failed:
        assert each.keys() >= {"line", "cause"}
        assert each["cause"]
        assert "\n" not in each["cause"]
    assert "UTF-16" in failed[15]["cause"]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("bad", BAD)
def test_without_a_file_the_causes_are_told(tiny: KB, tmp_path: Path, bad: bytes) -> None:
    (tmp_path / "in.jsonl").write_bytes(GOOD + b"\n" + bad + b"\n" + ALSO)
    done = call("link", tiny.path, tmp_path / "in.jsonl", "--method", "degree")
    assert done.returncode == 1
    assert entities(records(done.stdout)) == [["paris"], ["iowa"]]
    assert "line 2: " in done.stderr


@pytest.mark.parametrize("jobs", [1, 2])
def test_strict_stops_at_the_first_bad_record(tiny: KB, tmp_path: Path, jobs: int) -> None:
    (tmp_path / "in.jsonl").write_bytes(GOOD + b"\n" + b"{\n" + b"[\n" + ALSO)
    done = call("link", tiny.path, tmp_path / "in.jsonl", "--strict", "--method", "degree", "--jobs", jobs)
    assert_one_sentence(done, "line 2", "no JSON")


def test_strict_is_content_with_good_records(tiny: KB) -> None:
    assert len(good(call("link", tiny.path, "-", "--strict", stdin=GOOD + b"\n\n" + ALSO))) == 2


@pytest.mark.parametrize("first", [b"42", b"null", b"true", b'{"text": 7}'])
def test_a_bad_first_record_does_not_turn_the_others_into_text(tiny: KB, first: bytes) -> None:
    done = call("link", tiny.path, "-", "--method", "degree", stdin=first + b"\n" + GOOD + b"\n" + ALSO)
    assert done.returncode == 1
    assert entities(records(done.stdout)) == [["paris"], ["iowa"]]
    assert "line 1: " in done.stderr


def test_an_id_may_stand_there_twice(tiny: KB) -> None:
    assert entities(good(call("link", tiny.path, "-", stdin=GOOD + b"\n" + GOOD))) == [["paris"], ["paris"]]


def test_documents_without_mentions(tiny: KB) -> None:
    lines = b'{"mentions": []}\n{"text": "Paris", "mentions": []}\n{"text": ""}\n""\n{"table": {"rows": []}}\n'
    found = good(call("link", tiny.path, "-", stdin=lines))
    assert entities(found) == [[], [], [], [], []]


def test_a_text_of_five_million_letters(tiny: KB) -> None:
    text = "Nobody there went anywhere at all. " * 150_000 + "Michael Jordan went to Paris."
    assert len(text) > 5_000_000
    output, _, failures = stream(tiny, [line_of({"text": text}), GOOD], method="degree")
    found = records(output)
    assert failures == []
    assert entities(found) == [["mj", "paris"], ["paris"]]
    assert text[found[0]["mentions"][0]["start"] :].startswith("Michael Jordan")


def test_ten_thousand_mentions(tiny: KB) -> None:
    many = mentioned(*["Michael Jordan", "Paris", "xyzzy", "Iowa"] * 2500)
    output, report, _ = stream(tiny, [line_of(many), GOOD])
    assert (report.mentions, report.linked) == (10_001, 7_501)
    assert entities(records(output))[0][:4] == ["mj", "paris", None, "iowa"]


@pytest.mark.parametrize("options", [(), ("--text",)])
def test_a_cut_archive_is_linked_as_far_as_it_goes_and_told(tiny: KB, tmp_path: Path, options: tuple[str, ...]) -> None:
    packed = gzip.compress(b"".join(b'{"id": %d, "text": "Paris %d"}\n' % (i, i * i) for i in range(4_000)))
    (tmp_path / "in.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    done = call("link", tiny.path, tmp_path / "in.jsonl.gz", "--method", "degree", *options)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "in.jsonl.gz" in done.stderr
    assert "truncated" in done.stderr
    found = records(done.stdout)
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
    assert entities(records(done.stdout)) == [["paris"]]
    assert [each["line"] for each in records((tmp_path / "e.jsonl").read_bytes())] == [2]


# mistakes end in one sentence


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--method", "eigne"], ["'eigne'", "expected one of", "eigen", "degree"]),
        (["--k", "0"], ["--k", "'0'", "all"]),
        (["--k", "-1"], ["--k"]),
        (["--k", "ten"], ["--k", "'ten'"]),
        (["--k", "1.5"], ["--k"]),
        (["--k", ""], ["--k"]),
        (["--k", "²"], ["--k"]),
        (["--max-candidates", "none"], ["--max-candidates", "all"]),
        (["--max-candidates", "①"], ["--max-candidates", "all"]),
        (["--delta", "-1"], ["delta"]),
        (["--delta", "nan"], ["delta"]),
        (["--generator", "papier"], ["'papier'", "paper"]),
        (["--vectors", "mine"], ["'mine'", "prone"]),
        (["-o", "."], ["."]),
        (["-o", "no/such/folder/out.jsonl"], ["no/such/folder/out.jsonl"]),
        (["--errors", "no/such/folder/e.jsonl"], ["no/such/folder/e.jsonl"]),
    ],
)
def test_wrong_options(tiny: KB, options: list[str], words: list[str]) -> None:
    done = call("link", tiny.path, "-", *options, stdin="Paris")
    assert_one_sentence(done, *words)
    assert done.stdout == ""


def test_a_missing_input(tiny: KB, tmp_path: Path) -> None:
    done = call("link", tiny.path, tmp_path / "nothing.jsonl")
    assert_one_sentence(done, "nothing.jsonl", "does not exist")
    assert "KG" not in done.stderr  # it is documents that are missing
    done = call("link", tiny.path, tmp_path)
    assert_one_sentence(done, "is a folder")
    assert "KG" not in done.stderr


def test_a_missing_kb(tiny: KB, tmp_path: Path) -> None:
    assert_one_sentence(call("link", tmp_path / "no.kb", "-", stdin="Paris"), "no.kb", "does not exist", "eigenthemes build")
    (tmp_path / "file.kb").write_text("no KB")
    assert_one_sentence(call("link", tmp_path / "file.kb", "-", stdin="Paris"), "file.kb")
    assert_one_sentence(call("link", tmp_path, "-", stdin="Paris"), tmp_path.name)


def test_a_kb_without_vectors_says_how_to_make_them() -> None:
    for method in ("eigen", "average"):
        done = call("link", VERSION_1, "-", "--method", method, stdin="Alpha")
        assert_one_sentence(done, "no vectors", f"eigenthemes embed {VERSION_1}")
    with pytest.raises(VectorError):
        Linker.open(VERSION_1, method="eigen")
    assert Linker.open(VERSION_1).method_name == "prior-name"


@pytest.mark.parametrize("options", [[], ["--generator", "paper"], ["--jobs", "2"]])
def test_a_kb_without_vectors_can_be_linked_to_by_degree(options: list[str]) -> None:
    done = call(
        "link",
        VERSION_1,
        "-",
        "--method",
        "degree",
        *options,
        stdin='{"text": "Alpha and Beta", "mentions": [{"text": "First letter"}]}',
    )
    assert entities(good(done)) == [["a"]]


def test_a_kb_of_a_later_time(copied: Path) -> None:
    manifest = json.loads((copied / "manifest.json").read_text())
    (copied / "manifest.json").write_text(json.dumps({**manifest, "version": 99}))
    assert_one_sentence(call("link", copied, "-", stdin="Paris"), "copied.kb", "99")


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def _scratch(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[:128] + b"\xff" * (len(data) - 128))


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("name", "harm"),
    [
        ("names_blob.npy", Path.unlink),
        ("postings.npy", _cut),
        ("key_entities.npy", _scratch),
        ("vectors-prone.npy", _cut),
        ("vectors-prone.npy", _scratch),
    ],
)
def test_a_damaged_kb(copied: Path, name: str, harm: Any, jobs: int) -> None:
    (file,) = copied.glob(f"data-*/{name}")
    harm(file)
    done = call("link", copied, "-", "--jobs", jobs, stdin='{"text": "Paris"}')
    assert_one_sentence(done, "copied.kb", name.removesuffix(".npy"))


def test_a_damaged_manifest(copied: Path) -> None:
    for content in ("", "{", "[]", "{}"):
        (copied / "manifest.json").write_text(content)
        assert_one_sentence(call("link", copied, "-", stdin="Paris"), "copied.kb")


def test_the_input_is_not_written_over(tiny: KB, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "in.jsonl", [{"text": "Paris"}])
    (tmp_path / "same.jsonl").symlink_to(file)
    before = file.read_bytes()
    for place in (file, tmp_path / "same.jsonl"):
        assert_one_sentence(call("link", tiny.path, file, "-o", place), "is the input")
        assert_one_sentence(call("link", tiny.path, file, "--errors", place), "is the input")
    assert file.read_bytes() == before


def test_the_input_is_not_written_over_by_way_of_stdin(tiny: KB, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "in.jsonl", [{"text": "Paris"}])
    before = file.read_bytes()
    with file.open("rb") as stdin:
        done = subprocess.run(
            [sys.executable, "-m", "eigenthemes", "link", str(tiny.path), "-", "-o", str(file)],
            stdin=stdin, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert file.read_bytes() == before
    assert_one_sentence(done, "is the input")


def test_output_and_errors_are_two_files(tiny: KB, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "in.jsonl", [{"text": "Paris"}, {}, {"text": "Iowa"}])
    done = call("link", tiny.path, file, "-o", tmp_path / "x", "--errors", tmp_path / "x")
    if "records could not be linked" in done.stderr:  # then nothing may be lost
        assert len(records((tmp_path / "x").read_bytes())) == 3
    else:
        assert_one_sentence(done, "x")


def test_a_wrong_option_costs_nobody_an_earlier_output(tiny: KB, tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("an hour of work\n")
    for wrong in (["--method", "eigne"], ["--k", "0"], ["--vectors", "mine"]):
        assert call("link", tiny.path, "-", "-o", tmp_path / "out.jsonl", *wrong, stdin="Paris").returncode == 1
    assert (tmp_path / "out.jsonl").read_text() == "an hour of work\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("count", [1, 2000])
def test_a_full_disk_is_one_sentence(tiny: KB, count: int) -> None:
    lines = "".join('{"text": "Paris"}\n' for _ in range(count))
    assert_one_sentence(call("link", tiny.path, "-", "--method", "degree", "-o", "/dev/full", stdin=lines), "No space left")
    command = f"{sys.executable} -m eigenthemes link {tiny.path} - --method degree > /dev/full"
    done = subprocess.run(command, shell=True, input=lines, capture_output=True, text=True, check=False)
    assert_one_sentence(done, "No space left")


@pytest.mark.parametrize(("count", "jobs"), [(1, 1), (3000, 1), (3000, 2)])
def test_a_reader_that_goes_away_is_no_error(tiny: KB, tmp_path: Path, count: int, jobs: int) -> None:
    file = write_jsonl(tmp_path / "in.jsonl", [{"text": "Paris"}] * count)
    command = [
        sys.executable,
        "-m",
        "eigenthemes",
        "link",
        str(tiny.path),
        str(file),
        "--method",
        "degree",
        "--jobs",
        str(jobs),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    if count > 1:
        assert process.stdout.readline().startswith('{"text":"Paris"')
    process.stdout.close()
    told = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=30), told) == (0, "")


def _interrupted(folder: Path, *command: object) -> subprocess.CompletedProcess[str]:
    """What is told when Ctrl-C is pressed after the first documents were linked."""
    arguments = [sys.executable, "-m", "eigenthemes", "link", *map(str, command), "-o", "out.jsonl"]
    process = subprocess.Popen(arguments, cwd=folder, stderr=subprocess.PIPE, text=True, start_new_session=True)
    out, until = folder / "out.jsonl", time.monotonic() + 30
    while not (out.exists() and out.stat().st_size) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    _, told = process.communicate(timeout=30)
    return subprocess.CompletedProcess(arguments, process.returncode, "", told.strip())


@pytest.fixture
def much(tmp_path: Path) -> Path:
    (tmp_path / "in.jsonl").write_bytes(line_of(mentioned(*["Jordan", "Paris"] * 20)) * 20_000)
    return tmp_path / "in.jsonl"


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_is_one_sentence(tiny: KB, much: Path, tmp_path: Path, jobs: int) -> None:
    done = _interrupted(tmp_path, tiny.path, much, "--jobs", jobs)
    assert done.returncode == 130
    assert done.stderr.startswith("eigenthemes: interrupted")
    assert "\n" not in done.stderr


def test_ctrl_c_does_not_say_that_half_an_output_is_no_change(tiny: KB, much: Path, tmp_path: Path) -> None:
    done = _interrupted(tmp_path, tiny.path, much)
    assert not (tmp_path / "out.jsonl").exists() or "nothing was changed" not in done.stderr


def test_ctrl_c_while_waiting_for_input(tiny: KB) -> None:
    command = [sys.executable, "-m", "eigenthemes", "link", str(tiny.path), "-"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, told = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert told.strip().startswith("eigenthemes: interrupted")
    assert "\n" not in told.strip()


def test_usage_errors_exit_with_2(tiny: KB) -> None:
    assert call("link", tiny.path).returncode == 2
    assert call("link", tiny.path, "-", "--jobs", "0", stdin="Paris").returncode == 2
    assert call("link", tiny.path, "-", "--top", "-1", stdin="Paris").returncode == 2


def test_errors_of_the_library_are_of_one_family(tmp_path: Path) -> None:
    with pytest.raises(EigenthemesError):
        Linker.open(tmp_path / "no.kb")
    with pytest.raises(EigenthemesError):
        link_stream([b'"Paris"'], io.BytesIO().write, tmp_path / "no.kb", options={})


def test_bytes_that_are_no_utf_8_are_read_as_latin_1_and_told(tiny: KB, tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("Ville Lumière is Paris".encode("latin-1"))
    done = run_process("link", tiny.path, tmp_path / "latin.txt", "--method", "degree")
    assert json.loads(done.stdout)["mentions"][0]["text"] == "Ville Lumière"
    assert done.stderr.startswith("warning: ")


def test_what_comes_before_a_bad_document_is_linked(degree: Linker) -> None:
    linked = degree.link_batch(["Paris", "Iowa", {"mentions": 3}, "Tokyo"])
    assert [next(linked).links[0].entity for _ in range(2)] == ["paris", "iowa"]
    with pytest.raises(DocumentError, match="document 2: "):
        next(linked)


@pytest.mark.parametrize("given", [None, b"Paris", ["Paris"], 3])
def test_what_is_no_document_is_told(degree: Linker, given: Any) -> None:
    with pytest.raises(DocumentError, match="a document is of the type"):
        degree.link(given)


def test_one_document_is_no_batch(degree: Linker) -> None:
    with pytest.raises(DocumentError, match="give a list"):
        next(degree.link_batch("Paris"))


def test_a_linker_opens_a_path_itself(tiny: KB) -> None:
    assert Linker(tiny.path, method="degree").link("Paris").links[0].entity == "paris"
