"""eigenthemes link with a trained KB: probabilities, NIL, thresholds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import assert_one_sentence, call, json_output
from helpers.documents import names_document, to_json
from helpers.files import write_jsonl

from eigenthemes import KB
from eigenthemes.kg.demo import DOCUMENTS
from eigenthemes.linker import Linker

# commands


def test_link_command(demo_kb: KB, demo_linker: Linker, demo_records: list[dict[str, Any]]) -> None:
    documents = json_output(call("link", demo_kb.path, DOCUMENTS["small"]))
    expected = [json.loads(to_json(document)) for document in demo_linker.link_batch(demo_records)]
    assert [document["mentions"] for document in documents] == [document["mentions"] for document in expected]
    for mention in (mention for document in documents for mention in document["mentions"]):
        assert mention["probability"] == mention["score"]
        assert (mention["entity"] is None) == (mention["nil_reason"] is not None)


def test_link_command_nil_and_threshold(demo_kb: KB, tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [names_document("University of Jordan", "Scottie Pippen", "xyzzy")])

    def reasons(*options: object) -> list[str | None]:
        (document,) = json_output(call("link", demo_kb.path, source, *options))
        return [mention["nil_reason"] for mention in document["mentions"]]

    assert reasons() == ["low_probability", None, "no_candidate"]
    assert reasons("--nil", "off") == reasons("--threshold", "0") == [None, None, "no_candidate"]
    assert reasons("--threshold", "1.0") == ["low_probability", "low_probability", "no_candidate"]
    assert "low_probability" in call("link", demo_kb.path, source, "--table").stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--threshold", "1.5"), ("threshold is 1.5", "0 to 1")),
        (("--threshold", "-1"), ("threshold is -1.0",)),
        (("--threshold", "0.5", "--method", "eigen"), ("eigen gives no probabilities", "leave it out")),
        (("--vectors", "nosuch"), ("no vectors named 'nosuch'",)),
    ],
)
def test_link_command_errors(demo_kb: KB, options: tuple[str, ...], words: tuple[str, ...]) -> None:
    assert_one_sentence(call("link", demo_kb.path, DOCUMENTS["small"], *options), *words)


def test_link_command_without_a_ranker(tiny: KB, tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [names_document("Iowa")])
    assert_one_sentence(call("link", tiny.path, source, "--method", "selftrained"), f"eigenthemes train {tiny.path}")
    assert json_output(call("link", tiny.path, source))[0]["mentions"][0]["probability"] is None
