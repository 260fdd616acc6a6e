"""How sure to be in the end: odds drawn towards even ones, and nothing else changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.kb.store import KB
from eigenthemes.pipeline.batch import BatchMaker
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.nil import highest_beside
from eigenthemes.ranking.ranker import AS_FOUND, Confidence, Ranker, feature_context_of, rank_batch
from eigenthemes.records import Document, Mention, Table
from eigenthemes.selftrain.fit import CONFIDENCE

NAMES = ("Michael Jordan", "Jordan", "xyzzy", "Chicago", "Washington")


@pytest.fixture(scope="module")
def groups(demo_batches: BatchMaker) -> MentionGroups:
    cells = tuple(Mention(name, row=row, col=0) for row, name in enumerate(NAMES))
    table = Document(mentions=cells, table=Table(header=("name",), rows=tuple((name,) for name in NAMES)))
    return MentionGroups.of(demo_batches.make([Document(mentions=tuple(map(Mention, NAMES))), table]))


def some_probabilities(groups: MentionGroups, seed: int) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    weight = draw.random(len(groups.table_row)) ** 4
    none = np.where(np.diff(groups.bounds) > 0, draw.random(len(groups)), 1.0)
    total = none + np.bincount(groups.group, weights=weight, minlength=len(groups))
    return weight / total[groups.group], none / total


@given(st.integers(0, 1000), st.floats(0.3, 1.0), st.floats(-0.5, 0.5), st.floats(0, 3))
def test_calibration_gives_a_distribution_in_the_same_order(
    groups: MentionGroups, seed: int, slope: float, shift: float, weight: float
) -> None:
    probability, nil = some_probabilities(groups, seed)
    coverage = np.random.default_rng(seed).random(len(probability))
    calibrated, none, if_in_kg = Confidence(slope, shift, 0.7, weight).calibrate(groups, probability, nil, coverage)
    assert np.bincount(groups.group, weights=calibrated, minlength=len(groups)) + none == pytest.approx(np.ones(len(groups)))
    assert (highest_beside(calibrated, groups.bounds) <= if_in_kg[groups.group] + 1e-12).all()
    for first, last in zip(groups.bounds[:-1], groups.bounds[1:], strict=True):
        assert np.array_equal(
            np.argsort(-calibrated[first:last], kind="stable"), np.argsort(-probability[first:last], kind="stable")
        )


def test_the_best_candidate_gets_the_calibrated_odds_and_tables_stay(groups: MentionGroups) -> None:
    probability, nil = some_probabilities(groups, 1)
    calibrated, none, if_in_kg = Confidence(0.5).calibrate(groups, probability, nil, np.ones(len(probability)))
    best, best_told = highest_beside(probability, groups.bounds), highest_beside(calibrated, groups.bounds)
    of_table = groups.group >= groups.document_bounds[1]
    assert np.array_equal(calibrated[of_table], probability[of_table])
    assert np.array_equal(none[groups.document_bounds[1] :], nil[groups.document_bounds[1] :])
    odds = (best / (1 - best)) ** 0.5
    total = np.bincount(groups.group, weights=probability, minlength=len(groups))
    wanted = np.minimum(odds / (1 + odds), best * ((1 - 0.2 * nil) / np.maximum(total, 1e-12))[groups.group])
    assert best_told[~of_table] == pytest.approx(wanted[~of_table])
    assert if_in_kg[groups.group][~of_table] == pytest.approx((odds / (1 + odds))[~of_table])


def test_a_name_that_fits_badly_is_less_probable_but_not_if_its_entity_is_in_the_kg(groups: MentionGroups) -> None:
    probability, nil = some_probabilities(groups, 2)
    well, badly = (CONFIDENCE.calibrate(groups, probability, nil, np.full(len(probability), fit)) for fit in (1.0, 0.5))
    in_text = groups.group < groups.document_bounds[1]
    assert (badly[0][in_text] < well[0][in_text]).all()
    assert badly[2] == pytest.approx(well[2], abs=0.3)


def test_mentions_found_in_a_text_are_calibrated_as_those_that_are_given(demo_batches: BatchMaker) -> None:
    text, told = "Michael Jordan and Chicago", []
    given = tuple(Mention(name, text.index(name), text.index(name) + len(name)) for name in ("Michael Jordan", "Chicago"))
    for document in (Document(text=text), Document(text=text, mentions=given)):
        groups = MentionGroups.of(demo_batches.make([document]))
        probability, nil = some_probabilities(groups, 3)
        told.append(CONFIDENCE.calibrate(groups, probability, nil, np.full(len(probability), 0.8)))
    for found, as_given in zip(*told, strict=True):
        assert np.array_equal(found, as_given)


def test_equal_ones_stay_equal(groups: MentionGroups) -> None:
    counts = np.diff(groups.bounds)
    probability, nil = 0.9 / counts[groups.group], np.where(counts > 0, 0.1, 1.0)
    calibrated, none, _ = CONFIDENCE.calibrate(groups, probability, nil, np.ones(len(probability)))
    assert calibrated == pytest.approx(highest_beside(calibrated, groups.bounds))
    assert np.bincount(groups.group, weights=calibrated, minlength=len(groups)) + none == pytest.approx(np.ones(len(groups)))


def test_certainty_stays_finite_and_nothing_is_nothing(groups: MentionGroups, demo_batches: BatchMaker) -> None:
    assert CONFIDENCE.if_in_kg(np.array([0.0, 0.5, 1.0])) == pytest.approx([0.0, 0.587, 1.0], abs=1e-3)
    nothing = MentionGroups.of(demo_batches.make([Document(mentions=(Mention("xyzzy"),))]))
    calibrated, none, _ = CONFIDENCE.calibrate(nothing, np.zeros(0), np.ones(1), np.zeros(0))
    assert (len(calibrated), none.tolist()) == (0, [1.0])
    certain = np.zeros(len(groups.table_row))
    certain[groups.bounds[:-1][np.diff(groups.bounds) > 0]] = 1.0
    none = np.where(np.diff(groups.bounds) > 0, 0.0, 1.0)
    calibrated, none, _ = CONFIDENCE.calibrate(groups, certain, none, np.ones(len(certain)))
    assert np.isfinite(calibrated).all()
    assert calibrated.max() == pytest.approx(1.0, abs=1e-4)


def test_a_ranker_keeps_it_and_answers_the_same(demo_kb: KB, demo_ranker: Ranker, demo_batches: BatchMaker) -> None:
    assert Ranker.of(demo_ranker.to_dict()).confidence == demo_ranker.confidence == CONFIDENCE
    before = replace(demo_ranker, confidence=AS_FOUND)
    assert "confidence" not in before.to_dict()
    assert Ranker.of(before.to_dict()).confidence == AS_FOUND
    batch = demo_batches.make([Document(mentions=tuple(map(Mention, NAMES)))])
    context = feature_context_of(demo_kb, demo_batches.vectors)
    calibrated, found = (rank_batch(ranker, batch, context) for ranker in (demo_ranker, before))
    is_best = calibrated.probability == highest_beside(calibrated.probability, calibrated.groups.bounds)
    assert np.array_equal(is_best, found.probability == highest_beside(found.probability, found.groups.bounds))
    assert not np.array_equal(calibrated.probability, found.probability)
