"""eigenthemes adapt"""

from __future__ import annotations

import click

from eigenthemes.cli.inspect import tells_damage
from eigenthemes.cli.output import say, terminal_progress
from eigenthemes.errors import OptionError


@click.command()
@click.argument("kb", type=click.Path())
@click.argument("documents", nargs=-1, type=click.Path(allow_dash=True))
@click.option("--vectors", metavar="NAME", help="The vectors whose ranker is adapted; default: those made or imported last.")
@click.option("--reset", is_flag=True, help="Forget what was learned.")
@click.option("--text", "plain_text", is_flag=True, help="DOCUMENTS are plain texts. Default where they do not begin as JSON.")
@tells_damage
def adapt(kb: str, documents: tuple[str, ...], vectors: str | None, reset: bool, plain_text: bool) -> None:
    """Learn from DOCUMENTS, without labels, how names are written there and what stands beside them.

    DOCUMENTS are read as by link; mentions and gold in them are not looked at. What was learned is kept in the KB and used
    wherever names are found in a text by their spelling; info shows it, train and --reset forget it.
    """
    from eigenthemes.build import adapt_kb
    from eigenthemes.documents.reader import read_documents

    if reset == bool(documents):
        raise OptionError("give documents to learn from, or --reset to forget what was learned; not both")
    read = read_documents(documents, plain_text=plain_text) if documents else ()
    changed = adapt_kb(kb, read, vectors=vectors, reset=reset, progress=terminal_progress())
    about = changed.rankers[vectors or next(iter(changed.vector_sets), "")].get("adapted")
    if about is None:
        say(f"{kb}: forgot what was learned from documents", err=True)
    else:
        say(f"{kb}: adapted to {about['documents']:,} documents, by {about['names']:,} names found in them", err=True)
