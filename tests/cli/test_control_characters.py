"""Nothing that a KG, a document or a file name holds drives the terminal; JSON goes out as it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from helpers.commands import Done, assert_one_sentence, call, json_output
from helpers.files import write_jsonl
from helpers.kbs import train_quickly, write_sources

from eigenthemes import KB, build_kb
from eigenthemes.cli.output import Lines, plain, table_text

EVIL = "\x1b[31m\x07\r\x9b\u202e"
SPELLED = "\\x1b[31m\\x07 \\x9b\\u202e"
DRIVING = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")  # a line break of ours is none
NODES = [
    {"id": f"p{EVIL}1", "name": f"Paris{EVIL}", "aliases": ["Paris"], "description": f"city{EVIL}"},
    {"id": f"p{EVIL}2", "name": "Paris", "description": f"town{EVIL}"},
    {"id": f"f{EVIL}", "name": f"France {EVIL}", "aliases": ["France"]},
    {"id": f"t{EVIL}", "name": f"Texas {EVIL}", "aliases": ["Texas"]},
    {"id": f"s{EVIL}", "name": f"Seine {EVIL}", "aliases": ["Seine"]},
]
EDGES = [
    (f"p{EVIL}1", f"f{EVIL}"), (f"p{EVIL}2", f"t{EVIL}"), (f"s{EVIL}", f"p{EVIL}1"), (f"s{EVIL}", f"f{EVIL}"),
]  # fmt: skip


@pytest.fixture(scope="module")
def evil_kb(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """A KB in whose path, ids, labels, descriptions, relations and source names are control characters."""
    folder = tmp_path_factory.mktemp("evil")
    sources = [
        source.rename(source.with_stem(source.stem + EVIL)) for source in write_sources(folder, NODES, EDGES, f"in{EVIL}")
    ]
    return train_quickly(build_kb(sources, folder / f"kb{EVIL}.kb", train=False))


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A file of two documents; its name, their ids and their texts hold control characters."""
    texts = (f"Paris lies in France{EVIL} on the Seine.", "Paris lies in Texas.")
    records = [{"id": f"d{EVIL}{number}", "text": text} for number, text in enumerate(texts)]
    return write_jsonl(tmp_path / f"documents{EVIL}.jsonl", records)


