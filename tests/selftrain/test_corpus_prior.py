"""What a pile of documents is about makes kinds of entities likelier, without labels."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
from helpers.kbs import build_from_records

from eigenthemes import KB
from eigenthemes.kb.info import card, card_lines, corpus_prior_in_words
from eigenthemes.linker import Linker
from eigenthemes.ranking.adaptation import CorpusPrior, entity_numbers
from eigenthemes.ranking.ranker import Ranker
from eigenthemes.records import Document, Mention
from eigenthemes.selftrain.adapt import learn_corpus_prior
from eigenthemes.selftrain.training import self_train
from eigenthemes.train import adapt_kb, store_ranker

MANY = 40


@pytest.fixture(scope="module")
def clubs_and_towns(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """Towns, their clubs of the same name, and further clubs that only a club can be."""
    towns = [{"id": f"town{i}", "name": f"Town{i}", "type": "town", "prior": 50} for i in range(MANY)]
    clubs = [{"id": f"club{i}", "name": f"Town{i}", "type": "club", "prior": 10} for i in range(MANY)]
    others = [{"id": f"rover{i}", "name": f"Rover{i}", "type": "club", "prior": 10} for i in range(MANY)]
    kb = build_from_records(tmp_path_factory.mktemp("clubs"), [*towns, *clubs, *others])
    return store_ranker(kb, self_train(kb, documents=100))


def results(many: int) -> list[Document]:
    """A pile about clubs: all names but one are of clubs only."""
    draw = np.random.default_rng(0)
    return [
        Document(mentions=tuple(Mention(f"Rover{i}") for i in draw.integers(MANY, size=4)) + (Mention(f"Town{number % MANY}"),))
        for number in range(many)
    ]


def chance(kb: KB, entity_id: str, name: str) -> float:
    links = Linker(kb, top=9).link({"mentions": [{"text": name}]}).links
    return next(each.score for each in links[0].ranking if each.id == entity_id)


def odds(probability: float) -> float:
    return probability / (1 - probability)


def test_what_the_pile_is_about_gets_likelier_and_reset_undoes_it(clubs_and_towns: KB) -> None:
    kb, before = clubs_and_towns, clubs_and_towns.manifest
    usual = chance(kb, "club7", "Town7")
    adapted = adapt_kb(kb.path, results(120))
    assert odds(chance(adapted, "club7", "Town7")) > 1.5 * odds(usual)
    pile = adapted.rankers[""]["pile"]
    assert pile["documents"] == 120
    assert pile["types"]["club"] > 0 > pile["types"]["town"]
    assert pile["often"]["club"] > 1 > pile["often"]["town"]
    assert "adapted" not in adapted.rankers[""]  # there is no text to learn the writing of names from
    assert any("120 documents are about" in line for line in card_lines(card(adapted)))
    assert adapt_kb(kb.path, reset=True).manifest == before


def test_few_documents_say_nothing_of_a_pile(clubs_and_towns: KB) -> None:
    from eigenthemes.errors import DocumentError

    with pytest.raises(DocumentError, match="too few"):  # and have no texts either
        adapt_kb(clubs_and_towns.path, results(99))


def test_gold_is_not_looked_at(clubs_and_towns: KB) -> None:
    ranker, pile = Ranker.of(clubs_and_towns.rankers[""]), results(100)
    misleading = [
        replace(each, mentions=tuple(replace(mention, gold=("town1",)) for mention in each.mentions or ())) for each in pile
    ]
    assert learn_corpus_prior(clubs_and_towns, ranker, pile) == learn_corpus_prior(clubs_and_towns, ranker, misleading)


def test_it_adds_half_the_log_odds_and_four_at_most(clubs_and_towns: KB) -> None:
    kb = clubs_and_towns
    club, town = kb.index_of("club3"), kb.index_of("town3")
    model = CorpusPrior(100, {"one": 1.0, "log_prior": 0.0}, {"club": 2.0, "town": -50.0}, {})
    added = model.of_entities(kb)
    assert added[[club, town]].tolist() == [1.5, -4.0]
    by_prior = CorpusPrior(100, {"log_prior": 1.0}, {}, {}).of_entities(kb)
    assert by_prior == pytest.approx(entity_numbers(kb)[:, 0] / 2)


def test_a_ranker_keeps_it_in_the_manifest(clubs_and_towns: KB) -> None:
    model = CorpusPrior(100, {"one": 1.0}, {"club": 2.0}, {"club": 6.0, "town": 0.1})
    ranker = replace(Ranker.of(clubs_and_towns.rankers[""]), corpus_prior=model)
    assert Ranker.of(ranker.to_dict()).corpus_prior == model
    assert corpus_prior_in_words(clubs_and_towns, asdict(model)) == "club 6 x, town 0.1 x"
