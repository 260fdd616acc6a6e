"""The spellings of an id: CURIEs, and the IRIs of OBO, identifiers.org and others."""

from __future__ import annotations

import pytest

from eigenthemes.core.entity_ids import curie_of_iri, parse_curie, spellings_of

SPELLINGS = [
    "http://purl.obolibrary.org/obo/DOID_1612",
    "https://purl.obolibrary.org/obo/DOID_1612",
    "http://identifiers.org/DOID:1612",
    "https://identifiers.org/doid:1612",
    "https://identifiers.org/doid/DOID:1612",
    "http://identifiers.org/doid/1612",
    "https://bioregistry.io/doid:1612",
    "https://w3id.org/some/where/DOID_1612",
]


@pytest.mark.parametrize("iri", SPELLINGS)
def test_all_spellings_of_an_id_have_the_key_of_its_short_form(iri: str) -> None:
    curie, short = curie_of_iri(iri), parse_curie("DOID:1612")
    assert curie is not None
    assert short is not None
    assert curie.key == short.key


@pytest.mark.parametrize(
    "other",
    [
        "http://example.org/DOID_1612",
        "http://www.wikidata.org/entity/Q42",
        "http://purl.obolibrary.org/obo/doid.owl",
        "urn:a:b",
    ],
)
def test_other_ids_have_one_spelling(other: str) -> None:
    assert curie_of_iri(other) is None
    assert list(spellings_of(other)) == [other]


def test_each_spelling_but_those_of_w3id_leads_to_each_other() -> None:
    for one in ("DOID:1612", *SPELLINGS[:-1]):
        assert {"DOID:1612", *SPELLINGS[:-1]} <= set(spellings_of(one))


def test_the_prefixes_of_registries_are_known() -> None:
    assert "http://purl.obolibrary.org/obo/NCBITaxon_9606" in spellings_of("https://identifiers.org/taxonomy:9606")
