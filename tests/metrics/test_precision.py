"""What a mention earns, by hand, by brute force, and as the paper's own program counted it."""

from __future__ import annotations

import gzip
import itertools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from eigenthemes.errors import OptionError
from eigenthemes.metrics.precision import (
    EASY,
    HARD,
    NOT_FOUND,
    by_document,
    credit,
    difficulty,
    gold_ranks,
    recall_at,
    summarize,
)

Array = NDArray[Any]
Batch = list[list[tuple[float, bool]]]  # for each mention, (score, is gold) of its candidates by rank

batches = st.lists(st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.0]), st.booleans()), max_size=6), max_size=4)


def flat(batch: Batch) -> tuple[int, Array, Array, Array, Array]:
    """mentions, mention_of, rank, is_gold, scores."""
    rows = [(m, r, gold, score) for m, each in enumerate(batch) for r, (score, gold) in enumerate(each, start=1)]
    mention_of, rank, is_gold, scores = zip(*rows, strict=True) if rows else ((), (), (), ())
    return (
        len(batch),
        np.array(mention_of, dtype=np.int64),
        np.array(rank, dtype=np.int32),
        np.array(is_gold, dtype=bool),
        np.array(scores, dtype=np.float64),
    )


def earned(batch: Batch, **options: Any) -> tuple[list[float], list[float]]:
    mentions, mention_of, _, is_gold, scores = flat(batch)
    p_at_1, reciprocal_rank = credit(mentions, mention_of, is_gold, scores, **options)
    return p_at_1.tolist(), reciprocal_rank.tolist()


def by_brute_force(candidates: list[tuple[float, bool]]) -> tuple[float, float]:
    """The means over every order in which no lower score stands before a higher one."""
    orders = [order for order in itertools.permutations(candidates) if all(a[0] >= b[0] for a, b in itertools.pairwise(order))]
    firsts = [next((1 / place for place, (_, gold) in enumerate(order, start=1) if gold), 0.0) for order in orders]
    return sum(first == 1 for first in firsts) / len(orders), sum(firsts) / len(orders)


@pytest.mark.parametrize(
    ("candidates", "share", "authors"),
    [
        ([], (0, 0), (0, 0)),
        ([(1, False), (2, False)], (0, 0), (0, 0)),
        ([(2, True), (1, False)], (1, 1), (1, 1)),
        ([(1, True), (2, False)], (0, 1 / 2), (0, 1 / 2)),
        ([(1, True), (1, False)], (1 / 2, 3 / 4), (1, 1)),
        ([(1, True), (1, True), (1, False)], (2 / 3, 2 / 3 + 1 / 6), (1, 1)),
        ([(2, False), (1, True), (1, False)], (0, (1 / 2 + 1 / 3) / 2), (0, 1 / 2)),
        ([(1, True), (3, False), (2, True)], (0, 1 / 2), (0, 1 / 2)),
        ([(-math.inf, True)], (0, 0), (0, 0)),
        ([(math.nan, True), (1, False)], (0, 0), (0, 0)),
        ([(math.inf, True), (math.inf, False)], (1 / 2, 3 / 4), (1, 1)),
    ],
)
def test_what_a_mention_earns(
    candidates: list[tuple[float, bool]], share: tuple[float, float], authors: tuple[float, float]
) -> None:
    for ties, expected in (("share", share), ("authors", authors)):
        (p_at_1,), (reciprocal_rank,) = earned([candidates], ties=ties)
        assert (p_at_1, reciprocal_rank) == pytest.approx(expected)


@given(batches)
def test_sharing_is_the_mean_over_all_ways_to_break_ties(batch: Batch) -> None:
    expected = [by_brute_force(each) for each in batch]
    p_at_1, reciprocal_rank = earned(batch)
    assert p_at_1 == pytest.approx([p for p, _ in expected])
    assert reciprocal_rank == pytest.approx([r for _, r in expected])


def test_a_tie_of_thousands_neither_overflows_nor_takes_long() -> None:
    p_at_1, reciprocal_rank = earned([[(1.0, place < 40) for place in range(20_000)]])
    assert p_at_1 == pytest.approx([40 / 20_000])
    survivors = itertools.accumulate(range(19_960), lambda chance, x: chance * (19_960 - x) / (20_000 - x), initial=1.0)
    by_hand = sum(chance * 40 / (20_000 - x) / (x + 1) for x, chance in enumerate(survivors) if x <= 19_960)
    assert reciprocal_rank == pytest.approx([by_hand])


@given(batches, st.randoms(use_true_random=False))
def test_the_order_of_candidates_does_not_matter(batch: Batch, random: Any) -> None:
    assert earned([random.sample(each, len(each)) for each in batch]) == earned(batch)


@given(batches, st.sampled_from([0.25, 1.0, 8.0]), st.integers(-5, 5), st.sampled_from(["share", "authors"]))
def test_only_the_order_of_scores_matters(batch: Batch, factor: float, constant: int, ties: str) -> None:
    moved = [[(score * factor + constant, gold) for score, gold in each] for each in batch]
    assert earned(moved, ties=ties) == earned(batch, ties=ties)


@given(batches)
def test_the_authors_rule_is_never_below_sharing(batch: Batch) -> None:
    for generous, fair in zip(earned(batch, ties="authors"), earned(batch), strict=True):
        assert all(g >= f - 1e-12 for g, f in zip(generous, fair, strict=True))


@given(batches, st.sampled_from(["share", "authors"]))
def test_a_candidate_that_is_no_answer_might_as_well_be_absent(batch: Batch, ties: str) -> None:
    answering = [[(score, gold) for score, gold in each if score > 0] for each in batch]
    assert earned(batch, min_score=0, ties=ties) == earned(answering, ties=ties)


