"""Spellings of one id: `DOID:1612`, `http://purl.obolibrary.org/obo/DOID_1612`, and the IRIs of identifiers.org.

The policy is in docs/sources.md: an entity keeps the id that its first source writes, and every other spelling leads to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Curie(NamedTuple):
    """A prefix and the local id behind it, as written."""

    prefix: str
    local: str

    @property
    def key(self) -> str:
        """The same for all spellings: registries write prefixes in small letters, ontologies do not."""
        prefix = self.prefix.lower()
        return f"{_PREFIXES_OF_REGISTRIES.get(prefix, prefix)}:{self.local}"

    def __str__(self) -> str:
        return f"{self.prefix}:{self.local}"


# vocabularies whose terms people write without declaring the prefix
PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "schema": "http://schema.org/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dct": "http://purl.org/dc/terms/",
    "dcterms": "http://purl.org/dc/terms/",
    "obo": "http://purl.obolibrary.org/obo/",
    "oboInOwl": "http://www.geneontology.org/formats/oboInOwl#",
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "dbo": "http://dbpedia.org/ontology/",
    "dbr": "http://dbpedia.org/resource/",
    "dbp": "http://dbpedia.org/property/",
    "gn": "http://www.geonames.org/ontology#",
    "yago": "http://yago-knowledge.org/resource/",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "org": "http://www.w3.org/ns/org#",
}
_PREFIXES_OF_REGISTRIES = {"taxonomy": "ncbitaxon", "taxon": "ncbitaxon"}
_MIXED_CASE = {
    prefix.lower(): prefix
    for prefix in "NCBITaxon FBbt FBcv FBdv WBbt WBls WBPhenotype HsapDv MmusDv Orphanet dictyBase".split()
}
_PREFIX, _LOCAL = r"([A-Za-z][A-Za-z0-9.-]*)", r"([A-Za-z0-9][\w.-]*)"
_CURIE = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*):([A-Za-z0-9][\w.-]*)")
_IRI = re.compile(
    rf"https?://(?:purl\.obolibrary\.org/obo/{_PREFIX}_{_LOCAL}"
    rf"|(?:(?:www\.)?identifiers\.org|bioregistry\.io|n2t\.net)/(?:[\w.-]+/)?{_PREFIX}:{_LOCAL}"
    rf"|(?:www\.)?identifiers\.org/{_PREFIX}/{_LOCAL}"
    rf"|w3id\.org/(?:[^#?]*[/#])?{_PREFIX}[_:]([0-9][\w.-]*))"
)


def curie_of_iri(entity_id: str) -> Curie | None:
    """Return the CURIE of an IRI of a known host; None for any other id."""
    match = _IRI.fullmatch(entity_id)
    return Curie(*filter(None, match.groups())) if match else None


def parse_curie(entity_id: str) -> Curie | None:
    """Split an id that is a CURIE; None for any other id."""
    match = _CURIE.fullmatch(entity_id)
    return Curie(match[1], match[2]) if match else None


def last_part(iri: str) -> str:
    """Return the part of an IRI that people read, the last one; any other text unchanged."""
    return re.split(r"[/#]", iri.rstrip("/#>"))[-1] or iri if "://" in iri else iri


def spellings_of(entity_id: str) -> Iterator[str]:
    """Yield an id, then its other spellings, the likeliest first."""
    yield entity_id
    curie = curie_of_iri(entity_id) or parse_curie(entity_id)
    if curie is None:
        return
    small = curie.key.partition(":")[0]
    prefixes = dict.fromkeys((curie.prefix, _MIXED_CASE.get(small, small.upper()), small))
    for prefix in prefixes:
        yield f"{prefix}:{curie.local}"
        for scheme in ("http", "https"):
            yield f"{scheme}://purl.obolibrary.org/obo/{prefix}_{curie.local}"
    for scheme in ("http", "https"):
        for prefix in prefixes:
            yield f"{scheme}://identifiers.org/{prefix}:{curie.local}"
            yield f"{scheme}://identifiers.org/{small}/{prefix}:{curie.local}"
        yield f"{scheme}://identifiers.org/{small}/{curie.local}"
    yield f"https://bioregistry.io/{small}:{curie.local}"
