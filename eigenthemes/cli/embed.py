"""eigenthemes embed"""

from __future__ import annotations

import time

import click

from eigenthemes.cli.output import terminal_progress
from eigenthemes.errors import OptionError


@click.command()
@click.argument("kb", type=click.Path())
@click.option("--method", metavar="NAME", help="How vectors are made from the KB's edges: prone.  [default: prone]")
@click.option("--dimensions", type=int, help="Of vectors that are made; default: 128, a fifth of the nodes at most.")
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same bytes.")
@click.option("--import", "source", type=click.Path(), metavar="FILE", help="Take vectors from a file instead.")
@click.option("--ids", type=click.Path(), metavar="FILE", help="With --import of a .npy matrix: its ids, one a line.")
@click.option(
    "--format",
    "format_name",
    help="Of --import: npy, npz, word2vec-text, word2vec-binary or pickle; default: found from content.",
)
@click.option("--name", help="Name of the set in the KB; default: the method, or imported.")
@click.option("--jobs", type=click.IntRange(min=1), help="Threads; default: the cores of this machine, 8 at most.")
def embed(
    kb: str,
    method: str | None,
    dimensions: int | None,
    seed: int,
    source: str | None,
    ids: str | None,
    format_name: str | None,
    name: str | None,
    jobs: int | None,
) -> None:
    """Give a KB vectors: made from its edges, or imported.

    A KB can hold several sets; the one made or imported last is used unless --vectors names another.
    """
    from eigenthemes.embed import embed_kb, import_vectors
    from eigenthemes.workers import available_cores

    if source is not None and method is not None:
        raise OptionError("--method and --import were both given; expected one of them")
    start = time.monotonic()
    with terminal_progress().step("making vectors", total=None, unit="nodes"):
        if source is not None:
            changed = import_vectors(kb, source, ids=ids, format_name=format_name, name=name or "imported")
        else:
            threads = jobs or min(8, available_cores())
            changed = embed_kb(kb, method=method or "prone", dimensions=dimensions, seed=seed, name=name, jobs=threads)
    chosen, about = next(iter(changed.vector_sets.items()))
    matched = f", {about['matched']:,} of {about['rows']:,} ids matched" if "matched" in about else ""
    click.echo(
        f"{kb}: vectors {chosen}: {about['entities']:,} of {len(changed):,} entities, {about['dimensions']} dimensions"
        f"{matched} in {time.monotonic() - start:.1f} s",
        err=True,
    )
