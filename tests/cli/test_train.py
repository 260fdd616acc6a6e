"""eigenthemes train, and the training at the end of eigenthemes build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import assert_interrupted, assert_one_sentence, call
from helpers.documents import link_one, names_document
from helpers.files import write_jsonl
from helpers.kbs import TINY_EDGES, TINY_NODES, write_sources

from eigenthemes import KB
from eigenthemes.linker import Linker


def test_train_command(trained_tiny_copy: KB, tmp_path: Path) -> None:
    done = call("train", trained_tiny_copy.path, "--seed", "3")
    assert (done.returncode, done.stdout) == (0, "")
    assert "trained on 200 made-up documents" in done.stderr
    changed = KB.open(trained_tiny_copy.path)
    assert changed.rankers["prone"]["training"]["seed"] == 3
    assert changed.rankers["prone"] != trained_tiny_copy.rankers["prone"]


@pytest.mark.parametrize("cut_first", [True, False])
def test_a_broken_line_of_the_gold_is_skipped_and_reported(trained_tiny_copy: KB, tmp_path: Path, cut_first: bool) -> None:
    good, cut = json.dumps(names_document("Iowa", gold="iowa")), '{"text": "Iowa", "ment'
    gold = tmp_path / "gold.jsonl"
    gold.write_text(f"{cut}\n{good}\n" if cut_first else f"{good}\n{cut}\n{good}\n")
    done = call("train", trained_tiny_copy.path, gold)
    assert done.returncode == 0, done.stderr
    assert "1 broken record skipped" in done.stderr
    assert f"gold.jsonl:{1 if cut_first else 2}" in done.stderr
    assert KB.open(trained_tiny_copy.path).manifest["memory"]


@pytest.mark.slow
def test_train_command_with_gold(trained_tiny_copy: KB, tmp_path: Path) -> None:
    pairs = [
        ("Michael Jordan", "mij"),
        ("Jordan", "mij"),
        ("Paris", "paris-tx"),
        ("U.S.", "us"),
        ("Iowan", "iowa"),
        ("Yeti", []),
    ]
    gold = write_jsonl(
        tmp_path / "gold.jsonl", [{"id": i, "mentions": [{"text": a, "gold": b}]} for i, (a, b) in enumerate(pairs * 5)]
    )
    done = call("train", trained_tiny_copy.path, gold)
    assert done.returncode == 0, done.stderr
    assert "gold: 30 documents, 30 mentions; on documents kept aside" in done.stderr
    trained = KB.open(trained_tiny_copy.path)
    about = trained.rankers["prone"]["gold"]
    assert about["p_at_1"] > about["p_at_1_before"]
    before, after = (
        {each.id: each.score for each in link_one(Linker(kb, top=9), "Michael Jordan").ranking}
        for kb in (trained_tiny_copy, trained)
    )
    assert before["mij"] < before["mj"]
    assert after["mij"] / after["mj"] > 1.5 * before["mij"] / before["mj"]


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (names_document("Iowa"), ("no mention has gold",)),
        (names_document("Iowa", gold="Q1546"), ("Q1546", "the KB's ids are like")),
        ({"mentions": [{"text": 7}]}, ("gold.jsonl:1",)),
    ],
)
def test_train_command_errors_leave_the_kb(
    trained_tiny_copy: KB, tmp_path: Path, record: dict[str, Any], words: tuple[str, ...]
) -> None:
    gold = write_jsonl(tmp_path / "gold.jsonl", [record])
    assert_one_sentence(call("train", trained_tiny_copy.path, gold), *words)
    assert KB.open(trained_tiny_copy.path).manifest == trained_tiny_copy.manifest


def test_train_command_wrong_paths(trained_tiny_copy: KB, tmp_path: Path) -> None:
    assert_one_sentence(call("train", tmp_path / "nosuch.kb"), "nosuch.kb")
    assert_one_sentence(call("train", trained_tiny_copy.path, tmp_path / "nosuch.jsonl"), "does not exist")
    assert_one_sentence(call("train", trained_tiny_copy.path, "--vectors", "nosuch"), "no vectors named 'nosuch'")


def test_build_command_trains_unless_asked_not_to(tmp_path: Path) -> None:
    sources = write_sources(tmp_path, TINY_NODES, TINY_EDGES)
    done = call("build", *sources, "-o", tmp_path / "a.kb")
    assert done.returncode == 0, done.stderr
    trained = KB.open(tmp_path / "a.kb")
    assert list(trained.rankers) == ["prone"]
    assert trained.rankers["prone"]["training"]["documents"] == 200
    assert Linker(trained).method_name == "selftrained"
    done = call("build", *sources, "-o", tmp_path / "b.kb", "--no-train")
    assert done.returncode == 0, done.stderr
    assert KB.open(tmp_path / "b.kb").rankers == {}


def test_ctrl_c_while_a_build_trains_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("eigenthemes.selftrain.training.self_train", interrupted)
    nodes = write_jsonl(tmp_path / "nodes.jsonl", [{"id": "a", "name": "Alpha"}])
    done = call("build", nodes, "-o", tmp_path / "a.kb")
    assert_interrupted(done, f"eigenthemes: interrupted; {tmp_path / 'a.kb'} was not written")
    assert not (tmp_path / "a.kb").exists()
