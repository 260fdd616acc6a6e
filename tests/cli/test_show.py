"""eigenthemes show: all that a KB holds of one entity, by id or name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.commands import assert_one_sentence, call
from helpers.kbs import build_untrained

from eigenthemes import KB
from eigenthemes.errors import OptionError
from eigenthemes.names.entity_card import entity_card
from eigenthemes.names.generator import CandidateGenerator


def test_an_entity_is_shown_by_its_id(tiny: KB) -> None:
    lines = call("show", tiny.path, "mj").stdout.splitlines()
    assert lines[0] == "Michael Jordan"
    text = "\n".join(lines)
    assert "aliases     Air Jordan, MJ" in text
    assert "description basketball player" in text
    assert "prior       4, number 2 of 16" in text
    assert "namesakes   number 1 of 2 by prior; the others: Michael I. Jordan (mij)" in text
    assert "knows: United States (us), Paris (paris)" in text


def test_statements_that_run_from_the_neighbour_have_an_arrow(tiny: KB) -> None:
    assert "<- knows: Michael Jordan (mj)" in call("show", tiny.path, "nba").stdout


@pytest.mark.parametrize("name", ["Ville Lumière", "ville lumiere", "Paris"])
def test_an_entity_is_shown_by_any_of_its_names(tiny: KB, name: str) -> None:
    assert json.loads(call("show", tiny.path, name, "--json").stdout)["id"] == "paris"


def test_json_holds_all_that_people_see(tiny: KB) -> None:
    card = json.loads(call("show", tiny.path, "mij", "--json").stdout)
    assert (card["name_rank"], [each["id"] for each in card["namesakes"]]) == (1, ["mij"])
    assert card["names"] == [{"name": "Michael I. Jordan", "language": ""}, {"name": "Michael Jordan", "language": ""}]
    us = {"id": "us", "label": "United States"}
    assert card["neighbors"] == [{"relation": "knows", "reverse": False, "count": 1, "entities": [us]}]
    assert card["degree"] == 1


def test_neighbours_beyond_the_asked_number_are_counted(tiny: KB) -> None:
    assert "knows: United States (us) and 3 more" in call("show", tiny.path, "mj", "--neighbors", "1").stdout
    assert "more" not in call("show", tiny.path, "mj", "--neighbors", "all").stdout


def test_a_node_without_a_name_is_shown_as_a_connector(tiny: KB) -> None:
    assert "it has no name, so it is never linked" in call("show", tiny.path, "nameless").stdout


def test_what_is_neither_an_id_nor_a_name_is_told_with_the_nearest(tiny: KB) -> None:
    assert_one_sentence(call("show", tiny.path, "Hashemite Jordan"), "is neither an id nor a name of the KB", "(jo)")
    with pytest.raises(OptionError, match="it has ids like us and names like United States"):
        entity_card(tiny, "qqqqqq")


def test_why_takes_names_too(tiny: KB) -> None:
    why = CandidateGenerator(tiny).why_not("Michael Jordan", "National Basketball Association")
    assert why.startswith("nba (National Basketball Association) does not match")
    assert "is candidate 1 of" in CandidateGenerator(tiny).why_not("Michael Jordan", "Air Jordan")


@pytest.mark.parametrize("written", ["DOID_1612", "DOID:1612", "http://purl.obolibrary.org/obo/DOID_1612"])
def test_an_id_is_found_in_each_of_its_spellings(tmp_path: Path, written: str) -> None:
    (tmp_path / "n.tsv").write_text("id\tname\nDOID:1612\tbreast cancer\nX_7\tseven\n", encoding="utf-8")
    kb = build_untrained([tmp_path / "n.tsv"], tmp_path / "my.kb")
    assert entity_card(kb, written).label == "breast cancer"
    assert entity_card(kb, "X_7").label == "seven"


def test_types_are_found_by_the_prefixes_people_write(tmp_path: Path) -> None:
    text = "@prefix o: <http://dbpedia.org/ontology/> . @prefix n: <http://xmlns.com/foaf/0.1/> . @prefix : <http://e.org/> .\n"
    text += ':a a o:Person ; n:name "Ada" . :b a :Person ; n:name "Bea" .'
    (tmp_path / "kg.ttl").write_text(text, encoding="utf-8")
    kb = build_untrained([tmp_path / "kg.ttl"], tmp_path / "my.kb")
    chosen = kb.of_types(["dbo:Person"])
    assert [kb.label_of(i) for i in range(len(kb)) if chosen[i]] == ["Ada"]
