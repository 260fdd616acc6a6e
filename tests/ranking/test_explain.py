"""Explanations: true to what the ranker computed, and readable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.documents import names_document
from helpers.explaining import (
    WEIGHTS,
    assert_contributions_give_the_features,
    explain_names,
    explainer_of,
    ranker_by_hand,
)
from helpers.kbs import build_untrained

from eigenthemes import KB, Linker
from eigenthemes.explanations import EDGE, GIVEN, LONGER, SAME, SHARED
from eigenthemes.kb.attributes import readable
from eigenthemes.names.retrieval import MATCH_TYPES
from eigenthemes.ranking.features import FeatureContext
from eigenthemes.ranking.features.nil import softmax
from eigenthemes.ranking.features.themes import _is_informative
from eigenthemes.ranking.ranker import ranker_of
from eigenthemes.ranking.sentences import in_words


def test_paris_texas(paris_kb: KB) -> None:
    paris, lamar, red = explain_names(paris_kb, "Paris", "Lamar County", "Red River")
    assert paris.best
    assert paris.best.id == "tx"
    assert paris.runner_up == paris.more_popular
    assert paris.sentence == (
        "Paris -> Paris (city in Texas): exact name; all the support is from Lamar County (part of) and Red River "
        "(both linked to Texas); Paris (capital of France) is more popular but shares nothing with the other names."
    )
    assert lamar.sentence.startswith(
        "Lamar County -> Lamar County (county in Texas): exact name, the only candidate; all the support is from Paris "
        "(part of Lamar County) and Red River (both linked to Texas)"
    )
    assert red.best
    assert red.best.id == "red"


def test_support_names_the_mention_and_the_relation(paris_kb: KB) -> None:
    paris = explain_names(paris_kb, "Paris", "Lamar County", "Red River", "Springfield")[0]
    lamar, red = paris.support
    assert (lamar.text, lamar.mention, lamar.id, lamar.label) == ("Lamar County", 1, "lamar", "Lamar County")
    assert (lamar.reasons[0].type, lamar.reasons[0].relation, lamar.reasons[0].reverse) == (EDGE, "part of", False)
    assert (lamar.reasons[1].type, lamar.reasons[1].relation, lamar.reasons[1].shared) == (SHARED, "part of", ("Texas",))
    assert (red.text, red.mention, red.reasons[0].type, red.reasons[0].shared) == ("Red River", 2, SHARED, ("Texas",))
    assert lamar.share > red.share
    back = explain_names(paris_kb, "Lamar County", "Paris")[0].support[0]
    assert (back.id, back.reasons[0].type, back.reasons[0].reverse) == ("tx", EDGE, True)


def test_several_names_with_one_reason_share_a_clause(paris_kb: KB) -> None:
    texas = explain_names(paris_kb, "Texas", "Dallas", "Lamar County", "Xyz")[0]
    assert texas.sentence == (
        "Texas -> Texas (state): exact name, the only candidate; "
        "all the support is from Lamar County and Dallas (part of Texas)."
    )


def test_shares_sum_to_one_and_what_speaks_against_is_listed(paris_kb: KB) -> None:
    paris = explain_names(paris_kb, "Paris", "Lamar County", "Red River")[0]
    assert sum(paris.shares.values()) == pytest.approx(1)
    assert set(paris.shares) == {"themes"}
    assert set(paris.against) == {"prior"}
    assert paris.best
    assert paris.runner_up
    for group, value in paris.best.contributions.items():
        ahead = value - paris.runner_up.contributions[group]
        assert np.sign(ahead) == np.sign(paris.shares.get(group, 0) - paris.against.get(group, 0))


def test_contributions_give_the_probabilities_back(demo_kb: KB, demo_records: list[dict[str, Any]]) -> None:
    found = explainer_of(demo_kb, *demo_records)
    for i in range(len(found.batch.mentions)):
        candidates = found.candidates(i)
        utility = np.array([sum(each.contributions.values()) for each in candidates])
        chance = softmax(utility, np.array([0, len(utility)])) * (1 - found.explain(i).nil_probability)
        assert [each.probability for each in candidates] == pytest.approx(chance.tolist(), abs=1e-6)


def test_what_names_put_in_is_what_the_ranker_saw(demo_kb: KB, demo_records: list[dict[str, Any]]) -> None:
    found = explainer_of(demo_kb, *demo_records)
    assert assert_contributions_give_the_features(found.ranking, found.context) > 50


def test_hubs_are_walked_as_the_ranker_does(tmp_path: Path) -> None:
    nodes = [f"l{i},Leaf {i}" for i in range(600)] + [f"{hub},Hub {hub}" for hub in "ab"]
    edges = [f"{hub},l{i}" for hub in "ab" for i in range(600)]
    (tmp_path / "nodes.csv").write_text("\n".join(["id,name", *nodes]))
    (tmp_path / "edges.csv").write_text("\n".join(["source,target", *edges]))
    files = [tmp_path / "nodes.csv", tmp_path / "edges.csv"]
    hubs = build_untrained(files, tmp_path / "hubs.kb", embedding=None)
    found = explainer_of(hubs, names_document("Hub a", "Hub b", "Leaf 2", "Leaf 599"))
    assert assert_contributions_give_the_features(found.ranking, found.context) >= 4
    support = {each.text: each.reasons[0] for each in found.explain(0).support}
    assert support.keys() == {"Hub b", "Leaf 2", "Leaf 599"}
    assert (support["Leaf 599"].type, support["Leaf 599"].relation) == (EDGE, "linked")


def test_the_support_of_every_mention_of_the_demo_sums_to_one(demo_kb: KB, demo_records: list[dict[str, Any]]) -> None:
    found = explainer_of(demo_kb, *demo_records)
    whole = [found.explain(i) for i in range(len(found.batch.mentions))]
    assert sum(bool(each.support) for each in whole) > len(whole) / 2
    for each in whole:
        assert len(each.support) <= 5
        if each.support:
            assert sum(one.share for one in each.support) + each.other_support == pytest.approx(1)
            assert all(one.reasons for one in each.support)
    assert any(each.other_support > 0 for each in whole)


def test_one_by_one_is_as_in_a_batch(demo_kb: KB, demo_records: list[dict[str, Any]]) -> None:
    together = explainer_of(demo_kb, {"mentions": []}, *demo_records)
    number = 0
    for document in demo_records:
        alone = explainer_of(demo_kb, document)
        for i in range(len(alone.batch.mentions)):
            assert alone.explain(i).sentence == together.explain(number).sentence
            number += 1


def test_nothing_resembles_it(paris_kb: KB) -> None:
    found = explain_names(paris_kb, "Xyzzq", "Texas")[0]
    assert (found.sentence, found.nil_reason) == ("Xyzzq -> nothing: no name in the KB resembles it.", "no_candidate")
    assert (found.best, found.nil_probability, found.support) == (None, 1.0, ())


def test_too_unlikely(paris_kb: KB) -> None:
    found = explain_names(paris_kb, "Springfeld", "France")[0]
    assert found.nil_reason == "low_probability"
    assert found.nil_probability == pytest.approx(1 / (1 + np.exp(-2)))  # the temperature is of choices only
    assert found.sentence == (
        "Springfeld -> nothing: the only candidate, Springfield, has 12% (threshold 41%): Springfield in another spelling, and "
        "nothing in the document supports it."
    )
    assert explain_names(paris_kb, "Springfeld", "France", threshold=0.0)[0].nil_reason is None


def test_nearly_as_likely(paris_kb: KB) -> None:
    found = explain_names(paris_kb, "Paris", "Xyz", ranker=ranker_by_hand(log_prior=0.1), threshold=0.9)[0]
    assert found.sentence == (
        "Paris -> nothing: the best candidate, Paris (capital of France), has 53% (threshold 90%): exact name, and nothing in "
        "the document supports it; Paris (city in Texas) is nearly as likely, with 42%."
    )


def test_a_probability_just_below_the_threshold_does_not_look_the_same(paris_kb: KB) -> None:
    found = explain_names(paris_kb, "Springfeld", "France")[0]
    assert found.best
    close = explain_names(paris_kb, "Springfeld", "France", threshold=found.best.probability + 0.0002)[0]
    assert "has 11.92% (threshold 11.94%)" in close.sentence


def test_a_document_with_one_name(paris_kb: KB) -> None:
    (found,) = explain_names(paris_kb, "Paris")
    assert found.sentence == (
        "Paris -> Paris (capital of France): exact name, the most popular of 2 candidates; there is no other name in the "
        "document to support it; next best, with 27%, is Paris (city in Texas)."
    )
    assert (found.support, found.other_support, set(found.shares)) == ((), 0.0, {"prior"})


def test_a_repeated_name_does_not_support_itself(paris_kb: KB) -> None:
    once, twice = explain_names(paris_kb, "Paris", "Lamar County"), explain_names(paris_kb, "Paris", "Lamar County", "PARIS")
    assert once[0] == twice[0]
    assert twice[2].sentence.replace("PARIS", "Paris") == twice[0].sentence
    assert [each.text for each in twice[2].support] == ["Lamar County"]


def test_a_longer_name_and_another_name_of_the_same(paris_kb: KB) -> None:
    smith, whole = explain_names(paris_kb, "Smith", "John Smith")
    assert smith.best
    assert smith.best.id == "smith"
    assert [(each.text, each.reasons[0].type) for each in smith.support] == [("John Smith", LONGER)]
    assert smith.sentence == (
        "Smith -> John Smith: part of its name; all the support is from John Smith (a longer name of it); Smith (trade) is "
        "more popular but is not what the other names mean."
    )
    assert [(each.text, each.reasons[0].type) for each in whole.support] == [("Smith", SAME)]
    assert "Big Red (the same entity)" in explain_names(paris_kb, "Red River", "Big Red")[0].sentence


def test_an_alias_and_a_part_of_a_name(paris_kb: KB) -> None:
    light, part = explain_names(paris_kb, "City of Light", "Lamar")
    assert light.sentence.startswith("City of Light -> Paris: also called City of Light, the only candidate;")
    assert part.sentence.startswith("Lamar -> Lamar County: part of its name, the only candidate;")
    assert part.best
    assert (part.best.match_type, part.best.matched_name) == ("contains all words", "Lamar County")


def test_candidates_the_document_gives(paris_kb: KB) -> None:
    document = {"mentions": [{"text": "the capital", "candidates": ["fr", "texas", "nobody"]}]}
    found = explainer_of(paris_kb, document).explain(0)
    assert found.best
    assert found.best.match_type == GIVEN
    assert found.sentence.startswith("the capital -> Paris: given by the document, the most popular of 2 candidates;")


def test_line_breaks_and_control_characters_stay_out_of_the_sentence(paris_kb: KB) -> None:
    assert explain_names(paris_kb, "Red\n\x1bRiver", "Texas")[0].sentence.startswith(
        "Red River -> Red River (river): exact name"
    )


def test_equal_candidates(paris_kb: KB) -> None:
    ranker = ranker_by_hand(**dict.fromkeys(WEIGHTS, 0.0))
    found = explain_names(paris_kb, "Paris", "Texas", ranker=ranker, threshold=0.0)[0]
    assert (found.shares, found.against, found.support) == ({}, {}, ())
    assert "nothing in the document supports it" in found.sentence


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        ("http://example.org/capital_of", "capital of"), ("http://example.org/onto#partOf", "part of"), ("part_of", "part of"),
        ("wdt:P131", "P131"), ("link", "linked"), ("Part of", "part of"), ("kind of/sort of", "kind of/sort of"),
    ],
)  # fmt: skip
def test_relations_are_readable(relation: str, words: str) -> None:
    assert readable(relation) == words


def test_every_way_to_match_has_words(paris_kb: KB) -> None:
    (found,) = explain_names(paris_kb, "Paris")
    assert found.best
    best = found.best
    said = [in_words(replace(found, best=replace(best, match_type=match_type))) for match_type in MATCH_TYPES.values()]
    assert len(set(said)) == len(MATCH_TYPES)


def test_the_ranker_of_the_kb_is_used(paris_kb: KB) -> None:
    assert ranker_of(paris_kb, None).threshold == 0.41


def test_what_nearly_all_share_is_no_reason(tmp_path: Path) -> None:
    skos = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://e.org/> .\n"
    concepts = [f':c{i} a skos:Concept ; skos:prefLabel "concept {i}" ; skos:topConceptOf :all' for i in range(60)]
    concepts = [f"{concept} ; skos:broader :root , :g{i % 6} ." for i, concept in enumerate(concepts)]
    named = [f':{name} a skos:Concept ; skos:prefLabel "{name}" .' for name in ("root", *(f"g{i}" for i in range(6)))]
    scheme = ':all a skos:ConceptScheme ; skos:prefLabel "All of it" .'
    (tmp_path / "kg.ttl").write_text("\n".join([skos, scheme, *named, *concepts]), encoding="utf-8")
    kb = build_untrained([tmp_path / "kg.ttl"], tmp_path / "my.kb")
    shared = [kb.index_of(f"http://e.org/{name}") for name in ("all", "root", "g0")]
    assert _is_informative(FeatureContext(kb, None), np.array(shared)).tolist() == [False, False, True]


def test_reasons_are_the_same_alone_and_among_others(demo_kb: KB, demo_records: list[dict[str, Any]]) -> None:
    linker = Linker(demo_kb, explain=True)
    together = [linked.to_dict() for linked in linker.link_batch([*demo_records, *reversed(demo_records)])]
    alone = [linker.link(record).to_dict() for record in demo_records]
    assert together == [*alone, *reversed(alone)]
