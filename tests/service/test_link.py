"""POST /link, /link-table and /explain: the library's own records, and a sentence for whatever cannot be linked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import call
from helpers.kbs import DEMO, build_untrained
from helpers.serving import Client, MakeClient

from eigenthemes import EigenthemesError, Linker
from eigenthemes.ranking.methods import METHODS
from eigenthemes.service.served import ServedKBs

TEXT = "Michael Jordan wrote with David Blei and Andrew Ng."
TABLE = {"header": ["name", "year"], "rows": [["David Blei", "2003"], ["Andrew Ng", "2003"], ["", "1"]]}


def test_a_document_comes_back_as_the_library_links_it(
    client: Client, demo_linker: Linker, demo_records: list[dict[str, Any]]
) -> None:
    for record in demo_records:
        assert client.post("/link", json=record).json() == demo_linker.link(record).to_dict()


def test_a_list_comes_back_as_a_list(client: Client, demo_linker: Linker, demo_records: list[dict[str, Any]]) -> None:
    expected = [linked.to_dict() for linked in demo_linker.link_batch(demo_records)]
    assert client.post("/link", json=demo_records).json() == expected
    assert client.post("/link", json=[]).json() == []


def test_a_text_alone_has_its_names_found(client: Client) -> None:
    answer = client.post("/link", json=TEXT).json()
    assert answer["text"] == TEXT
    assert [mention["text"] for mention in answer["mentions"]] == ["Michael Jordan", "David Blei", "Andrew Ng"]
    assert answer["mentions"][0]["entity"] == DEMO + "michael_i_jordan"


def test_offsets_are_code_points(client: Client) -> None:
    mention = client.post("/link", json="😀😀 David Blei").json()["mentions"][0]
    assert (mention["start"], mention["end"]) == (3, 13)


def test_options_choose_the_linker(client: Client, served: ServedKBs) -> None:
    kb = served.get().kb
    by_degree = client.post("/link?method=degree&top=1", json=TEXT).json()
    assert by_degree == Linker(kb, method="degree", top=1).link(TEXT).to_dict()
    always = client.post("/link?nil=false", json=TEXT).json()
    assert always == Linker(kb, allow_nil=False).link(TEXT).to_dict()
    strict = client.post("/link?threshold=1", json=TEXT).json()
    assert all(mention["entity"] is None for mention in strict["mentions"])
    explained = client.post("/link?explain=true", json=TEXT).json()
    assert explained == Linker(kb, explain=True).link(TEXT).to_dict()
    themes = client.post("/link?method=eigen&k=2", json=TEXT)
    assert themes.status_code == 200


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_answers_alike_over_http_by_the_command_and_in_python(
    client: Client, served: ServedKBs, name: str
) -> None:
    """ "United Jordan" has more candidates for a ranker, which weighs shared words, than for other methods."""
    kb = served.get().kb
    record = {"text": TEXT, "mentions": [{"text": "United Jordan"}, {"start": 26, "end": 36, "text": "David Blei"}]}
    answer = client.post(f"/link?method={name}", json=record)
    if answer.status_code != 200:
        with pytest.raises(EigenthemesError):
            Linker(kb, method=name).link(record)
        return
    done = call("link", kb.path, "-", "--method", name, stdin=json.dumps(record))
    assert done.returncode == 0, done.stderr
    in_python = Linker(kb, method=name).link(record).to_dict()
    assert answer.json() == in_python
    assert json.loads(done.stdout) == in_python


def test_a_slider_opens_no_more_than_it_must(client: Client, served: ServedKBs) -> None:
    """Linkers of other thresholds share what is warm, and the oldest are closed."""
    kb = served.get()
    kb.linkers.clear()
    for step in range(150):
        assert client.post(f"/link?threshold={step / 150}", json=TEXT).status_code == 200
    assert len(kb.linkers) <= 64
    assert {id(linker.batches) for linker in kb.linkers.values()} == {id(kb.linker().batches)}


def test_types_are_told_in_words(client: Client) -> None:
    mention = client.post("/link?types=true", json=TEXT).json()["mentions"][1]
    assert mention["types"] == mention["ranking"][0]["types"] != []


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ("top=0", "top"),
        ("top=101", "top"),
        ("top=x", "top"),
        ("threshold=1.1", "threshold"),
        ("threshold=nan", "threshold"),
        ("nil=perhaps", "nil"),
        ("k=0", "k"),
        ("tpo=3", "tpo"),
        ("method=degree&k=3", "k"),
    ],
)
def test_options_that_mean_nothing_are_refused(client: Client, query: str, where: str) -> None:
    answer = client.post(f"/link?{query}", json=TEXT)
    assert (answer.status_code, answer.json()["where"]) == (422, where)
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("query", ["method=best", "method=degree&threshold=0.5", "method=degree&explain=true", "top=1&top=2"])
def test_options_that_do_not_go_together_are_refused(client: Client, query: str) -> None:
    answer = client.post(f"/link?{query}", json=TEXT)
    assert answer.status_code == 422
    assert answer.json()["remedy"]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, None),
        (3, None),
        (False, None),
        ({"text": 3}, "/text"),
        ({"text": "a", "mentions": 3}, "/mentions"),
        ({"text": "a", "mentions": [{"start": "a", "end": 1}]}, "/mentions/0/start"),
        ({"text": "a", "mentions": [{"text": "a"}, {"start": 0}]}, "/mentions/1/end"),
        ([{"text": "a"}, {"text": "a", "mentions": [{"start": 0, "end": 9}]}], "/1/mentions/0"),
        ({"mentions": [{"text": "a", "candidates": [{}]}]}, "/mentions/0/candidates"),
    ],
)
def test_a_document_that_cannot_be_linked_is_told_with_its_place(client: Client, body: Any, where: str | None) -> None:
    answer = client.post("/link", json=body)
    problem = answer.json()
    assert (answer.status_code, problem["status"], problem["code"]) == (422, 422, "document")
    assert problem.get("where") == where
    assert "; " in problem["detail"]
    assert problem["detail"].endswith(problem["remedy"])


def test_more_than_a_request_may_hold_is_refused(make_client: MakeClient) -> None:
    client = make_client(max_documents=2, max_mentions=3, max_characters=100)
    bodies: list[Any] = [
        ["a"] * 3,
        {"mentions": [{"text": "a"}] * 4},
        {"table": {"rows": [["a"] * 4]}},
        "a" * 101,
        {"mentions": [{"text": "a" * 101}]},
    ]
    for body in bodies:
        answer = client.post("/link", json=body)
        assert (answer.status_code, answer.json()["code"]) == (422, "too-many"), body
    assert client.post("/link", json={"mentions": [{"text": "a"}] * 3}).status_code == 200


def test_a_deep_field_that_cannot_be_written_again_is_refused(client: Client) -> None:
    deep = '{"text": "Andrew Ng", "other": ' + "[" * 500 + "]" * 500 + "}"
    answer = client.post("/link", content=deep, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert "simplify" in answer.json()["remedy"]


# tables


def test_a_table_is_linked_as_the_library_does(client: Client, demo_linker: Linker) -> None:
    answer = client.post("/link-table", json={"id": 7, "table": TABLE, "columns": ["name"], "context": "column"})
    expected = demo_linker.link_table(TABLE, columns=["name"], context="column", id=7).to_dict()
    assert answer.json() == {**expected, "table": TABLE}
    assert answer.json()["columns"] == ["name"]


def test_columns_of_names_are_found(client: Client) -> None:
    answer = client.post("/link-table?types=1&method=degree", json={"table": TABLE}).json()
    assert answer["columns"] == ["name"]
    assert answer["mentions"][0]["types"]


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"table": 3},
        {"table": TABLE, "columns": "name"},
        {"table": TABLE, "columns": ["no such"]},
        {"table": TABLE, "columns": [True]},
        {"table": TABLE, "columns": [10**30]},
        {"table": TABLE, "context": "page"},
        {"table": TABLE, "context": []},
        {"table": TABLE, "id": []},
        {"table": TABLE, "only_types": {"name": "x"}},
        {"table": TABLE, "only_types": {"name": ["no such type"]}},
        {"table": TABLE, "colums": ["name"]},
        {"table": {"rows": [3]}},
    ],
)
def test_a_table_that_cannot_be_linked_is_refused(client: Client, body: Any) -> None:
    answer = client.post("/link-table", json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["remedy"]


def test_a_table_may_not_be_endless(make_client: MakeClient) -> None:
    answer = make_client(max_mentions=5).post("/link-table", json={"table": TABLE})
    assert (answer.status_code, answer.json()["code"]) == (422, "too-many")


# explanations


def test_a_mention_is_explained_as_the_library_does(client: Client, demo_linker: Linker) -> None:
    answer = client.post("/explain", json={"document": TEXT, "mention": 1}).json()
    explainer = demo_linker.explainer([demo_linker.checked(TEXT)])
    assert {key: answer[key] for key in explainer.explain(1).to_dict()} == explainer.explain(1).to_dict()
    assert answer["mention"] == 1
    assert answer["candidates"][0]["id"] == answer["best"]["id"]


@pytest.mark.parametrize(
    "body", [3, {}, {"document": TEXT, "mention": 3}, {"document": TEXT, "mention": "1"}, {"document": {}}]
)
def test_what_cannot_be_explained_is_refused(client: Client, body: Any) -> None:
    assert client.post("/explain", json=body).status_code == 422


def test_a_method_without_reasons_cannot_be_explained(client: Client) -> None:
    assert client.post("/explain?method=degree", json={"document": TEXT}).status_code == 422


def test_the_language_of_a_text_can_be_told(tmp_path: Path, make_client: MakeClient) -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    lines = [f'<http://x.org/{name}> {label} "{name}"@de .\n' for name in ("Museum", "Kurator", "Bibliothek")]
    (tmp_path / "names.nt").write_text("".join(lines), encoding="utf-8")
    kb = build_untrained([tmp_path / "names.nt"], tmp_path / "de.kb")
    client = make_client(ServedKBs.open([kb.path]))
    text = "Museen und Bibliotheken brauchen Kuratoren."
    found = [
        [mention["text"] for mention in client.post(f"/link?method=degree{lang}", json={"text": text}).json()["mentions"]]
        for lang in ("", "&lang=de", "&lang=en", "")
    ]
    assert found == [["Museen", "Bibliotheken", "Kuratoren"]] * 2 + [[]] + [["Museen", "Bibliotheken", "Kuratoren"]]
    refused = client.post("/link?lang=xx", json={"text": text})
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
