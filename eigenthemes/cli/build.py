"""The commands `build`, `embed` and `warm-up`."""

from __future__ import annotations

import time
from dataclasses import fields
from typing import Any

import click

from eigenthemes.cli.options import SEED, cores_option, parse_columns, parse_names
from eigenthemes.cli.output import note, say, terminal_progress
from eigenthemes.errors import OptionError

_COUNT = click.IntRange(min=1, max=10_000)  # of walks, their length and the like: more would take years
_PREDICATE = "IRI or CURIE; may be given several times."


@click.command()
@click.argument("sources", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", required=True, type=click.Path(), help="Folder of the new KB.")
@click.option("--force", is_flag=True, help="Replace an existing KB; the corrections that it remembers are kept.")
@click.option(
    "--format", "format_name", help="nt, nq, ttl, trig, xml, jsonld, wikidata, obo, json, graphml, csv, tsv, jsonl or parquet."
)
@click.option("--label", multiple=True, metavar="IRI", help=f"Another predicate of names. {_PREDICATE}")
@click.option("--alias", multiple=True, metavar="IRI", help=f"Another predicate of aliases. {_PREDICATE}")
@click.option("--description", multiple=True, metavar="IRI", help=f"Another predicate of descriptions. {_PREDICATE}")
@click.option("--type", multiple=True, metavar="IRI", help=f"Another predicate of types. {_PREDICATE}")
@click.option("--prior", multiple=True, metavar="IRI", help=f"Popularity, a number; default: the degree. {_PREDICATE}")
@click.option("--lang", "languages", metavar="LIST", help="Languages kept, best first, as en,de; untagged stay. Default: all.")
@click.option("--synonyms", default="exact", metavar="LIST", help="Synonym scopes of ontologies: exact,related,broad,narrow.")
@click.option("--with-properties", is_flag=True, help="OWL: the properties of an ontology are entities, too.")
@click.option("--sitelink", metavar="WIKI", help="Wikidata: only entities with a page there, e.g. enwiki.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="ROLE=HEADER",
    help="Tables: which column is which, e.g. id=code; of one file FILE:id=code, with a prefix id=product:{code}.",
)
@click.option("--no-header", is_flag=True, help="CSV, TSV: the first row is data; columns are called 1, 2, ...")
@click.option("--split", metavar="TEXT", help="Tables: separator of aliases in a cell; default: |, or ; if there is none.")
@click.option("--keep", type=click.Path(), help="Text file of ids, one per line: nothing else becomes part of the KB.")
@click.option("--only-type", "only_types", multiple=True, metavar="TYPE", help="Only entities of this type are answers.")
@click.option(
    "--not-type",
    "not_types",
    multiple=True,
    metavar="TYPE",
    help="Entities of this type connect and are no answers; none: also concept schemes and categories are.",
)
@click.option("--names-from-ids", is_flag=True, help="Name entities without a name by the last part of their id.")
@click.option("--embedding", default="prone", metavar="NAME", help="Vectors: prone, deepwalk, netsmf or none.")
@click.option("--dimensions", type=int, help="Of the vectors; default: 128, a fifth of the nodes at most.")
@click.option("--train/--no-train", default=True, help="Train the ranker, on documents made up from the KG.")
@click.option("--word-vectors", type=click.Path(), metavar="FILE", help="Kept in the KB, for local-context and global-context.")
@click.option("--add-names", type=click.Path(), metavar="FILE", help="Names that the sources lack: a name and an id per line.")
@click.option(
    "--lexicon",
    type=click.Path(),
    metavar="FILE",
    help="A form and the name of its entity per line, besides the known demonyms; none: not even these.",
)
@click.option("--seed", type=SEED, default=0, help="The same seed gives the same bytes.")
@click.option("--strict", is_flag=True, help="Stop at the first problem in a source.")
@cores_option("Processes; any number gives the same bytes.")
@click.option(
    "--max-memory",
    metavar="SIZE",
    help="Of all processes, like 4G: the rest lies in temporary files. Needs the extra [big]; training may take more.",
)
@click.option("--dry-run", is_flag=True, help="Only print a rough estimate of the time, memory and disk that the build takes.")
@click.option("--temporary", type=click.Path(), metavar="FOLDER", help="For files of --max-memory; default: beside the KB.")
def build(sources: tuple[str, ...], output: str, force: bool, dry_run: bool, **options: Any) -> None:
    """Build a KB from the files of a knowledge graph.

    SOURCES are RDF (N-Triples, N-Quads, Turtle, TriG, RDF/XML, JSON-LD) with or without OWL, Wikidata JSON, OBO, OBO graphs,
    GraphML, exports of Neo4j, or tables of nodes and edges (CSV, TSV, JSON lines, Parquet, Excel), plain or compressed with
    gzip, bzip2, xz or zstd; - reads standard input.
    """
    from eigenthemes.kb.info import memory_in_words
    from eigenthemes.kg.options import ReadOptions
    from eigenthemes.kg.tabular import read_names

    for name in ("languages", "synonyms"):
        options[name] = parse_names(options[name])
    options["columns"], options["header"] = parse_columns(options["columns"]), not options.pop("no_header")
    options["embedding"] = None if options["embedding"] == "none" else options["embedding"]
    options["options"] = ReadOptions(**{field.name: options.pop(field.name) for field in fields(ReadOptions)})
    names, temporary = options.pop("add_names"), options.pop("temporary")
    if dry_run:
        _print_forecast(sources, options)
        return
    from eigenthemes.build import build_kb

    start = time.monotonic()
    kb = build_kb(
        sources,
        output,
        names=() if names is None else read_names(names),
        force=force,
        temporary=temporary,
        progress=terminal_progress(),
        **options,
    )
    _report(kb.manifest)
    counts = kb.manifest["counts"]
    note(
        f"{output}: {counts['entities']:,} entities ({counts['named']:,} named), {counts['names']:,} names, "
        f"{counts['edges']:,} edges in {time.monotonic() - start:.1f} s"
    )
    if "memory" in kb.manifest:
        note(f"{output} remembers {memory_in_words(kb.manifest['memory'])}; eigenthemes corrections lists them")


def _print_forecast(sources: tuple[str, ...], options: dict[str, Any]) -> None:
    """Print the estimated size and costs of a build."""
    from eigenthemes.forecast import forecast_build

    forecast = forecast_build(sources, **options)
    say(
        f"about {forecast.entities:,} entities, {forecast.names:,} names, {forecast.edges:,} edges of "
        f"{forecast.statements:,} statements (a rough estimate from the sizes of the files)"
    )
    temporary = f", {forecast.temporary / 1e6:,.0f} MB of temporary files" if forecast.temporary else ""
    say(
        f"time {forecast.seconds:,.0f} s, memory {forecast.memory / 1e6:,.0f} MB, disk {forecast.disk / 1e6:,.0f} MB{temporary}"
    )


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


@click.command()
@click.argument("kb", type=click.Path())
@click.option("--method", metavar="NAME", help="prone, deepwalk, netsmf or descriptions.  [default: prone]")
@click.option("--dimensions", type=int, help="Of vectors that are made; default: 128, a fifth of the nodes at most.")
@click.option("--seed", type=SEED, default=0, help="The same seed gives the same bytes.")
@click.option("--preset", type=click.Choice(("paper",)), help="deepwalk: as in the paper, 80 walks of 80, window 10: hours.")
@click.option("--walks", type=_COUNT, help="deepwalk: from each node.")
@click.option("--length", type=click.IntRange(min=2, max=10_000), help="deepwalk: nodes of a walk.")
@click.option("--window", type=_COUNT, help="deepwalk, netsmf: how far apart nodes belong together.")
@click.option("--fast", is_flag=True, help="deepwalk: several threads at once, and other bytes every time.")
@click.option("--max-memory", metavar="SIZE", help="netsmf: about how much it may use, e.g. 4G.")
@click.option("--word-vectors", type=click.Path(), metavar="FILE", help="For descriptions, and for --inductive.")
@click.option("--import", "source", type=click.Path(), metavar="FILE", help="Take vectors from a file instead.")
@click.option("--ids", type=click.Path(), metavar="FILE", help="With --import of a .npy matrix: its ids, one per line.")
@click.option("--format", "format_name", help="Of --import: npy, npz, parquet, word2vec-text, word2vec-binary; default: found.")
@click.option(
    "--inductive",
    is_flag=True,
    help="Vectors for entities without one, from their neighbours, then descriptions; alone: in the set --vectors.",
)
@click.option("--vectors", metavar="NAME", help="With --inductive: the set to complete; default: the last one.")
@click.option("--name", help="Name of the set in the KB; default: the method, or imported.")
@click.option("--train/--no-train", default=True, help="Train the ranker with them.")
@cores_option("Threads.")
def embed(kb: str, **options: Any) -> None:
    """Give a KB vectors: made from its edges or descriptions, or imported.

    A KB can hold several sets; the one made or imported last is used unless --vectors names another.
    """
    from eigenthemes.kb.store import KB

    start = time.monotonic()
    taught = {name for name, ranker in KB.open(kb).rankers.items() if "gold" in ranker}
    changed = _embed(kb, options)
    chosen, about = next(iter(changed.vector_sets.items()))
    matched = f", {about['matched']:,} of {about['rows']:,} ids matched" if "matched" in about else ""
    words = f", {about['words_known']:.0%} of the words known" if "words_known" in about else ""
    note(
        f"{kb}: vectors {chosen}: {about['entities']:,} of {len(changed):,} entities, {about['dimensions']} dimensions"
        f"{matched}{words} in {time.monotonic() - start:.1f} s; they are now the ones used"
    )
    if taught and "gold" not in changed.rankers.get(chosen, {}):
        click.echo(f"warning: the ranker that is used now knows nothing of your gold: eigenthemes train {kb} GOLD", err=True)


def _embed(kb: str, options: dict[str, Any]) -> Any:
    from eigenthemes.build import complete_vectors, embed_kb, import_vectors
    from eigenthemes.core.scratch import parse_memory
    from eigenthemes.embeddings.deepwalk import PAPER

    def given(*names: str) -> dict[str, Any]:
        """Return those of the options that the user gave."""
        return {name: options[name] for name in names if options[name] is not None}

    common = {**given("name", "word_vectors", "train", "seed"), "progress": terminal_progress()}
    if options["source"] is not None:
        if options["method"] is not None:
            raise OptionError("--method and --import were both given; expected one of them")
        return import_vectors(kb, options["source"], **given("ids", "format_name", "inductive"), **common)
    if options["inductive"] and options["method"] is None:
        return complete_vectors(kb, **given("vectors"), **common)
    own = given("walks", "length", "window", "max_memory")  # options that only some methods take
    if options["preset"] == "paper":
        own = {**{name: value for name, value in PAPER.items() if name != "dimensions"}, **own}
    if "max_memory" in own:
        own["max_memory"] = parse_memory(own["max_memory"])
    if options["fast"]:
        own["fast"] = True
    return embed_kb(kb, **given("method", "dimensions", "inductive", "jobs"), **common, **own)


@click.command("warm-up")
@click.option("--all", "every_vectors", is_flag=True, help="Also what DeepWalk and NetSMF need.")
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
