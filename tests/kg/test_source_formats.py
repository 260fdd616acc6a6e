"""What is told where a file cannot be read, or an option names what the sources lack: one sentence each, with the remedy."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import assert_one_sentence, call

from eigenthemes.kg.source_formats import REFUSED

RDFS = "http://www.w3.org/2000/01/rdf-schema#"
TTL = f'@prefix e: <http://e.org/> . @prefix rdfs: <{RDFS}> . e:a rdfs:label "Ada"@en ; e:nick "A" .'
NODES = "id\tname\n1\tAda\n"
SENTENCES: list[tuple[str, str, list[str], list[str]]] = [
    (
        "o.ofn",
        "Prefix(:=<http://e.org/>)\nOntology(<http://e.org/>\n)",
        [],
        ["OWL in functional syntax", "robot convert"],
    ),
    (
        "o.omn",
        "Prefix: : <http://e.org/>\nOntology: <http://e.org/>\nClass: :a",
        [],
        ["OWL in Manchester syntax", "robot convert"],
    ),
    ("o.owx", '<?xml version="1.0"?>\n<Ontology xmlns="http://www.w3.org/2002/07/owl#">', [], ["OWL/XML", "robot convert"]),
    ("kg.ttl", "<!DOCTYPE html>\n<html><body>Sign in</body></html>", [], ["a web page", "download the file itself"]),
    ("kg.gexf", '<?xml version="1.0"?><gexf version="1.2">', [], ["GEXF", "as GraphML or CSV"]),
    ("r.srx", '<?xml version="1.0"?><sparql xmlns="x">', [], ["a result of SPARQL", "CONSTRUCT"]),
    ("r.json", '{"head": {"vars": ["a"]}, "results": {}}', [], ["a result of SPARQL", "CONSTRUCT"]),
    ("mesh.xml", '<?xml version="1.0"?>\n<DescriptorRecordSet>', [], ["neither RDF/XML nor GraphML", "a table of nodes"]),
    ("kg.pdf", "%PDF-1.7\n", [], ["a PDF"]),
    (
        "note.txt",
        "The museum's curators, who collect old books of the town, met today.\nThey talked.\n",
        [],
        ["begins with a sentence", "or tables with a header"],
    ),
    ("README.md", "# My graph\n\nIt has nodes, and edges.\n", [], ["a text for people", "build a KB from RDF"]),
    ("kg.db", "SQLite format 3\0", [], ["a database of SQLite", "sqlite3 -header -csv kg.db"]),
    ("kg.hdt", "$HDT\1", [], ["HDT", "hdt2rdf.sh kg.hdt kg.nt"]),
    ("kg.sql", "-- dump\nCREATE TABLE a (b int);", [], ["SQL", "as CSV"]),
    ("kg.cypher", "CREATE (:Person {name: 'Ada'})", [], ["a Cypher script", "apoc.export.json.all"]),
    ("kg.gml", "graph [\n node [ id 1 ] ]", [], ["GML", "networkx.write_graphml"]),
    ("kg.dot", "digraph G { a -> b }", [], ["Graphviz", "networkx.write_graphml"]),
    ("MRCONSO.RRF", "C0000005|ENG|P|L0000005|PF|S0007492|Y|A26634265||M0019694|D012711|MSH|\n", [], ["UMLS (RRF)"]),
    (
        "airports.dat",
        '1,"Goroka Airport","Goroka"\n',
        [],
        ["seems to have no header", "--no-header --column airports.dat:id=1"],
    ),
    (
        "c.csv",
        '"Aruba","AW","AA"\n"Chad","TD","CD"\n',
        [],
        ["if it is data", "--column id=Aruba, or --no-header --column id=1"],
    ),
    ("kg.ttl", TTL, ["--label", "e:nik"], ["the predicate e:nik that was given for label", "the nearest that does is e:nick"]),
    ("kg.ttl", TTL, ["--alias", "e:zzz"], ["e:zzz that was given for alias", "the sources have e:nick, rdfs:label"]),
    ("kg.ttl", TTL, ["--type", "rdf:tipe"], ["rdf:tipe that was given for type"]),
    ("kg.ttl", TTL, ["--lang", "german"], ["no name is tagged german", "names in en (1)", "--lang en"]),
    ("kg.ttl", TTL, ["--lang", "english"], ["en is meant", "--lang en"]),
    ("n.tsv", NODES, ["--column", "aliases=nam"], ["no table has the column nam", "the nearest that one has is name"]),
    ("n.tsv", NODES, ["--column", "m.tsv:name=name"], ["the file m.tsv, which is no source", "--column n.tsv:name=name"]),
    ("n.tsv", NODES, ["--column", "farbe=name"], ["column role 'farbe' is unknown", "expected one of id, name"]),
    (
        "kg.jsonld",
        '{"@context": "https://schema.org/", "@id": "a", "name": "b"}',
        [],
        ["remote @context", "write the context into"],
    ),
]


@pytest.mark.parametrize(("name", "text", "options", "words"), SENTENCES, ids=[f"{s[0]} {s[2]}" for s in SENTENCES])
def test_each_is_one_sentence_with_the_remedy(
    tmp_path: Path, name: str, text: str, options: list[str], words: list[str]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert_one_sentence(call("build", tmp_path / name, "-o", tmp_path / "my.kb", "--no-train", *options), *words)
    assert not (tmp_path / "my.kb").exists()


def test_files_that_are_read_are_not_refused() -> None:
    for head in (
        b"@prefix e: <http://e.org/> .",
        b'<?xml version="1.0"?><rdf:RDF>',
        b"format-version: 1.2",
        b"graph,id\n",
        b"create,b\n",
    ):
        assert not [name for pattern, name, _ in REFUSED if re.match(pattern, head, re.DOTALL | re.IGNORECASE)]


def test_a_language_that_is_missing_among_others_is_noted(tmp_path: Path) -> None:
    (tmp_path / "kg.ttl").write_text(TTL, encoding="utf-8")
    options: list[Any] = ["--no-train", "--embedding", "none", "--lang", "de,en"]
    done = call("build", tmp_path / "kg.ttl", "-o", tmp_path / "my.kb", *options)
    assert "note: no name is tagged de; the sources have en (1)" in done.stderr
    assert done.returncode == 0
