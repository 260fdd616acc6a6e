"""The command `eigenthemes embed`."""

from __future__ import annotations

import math
import re
import time
from typing import Any

import click

from eigenthemes.cli.options import JOBS, SEED
from eigenthemes.cli.output import note, terminal_progress
from eigenthemes.errors import OptionError

_COUNT = click.IntRange(min=1, max=10_000)  # of walks, their length and the like: more would take years
_UNITS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}


@click.command()
@click.argument("kb", type=click.Path())
@click.option(
    "--method", metavar="NAME", help="prone, deepwalk, netsmf, louvainne (from the edges) or descriptions.  [default: prone]"
)
@click.option("--dimensions", type=int, help="Of vectors that are made; default: 128, a fifth of the nodes at most.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="The same seed gives the same bytes.")
@click.option("--preset", type=click.Choice(("paper",)), help="deepwalk: as in the paper, 80 walks of 80, window 10: hours.")
@click.option("--walks", type=_COUNT, help="deepwalk: from each node.")
@click.option("--length", type=click.IntRange(min=2, max=10_000), help="deepwalk: nodes of a walk.")
@click.option("--window", type=_COUNT, help="deepwalk, netsmf: how far apart nodes belong together.")
@click.option("--negatives", type=_COUNT, help="deepwalk: negative sampling instead of hierarchical softmax.")
@click.option("--fast", is_flag=True, help="deepwalk: several threads at once, and other bytes every time.")
@click.option("--max-memory", metavar="SIZE", help="netsmf: about how much it may use, e.g. 4G.")
@click.option("--word-vectors", type=click.Path(), metavar="FILE", help="For descriptions, and for --inductive.")
@click.option("--import", "source", type=click.Path(), metavar="FILE", help="Take vectors from a file instead.")
@click.option("--ids", type=click.Path(), metavar="FILE", help="With --import of a .npy matrix: its ids, one per line.")
@click.option(
    "--format",
    "format_name",
    help="Of --import: npy, npz, parquet, word2vec-text or word2vec-binary; default: found from content.",
)
@click.option(
    "--inductive",
    is_flag=True,
    help="Entities without a vector get one from their neighbours, then from their descriptions (--word-vectors); "
    "without --method and --import: those of --vectors.",
)
@click.option("--vectors", metavar="NAME", help="With --inductive: the set to complete; default: the last one.")
@click.option("--name", help="Name of the set in the KB; default: the method, or imported.")
@click.option("--train/--no-train", default=True, help="Train the ranker with them.  [default: train]")
@click.option("--jobs", type=JOBS, help="Threads; default: the cores of this machine, 8 at most.")
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
    from eigenthemes.core.workers import available_cores

    method, source, name, words = (options[key] for key in ("method", "source", "name", "word_vectors"))
    training = {"train": options["train"], "seed": options["seed"], "progress": terminal_progress()}
    if source is not None and method is not None:
        raise OptionError("--method and --import were both given; expected one of them")
    if source is not None:
        return import_vectors(
            kb,
            source,
            ids=options["ids"],
            format_name=options["format_name"],
            name=name or "imported",
            word_vectors=words,
            inductive=options["inductive"],
            **training,
        )
    if options["inductive"] and method is None:
        return complete_vectors(kb, vectors=options["vectors"], name=name, word_vectors=words, **training)
    return embed_kb(
        kb,
        method=method or "prone",
        dimensions=options["dimensions"],
        name=name,
        word_vectors=words,
        inductive=options["inductive"],
        jobs=options["jobs"] or min(8, available_cores()),
        **training,
        **_own(options),
    )


def _own(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that only some methods take, where they were given."""
    from eigenthemes.embeddings.deepwalk import PAPER

    own = {name: options[name] for name in ("walks", "length", "window") if options[name] is not None}
    if options["preset"] == "paper":
        own = {**{name: value for name, value in PAPER.items() if name != "dimensions"}, **own}
    if options["negatives"] is not None:
        own |= {"negatives": options["negatives"], "hierarchical": False}
    if options["fast"]:
        own["fast"] = True
    if options["max_memory"] is not None:
        own["max_memory"] = parse_size(options["max_memory"])
    return own


def parse_size(text: str) -> float:
    """Parse a number of bytes: 500M, 4G, 2e9."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?(?:e\d+)?)\s*([kmg]?)b?", text.strip().lower())
    if found is None or not 0 < float(found[1]) < math.inf:
        raise OptionError(f"--max-memory is {text[:40]!r}; expected a size such as 500M or 4G")
    return float(found[1]) * _UNITS[found[2]]
