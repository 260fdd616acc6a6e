"""eigenthemes demo."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from helpers.commands import call, run_process

from eigenthemes import KB
from eigenthemes.selftrain.training import self_train


@pytest.mark.slow
def test_the_demo_on_places_runs_on_the_real_geonames_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer synthetic documents than a person's build would train on: the small demo and others train in full."""
    monkeypatch.setattr("eigenthemes.selftrain.training.self_train", partial(self_train, documents=150))
    done = call("demo", "--kg", "places", "-o", tmp_path / "places.kb")
    assert done.returncode == 0, done.stderr
    assert "CC BY 4.0" in done.stdout
    kb = KB.open(tmp_path / "places.kb")
    assert len(kb) > 20_000
    assert kb.manifest["counts"]["prior"] == "given"
    assert list(kb.rankers) == list(kb.vector_sets)


def test_the_small_demo_shows_both_michael_jordans() -> None:
    done = run_process("demo")
    assert done.returncode == 0, done.stderr
    assert "michael_jordan" in done.stdout
    assert "michael_i_jordan" in done.stdout
