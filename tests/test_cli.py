"""The commands as people type them: output, errors in one sentence, exit codes."""

from __future__ import annotations

import gzip
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import write_jsonl

from eigenthemes import KB, __version__
from eigenthemes.kg.demo import SMALL


def run(*arguments: object, stdin: str | bytes = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [sys.executable, "-m", "eigenthemes", *map(str, arguments)], input=data, capture_output=True, cwd=cwd, check=False
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def assert_one_sentence(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 1
    assert done.stderr.startswith("eigenthemes: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert not [word for word in words if word not in done.stderr], done.stderr


@pytest.fixture(scope="module")
def demo_kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("demo") / "demo.kb"
    done = run("build", SMALL, "-o", place)
    assert done.returncode == 0, done.stderr
    return place


def test_version_and_help() -> None:
    assert run("--version").stdout.strip() == f"eigenthemes, version {__version__}"
    assert "build" in run("--help").stdout


def test_usage_errors_exit_with_2() -> None:
    assert run("bild").returncode == 2
    assert run("build").returncode == 2
    assert run("build", "x.nt", "-o", "y.kb", "--jobs", "0").returncode == 2


def test_build_says_what_it_made_on_stderr_only(tmp_path: Path) -> None:
    done = run("build", SMALL, "-o", tmp_path / "a.kb")
    assert (done.returncode, done.stdout) == (0, "")
    assert "entities" in done.stderr


def test_candidates_prints_a_table(demo_kb: Path) -> None:
    lines = run("candidates", demo_kb, "Michael Jordan").stdout.splitlines()
    assert lines[0].split() == ["rank", "id", "label", "matched", "name", "how", "prior"]
    assert lines[2].split()[0] == "1"
    assert any("michael_i_jordan" in line for line in lines)


def test_candidates_as_json_and_from_stdin(demo_kb: Path) -> None:
    done = run("candidates", demo_kb, "-", "--json", "--max-candidates", "all", stdin="Science\n\nxyzzy\n")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["text"] for record in records] == ["Science", "", "xyzzy"]
    assert records[0]["candidates"][0]["rank"] == 1
    assert records[1]["candidates"] == records[2]["candidates"] == []


def test_candidates_why(demo_kb: Path) -> None:
    assert "is not in the KB" in run("candidates", demo_kb, "Science", "--why", "nobody").stdout


def test_candidates_of_nobody_say_so(demo_kb: Path) -> None:
    done = run("candidates", demo_kb, "xyzzy")
    assert (done.returncode, done.stdout) == (0, "")
    assert "no candidates for 'xyzzy'" in done.stderr


def test_info_for_people_and_programs(demo_kb: Path, tmp_path: Path) -> None:
    done = run("info", demo_kb, "--plot", tmp_path / "degrees.png")
    assert "density" in done.stdout
    assert (tmp_path / "degrees.png").read_bytes().startswith(b"\x89PNG")
    card = json.loads(run("info", demo_kb, "--json").stdout)
    assert card["counts"]["entities"] == len(KB.open(demo_kb))
    assert sum(each["nodes"] for each in card["degree"]["distribution"]) == card["counts"]["entities"]


def test_damage_that_opening_cannot_see_is_told(demo_kb: Path, tmp_path: Path) -> None:
    shutil.copytree(demo_kb, tmp_path / "a.kb")
    (file,) = (tmp_path / "a.kb").glob("data-*/key_entities.npy")
    file.write_bytes(file.read_bytes()[:128] + b"\xff" * (file.stat().st_size - 128))
    assert_one_sentence(run("candidates", tmp_path / "a.kb", "Science"), "is damaged", "key_entities.npy", "--force")
    assert_one_sentence(run("verify", tmp_path / "a.kb"), "key_entities.npy")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_one_sentence(demo_kb: Path) -> None:
    command = f"{sys.executable} -m eigenthemes info {demo_kb} > /dev/full"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert_one_sentence(done, "No space left")


def test_letters_the_terminal_lacks_are_replaced(demo_kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = run("candidates", demo_kb, "Hussein", "東京")
    assert done.returncode == 0, done.stderr


def test_verify(demo_kb: Path) -> None:
    assert "all as built" in run("verify", demo_kb).stdout


def test_the_demo_on_places_runs_on_the_real_geonames_wheel(tmp_path: Path) -> None:
    done = run("demo", "--kg", "places", "-o", tmp_path / "places.kb")
    assert done.returncode == 0, done.stderr
    assert "CC BY 4.0" in done.stdout
    kb = KB.open(tmp_path / "places.kb")
    assert len(kb) > 20_000
    assert kb.manifest["counts"]["prior"] == "given"


def test_the_small_demo_shows_both_michael_jordans() -> None:
    done = run("demo")
    assert done.returncode == 0, done.stderr
    assert "michael_jordan" in done.stdout
    assert "michael_i_jordan" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["candidates", "nothing.kb", "x"], ["nothing.kb", "does not exist", "eigenthemes build"]),
        (["build", "nothing.nt", "-o", "a.kb"], ["nothing.nt", "does not exist"]),
        (["build", ".", "-o", "a.kb"], ["is a folder"]),
        (["build", "empty.nt", "-o", "a.kb"], ["nothing could be read", "empty.nt"]),
        (["build", "nolabel.nt", "-o", "a.kb"], ["0 of 2 nodes", "--label http://example.org/titel"]),
        (["build", "good.nt", "-o", "a.kb", "--format", "ntt"], ["'ntt'", "expected one of"]),
        (["build", "good.nt", "-o", "a.kb", "--column", "x"], ["ROLE=HEADER"]),
        (["build", "good.nt", "-o", "a.kb", "--synonyms", "wide"], ["'wide'", "exact"]),
        (["build", "good.nt", "-o", "a.kb", "--keep", "empty.nt"], ["no ids"]),
        (["build", "broken.nt", "-o", "a.kb", "--strict"], ["broken.nt:2", "--strict"]),
        (["build", "odd.csv", "-o", "a.kb"], ["code, bezeichnung", "id=code"]),
        (["build", "three.csv", "-o", "a.kb"], ["von, nach, art", "id=von"]),
        (["build", "nameless.csv", "-o", "a.kb"], ["0 of 1 nodes", "name=bezeichnung"]),
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
    assert_one_sentence(run(*arguments, cwd=tmp_path), *words)
    assert not (tmp_path / "a.kb").exists()


def test_problems_are_counted_with_file_and_line_and_the_build_goes_on(tmp_path: Path) -> None:
    lines = [f'<a:{i}> <http://www.w3.org/2000/01/rdf-schema#label> "N{i}" .' for i in range(20)]
    for bad in (3, 5, 7, 9, 11, 13):
        lines[bad] = "no triple at all"
    (tmp_path / "kg.nt").write_text("\n".join(lines))
    done = run("build", "kg.nt", "-o", "a.kb", cwd=tmp_path)
    assert done.returncode == 0
    assert "broken statement: 6" in done.stderr
    assert done.stderr.count("kg.nt:") == 5
    assert "kg.nt:4" in done.stderr
    assert len(KB.open(tmp_path / "a.kb")) == 14


def test_build_reads_standard_input(tmp_path: Path) -> None:
    done = run("build", "-", "-o", tmp_path / "a.kb", stdin=gzip.compress(SMALL.read_bytes()))
    assert done.returncode == 0, done.stderr
    assert KB.open(tmp_path / "a.kb").manifest["counts"]["named"] > 100


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc for the workers")
@pytest.mark.parametrize("moment", [0.0, 0.4])
def test_ctrl_c_is_one_sentence_and_leaves_nothing(tmp_path: Path, moment: float) -> None:
    line = '<http://example.org/{0}> <http://www.w3.org/2000/01/rdf-schema#label> "Name {0}" .\n'
    (tmp_path / "kg.nt").write_text("".join(map(line.format, range(250_000))))
    command = [sys.executable, "-m", "eigenthemes", "build", "kg.nt", "-o", "a.kb", "--jobs", "2"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not children.read_text():
        time.sleep(0.01)
    time.sleep(moment)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    _, told = process.communicate()
    assert (process.returncode, told.strip()) == (130, "eigenthemes: interrupted; nothing was changed")
    assert not (tmp_path / "a.kb").exists()


def test_a_reader_that_goes_away_is_no_error(demo_kb: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m eigenthemes candidates {demo_kb} Jordan Science Jordan | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


def test_bars_are_drawn_on_a_terminal_and_nowhere_else(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "kg.jsonl", [{"id": "a", "name": "Alpha"}])
    command = [sys.executable, "-m", "eigenthemes", "build", "kg.jsonl", "-o", "a.kb", "--force"]
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
