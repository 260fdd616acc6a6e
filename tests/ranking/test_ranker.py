"""The ranker: kept as JSON, probabilities, temperature."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers.rankers import same_weights
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenthemes import KB
from eigenthemes.documents.reader import read_gold
from eigenthemes.kg.demo import DOCUMENTS
from eigenthemes.pipeline.batch import BatchMaker
from eigenthemes.ranking.cells import CELL_NIL, CellModel
from eigenthemes.ranking.features import COLUMNS, LOCAL, FeatureContext
from eigenthemes.ranking.features.nil import NIL_COLUMNS
from eigenthemes.ranking.ranker import AS_FOUND, Ranker, Weights, rank_batch
from eigenthemes.records import Document, Mention


@pytest.fixture(scope="module")
def demo_features(demo_kb: KB) -> FeatureContext:
    return FeatureContext(demo_kb, demo_kb.vectors())


@pytest.fixture(scope="module")
def gold_documents() -> list[Document]:
    return list(read_gold(DOCUMENTS["small"]))


@given(st.permutations(range(5)))
@settings(max_examples=15)
def test_the_order_of_names_does_not_matter(
    demo_ranker: Ranker, demo_batches: BatchMaker, demo_features: FeatureContext, order: list[int]
) -> None:
    said = ["Michael Jordan", "Jordan", "Chicago", "NBA", "Science"]

    def chances(names: list[str]) -> dict[tuple[str, int], float]:
        batch = demo_batches.make([Document(mentions=tuple(map(Mention, names)))])
        found = rank_batch(demo_ranker, batch, demo_features)
        pairs = zip(found.groups.group.tolist(), found.groups.entity.tolist(), found.probability.tolist(), strict=True)
        return {(names[name], entity): probability for name, entity, probability in pairs}

    expected = chances(said)
    assert chances([said[i] for i in order]) == pytest.approx(expected, abs=1e-5)


def test_a_ranker_comes_back_from_json(demo_ranker: Ranker) -> None:
    described = json.loads(json.dumps(demo_ranker.to_dict(), allow_nan=False))
    again = Ranker.of(described)
    assert again.to_dict() == described
    assert same_weights(again, Ranker.of(again.to_dict()))
    assert (again.temperature, again.threshold, again.about) == (
        demo_ranker.temperature,
        demo_ranker.threshold,
        demo_ranker.about,
    )
    for one, other in zip(demo_ranker.rounds, again.rounds, strict=True):
        assert one.choice == pytest.approx(other.choice, abs=1e-4)
        assert one.nil == pytest.approx(other.nil, abs=1e-4)


def test_every_weight_comes_back_as_its_own() -> None:
    assert len(set(CELL_NIL)) == len(CELL_NIL)  # else one of two would be kept for both
    draw = np.random.default_rng(0)
    widths = len(LOCAL), len(COLUMNS)
    rounds = tuple(Weights(draw.normal(size=width), draw.normal(size=len(NIL_COLUMNS) + width)) for width in widths)
    again = Ranker.of(Ranker(rounds, cells=CellModel(nil=draw.normal(size=len(CELL_NIL)))).to_dict())
    for one, other in zip(rounds, again.rounds, strict=True):
        assert other.choice == pytest.approx(one.choice, abs=1e-4)
        assert other.nil == pytest.approx(one.nil, abs=1e-4)


def test_columns_of_another_version_weigh_nothing(demo_ranker: Ranker) -> None:
    described = demo_ranker.to_dict()
    for each in described["rounds"]:
        each["choice"]["later_column"] = 7.0
        each["none"]["later_column"] = 7.0
    assert same_weights(Ranker.of(described), demo_ranker)
    for each in described["rounds"]:
        del each["choice"]["log_prior"], each["none"]["doubt"]
    without = Ranker.of(described)
    assert all(weights.choice[COLUMNS.index("log_prior")] == 0 for weights in without.rounds)
    kept = [i for i, name in enumerate(COLUMNS) if name != "log_prior"]
    assert np.array_equal(without.rounds[-1].choice[kept], demo_ranker.rounds[-1].choice[kept])


def test_judgements_are_probabilities(
    demo_ranker: Ranker, demo_batches: BatchMaker, demo_features: FeatureContext, gold_documents: list[Document]
) -> None:
    odd = [Document(mentions=()), Document(mentions=(Mention("xyzzy"), Mention("Chicago")))]
    found = rank_batch(demo_ranker, demo_batches.make([*gold_documents, *odd]), demo_features)
    assert ((found.probability >= 0) & (found.probability <= 1)).all()
    total = np.bincount(found.groups.group, weights=found.probability, minlength=len(found.groups))
    assert total + found.nil_probability == pytest.approx(np.ones(len(found.groups)))
    assert found.nil_probability[np.diff(found.groups.bounds) == 0].tolist() == [1]
    assert found.features.shape == (len(found.groups.table_row), len(COLUMNS))


def test_judging_nothing(demo_ranker: Ranker, demo_batches: BatchMaker, demo_features: FeatureContext) -> None:
    for documents in ([], [Document(mentions=())], [Document(mentions=(Mention("xyzzy"), Mention("xyzzy"), Mention("")))]):
        found = rank_batch(demo_ranker, demo_batches.make(documents), demo_features)
        assert len(found.probability) == 0
        assert found.nil_probability.tolist() == [1] * len(found.groups)


def test_a_higher_temperature_is_less_sure(
    demo_ranker: Ranker, demo_batches: BatchMaker, demo_features: FeatureContext, gold_documents: list[Document]
) -> None:
    batch = demo_batches.make(gold_documents)
    plain = replace(demo_ranker, confidence=AS_FOUND)
    cool, hot = (rank_batch(replace(plain, temperature=t), batch, demo_features) for t in (1.0, 3.0))
    assert np.array_equal(hot.nil_probability, cool.nil_probability)
    several = np.diff(hot.groups.bounds)[hot.groups.group] > 1
    assert hot.probability[several].max() < cool.probability[several].max()
