"""The protocol's own schemas and examples: what it allows is answered, what it forbids is refused, answers are as it says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.reconciling import build_atlas, examples, is_valid
from helpers.serving import Client, MakeClient
from helpers.shared_builds import build_once

from eigenthemes.service.served import ServedKBs

ROOT = "/reconcile/atlas"


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> ServedKBs:
    return ServedKBs.open([build_once(tmp_path_factory, "atlas", build_atlas) / "atlas.kb"])


@pytest.fixture
def client(atlas: ServedKBs, make_client: MakeClient) -> Client:
    return make_client(atlas)


def test_the_schemas_tell_valid_from_invalid_here_as_well() -> None:
    kinds = ("manifest", "reconciliation-query-batch", "reconciliation-result-batch", "data-extension-response")
    for kind in kinds:
        assert all(is_valid(kind, record) for record in examples(kind, "valid").values()), kind
        invalid = examples(kind, "invalid")
        assert invalid
        if kind != "manifest":  # some of those break the schema of OpenAPI, which is not followed here
            assert not any(is_valid(kind, record) for record in invalid.values()), kind


def test_valid_batches_are_answered_key_by_key(client: Client) -> None:
    for name, batch in examples("reconciliation-query-batch", "valid").items():
        response = client.post(ROOT, data={"queries": json.dumps(batch)})
        assert response.status_code == 200, name
        assert response.json().keys() == batch.keys()
        assert is_valid("reconciliation-result-batch", response.json())


def test_invalid_batches_are_refused_with_the_field_and_the_remedy(client: Client) -> None:
    wheres = {}
    for name, batch in examples("reconciliation-query-batch", "invalid").items():
        response = client.post(ROOT, data={"queries": json.dumps(batch)})
        problem = response.json()
        assert response.status_code == 422
        assert problem["code"] == "query"
        assert problem["remedy"]
        wheres[name] = problem["where"]
    assert wheres == {"empty-properties": "q1", "empty-query": "q1", "misnamed-property": "q0.props"}


def test_answers_with_candidates_are_valid(client: Client) -> None:
    queries = {
        "q0": {"query": "Paris", "limit": 3},
        "q1": {"query": "Evil"},
        "q2": {"query": "Paris", "type": "City", "properties": [{"pid": "part_of", "v": "Texas"}]},
        "q3": {"query": "Paris", "type": "no such type"},
    }
    answer = client.post(ROOT, data={"queries": json.dumps(queries)}).json()

    assert [len(answer[key]["result"]) for key in queries] == [3, 1, 3, 0]
    assert is_valid("reconciliation-result-batch", answer)


def test_the_manifest_is_valid_and_its_urls_lead_somewhere(client: Client) -> None:
    manifest = client.get("/reconcile").json()

    assert is_valid("manifest", manifest)
    assert manifest["versions"] == ["0.2"]
    assert manifest["defaultTypes"][0] == {"id": "City", "name": "City"}
    assert manifest["batchSize"] > 1
    for url in (manifest["view"]["url"], manifest["preview"]["url"]):
        assert client.get(url.replace("{{id}}", "fr")).status_code == 200
    proposals = manifest["extend"]["propose_properties"]
    assert client.get(proposals["service_url"] + proposals["service_path"] + "?type=City").status_code == 200
    for each in manifest["suggest"].values():
        assert client.get(each["service_url"] + each["service_path"], params={"prefix": "c"}).json()["result"]
        assert client.get(each["flyout_service_url"] + each["flyout_service_path"].replace("${id}", "fr")).status_code == 200


@pytest.mark.parametrize(("kind", "schema"), [("entity", "entities"), ("type", "types"), ("property", "properties")])
@pytest.mark.parametrize("prefix", ["", "P", "c", "Cuty", "باريس", "🗼", "<script>"])
def test_suggestions_are_valid(client: Client, kind: str, schema: str, prefix: str) -> None:
    answer = client.get(f"{ROOT}/suggest/{kind}", params={"prefix": prefix}).json()

    assert is_valid(f"suggest-{schema}-response", answer)


def test_proposed_properties_are_valid(client: Client) -> None:
    for kind in ("", "City", "no such type"):
        assert is_valid("data-extension-property-proposal", client.get(f"{ROOT}/properties", params={"type": kind}).json())


def test_extensions_are_asked_and_answered_as_the_schemas_say(client: Client) -> None:
    own: dict[str, Any] = {
        "ids": ["tx", "evil", "no such id"],
        "properties": [{"id": each} for each in ("part_of", "^part_of", "entity:aliases", "entity:prior", "no such relation")]
        + [{"id": "capital_of", "settings": {"count": "on"}}],
    }
    for query in (own, *examples("data-extension-query", "valid").values()):
        assert is_valid("data-extension-query", query)
        answer = client.post(ROOT, data={"extend": json.dumps(query)}).json()
        assert is_valid("data-extension-response", answer)
        assert [each["id"] for each in answer["meta"]] == [each["id"] for each in query["properties"]]
        assert answer["rows"].keys() == set(query["ids"])
        for row in answer["rows"].values():  # OpenRefine reads every property of every row
            assert row.keys() == {each["id"] for each in query["properties"]}
