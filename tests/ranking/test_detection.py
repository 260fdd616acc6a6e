"""Is it a name at all: the detection factor, where it applies, and that it depends on the document alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenthemes import KB
from eigenthemes.linker import Linker
from eigenthemes.ranking.detection import ALONE_COLUMNS, FALSE_MATCH_COLUMNS, FalseMatchModel, settle
from eigenthemes.ranking.ranker import Ranker

TEXTS = [
    "Scottie Pippen and Michael Jordan won six titles with the Chicago Bulls.",
    "Amman is the capital of Jordan.",
    "Jordan",
    "Mr. Jordan met Phoenix et al. in Chicago.",
    "Nothing of the kind is said here.",
    "David Blei studied with Michael Jordan at Berkeley; Barkley played for Phoenix.",
]


def answers(linker: Linker, texts: list[str]) -> list[list[tuple[str, str | None, float | None]]]:
    return [
        [(link.mention.text, link.entity, link.probability) for link in document.links] for document in linker.link_batch(texts)
    ]


@settings(max_examples=20, deadline=None)
@given(order=st.lists(st.integers(0, len(TEXTS) - 1), min_size=1, max_size=8))
def test_a_text_is_linked_the_same_alone_and_in_any_batch(demo_linker: Linker, order: list[int]) -> None:
    alone = {number: answers(demo_linker, [TEXTS[number]])[0] for number in set(order)}
    assert answers(demo_linker, [TEXTS[number] for number in order]) == [alone[number] for number in order]


def test_given_mentions_have_the_factor_one(demo_linker: Linker) -> None:
    text = TEXTS[0]
    mention = {"text": "Michael Jordan", "start": text.index("Michael"), "end": text.index("Michael") + 14}
    decided = demo_linker.batches.make([demo_linker.checked({"text": text, "mentions": [mention]})])
    assert decided.detected is None
    scored = demo_linker.method(decided, demo_linker.kb)
    assert scored.detection_factor is None


def test_cells_have_the_factor_one(demo_linker: Linker) -> None:
    table = {"table": {"header": ["who"], "rows": [["Jordan"], ["Pippen"]]}}
    assert demo_linker.batches.make([demo_linker.checked(table)]).detected is None


def test_given_and_found_mentions_in_one_batch(demo_linker: Linker) -> None:
    given_one = {"mentions": [{"text": "Michael Jordan"}, {"text": "Scottie Pippen"}]}
    alone = demo_linker.link(given_one).links[0].probability
    both = list(demo_linker.link_batch([TEXTS[3], given_one]))
    assert both[1].links[0].probability == alone
    batch = demo_linker.batches.make([demo_linker.checked(each) for each in (TEXTS[3], given_one)])
    factor = demo_linker.method(batch, demo_linker.kb).detection_factor
    assert factor is not None
    assert (factor[-2:] == 1).all()
    assert (factor[:-2] < 1).all()


def test_a_clue_lowers_the_probability_and_the_sentence_says_so(demo_kb: KB) -> None:
    linker = Linker(demo_kb, explain=True)
    plain, titled = (linker.link(text).links[0] for text in ("Amman is here.", "Mr. Amman is here."))
    assert titled.explanation is not None
    assert plain.explanation is not None
    assert titled.explanation.detection is not None
    assert titled.explanation.detection < (plain.explanation.detection or 0)
    assert "only spelled like this name" in titled.explanation.sentence


def test_a_ranker_may_have_no_chance_model(demo_kb: KB) -> None:
    described = dict(demo_kb.rankers["prone"])
    assert set(described["chance"]) == {"chance", "alone"}
    del described["chance"]
    assert Ranker.of(described).false_matches is None
    assert "chance" not in Ranker.of(described).to_dict()


def test_the_chance_model_survives_the_manifest() -> None:
    model = FalseMatchModel(np.arange(len(FALSE_MATCH_COLUMNS)) / 4, np.arange(len(ALONE_COLUMNS)) / 4)
    again = FalseMatchModel.of(model.to_dict())
    np.testing.assert_array_equal(again.false_match, model.false_match)
    np.testing.assert_array_equal(again.alone, model.alone)


def test_where_most_names_are_doubtful_the_others_are_doubted_more() -> None:
    among_good = settle(np.array([0.5, 3, 3, 3, 3]), np.zeros(5, np.int64), 1)
    among_bad = settle(np.array([0.5, -3, -3, -3, -3]), np.zeros(5, np.int64), 1)
    assert among_good[0] > 0.5 > among_bad[0]


def test_documents_settle_apart() -> None:
    z = np.array([1.0, -1.0, 2.0])
    together = settle(z, np.array([0, 0, 1]), 2)
    assert together[:2] == pytest.approx(settle(z[:2], np.zeros(2, np.int64), 1), abs=0)
    assert together[2:] == pytest.approx(settle(z[2:], np.zeros(1, np.int64), 1), abs=0)
