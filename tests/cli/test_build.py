"""eigenthemes build: what it prints, mistakes in one sentence, Ctrl-C at any moment."""

from __future__ import annotations

import gzip
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.commands import (
    PROGRAM,
    WORKER_MOMENTS,
    assert_interrupted,
    assert_one_sentence,
    call,
    interrupt,
)
from helpers.files import write_jsonl

from eigenthemes import KB
from eigenthemes.kg.demo import SMALL


def test_build_says_what_it_made_on_stderr_only(tmp_path: Path) -> None:
    done = call("build", SMALL, "-o", tmp_path / "a.kb", "--no-train")
    assert (done.returncode, done.stdout) == (0, "")
    assert "entities" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["candidates", "nothing.kb", "x"], ["nothing.kb", "does not exist", "eigenthemes build"]),
        (["build", "nothing.nt", "-o", "a.kb"], ["nothing.nt", "does not exist"]),
        (["build", ".", "-o", "a.kb"], ["is a folder"]),
        (["build", "empty.nt", "-o", "a.kb"], ["nothing could be read", "empty.nt"]),
        (["build", "nolabel.nt", "-o", "a.kb"], ["0 of 2 nodes", "--label http://example.org/titel"]),
        (["build", "good.nt", "-o", "a.kb", "--format", "ntt"], ["'ntt'", "expected one of"]),
        (["build", "good.nt", "-o", "a.kb", "--column", "x"], ["ROLE=NAME"]),
        (["build", "good.nt", "-o", "a.kb", "--synonyms", "wide"], ["'wide'", "exact"]),
        (["build", "good.nt", "-o", "a.kb", "--keep", "empty.nt"], ["no ids"]),
        (["build", "broken.nt", "-o", "a.kb", "--strict"], ["broken.nt:2", "--strict"]),
        (["build", "odd.csv", "-o", "a.kb"], ["code, bezeichnung", "--column id=code"]),
        (["build", "three.csv", "-o", "a.kb"], ["von, nach, art", "--column id=von"]),
        (["build", "nameless.csv", "-o", "a.kb"], ["0 of 1 nodes", "--column name=bezeichnung"]),
    ],
)
def test_mistakes_end_in_one_sentence(tmp_path: Path, arguments: list[str], words: list[str]) -> None:
    name = "<http://www.w3.org/2000/01/rdf-schema#label>"
    (tmp_path / "empty.nt").write_text("")
    (tmp_path / "good.nt").write_text(f'<a:a> {name} "A" .\n')
    (tmp_path / "broken.nt").write_text(f'<a:a> {name} "A" .\n<a:b> {name} .\n')
    (tmp_path / "nolabel.nt").write_text('<a:a> <http://example.org/titel> "A" .\n<a:a> <a:r> <a:b> .\n')
    (tmp_path / "odd.csv").write_text("code,bezeichnung,preis,ort\n1,Schraube,2,Ulm\n")
    (tmp_path / "three.csv").write_text("von;nach;art\n1;2;x\n")
    (tmp_path / "nameless.csv").write_text("sep=;\nid;bezeichnung\n1;Schraube\n")
    assert_one_sentence(call(*arguments, cwd=tmp_path), *words)
    assert not (tmp_path / "a.kb").exists()


def test_problems_are_counted_with_file_and_line_and_the_build_goes_on(tmp_path: Path) -> None:
    lines = [f'<a:{i}> <http://www.w3.org/2000/01/rdf-schema#label> "N{i}" .' for i in range(20)]
    for bad in (3, 5, 7, 9, 11, 13):
        lines[bad] = "no triple at all"
    (tmp_path / "kg.nt").write_text("\n".join(lines))
    done = call("build", "kg.nt", "-o", "a.kb", "--no-train", cwd=tmp_path)
    assert done.returncode == 0
    assert "broken statement: 6" in done.stderr
    assert done.stderr.count("kg.nt:") == 5
    assert "kg.nt:4" in done.stderr
    assert len(KB.open(tmp_path / "a.kb")) == 14


def test_build_reads_standard_input(tmp_path: Path) -> None:
    done = call("build", "-", "-o", tmp_path / "a.kb", "--no-train", stdin=gzip.compress(SMALL.read_bytes()))
    assert done.returncode == 0, done.stderr
    assert KB.open(tmp_path / "a.kb").manifest["counts"]["named"] > 100


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for the workers")
@pytest.mark.parametrize("moment", WORKER_MOMENTS)
def test_ctrl_c_is_one_sentence_and_leaves_nothing(tmp_path: Path, moment: str) -> None:
    """Whenever it is pressed, no process prints a traceback; the moments are told by what the workers have done so far."""
    lines = "".join(
        f'<http://example.org/{i}> <http://www.w3.org/2000/01/rdf-schema#label> "Name {i}" .\n' for i in range(20_000)
    )
    done = interrupt("build", "-", "-o", "a.kb", "--jobs", 2, moment=WORKER_MOMENTS[moment], cwd=tmp_path, stdin=lines.encode())
    assert_interrupted(done, "eigenthemes: interrupted; nothing was changed")
    assert not (tmp_path / "a.kb").exists()


def test_bars_are_drawn_on_a_terminal_and_nowhere_else(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "kg.jsonl", [{"id": "a", "name": "Alpha"}])
    command = [*PROGRAM, "build", "kg.jsonl", "-o", "a.kb", "--force", "--no-train"]
    silent = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "reading" not in silent.stderr
    master, slave = pty.openpty()
    process = subprocess.Popen(command, cwd=tmp_path, stderr=slave, env={**os.environ, "TERM": "xterm"})
    os.close(slave)
    shown = b""
    try:
        while chunk := os.read(master, 4096):
            shown += chunk
    except OSError:  # Linux says EIO when the other end is closed
        os.close(master)
    assert process.wait() == 0
    assert b"reading kg.jsonl" in shown
    assert b"indexing names" in shown
