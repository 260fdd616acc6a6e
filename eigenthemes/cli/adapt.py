"""eigenthemes adapt, and link --adapt: learn from the documents before they are linked."""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eigenthemes.cli.inspect import report_damage
from eigenthemes.cli.options import text_option
from eigenthemes.cli.output import counted, note, terminal_progress
from eigenthemes.errors import DocumentError, OptionError

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB
    from eigenthemes.records import Document


@click.command()
@click.argument("kb", type=click.Path())
@click.argument("documents", nargs=-1, type=click.Path(allow_dash=True))
@click.option("--vectors", metavar="NAME", help="The vectors whose ranker is adapted; default: those made or imported last.")
@click.option("--reset", is_flag=True, help="Forget what was learned.")
@text_option
@report_damage
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
        note(f"{kb}: nothing was learned from documents, so there is nothing to forget")
        return
    changed = adapt_kb(kb, read, vectors=vectors, reset=reset, progress=terminal_progress())
    if reset:
        note(f"{kb}: forgot what was learned from documents")
        return
    print_adaptation(changed, vectors, kb)


def print_adaptation(kb: KB, vectors: str | None, whose: str) -> None:
    """Print what a KB was adapted to."""
    from eigenthemes.kb.info import corpus_prior_in_words

    about = _ranker(kb, vectors)
    if "adapted" in about:
        documents_read, names = counted(about["adapted"]["documents"], "document"), counted(about["adapted"]["names"], "name")
        note(f"{whose}: adapted to {documents_read}, by {names} found in them")
    if "pile" in about:
        told = corpus_prior_in_words(kb, about["pile"]) or "nothing in particular"
        note(f"{whose}: {counted(about['pile']['documents'], 'document')} are about {told}")
    else:
        note("what they are about was not learned: fewer than 100 documents say more of themselves than of a pile; give more")


def _ranker(kb: KB, vectors: str | None) -> dict[str, Any]:
    """Return the manifest's description of the ranker."""
    return kb.rankers.get(vectors or next(iter(kb.vector_sets), ""), {})


MOST_DOCUMENTS = 20_000  # documents learned from: the first ones; they are in memory at once


@contextmanager
def adapted_kb(kb: str, documents: Sequence[str], options: Mapping[str, Any]) -> Iterator[str]:
    """Adapt a temporary copy of a KB to the documents, and give its path."""
    from eigenthemes.selftrain.adapt import ENOUGH
    from eigenthemes.train import adapt_kb

    if options["method"] not in (None, "selftrained"):
        raise OptionError(f"--adapt is for selftrained, not for {options['method']}; leave one of them out")
    with ExitStack() as stack:
        rewind = stack.enter_context(_read_twice()) if "-" in documents else None
        learned = list(islice(_readable(documents, options), MOST_DOCUMENTS))
        if len(learned) < ENOUGH:
            raise DocumentError(
                f"{counted(len(learned), 'document')} {'is' if len(learned) == 1 else 'are'} too few to learn "
                f"from what they are about; expected {ENOUGH} or more: "
                "leave out --adapt, or adapt the KB to other documents like these (eigenthemes adapt)"
            )
        copy = (
            Path(stack.enter_context(tempfile.TemporaryDirectory(dir=_folder_near(kb), prefix="eigenthemes-"))) / "adapted.kb"
        )
        changed = adapt_kb(kb, learned, vectors=options["vectors"], into=copy, progress=terminal_progress())
        print_adaptation(changed, options["vectors"], "the documents")
        if len(learned) == MOST_DOCUMENTS:
            note(f"learned from the first {MOST_DOCUMENTS:,} documents")
        if rewind is not None:
            rewind()
        yield str(copy)


def _readable(documents: Sequence[str], options: Mapping[str, Any]) -> Iterator[Document]:
    """Read the documents without those that cannot be read, which linking reports."""
    from eigenthemes.documents.reader import DocumentFiles, parse_record

    how = {name: options[name] for name in ("plain_text", "per_line", "format", "columns")}
    with DocumentFiles(documents, **how) as files:
        for record in files:
            try:
                yield parse_record(record)
            except DocumentError:
                continue


@contextmanager
def _read_twice() -> Iterator[Any]:
    """Copy standard input to a temporary file; the function that is given goes back to its start."""
    given = sys.stdin
    with tempfile.TemporaryFile() as spooled:
        shutil.copyfileobj(given.buffer, spooled)
        spooled.seek(0)
        sys.stdin = io.TextIOWrapper(spooled, encoding="utf-8")
        try:
            yield lambda: spooled.seek(0)
        finally:
            sys.stdin.detach()
            sys.stdin = given


def _folder_near(kb: str) -> str | None:
    """Return a folder on the disk of the KB, so that its files can be linked instead of copied; None: the usual one."""
    beside = Path(kb).absolute().parent
    usual = tempfile.gettempdir()
    same_disk = beside.exists() and Path(usual).stat().st_dev == beside.stat().st_dev
    return str(beside) if not same_disk and os.access(beside, os.W_OK) else None
