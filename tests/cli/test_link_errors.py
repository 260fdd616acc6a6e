"""Mistakes with eigenthemes link: one sentence, nothing overwritten, Ctrl-C at any moment."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import (
    PATIENCE,
    PROGRAM,
    WORKER_MOMENTS,
    assert_interrupted,
    assert_one_sentence,
    call,
    interrupt,
    json_output,
    run_shell,
    waits,
)
from helpers.documents import json_line, linked_entities, names_document
from helpers.files import write_jsonl

from eigenthemes import KB
from eigenthemes.errors import VectorError
from eigenthemes.linker import Linker

# mistakes end in one sentence


def test_refused_standard_input_leaves_the_output_as_it_was(tiny: KB, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("before")
    assert_one_sentence(call("link", tiny.path, "-", "-o", out, stdin="%PDF-1.4 x"), "stdin is a PDF file, not text")
    assert out.read_text() == "before"


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


def test_a_kb_without_vectors_says_how_to_make_them(bare: KB) -> None:
    for method in ("eigen", "average"):
        done = call("link", bare.path, "-", "--method", method, stdin="Alpha")
        assert_one_sentence(done, "no vectors", f"eigenthemes embed {bare.path}")
    with pytest.raises(VectorError):
        Linker.open(bare.path, method="eigen")
    assert Linker.open(bare.path).method_name == "prior-name"


@pytest.mark.parametrize("options", [[], ["--generator", "paper"], ["--jobs", "2"]])
def test_a_kb_without_vectors_can_be_linked_to_by_degree(bare: KB, options: list[str]) -> None:
    done = call(
        "link",
        bare.path,
        "-",
        "--method",
        "degree",
        *options,
        stdin='{"text": "Alpha and Beta", "mentions": [{"text": "First letter"}]}',
    )
    assert linked_entities(json_output(done)) == [["a"]]


def test_a_kb_of_a_later_format(tiny_copy: KB) -> None:
    manifest = json.loads((tiny_copy.path / "manifest.json").read_text())
    (tiny_copy.path / "manifest.json").write_text(json.dumps({**manifest, "version": 99}))
    assert_one_sentence(call("link", tiny_copy.path, "-", stdin="Paris"), "copied.kb", "99")


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
def test_a_damaged_kb(tiny_copy: KB, name: str, harm: Any, jobs: int) -> None:
    (file,) = tiny_copy.path.glob(f"data-*/{name}")
    harm(file)
    done = call("link", tiny_copy.path, "-", "--jobs", jobs, stdin='{"text": "Paris"}')
    assert_one_sentence(done, "copied.kb", name.removesuffix(".npy"))


def test_a_damaged_manifest(tiny_copy: KB) -> None:
    for content in ("", "{", "[]", "{}"):
        (tiny_copy.path / "manifest.json").write_text(content)
        assert_one_sentence(call("link", tiny_copy.path, "-", stdin="Paris"), "copied.kb")


def test_the_input_is_not_written_over(tiny: KB, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "in.jsonl", [{"text": "Paris"}])
    (tmp_path / "same.jsonl").symlink_to(file)
    before = file.read_bytes()
    for place in (file, tmp_path / "same.jsonl"):
        assert_one_sentence(call("link", tiny.path, file, "-o", place), "is the input")
        assert_one_sentence(call("link", tiny.path, file, "--errors", place), "is the input")
    assert file.read_bytes() == before


def test_the_input_is_not_written_over_when_it_comes_by_stdin(tiny: KB, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "in.jsonl", [{"text": "Paris"}])
    before = file.read_bytes()
    with file.open("rb") as stdin:
        done = subprocess.run(
            [*PROGRAM, "link", str(tiny.path), "-", "-o", str(file)],
            stdin=stdin, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert file.read_bytes() == before
    assert_one_sentence(done, "is the input")


def test_output_and_errors_are_two_files(tiny: KB, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "in.jsonl", [{"text": "Paris"}, {}, {"text": "Iowa"}])
    done = call("link", tiny.path, file, "-o", tmp_path / "x", "--errors", tmp_path / "x")
    assert_one_sentence(done, "x")
    assert not (tmp_path / "x").exists()


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
    done = run_shell(f"{{program}} link {tiny.path} - --method degree > /dev/full", stdin=lines)
    assert_one_sentence(done, "No space left")


@pytest.mark.parametrize(("count", "jobs"), [(1, 1), (3000, 1), (3000, 2)])
def test_a_reader_that_goes_away_is_no_error(tiny: KB, tmp_path: Path, count: int, jobs: int) -> None:
    file = write_jsonl(tmp_path / "in.jsonl", [{"text": "Paris"}] * count)
    command = [*PROGRAM, "link", str(tiny.path), str(file), "--method", "degree", "--jobs", str(jobs)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    if count > 1:
        assert process.stdout.readline().startswith('{"text":"Paris"')
    process.stdout.close()
    told = process.stderr.read()
    process.stderr.close()
    assert (process.wait(PATIENCE), told) == (0, "")


needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for the workers")
RECORDS = json_line(names_document(*["Jordan", "Paris"] * 20)) * 100


@pytest.mark.slow
@needs_proc
@pytest.mark.parametrize("moment", ["all workers start", "workers import", "workers are at work"])
def test_ctrl_c_at_any_moment_of_the_workers_is_one_sentence(tiny: KB, tmp_path: Path, moment: str) -> None:
    done = interrupt("link", tiny.path, "-", "--jobs", 2, moment=WORKER_MOMENTS[moment], cwd=tmp_path, stdin=RECORDS)
    assert_interrupted(done)


@pytest.mark.slow
@needs_proc
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_does_not_say_that_half_an_output_is_no_change(tiny: KB, tmp_path: Path, jobs: int) -> None:
    out = tmp_path / "out.jsonl"
    written = lambda process: out.exists() and out.stat().st_size > 0  # noqa: E731
    done = interrupt("link", tiny.path, "-", "--jobs", jobs, "-o", out, moment=written, cwd=tmp_path, stdin=RECORDS)
    assert_interrupted(done)
    assert out.stat().st_size > 0
    assert "nothing was changed" not in done.stderr


@needs_proc
def test_ctrl_c_while_waiting_for_input(tiny: KB, tmp_path: Path) -> None:
    done = interrupt("link", tiny.path, "-", moment=waits, cwd=tmp_path)
    assert_interrupted(done)
    assert done.stdout == ""


def test_usage_errors_exit_with_2(tiny: KB) -> None:
    assert call("link", tiny.path).returncode == 2
    assert call("link", tiny.path, "-", "--jobs", "0", stdin="Paris").returncode == 2
    assert call("link", tiny.path, "-", "--top", "-1", stdin="Paris").returncode == 2


@pytest.mark.parametrize("option", ["-o", "--errors"])
def test_an_output_that_is_a_named_pipe_is_refused_and_not_waited_for(tiny: KB, tmp_path: Path, option: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = call("link", tiny.path, "-", option, tmp_path / "pipe", "--method", "degree", stdin="Paris")
    assert_one_sentence(done, "pipe is a named pipe", f"give another place with {option}")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("option", ["-o", "--errors"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_full_disk_is_told_with_the_file(tiny: KB, tmp_path: Path, option: str, jobs: int) -> None:
    source = write_jsonl(tmp_path / "a.jsonl", [names_document("Paris"), {"text": 5}])
    other = () if option == "-o" else ("-o", tmp_path / "out.jsonl")
    done = call("link", tiny.path, source, option, "/dev/full", *other, "--method", "degree", "--jobs", jobs)
    assert_one_sentence(done, "/dev/full cannot be written (No space left", f"give another place with {option}")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_standard_output_is_told(tiny: KB) -> None:
    for command in ("link {kb} - --method degree", "candidates {kb} Paris", "info {kb}", "--help"):
        done = run_shell(f"{{program}} {command.format(kb=tiny.path)} > /dev/full", stdin="Paris is in Texas.")
        assert_one_sentence(done, "No space left")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", ["link {kb} - --method degree", "link-table {kb} - --method degree"])
def test_a_disk_that_takes_a_part_of_standard_output_is_told(tiny: KB, tmp_path: Path, unbuffered: str, command: str) -> None:
    """A limit of the size of files is a real short write: the system writes what still fits."""
    with open(tmp_path / "out", "wb") as out:
        done = subprocess.run(
            [*PROGRAM, *command.format(kb=tiny.path).split()],
            input=b"name,place\n" + b"Jordan,Paris\n" * 40 if "table" in command else b"Paris is in Texas. " * 200,
            stdout=out,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)),
            check=False,
        )
    assert_one_sentence(subprocess.CompletedProcess(done.args, done.returncode, "", done.stderr.decode()), "File too large")
