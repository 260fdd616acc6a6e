"""NIF 2.0, in the layouts that corpora have it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from helpers.format_files import OTHER, PREFIXES, RUNNER
from helpers.gold_files import refusal, write
from helpers.linked import link_of

from eigenthemes.documents.nif import HEAD, nif_of, read_nif
from eigenthemes.documents.reader import DocumentFiles, parse_record, read_documents, read_gold
from eigenthemes.records import Document, LinkedDocument, Mention


def test_phrases_of_contexts(tmp_path: Path) -> None:
    first, second = read_gold(write(tmp_path, "x.ttl", RUNNER + OTHER))
    assert first.id == "http://example.org/runner"
    assert first.mentions == (  # in order of the text; what is said of a mere token is no mention
        Mention("Ingrid Solberg", 0, 14, gold=()),
        Mention("Paris", 33, 38, gold=("http://dbpedia.org/resource/Paris",)),
        Mention("Italian", 48, 55),
    )
    assert (second.id, second.text) == ("http://example.org/two", "🦊 Rome")
    assert second.mentions == (Mention("Rome", 2, 6, gold=("http://dbpedia.org/resource/Rome",)),)  # counted by Java


def test_other_statements_are_kept(tmp_path: Path) -> None:
    import pyoxigraph

    (document,) = read_documents(write(tmp_path, "x.ttl", RUNNER))
    links = tuple(link_of(each, each.gold[0] if each.gold else None) for each in document.mentions or ())
    written = set(
        pyoxigraph.parse(io.BytesIO(HEAD + nif_of(LinkedDocument(document, links), 1)), format=pyoxigraph.RdfFormat.TURTLE)
    )
    texts = {f"{quad.subject} {quad.predicate} {quad.object}" for quad in written}
    assert any("sourceUrl> <http://example.org/article>" in each for each in texts)
    assert any("DUL.owl#Place>" in each for each in texts)
    assert any('isString> "Ingrid Solberg' in each and each.endswith("@en") for each in texts)
    assert sum("taIdentRef" in each for each in texts) == 1


def test_annotation_units_of_nif_2_1(tmp_path: Path) -> None:
    data = (
        PREFIXES
        + """
@prefix ann: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-annotation#> .
<http://example.org/a#offset_0_11> a nif:Context, nif:OffsetBasedString ; nif:isString "Rome by sea" .
<http://example.org/a#offset_0_4> a nif:OffsetBasedString, ann:EntityOccurrence ; nif:anchorOf "Rome"^^xsd:string ;
    nif:beginIndex "0"^^xsd:nonNegativeInteger ; nif:endIndex "4"^^xsd:nonNegativeInteger ;
    nif:referenceContext <http://example.org/a#offset_0_11> ; ann:entityOccurrenceConf 0.9 ;
    ann:annotationUnit [ itsrdf:taIdentRef dbpedia:Rome ; itsrdf:taConfidence 0.8 ], [ itsrdf:taIdentRef dbpedia:Roma ] .
"""
    )
    (document,) = read_gold(write(tmp_path, "x.ttl", data))
    both = ("http://dbpedia.org/resource/Rome", "http://dbpedia.org/resource/Roma")
    assert document.mentions == (Mention("Rome", 0, 4, gold=both),)
    written = HEAD + nif_of(LinkedDocument(document, (link_of(document.mentions[0], both[0]),)), 1)
    assert b"_:" not in written  # no unit that nothing is said of
    (again,) = read_nif(io.BytesIO(written))
    assert isinstance(again, Document)
    assert [mention.gold for mention in again.mentions or ()] == [both[:1]]


def test_n_triples_are_turtle(tmp_path: Path) -> None:
    import pyoxigraph

    data = pyoxigraph.serialize(
        pyoxigraph.parse(RUNNER.encode(), format=pyoxigraph.RdfFormat.TURTLE), format=pyoxigraph.RdfFormat.N_TRIPLES
    )
    assert data is not None
    (document,) = read_gold(write(tmp_path, "x.nt", data))
    assert len(document.mentions or ()) == 3


def test_what_came_before_a_broken_line_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "x.ttl", RUNNER + "\n<http://example.org/three> nif:isString oops oops .\n")
    first, broken = DocumentFiles(path)
    assert parse_record(first).id == "http://example.org/runner"
    message = refusal(lambda: parse_record(broken))
    assert message.startswith("broken Turtle (")
    assert message.endswith("what came before was read: mend the file")
    assert broken.line == len(RUNNER.splitlines()) + 2


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"33"^^xsd:nonNegativeInteger', '"x"', "a phrase has the span ['x', '38']; expected nif:beginIndex and nif:endIndex"),
        ('"33"^^xsd:nonNegativeInteger', "34", "'Paris' is marked at 34 38, but 'aris' stands there"),
        ('"33"^^xsd:nonNegativeInteger', "3300", "the span 3300 38 is no part of the text, which has 70 code points"),
    ],
)
def test_a_broken_document_costs_no_other(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    first, second = DocumentFiles(write(tmp_path, "x.ttl", RUNNER.replace(old, new) + OTHER))
    assert sentence in refusal(lambda: parse_record(first))
    assert parse_record(second).id == "http://example.org/two"


def test_a_file_without_a_text(tmp_path: Path) -> None:
    path = write(tmp_path, "x.ttl", PREFIXES + "<http://example.org/a> nif:beginIndex 0 .\n")
    assert "the file has no text; expected a nif:Context with nif:isString" in refusal(lambda: list(read_documents(path)))


def test_statements_that_somebody_changed_in_the_json_are_left_out() -> None:
    source = {"nif": {"iri": "no iri <", "statements": [["http://a/b", "<http://c> . <x> <y> <z>"], ["p", 5], "x"]}}
    written = nif_of(LinkedDocument(Document(id="1", text="Ada", source=source), (link_of(Mention("Ada", 0, 3), "Q 1"),)), 1)
    (document,) = read_nif(io.BytesIO(HEAD + written))
    assert isinstance(document, Document)
    assert (document.id, [mention.gold for mention in document.mentions or ()]) == ("1", [("Q 1",)])
