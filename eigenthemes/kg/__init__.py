"""From source files to facts: find the format, choose the reader, read in blocks where the format allows it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from eigenthemes.errors import OptionError, SourceError
from eigenthemes.kg.facts import Facts
from eigenthemes.kg.files import BLOCK, Source, check_readable, source_size
from eigenthemes.kg.options import ReadOptions
from eigenthemes.progress import Progress, Silent
from eigenthemes.workers import Workers

FORMATS = ("nt", "nq", "ttl", "trig", "xml", "wikidata", "obo", "csv", "tsv", "jsonl", "parquet")

_SUFFIXES = {
    ".nt": "nt", ".nq": "nq", ".ttl": "ttl", ".n3": "ttl", ".trig": "trig", ".rdf": "xml", ".owl": "xml", ".xml": "xml",
    ".obo": "obo", ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
}  # fmt: skip
_PACKED = (".gz", ".bz2", ".xz", ".zst")

_TERM = rb'(?:<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^>]*>)?)'
_TRIPLE = re.compile(rb"\s*(?:<[^>]*>|_:\S+)\s+<[^>]*>\s+" + _TERM + rb"\s*\.\s*(?:#.*)?$")
_QUAD = re.compile(rb"\s*(?:<[^>]*>|_:\S+)\s+<[^>]*>\s+" + _TERM + rb"\s+(?:<[^>]*>|_:\S+)\s*\.\s*(?:#.*)?$")
_PREFIX = re.compile(rb"^\s*@?(?:prefix|base)\s", re.IGNORECASE | re.MULTILINE)
_GRAPH = re.compile(rb"(?:^|\s)(?:GRAPH\s*)?(?:<[^>]*>|[\w.-]*:[\w.-]*)?\s*\{", re.MULTILINE)


def read_sources(
    paths: Sequence[str | Path],
    options: ReadOptions | None = None,
    *,
    format_name: str | None = None,
    workers: Workers | None = None,
    progress: Progress | None = None,
) -> tuple[Facts, list[dict[str, Any]]]:
    """The facts of all files together, and what the manifest says of the files."""
    options, progress = options or ReadOptions(), progress or Silent()
    if format_name is not None and format_name not in FORMATS:
        raise OptionError(f"format {format_name!r} is unknown; expected one of {', '.join(FORMATS)}")
    for path in paths:
        check_readable(path)
    facts = Facts(strict=options.strict)
    described = []
    for number, path in enumerate(paths):
        with progress.step(f"reading {Path(path).name}", total=source_size(path), unit="bytes") as advance:
            with Source(path, facts.problems, advance) as source:
                _read_source(source, format_name, options, number, workers or Workers(1), facts)
                described.append(source.description())
    facts.note_unknown_nodes()
    _check_predicates(options, facts)
    return facts, described


def _check_predicates(options: ReadOptions, facts: Facts) -> None:
    if options.label or options.alias or options.description or options.type or options.prior:
        from eigenthemes.kg.rdf import check_prefixes

        check_prefixes(options, facts.prefixes)


def detect_format(head: bytes, name: str) -> str | None:
    """The format by content first, then by name: a wrong suffix is common, a wrong content is not."""
    suffix = _suffix(name)
    if head.startswith(b"PAR1"):
        return "parquet"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    lines = [line for line in text.split(b"\n") if line.strip() and not line.lstrip().startswith(b"#")]
    first = lines[0].rstrip() if lines else b""
    if first.startswith((b"{", b"[{", b"[")) and not re.match(rb"\[\w+\]", first):
        return _detect_json(text, suffix)
    if first.startswith((b"<?xml", b"<rdf:RDF", b"<!DOCTYPE", b"<!--")):
        return "xml"
    if first.startswith((b"format-version:", b"[Term]", b"[Typedef]")) or re.search(rb"^\[Term\]\s*$", text, re.MULTILINE):
        return "obo"
    if _TRIPLE.match(first) and b"\t" not in first.split(b">")[0]:
        return "nt"
    if _QUAD.match(first):
        return "nq"
    if _PREFIX.search(text) or suffix in ("ttl", "trig"):
        return "trig" if suffix == "trig" or (suffix != "ttl" and _GRAPH.search(text)) else "ttl"
    if suffix in ("nt", "nq", "xml", "obo"):
        return "ttl" if suffix in ("nt", "nq") and first.startswith(b"<") else suffix
    if b"\t" in first:
        return "tsv"
    if b"," in first or b";" in first:
        return "csv"
    return suffix


def _detect_json(text: bytes, suffix: str | None) -> str:
    wikidata = re.search(rb'"(?:claims|labels|sitelinks)"\s*:\s*[\[{]', text[: 1 << 16])
    return "wikidata" if wikidata or text.startswith(b"[") else suffix or "jsonl"


def _suffix(name: str) -> str | None:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes if suffix.lower() not in _PACKED]
    return _SUFFIXES.get(suffixes[-1]) if suffixes else None


def _read_source(
    source: Source, format_name: str | None, options: ReadOptions, number: int, workers: Workers, facts: Facts
) -> None:
    if not source.head.strip():
        facts.problems.add("empty file", source.name)
        return
    found = format_name or detect_format(source.head, source.path)
    if found is None:
        raise SourceError(
            f"the format of {source.name} was not recognised by its content or name; give --format, one of {', '.join(FORMATS)}"
        )
    nodes = "" if number == 0 else f"{number}."  # keeps the blank nodes of two files apart
    if found in ("nt", "nq"):
        from eigenthemes.kg import rdf

        read = partial(rdf.read_block, format_name=found, options=options, origin=source.name, nodes=nodes)
        _read_blocks(source, read, workers, facts)
    elif found == "wikidata":
        from eigenthemes.kg import wikidata

        _read_blocks(source, partial(wikidata.read_block, options=options, origin=source.name), workers, facts)
    elif found in ("ttl", "trig", "xml"):
        from eigenthemes.kg import rdf

        # XML declares its encoding itself: its bytes are not touched
        stream = source.stream if found == "xml" else source.text()
        namespaces = rdf.xml_namespaces(source.head) if found == "xml" else {}
        rdf.read_stream(stream, found, facts, options=options, origin=source.name, nodes=nodes, namespaces=namespaces)
    elif found == "obo":
        from eigenthemes.kg import obo

        obo.read_lines(source.lines(), options, source.name, facts)
    else:
        _read_table(source, found, options, facts)


def _read_table(source: Source, found: str, options: ReadOptions, facts: Facts) -> None:
    from eigenthemes.kg.tabular import TableReader

    reader = TableReader(facts, options, source.name)
    if found == "jsonl":
        reader.read_json_lines(source.lines())
    elif found == "parquet":
        # Parquet is read from its end: a plain file is opened again, a packed one or stdin is taken into memory
        plain = source.path != "-" and _starts_with(source.path, b"PAR1")
        reader.read_parquet(source.path if plain else io.BytesIO(source.stream.read()))
    else:
        first = source.head.split(b"\n")[0]
        comma = ";" if first.count(b";") > first.count(b",") else ","
        reader.read_delimited(source.text(), "\t" if found == "tsv" else comma)


def _starts_with(path: str, magic: bytes) -> bool:
    with open(path, "rb") as file:
        return file.read(len(magic)) == magic


def _read_blocks(source: Source, read: Callable[[bytes, int], Facts], workers: Workers, facts: Facts) -> None:
    """Read block by block, by several processes where there is more than one block; merged in file order."""
    blocks = source.blocks()
    first = next(blocks)
    for block_facts in workers.map(read, chain([first], blocks), many=len(first[0]) > BLOCK // 2):
        facts.merge(block_facts)
