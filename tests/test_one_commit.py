"""Whoever changes a KB replaces the manifest once: killed or read at any moment, it is the old KB or the new one, whole."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from helpers.files import file_bytes, write_jsonl
from helpers.kbs import TINY_EDGES as EDGES
from helpers.kbs import TINY_NODES as NODES

from eigenthemes import KB, build_kb, embed_kb, import_vectors
from eigenthemes.build import complete_vectors
from eigenthemes.kb import manifest as manifests
from eigenthemes.train import train_ranker

GLOVE = "basketball 1 0\nplayer 1 1\ncomputer 0 1\nscientist 0 2\n"


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    return [
        write_jsonl(tmp_path / "nodes.jsonl", [dict(node) for node in NODES]),
        write_jsonl(tmp_path / "edges.jsonl", [{"source": a, "target": b} for a, b in EDGES]),
    ]


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch, quick_disk: None) -> list[dict[str, Any]]:
    """The manifests that are written, and rankers that are trained."""
    written: list[dict[str, Any]] = []
    replace = manifests.replace_manifest

    def noted(path: Path, manifest: dict[str, Any]) -> None:
        written.append(manifest)
        replace(path, manifest)

    monkeypatch.setattr("eigenthemes.kb.writer.replace_manifest", noted)
    monkeypatch.setattr("eigenthemes.train.train_ranker", train_ranker)
    return written


def test_every_change_is_one_commit(sources: list[Path], tmp_path: Path, commits: list[dict[str, Any]]) -> None:
    (tmp_path / "words.txt").write_text(GLOVE)
    kb = build_kb(sources, tmp_path / "a.kb", word_vectors=tmp_path / "words.txt")
    assert (list(kb.vector_sets), list(kb.rankers), len(commits)) == (["prone"], ["prone"], 1)
    assert kb.manifest["word_vectors"] == {"source": "words.txt"}
    assert kb.has("context_words")
    kb = embed_kb(kb.path, dimensions=2, name="second")
    assert (list(kb.vector_sets), list(kb.rankers), len(commits)) == (["second", "prone"], ["prone", "second"], 2)
    (tmp_path / "v.txt").write_text("mj 1 2\nus 3 4\n")
    kb = import_vectors(kb.path, tmp_path / "v.txt")
    assert (next(iter(kb.vector_sets)), "imported" in kb.rankers, len(commits)) == ("imported", True, 3)
    kb = complete_vectors(kb.path)
    assert (next(iter(kb.vector_sets)), "imported" in kb.rankers, len(commits)) == ("imported", True, 4)
    assert all(right for _, right in kb.verify())
    assert [entry.name for entry in kb.path.iterdir() if entry.name.startswith("data-")] == [kb.manifest["data"]]


def test_build_and_train_in_one_go_are_the_same_as_one_after_the_other(
    sources: list[Path], tmp_path: Path, commits: list[dict[str, Any]]
) -> None:
    from eigenthemes import train_kb

    at_once = build_kb(sources, tmp_path / "one.kb")
    build_kb(sources, tmp_path / "two.kb", train=False)
    assert train_kb(tmp_path / "two.kb").rankers == at_once.rankers


@pytest.mark.parametrize("change", ["build", "embed"])
def test_an_interruption_while_training_leaves_what_was_there(
    sources: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    kb = build_kb(sources, tmp_path / "a.kb", train=False)
    before = file_bytes(kb.path)

    def interrupted(preview: KB, **options: Any) -> dict[str, Any]:
        assert len(preview) == len(kb)
        assert file_bytes(kb.path).items() >= before.items()  # nobody else sees anything yet
        raise KeyboardInterrupt

    monkeypatch.setattr("eigenthemes.train.train_ranker", interrupted)
    changes: dict[str, Callable[[], KB]] = {
        "build": lambda: build_kb(sources, kb.path, force=True),
        "embed": lambda: embed_kb(kb.path, dimensions=2, name="second"),
    }
    with pytest.raises(KeyboardInterrupt, match=r"a\.kb is as it was before"):
        changes[change]()
    assert file_bytes(kb.path) == before


def test_an_interrupted_build_says_that_nothing_was_written(
    sources: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eigenthemes.train.train_ranker", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt, match=r"new\.kb was not written"):
        build_kb(sources, tmp_path / "new.kb")
    assert not (tmp_path / "new.kb").exists()


def test_a_file_written_after_a_preview_never_changes_the_old_kb(sources: list[Path], tmp_path: Path) -> None:
    from eigenthemes.kb.writer import KBWriter

    kb = build_kb(sources, tmp_path / "a.kb", train=False)
    before = file_bytes(kb.path)
    with KBWriter(kb.path, base=kb) as writer:
        assert list(writer.preview(kb.described)) == list(kb)
        writer.add("prior", kb.prior + 1)
    assert file_bytes(kb.path) == before


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
@pytest.mark.parametrize("change", ["build", "embed"])
def test_kill_9_while_training_leaves_the_old_kb_and_its_ranker(sources: list[Path], tmp_path: Path, change: str) -> None:
    folder = tmp_path / "a.kb"
    kb = build_kb(sources, folder, train=False)
    calls = {
        "build": f"eigenthemes.build_kb({[str(source) for source in sources]!r}, {str(folder)!r}, force=True)",
        "embed": f"eigenthemes.embed_kb({str(folder)!r}, dimensions=2, name='second')",
    }
    started = tmp_path / "started"
    # the training begins, and never ends
    command = (
        "import pathlib, time, eigenthemes, eigenthemes.selftrain.training as train\n"
        f"train.self_train = lambda *a, **o: (pathlib.Path({str(started)!r}).touch(), time.sleep(600))\n{calls[change]}"
    )
    process = subprocess.Popen([sys.executable, "-c", command])
    while process.poll() is None and not started.exists():
        time.sleep(0.01)
    assert KB.open(folder).manifest == kb.manifest  # read in the middle
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert KB.open(folder).manifest == kb.manifest
    assert all(right for _, right in KB.open(folder).verify())
    assert build_kb(sources, folder, force=True).manifest["counts"] == kb.manifest["counts"]
    assert len(list(folder.glob("data-*"))) == 1
    shutil.rmtree(folder)
