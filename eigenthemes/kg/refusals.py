"""Files that people try and that are not read: each is refused by its name, with what makes of it a file that is."""

from __future__ import annotations

import re
from typing import NamedTuple

from eigenthemes.errors import SourceError


class Refusal(NamedTuple):
    """A format by how its files begin, what it is called, and what to do."""

    begins: re.Pattern[bytes]
    name: str
    remedy: str


_PROSE = (".md", ".rst", ".tex", ".docx", ".odt")
_ROBOT = "convert it to Turtle or RDF/XML, e.g. with ROBOT: robot convert, or save it so in Protégé"
_XML = rb"(?:<\?xml[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>\s*)*"


def _refusal(pattern: bytes, name: str, remedy: str) -> Refusal:
    return Refusal(re.compile(pattern, re.DOTALL | re.IGNORECASE), name, remedy)


REFUSALS = (
    _refusal(rb"(?:#[^\n]*\n\s*)*(?:Prefix\s*\(|Ontology\s*\()", "OWL in functional syntax", _ROBOT),
    _refusal(rb"(?:#[^\n]*\n\s*)*(?:Prefix:\s|Ontology:\s)", "OWL in Manchester syntax", _ROBOT),
    _refusal(_XML + rb"<(?:owl:)?Ontology\b", "OWL/XML, which is not RDF", _ROBOT),
    _refusal(_XML + rb"<(?:\w+:)?html\b|<!DOCTYPE html", "a web page", "download the file itself, and look at what you got"),
    _refusal(_XML + rb"<gexf\b", "GEXF", "export it as GraphML or CSV, e.g. with Gephi"),
    _refusal(_XML + rb"<sparql\b", "a result of SPARQL", "ask for triples with CONSTRUCT, and save them as Turtle"),
    _refusal(
        rb"\{\s*\"head\"\s*:\s*\{[^}]*\"vars\"", "a result of SPARQL", "ask for triples with CONSTRUCT, and save them as Turtle"
    ),
    _refusal(
        _XML + rb"<(?:DescriptorRecordSet|mediawiki|Workbook|TEI|records)\b",
        "XML, but neither RDF/XML nor GraphML",
        "make a table of nodes and one of edges of it",
    ),
    _refusal(rb"%PDF-", "a PDF", "give the data behind it as RDF, OBO or a table"),
    _refusal(rb"SQLite format 3\0", "a database of SQLite", "export its tables, e.g. sqlite3 -header -csv {name} 'SELECT ...'"),
    _refusal(rb"\xd0\xcf\x11\xe0", "an old spreadsheet or document of Office", "save its sheet as CSV"),
    _refusal(rb"\$HDT", "HDT", "convert it, e.g. hdt2rdf.sh {name} {stem}.nt"),
    _refusal(rb"\x89HDF\r\n", "HDF5", "write its tables as CSV or Parquet"),
    _refusal(rb"\x80[\x02-\x05]", "a pickle of Python, which could run anything", "write its records as JSON lines or Parquet"),
    _refusal(
        rb"DZV1|neo4j-dump",
        "a dump of Neo4j",
        "load it, and export it: CALL apoc.export.json.all(...) or apoc.export.graphml.all(...)",
    ),
    _refusal(
        rb"(?:/\*.*?\*/\s*|--[^\n]*\n\s*)*(?:DROP TABLE|CREATE TABLE|INSERT INTO|SET SQL_MODE)\b",
        "SQL",
        "load it, and export its tables as CSV",
    ),
    _refusal(
        rb"(?:\s*//[^\n]*\n)*\s*(?::begin|(?:CREATE|MERGE|UNWIND)\s*[\(\[:])",
        "a Cypher script",
        "run it, and export the graph: CALL apoc.export.json.all(...)",
    ),
    _refusal(
        rb"(?:Creator [^\n]*\n)?(?:Version [^\n]*\n)?graph\s*\[",
        "GML",
        "convert it to GraphML, e.g. with networkx.write_graphml",
    ),
    _refusal(
        rb"\s*(?:strict\s+)?(?:di)?graph\s*[\w\"]*\s*\{",
        "a drawing for Graphviz",
        "convert it to GraphML, e.g. with networkx.write_graphml",
    ),
    _refusal(rb"(?:C\d{7}\|[^\n]*\|\r?\n)", "a file of UMLS (RRF)", "write it as TSV with a header: id, name, type"),
)


def refuse_by_name(head: bytes, name: str) -> None:
    """Raise the sentence for a file of a format that is known and not read."""
    if name.lower().endswith(_PROSE):
        raise SourceError(
            f"{name} is a text for people, not a knowledge graph; build a KB from RDF, OBO or tables first, then link the text",
            code="format-refused",
            where=name,
        )
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    for refusal in REFUSALS:
        if refusal.begins.match(text):
            remedy = refusal.remedy.format(name=name, stem=name.partition(".")[0] or name)
            raise SourceError(f"{name} is {refusal.name}, which is not read; {remedy}", code="format-refused", where=name)
