"""eigenthemes candidates, info and verify."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.commands import assert_one_sentence, call, run_process, run_shell
from helpers.kbs import copy_kb

from eigenthemes import KB


def test_candidates_prints_a_table(demo_kb: KB) -> None:
    lines = call("candidates", demo_kb.path, "Michael Jordan").stdout.splitlines()
    assert lines[0].split() == ["rank", "id", "label", "matched", "name", "match", "type", "prior"]
    assert lines[2].split()[0] == "1"
    assert any("michael_i_jordan" in line for line in lines)


def test_candidates_as_json_and_from_stdin(demo_kb: KB) -> None:
    done = call("candidates", demo_kb.path, "-", "--json", "--max-candidates", "all", stdin="Science\n\nxyzzy\n")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["text"] for record in records] == ["Science", "", "xyzzy"]
    assert records[0]["candidates"][0]["rank"] == 1
    assert records[1]["candidates"] == records[2]["candidates"] == []


def test_candidates_why(demo_kb: KB) -> None:
    assert "is not in the KB" in call("candidates", demo_kb.path, "Science", "--why", "nobody").stdout


def test_a_name_without_candidates_is_reported(demo_kb: KB) -> None:
    done = call("candidates", demo_kb.path, "xyzzy")
    assert (done.returncode, done.stdout) == (0, "")
    assert "no candidates for 'xyzzy'" in done.stderr


def test_info_for_people_and_programs(demo_kb: KB) -> None:
    assert "density" in call("info", demo_kb.path).stdout
    card = json.loads(call("info", demo_kb.path, "--json").stdout)
    assert card["counts"]["entities"] == len(demo_kb)
    assert sum(each["nodes"] for each in card["degree"]["distribution"]) == card["counts"]["entities"]


def test_damage_that_opening_cannot_see_is_reported(demo_kb: KB, tmp_path: Path) -> None:
    copy_kb(demo_kb, tmp_path / "a.kb")
    (file,) = (tmp_path / "a.kb").glob("data-*/key_entities.npy")
    file.write_bytes(file.read_bytes()[:128] + b"\xff" * (file.stat().st_size - 128))
    # compiled kernels check whole files first, plain Python what it reads
    assert_one_sentence(call("candidates", tmp_path / "a.kb", "Science"), "is damaged", "a.kb --force")
    assert_one_sentence(call("verify", tmp_path / "a.kb"), "key_entities.npy")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_one_sentence(demo_kb: KB) -> None:
    assert_one_sentence(run_shell(f"{{program}} info {demo_kb.path} > /dev/full"), "No space left")


def test_letters_the_terminal_lacks_are_replaced(demo_kb: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = run_process("candidates", demo_kb.path, "Hussein", "東京")
    assert done.returncode == 0, done.stderr


def test_verify(demo_kb: KB) -> None:
    assert "all as built" in call("verify", demo_kb.path).stdout


def test_a_reader_that_goes_away_is_no_error(demo_kb: KB) -> None:
    done = run_shell(f"{{program}} candidates {demo_kb.path} Jordan Science Jordan | head -1")
    assert (len(done.stdout.splitlines()), done.stderr) == (1, "")


def test_an_empty_name_is_told(demo_kb: KB) -> None:
    done = call("candidates", demo_kb.path, "")
    assert done.stdout == ""
    assert "the name is empty" in done.stderr
