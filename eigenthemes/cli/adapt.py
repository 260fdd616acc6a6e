"""eigenthemes adapt"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from eigenthemes.cli.inspect import tells_damage
from eigenthemes.cli.output import counted, say, terminal_progress
from eigenthemes.errors import OptionError

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB


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
    from eigenthemes.kb.store import KB

    if reset == bool(documents):
        raise OptionError("give documents to learn from, or --reset to forget what was learned; not both")
    read = read_documents(documents, plain_text=plain_text) if documents else ()
    if reset and _adapted(KB.open(kb), vectors) is None:
        say(f"{kb}: nothing was learned from documents, so there is nothing to forget", err=True)
        return
    about = _adapted(adapt_kb(kb, read, vectors=vectors, reset=reset, progress=terminal_progress()), vectors)
    if about is None:
        say(f"{kb}: forgot what was learned from documents", err=True)
        return
    documents_read, names = counted(about["documents"], "document"), counted(about["names"], "name")
    say(f"{kb}: adapted to {documents_read}, by {names} found in them", err=True)


def _adapted(kb: KB, vectors: str | None) -> dict[str, Any] | None:
    """What the KB says of the documents it was adapted to; None: to none."""
    about: dict[str, Any] | None = kb.rankers.get(vectors or next(iter(kb.vector_sets), ""), {}).get("adapted")
    return about
