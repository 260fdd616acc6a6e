"""What the tests of tau-MIL-ND share: a KB with a trained model."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.files import write_jsonl
from helpers.kbs import build_untrained, copy_kb
from helpers.taumil_models import trained_planted_kb

from eigenthemes import KB


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """The planted KB with a model of tau-MIL-ND; nobody may change it."""
    pytest.importorskip("torch")
    return trained_planted_kb(tmp_path_factory)


@pytest.fixture
def planted_copy(planted: KB, tmp_path: Path) -> KB:
    """A copy to break or to change."""
    return copy_kb(planted, tmp_path / "copied.kb")


@pytest.fixture(scope="session")
def family_kb(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """a has types X and Y, b has type X, c has none; a - b and a - c; hub has no type and 40 neighbours."""
    folder = tmp_path_factory.mktemp("family")
    nodes = [{"id": "a", "name": "a", "type": ["X", "Y"]}, {"id": "b", "name": "b", "type": "X"}, {"id": "c", "name": "c"}]
    nodes += [{"id": "hub", "name": "hub"}, {"id": "alone", "name": "alone"}]
    nodes += [{"id": f"n{i}", "name": f"n{i}", "type": "Y"} for i in range(40)]
    edges = [("a", "b", "knows"), ("a", "c", "likes")] + [("hub", f"n{i}", f"r{i % 20}") for i in range(40)]
    lines = [{"source": s, "target": t, "relation": r} for s, t, r in edges]
    return build_untrained(
        [write_jsonl(folder / "nodes.jsonl", nodes), write_jsonl(folder / "edges.jsonl", lines)], folder / "f.kb"
    )
