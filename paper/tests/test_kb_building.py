"""KBs of an experiment are built once, again when their files change, and hold what the plan says."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from paper_helpers.two_worlds import NODES, PLAN, plan_of, write_worlds

from eigenthemes.errors import EigenthemesError
from eigenthemes_paper.kb_building import build_kbs, published_nodes
from eigenthemes_paper.plan_reader import read_plan
from eigenthemes_paper.workspace import Workspace


def test_a_torn_note_of_a_kb_is_not_trusted(worlds: Path, tmp_path: Path) -> None:
    plan = plan_of(worlds, "[section.graphs]\n", tmp_path)
    small = replace(plan, kbs={"friends": replace(plan.kbs["friends"], vectors=("prone",), train=False)})
    build_kbs(Workspace(small, tmp_path / "kbs"))
    (tmp_path / "kbs" / "friends.json").write_text('{"made_of": ')
    assert build_kbs(Workspace(small, tmp_path / "kbs"))[0]["build"] > 0


def test_kbs_are_built_once_and_again_when_their_files_change(tmp_path: Path) -> None:
    write_worlds(tmp_path)
    plan = replace(plan_of(tmp_path, "[section.graphs]\n", tmp_path), word_vectors=None)
    small = replace(plan.kbs["friends"], vectors=("prone",), train=False)
    plan = replace(plan, kbs={"friends": small})
    build_kbs(Workspace(plan, tmp_path / "kbs"))
    before = (tmp_path / "kbs" / "friends.kb" / "manifest.json").stat().st_mtime_ns
    build_kbs(Workspace(plan, tmp_path / "kbs"))
    assert (tmp_path / "kbs" / "friends.kb" / "manifest.json").stat().st_mtime_ns == before
    with open(tmp_path / "edges.csv", "a") as edges:
        edges.write("Ann-sea,knows,Ann-hill\n")
    build_kbs(Workspace(plan, tmp_path / "kbs"))
    assert (tmp_path / "kbs" / "friends.kb" / "manifest.json").stat().st_mtime_ns != before


@pytest.mark.parametrize("name", ["v.txt", "v.pickle"])
def test_imported_vectors_are_the_ones_used(name: str, tmp_path: Path) -> None:
    write_worlds(tmp_path)
    if name == "v.txt":
        (tmp_path / name).write_text("".join(f"{node['id']} {i} 1\n" for i, node in enumerate(NODES)))
    else:
        vectors = {node["id"]: np.array([i, 1], np.float32) for i, node in enumerate(NODES)}
        (tmp_path / name).write_bytes(pickle.dumps(vectors))
    text = PLAN.replace(
        'vectors = ["random", "descriptions", "deepwalk", "prone"]', f'import = "{name}"\nvectors = ["descriptions"]'
    )
    (tmp_path / "p.toml").write_text(text + "[section.graphs]\n")
    plan = read_plan(str(tmp_path / "p.toml"), data=tmp_path)
    plan = replace(plan, kbs={"friends": replace(plan.kbs["friends"], train=False)})
    build_kbs(Workspace(plan, tmp_path / "kbs"))
    assert list(Workspace(plan, tmp_path / "kbs").kb("friends").vector_sets) == ["imported", "descriptions"]


def test_published_nodes_are_the_candidates(tmp_path: Path) -> None:
    mention = {"mention": "A", "posI": 1, "wikidata_id": "Q1", "difficulty": 0}
    whole = {"d": [{**mention, "candidates": [["Q1", 3, "A"], ["Q2", 5, "AA"]]}, {**mention, "candidates": [["Q1", 4, "A"]]}]}
    (tmp_path / "d.json").write_text(json.dumps(whole))
    nodes = {node["id"]: node for node in published_nodes([tmp_path / "d.json"])}
    assert nodes == {"Q1": {"id": "Q1", "name": "A", "prior": 4}, "Q2": {"id": "Q2", "name": "AA", "prior": 5}}
    (tmp_path / "e.json").write_text(json.dumps({"d": [mention]}))
    with pytest.raises(EigenthemesError, match="gives no candidates"):
        list(published_nodes([tmp_path / "e.json"]))
