"""The routes of reconciliation: every way of asking, hostile input, pages and other origins."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from helpers.kbs import copy_kb
from helpers.reconciling import EVIL, build_atlas, ids
from helpers.serving import Client, MakeClient
from helpers.shared_builds import build_once

from eigenthemes import KB
from eigenthemes.service.served import ServedKBs

ROOT = "/reconcile/atlas"
OPENREFINE = {"Origin": "http://127.0.0.1:3333"}
PARIS = {"q0": {"query": "Paris", "limit": 1}}


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> ServedKBs:
    return ServedKBs.open([build_once(tmp_path_factory, "atlas", build_atlas) / "atlas.kb"])


@pytest.fixture
def client(atlas: ServedKBs, make_client: MakeClient) -> Client:
    return make_client(atlas)


def form(client: Client, **fields: Any) -> httpx.Response:
    """Send fields as OpenRefine does: a form whose fields are JSON."""
    return client.post(ROOT, data={name: json.dumps(value) for name, value in fields.items()})


# every way of asking


def test_a_batch_may_come_as_a_form_as_json_or_in_the_url(client: Client) -> None:
    answers = [
        form(client, queries=PARIS),
        client.get(ROOT, params={"queries": json.dumps(PARIS)}),
        client.post(ROOT, json={"queries": PARIS}),
        client.post(ROOT, json=PARIS),
        client.post(ROOT, params={"queries": json.dumps(PARIS)}),
    ]

    assert [answer.status_code for answer in answers] == [200] * 5
    assert all(answer.json() == answers[0].json() for answer in answers)
    assert ids(answers[0].json()["q0"]) == ["fr"]


def test_one_query_may_come_by_itself(client: Client) -> None:
    expected = form(client, queries=PARIS).json()["q0"]

    assert form(client, query=PARIS["q0"]).json() == expected
    assert client.get(ROOT, params={"query": json.dumps(PARIS["q0"])}).json() == expected
    assert ids(client.get(ROOT, params={"query": "Dallas"}).json()) == ["dallas"]
    assert ids(client.post(ROOT, json={"query": "Dallas"}).json()) == ["dallas"]
    assert client.post(ROOT, json=PARIS["q0"]).json() == client.post(ROOT, json={"query": PARIS["q0"]}).json() == expected


def test_extension_may_come_every_way_too(client: Client) -> None:
    query = {"ids": ["tx"], "properties": [{"id": "part_of"}]}
    answers = [
        form(client, extend=query),
        client.get(ROOT, params={"extend": json.dumps(query)}),
        client.post(ROOT, json={"extend": query}),
    ]

    for answer in answers:
        assert [each["id"] for each in answer.json()["rows"]["tx"]["part_of"]] == ["texas", "lamar"]


def test_the_context_may_be_chosen_in_the_url(client: Client) -> None:
    column = {key: {"query": name} for key, name in zip("abc", ["Paris", "Lamar County", "Texas"], strict=True)}

    best = {
        context: ids(client.post(f"{ROOT}?context={context}", data={"queries": json.dumps(column)}).json()["a"])[0]
        for context in ("column", "row", "none")
    }
    assert best == {"column": "tx", "row": "fr", "none": "fr"}
    refused = client.post(f"{ROOT}?context=table", data={"queries": json.dumps(column)})
    assert (refused.status_code, refused.json()["where"]) == (422, "context")


def test_the_context_of_the_settings_is_that_of_urls_that_say_nothing(atlas: ServedKBs, make_client: MakeClient) -> None:
    column = {key: {"query": name} for key, name in zip("abc", ["Paris", "Lamar County", "Texas"], strict=True)}

    assert ids(form(make_client(atlas, context="none"), queries=column).json()["a"])[0] == "fr"


def test_each_kb_has_its_own_place_and_the_first_the_shortest(
    atlas: ServedKBs, make_client: MakeClient, tmp_path: Path
) -> None:
    path = atlas.get().path
    copy_kb(KB.open(path), tmp_path / "second atlas.kb")
    client = make_client(ServedKBs.open([path, tmp_path / "second atlas.kb"]))

    assert client.get("/reconcile").json()["name"] == "atlas (eigenthemes)"
    second = client.get("/reconcile/second-atlas").json()
    assert second["name"] == "second-atlas (eigenthemes)"
    assert second["view"]["url"] == "http://localhost/reconcile/second-atlas/view?id={{id}}"
    assert client.get("/reconcile/third").status_code == 404


# what cannot be asked


@pytest.mark.parametrize(
    ("queries", "where"),
    [
        ([], "queries"),
        ("Paris", "queries"),
        (5, "queries"),
        (None, "queries"),
        ({"q0": "Paris"}, "q0"),
        ({"q0": None}, "q0"),
        ({"q0": {"query": 5}}, "q0.query"),
        ({"q0": {"query": {"query": "Paris"}}}, "q0.query"),
        ({"q0": {"query": "Paris", "limit": "many"}}, "q0.limit"),
        ({"q0": {"query": "Paris", "limit": True}}, "q0.limit"),
        ({"q0": {"query": "Paris", "type": {"id": "City"}}}, "q0.type[0]"),
        ({"q0": {"query": "Paris", "type": ["City", 3]}}, "q0.type[1]"),
        ({"q0": {"query": "Paris", "type_strict": "maybe"}}, "q0.type_strict"),
        ({"q0": {"query": "Paris", "type_strict": ["any"]}}, "q0.type_strict"),
        ({"q0": {"query": "Paris", "properties": {"pid": "x", "v": 1}}}, "q0.properties"),
        ({"q0": {"query": "Paris", "properties": [["x", 1]]}}, "q0.properties[0]"),
        ({"q0": {"query": "Paris", "properties": [{"pid": 7, "v": 1}]}}, "q0.properties[0].pid"),
        ({"q0": {"query": "Paris", "properties": [{"pid": "x"}]}}, "q0.properties[0].v"),
        ({"q0": {"query": "Paris", "properties": [{"pid": "x", "v": {"name": "no id"}}]}}, "q0.properties[0].v"),
        ({"q0": {"query": "Paris", "properties": [{"pid": "x", "v": [["deep"]]}]}}, "q0.properties[0].v"),
        ({"q0": {"query": "Paris", EVIL: 1}}, f"q0.{EVIL}"),
    ],
)
def test_wrong_queries_are_refused_with_the_place_of_what_is_wrong(client: Client, queries: Any, where: str) -> None:
    response = form(client, queries=queries)

    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["where"] == where


@pytest.mark.parametrize("extend", [[], {}, {"ids": ["tx"]}, {"ids": [1], "properties": []}, {"ids": [], "properties": [{}]}])
def test_wrong_extensions_are_refused(client: Client, extend: Any) -> None:
    response = form(client, extend=extend)

    assert (response.status_code, response.json()["code"]) == (422, "extend")


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"queries={", "application/x-www-form-urlencoded", 400),
        (b"queries=%FF%FE", "application/x-www-form-urlencoded", 400),
        (b"\xff\xfe", "application/x-www-form-urlencoded", 400),
        (b"queries=" + b"[" * 5_000, "application/x-www-form-urlencoded", 400),
        (b'{"q0": ', "application/json", 400),
        (b'{"q0": {"query": "\\ud800"}}', "application/json", 400),
        (b'{"q0": {"query": "Paris", "limit": NaN}}', "application/json", 400),
        (b"--x\r\n\r\n--x--", "multipart/form-data; boundary=x", 415),
        (b"<xml/>", "text/xml", 415),
        (b"&".join(b"a=%d" % i for i in range(1_000)), "application/x-www-form-urlencoded", 400),
    ],
)
def test_bodies_that_cannot_be_read_are_refused(client: Client, content: bytes, kind: str, status: int) -> None:
    response = client.post(ROOT, content=content, headers={"Content-Type": kind})

    assert response.status_code == status
    assert response.json()["detail"]


def test_too_many_at_once_are_refused_before_they_are_looked_at(client: Client) -> None:
    many = form(client, queries={f"q{i}": {"query": "Paris"} for i in range(10_000)})
    ids_ = form(client, extend={"ids": ["tx"] * 10_000, "properties": [{"id": "part_of"}]})

    for response, where in ((many, "queries"), (ids_, "ids")):
        assert (response.status_code, response.json()["code"], response.json()["where"]) == (413, "batch-too-large", where)
        assert "10,000" in response.json()["detail"]


def test_jsonp_which_any_page_could_read_is_refused(client: Client) -> None:
    response = client.get(ROOT, params={"callback": "f"})

    assert (response.status_code, response.json()["code"]) == (400, "jsonp")


# extension


def test_extension_gives_values_counts_and_what_the_kb_says_itself(client: Client) -> None:
    properties = [
        {"id": "part_of", "settings": {"limit": "1"}},
        {"id": "^part_of", "settings": {"limit": 0}},
        {"id": "^capital_of", "settings": {"count": True}},
        {"id": "entity:description"},
        {"id": "entity:types"},
    ]
    answer = form(client, extend={"ids": ["fr", "texas"], "properties": properties}).json()

    paris, texas = answer["rows"]["fr"], answer["rows"]["texas"]
    assert [each["name"] for each in answer["meta"]] == [
        "part of",
        "part of (reversed)",
        "capital of (reversed)",
        "description",
        "types",
    ]
    assert paris["part_of"] == [{"id": "france", "name": "France"}]
    assert paris["entity:types"] == [{"str": "Capital"}, {"str": "City"}] or paris["entity:types"] == [
        {"str": "City"},
        {"str": "Capital"},
    ]
    assert texas["^part_of"] == [
        {"id": "dallas", "name": "Dallas"},
        {"id": "tx", "name": "Paris", "description": "city in Texas"},
        {"id": "lamar", "name": "Lamar County"},
    ]
    assert texas["^capital_of"] == [{"int": 0}]
    assert texas["entity:description"] == [{"str": "state"}]


def test_a_pair_with_several_relations_has_all_of_them(client: Client) -> None:
    answer = form(client, extend={"ids": ["frankfort"], "properties": [{"id": "capital_of"}, {"id": "part_of"}]}).json()

    assert [answer["rows"]["frankfort"][each][0]["id"] for each in ("capital_of", "part_of")] == ["kentucky", "kentucky"]


def test_properties_are_proposed_that_entities_of_the_type_have(client: Client) -> None:
    def relations(query: str) -> list[str]:
        proposed = client.get(f"{ROOT}/properties{query}").json()["properties"]
        return [each["id"] for each in proposed if not each["id"].startswith("entity:")]

    assert relations("?type=City") == ["part_of", "capital_of"]
    assert relations("?type=State")[0] == "^part_of"
    assert set(relations("")) == {"part_of", "^part_of", "capital_of", "^capital_of", EVIL, f"^{EVIL}"}
    assert len(client.get(f"{ROOT}/properties?limit=2").json()["properties"]) == 2


# suggestions


def suggested(client: Client, kind: str, **params: Any) -> list[str]:
    return [each["id"] for each in client.get(f"{ROOT}/suggest/{kind}", params=params).json()["result"]]


def test_entities_are_suggested_by_the_beginning_of_a_name_a_slip_or_their_id(client: Client) -> None:
    assert suggested(client, "entity", prefix="par")[:3] == ["fr", "tx", "ky"]
    assert "frankfort" in suggested(client, "entity", prefix="Frankfrot")
    assert suggested(client, "entity", prefix="http://example.org/onto#C1") == ["http://example.org/onto#C1"]
    assert suggested(client, "entity", prefix="par", cursor=2)[0] == "ky"
    assert suggested(client, "entity", prefix="par", cursor="-1; DROP") == suggested(client, "entity", prefix="par")
    assert suggested(client, "entity", prefix="par", cursor=10**8) == []


def test_types_and_properties_are_suggested_by_the_beginning_of_a_word_or_a_slip(client: Client) -> None:
    assert suggested(client, "type", prefix="c") == ["City", "Capital", "County", "Country"]
    assert suggested(client, "type", prefix="Cuntry")[0] == "Country"
    assert suggested(client, "property", prefix="part") == ["part_of", "^part_of"]
    assert suggested(client, "property", prefix="") != []


def test_there_is_nothing_else_to_suggest(client: Client) -> None:
    assert client.get(f"{ROOT}/suggest/everything").status_code == 404


# pages


def test_a_preview_tells_what_the_entity_is_and_why_it_was_a_candidate(atlas: ServedKBs, make_client: MakeClient) -> None:
    client = make_client(atlas)
    alone = client.get(f"{ROOT}/preview?id=ky").text
    form(client, queries={"a": {"query": "Paris", "properties": [{"pid": "part_of", "v": "Kentucky"}]}})
    asked = client.get(f"{ROOT}/preview?id=ky").text

    for page in (alone, asked):
        assert "city in Kentucky" in page
        assert "part of" in page
    assert "By its name alone" in alone
    assert "Kentucky (part of)" in asked


def test_a_preview_of_a_candidate_that_was_not_the_best_tells_its_own_chance(atlas: ServedKBs, make_client: MakeClient) -> None:
    client = make_client(atlas)
    answer = form(client, queries={"a": {"query": "Paris"}}).json()["a"]["result"]
    page = client.get(f"{ROOT}/preview?id=tx").text

    chance = next(each["score"] for each in answer if each["id"] == "tx")
    assert f"This one has {chance / 100:.0%}." in page


@pytest.mark.parametrize("part", ["preview", "view", "flyout/entity", "flyout/type"])
def test_what_a_kg_says_is_never_html(client: Client, part: str) -> None:
    given = EVIL if part.endswith("type") else "evil"
    response = client.get(f"{ROOT}/{part}?id={quote(given)}")
    text = response.json()["html"] if part.startswith("flyout") else response.text

    assert "&lt;script&gt;" in text
    assert EVIL not in text
    assert len(re.findall("<script", text)) == (0 if part.startswith("flyout") else 1)


def test_pages_allow_only_their_own_style_and_script(client: Client) -> None:
    headers = client.get(f"{ROOT}/view?id=fr").headers

    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    assert "frame-ancestors 'self' http://127.0.0.1:* http://localhost:*" in policy
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("entity_id", ["http://example.org/onto#C1", "a&b=c+d"])
@pytest.mark.parametrize("encoded", [True, False])
def test_ids_that_are_no_good_to_urls_are_found_however_they_are_encoded(client: Client, entity_id: str, encoded: bool) -> None:
    name = {"http://example.org/onto#C1": "Hashtown", "a&b=c+d": "Ampersandville"}[entity_id]
    written = quote(entity_id, safe="") if encoded else entity_id.replace("#", "%23")

    assert name in client.get(f"{ROOT}/view?id={written}").text
    assert name in client.get(f"{ROOT}/view?token=x&id={written}").text
    assert client.get(f"{ROOT}/flyout/entity?id={written}").json()["html"]


def test_an_unknown_id_is_a_page_too_and_one_that_asks_again_with_what_is_behind_the_hash(client: Client) -> None:
    response = client.get(f"{ROOT}/view?id=http://example.org/onto")

    assert response.status_code == 404
    assert "location.hash" in response.text
    assert client.get(f"{ROOT}/view").status_code == 404


def test_a_view_leads_to_neighbours_and_namesakes(client: Client) -> None:
    page = client.get(f"{ROOT}/view?id=tx").text

    links = re.findall(r'href="http://localhost([^"]+)"', page)
    assert {f"{ROOT}/view?id={each}" for each in ("texas", "lamar", "fr", "ky")} == set(links)


# other origins


def test_openrefine_on_this_machine_may_read_answers_errors_too(client: Client) -> None:
    for response in (
        client.get(ROOT, headers=OPENREFINE),
        client.post(ROOT, data={"queries": "{"}, headers=OPENREFINE),
        client.get(f"{ROOT}/suggest/entity?prefix=par", headers=OPENREFINE),
        client.request("OPTIONS", ROOT, headers=OPENREFINE),
    ):
        assert response.headers["access-control-allow-origin"] == "http://127.0.0.1:3333"
        assert "Origin" in response.headers["vary"]


@pytest.mark.parametrize("origin", ["https://example.org", "null", "http://127.0.0.1.example.org", "http://[", "file://"])
def test_pages_from_elsewhere_may_neither_ask_nor_read(client: Client, origin: str) -> None:
    response = client.post(ROOT, data={"queries": json.dumps(PARIS)}, headers={"Origin": origin})

    assert (response.status_code, response.json()["code"]) == (403, "origin")
    assert "access-control-allow-origin" not in response.headers


def test_with_a_token_any_page_may_that_knows_it_and_every_url_of_the_manifest_has_it(
    atlas: ServedKBs, make_client: MakeClient
) -> None:
    client = make_client(atlas, token="s3cr&t")
    elsewhere = {"Origin": "https://example.org"}
    response = client.get("/reconcile?token=s3cr%26t", headers=elsewhere)
    manifest = response.json()

    assert response.headers["access-control-allow-origin"] == "*"
    for url in (manifest["view"]["url"], manifest["preview"]["url"]):
        assert url.endswith("?token=s3cr%26t&id={{id}}")
        assert client.get(url.replace("{{id}}", "fr")).status_code == 200
    for each in manifest["suggest"].values():
        assert each["service_path"].endswith("?token=s3cr%26t")
        assert "token=s3cr%26t&id=${id}" in each["flyout_service_path"]
    proposals = manifest["extend"]["propose_properties"]
    url = proposals["service_url"] + proposals["service_path"] + "?type=City"  # as OpenRefine puts it together
    assert [each["id"] for each in client.get(url).json()["properties"]][:2] == ["part_of", "capital_of"]
    links = re.findall(r'href="([^"]+)"', client.get(manifest["view"]["url"].replace("{{id}}", "tx")).text)
    assert links
    assert all("token=s3cr%26t" in link for link in links)


def test_the_token_is_not_told_to_who_did_not_bring_it_in_the_url(atlas: ServedKBs, make_client: MakeClient) -> None:
    client = make_client(atlas, token="secret")
    response = client.get("/reconcile", headers={"Authorization": "Bearer secret"})

    assert response.status_code == 200
    assert "secret" not in response.text
