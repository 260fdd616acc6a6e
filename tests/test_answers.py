"""Which entities may be answers: by type, at build and at link; the others connect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.commands import assert_one_sentence, call
from helpers.kbs import build_from_records, build_untrained

from eigenthemes import KB, CandidateOptions, Document, Linker, Mention
from eigenthemes.errors import BuildError, OptionError
from eigenthemes.names.generator import CandidateGenerator
from eigenthemes.selftrain.sampling import Sampler

pytestmark = pytest.mark.usefixtures("quick_disk")

NODES = [
    {"id": "paris", "name": "Paris", "type": "http://e.org/City"},
    {"id": "hilton", "name": "Paris Hilton", "aliases": ["Paris"], "type": "http://e.org/Person"},
    {"id": "france", "name": "France", "type": "http://e.org/Country"},
    {"id": "http://e.org/City", "name": "place where many live"},
]
EDGES = [("paris", "france"), ("hilton", "paris"), ("paris", "http://e.org/City")]
SKOS = """\
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <http://e.org/> .
:scheme a skos:ConceptScheme ; skos:prefLabel "Thesaurus" ; skos:hasTopConcept :school .
:group a skos:Collection ; skos:prefLabel "Education" ; skos:member :school, :university .
:school a skos:Concept ; skos:prefLabel "School" .
:university a skos:Concept ; skos:prefLabel "University" ; skos:broader :school .
:both a skos:Concept, skos:Collection ; skos:prefLabel "Both" ; skos:broader :school .
<http://dbpedia.org/resource/Category:Schools> skos:prefLabel "Schools" ; skos:related :school .
"""


def build(folder: Path, **options: Any) -> KB:
    return build_from_records(folder, NODES, EDGES, **options)


def found(kb: KB, name: str, **options: Any) -> list[str]:
    return [candidate.id for candidate in CandidateGenerator(kb, **options).records(name)]


@pytest.mark.parametrize("name", ["http://e.org/City", "City", "city", "e.org:City", "place where many live"])
def test_only_entities_of_a_type_are_answers_and_the_others_connect(tmp_path: Path, name: str) -> None:
    kb = build(tmp_path, only_types=(name,))
    assert (found(kb, "Paris"), found(kb, "France"), found(kb, "Frances")) == (["paris"], [], [])
    assert (len(kb), kb.graph.edges, kb.manifest["counts"]["named"]) == (4, 3, 1)
    assert [neighbor.label for neighbor in kb.neighbors("hilton")] == ["Paris"]
    assert kb["france"].label == "France"


def test_entities_of_a_type_may_be_no_answers(tmp_path: Path) -> None:
    kb = build(tmp_path, not_types=("Person", "Country"))
    assert (found(kb, "Paris"), found(kb, "France"), found(kb, "Hilton")) == (["paris"], [], [])
    assert "connects others but is never a candidate" in CandidateGenerator(kb).why_not("Paris", "hilton")


def test_training_never_asks_for_what_is_no_answer(tmp_path: Path) -> None:
    kb = build(tmp_path, not_types=("Country",))
    assert [kb.id_of(index) for index in np.flatnonzero(~kb.linkable)] == ["france"]
    documents = Sampler(kb, np.random.default_rng(0)).documents(50)
    gold = {entity for document in documents for mention in document.mentions or () for entity in mention.gold or ()}
    assert gold
    assert "france" not in gold


def test_an_unknown_type_is_told_with_the_nearest_or_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no entity is of the type Persn; the nearest that there is: Person"):
        build(tmp_path, only_types=("Persn",))
    with pytest.raises(OptionError, match=r"the most frequent are place where many live \(1\), Person \(1\), Country \(1\)"):
        build(tmp_path, not_types=("xyz",))


def test_types_that_leave_nothing_stop_the_build(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="no entity with a name is left that may be an answer"):
        build(tmp_path, only_types=("City",), not_types=("City",))


@pytest.mark.parametrize("generator", ["default", "paper"])
def test_candidates_may_be_of_some_types_only(tmp_path: Path, generator: str) -> None:
    kb = build(tmp_path)
    assert sorted(found(kb, "Paris", generator=generator)) == ["hilton", "paris"]
    assert found(kb, "Paris", generator=generator, only_types=("Person",)) == ["hilton"]
    assert found(kb, "Paris", generator=generator, not_types=("Person",), max_candidates=1) == ["paris"]


def test_the_filter_comes_before_the_number_of_candidates(tmp_path: Path) -> None:
    kb = build(tmp_path)
    for finder in (CandidateGenerator(kb, max_candidates=1, only_types=("Person",)),):
        assert finder.find("Paris").entity.tolist() == finder.find_batch(["Paris"] * 100).entity.tolist()[:1]
        assert [record.id for record in finder.records("Paris")] == ["hilton"]
    assert "is not of the types that were asked for" in finder.why_not("Paris", "paris")


def test_links_are_of_the_types_that_are_asked_for_also_where_candidates_are_given(tmp_path: Path) -> None:
    kb = build(tmp_path)
    linker = Linker(kb, method="degree", candidates=CandidateOptions(only_types=("Person",)))
    mentions = (Mention(text="Paris"), Mention(text="Paris", candidates=("paris", "hilton")))
    assert [link.entity for link in linker.link(Document(mentions=mentions)).links] == ["hilton", "hilton"]


def test_commands_take_types(tmp_path: Path) -> None:
    kb = build(tmp_path)
    done = call(
        "link", kb.path, "-", "--method", "degree", "--only-type", "Person", stdin='{"mentions": [{"text": "Paris"}]}\n'
    )
    assert json.loads(done.stdout)["mentions"][0]["entity"] == "hilton"
    assert "hilton" not in call("candidates", kb.path, "Paris", "--not-type", "Person").stdout
    assert_one_sentence(call("candidates", kb.path, "Paris", "--not-type", "Persn"), "the nearest that there is: Person")


# SKOS


def build_skos(folder: Path, **options: Any) -> KB:
    (folder / "t.ttl").write_text(SKOS, encoding="utf-8")
    return build_untrained([folder / "t.ttl"], folder / "t.kb", embedding=None, **options)


def test_schemes_collections_and_categories_connect_and_are_no_answers(tmp_path: Path) -> None:
    kb = build_skos(tmp_path)
    assert sorted(kb.label_of(index) for index in np.flatnonzero(kb.linkable)) == ["Both", "School", "University"]
    assert found(kb, "Education") == []
    assert "Education" in [neighbor.label for neighbor in kb.neighbors("http://e.org/school")]
    assert kb.manifest["notes"] == ["3 schemes, collections and categories connect others and are no answers"]


def test_collections_are_answers_where_they_are_wanted(tmp_path: Path) -> None:
    assert found(build_skos(tmp_path, not_types=("none",)), "Education") == ["http://e.org/group"]
    assert found(build_skos(tmp_path, only_types=("skos:Collection",), force=True), "Education") == ["http://e.org/group"]


@pytest.mark.real_data
def test_microthesauri_and_domains_are_no_answers(tmp_path: Path, real_data: Any) -> None:
    kb = build_untrained([real_data("ontologies/unesco.ttl.gz")], tmp_path / "unesco.kb", embedding=None)
    assert kb.manifest["counts"]["named"] == 4420
    base = "http://vocabularies.unesco.org/thesaurus/"
    assert [each for each in found(kb, "Education") if kb[each].label == "Education"] == [f"{base}concept2"]
    assert kb[f"{base}domain1"].label == "Education"
