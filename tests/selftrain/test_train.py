"""Training a ranker on synthetic documents of a KG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.kbs import build_from_records, build_untrained
from helpers.rankers import assert_usable, rng, same_weights

from eigenthemes import KB
from eigenthemes.errors import OptionError
from eigenthemes.kg.demo import SMALL
from eigenthemes.linker import Linker
from eigenthemes.pipeline.batch import batch_maker
from eigenthemes.ranking.features import (
    COLUMNS,
    MentionGroups,
)
from eigenthemes.ranking.ranker import Ranker
from eigenthemes.records import Document, Mention
from eigenthemes.selftrain import synthetic as made_up
from eigenthemes.selftrain.fit import without_removed
from eigenthemes.selftrain.sampling import REMOVED, Sampler
from eigenthemes.selftrain.training import documents_for, self_train
from eigenthemes.train import store_ranker

ODD: dict[str, tuple[list[dict[str, Any]], list[tuple[str, str]]]] = {
    "one entity": ([{"id": "a", "name": "Alpha Beta", "aliases": ["Al"]}], []),
    "no edges": ([{"id": f"e{i}", "name": f"Thing number {i}"} for i in range(5)], []),
    "other scripts": (
        [
            {"id": "t", "name": "東京都", "aliases": ["とうきょうと"]},
            {"id": "m", "name": "Москва (город)"},
            {"id": "n", "name": "نيويورك"},
            {"id": "g", "name": "กรุงเทพมหานคร"},
            {"id": "s", "name": "!!!"},
        ],
        [("t", "m"), ("m", "n"), ("n", "g")],
    ),
    "empty aliases": (
        [
            {"id": "a", "name": "Alpha", "aliases": []},
            {"id": "b", "name": "Beta", "aliases": [""]},
            {"id": "c", "name": "C", "aliases": None},
        ],
        [("a", "b"), ("b", "c"), ("c", "nameless")],
    ),
    "nameless neighbours": ([{"id": "a", "name": "Alpha"}], [("a", f"x{i}") for i in range(30)]),
}


@pytest.mark.parametrize("what", ODD)
def test_odd_knowledge_graphs_can_be_trained_on(tmp_path: Path, quick_disk: None, what: str) -> None:
    kb = build_from_records(tmp_path, *ODD[what])
    documents = list(Sampler(kb, rng()).documents(60))
    assert all(document.mentions for document in documents)
    ranker = self_train(kb, documents=30)
    assert_usable(ranker)
    link = Linker(store_ranker(kb, ranker), allow_nil=False).link({"mentions": [{"text": ODD[what][0][0]["name"]}]}).links[0]
    assert link.entity == ODD[what][0][0]["id"]


# training


def test_the_same_seed_gives_the_same_weights(demo_kb: KB) -> None:
    one, again, other = (self_train(demo_kb, documents=20, seed=seed) for seed in (1, 1, 2))
    assert same_weights(one, again)
    assert one.to_dict() == again.to_dict()
    assert not same_weights(one, other)


def test_other_processes_make_up_the_same_documents(demo_kb: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = self_train(demo_kb, documents=20, seed=3)
    monkeypatch.setattr(made_up, "_WORTH_A_PROCESS", 1)
    assert self_train(demo_kb, documents=20, seed=3, jobs=2).to_dict() == alone.to_dict()


@pytest.mark.parametrize("documents", [1, 2, 5])
def test_even_a_few_documents_give_a_ranker(demo_kb: KB, documents: int) -> None:
    ranker = self_train(demo_kb, documents=documents)
    assert_usable(ranker)
    assert ranker.about["training"]["documents"] == documents


def test_training_needs_no_vectors(tmp_path: Path) -> None:
    kb = build_untrained([SMALL], tmp_path / "bare.kb", embedding=None)
    ranker = self_train(kb, documents=40)
    assert_usable(ranker)
    assert "coherence" in ranker.about["unlearned"]
    assert "edges" not in ranker.about["unlearned"]
    kb = store_ranker(kb, ranker)
    assert list(kb.rankers) == [""]
    assert Linker(kb).method_name == "selftrained"


def test_training_with_vectors_that_are_not_there(demo_kb: KB) -> None:
    with pytest.raises(OptionError, match="no vectors named 'nosuch'"):
        self_train(demo_kb, documents=1, vectors="nosuch")


def test_the_ranker_tells_how_it_was_trained(demo_ranker: Ranker) -> None:
    assert_usable(demo_ranker)
    about = demo_ranker.about
    assert about["training"]["documents"] == 3 * about["made_up"]["documents"] > 100
    assert about["training"]["seed"] == 0
    assert about["made_up"]["p_at_1"] > 0.7
    assert about["made_up"]["calibration_error"] < 0.2
    assert sum(row["mentions"] for row in about["made_up"]["reliability"]) <= about["made_up"]["mentions"]


def test_popular_and_supported_candidates_are_preferred(demo_ranker: Ranker) -> None:
    last = dict(zip(COLUMNS, demo_ranker.rounds[-1].choice, strict=True))
    assert last["log_prior"] > 0
    assert last["shared"] + last["shared_rare"] + last["edges"] + last["coherence"] > 0


@pytest.fixture(scope="module")
def smiths(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """Six people of one name."""
    nodes = [{"id": f"s{i}", "name": "Ann Smith"} for i in range(6)]
    return build_from_records(tmp_path_factory.mktemp("smiths"), nodes, [(f"s{i}", f"s{i + 1}") for i in range(5)])


def test_a_name_whose_entity_was_removed_once_and_once_not(smiths: KB) -> None:
    mentions = (Mention("Ann Smith", gold=("s0",), source={REMOVED: True}), Mention("Ann Smith", gold=("s1",)))
    batch = without_removed(batch_maker(smiths, needs_vectors=False).make([Document(mentions=mentions)]), smiths)
    names = MentionGroups.of(batch)
    assert names.row_of_candidate.max() < len(names.table_row)  # it is 5, of 5 rows
    assert np.array_equal(names.entity[names.row_of_candidate], batch.table.entity)


def test_a_kg_of_one_name_can_be_trained_on(smiths: KB) -> None:
    for seed in range(8):
        assert_usable(self_train(smiths, seed=seed, documents=30))


@pytest.mark.parametrize(("named", "documents"), [(1, 200), (100, 400), (1_000, 600), (3_000, 1_500), (1_000_000, 3_000)])
def test_small_kgs_need_fewer_documents(named: int, documents: int) -> None:
    assert documents_for(named) == documents
