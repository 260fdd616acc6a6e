"""Read every file of the corpus, which holds what broke the program once, or refuse it in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import call

from campaign.corpus import case_trial, cases
from campaign.judge import judged
from campaign.trial import FAULT, REFUSED, run_trial
from campaign.world import World, copy_kb, own_file
from eigenthemes import KB
from eigenthemes.kb.manifest import seal


@pytest.mark.parametrize("case", cases())
def test_files_that_broke_it_once(world: World, case: str) -> None:
    outcome = run_trial(case, case_trial(case), 0, world, patience=60)
    assert outcome.verdict != FAULT, f"{outcome.title}\n{outcome.story}"


def test_rows_behind_a_stray_quote_are_read_or_counted(tmp_path: Path) -> None:
    rows = "".join(f"n{number},Name {number}\n" for number in range(3_001))
    (tmp_path / "a.csv").write_text(f'id,name\na,"Paris\n{rows}')
    assert call("build", tmp_path / "a.csv", "-o", tmp_path / "a.kb", "--no-train", "--jobs", 1).returncode == 0
    kb = KB.open(tmp_path / "a.kb")
    assert len(kb) + sum(kb.manifest["problems"].values()) >= 3_002


# manifests that somebody changed by hand, with the hash that belongs to them

MANIFESTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "files is a list": lambda manifest: manifest | {"files": []},
    "no counts": lambda manifest: manifest | {"counts": {}},
    "a ranker of nothing": lambda manifest: manifest | {"rankers": {"prone": {}}, "vectors": {"prone": {}}},
    "rankers is a number": lambda manifest: manifest | {"rankers": 5},
    "a list": lambda manifest: [manifest],
}
COMMANDS = (("info",), ("verify",), ("candidates", "Paris"), ("link", "DOCUMENTS"), ("eval", "GOLD"), ("embed", "--no-train"))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("change", MANIFESTS)
def test_manifests_changed_by_hand(world: World, tmp_path: Path, change: str, command: tuple[str, ...]) -> None:
    kb = copy_kb(world.kb, tmp_path / "a.kb")
    file = own_file(kb / "manifest.json")
    changed = MANIFESTS[change](json.loads(file.read_text()))
    file.write_text(json.dumps(seal(changed) if isinstance(changed, dict) else changed))
    done = _call(command, kb, world)
    assert judged(done) == REFUSED
    assert done.returncode == 1


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_manifest_of_brackets(world: World, tmp_path: Path, command: tuple[str, ...]) -> None:
    kb = copy_kb(world.kb, tmp_path / "a.kb")
    own_file(kb / "manifest.json").write_text("[" * 100_000)
    done = _call(command, kb, world)
    assert judged(done) == REFUSED
    assert done.returncode == 1


def _call(command: tuple[str, ...], kb: Path, world: World) -> Any:
    name, *rest = command
    places = {"DOCUMENTS": world.documents, "GOLD": world.gold}
    return call(name, kb, *(places.get(word, word) for word in rest))
