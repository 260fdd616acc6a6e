"""The campaign itself: every kind runs, a seed repeats a trial, and planted faults are found."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from campaign.judge import judged
from campaign.kinds import KINDS
from campaign.runner import chosen_kinds, format_fault, repeat, run, table
from campaign.trial import FAULT, FINE, REFUSED, Fault, random_of, run_trial
from campaign.world import World
from eigenthemes.kg.tabular import TableReader

SLOW = ("ctrl-c", "together", "growth", "kill", "options", "full-disk-kb", "full-disk-output")  # a second or more each


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_runs(world: World, kind: str) -> None:
    tallies = run({kind: KINDS[kind]}, world, seconds=60, seed=1_000, most=1 if kind in SLOW else 3)
    assert tallies[kind].verdicts.total() == (1 if kind in SLOW else 3)
    assert not tallies[kind].verdicts[FAULT], tallies[kind].titles


def test_a_seed_gives_the_same_bytes(world: World, tmp_path: Path) -> None:
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        run_trial("source-csv", KINDS["source-csv"], 7, world, folder=tmp_path / place)
    assert (tmp_path / "one" / "kg.csv").read_bytes() == (tmp_path / "two" / "kg.csv").read_bytes()
    assert random_of("a", 1).random() != random_of("a", 2).random() != random_of("b", 2).random()


# A campaign that cannot find anything is worth nothing: faults planted in the program, and in the process


def _index_error(*arguments: Any) -> None:
    raise IndexError("planted")


def test_an_exception_in_a_reader_is_found(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TableReader, "read_delimited", _index_error)
    tallies = run({"source-csv": KINDS["source-csv"]}, world, seconds=60, most=3)
    assert tallies["source-csv"].verdicts[FAULT] >= 2
    assert any(title.startswith("IndexError at campaign/test_campaign.py") for title in tallies["source-csv"].titles)
    assert "| source-csv | 3 |" in table(tallies)


def test_rows_that_are_lost_are_found(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = TableReader._row
    monkeypatch.setattr(TableReader, "_row", lambda self, columns, cells, line: line % 2 or whole(self, columns, cells, line))
    tallies = run({"source-tsv": KINDS["source-tsv"]}, world, seconds=60, most=12)
    assert "sound rows lost that nobody counted" in tallies["source-tsv"].titles


def test_answers_that_change_in_silence_are_found(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from campaign import damage

    def other_threshold(file: Path, random: Random) -> None:
        manifest = file.parents[file.parent.name.startswith("data-")] / "manifest.json"
        text = manifest.read_text()
        manifest.unlink()
        manifest.write_text(text.replace('"threshold": 0.', '"threshold": 0.99'))

    monkeypatch.setattr(damage, "FILE_DAMAGE", (other_threshold,))
    monkeypatch.setattr(damage, "COMMANDS", (("link", "KB", "DOCUMENTS"),))
    for module in ("kb.manifest", "kb.data_files"):
        monkeypatch.setattr(f"eigenthemes.{module}.is_sealed", lambda manifest: True)
    tallies = run({"damage-files": damage.damage_trial}, world, seconds=60, most=1)
    assert tallies["damage-files"].titles == {"other answers from a KB that verifies": 1}


@pytest.mark.parametrize(
    ("plant", "title"),
    [
        (lambda: ctypes.string_at(0), "crash: SIGSEGV"),
        (lambda: os._exit(3), "crash: exit code 3"),
        (lambda: time.sleep(60), "hang"),
        (lambda: bytearray(1 << 40), "MemoryError"),
        (lambda: {}["x"], "KeyError at campaign/test_campaign.py"),
    ],
)
def test_whatever_ends_a_process_is_found(world: World, plant: Callable[[], Any], title: str) -> None:
    def trial(random: Random, folder: Path, world: World) -> str:
        plant()
        return FINE

    outcome = run_trial("planted", trial, 5, world, patience=2)
    assert (outcome.verdict, outcome.title[: len(title)]) == (FAULT, title)
    assert "--repeat planted:5" in format_fault("planted", 5, outcome)


@pytest.mark.parametrize(
    ("code", "out", "err"),
    [
        (1, "", "eigenthemes: it did not work\n"),
        (1, "", "eigenthemes: one thing; do this\neigenthemes: another; do that\n"),
        (1, "", "eigenthemes: first line of\nan error of another library; do this\n"),
        (1, "", "Traceback (most recent call last):\n"),
        (1, "", ""),
        (0, "\x1b[31mred\n", ""),
        (0, "", "warning: \x9b2J\n"),
        (139, "", ""),
        (2, "", "Usage: x\n"),
    ],
)
def test_what_is_no_clean_end_of_a_command(code: int, out: str, err: str) -> None:
    with pytest.raises(Fault):
        judged(subprocess.CompletedProcess([], code, out, err))


@pytest.mark.parametrize(
    ("code", "err", "verdict"),
    [
        (0, "a.kb: 3 entities\n", FINE),
        (1, "eigenthemes: x does not exist; give the path of a file that is there\n", REFUSED),
        (1, "line 3: no JSON\neigenthemes: 1 record could not be linked; --errors FILE keeps all of them\n", REFUSED),
        (2, "Usage: eigenthemes link\n\nError: No such option '--x'.\n", REFUSED),
    ],
)
def test_clean_ends_of_a_command(code: int, err: str, verdict: str) -> None:
    assert judged(subprocess.CompletedProcess([], code, "", err)) == verdict


# the command line of the campaign


def test_kinds_are_chosen_by_how_they_begin() -> None:
    assert set(chosen_kinds(["source-c", "kill"])) == {"source-csv", "kill"}
    assert chosen_kinds([]) == KINDS


def test_one_trial_is_repeated(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert repeat("source-nt:3", world) == 0
    assert [file.name for file in tmp_path.glob("source-nt-3-*/kg.nt")] == ["kg.nt"]
    assert repeat("nonsense:3", world) == 2


def test_it_is_a_program() -> None:
    done = subprocess.run([sys.executable, "-m", "tests.campaign", "--help"], capture_output=True, text=True, check=False)
    assert "--minutes" in done.stdout
    assert "source-nt" in done.stdout.replace("\n", "").replace(" ", "")
