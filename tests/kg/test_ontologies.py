"""OWL: classes and individuals are entities, restrictions edges; axioms, properties, headers and lists are no part of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.inspecting import names_of, neighbours_of
from helpers.kbs import build_untrained

from eigenthemes.core.entity_ids import curie_of_iri
from eigenthemes.kb.store import KB
from eigenthemes.kg.options import ReadOptions

pytestmark = pytest.mark.usefixtures("quick_disk")

PREFIXES = """\
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .
@prefix dc: <http://purl.org/dc/elements/1.1/> .
@prefix : <http://example.org/> .
"""
HEART = ':heart a owl:Class ; rdfs:label "heart" . :body a owl:Class ; rdfs:label "body" . '
PART_OF = ':part a owl:ObjectProperty ; rdfs:label "part of" . '


def build(folder: Path, text: str, **options: Any) -> KB:
    (folder / "kg.ttl").write_text(PREFIXES + text, encoding="utf-8")
    return build_untrained([folder / "kg.ttl"], folder / "my.kb", embedding=None, force=True, options=ReadOptions(**options))


def ids(kb: KB) -> list[str]:
    return sorted(entity_id.removeprefix("http://example.org/") for entity_id in kb.ids)


def edges(kb: KB) -> set[tuple[str, str, str]]:
    """(source, relation, target) of every edge, ids as CURIEs."""
    found = set()
    for entity in kb:
        for other in kb.neighbors(entity.id):
            ends = [str(curie_of_iri(end) or end) for end in (entity.id, other.id)]
            source, target = reversed(ends) if other.reverse else ends
            found.add((source, other.relation, target))
    return found


def test_axioms_and_their_notes_are_no_entities(tmp_path: Path) -> None:
    axiom = (
        "[] a owl:Axiom ; owl:annotatedSource :heart ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :body ;"
        ' rdfs:label "an axiom" ; rdfs:seeAlso :paper .'
    )
    kb = build(tmp_path, HEART + axiom)
    assert ids(kb) == ["body", "heart"]
    assert kb.graph.edges == 0


def test_reified_statements_are_no_entities(tmp_path: Path) -> None:
    kb = build(tmp_path, HEART + ":note a rdf:Statement ; rdf:subject :heart ; rdf:predicate :p ; rdf:object :body .")
    assert ids(kb) == ["body", "heart"]


def test_a_subclass_is_one_and_its_restriction_is_an_edge_with_the_label_of_its_property(tmp_path: Path) -> None:
    restriction = ":heart rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :part ; owl:someValuesFrom :body ] , :organ ."
    kb = build(tmp_path, HEART + PART_OF + restriction)
    assert {(kind, target) for _, kind, target in edges(kb)} == {
        ("part of", "http://example.org/body"),
        ("is_a", "http://example.org/organ"),
    }


def test_restrictions_within_an_intersection_are_edges_too(tmp_path: Path) -> None:
    both = "owl:intersectionOf ( :organ [ a owl:Restriction ; owl:onProperty :part ; owl:someValuesFrom :body ] )"
    kb = build(tmp_path, HEART + PART_OF + f":heart rdfs:subClassOf [ a owl:Class ; {both} ] .")
    assert {kind for _, kind, _ in edges(kb)} == {"part of", "is_a"}
    assert neighbours_of(kb, "http://example.org/heart") == {"http://example.org/body", "http://example.org/organ"}


@pytest.mark.parametrize(
    "expression",
    [
        "owl:disjointWith :body",
        "owl:equivalentClass [ a owl:Class ; owl:unionOf ( :body :lung ) ]",
        "rdfs:subClassOf [ a owl:Class ; owl:complementOf :body ]",
        "rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :lacks ; owl:someValuesFrom :body ]",
        "rdfs:subClassOf owl:Thing",
        "rdfs:isDefinedBy <http://example.org/onto> ; rdfs:seeAlso :paper ; dc:creator :ada ; oio:inSubset :slim",
        ":source :paper",
    ],
)
def test_what_denies_defines_or_annotates_is_no_edge_and_makes_no_entity(tmp_path: Path, expression: str) -> None:
    properties = ':lacks a owl:ObjectProperty ; rdfs:label "lacks part" . :source a owl:AnnotationProperty . '
    kb = build(tmp_path, HEART + properties + f":heart {expression} .")
    assert set(ids(kb)) <= {"body", "heart", "lung"}
    assert kb.graph.edges == 0


def test_a_list_that_leads_back_to_itself_does_no_harm(tmp_path: Path) -> None:
    loop = ":heart rdfs:subClassOf _:c . _:c a owl:Class ; owl:intersectionOf _:l . _:l rdf:first _:c ; rdf:rest _:l ."
    assert ids(build(tmp_path, HEART + loop)) == ["body", "heart"]


def test_headers_are_no_entities(tmp_path: Path) -> None:
    header = '<http://example.org/onto> a owl:Ontology ; rdfs:label "Organs" ; owl:versionIRI :v1 ; owl:imports :other .'
    assert ids(build(tmp_path, HEART + header)) == ["body", "heart"]


def test_individuals_keep_their_edges_and_classes_are_their_types(tmp_path: Path) -> None:
    kb = build(
        tmp_path, HEART + PART_OF + ':mine a owl:NamedIndividual, :heart ; rdfs:label "mine" ; :part :me ; dc:creator :god .'
    )
    assert kb["http://example.org/mine"].types == ("http://example.org/heart",)
    assert {kind for _, kind, _ in edges(kb)} == {"part of", "http://purl.org/dc/elements/1.1/creator"}


def test_classes_have_no_type_but_their_namespace(tmp_path: Path) -> None:
    kb = build(tmp_path, HEART + ':heart oio:hasOBONamespace "organs" .')
    assert kb["http://example.org/heart"].types == ("organs",)
    assert kb["http://example.org/body"].types == ()


def test_properties_are_entities_where_they_are_wanted(tmp_path: Path) -> None:
    assert ids(build(tmp_path, HEART + PART_OF)) == ["body", "heart"]
    kb = build(tmp_path, HEART + PART_OF + ":part rdfs:domain :heart .", with_properties=True)
    assert ids(kb) == ["body", "heart", "part"]
    assert neighbours_of(kb, "http://example.org/part") == {"http://example.org/heart"}


def test_sources_about_properties_keep_them_and_say_so(tmp_path: Path) -> None:
    properties = "".join(f':p{n} a rdf:Property ; rdfs:label "property {n}" . ' for n in range(3))
    kb = build(tmp_path, HEART + properties)
    assert len(kb) == 5
    assert kb.manifest["notes"] == ["3 properties are entities, too: the sources have only 2 others"]


def test_deprecated_classes_lead_to_what_replaces_them_and_alternative_ids_to_their_class(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        'obo:X_1 a owl:Class ; rdfs:label "heart" ; oio:hasAlternativeId "X:7" . '
        'obo:X_2 a owl:Class ; rdfs:label "obsolete heart" ; owl:deprecated true ; obo:IAO_0100001 "X:1" . '
        'obo:X_3 a owl:Class ; rdfs:label "obsolete cor" ; owl:deprecated true ; obo:IAO_0100001 obo:X_1 . ',
    )
    assert list(kb.ids) == ["http://purl.obolibrary.org/obo/X_1"]
    for other in ("X:1", "X:2", "X:3", "X:7", "http://purl.obolibrary.org/obo/X_7"):
        assert kb[other].label == "heart"


def test_a_definition_goes_before_a_comment(tmp_path: Path) -> None:
    kb = build(
        tmp_path, HEART + ':heart rdfs:comment "a note" ; obo:IAO_0000115 "It pumps." . :body rdfs:comment "all of it" .'
    )
    assert kb["http://example.org/heart"].description == "It pumps."
    assert kb["http://example.org/body"].description == "all of it"


def test_two_spellings_of_an_id_are_one_entity_with_the_id_of_the_first_source(tmp_path: Path) -> None:
    (tmp_path / "a.obo").write_text("format-version: 1.2\n\n[Term]\nid: X:1\nname: heart\nis_a: X:2\n", encoding="utf-8")
    (tmp_path / "b.ttl").write_text(
        PREFIXES + 'obo:X_1 a owl:Class ; rdfs:label "cor" . obo:X_2 a owl:Class ; rdfs:label "organ" .', encoding="utf-8"
    )
    iri = "http://purl.obolibrary.org/obo/X_1"
    for first, second, shown in (("a.obo", "b.ttl", "X:1"), ("b.ttl", "a.obo", iri)):
        kb = build_untrained([tmp_path / first, tmp_path / second], tmp_path / "my.kb", embedding=None, force=True)
        assert (len(kb), kb.graph.edges) == (2, 1)
        assert kb["X:1"] == kb[iri] == kb["https://identifiers.org/x:1"]
        assert kb["X:1"].id == shown
        assert sorted(names_of(kb, shown)) == ["cor", "heart"]
        assert kb.indices_of(["X:1", iri, "Y:1"]).tolist() == [kb.index_of(shown)] * 2 + [-1]


def test_two_short_ids_that_differ_in_case_are_two_entities(tmp_path: Path) -> None:
    (tmp_path / "nodes.tsv").write_text("id\tname\nx:1\ta\nX:1\tb\n", encoding="utf-8")
    assert len(build_untrained([tmp_path / "nodes.tsv"], tmp_path / "my.kb", embedding=None)) == 2


@pytest.mark.real_data
def test_an_ontology_gives_the_same_entities_names_and_edges_as_obo_and_as_owl(tmp_path: Path, real_data: Any) -> None:
    kbs = [
        build_untrained([real_data(f"ontologies/cl_blood.{suffix}.gz")], tmp_path / f"{suffix}.kb", embedding=None)
        for suffix in ("obo", "owl")
    ]
    of_obo, of_owl = (
        {str(curie_of_iri(e.id) or e.id): (sorted(names_of(kb, e.id)), e.description, e.types) for e in kb} for kb in kbs
    )
    assert len(of_obo) == 1079
    assert of_obo == of_owl
    assert edges(kbs[0]) == edges(kbs[1])


@pytest.mark.real_data
def test_mixing_the_syntaxes_of_an_ontology_makes_no_twins(tmp_path: Path, real_data: Any) -> None:
    files = [real_data("ontologies/cl_blood.obo.gz"), real_data("ontologies/cl_blood.owl.gz")]
    kb = build_untrained(files, tmp_path / "both.kb", embedding=None)
    assert len(kb) == 1079
    assert all(not entity_id.startswith("http") for entity_id in kb.ids)
