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


@given(st.integers(0, 1000), st.floats(0.3, 1.0), st.floats(0, 0.5))
def test_what_is_told_is_a_distribution_in_the_same_order(groups: MentionGroups, seed: int, slope: float, shift: float) -> None:
    probability, nil = some_probabilities(groups, seed)
    calibrated, none = Confidence(slope, shift).calibrate(groups, probability, nil)
    assert np.bincount(groups.group, weights=calibrated, minlength=len(groups)) + none == pytest.approx(np.ones(len(groups)))
    for first, last in zip(groups.bounds[:-1], groups.bounds[1:], strict=True):
        assert np.array_equal(
            np.argsort(-calibrated[first:last], kind="stable"), np.argsort(-probability[first:last], kind="stable")
        )


def test_the_best_one_gets_the_odds_that_are_told_or_most_of_nil_and_tables_stay(groups: MentionGroups) -> None:
    probability, nil = some_probabilities(groups, 1)
    calibrated, none = Confidence(0.5, 0.0).calibrate(groups, probability, nil)
    best, best_told = highest_beside(probability, groups.bounds), highest_beside(calibrated, groups.bounds)
    of_table = groups.group >= groups.document_bounds[1]
    assert np.array_equal(calibrated[of_table], probability[of_table])
    assert np.array_equal(none[groups.document_bounds[1] :], nil[groups.document_bounds[1] :])
    odds = (best / (1 - best)) ** 0.5
    wanted = np.minimum(odds / (1 + odds), best + 0.8 * nil[groups.group])
    assert best_told[~of_table] == pytest.approx(wanted[~of_table])


def test_what_the_best_one_gains_no_other_candidate_loses(groups: MentionGroups) -> None:
    probability, nil = some_probabilities(groups, 2)
    calibrated, none = Confidence(1.0, 0.4).calibrate(groups, probability, nil)
    is_best = probability == highest_beside(probability, groups.bounds)
    assert calibrated[~is_best] == pytest.approx(probability[~is_best])
    assert (none <= nil + 1e-12).all()


def test_equal_ones_stay_equal(groups: MentionGroups) -> None:
    counts = np.diff(groups.bounds)
    probability, nil = 0.9 / counts[groups.group], np.where(counts > 0, 0.1, 1.0)
    calibrated, none = CONFIDENCE.calibrate(groups, probability, nil)
    assert calibrated == pytest.approx(highest_beside(calibrated, groups.bounds))
    assert np.bincount(groups.group, weights=calibrated, minlength=len(groups)) + none == pytest.approx(np.ones(len(groups)))


def test_certainty_stays_finite_and_nothing_is_nothing(groups: MentionGroups, demo_batches: BatchMaker) -> None:
    assert CONFIDENCE.of(np.array([0.0, 0.5, 1.0])) == pytest.approx([0.0, 0.587, 1.0], abs=1e-3)
    nothing = MentionGroups.of(demo_batches.make([Document(mentions=(Mention("xyzzy"),))]))
    calibrated, none = CONFIDENCE.calibrate(nothing, np.zeros(0), np.ones(1))
    assert (len(calibrated), none.tolist()) == (0, [1.0])
    certain = np.zeros(len(groups.table_row))
    certain[groups.bounds[:-1][np.diff(groups.bounds) > 0]] = 1.0
    calibrated, none = CONFIDENCE.calibrate(groups, certain, np.where(np.diff(groups.bounds) > 0, 0.0, 1.0))
    assert np.isfinite(calibrated).all()
    assert calibrated.max() == pytest.approx(1.0, abs=1e-6)


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