def assert_harmless(done: Done, code: int = 0) -> None:
    """Assert that a command ended as expected and that nothing it printed drives a terminal."""
    assert done.returncode == code, done.stderr
    assert not DRIVING.findall(done.stdout + done.stderr)
    assert SPELLED.partition(" ")[0] in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Zürich 東京 \u05d0\u200f \u0646\u200c\u0627", "Zürich 東京 \u05d0\u200f \u0646\u200c\u0627"),  # marks that names need
        ("two  spaces", "two  spaces"),
        ("a\tb", "a b"),
        ("a\n\n   b\r\nc\u2028d\x85e", "a b c d e"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x7f\x80\x9b", "\\x7f\\x80\\x9b"),
        ("\u202eabc\u2069", "\\u202eabc\\u2069"),
        ("\udcff.nt \ud800", "\\xff.nt \\ud800"),
    ],
)
def test_control_characters_are_spelled_out_on_one_line(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_cells_and_steps_are_plain(capsys: pytest.CaptureFixture[str]) -> None:
    assert SPELLED in table_text(("name",), [(f"x{EVIL}",)])
    with Lines(ended=True).step(f"reading {EVIL}", total=None, unit="bytes"):
        pass
    assert not DRIVING.findall(capsys.readouterr().err)


@pytest.mark.parametrize("arguments", [(), ("--why", f"p{EVIL}2"), ("--why", f"nobody{EVIL}"), ("France", f"Berlin{EVIL}")])
def test_candidates(evil_kb: KB, arguments: tuple[str, ...]) -> None:
    assert_harmless(call("candidates", evil_kb.path, "Paris", *arguments))


@pytest.mark.parametrize("options", [(), ("--explain",), ("--method", "degree")])
def test_tables_of_links(evil_kb: KB, documents: Path, options: tuple[str, ...]) -> None:
    assert_harmless(call("link", evil_kb.path, documents, "--table", *options))


@pytest.mark.parametrize("options", [(), ("--document", "all"), ("--mention", "0"), ("--document", f"d{EVIL}1")])
def test_explanations(evil_kb: KB, documents: Path, options: tuple[str, ...]) -> None:
    done = call("explain", evil_kb.path, documents, *options)
    assert done.returncode == 0, done.stderr
    assert not DRIVING.findall(done.stdout + done.stderr)


@pytest.mark.parametrize("command", ["info", "verify"])
def test_what_commands_say_of_a_kb(evil_kb: KB, command: str) -> None:
    assert_harmless(call(command, evil_kb.path))


def test_figures_of_each_document(evil_kb: KB, tmp_path: Path) -> None:
    record = {"id": f"d{EVIL}", "text": "Paris", "mentions": [{"start": 0, "end": 5, "gold": f"p{EVIL}1"}]}
    gold = write_jsonl(tmp_path / f"gold{EVIL}.jsonl", [record])
    done = call("eval", evil_kb.path, gold, "--methods", "degree", "--by-document")
    assert not DRIVING.findall(done.stdout.replace("\t", " ") + done.stderr)
    assert f"degree\td{SPELLED}\t1\t" in done.stdout


def test_reports_of_a_build(tmp_path: Path) -> None:
    source = tmp_path / f"kg{EVIL}.nt"
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    source.write_text(f'<http://x/a> {label} "A" .\n<http://x/b{EVIL}> {label} oops{EVIL}\n', newline="\n")
    assert_harmless(call("build", source, "-o", tmp_path / f"kb{EVIL}.kb", "--no-train", "--jobs", 1))


def test_records_that_cannot_be_linked(evil_kb: KB, tmp_path: Path) -> None:
    record = {"id": f"d{EVIL}", "text": "Paris", "mentions": [{"start": 0, "end": 5, "text": f"P{EVIL}"}]}
    given = {"text": "Paris", "mentions": [{"start": 0, "end": 5, "candidates": [f"nobody{EVIL}"]}]}
    file = write_jsonl(tmp_path / f"a{EVIL}.jsonl", [record, given])
    assert_harmless(call("link", evil_kb.path, file, file, "-o", tmp_path / "out.jsonl"), code=1)


@pytest.mark.parametrize(
    "arguments",
    [
        ("info", f"nowhere\n{EVIL}.kb"),
        ("build", f"nowhere\n{EVIL}.nt", "-o", "new.kb"),
        ("build", "-", "-o", "new.kb", "--column", f"a\n{EVIL}"),
        ("candidates", "KB", "x", "--max-candidates", f"\n{EVIL}"),
        ("candidates", "KB", "x", "--generator", f"\n{EVIL}"),
        ("link", "KB", f"nowhere\n{EVIL}"),
        ("link", "KB", "-", "--method", f"\n{EVIL}"),
        ("link", "KB", "-", "-o", f"nowhere/\n{EVIL}/x"),
        ("explain", "KB", "-", "--document", f"\n{EVIL}"),
    ],
)
def test_errors_are_one_line(evil_kb: KB, arguments: tuple[str, ...], tmp_path: Path) -> None:
    given = [evil_kb.path if argument == "KB" else argument for argument in arguments]
    done = call(*given, stdin='{"text": "Paris"}\n', cwd=tmp_path)
    assert_one_sentence(done)
    assert not DRIVING.findall(done.stderr)


@pytest.mark.parametrize(
    "arguments",
    [
        (f"bi\n{EVIL}ld",),
        ("info", f"--x\n{EVIL}"),
        ("build", "x", "-o", "y", "--jobs", f"\n{EVIL}"),
        ("info", "x", f"y\n{EVIL}"),
    ],
)
def test_usage_errors_repeat_nothing_that_drives(arguments: tuple[str, ...]) -> None:
    done = call(*arguments)
    assert_harmless(done, code=2)
    assert done.stderr.splitlines()[-1].startswith("Error: ")
    assert len(done.stderr.splitlines()) <= 4


def test_messages_of_the_parquet_reader_are_one_line(tmp_path: Path) -> None:
    file = tmp_path / "kg.parquet"
    file.write_bytes(b"PAR1" + b"\x1b[31m\n" * 10 + b"PAR1")
    done = call("build", file, "-o", tmp_path / "new.kb")
    assert_one_sentence(done)
    assert not DRIVING.findall(done.stderr)


def test_json_is_as_it_is(evil_kb: KB, documents: Path) -> None:
    [found] = json_output(call("candidates", evil_kb.path, "Texas", "--json"))
    assert found["candidates"][0]["id"] == f"t{EVIL}"
    linked = json_output(call("link", evil_kb.path, documents))
    assert [record["id"] for record in linked] == [f"d{EVIL}0", f"d{EVIL}1"]
    assert json_output(call("explain", evil_kb.path, documents, "--json"))[0]["id"] == f"d{EVIL}0"
    assert EVIL in json.loads(call("info", evil_kb.path, "--json").stdout)["path"]
