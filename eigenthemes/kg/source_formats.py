"""The format of a source file: detected by content and name, or refused with advice if it is known but not supported."""

from __future__ import annotations

import re
from pathlib import Path

import orjson

from eigenthemes.core.files import COMPRESSED, ZIP
from eigenthemes.errors import SourceError

FORMATS = (
    "nt", "nq", "ttl", "trig", "xml", "jsonld", "wikidata", "obo", "json", "graphml", "csv", "tsv", "jsonl", "parquet", "xlsx",
)  # fmt: skip

_SUFFIXES = {
    ".nt": "nt", ".nq": "nq", ".ttl": "ttl", ".n3": "ttl", ".trig": "trig", ".rdf": "xml", ".owl": "xml", ".xml": "xml",
    ".jsonld": "jsonld", ".graphml": "graphml", ".json": "json", ".dat": "csv",
    ".obo": "obo", ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
    ".xlsx": "xlsx", ".xlsm": "xlsx", ".xlsb": "xlsx", ".ods": "xlsx",
}  # fmt: skip
_PROSE = (".md", ".rst", ".tex", ".docx", ".odt")

_NODE = rb"(?:<[^>]*>|_:\S+)"
_TERM = rb'(?:<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^>]*>)?)'
_TRIPLE = re.compile(rb"\s*" + _NODE + rb"\s+<[^>]*>\s+" + _TERM + rb"\s*\.\s*(?:#.*)?$")
_QUAD = re.compile(rb"\s*" + _NODE + rb"\s+<[^>]*>\s+" + _TERM + rb"\s+" + _NODE + rb"\s*\.\s*(?:#.*)?$")
_PREFIX = re.compile(rb"^\s*@?(?:prefix\s+[\w.-]*:\s*<|base\s+<)", re.IGNORECASE | re.MULTILINE)
_GRAPH = re.compile(rb"^\s*(?:GRAPH\s+)?(?:<[^>]*>|[\w.-]*:[\w.-]*)?\s*\{", re.MULTILINE | re.IGNORECASE)
_GRAPHML = re.compile(rb"<(?:\w+:)?graphml\b")
_NEO4J = re.compile(rb'"type"\s*:\s*"(?:node|relationship)"')
_WIKIDATA = re.compile(rb'"(?:claims|labels|descriptions|sitelinks)"\s*:\s*(?:\{|\[\s*\])')
_OBO_GRAPHS = re.compile(rb'"graphs"\s*:\s*\[')
_JSON_LD = re.compile(rb'"@(?:context|graph|id|type)"\s*:')

_XML = rb"(?:<\?xml[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>\s*)*"
_SQL = rb"(?:/\*.*?\*/\s*|--[^\n]*\n\s*)*(?:DROP TABLE|CREATE TABLE|INSERT INTO|SET SQL_MODE)\b"
_TO_TURTLE = "convert it to Turtle or RDF/XML, e.g. with ROBOT: robot convert, or save it so in Protégé"
_TO_TRIPLES = "ask for triples with CONSTRUCT, and save them as Turtle"
_TO_GRAPHML = "convert it to GraphML, e.g. with networkx.write_graphml"
# (how the file begins, what it is, what to do)
REFUSED: tuple[tuple[bytes, str, str], ...] = (
    (rb"(?:#[^\n]*\n\s*)*(?:Prefix\s*\(|Ontology\s*\()", "OWL in functional syntax", _TO_TURTLE),
    (rb"(?:#[^\n]*\n\s*)*(?:Prefix:\s|Ontology:\s)", "OWL in Manchester syntax", _TO_TURTLE),
    (_XML + rb"<(?:owl:)?Ontology\b", "OWL/XML, which is not RDF", _TO_TURTLE),
    (_XML + rb"<(?:\w+:)?html\b|<!DOCTYPE html", "a web page", "download the file itself, and look at what you got"),
    (_XML + rb"<gexf\b", "GEXF", "export it as GraphML or CSV, e.g. with Gephi"),
    (_XML + rb"<sparql\b", "a result of SPARQL", _TO_TRIPLES),
    (rb"\{\s*\"head\"\s*:\s*\{[^}]*\"vars\"", "a result of SPARQL", _TO_TRIPLES),
    (
        _XML + rb"<(?:DescriptorRecordSet|mediawiki|Workbook|TEI|records)\b",
        "XML, but neither RDF/XML nor GraphML",
        "make a table of nodes and one of edges of it",
    ),
    (rb"%PDF-", "a PDF", "give the data behind it as RDF, OBO or a table"),
    (rb"SQLite format 3\0", "a database of SQLite", "export its tables, e.g. sqlite3 -header -csv {name} 'SELECT ...'"),
    (rb"\xd0\xcf\x11\xe0", "an old spreadsheet or document of Office", "save its sheet as CSV"),
    (rb"\$HDT", "HDT", "convert it, e.g. hdt2rdf.sh {name} {stem}.nt"),
    (rb"\x89HDF\r\n", "HDF5", "write its tables as CSV or Parquet"),
    (rb"\x80[\x02-\x05]", "a pickle of Python, which could run anything", "write its records as JSON lines or Parquet"),
    (
        rb"DZV1|neo4j-dump",
        "a dump of Neo4j",
        "load it, and export it: CALL apoc.export.json.all(...) or apoc.export.graphml.all(...)",
    ),
    (_SQL, "SQL", "load it, and export its tables as CSV"),
    (
        rb"(?:\s*//[^\n]*\n)*\s*(?::begin|(?:CREATE|MERGE|UNWIND)\s*[\(\[:])",
        "a Cypher script",
        "run it, and export the graph: CALL apoc.export.json.all(...)",
    ),
    (rb"(?:Creator [^\n]*\n)?(?:Version [^\n]*\n)?graph\s*\[", "GML", _TO_GRAPHML),
    (rb"\s*(?:strict\s+)?(?:di)?graph\s*[\w\"]*\s*\{", "a drawing for Graphviz", _TO_GRAPHML),
    (rb"(?:C\d{7}\|[^\n]*\|\r?\n)", "a file of UMLS (RRF)", "write it as TSV with a header: id, name, type"),
)


