"""GET /info, /metrics, /openapi.json; POST /reload; corrections."""

from __future__ import annotations

import json
import re
import resource
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from helpers.kbs import DEMO, TINY_EDGES, TINY_NODES, build_untrained, write_sources
from helpers.serving import Client, MakeClient

import eigenthemes
from eigenthemes import KB
from eigenthemes.documents.reader import read_gold
from eigenthemes.service.correction_files import CorrectionFile
from eigenthemes.service.served import ServedKBs
from eigenthemes.service.settings import named_paths

TEXT = "Michael Jordan wrote with David Blei and Andrew Ng."
GOLD = {
    "id": "a",
    "text": TEXT,
    "mentions": [{"start": 0, "end": 14, "text": "Michael Jordan", "gold": DEMO + "michael_jordan"}],
}


def test_info_tells_what_can_be_asked(client: Client, demo_kb: KB) -> None:
    info = client.get("/info").json()
    (kb,) = info["kbs"]
    assert info["version"] == eigenthemes.__version__
    assert (kb["name"], kb["default_method"]) == ("demo", "selftrained")
    assert kb["counts"]["entities"] == len(demo_kb)
    assert kb["threshold"] == demo_kb.rankers["prone"]["threshold"]
    assert str(demo_kb.path) not in json.dumps(info)  # where it lies is nobody's business
    for method in kb["methods"]:
        query = (
            f"?method={method['name']}" + ("&threshold=0.5" if method["threshold"] else "") + ("&k=3" if method["k"] else "")
        )
        query += "&explain=1" if method["explain"] else ""
        assert client.post(f"/link{query}", json=TEXT).status_code == 200, query


