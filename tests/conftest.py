"""Fixtures shared by the tests: a tiny KB with obvious right answers, and the real data where it is."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from eigenthemes import KB, build_kb

settings.register_profile("ci", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("ci")

DATA = Path(os.environ.get("EIGENTHEMES_DATA", Path(__file__).parents[2] / "shared" / "data"))

NODES = [
    {"id": "mj", "name": "Michael Jordan", "aliases": ["Air Jordan", "MJ"], "description": "basketball player"},
    {"id": "mij", "name": "Michael I. Jordan", "aliases": ["Michael Jordan"], "description": "computer scientist"},
    {"id": "jo", "name": "Jordan", "aliases": ["Hashemite Kingdom of Jordan"]},
    {"id": "nba", "name": "National Basketball Association"},
    {"id": "who", "name": "World Health Organization"},
    {"id": "thewho", "name": "The Who"},
    {"id": "paris-tx", "name": "Paris (Texas)"},
    {"id": "paris", "name": "Paris", "aliases": ["City of Light", "Ville Lumière"]},
    {"id": "iowa", "name": "Iowa"},
    {"id": "oneill", "name": "Shaquille O'Neill"},
    {"id": "qaeda", "name": "al-Qaeda"},
    {"id": "us", "name": "United States", "aliases": ["U.S.", "America"]},
    {"id": "tokyo", "name": "東京都", "aliases": ["Tokyo"]},
    {"id": "wittgenstein", "name": "Ludwig Wittgenstein"},
    {"id": "tumor", "name": "Tumor"},
]
EDGES = [
    ("mj", "nba"), ("mj", "us"), ("mj", "iowa"), ("mj", "paris"), ("jo", "us"), ("jo", "who"), ("mij", "us"),
    ("paris", "tokyo"),
    ("paris-tx", "us"), ("thewho", "nameless"), ("oneill", "nba"), ("qaeda", "us"), ("iowa", "us"), ("wittgenstein", "paris"),
]  # fmt: skip


def write_jsonl(path: Path, records: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture(scope="session", autouse=True)
def untrained() -> Iterator[None]:
    """Hundreds of small KBs need no ranker: tests that want one train it with `train_kb`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("eigenthemes.build.train_ranker", lambda kb, **options: {})
        yield


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of small KBs need not reach the platter."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """15 entities and a connector without a name."""
    folder = tmp_path_factory.mktemp("tiny")
    nodes = write_jsonl(folder / "nodes.jsonl", [dict(node) for node in NODES])
    edges = write_jsonl(folder / "edges.jsonl", [{"source": a, "target": b, "relation": "knows"} for a, b in EDGES])
    return build_kb([nodes, edges], folder / "tiny.kb")


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """The path of a real file, or a skip that says what is missing."""

    def find(name: str) -> Path:
        if not (DATA / name).exists():
            pytest.skip(f"{name} is not in {DATA}; set EIGENTHEMES_DATA to run this test")
        return DATA / name

    return find


@pytest.fixture(scope="session")
def general_kb(real_data: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> KB:
    return build_kb([real_data("general/kg.nt.gz")], tmp_path_factory.mktemp("real") / "general.kb", jobs=2)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    if _skipped_though_there(terminalreporter):
        terminalreporter.write_line(f"{DATA} is there, so no real-data test may be skipped", red=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and _skipped_though_there(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _skipped_though_there(reporter: pytest.TerminalReporter) -> bool:
    return DATA.exists() and any("real_data" in report.keywords for report in reporter.stats.get("skipped", []))
