"""eigenthemes explain: sentences, details, JSON, errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from helpers.commands import assert_one_sentence, call
from helpers.documents import names_document
from helpers.explaining import explain_names, ranker_by_hand
from helpers.kbs import build_untrained

from eigenthemes import KB
from eigenthemes.cli.explain import explain
from eigenthemes.errors import EigenthemesError
from eigenthemes.train import store_ranker

# the command


@pytest.fixture
def run(paris_kb: KB, tmp_path: Path) -> Callable[..., Result]:
    file = tmp_path / "docs.jsonl"
    documents = [
        {"id": "texas", **names_document("Paris", "Lamar County", "Red River", "Xyzzq")},
        {"id": 7, "text": "From Paris to France"},
        {"id": "none", "mentions": []},
    ]
    file.write_text("".join(json.dumps(each) + "\n" for each in documents))

    def invoke(*arguments: str, source: str = str(file), stdin: str = "") -> Result:
        return CliRunner().invoke(explain, [str(paris_kb.path), source, *arguments], input=stdin)

    return invoke


def test_a_sentence_for_each_mention_of_the_first_document(run: Callable[..., Result]) -> None:
    lines = run().stdout.splitlines()
    assert [line[:12] for line in lines] == ["0  Paris -> ", "1  Lamar Cou", "2  Red River", "3  Xyzzq -> "]
    assert lines[0].endswith("is more popular but shares nothing with the other names.")


def test_documents_by_id_by_number_and_all(run: Callable[..., Result]) -> None:
    assert run("--document", "7").stdout == run("--document", "1").stdout
    assert "France" in run("--document", "7").stdout
    whole = run("--document", "all").stdout.splitlines()
    assert [line for line in whole if line and not line[0].isdigit()] == ["texas", "none"]


def test_a_mention_in_detail(run: Callable[..., Result]) -> None:
    found = run("--mention", "0").stdout
    assert "\nAhead of Paris (capital of France) in: themes 100%; behind in: prior" in found
    assert "Paris (city in Texas)" in found
    assert "edge from it: part of; shared: Texas" in found
    assert "None of them: " in found
    assert run("--mention", "3").stdout == "Xyzzq -> nothing: no name in the KB resembles it.\n"


def test_json_round_trip(run: Callable[..., Result], paris_kb: KB) -> None:
    record = json.loads(run("--mention", "0", "--json").stdout)
    expected = explain_names(paris_kb, "Paris", "Lamar County", "Red River", "Xyzzq")[0]
    assert (record["mention"], len(record["candidates"])) == (0, 2)
    said = expected.to_dict()
    assert len(record["candidates"]) == said["candidate_count"]  # one mention in detail: all of them, not only how many
    assert {key: record[key] for key in said} == json.loads(json.dumps(said))
    assert record.keys() - said.keys() == {"mention", "candidates"}
    assert sum(record["shares"].values()) == pytest.approx(1, abs=1e-3)
    lines = [json.loads(line) for line in run("--document", "all", "--json").stdout.splitlines()]
    assert [(line["id"], len(line["mentions"])) for line in lines] == [("texas", 4), (7, 2), ("none", 0)]
    assert lines[0]["mentions"][0]["sentence"] == expected.sentence


def test_a_plain_text_from_stdin(run: Callable[..., Result]) -> None:
    found = run(source="-", stdin="The road from Paris to Lamar County.")
    assert found.stdout.startswith(
        "0  Paris -> Paris (city in Texas): exact name; all the support is from Lamar County (part of)"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--mention", "9"), "there is no mention 9; the document has 4, numbered from 0 to 3"),
        (("--mention", "0", "--document", "none"), "there is no mention 0; the document has none"),
        (("--document", "nowhere"), "there is no document nowhere; there are 3, with ids like texas; give an id"),
        (("--document", "12"), "there is no document 12; there are 3"),
        (("--document", "all", "--mention", "0"), "--mention explains one mention of one document"),
        (("--threshold", "2"), "threshold is 2.0; expected a probability"),
        (("--vectors", "prone"), "has no vectors"),
    ],
)
def test_errors_in_one_sentence(run: Callable[..., Result], arguments: tuple[str, ...], words: str) -> None:
    error = run(*arguments).exception
    assert isinstance(error, EigenthemesError)
    assert words in str(error)


def test_a_kb_without_a_ranker_says_how_to_train_one(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("")
    untrained = build_untrained([_one_node(tmp_path)], tmp_path / "a.kb", embedding=None)
    assert_one_sentence(call("explain", untrained.path, file), "has no ranker", f"(eigenthemes train {untrained.path})")
    error = CliRunner().invoke(explain, [str(store_ranker(untrained, ranker_by_hand()).path), str(file)]).exception
    assert "there is no document to explain" in str(error)


def _one_node(folder: Path) -> Path:
    (folder / "nodes.csv").write_text("id,name\na,Alpha\nb,Beta\n")
    return folder / "nodes.csv"