def test_metrics_count(client: Client) -> None:
    client.post("/link", json=[TEXT, TEXT])
    client.post("/link", json={})
    client.get("/no/such")
    lines = client.get("/metrics").text.splitlines()
    numbers = {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if not line.startswith("#")}
    assert numbers["eigenthemes_documents_total"] == 2
    assert numbers["eigenthemes_mentions_total"] == 6
    assert numbers['eigenthemes_requests_total{route="/link",status="200"}'] == 1
    assert numbers['eigenthemes_requests_total{route="/link",status="422"}'] == 1
    assert numbers['eigenthemes_requests_total{route="other",status="404"}'] == 1
    assert numbers['eigenthemes_request_seconds_bucket{le="+Inf",route="/link"}'] == 2
    assert numbers['eigenthemes_request_seconds_count{route="/link"}'] == 2
    assert all(
        re.fullmatch(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+', line) for line in lines if line[0] != "#"
    )


# the description of the service


def test_every_parameter_and_body_has_an_example(client: Client) -> None:
    api = client.get("/openapi.json").json()
    operations = [(path, operation) for path, methods in api["paths"].items() for operation in methods.values()]
    ours = [(path, operation) for path, operation in operations if "reconcil" not in path]
    assert len(ours) >= 13
    for path, operation in ours:
        for parameter in operation.get("parameters", []):
            assert "example" in parameter or parameter["schema"].get("examples"), (path, parameter["name"])
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        assert body is None or "example" in body or "examples" in body, path
        assert operation["responses"]["200"]["content"]


def test_examples_are_what_is_described(client: Client) -> None:
    from jsonschema import Draft202012Validator

    api = client.get("/openapi.json").json()
    for name, schema in api["components"]["schemas"].items():
        whole = {**schema, "components": api["components"]}
        for example in schema.get("examples", []):
            errors = [error.message for error in Draft202012Validator(whole).iter_errors(example)]
            partly = [message for message in errors if "is a required property" not in message]  # nested examples are short
            assert not partly, (name, partly)


def test_nothing_is_called_from_outside(client: Client) -> None:
    for path in ("/docs", "/redoc"):
        assert client.get(path).status_code == 404
    assert "http" not in re.sub(r"http://localhost", "", client.get("/openapi.json").text).replace('"http"', "").replace(
        "http-", ""
    )


# reloading


@pytest.fixture
def changing(tmp_path: Path) -> Path:
    """A KB that a test builds anew."""
    return build_untrained(write_sources(tmp_path, TINY_NODES, TINY_EDGES), tmp_path / "changing.kb").path


def rebuild(path: Path, name: str) -> None:
    sources = write_sources(path.parent / "new", [*TINY_NODES, {"id": "new", "name": name}], [*TINY_EDGES, ("new", "us")])
    build_untrained(sources, path, force=True)


def meaning(client: Client, name: str) -> str | None:
    answer = client.post("/link?method=degree", json={"mentions": [{"text": name}]}).json()
    found: str | None = answer["mentions"][0]["entity"]
    return found


def test_a_kb_that_was_built_anew_is_picked_up(changing: Path, make_client: MakeClient) -> None:
    served = ServedKBs.open([changing])
    client = make_client(served)
    assert client.post("/reload").json() == {"replaced": [], "unchanged": ["changing"]}
    before, old = client.get("/info").json()["kbs"][0], served.get()
    rebuild(changing, "Zanzibar")
    assert meaning(client, "Zanzibar") is None
    assert client.post("/reload").json() == {"replaced": ["changing"], "unchanged": []}
    assert meaning(client, "Zanzibar") == "new"
    after = client.get("/info").json()["kbs"][0]
    assert before["state"] != after["state"]
    assert after["counts"]["entities"] == before["counts"]["entities"] + 1
    assert old.linker().link({"mentions": [{"text": "Iowa"}]}).links  # whoever still uses the old one can


def test_a_new_kb_that_cannot_be_read_leaves_the_old_one(changing: Path, make_client: MakeClient) -> None:
    client = make_client(ServedKBs.open([changing]))
    (changing / "manifest.json").write_text("{")
    answer = client.post("/reload")
    assert answer.status_code == 503
    assert "the old KB is still served" in answer.json()["detail"]
    assert meaning(client, "Iowa") == "iowa"
    assert client.get("/health").status_code == 200


def test_names_of_kbs_are_those_of_their_folders(tmp_path: Path) -> None:
    assert list(named_paths([tmp_path / "a.kb", tmp_path / "b c.kb", tmp_path / "d"])) == ["a", "b-c", "d"]
    with pytest.raises(eigenthemes.OptionError, match="both named a; rename"):
        named_paths([tmp_path / "a.kb", tmp_path / "x" / "a.kb"])
    with pytest.raises(eigenthemes.OptionError, match="give at least one"):
        named_paths([])


# corrections


def test_corrections_are_kept_as_gold_that_training_reads(make_client: MakeClient, tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    client = make_client(corrections=file)
    assert client.get("/corrections").json() == {"count": 0, "mentions": 0, "needed": 20}
    none = {"text": "nobody", "mentions": [{"text": "nobody", "gold": None}]}
    assert client.post("/corrections", json=GOLD).json() == {"stored": 1}
    assert client.post("/corrections", json=[GOLD, none]).json() == {"stored": 2}
    assert client.get("/corrections").json() == {"count": 3, "mentions": 3, "needed": 20}
    assert client.get("/info").json()["corrections"] is True
    documents = list(read_gold(file))
    assert [document.mentions[0].gold for document in documents if document.mentions] == [
        (DEMO + "michael_jordan",), (DEMO + "michael_jordan",), (),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ([], None),
        ("text", None),
        ({"text": "a"}, "/mentions"),
        ({"text": "a", "mentions": [{"text": "a"}]}, "/mentions"),
        ([GOLD, {**GOLD, "mentions": [{"text": "a", "gold": "no such id"}]}], "/1/mentions/0/gold"),
        ([GOLD, {**GOLD, "mentions": [{"start": 3, "end": 1, "gold": None}]}], "/1/mentions/0"),
    ],
)
def test_what_training_could_not_read_is_refused_as_a_whole(
    make_client: MakeClient, tmp_path: Path, body: Any, where: str | None
) -> None:
    client = make_client(corrections=tmp_path / "corrections.jsonl")
    answer = client.post("/corrections", json=body)
    assert answer.status_code == 422
    assert answer.json().get("where") == where
    assert not (tmp_path / "corrections.jsonl").exists()


def test_without_a_file_there_are_no_corrections(client: Client) -> None:
    assert client.post("/corrections", json=GOLD).status_code == client.get("/corrections").status_code == 404


def test_a_disk_that_takes_no_more_is_told(make_client: MakeClient, tmp_path: Path) -> None:
    answer = make_client(corrections=tmp_path / "no folder" / "file").post("/corrections", json=GOLD)
    assert (answer.status_code, answer.json()["code"]) == (503, "corrections")


def test_a_correction_that_the_disk_takes_only_a_part_of_is_taken_back(make_client: MakeClient, tmp_path: Path) -> None:
    """A limit of the size of files is a real short write: the system writes what still fits."""
    file = tmp_path / "corrections.jsonl"
    client = make_client(corrections=file)
    assert client.post("/corrections", json=GOLD).json() == {"stored": 1}
    before = file.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, limits[1]))
    try:
        answer = client.post("/corrections", json=GOLD)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert (answer.status_code, answer.json()["code"]) == (503, "corrections")
    assert file.read_bytes() == before
    assert client.post("/corrections", json=GOLD).json() == {"stored": 1}
    assert len(list(read_gold(file))) == 2


def test_several_kbs_have_a_file_each(demo_kb: KB, tiny: KB, make_client: MakeClient, tmp_path: Path) -> None:
    client = make_client(ServedKBs.open([demo_kb.path, tiny.path]), corrections=tmp_path / "gold.jsonl")
    client.post("/corrections?kb=tiny", json={"mentions": [{"text": "MJ", "gold": "mj"}]})
    assert client.post("/corrections", json={"mentions": [{"text": "MJ", "gold": "mj"}]}).status_code == 422
    assert [file.name for file in tmp_path.iterdir()] == ["gold-tiny.jsonl"]


def test_lines_of_many_writers_do_not_mix(tmp_path: Path) -> None:
    """Each opens the file by itself, as processes do; a line that a crash has cut does not spoil the next."""
    file = tmp_path / "gold.jsonl"
    file.write_text('{"cut')
    writers = [
        threading.Thread(
            target=lambda name=name: [CorrectionFile(file).append([{"id": name, "text": name * 5000}]) for _ in range(20)]
        )
        for name in "abcd"
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    first, *lines = file.read_text().splitlines()
    assert first == '{"cut'
    assert sorted(json.loads(line)["id"] for line in lines) == sorted("abcd" * 20)
