"""Gold documents of Wikipedia made into gold documents of Wikidata."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import orjson

from eigenthemes.core.progress import Progress
from eigenthemes.core.storage import check_output
from eigenthemes.documents.reader import read_gold
from eigenthemes.errors import SourceError
from eigenthemes.records import Document, LinkedDocument, Mention
from eigenthemes_paper.wikipedia import WikipediaMap

ENTITY = "http://www.wikidata.org/entity/"


@dataclass
class Counts:
    """Counts of mentions, by outcome.

    found     have a Wikidata id
    missing   have gold, but no page of these names has a Wikidata id; the first is kept as an example
    outside   are annotated as outside Wikipedia (AIDA's --NME--, WNED's NIL)
    textless  documents that came without a text or a table, as WNED's do where the folder RawText is not beside the XML
    """

    documents: int = 0
    found: int = 0
    missing: int = 0
    outside: int = 0
    textless: int = 0
    example: str = ""


def prepare_gold(
    gold: str | Path,
    output: str | Path | IO[bytes],
    *,
    page_props: str | Path,
    page: str | Path | None = None,
    redirect: str | Path | None = None,
    ids: str | Path | None = None,
    iri: bool = False,
    keep_missing: bool = False,
    progress: Progress | None = None,
) -> Counts:
    """Rewrite a file of gold documents as JSON lines with Wikidata ids for gold; return what became of its mentions.

    output      a path, whose file is there when it is whole, or an open stream
    page_props  dump with the Wikidata ids of pages
    page        dump with the titles of pages; None: pages are known by their ids alone
    redirect    dump of redirects; needs `page`
    ids         a file to write the ids of all articles into
    iri         write ids as IRIs
    """
    documents, counts = read_gold(gold), Counts()
    pages = WikipediaMap.read(page_props, page, redirect, progress=progress)
    if ids is not None:
        with _open_output(ids) as out:
            out.writelines(f"{ENTITY if iri else ''}{item}\n".encode() for item in pages.entities())
    with _open_output(output) as out:
        for record in prepare(documents, pages, iri=iri, keep_missing=keep_missing, counts=counts):
            out.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        if counts.missing and not counts.found:
            raise _page_error(gold, counts, titles=page is not None)
    return counts


def _page_error(gold: str | Path, counts: Counts, *, titles: bool) -> SourceError:
    remedy = (
        "check that the dumps are of the right Wikipedia"
        if titles
        else "give the page dump too (--page FILE), which has the titles"
    )
    return SourceError(
        f"{gold}: none of {counts.missing:,} mentions has a page (first: {counts.example}); {remedy}",
        code="source" if titles else "no-page-dump",
        where=str(gold),
    )


@contextmanager
def _open_output(output: str | Path | IO[bytes]) -> Iterator[IO[bytes]]:
    """Open a stream, or a file that appears only when it is complete."""
    if not isinstance(output, str | Path):
        yield output
        return
    check_output(output, replaced=True)
    unfinished = Path(f"{output}.part")
    try:
        with open(unfinished, "wb") as out:
            yield out
        unfinished.replace(output)
    except OSError as error:
        raise SourceError(
            f"{output} cannot be written ({error.strerror}); give another place", code="output-place", where=str(output)
        ) from None
    finally:
        with suppress(OSError):
            unfinished.unlink()


def prepare(
    documents: Iterable[Document],
    pages: WikipediaMap,
    *,
    iri: bool = False,
    keep_missing: bool = False,
    counts: Counts | None = None,
) -> Iterator[dict[str, Any]]:
    """Return the documents as JSON objects with Wikidata ids for gold, `Q90` or as IRIs.

    Mentions without such an id are left out, as in the paper: they would still bring their candidates into the document's
    themes. With `keep_missing` they stay, with the gold they had. Mentions that are not annotated are not touched.
    """
    counts = Counts() if counts is None else counts
    for document in documents:
        counts.documents += 1
        counts.textless += document.text is None and document.table is None
        record = LinkedDocument(document, ()).to_dict()
        if document.mentions is None:
            del record["mentions"]
            yield record
            continue
        mentions = (_prepared(mention, pages, iri, keep_missing, counts) for mention in document.mentions)
        yield {**record, "mentions": [mention for mention in mentions if mention is not None]}


def _prepared(mention: Mention, pages: WikipediaMap, iri: bool, keep: bool, counts: Counts) -> dict[str, Any] | None:
    record = mention.to_dict()
    if mention.gold is None:
        return record
    item = pages.find_any(mention.gold)
    if item is not None:
        counts.found += 1
        return {**record, "gold": ENTITY + item if iri else item}
    if mention.gold:
        counts.missing += 1
        counts.example = counts.example or mention.gold[0]
    else:
        counts.outside += 1
    return {**record, "gold": list(mention.gold)} if keep else None
