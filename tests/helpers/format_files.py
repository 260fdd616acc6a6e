"""Files of the formats of others, in the layouts that their documentation shows: BRAT, PubTator, BioC JSON, NIF."""

from __future__ import annotations

from typing import Any

SONY = "Sony formed a joint venture with Ericsson, a mobile phone company based in Sweden.\nSony announced today that ...\n"
SONY_ANN = """T1\tOrganization 0 4\tSony
T2\tMERGE-ORG 14 27\tjoint venture
T3\tOrganization 33 41\tEricsson
E1\tMERGE-ORG:T2 Org1:T1 Org2:T3
T4\tCountry 75 81\tSweden
R1\tOrigin Arg1:T3 Arg2:T4
*\tEquiv T1 T3
A1\tConfidence E1 L1
#1\tAnnotatorNotes T1\tthe parent company
N1\tReference T1 Wikipedia:27848\tSony
N2\tReference T1 freebase:/m/0bmjq
"""

LIDOCAINE = """354896|t|Lidocaine-induced cardiac asystole.
354896|a|Intravenous administration of a single 50-mg bolus of lidocaine in a 67-year-old man ...
354896\t0\t9\tLidocaine\tChemical\tD008012
354896\t18\t34\tcardiac asystole\tDisease\tD006323
354896\t90\t99\tlidocaine\tChemical\tD008012
354896\tCID\tD008012\tD006323

"""

TITLE = "A made-up study of the gene estrogen receptor 1 in forty patients with multiple sclerosis."


def annotation(number: int, name: str, offset: int, **infons: str) -> dict[str, Any]:
    return {"id": str(number), "infons": infons, "text": name, "locations": [{"offset": offset, "length": len(name)}]}


COLLECTION: dict[str, Any] = {
    "source": "PubTator",
    "date": "2020",
    "key": "BioC.key",
    "infons": {"made": "by hand"},
    "documents": [
        {
            "id": "12098649",
            "infons": {"licence": "x"},
            "passages": [
                {
                    "infons": {"type": "title"},
                    "offset": 0,
                    "text": TITLE,
                    "annotations": [
                        annotation(1, "estrogen receptor 1", 28, type="Gene", identifier="2099"),
                        annotation(2, "multiple sclerosis", 71, type="Disease", identifier="MESH:D009103"),
                    ],
                    "relations": [{"id": "R0", "infons": {}, "nodes": [{"refid": "1", "role": ""}]}],
                },
                {
                    "infons": {"type": "abstract"},
                    "offset": len(TITLE) + 1,
                    "text": "ESR1 and MS.",
                    "annotations": [annotation(3, "ESR1", len(TITLE) + 1, type="Gene", NCBI_Gene="2099")],
                },
            ],
        }
    ],
}

PREFIXES = """@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .
@prefix itsrdf: <http://www.w3.org/2005/11/its/rdf#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix dbpedia: <http://dbpedia.org/resource/> .
"""
RUNNER = (
    PREFIXES
    + """
<http://example.org/runner#char=0,70>
    a nif:String, nif:RFC5147String, nif:Context ;
    nif:beginIndex "0"^^xsd:nonNegativeInteger ; nif:endIndex "70"^^xsd:nonNegativeInteger ;
    nif:sourceUrl <http://example.org/article> ;
    nif:isString "Ingrid Solberg ran – in May – to Paris with two Italian rivals beside."@en .

<http://example.org/runner#char=33,38>
    a nif:String, nif:RFC5147String, nif:Phrase ;
    nif:anchorOf "Paris"@en ;
    nif:beginIndex "33"^^xsd:nonNegativeInteger ; nif:endIndex "38"^^xsd:nonNegativeInteger ;
    nif:referenceContext <http://example.org/runner#char=0,70> ;
    itsrdf:taIdentRef dbpedia:Paris ;
    itsrdf:taClassRef <http://www.ontologydesignpatterns.org/ont/dul/DUL.owl#Place> .

<http://example.org/runner#char=0,14>
    a nif:String, nif:RFC5147String, nif:Phrase ;
    nif:beginIndex 0 ; nif:endIndex 14 ;
    nif:referenceContext <http://example.org/runner#char=0,70> ;
    itsrdf:taIdentRef <http://aksw.org/notInWiki/Ingrid_Solberg> .

<http://example.org/runner#char=48,55>
    a nif:Phrase ; nif:beginIndex 48 ; nif:endIndex 55 ; nif:referenceContext <http://example.org/runner#char=0,70> .

<http://example.org/runner#char=56,62>
    a nif:Word ; nif:beginIndex 56 ; nif:endIndex 62 ; nif:referenceContext <http://example.org/runner#char=0,70> .
"""
)
OTHER = """
<http://example.org/two#offset_0_6> a nif:Context ; nif:isString "🦊 Rome" .
<http://example.org/two#offset_3_7> nif:referenceContext <http://example.org/two#offset_0_6> ; nif:anchorOf "Rome" ;
    nif:beginIndex 3 ; nif:endIndex 7 ; itsrdf:taIdentRef dbpedia:Rome .
"""
