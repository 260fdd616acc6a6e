"""eigenthemes build, warm-up."""

from __future__ import annotations

import time
from typing import Any

import click

from eigenthemes.cli.options import JOBS, SEED
from eigenthemes.cli.output import note, say, terminal_progress

_PREDICATE = "IRI or CURIE; may be given several times."


@click.command()
@click.argument("sources", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", required=True, type=click.Path(), help="Folder of the new KB.")
@click.option("--force", is_flag=True, help="Replace an existing KB; the corrections that it remembers are kept.")
@click.option(
    "--format",
    "format_name",
    help="nt, nq, ttl, trig, xml, jsonld, wikidata, obo, json, graphml, csv, tsv, jsonl or parquet; "
    "default: found from content and name.",
)
@click.option("--label", multiple=True, metavar="IRI", help=f"Another predicate of names. {_PREDICATE}")
@click.option("--alias", multiple=True, metavar="IRI", help=f"Another predicate of aliases. {_PREDICATE}")
@click.option("--description", multiple=True, metavar="IRI", help=f"Another predicate of descriptions. {_PREDICATE}")
@click.option("--type", "type_", multiple=True, metavar="IRI", help=f"Another predicate of types. {_PREDICATE}")
@click.option(
    "--prior", multiple=True, metavar="IRI", help=f"A predicate of popularity (a number); default: the degree. {_PREDICATE}"
)
@click.option(
    "--lang", metavar="LIST", help="Languages to keep, best first, e.g. en,de; untagged names always stay. Default: all."
)
@click.option(
    "--synonyms",
    default="exact",
    show_default=True,
    metavar="LIST",
    help="Synonym scopes of ontologies: exact,related,broad,narrow.",
)
@click.option("--with-properties", is_flag=True, help="OWL: the properties of an ontology are entities, too.")
@click.option("--sitelink", metavar="WIKI", help="Wikidata: only entities with a page there, e.g. enwiki.")
@click.option(
    "--column",
    multiple=True,
    metavar="ROLE=HEADER",
    help="Tables: which column is which, e.g. id=code or edge=parent, or of one file FILE:id=code; ids may have a prefix, "
    "FILE:id=product:{code}; may be given several times.",
)
@click.option("--no-header", is_flag=True, help="CSV, TSV: the first row is data; columns are called 1, 2, ...")
@click.option(
    "--split", metavar="TEXT", help="Tables: what separates aliases in a cell.  [default: |, or ; where there is none]"
)
@click.option("--keep", type=click.Path(), help="Text file of ids, one per line: nothing else becomes part of the KB.")
@click.option("--only-type", multiple=True, metavar="TYPE", help="Only entities of this type are answers; all others connect.")
@click.option(
    "--not-type",
    multiple=True,
    metavar="TYPE",
    help="Entities of this type connect and are no answers; none: also concept schemes, collections, categories are answers.",
)
@click.option("--names-from-ids", is_flag=True, help="Name entities without a name by the last part of their id.")
@click.option(
    "--embedding",
    default="prone",
    show_default=True,
    metavar="NAME",
    help="How vectors are made from the edges: prone, deepwalk, netsmf, louvainne, or none.",
)
@click.option("--dimensions", type=int, help="Of the vectors; default: 128, a fifth of the nodes at most.")
@click.option("--train/--no-train", default=True, help="Train the ranker, on documents made up from the KG.  [default: train]")
@click.option("--word-vectors", type=click.Path(), metavar="FILE", help="For the ranker: the words of a text count, too.")
@click.option("--add-names", type=click.Path(), metavar="FILE", help="Names that the sources lack: a name and an id per line.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="The same seed gives the same bytes.")
@click.option("--strict", is_flag=True, help="Stop at the first problem in a source.")
@click.option(
    "--jobs", type=JOBS, help="Processes; default: the cores of this machine, 8 at most. Any number gives the same bytes."
)
@click.option(
    "--max-memory",
    metavar="SIZE",
    help="Of all processes together, like 4G or 800M: what does not fit lies in temporary files. The same KB; needs the extra "
    "[big]. Training the ranker is not held to it.",
)
@click.option("--dry-run", is_flag=True, help="Only print a rough estimate of the time, memory and disk that the build takes.")
@click.option(
    "--temporary", type=click.Path(), metavar="FOLDER", help="With --max-memory: where these files lie; default: beside the KB."
)
def build(
    sources: tuple[str, ...], output: str, force: bool, format_name: str | None, jobs: int | None, **options: Any
) -> None:
    """Build a KB from the files of a knowledge graph.

    SOURCES are RDF (N-Triples, N-Quads, Turtle, TriG, RDF/XML, JSON-LD) with or without OWL, Wikidata JSON, OBO, OBO graphs,
    GraphML, exports of Neo4j, or tables of nodes and edges (CSV, TSV, JSON lines, Parquet, Excel), plain or compressed with
    gzip, bzip2, xz or zstd; - reads standard input.
    """
    from eigenthemes.core.workers import available_cores
    from eigenthemes.kb.info import memory_in_words
    from eigenthemes.kg.tabular import read_names

    how = {
        "options": _read_options(options),
        "format_name": format_name,
        "keep": options["keep"],
        "names_from_ids": options["names_from_ids"],
        "only_types": options["only_type"],
        "not_types": options["not_type"],
        "embedding": None if options["embedding"] == "none" else options["embedding"],
        "dimensions": options["dimensions"],
        "train": options["train"],
        "word_vectors": options["word_vectors"],
        "seed": options["seed"],
        "jobs": jobs or min(8, available_cores()),
        "max_memory": options["max_memory"],
    }
    if options["dry_run"]:
        _print_forecast(sources, how)
        return
    from eigenthemes.build import build_kb

    start = time.monotonic()
    names = () if options["add_names"] is None else read_names(options["add_names"])
    kb = build_kb(
        sources, output, names=names, force=force, temporary=options["temporary"], progress=terminal_progress(), **how
    )
    _report(kb.manifest)
    counts = kb.manifest["counts"]
    note(
        f"{output}: {counts['entities']:,} entities ({counts['named']:,} named), {counts['names']:,} names, "
        f"{counts['edges']:,} edges in {time.monotonic() - start:.1f} s"
    )
    if "memory" in kb.manifest:
        note(f"{output} remembers {memory_in_words(kb.manifest['memory'])}; eigenthemes corrections lists them")


def _print_forecast(sources: tuple[str, ...], how: dict[str, Any]) -> None:
    """Print the estimated size and costs of a build."""
    from eigenthemes.forecast import forecast_build

    forecast = forecast_build(sources, **how)
    say(
        f"about {forecast.entities:,} entities, {forecast.names:,} names, {forecast.edges:,} edges of "
        f"{forecast.statements:,} statements (a rough estimate from the sizes of the files)"
    )
    temporary = f", {forecast.temporary / 1e6:,.0f} MB of temporary files" if forecast.temporary else ""
    say(
        f"time {forecast.seconds:,.0f} s, memory {forecast.memory / 1e6:,.0f} MB, disk {forecast.disk / 1e6:,.0f} MB{temporary}"
    )


def _read_options(given: dict[str, Any]) -> Any:
    from eigenthemes.errors import OptionError
    from eigenthemes.kg.options import COLUMN_ROLES, ReadOptions

    columns = []
    for pair in given["column"]:
        role, equals, header = pair.partition("=")
        if not equals:
            raise OptionError(f"--column {pair} is not ROLE=HEADER; the roles are {', '.join(COLUMN_ROLES)}")
        columns.append((role, header))
    return ReadOptions(
        label=given["label"],
        alias=given["alias"],
        description=given["description"],
        type=given["type_"],
        prior=given["prior"],
        languages=_listed(given["lang"]),
        synonyms=_listed(given["synonyms"]),
        sitelink=given["sitelink"],
        columns=tuple(columns),
        header=not given["no_header"],
        split=given["split"],
        with_properties=given["with_properties"],
        strict=given["strict"],
    )


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _report(manifest: dict[str, Any]) -> None:
    """Print what was left out and the problems, with the first few places."""
    for text in manifest.get("notes", []):
        note(f"note: {text}")
    for reason, count in manifest["left_out"].items():
        note(f"left out: {count:,} ({reason})")
    for kind, count in manifest["problems"].items():
        note(f"warning: {kind}: {count:,}")
        for example in manifest["problem_examples"][kind]:
            note(f"  {example}")


@click.command("warm-up")
@click.option("--all", "every_vectors", is_flag=True, help="Also what DeepWalk, NetSMF and LouvainNE need.")
def warm_up(every_vectors: bool) -> None:
    """Compile once what building and linking need, so that no later run has to.

    For images of containers, and for installations that their users cannot write to. Compiled code is kept beside the
    package, or in the folder NUMBA_CACHE_DIR; it works on this kind of processor only.
    """
    from eigenthemes.warm_up import warm_up as compile_all

    start = time.monotonic()
    folder = compile_all(every_vectors=every_vectors, progress=terminal_progress())
    if folder is None:
        note("compiled code cannot be kept: neither the package's folder nor the user's cache is writable; set NUMBA_CACHE_DIR")
        return
    note(f"compiled in {time.monotonic() - start:.0f} s, kept in {folder}")
