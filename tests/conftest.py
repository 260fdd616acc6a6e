"""Fixtures for all tests: KBs that are built once and shared by all workers, and the real data where it is."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.explaining import build_paris
from helpers.files import REAL_DATA
from helpers.kbs import build_bare, build_demo, build_tiny, build_untrained, copy_kb, train_quickly
from helpers.shared_builds import build_once
from hypothesis import settings

from eigenthemes import KB, Linker
from eigenthemes.core.jit import Kernel
from eigenthemes.kg.demo import DOCUMENTS
from eigenthemes.pipeline.batch import BatchMaker, batch_maker
from eigenthemes.ranking.ranker import Ranker

settings.register_profile("ci", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("ci")

FindRealData = Callable[[str], Path]


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait until the disk has written: hundreds of small KBs need not survive a power cut."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


# KBs that nobody may change


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """15 entities and a connector without a name; vectors, no ranker."""
    return KB.open(build_once(tmp_path_factory, "tiny", build_tiny) / "tiny.kb")


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """Two entities, without vectors and ranker."""
    return KB.open(build_once(tmp_path_factory, "bare", build_bare) / "bare.kb")


@pytest.fixture(scope="session")
def eigen_linker(tiny: KB) -> Linker:
    return Linker(tiny, method="eigen")


@pytest.fixture(scope="session")
def degree_linker(tiny: KB) -> Linker:
    return Linker(tiny, method="degree")


@pytest.fixture(scope="session")
def trained_tiny(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """The tiny KB with a quickly trained ranker."""
    return KB.open(build_once(tmp_path_factory, "trained-tiny", lambda folder: train_quickly(build_tiny(folder))) / "tiny.kb")


@pytest.fixture(params=["plain", "compiled"])
def plain_and_compiled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with kernels as plain Python, and compiled, however little there is to do."""
    monkeypatch.setattr(Kernel, "select_backend", lambda kernel, steps: kernel.plain if request.param == "plain" else kernel)


@pytest.fixture(scope="session")
def demo_kb(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """The KB of the demo as `eigenthemes build` makes it, with vectors and ranker."""
    return KB.open(build_once(tmp_path_factory, "demo", build_demo) / "demo.kb")


@pytest.fixture(scope="session")
def demo_linker(demo_kb: KB) -> Linker:
    return Linker(demo_kb)


@pytest.fixture(scope="session")
def demo_ranker(demo_kb: KB) -> Ranker:
    return Ranker.of(demo_kb.rankers["prone"])


@pytest.fixture(scope="session")
def demo_batches(demo_kb: KB) -> BatchMaker:
    return batch_maker(demo_kb, needs_vectors=True)


@pytest.fixture(scope="session")
def paris_kb(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """Two places called Paris and their surroundings; a ranker with weights a person would give."""
    return KB.open(build_once(tmp_path_factory, "paris", build_paris) / "paris.kb")


@pytest.fixture(scope="session")
def demo_records() -> list[dict[str, Any]]:
    """The documents of the demo as JSON objects, each mention with its gold."""
    return [json.loads(line) for line in DOCUMENTS["small"].read_text(encoding="utf-8").splitlines()]


# KBs that a test may change


@pytest.fixture
def tiny_copy(tiny: KB, tmp_path: Path) -> KB:
    return copy_kb(tiny, tmp_path / "copied.kb")


@pytest.fixture
def trained_tiny_copy(trained_tiny: KB, tmp_path: Path) -> KB:
    return copy_kb(trained_tiny, tmp_path / "copied.kb")


# the real data


@pytest.fixture(scope="session")
def real_data() -> FindRealData:
    """Return the path of a real file, or skip with the reason."""

    def find(name: str) -> Path:
        if not (REAL_DATA / name).exists():
            pytest.skip(f"{name} is not in {REAL_DATA}; set EIGENTHEMES_DATA to run this test")
        return REAL_DATA / name

    return find


@pytest.fixture(scope="session")
def general_kb(real_data: FindRealData, tmp_path_factory: pytest.TempPathFactory) -> KB:
    """The general KG (200,000 entities), with vectors, without a ranker."""
    source = real_data("general/kg.nt.gz")
    folder = build_once(tmp_path_factory, "general", lambda place: build_untrained([source], place / "general.kb", jobs=2))
    return KB.open(folder / "general.kb")


@pytest.fixture(scope="session")
def phenotypes_kb(real_data: FindRealData, tmp_path_factory: pytest.TempPathFactory) -> KB:
    """The ontology of human phenotypes."""
    source = real_data("phenotypes/hp.obo.gz")
    folder = build_once(tmp_path_factory, "phenotypes", lambda place: build_untrained([source], place / "hp.kb"))
    return KB.open(folder / "hp.kb")


def pytest_configure(config: pytest.Config) -> None:
    """Let Ctrl-C work in what tests start: a shell that runs the suite in its background has it ignored, for children too."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    if _skipped_though_there(terminalreporter):
        terminalreporter.write_line(f"{REAL_DATA} is there, so no real-data test may be skipped", red=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and _skipped_though_there(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _skipped_though_there(reporter: pytest.TerminalReporter) -> bool:
    return REAL_DATA.exists() and any(
        "real_data" in getattr(report, "keywords", ()) for report in reporter.stats.get("skipped", [])
    )