@given(batches)
def test_a_batch_earns_what_its_mentions_earn_alone(batch: Batch) -> None:
    alone = [earned([each]) for each in batch]
    assert earned(batch) == ([p[0] for p, _ in alone], [r[0] for _, r in alone])


@given(batches)
def test_by_rank_easy_mentions_earn_all_and_the_others_nothing_at_1(batch: Batch) -> None:
    mentions, mention_of, rank, is_gold, _ = flat(batch)
    p_at_1, reciprocal_rank = credit(mentions, mention_of, is_gold, 1 / rank)
    found = difficulty(mentions, mention_of, rank, is_gold)
    assert ((p_at_1 == 1) == (found == EASY)).all()
    assert ((p_at_1 == 0) == (found != EASY)).all()
    assert ((reciprocal_rank > 0) == (found != NOT_FOUND)).all()
    assert recall_at(gold_ranks(mentions, mention_of, rank, is_gold), ks=(1,))[1] == pytest.approx(
        p_at_1.mean() if mentions else 0
    )


def test_an_unknown_rule_for_ties_is_refused() -> None:
    with pytest.raises(OptionError, match="ties 'best' is unknown; expected one of share, authors"):
        earned([[(1, True)]], ties="best")


SET: Batch = [
    [(2, True), (1, False)],  # document 3: easy, right
    [(1, True), (2, False)],  # document 3: easy, wrong
    [(1, False), (2, True)],  # document 7: hard, right
    [(1, False)],  # document 7: not found
    [],  # document 7: not found
]
DOCUMENT = np.array([3, 3, 7, 7, 7])


def figures_of(batch: Batch) -> tuple[Array, Array, Array]:
    mentions, mention_of, rank, is_gold, scores = flat(batch)
    return (*credit(mentions, mention_of, is_gold, scores), difficulty(mentions, mention_of, rank, is_gold))


def test_difficulty_is_where_the_gold_stands() -> None:
    found = figures_of(SET)[2]
    assert found.tolist() == [EASY, EASY, HARD, NOT_FOUND, NOT_FOUND]
    assert found.dtype == np.int8
    assert figures_of([[(0, False), (0, True), (0, True)], [(0, True), (0, True)]])[2].tolist() == [HARD, EASY]


def test_recall_counts_the_first_k_of_every_mention() -> None:
    mentions, mention_of, rank, is_gold, _ = flat([*SET, [(0, place == 6) for place in range(9)]])
    recall = recall_at(gold_ranks(mentions, mention_of, rank, is_gold))
    assert recall == pytest.approx({1: 2 / 6, 5: 3 / 6, 10: 4 / 6, 20: 4 / 6})


def test_a_set_is_summarized() -> None:
    summary = summarize(DOCUMENT, *figures_of(SET))
    assert summary == {
        "overall": {
            "mentions": 5,
            "p_at_1": pytest.approx(2 / 5),
            "mrr": pytest.approx(2.5 / 5),
            "ceiling": pytest.approx(3 / 5),
        },
        "easy": {"mentions": 2, "p_at_1": 0.5, "mrr": 0.75},
        "hard": {"mentions": 1, "p_at_1": 1.0, "mrr": 1.0},
        "not_found": {"mentions": 2},
        "macro": {"documents": 2, "p_at_1": pytest.approx((1 / 2 + 1 / 3) / 2), "mrr": pytest.approx((3 / 4 + 1 / 3) / 2)},
    }
    assert json.loads(json.dumps(summary)) == summary


def test_documents_are_listed_in_order() -> None:
    listed = by_document(DOCUMENT, *figures_of(SET))
    assert listed == [
        {"mentions": 2, "p_at_1": 0.5, "mrr": 0.75, "ceiling": 1.0},
        {"mentions": 3, "p_at_1": pytest.approx(1 / 3), "mrr": pytest.approx(1 / 3), "ceiling": pytest.approx(1 / 3)},
    ]
    assert json.loads(json.dumps(listed)) == listed


def test_nothing_to_evaluate_gives_zeros() -> None:
    nowhere = np.array([], dtype=np.int64)
    summary = summarize(nowhere, *figures_of([]))
    assert all(figure == 0 for part in summary.values() for figure in part.values())
    assert by_document(nowhere, *figures_of([])) == []
    mentions, mention_of, rank, is_gold, _ = flat([])
    assert recall_at(gold_ranks(mentions, mention_of, rank, is_gold)) == {1: 0, 5: 0, 10: 0, 20: 0}


@pytest.mark.real_data
@pytest.mark.parametrize("method", ["degree", "average", "weighted_average", "eigen", "weighted_eigen"])
def test_the_authors_rule_gives_the_metrics_of_the_papers_program(real_data: Callable[[str], Path], method: str) -> None:
    folder = real_data(".").parent / "reference"
    if not folder.exists():
        pytest.skip(f"{folder} is not there: it belongs beside the data folder")
    with gzip.open(folder / "scores.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    batch: Batch = [
        [(row[method], row["is_gold"]) for row in group]
        for _, group in itertools.groupby(rows, key=lambda row: (row["doc"], row["position"]))
    ]
    expected = json.loads((folder / "metrics.json").read_text())[method]
    batch += [[] for _ in range(1_129 - len(batch))]  # mentions without gold among their candidates have no lines, but count
    mentions, mention_of, rank, is_gold, scores = flat(batch)
    figures = credit(mentions, mention_of, is_gold, scores, ties="authors")
    summary = summarize(np.zeros(mentions, dtype=np.int64), *figures, difficulty(mentions, mention_of, rank, is_gold))
    for part in ("overall", "easy", "hard"):
        assert summary[part] == pytest.approx(expected[part], rel=0, abs=1e-9)
