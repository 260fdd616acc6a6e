"""The command `eigenthemes adapt`."""

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
    """Learn from DOCUMENTS, without labels, how names are written there, what stands beside them, and what they are about.

    DOCUMENTS are read as by link; gold in them is not looked at. How names are written is used wherever names are found in a
    text by their spelling. What the documents are about (which kinds of entities they name more often than others) is learned
    from 100 documents or more, and makes such entities likelier everywhere: link with the KB what is about the same. It is kept
    in the KB; info shows it, --reset forgets it, and so does train without GOLD.
    """
    from eigenthemes.documents.reader import read_documents
    from eigenthemes.kb.store import KB
    from eigenthemes.train import adapt_kb

    if reset == bool(documents):
        raise OptionError("give documents to learn from, or --reset to forget what was learned; not both")
    read = read_documents(documents, plain_text=plain_text) if documents else ()
    if reset and not {"adapted", "pile"} & set(_ranker(KB.open(kb), vectors)):
        say(f"{kb}: nothing was learned from documents, so there is nothing to forget", err=True)
        return
    changed = adapt_kb(kb, read, vectors=vectors, reset=reset, progress=terminal_progress())
    if reset:
        say(f"{kb}: forgot what was learned from documents", err=True)
        return
    tell_what_was_learned(changed, vectors, kb)


def tell_what_was_learned(kb: KB, vectors: str | None, whose: str) -> None:
    """Say what a KB was adapted to."""
    from eigenthemes.kb.info import corpus_prior_in_words

    about = _ranker(kb, vectors)
    if "adapted" in about:
        documents_read, names = counted(about["adapted"]["documents"], "document"), counted(about["adapted"]["names"], "name")
        say(f"{whose}: adapted to {documents_read}, by {names} found in them", err=True)
    if "pile" in about:
        told = corpus_prior_in_words(kb, about["pile"]) or "nothing in particular"
        say(f"{whose}: {counted(about['pile']['documents'], 'document')} are about {told}", err=True)
    else:
        say(
            "what they are about was not learned: fewer than 100 documents say more of themselves than of a pile; give more",
            err=True,
        )


def _ranker(kb: KB, vectors: str | None) -> dict[str, Any]:
    """Return what the KB says of its ranker."""
    return kb.rankers.get(vectors or next(iter(kb.vector_sets), ""), {})
