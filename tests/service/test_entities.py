"""GET /candidates, /search and /entity."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest
from helpers.kbs import DEMO, build_from_records
from helpers.serving import Client, MakeClient

from eigenthemes import KB, Linker
from eigenthemes.names.entity_card import entity_card
from eigenthemes.service.entity_routes import suggest
from eigenthemes.service.served import ServedKBs


def found(client: Client, q: str, **more: str) -> list[str]:
    """The labels that a search finds."""
    answer = client.get("/search", params={"q": q, **more})
    assert answer.status_code == 200, answer.text
    return [entity["label"] for entity in answer.json()]


def test_candidates_are_those_of_the_library(client: Client, demo_linker: Linker) -> None:
    expected = [candidate.to_dict() for candidate in demo_linker.batches.generator.records("Micheal Jordan")]
    assert client.get("/candidates?q=Micheal Jordan").json() == expected
    assert client.get("/candidates?q=Micheal Jordan&top=1").json() == expected[:1]
    assert client.get("/candidates?q=").json() == []


def test_a_search_finds_beginnings(client: Client) -> None:
    assert "Michael I. Jordan" in found(client, "michael jo")
    assert found(client, "And")[0] == "Andrew Ng"
    assert found(client, " ") == []
    assert len(found(client, "m", top="2")) == 2


def test_a_search_forgives_a_slip(client: Client) -> None:
    assert "Andrew Ng" in found(client, "Andrw")
    assert "Andrew Ng" in found(client, "Anrdew N")
    assert "Michael I. Jordan" in found(client, "Michel")


@pytest.mark.parametrize("typed", ["shaq", "Shaquile", "Shaqille O", "shaqui", "Shquille", "Shaquikle"])
def test_one_letter_may_be_wrong_while_somebody_types(tiny: KB, degree_linker: Linker, typed: str) -> None:
    assert suggest(tiny, degree_linker.batches.generator, typed)[0]["label"] == "Shaquille O'Neill"


def test_whole_names_come_first(tmp_path: Path) -> None:
    kb = build_from_records(
        tmp_path,
        [{"id": "a", "name": "Yorkshire", "prior": 9}, {"id": "b", "name": "York", "prior": 1}],
        [("a", "c"), ("a", "d")],
    )
    generator = Linker(kb, method="degree").batches.generator
    assert [each["id"] for each in suggest(kb, generator, "york")] == ["b", "a"]


def test_a_search_can_be_of_one_type(client: Client, served: ServedKBs) -> None:
    kb = served.get().kb
    for answer in client.get("/search", params={"q": "m", "type": "person", "top": 50}).json():
        assert kb.of_types(["person"])[kb.index_of(answer["id"])]
    assert client.get("/search?q=m&type=no-such").status_code == 422


def test_a_suggestion_says_which_name_matched(tiny: KB, degree_linker: Linker) -> None:
    (first, *_) = suggest(tiny, degree_linker.batches.generator, "air j")
    assert (first["id"], first["matched_name"]) == ("mj", "Air Jordan")


@pytest.mark.parametrize("path", ["/search", "/candidates", "/search?q=a&limit=3", f"/search?q={'a' * 1001}", "/entity"])
def test_what_is_missing_or_too_much_is_told(client: Client, path: str) -> None:
    assert client.get(path).status_code == 422


def test_an_entity_is_told_as_show_does(client: Client, demo_kb: KB) -> None:
    entity_id = DEMO + "andrew_ng"
    expected = json.loads(json.dumps(entity_card(demo_kb, entity_id).to_dict()))
    assert client.get("/entity", params={"id": entity_id}).json() == expected
    assert client.get(f"/entity/{entity_id}").json() == expected
    assert client.get(f"/entity/{quote(entity_id, safe='')}").json() == expected
    assert expected["neighbors"][0]["count"] >= len(expected["neighbors"][0]["entities"])


def test_neighbors_are_capped(client: Client) -> None:
    card = client.get("/entity", params={"id": DEMO + "michael_i_jordan", "neighbors": 1}).json()
    assert all(len(related["entities"]) == 1 for related in card["neighbors"])


def test_a_name_is_no_id(client: Client) -> None:
    assert client.get("/entity/Andrew Ng").status_code == 404


def test_several_kbs_are_asked_by_name(demo_kb: KB, tiny: KB, make_client: MakeClient) -> None:
    client = make_client(ServedKBs.open([demo_kb.path, tiny.path]))
    assert [kb["name"] for kb in client.get("/info").json()["kbs"]] == ["demo", "tiny"]
    assert client.get("/entity?id=mj&kb=tiny").json()["label"] == "Michael Jordan"
    assert client.get("/entity?id=mj").status_code == 404
    assert client.post("/link?kb=tiny", json={"mentions": [{"text": "al-Qaeda"}]}).json()["mentions"][0]["entity"] == "qaeda"
