"""eigenthemes experiment"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.commands import assert_one_sentence, run_process
from paper_helpers.two_worlds import plan_of, write_worlds


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
