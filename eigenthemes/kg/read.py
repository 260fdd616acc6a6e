"""From source files to statements: find the format, choose the reader, read in blocks where the format allows it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from eigenthemes.core.files import BLOCK, SNIFF, ZIP, Source, check_readable, source_size
from eigenthemes.core.progress import Advance, Progress, Silent
from eigenthemes.core.scratch import Scratch
from eigenthemes.core.spill import SpillScratch
from eigenthemes.core.workers import Workers
from eigenthemes.errors import OptionError, SourceError
from eigenthemes.kg.json_graphs import detect_json, read_json
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.owl import settle_ontologies
from eigenthemes.kg.parts import Parts
from eigenthemes.kg.refusals import refuse_by_name
from eigenthemes.kg.relations import settle_relations
from eigenthemes.kg.same_ids import join_spellings
from eigenthemes.kg.statements import Statements
from eigenthemes.kg.suggestions import check_languages, check_predicates, nearest_of

FORMATS = (
    "nt", "nq", "ttl", "trig", "xml", "jsonld", "wikidata", "obo", "json", "graphml", "csv", "tsv", "jsonl", "parquet", "xlsx",
)  # fmt: skip

_SUFFIXES = {
    ".nt": "nt", ".nq": "nq", ".ttl": "ttl", ".n3": "ttl", ".trig": "trig", ".rdf": "xml", ".owl": "xml", ".xml": "xml",
    ".jsonld": "jsonld", ".graphml": "graphml", ".json": "json", ".dat": "csv",
    ".obo": "obo", ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
    ".xlsx": "xlsx", ".xlsm": "xlsx", ".xlsb": "xlsx", ".ods": "xlsx",
}  # fmt: skip
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")

_NODE = rb"(?:<[^>]*>|_:\S+)"
_TERM = rb'(?:<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^>]*>)?)'
_TRIPLE = re.compile(rb"\s*" + _NODE + rb"\s+<[^>]*>\s+" + _TERM + rb"\s*\.\s*(?:#.*)?$")
_QUAD = re.compile(rb"\s*" + _NODE + rb"\s+<[^>]*>\s+" + _TERM + rb"\s+" + _NODE + rb"\s*\.\s*(?:#.*)?$")
_PREFIX = re.compile(rb"^\s*@?(?:prefix\s+[\w.-]*:\s*<|base\s+<)", re.IGNORECASE | re.MULTILINE)
_GRAPH = re.compile(rb"^\s*(?:GRAPH\s+)?(?:<[^>]*>|[\w.-]*:[\w.-]*)?\s*\{", re.MULTILINE | re.IGNORECASE)
_GRAPHML = re.compile(rb"<(?:\w+:)?graphml\b")
_NEO4J = re.compile(rb'"type"\s*:\s*"(?:node|relationship)"')
_WIKIDATA = re.compile(rb'"(?:claims|labels|descriptions|sitelinks)"\s*:\s*(?:\{|\[\s*\])')


def read_sources(
    paths: Sequence[str | Path],
    options: ReadOptions | None = None,
    *,
    format_name: str | None = None,
    workers: Workers | None = None,
    progress: Progress | None = None,
    scratch: Scratch | None = None,
) -> tuple[Statements, list[dict[str, Any]]]:
    """Read the statements of all files together, and return them and what the manifest says of the files.

    scratch  where they are kept; one that spills gets them as Arrow parts while the files are read
    """
    options, progress = options or ReadOptions(), progress or Silent()
    if format_name is not None and format_name not in FORMATS:
        raise OptionError(f"format {format_name!r} is unknown; expected one of {', '.join(FORMATS)}")
    options.check_files([Path(path).name for path in paths])
    for path in paths:
        check_readable(path)
    statements = Statements(strict=options.strict, scratch=scratch)
    parts = Parts(scratch) if isinstance(scratch, SpillScratch) else None
    statements.ids = statements.ids if parts is None else parts.ids
    described = []
    for number, path in enumerate(paths):
        step = progress.step(f"reading {Path(path).name}", total=source_size(path), unit="bytes")
        with step as advance:
            on_read = _spilling(advance, statements, parts)
            with Source(path, statements.diagnostics, on_read, spreadsheets=True, hashed=True) as source:
                _read_source(source, format_name, options, number, workers or Workers(1), statements)
                described.append(source.description())
    if parts is not None:
        parts.settle(statements)
    settle_ontologies(statements, options)
    join_spellings(statements)
    settle_relations(statements)
    statements.check_records()
    _check_options(options, statements)
    if options.sitelink and statements.size("record_node"):
        for node in set(statements.ids.values()) - set(statements.numbers("record_node").tolist()):
            statements.leave_out(node, f"no {options.sitelink} sitelink")
    return statements, described


def _spilling(advance: Advance, statements: Statements, parts: Parts | None) -> Advance:
    """Return what to call when some bytes of a source are read: between two statements, whatever the format."""
    if parts is None:
        return advance

    def read(amount: float) -> None:
        advance(amount)
        parts.write_if_large(statements)

    return read


def _check_options(options: ReadOptions, statements: Statements) -> None:
    """Refuse what would be overlooked in silence: predicates with an unknown prefix, columns that no table has."""
    for role, column in options.columns:
        if column not in statements.columns_seen:
            nearest = nearest_of(column, list(statements.columns_seen))
            remedy = f"the nearest that one has is {nearest}" if nearest else "check its spelling"
            raise OptionError(
                f"no table has the column {column} that was given as {role}; {remedy}",
                code="column-unknown",
                where=f"{role}={nearest or column}",
            )
    if options.label or options.alias or options.description or options.type or options.prior:
        from eigenthemes.kg.rdf import check_prefixes

        check_prefixes(options, statements.prefixes)
        check_predicates(options, statements)
    check_languages(options, statements)


def detect_format(head: bytes, name: str) -> str | None:
    """Detect the format by content first, then by name: a wrong suffix is common, a wrong content is not."""
    suffix = _suffix(name)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(ZIP):
        return "xlsx"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    lines = [line.rstrip() for line in text.split(b"\n") if line.strip() and not line.lstrip().startswith(b"#")]
    first = lines[0] if lines else b""
    if first.startswith((b"{", b"[")) and not re.match(rb"\[\w+\]", first):
        return "wikidata" if _WIKIDATA.search(text) and not _NEO4J.search(text) else detect_json(text)
    if first.startswith((b"<?xml", b"<rdf:RDF", b"<graphml", b"<!DOCTYPE", b"<!--")):
        return "graphml" if _GRAPHML.search(text) else "xml"
    if first.startswith(b"format-version:") or re.search(rb"^\[Term\]\s*$", text, re.MULTILINE):
        return "obo"
    return _detect_rdf(text, lines, suffix) or _detect_table(lines) or suffix


def _detect_rdf(text: bytes, lines: list[bytes], suffix: str | None) -> str | None:
    """N-Triples and N-Quads where lines are whole statements; Turtle and TriG by their prefixes or name."""
    quads = sum(1 for line in lines if _QUAD.match(line))
    triples = sum(1 for line in lines if _TRIPLE.match(line))
    statements = quads + triples
    by_line = 2 * statements >= len(lines) or (statements and suffix in ("nt", "nq") and not _goes_on(lines))
    if lines and by_line and not _PREFIX.search(text):
        return "nq" if quads or suffix == "nq" else "nt"
    if _PREFIX.search(text) or suffix in ("ttl", "trig", "nt", "nq"):
        return "trig" if suffix in ("trig", "nq") or _GRAPH.search(text) else "ttl"
    return None


def _goes_on(lines: list[bytes]) -> bool:
    """Return whether a statement goes on in the next line, as in Turtle."""
    return any(line.endswith((b";", b",")) for line in lines)


def _detect_table(lines: list[bytes]) -> str | None:
    first = lines[0] if lines else b""
    if b"\t" in first:
        return "tsv"
    if first.isdigit() and len(lines) > 1 and len(lines[1].split()) > 1:
        return "tsv"  # OpenKE: a count, then rows
    return "csv" if b"," in first or b";" in first else None


def _suffix(name: str) -> str | None:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes if suffix.lower() not in _COMPRESSED]
    return _SUFFIXES.get(suffixes[-1]) if suffixes else None


def _read_source(
    source: Source, format_name: str | None, options: ReadOptions, number: int, workers: Workers, statements: Statements
) -> None:
    if not source.head.removeprefix(b"\xef\xbb\xbf").strip():
        if len(source.head) < SNIFF:
            statements.diagnostics.add("empty file", source.name)
        else:
            detail = f"it begins with {SNIFF:,} bytes of white space; nothing behind them is read"
            statements.diagnostics.add("given up", source.name, detail)
        return
    if format_name is None:
        refuse_by_name(source.head, source.name)
    source_format = format_name or detect_format(source.head, source.path)
    if source_format is None:
        raise SourceError(
            f"the format of {source.name} was not recognised by its content or name; say which it is: {', '.join(FORMATS)}",
            code="format-unknown",
            where=source.name,
        )
    statements.begin_file(source.name)
    nodes = "" if number == 0 else f"{number}#"  # keeps the blank nodes of two files apart: no label has a #
    if source_format in ("nt", "nq"):
        from eigenthemes.kg import rdf

        read = partial(rdf.read_block, format_name=source_format, options=options, origin=source.name, nodes=nodes)
        _read_blocks(source, read, workers, statements)
    elif source_format == "wikidata":
        from eigenthemes.kg import wikidata

        _read_blocks(source, partial(wikidata.read_block, options=options, origin=source.name), workers, statements)
    elif source_format in ("ttl", "trig", "xml", "jsonld"):
        from eigenthemes.kg import rdf

        stream = source.xml() if source_format == "xml" else source.text()
        namespaces = rdf.xml_namespaces(source.head) if source_format == "xml" else {}
        rdf.read_stream(
            stream, source_format, statements, options=options, origin=source.name, nodes=nodes, namespaces=namespaces
        )
    elif source_format == "obo":
        from eigenthemes.kg import obo

        obo.read_lines(source.lines(), options, source.name, statements)
    elif source_format == "json":
        read_json(source.text().read(), options, source.name, statements)
    else:
        _read_table(source, source_format, options, statements)


def _read_table(source: Source, source_format: str, options: ReadOptions, statements: Statements) -> None:
    from eigenthemes.kg.tabular import TableReader

    reader = TableReader(statements, options, source.name)
    if source_format == "graphml":
        from eigenthemes.kg.graphml import read_graphml

        read_graphml(source.xml(), reader)
    elif source_format == "jsonl":
        reader.read_json_lines(source.lines())
    elif source_format == "parquet":
        # Parquet is read from its end: a plain file is opened again, a compressed one or stdin is taken into memory
        plain = source.path != "-" and _starts_with(source.path, b"PAR1")
        reader.read_parquet(source.path if plain else io.BytesIO(source.stream.read()))
    elif source_format == "xlsx":
        from eigenthemes.kg.spreadsheets import read_workbook

        read_workbook(source.stream.read(), options, source.name, statements)
    else:
        first = source.head.split(b"\n")[0]
        comma = ";" if first.count(b";") > first.count(b",") else ","
        reader.read_delimited(source.text(), "\t" if source_format == "tsv" else comma)


def _starts_with(path: str, magic: bytes) -> bool:
    with open(path, "rb") as file:
        return file.read(len(magic)) == magic


def _read_blocks(source: Source, read: Callable[[bytes, int], Statements], workers: Workers, statements: Statements) -> None:
    """Read block by block, by several processes where there is more than one block; merged in file order."""
    blocks = source.blocks()
    first = next(blocks)
    for block_statements in workers.map(read, chain([first], blocks), many=len(first[0]) > BLOCK // 2):
        statements.merge(block_statements)