def refuse_unsupported(head: bytes, name: str) -> None:
    """Raise SourceError for a file of a known format that is not supported."""
    if name.lower().endswith(_PROSE):
        raise SourceError(
            f"{name} is a text for people, not a knowledge graph; build a KB from RDF, OBO or tables first, then link the text",
            code="format-refused",
            where=name,
        )
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    for pattern, format_name, remedy in REFUSED:
        if re.match(pattern, text, re.DOTALL | re.IGNORECASE):
            remedy = remedy.format(name=name, stem=name.partition(".")[0] or name)
            raise SourceError(f"{name} is {format_name}, which is not read; {remedy}", code="format-refused", where=name)


def detect_format(head: bytes, name: str) -> str | None:
    """Detect the format by content first, then by name: a wrong suffix is common, a wrong content is not."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(ZIP):
        return "xlsx"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    lines = [line.rstrip() for line in text.split(b"\n") if line.strip() and not line.lstrip().startswith(b"#")]
    first = lines[0] if lines else b""
    if first.startswith((b"{", b"[")) and not re.match(rb"\[\w+\]", first):
        return "wikidata" if _WIKIDATA.search(text) and not _NEO4J.search(text) else _detect_json(text)
    if first.startswith((b"<?xml", b"<rdf:RDF", b"<graphml", b"<!DOCTYPE", b"<!--")):
        return "graphml" if _GRAPHML.search(text) else "xml"
    if first.startswith(b"format-version:") or re.search(rb"^\[Term\]\s*$", text, re.MULTILINE):
        return "obo"
    suffixes = [suffix.lower() for suffix in Path(name).suffixes if suffix.lower() not in COMPRESSED]
    suffix = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    return _detect_rdf(text, lines, suffix) or _detect_table(lines) or suffix


def _detect_json(text: bytes) -> str:
    """Return jsonld, json (one value) or jsonl (one record per line)."""
    if _OBO_GRAPHS.search(text):
        return "json"
    if _JSON_LD.search(text):
        return "jsonld"
    lines = (line.strip().removeprefix(b"[").removesuffix(b"]").rstrip(b", ") for line in text.split(b"\n"))
    first = next((line for line in lines if line), b"{}")
    try:
        record = orjson.loads(first)
    except orjson.JSONDecodeError:
        return "json"
    return "json" if isinstance(record, dict) and isinstance(record.get("nodes"), list) else "jsonl"


def _detect_rdf(text: bytes, lines: list[bytes], suffix: str | None) -> str | None:
    """Detect N-Triples and N-Quads by lines that are complete statements, Turtle and TriG by their prefixes or name."""
    quads = sum(1 for line in lines if _QUAD.match(line))
    statements = quads + sum(1 for line in lines if _TRIPLE.match(line))
    continues = any(line.endswith((b";", b",")) for line in lines)  # as in Turtle
    by_line = 2 * statements >= len(lines) or (statements and suffix in ("nt", "nq") and not continues)
    if lines and by_line and not _PREFIX.search(text):
        return "nq" if quads or suffix == "nq" else "nt"
    if _PREFIX.search(text) or suffix in ("ttl", "trig", "nt", "nq"):
        return "trig" if suffix in ("trig", "nq") or _GRAPH.search(text) else "ttl"
    return None


def _detect_table(lines: list[bytes]) -> str | None:
    first = lines[0] if lines else b""
    if b"\t" in first:
        return "tsv"
    return "csv" if b"," in first or b";" in first else None
