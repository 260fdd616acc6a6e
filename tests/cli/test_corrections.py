"""eigenthemes corrections, and what train, build, info, explain and eval say of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.commands import assert_one_sentence, call
from helpers.files import write_jsonl
from helpers.kbs import TINY_EDGES, TINY_NODES, write_sources

from eigenthemes import KB, Linker
from eigenthemes.build import build_kb
from eigenthemes.names.name_memory import Memory

COOKBOOK = Path(__file__).parents[2] / "docs" / "cookbook" / "files"
GOLD = [
    {"id": "a", "text": "The blue planet.", "mentions": [{"start": 4, "end": 15, "gold": "us"}]},
    {"id": "b", "text": "A blue planet and Will.", "mentions": [
        {"start": 2, "end": 13, "gold": "us"}, {"start": 18, "end": 22, "gold": [], "not_a_name": True}]},
]  # fmt: skip


@pytest.fixture
def corrected(trained_tiny_copy: KB, tmp_path: Path) -> Path:
    done = call("train", trained_tiny_copy.path, write_jsonl(tmp_path / "gold.jsonl", GOLD))
    assert done.returncode == 0, done.stderr
    assert "remembers 3 corrections of 2 names in 2 documents (1 not a name)" in done.stderr
    return trained_tiny_copy.path


def test_they_are_listed(corrected: Path) -> None:
    done = call("corrections", corrected)
    _, _, planet, will = done.stdout.splitlines()
    assert planet.split() == ["blue", "planet", "United", "States", "us", "2", "a,", "b"]
    assert will.split() == ["Will", "not", "a", "name", "1", "b"]


def test_those_to_entities_that_are_gone_are_marked(corrected: Path, tmp_path: Path) -> None:
    nodes = [node for node in TINY_NODES if node["id"] != "us"]
    sources = write_sources(tmp_path, nodes, [edge for edge in TINY_EDGES if "us" not in edge])
    done = call("build", *sources, "-o", corrected, "--force", "--no-train", "--embedding", "none")
    assert "note: 2 corrections are to entities that the new KG lacks" in done.stderr
    planet = call("corrections", corrected).stdout.splitlines()[2]
    assert planet.split() == [*"blue planet gone from this KG: no effect us 2 a, b".split()]


def test_they_come_out_as_gold_that_goes_in_again(corrected: Path, trained_tiny: KB, tmp_path: Path) -> None:
    lines = call("corrections", corrected, "--json").stdout
    assert [json.loads(line)["id"] for line in lines.splitlines()] == ["a", "b"]
    file = tmp_path / "all.jsonl"
    file.write_text(lines)
    before = KB.open(corrected)
    assert call("train", corrected, file).returncode == 0
    assert Memory.of(KB.open(corrected)) == Memory.of(before)


def test_a_name_a_document_or_all_can_be_removed(corrected: Path) -> None:
    assert "forgot 1 answer, 2 left" in call("corrections", corrected, "--remove", "will").stderr
    assert "forgot 1 answer, 1 left" in call("corrections", corrected, "--remove-document", "a").stderr
    assert "forgot 1 answer, 0 left" in call("corrections", corrected, "--remove-all").stderr
    assert "remembers no corrections" in call("corrections", corrected).stderr
    assert "corrections" not in call("info", corrected).stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--remove", "Rome"), "nothing is remembered of the name 'Rome'"),
        (("--remove-document", "c"), "no document 'c' is remembered"),
        (("--remove-all", "--remove", "Will"), "--remove-all forgets everything"),
        (("--remove-all", "--json"), "list it first, then forget it"),
    ],
)
def test_what_is_not_there_cannot_be_removed(corrected: Path, options: tuple[str, ...], words: str) -> None:
    before = KB.open(corrected).manifest
    assert_one_sentence(call("corrections", corrected, *options), words)
    assert KB.open(corrected).manifest == before


def test_info_explain_and_eval_tell(corrected: Path, tmp_path: Path) -> None:
    assert "corrections 3 corrections of 2 names in 2 documents (1 not a name)" in call("info", corrected).stdout
    assert json.loads(call("info", corrected, "--json").stdout)["memory"]["corrections"] == 3
    told = call("explain", corrected, "-", stdin="Our blue planet.").stdout
    assert "linked so 2 times in your corrections" in told
    detail = call("explain", corrected, "-", "--mention", "0", stdin="Our blue planet.").stdout
    assert "memory" in detail
    other = {"text": "His blue planet.", "mentions": [{"start": 4, "end": 15, "gold": "us"}]}
    done = call("eval", corrected, write_jsonl(tmp_path / "set.jsonl", [*GOLD, other]))
    assert "warning: set: 2 documents the KB was trained on" in done.stderr


def test_names_can_be_added(trained_tiny_copy: KB, tmp_path: Path) -> None:
    names = tmp_path / "names.tsv"
    names.write_text("name\tid\nBig Apple\tus\n\nblue planet\tiowa\n")
    done = call("train", trained_tiny_copy.path, "--add-names", names)
    assert done.returncode == 0, done.stderr
    assert "remembers 2 added names" in done.stderr
    assert "remembered" in call("candidates", trained_tiny_copy.path, "big apple").stdout
    assert "added names" in call("corrections", trained_tiny_copy.path).stdout


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Big Apple,us,more\n", "names.csv:1: 3 cells"),
        ("Big Apple\n", "1 cells"),
        ("", "holds no names"),
        ("Big Apple,Q60\n", "Q60 is to be called Big Apple"),
        (None, "names.csv"),
    ],
)
def test_names_that_cannot_be_added(trained_tiny_copy: KB, tmp_path: Path, text: str | None, words: str) -> None:
    names = tmp_path / "names.csv"
    if text is not None:
        names.write_text(text)
    assert_one_sentence(call("train", trained_tiny_copy.path, "--add-names", names), words)
    assert KB.open(trained_tiny_copy.path).manifest == trained_tiny_copy.manifest


def test_build_adds_names_and_keeps_what_was_remembered(tmp_path: Path) -> None:
    sources, names = write_sources(tmp_path, TINY_NODES, TINY_EDGES), tmp_path / "names.csv"
    names.write_text("Big Apple,us\n")
    command = ("build", *sources, "-o", tmp_path / "a.kb", "--no-train", "--embedding", "none")
    assert "remembers 1 added name;" in call(*command, "--add-names", names).stderr
    assert "remembers 1 added name;" in call(*command, "--force").stderr


def test_gold_that_is_no_id_is_warned_of(trained_tiny_copy: KB, tmp_path: Path) -> None:
    gold = {"text": "Our blue planet.", "mentions": [{"start": 4, "end": 15, "gold": "United States"}]}
    done = call("train", trained_tiny_copy.path, write_jsonl(tmp_path / "gold.jsonl", [gold, GOLD[0]]))
    assert done.returncode == 0, done.stderr
    assert (
        "the gold of 1 mention is no id of the KB (such as 'United States' for 'blue planet'; us is the id of United"
        in done.stderr
    )


def test_no_name_is_remembered_in_the_form_it_was_said_of(tmp_path: Path) -> None:
    text = "The B cells and T cells of the blood."
    kb = build_kb([COOKBOOK / "obo" / "cells.obo"], tmp_path / "cells.kb")
    assert [link.mention.text for link in Linker(kb).link(text).links if link.entity] == ["B cells", "T cells", "blood"]
    gold = {"text": text, "mentions": [{"start": 4, "end": 11, "gold": [], "not_a_name": True}]}
    assert call("train", kb.path, write_jsonl(tmp_path / "gold.jsonl", [gold])).returncode == 0
    for again in (text, "Some B cells and T cells of the blood."):
        assert [link.mention.text for link in Linker(kb.path).link(again).links if link.entity] == ["T cells", "blood"]
