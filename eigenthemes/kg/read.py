"""Read source files into statements: detect the format, choose the reader, read in blocks where the format allows it."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from eigenthemes.core.files import BLOCK, SNIFF, Source, check_readable, source_size
from eigenthemes.core.progress import Advance, Progress, Silent
from eigenthemes.core.scratch import Scratch, SpillScratch
from eigenthemes.core.storage import open_input
from eigenthemes.core.workers import Workers
from eigenthemes.errors import OptionError, SourceError
from eigenthemes.kg.columns import check_shared_ids
from eigenthemes.kg.ontologies import clean_ontologies, clean_relations, follow_replacements, merge_spellings
from eigenthemes.kg.options import ReadOptions, check_options
from eigenthemes.kg.source_formats import FORMATS, detect_format, refuse_unsupported
from eigenthemes.kg.spill import Spill
from eigenthemes.kg.statements import Statements


def read_sources(
    paths: Sequence[str | Path],
    options: ReadOptions | None = None,
    *,
    format_name: str | None = None,
    workers: Workers | None = None,
    progress: Progress | None = None,
    scratch: Scratch | None = None,
) -> tuple[Statements, list[dict[str, Any]]]:
    """Read the statements of all files, and return them with a description of each file for the manifest.

    scratch  stores the statements; one on disk gets them while the files are read
    """
    options, progress = options or ReadOptions(), progress or Silent()
    if format_name is not None and format_name not in FORMATS:
        raise OptionError(f"format {format_name!r} is unknown; expected one of {', '.join(FORMATS)}")
    options.check_files([Path(path).name for path in paths])
    for path in paths:
        check_readable(path)
    statements = Statements(strict=options.strict, scratch=scratch)
    spill = Spill(statements, scratch) if isinstance(scratch, SpillScratch) else None
    described = []
    for number, path in enumerate(paths):
        step = progress.step(f"reading {Path(path).name}", total=source_size(path), unit="bytes")
        with step as advance:

            def on_read(amount: float, advance: Advance = advance) -> None:
                advance(amount)
                if spill is not None:
                    spill.write_if_large()

            with Source(path, statements.diagnostics, on_read, spreadsheets=True, hashed=True) as source:
                _read_source(source, format_name, options, number, workers or Workers(1), statements)
                described.append(source.description())
    if spill is not None:
        spill.settle()
    follow_replacements(statements)
    clean_ontologies(statements, options)
    merge_spellings(statements)
    clean_relations(statements)
    check_options(options, statements)
    check_shared_ids(statements)
    statements.check_records()
    if options.sitelink and statements.size("record_node"):
        for node in set(statements.ids.values()) - set(statements.numbers("record_node").tolist()):
            statements.leave_out(node, f"no {options.sitelink} sitelink")
    return statements, described


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
        refuse_unsupported(source.head, source.name)
    source_format = format_name or detect_format(source.head, source.path)
    if source_format is None:
        raise SourceError(
            f"the format of {source.name} was not recognised by its content or name; say which it is: {', '.join(FORMATS)}",
            code="format-unknown",
            where=source.name,
        )
    statements.begin_file(source.name)
    nodes = "" if number == 0 else f"{number}#"  # distinguishes the blank nodes of two files: no label has a #
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
        rdf.read_stream(stream, source_format, statements, options=options, origin=source.name, nodes=nodes, head=source.head)
    elif source_format == "obo":
        from eigenthemes.kg import obo

        obo.read_lines(source.lines(), options, source.name, statements)
    elif source_format == "json":
        from eigenthemes.kg.graph_files import read_json

        read_json(source.text().read(), options, source.name, statements)
    else:
        _read_table(source, source_format, options, statements)


def _read_table(source: Source, source_format: str, options: ReadOptions, statements: Statements) -> None:
    from eigenthemes.kg.tabular import TableReader, read_workbook

    reader = TableReader(statements, options, source.name)
    if source_format == "graphml":
        from eigenthemes.kg.graph_files import read_graphml

        read_graphml(source.xml(), reader)
    elif source_format == "jsonl":
        reader.read_json_lines(source.text())
    elif source_format == "parquet":
        # Parquet is read from its end: a plain file is opened again, a compressed one or stdin is taken into memory
        is_plain = source.path != "-" and not source.is_compressed
        with open_input(source.path) if is_plain else io.BytesIO(source.stream.read()) as file:
            reader.read_parquet(file)
    elif source_format == "xlsx":
        read_workbook(source.stream.read(), options, source.name, statements)
    else:
        first = source.head.split(b"\n")[0]
        comma = ";" if first.count(b";") > first.count(b",") else ","
        reader.read_delimited(source.text(), "\t" if source_format == "tsv" else comma)


def _read_blocks(source: Source, read: Callable[[bytes, int], Statements], workers: Workers, statements: Statements) -> None:
    """Read block by block, in several processes where there are several blocks; merge in file order."""
    blocks = source.blocks()
    first = next(blocks)
    for block_statements in workers.map(read, chain([first], blocks), many=len(first[0]) > BLOCK // 2):
        statements.merge(block_statements)
