"""eigenthemes link --adapt: read the documents to adapt the KB to them, then link them."""

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

from eigenthemes.cli.adapt import tell_what_was_learned
from eigenthemes.cli.output import counted, say, terminal_progress
from eigenthemes.errors import DocumentError, OptionError

if TYPE_CHECKING:
    from eigenthemes.records import Document

MAX_DOCUMENTS = 20_000  # the first ones are used; they are in memory at once


@contextmanager
def adapted_kb(kb: str, documents: Sequence[str], options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the path of a temporary copy of the KB that is adapted to the documents."""
    from eigenthemes.selftrain.adapt import ENOUGH
    from eigenthemes.train import adapt_kb

    if options["method"] not in (None, "selftrained"):
        raise OptionError(f"--adapt is for selftrained, not for {options['method']}; leave one of them out")
    with ExitStack() as stack:
        rewind = stack.enter_context(_read_twice()) if "-" in documents else None
        corpus = list(islice(_readable(documents, options), MAX_DOCUMENTS))
        if len(corpus) < ENOUGH:
            raise DocumentError(
                f"{counted(len(corpus), 'document')} {'is' if len(corpus) == 1 else 'are'} too few to "
                f"adapt to; expected {ENOUGH} or more: "
                "leave out --adapt, or adapt the KB to other documents like these (eigenthemes adapt)"
            )
        copy = (
            Path(stack.enter_context(tempfile.TemporaryDirectory(dir=_folder_near(kb), prefix="eigenthemes-"))) / "adapted.kb"
        )
        changed = adapt_kb(kb, corpus, vectors=options["vectors"], into=copy, progress=terminal_progress())
        tell_what_was_learned(changed, options["vectors"], "the documents")
        if len(corpus) == MAX_DOCUMENTS:
            say(f"learned from the first {MAX_DOCUMENTS:,} documents", err=True)
        if rewind is not None:
            rewind()
        yield str(copy)


def _readable(documents: Sequence[str], options: Mapping[str, Any]) -> Iterator[Document]:
    """Yield the documents that can be read; linking reports the others."""
    from eigenthemes.documents.reader import open_documents, parse_record

    how = {name: options[name] for name in ("plain_text", "per_line", "format", "columns")}
    with open_documents(documents, **how) as files:
        for record in files:
            try:
                yield parse_record(record)
            except DocumentError:
                continue


@contextmanager
def _read_twice() -> Iterator[Any]:
    """Copy standard input to a temporary file; yield a function that rewinds it."""
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
    """Return a folder on the disk of the KB, so that its files need not be copied; None: the default one."""
    beside = Path(kb).absolute().parent
    usual = tempfile.gettempdir()
    same_disk = beside.exists() and Path(usual).stat().st_dev == beside.stat().st_dev
    return str(beside) if not same_disk and os.access(beside, os.W_OK) else None
