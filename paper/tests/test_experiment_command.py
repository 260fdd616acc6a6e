"""eigenthemes experiment"""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from helpers.commands import assert_one_sentence, run_process
from paper_helpers.two_worlds import plan_of, write_worlds

from eigenthemes_paper.commands import experiment
from eigenthemes_paper.plan_reader import read_plan
from eigenthemes_paper.run import run_experiment
from eigenthemes_paper.sections import SECTIONS


def test_it_runs_and_lists(tmp_path: Path) -> None:
    write_worlds(tmp_path)
    plan_of(tmp_path, '[section.graphs]\nsets = ["tales", "lost"]\n[section.figure-8cd]\nsets = ["tales"]\n', tmp_path)
    text = (tmp_path / "plan.toml").read_text().replace("[kb.friends]", "[kb.friends]\ntrain = false")
    (tmp_path / "plan.toml").write_text(re.sub(r"(?m)^(vectors|deepwalk) = .*\n", "", text))
    options = ["--data", tmp_path, "--work", tmp_path / "kbs", "-o", tmp_path / "new"]
    listed = run_process("experiment", tmp_path / "plan.toml", "--list", *options)
    assert listed.returncode == 0
    assert "figure-8cd" in listed.stdout
    assert "left out: lost: lost.jsonl is not there" in listed.stderr
    assert not (tmp_path / "new").exists()
    done = run_process("experiment", tmp_path / "plan.toml", "--only", "graphs", *options)
    assert done.returncode == 0, done.stderr
    assert "report.html: 1 sections computed, 0 kept" in done.stderr
    assert "graphs: " in done.stderr, "a line for each section where there is no terminal"
    assert (tmp_path / "new" / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.toml"], "does not exist"),
        (["paper", "--data", "nowhere"], "none of the files of the plan is under nowhere"),
    ],
)
def test_mistakes_end_in_one_sentence(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = run_process("experiment", *arguments, cwd=tmp_path)
    assert_one_sentence(done)
    assert said in done.stderr


@pytest.mark.slow
def test_the_plan_of_the_demo_draws_every_figure_within_two_minutes(tmp_path: Path) -> None:
    start = time.process_time()
    done = run_experiment(read_plan("demo"), tmp_path)
    assert time.process_time() - start < 120
    drawn = {path.stem for path in (tmp_path / "figures").glob("*.svg")}
    assert drawn == {name for name in SECTIONS if name.startswith("figure-")}
    page = done.report.with_suffix(".md").read_text()
    assert re.search(r"Computed by commit [0-9a-z.-]+ on \d{4}-\d\d-\d\d\.", page)


def test_an_error_of_the_program_is_not_hidden_by_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError("found by the test")

    monkeypatch.setattr("eigenthemes_paper.run.run_experiment", fail)
    assert experiment.callback is not None
    with pytest.raises(ZeroDivisionError, match="found by the test"):
        experiment.callback("demo", str(tmp_path), None, None, None, False, False, 1)
