"""Fixtures: the small experiment, run once; dumps of a small Wikipedia; a trained tau-MIL-ND."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import (  # noqa: F401  fixtures and hooks of the product's tests
    pytest_configure,
    pytest_sessionfinish,
    pytest_terminal_summary,
    real_data,
    tiny,
)
from helpers.kbs import copy_kb
from helpers.shared_builds import build_once
from paper_helpers.taumil_models import trained_planted_kb
from paper_helpers.two_worlds import Experiment, run_every_section, write_worlds
from paper_helpers.wikipedia_dumps import Dumps, write_dumps

from eigenthemes import KB
from eigenthemes_paper.plan_reader import read_plan
from eigenthemes_paper.wikipedia import WikipediaMap


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the small experiment; nobody may change them."""
    return build_once(tmp_path_factory, "two-worlds", write_worlds)


@pytest.fixture(scope="session")
def finished(worlds: Path, tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    """The small experiment with every section there is, computed; nobody may change it."""
    out = build_once(tmp_path_factory, "two-worlds-results", lambda folder: run_every_section(worlds, folder))
    return Experiment(read_plan(str(out / "plan.toml"), data=worlds), out)


@pytest.fixture
def dumps(tmp_path: Path) -> Dumps:
    return write_dumps(tmp_path)


@pytest.fixture
def pages(dumps: Dumps) -> WikipediaMap:
    return WikipediaMap.read(*dumps)


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """The planted KB with a model of tau-MIL-ND; nobody may change it."""
    return trained_planted_kb(tmp_path_factory)


@pytest.fixture
def planted_copy(planted: KB, tmp_path: Path) -> KB:
    """A copy to break or to change."""
    return copy_kb(planted, tmp_path / "copied.kb")
