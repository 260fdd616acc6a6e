"""What the tests of tau-MIL-ND share: a KB with a trained model."""

from __future__ import annotations

import pytest
from helpers.files import write_jsonl
from helpers.kbs import build_untrained

from eigenthemes import KB


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
