"""What a build will take, told from a sample."""

from __future__ import annotations

import gzip
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.commands import assert_one_sentence, call
from helpers.kbs import TINY_EDGES, TINY_NODES, build_untrained, write_sources

from eigenthemes import forecast
from eigenthemes.core.memory import own_memory
from eigenthemes.errors import OptionError
from eigenthemes.forecast import forecast_build
from eigenthemes.kb.store import KB
from eigenthemes.kg import sample

LABEL, LINK = "<http://www.w3.org/2000/01/rdf-schema#label>", "<http://example.org/knows>"


def write_kg(path: Path, entities: int) -> Path:
    """Entities in order, each with a name of its own, a shared word, and three edges to others anywhere in the file."""
    lines = []
    for number in range(entities):
        subject = f"<http://example.org/entity/{number:06}>"
        lines.append(f'{subject} {LABEL} "Name{number % 997} of {number % 89}" .\n')
        lines += [
            f"{subject} {LINK} <http://example.org/entity/{(number * factor + 1) % entities:06}> .\n" for factor in (7, 31, 53)
        ]
    path.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
    return path


def size_of(kb: KB) -> int:
    return sum(file["bytes"] for file in kb.manifest["files"].values())


def test_small_sources_are_no_sample_but_the_whole(tmp_path: Path, quick_disk: None) -> None:
    sources = write_sources(tmp_path / "kg", TINY_NODES, TINY_EDGES)
    told, kb = forecast_build(sources, train=False), build_untrained(sources, tmp_path / "my.kb")
    counts = kb.manifest["counts"]
    assert (told.share, told.entities, told.names, told.edges) == (1, len(kb), counts["names"], counts["edges"])
    assert told.disk == pytest.approx(size_of(kb), rel=0.05)
    assert told.temporary == 0


def test_a_sample_tells_the_size_of_the_whole(tmp_path: Path, quick_disk: None, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_kg(tmp_path / "kg.nt.gz", 30_000)
    monkeypatch.setattr(forecast, "SAMPLE", source.stat().st_size // 6)
    monkeypatch.setattr(sample, "PIECE", 1 << 12)
    told = forecast_build(source, train=False, embedding=None)
    kb = build_untrained([source], tmp_path / "my.kb", embedding=None)
    counts = kb.manifest["counts"]
    assert told.share == pytest.approx(1 / 6, rel=0.2)
    assert told.statements == pytest.approx(counts["statements"], rel=0.2)
    assert told.entities == pytest.approx(len(kb), rel=0.2)
    assert told.disk == pytest.approx(size_of(kb), rel=0.3)


def test_a_limit_bounds_the_memory_told_and_adds_temporary_files(tmp_path: Path, quick_disk: None) -> None:
    sources = write_sources(tmp_path / "kg", TINY_NODES, TINY_EDGES)
    told = forecast_build(sources, train=False, max_memory="400M")
    assert told.memory <= 400_000_000
    assert told.temporary > 0


def test_standard_input_cannot_be_forecast() -> None:
    with pytest.raises(OptionError, match="can be read only once; give files"):
        forecast_build(["-"])


def test_the_command_tells_and_writes_nothing(tmp_path: Path, quick_disk: None) -> None:
    sources = write_sources(tmp_path / "kg", TINY_NODES, TINY_EDGES)
    done = call("build", *sources, "-o", tmp_path / "my.kb", "--dry-run", "--no-train", "--jobs", 1)
    assert done.returncode == 0
    assert "about 16 entities" in done.stdout
    assert " MB, disk " in done.stdout
    assert not (tmp_path / "my.kb").exists()
    assert_one_sentence(call("build", tmp_path / "none.nt", "-o", tmp_path / "my.kb", "--dry-run"), "none.nt")


def test_the_memory_of_training_is_told(tmp_path: Path, quick_disk: None, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = write_sources(tmp_path / "kg", TINY_NODES, TINY_EDGES)
    held, before = 800_000_000, own_memory()  # what the process held already counts, too

    def train_kb(path: Path, **options: object) -> KB:
        taken = np.ones(held, dtype=np.uint8)
        time.sleep(0.2)
        assert taken[-1]
        return KB.open(path)

    monkeypatch.setattr(forecast, "train_kb", train_kb)
    told, without = forecast_build(sources), forecast_build(sources, train=False)
    assert held < told.memory < before + held + 1_000_000_000
    assert without.memory < held


def test_a_small_sample_is_built_once_before_it_is_timed(
    tmp_path: Path, quick_disk: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_kg(tmp_path / "kg.nt.gz", 3000)
    built: list[str] = []
    build = forecast._build

    def counted(paths: Any, every: int, folder: Path, **how: Any) -> Any:
        built.append(folder.name)
        return build(paths, every, folder, **how)

    monkeypatch.setattr(forecast, "_build", counted)
    monkeypatch.setattr(sample, "PIECE", 1 << 8)
    for pieces in (2, 30):
        monkeypatch.setattr(forecast, "SAMPLE", source.stat().st_size // pieces)
        forecast_build(source, train=False, embedding=None)
    assert built == ["quarter", "sample", "quarter", "loading", "sample"]
