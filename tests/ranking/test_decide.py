"""One place decides: the best candidate, its probability, NIL and its reason."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from eigenthemes.kb.store import Vectors
from eigenthemes.names.generator import CandidateTable
from eigenthemes.pipeline.batch import Batch
from eigenthemes.ranking.decide import NIL_REASONS, DecisionRule, decide
from eigenthemes.ranking.methods import METHODS, Method, Scored
from eigenthemes.records import Document, Mention

PLAIN = METHODS["degree"]
CALIBRATED = METHODS["selftrained"]
NAMEMATCH = METHODS["namematch"]
NOISY = Method(lambda batch, kb, options: np.zeros(len(batch.table)), tells_noise=True)


def batch_of(counts: list[int], *, embedded: NDArray[np.bool_] | None = None) -> Batch:
    """One document whose mentions have so many candidates; entity i is the candidate of row i."""
    mentions = [Mention(f"m{i}") for i in range(len(counts))]
    mention_of = np.repeat(np.arange(len(counts)), counts)
    n = len(mention_of)
    rank = np.arange(n) - np.searchsorted(mention_of, mention_of) + 1
    table = CandidateTable(
        len(counts), mention_of, np.arange(n, dtype=np.uint32), rank.astype(np.int32), np.ones(n), np.zeros(n, np.uint8)
    )
    vectors = None if embedded is None else Vectors("test", np.zeros((n, 2), np.float32), embedded)
    bounds = np.array([0, len(counts)]), np.array([0, n])
    return Batch([Document(mentions=tuple(mentions))], *bounds, table, vectors, {})


def reasons(batch: Batch, scored: Scored, method: Method, rule: DecisionRule) -> list[str | None]:
    return [NIL_REASONS[reason] for reason in decide(batch, scored, method, rule).nil_reason.tolist()]


def test_the_highest_score_wins_and_ties_go_to_the_better_rank() -> None:
    decisions = decide(batch_of([3, 2]), Scored(np.array([0.1, 0.7, 0.7, 0.2, 0.9])), PLAIN, DecisionRule(), top=2)
    assert decisions.order.tolist() == [1, 2, 4, 3]
    assert decisions.bounds.tolist() == [0, 2, 4]
    assert decisions.linked.all()
    assert np.isnan(decisions.probability).all()  # a method without probabilities gives none


def test_a_mention_without_candidates_is_nil_for_every_method() -> None:
    for method in (PLAIN, CALIBRATED, NAMEMATCH):
        assert reasons(batch_of([0, 1]), Scored(np.array([0.9])), method, DecisionRule(0.5)) == ["no_candidate", None]
        assert reasons(batch_of([0]), Scored(np.zeros(0)), method, DecisionRule(allow_nil=False)) == ["no_candidate"]


def test_below_the_threshold_there_is_no_link_and_at_it_there_is() -> None:
    scored = Scored(np.array([0.49, 0.5, 0.51]))
    assert reasons(batch_of([1, 1, 1]), scored, CALIBRATED, DecisionRule(0.5)) == ["low_probability", None, None]
    assert reasons(batch_of([1, 1, 1]), scored, CALIBRATED, DecisionRule(0.5, allow_nil=False)) == [None, None, None]
    assert decide(batch_of([1]), Scored(np.array([0.3])), CALIBRATED, DecisionRule(0.5)).probability.tolist() == [0.3]


def test_an_unlikely_candidate_without_a_vector_says_so() -> None:
    batch = batch_of([1, 1], embedded=np.array([True, False]))
    assert reasons(batch, Scored(np.array([0.1, 0.1])), CALIBRATED, DecisionRule(0.5)) == ["low_probability", "no_embedding"]
    assert reasons(batch, Scored(np.array([0.9, 0.9])), CALIBRATED, DecisionRule(0.5)) == [None, None]


def test_a_score_at_the_minimum_is_no_answer() -> None:
    assert reasons(batch_of([2, 1]), Scored(np.array([0.0, 0.0, 0.5])), NAMEMATCH, DecisionRule()) == ["no_name_match", None]
    assert reasons(batch_of([1]), Scored(np.array([0.0])), NAMEMATCH, DecisionRule(allow_nil=False)) == [None]


def test_methods_that_tell_noise_are_decided_by_it() -> None:
    scored = Scored(np.array([5.0, -3.0]), match_probability=np.array([0.2, 0.8]))
    assert reasons(batch_of([1, 1]), scored, NOISY, DecisionRule(0.5)) == ["low_probability", None]
    assert reasons(batch_of([1, 1]), scored, NOISY, DecisionRule(0.0)) == [None, None]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.floats(0, 1), st.integers(0, 1 << 16))
def test_every_mention_is_either_linked_or_has_a_reason(counts: list[int], threshold: float, seed: int) -> None:
    batch, rng = batch_of(counts), np.random.default_rng(seed)
    scores = rng.random(sum(counts))
    decisions = decide(batch, Scored(scores), CALIBRATED, DecisionRule(threshold), top=5)
    for mention, count in enumerate(counts):
        rows = decisions.order[decisions.bounds[mention] : decisions.bounds[mention + 1]]
        assert len(rows) == count
        assert (np.diff(scores[rows]) <= 0).all()
        likely = count > 0 and scores[rows[0]] >= threshold
        assert bool(decisions.linked[mention]) == likely
        assert decisions.probability[mention] == pytest.approx(scores[rows[0]] if count else np.nan, nan_ok=True)


def test_an_exact_name_is_no_nil_because_others_share_its_name_or_its_words() -> None:
    batch = batch_of([3, 3, 2, 3])
    whole = np.array([0, 5, 5, 0, 0, 5, 0, 5, 5, 0, 0], np.uint8)  # a label, twice a label, a label, another form
    batch = replace(batch, table=replace(batch.table, match_type=whole))
    scored = Scored(np.array([0.4, 0.3, 0.2, 0.4, 0.3, 0.2, 0.2, 0.1, 0.4, 0.3, 0.2]))
    low = "low_probability"
    assert reasons(batch, scored, CALIBRATED, DecisionRule(0.5, exact=True)) == [None, None, low, low]
    assert reasons(batch, scored, CALIBRATED, DecisionRule(0.5)) == [low, low, low, low]


def test_other_entities_of_the_same_name_are_named_where_they_are_nearly_as_probable() -> None:
    batch = batch_of([3, 3, 3, 2])
    whole = np.array([0, 0, 5, 0, 0, 0, 0, 5, 0, 0, 0], np.uint8)
    batch = replace(batch, table=replace(batch.table, match_type=whole))
    scored = Scored(np.array([0.5, 0.4, 0.3, 0.2, 0.4, 0.3, 0.8, 0.7, 0.1, 0.1, 0.1]))
    rule = DecisionRule(0.25)
    assert decide(batch, scored, CALIBRATED, rule).ambiguous == {0: [1], 1: [5, 3]}  # the last mention is not linked
    assert decide(batch, scored, NAMEMATCH, rule).ambiguous == {}


def test_the_detection_factor_is_multiplied_into_the_probability() -> None:
    batch = replace(batch_of([1, 1]), detected=np.array([True, False]))
    scored = Scored(np.array([0.8, 0.8]), detection_factor=np.array([0.5, 1.0]))
    decisions = decide(batch, scored, CALIBRATED, DecisionRule(0.6, detected=0.4))
    assert decisions.probability.tolist() == [0.4, 0.8]
    assert decisions.linked.tolist() == [True, True]
    assert decide(batch, scored, CALIBRATED, DecisionRule(0.6)).linked.tolist() == [False, True]
