"""Queries -> candidates: names, types, limits, and which rows support each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.kbs import build_from_records
from helpers.reconciling import build_atlas, ids, reconcile
from helpers.shared_builds import build_once

from eigenthemes import KB, Linker
from eigenthemes.service.reconcile.queries import parse_batch
from eigenthemes.service.reconcile.reconciler import Reconciler, join_preferred


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> KB:
    return KB.open(build_once(tmp_path_factory, "atlas", build_atlas) / "atlas.kb")


def test_a_name_alone_is_its_most_popular_entity_with_its_record_and_a_score_of_100(atlas: KB) -> None:
    best = reconcile(atlas, {"q0": {"query": "France"}})["q0"]["result"][0]

    assert (best["id"], best["name"], best["type"]) == ("france", "France", [{"id": "Country", "name": "Country"}])
    assert best["match"] is True
    assert 80 < best["score"] <= 100
    assert all(isinstance(feature["value"], float) for feature in best["features"])
    assert {"covered", "log_prior", "edges"} <= {feature["id"] for feature in best["features"]}


def test_scores_are_the_probabilities_of_the_linker_and_only_the_best_is_a_match(atlas: KB) -> None:
    answer = reconcile(atlas, {"q0": {"query": "Dallas"}, "q1": {"query": "Paris"}})
    linker = Linker(atlas)
    linked = linker.link({"mentions": [{"text": "Dallas"}, {"text": "Paris"}]})

    for key, link in zip(("q0", "q1"), linked.links, strict=True):
        result = answer[key]["result"]
        assert [(each["id"], each["score"]) for each in result[:3]] == [
            (each.id, pytest.approx(100 * each.score, abs=0.006)) for each in link.ranking
        ]
        is_sure = link.ranking[0].score >= linker.threshold
        assert [each["match"] for each in result] == [is_sure, *[False] * (len(result) - 1)]


def test_what_the_linker_would_not_link_is_shown_and_is_no_match(atlas: KB) -> None:
    unsure = Reconciler(Linker(atlas, threshold=1.0)).answer(parse_batch({"q0": {"query": "Paris"}}))["q0"]

    assert len(unsure["result"]) == 3
    assert not any(each["match"] for each in unsure["result"])


def test_rows_of_a_column_support_each_other_unless_told_otherwise(atlas: KB) -> None:
    column = {"q0": {"query": "Paris"}, "q1": {"query": "Lamar County"}, "q2": {"query": "Texas"}, "q3": {"query": "Dallas"}}

    assert ids(reconcile(atlas, column)["q0"])[0] == "tx"
    assert ids(reconcile(atlas, column, context="row")["q0"])[0] == "fr"
    assert ids(reconcile(atlas, column, context="none")["q0"])[0] == "fr"


def with_state(state: Any) -> dict[str, Any]:
    return {"query": "Paris", "properties": [{"pid": "part_of", "v": state}]}


@pytest.mark.parametrize("context", ["column", "row"])
def test_the_properties_of_a_row_support_its_cell_and_no_other(atlas: KB, context: str) -> None:
    rows = {
        "a": with_state("Texas"),
        "b": with_state("Kentucky"),
        "c": with_state(["Kentucky", 1792, True]),
        "d": {"query": "Paris"},
    }
    answer = reconcile(atlas, rows, context=context)

    assert [ids(answer[key])[0] for key in "abcd"] == ["tx", "ky", "ky", "fr"]


def test_without_context_properties_count_for_nothing(atlas: KB) -> None:
    answer = reconcile(atlas, {"a": with_state("Texas")}, context="none")

    assert answer == reconcile(atlas, {"a": {"query": "Paris"}}, context="none")


def test_a_property_that_is_matched_already_is_that_entity_whatever_it_is_called(atlas: KB) -> None:
    rows = {"a": with_state({"id": "kentucky", "name": "the Bluegrass State"}), "b": with_state([{"id": "texas"}])}
    answer = reconcile(atlas, rows)

    assert [ids(answer[key])[0] for key in "ab"] == ["ky", "tx"]


def test_a_property_of_an_unknown_entity_is_its_name(atlas: KB) -> None:
    rows = {"a": with_state({"id": "Q1603", "name": "Kentucky"}), "b": with_state({"id": "Q0"})}
    answer = reconcile(atlas, rows)

    assert [ids(answer[key])[0] for key in "ab"] == ["ky", "fr"]


def test_a_type_leaves_only_entities_of_it(atlas: KB) -> None:
    rows = {
        "capital": {"query": "Paris", "type": "Capital"},
        "by label": {"query": "Paris", "type": "capital", "type_strict": "should"},
        "country": {"query": "Paris", "type": "Country"},
        "one of two": {"query": "Paris", "type": ["Country", "City"]},
        "both": {"query": "Paris", "type": ["City", "Capital"], "type_strict": "all"},
        "none": {"query": "Paris", "type": ""},
    }
    answer = reconcile(atlas, rows)

    assert {key: sorted(ids(answer[key])) for key in rows} == {
        "capital": ["fr"],
        "by label": ["fr"],
        "country": [],
        "one of two": ["fr", "ky", "tx"],
        "both": ["fr"],
        "none": ["fr", "ky", "tx"],
    }


def test_a_type_that_no_entity_has_leaves_nothing_and_says_so(atlas: KB) -> None:
    answer = reconcile(atlas, {"a": {"query": "Paris", "type": "Cityy"}, "b": {"query": "Paris"}})

    assert answer["a"] == {"result": [], "error": "no entity is of the type Cityy; the nearest that there is: City"}
    assert len(answer["b"]["result"]) == 3


def test_a_type_that_is_only_preferred_shows_others_where_there_is_none_of_it_and_matches_none(atlas: KB) -> None:
    rows = {
        "of it": {"query": "Paris", "type": "Capital", "type_strict": "should"},
        "others": {"query": "Dallas", "type": "Capital", "type_strict": "should"},
        "unknown": {"query": "Dallas", "type": "Cityy", "type_strict": "should"},
    }
    answer = reconcile(atlas, rows)

    assert {key: ids(answer[key]) for key in rows} == {"of it": ["fr"], "others": ["dallas"], "unknown": ["dallas"]}
    assert [answer[key]["result"][0]["match"] for key in rows] == [True, False, False]
    assert answer["unknown"]["error"].endswith("the nearest that there is: City")


def test_a_type_that_is_only_preferred_is_doubted_where_another_entity_is_clearly_likelier(atlas: KB) -> None:
    texas = {"b": {"query": "Lamar County"}, "c": {"query": "Texas"}, "d": {"query": "Dallas"}}
    demanded = reconcile(atlas, {"a": {"query": "Paris", "type": "Capital"}})["a"]
    preferred = {"query": "Paris", "type": "Capital", "type_strict": "should", "properties": [{"pid": "part_of", "v": "Texas"}]}
    doubted = reconcile(atlas, {"a": preferred, **texas})["a"]

    assert [(each["id"], each["match"]) for each in demanded["result"]] == [("fr", True)]
    assert [(each["id"], each["match"]) for each in doubted["result"]] == [("tx", False), ("fr", False)]


def test_a_type_that_is_only_preferred_is_believed_where_other_names_of_the_batch_are_of_it() -> None:
    def answer(*candidates: tuple[str, float]) -> dict[str, Any]:
        return {"result": [{"id": each, "score": score, "match": score > 50} for each, score in candidates]}

    typed = {"georgia": answer(("state", 90.0)), "texas": answer(("texas", 95.0)), "iowa": answer(("iowa", 95.0))}
    untyped = {**typed, "georgia": answer(("country", 60.0), ("state", 35.0))}
    limits = dict.fromkeys(typed, 5)
    alone = join_preferred({"georgia": typed["georgia"]}, {"georgia": untyped["georgia"]}, limits)

    assert join_preferred(typed, untyped, limits) == typed
    assert [(each["id"], each["match"]) for each in alone["georgia"]["result"]] == [("country", False), ("state", False)]


def test_a_typed_row_is_supported_by_values_of_other_types(atlas: KB) -> None:
    assert ids(reconcile(atlas, {"a": {**with_state("Kentucky"), "type": "City"}})["a"])[0] == "ky"


@pytest.mark.parametrize(("limit", "shown"), [(1, 1), (2, 2), (2.7, 2), (0, 3), (-1, 3), (1e9, 3), (None, 3)])
def test_a_limit_is_what_is_shown_at_most_and_none_below_one(atlas: KB, limit: float | None, shown: int) -> None:
    assert len(reconcile(atlas, {"a": {"query": "Paris", "limit": limit}})["a"]["result"]) == shown


def test_rows_of_one_batch_may_want_different_numbers(atlas: KB) -> None:
    answer = reconcile(atlas, {"a": {"query": "Paris", "limit": 1}, "b": {"query": "Paris"}})

    assert answer["a"]["result"] == answer["b"]["result"][:1]
    assert len(answer["b"]["result"]) == 3


@pytest.mark.parametrize("name", ["", "  ", "x" * 10_000, "Paris " * 2_000, "\x00", "🏙️", "...", "nothing like it"])
def test_what_names_nothing_has_no_candidates(atlas: KB, name: str) -> None:
    assert reconcile(atlas, {"a": {"query": name}})["a"] == {"result": []}


@pytest.mark.parametrize("name", ["باريس", "🗼 Paris", "  PARIS\n", "Pariss"])
def test_names_are_found_in_any_script_with_emoji_and_slips(atlas: KB, name: str) -> None:
    assert "fr" in ids(reconcile(atlas, {"a": {"query": name}})["a"])


@pytest.mark.parametrize("context", ["column", "row", "none"])
def test_a_name_behind_a_comma_tells_namesakes_apart(atlas: KB, context: str) -> None:
    names = [
        "Paris, Kentucky",
        "Paris, Texas",
        "Paris, Lamar County, Texas",
        "Paris, France",
        "Paris",
        "Light, City of",
        "Paris,",
    ]
    answer = reconcile(atlas, {name: {"query": name} for name in names}, context=context)

    found = {name: ids(answer[name])[0] for name in names}
    assert found.pop("Paris") == found.pop("Paris,")
    assert list(found.values()) == ["ky", "tx", "tx", "fr", "fr"]


def test_an_id_in_place_of_a_name_is_its_entity_unless_it_is_mere_digits(tmp_path: Path) -> None:
    nodes = [{"id": "Q90", "name": "Paris"}, {"id": "75001", "name": "Louvre"}, {"id": "Texas", "name": "Dallas"}]
    kb = build_from_records(tmp_path, [*nodes, {"id": "Q1439", "name": "Texas"}], [("Q90", "75001"), ("Texas", "Q1439")])
    names = ["Q90", "75001", "Texas", "Q91"]
    answer = reconcile(kb, {name: {"query": name} for name in names})

    assert [[(each["id"], each["match"]) for each in answer[name]["result"]] for name in names] == [
        [("Q90", True)],
        [("75001", False)],
        [("Q1439", False)],  # a name comes first; this KB has no ranker, so that it is no match
        [],
    ]


def test_a_batch_without_queries_has_no_answers(atlas: KB) -> None:
    assert reconcile(atlas, {}) == {}


def test_a_row_is_answered_alike_wherever_it_stands_in_its_batch(atlas: KB) -> None:
    rows = {key: {"query": name} for key, name in zip("abcde", ["Paris", "Texas", "Paris", "Frankfort", "Paris"], strict=True)}
    answer = reconcile(atlas, rows)

    assert answer["a"] == answer["c"] == answer["e"]
    assert answer == reconcile(atlas, dict(reversed(rows.items())))


def test_methods_without_probabilities_rank_and_match_nothing(atlas: KB) -> None:
    result = reconcile(atlas, {"a": {"query": "Paris"}}, method="degree")["a"]["result"]

    assert len(result) == 3
    assert not any(each["match"] for each in result)
    assert all(each["features"] == [] for each in result)
