"""Gold documents of Wikipedia made into gold documents of Wikidata, by the MySQL dumps that Wikipedia publishes.

    page_props.sql   (page, 'wikibase_item', 'Q90', ...)   the Wikidata id of a page
    page.sql         (page, namespace, 'Title', ...)       the page of a title
    redirect.sql     (page, namespace, 'Title', ...)       the title that a page leads to

    python -m eigenthemes.reproduction.prepare GOLD --page-props FILE [--page FILE] [--redirect FILE] [-o OUT]

The dumps are read as streams; what stays in memory is two whole numbers a row that counts, a title by its 64-bit hash.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote

import click
import numpy as np
import orjson
from numpy.typing import NDArray

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import Source, check_readable, source_size
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.documents.reader import read_gold
from eigenthemes.errors import EigenthemesError, OptionError, SourceError
from eigenthemes.records import Document, LinkedDocument, Mention
from eigenthemes.reproduction.dumps import read_rows

ENTITY = "http://www.wikidata.org/entity/"

_ITEM = re.compile(r"(?:https?://www\.wikidata\.org/(?:entity|wiki)/)?Q([1-9][0-9]{0,17})")
_PAGE_IRI = re.compile(r"https?://(?:[\w.-]+\.)?(?:wikipedia\.org/wiki|dbpedia\.org/resource)/([^#]+).*", re.DOTALL)
_PAGE_ID = re.compile(r"[0-9]{1,18}")


class _Strict(Diagnostics):
    """A dump that is cut short would lose pages in silence: it is not read as far as it goes."""

    def add(self, kind: str, where: str, detail: str = "") -> None:
        raise SourceError(f"{where} is a {kind} ({detail}); fetch the file again")


# pages


class _Numbers:
    """Whole numbers by whole numbers in 16 bytes a pair, of which Wikipedia has ten millions; the first of a key counts."""

    def __init__(self) -> None:
        self._keys, self._values = array("q"), array("q")
        self.keys: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.values = self.keys

    def add(self, key: int, value: int) -> None:
        self._keys.append(key)
        self._values.append(value)

    def seal(self) -> None:
        """Sort what was added; without this, nothing is found."""
        keys = np.frombuffer(self._keys, dtype=np.int64)
        order = np.argsort(keys, kind="stable")
        self.keys, self.values = keys[order], np.frombuffer(self._values, dtype=np.int64)[order]
        self._keys, self._values = array("q"), array("q")

    def find(self, key: int) -> int | None:
        at = int(np.searchsorted(self.keys, key))
        return int(self.values[at]) if at < len(self.keys) and self.keys[at] == key else None


class WikipediaMap:
    """From the pages of a Wikipedia, by id or title, to Wikidata ids; made by `WikipediaMap.read`."""

    def __init__(self) -> None:
        self._items = _Numbers()  # page -> number of the Wikidata id
        self._pages = _Numbers()  # hash of a title -> page, articles only
        self._redirects = _Numbers()  # page -> hash of the title it leads to
        self.has_titles = False

    @classmethod
    def read(
        cls,
        page_props: str | Path,
        page: str | Path | None = None,
        redirect: str | Path | None = None,
        *,
        progress: Progress | None = None,
    ) -> WikipediaMap:
        """Read the dumps. Without `page`, pages are known by their ids only; `redirect` needs `page`."""
        if redirect is not None and page is None:
            raise OptionError("there is a redirect file but no page file, which says what titles are of which page; give both")
        for path in (page_props, page, redirect):
            if path is not None:
                check_readable(path)  # before minutes are spent on another
        pages, progress = cls(), progress or Silent()
        for number, _, value in _read(page_props, "page_props", 3, b"'wikibase_item'", progress):
            if value and (item := _ITEM.fullmatch(value.decode(errors="replace"))):
                pages._items.add(_whole(number, page_props), int(item[1]))
        if page is not None:
            pages.has_titles = True
            for number, _, title in _read(page, "page", 3, b"0", progress):
                if title:
                    pages._pages.add(hash(title), _whole(number, page))
        if redirect is not None:
            for number, _, title, other_wiki in _read(redirect, "redirect", 4, b"0", progress):
                if title and not other_wiki:
                    pages._redirects.add(_whole(number, redirect), hash(title))
        for each in (pages._items, pages._pages, pages._redirects):
            each.seal()
        return pages

    def find(self, gold: str) -> str | None:
        """The Wikidata id of a page: its id, its title, or an IRI of Wikipedia or DBpedia. A Wikidata id is itself."""
        return self.find_any((gold,))

    def find_any(self, gold: Sequence[str]) -> str | None:
        """The Wikidata id of a page that goes by several names; its id counts before its titles, for moved pages keep it.

        `1990` may be the id of a page and the title of another: where an IRI has it for its title, it is a title.
        """
        named = [_key(title) for each in gold if (title := _title(each))]
        bare = [each for each in gold if not _title(each) and _key(each) not in named]
        items = chain(map(_as_item, bare), map(self._by_id, bare), map(self._by_title, (*named, *map(_key, bare))))
        number = next((item for item in items if item is not None), None)
        return None if number is None else f"Q{number}"

    def entities(self) -> Iterator[str]:
        """The Wikidata ids of all articles, or of all pages (categories and templates, too) where titles were not read."""
        items = self._items
        articles = items.values[np.isin(items.keys, self._pages.values)] if self.has_titles else items.values
        return (f"Q{number}" for number in np.unique(articles).tolist())

    def _by_id(self, text: str) -> int | None:
        return self._of_page(int(text)) if _PAGE_ID.fullmatch(text) else None

    def _by_title(self, title: bytes) -> int | None:
        page = self._pages.find(hash(title))
        return None if page is None else self._of_page(page)

    def _of_page(self, page: int) -> int | None:
        """The item of a page, or of the page that it leads to: one hop, as Wikipedia itself follows them."""
        item = self._items.find(page)
        target = self._redirects.find(page) if item is None else None
        if target is not None and (there := self._pages.find(target)) is not None:
            return self._items.find(there)
        return item


def _read(path: str | Path, table: str, columns: int, second: bytes, progress: Progress) -> Iterator[tuple[bytes | None, ...]]:
    with (
        progress.step(f"reading {table}", total=source_size(path), unit="bytes") as advance,
        Source(path, _Strict(), advance) as source,
    ):
        yield from read_rows(source.stream, table, columns, second=second, origin=source.name)


def _whole(number: bytes | None, path: str | Path) -> int:
    if number is None or not number.isdigit() or len(number) > 18:
        found = "NULL" if number is None else repr(number[:20].decode(errors="replace"))
        raise SourceError(f"{Path(path).name} has {found} for the id of a page; expected a number, as in a Wikipedia dump")
    return int(number)


def _key(title: str) -> bytes:
    """A title as the dumps spell it: underscores, the first letter a capital."""
    text = "_".join(unicodedata.normalize("NFC", title).replace("_", " ").split())
    first = text[:1].upper()
    return ((first if len(first) == 1 else text[:1]) + text[1:]).encode(errors="replace")


def _title(gold: str) -> str | None:
    """The title in an IRI of a page."""
    found = _PAGE_IRI.fullmatch(gold)
    return unquote(found[1]) if found else None


def _as_item(gold: str) -> int | None:
    found = _ITEM.fullmatch(gold)
    return int(found[1]) if found else None


# documents


@dataclass
class Counts:
    """What became of the mentions.

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


def prepare(
    documents: Iterable[Document],
    pages: WikipediaMap,
    *,
    iri: bool = False,
    keep_missing: bool = False,
    counts: Counts | None = None,
) -> Iterator[dict[str, Any]]:
    """The documents as JSON objects with Wikidata ids for gold, `Q90` or as IRIs.

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


# the command


class _Command(click.Command):
    """click itself would end with 1 where the reader of the output has gone (`| head`)."""

    def invoke(self, context: click.Context) -> None:
        try:
            super().invoke(context)
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.command(cls=_Command, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("gold", type=click.Path())
@click.option("--page-props", required=True, type=click.Path(), metavar="FILE", help="page_props.sql of a Wikipedia dump.")
@click.option("--page", type=click.Path(), metavar="FILE", help="page.sql: pages are known by their titles, too.")
@click.option("--redirect", type=click.Path(), metavar="FILE", help="redirect.sql: old titles lead to the page of today.")
@click.option("-o", "--output", type=click.Path(), default="-", help="Write here instead of standard output.")
@click.option("--iri", is_flag=True, help=f"Write ids as {ENTITY}Q90, as in a KB made of N-Triples; default: Q90.")
@click.option("--keep-missing", is_flag=True, help="Keep mentions without a Wikidata id, with the gold they had.")
@click.option("--ids", type=click.Path(), metavar="FILE", help="Write the ids of all articles here, for build --keep.")
def command(
    gold: str,
    page_props: str,
    page: str | None,
    redirect: str | None,
    output: str,
    iri: bool,
    keep_missing: bool,
    ids: str | None,
) -> None:
    """Rewrite the gold of documents, pages of Wikipedia, as Wikidata ids.

    GOLD: AIDA-CoNLL (AIDA-YAGO2-dataset.tsv), WNED XML, TabEL's tables or JSON lines. The dumps may be packed with gzip. One
    JSON object a document is written, ready for eigenthemes eval.
    """
    from eigenthemes.cli.output import terminal_progress

    documents, counts = read_gold(gold), Counts()
    pages = WikipediaMap.read(page_props, page, redirect, progress=terminal_progress())
    if ids is not None:
        with _writing(ids) as out:
            out.writelines(f"{ENTITY if iri else ''}{each}\n".encode() for each in pages.entities())
    with _writing(output) as out:
        for record in prepare(documents, pages, iri=iri, keep_missing=keep_missing, counts=counts):
            out.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        if counts.missing and not counts.found:
            remedy = "check that the dumps are of the right Wikipedia" if page else "titles are only known with --page FILE"
            raise SourceError(f"{gold}: none of {counts.missing:,} mentions has a page (first: {counts.example}); {remedy}")
    click.echo(_told(counts, keep_missing), err=True)


def _told(counts: Counts, keep_missing: bool) -> str:
    fate = "kept" if keep_missing else "left out"
    first = f" (first: {counts.example})" if counts.example else ""
    textless = f" ({counts.textless:,} without their text: RawText is not beside them?)" if counts.textless else ""
    return (
        f"{counts.documents:,} documents{textless}, {counts.found:,} mentions with a Wikidata id; {fate}: {counts.missing:,} "
        f"whose page has none{first}, {counts.outside:,} annotated as outside Wikipedia"
    )


@contextmanager
def _writing(path: str) -> Iterator[IO[bytes]]:
    """Standard output, or a file that is there when it is whole."""
    if path == "-":
        yield sys.stdout.buffer
        return
    part = Path(f"{path}.part")
    try:
        with open(part, "wb") as out:
            yield out
        part.replace(path)
    except OSError as error:
        raise SourceError(f"{path} cannot be written ({error.strerror}); give another place") from None
    finally:
        with suppress(OSError):
            part.unlink()


def main() -> None:
    """Run the command; errors of the user end in one sentence, never in a traceback."""
    try:
        command.main(prog_name="python -m eigenthemes.reproduction.prepare", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.exceptions.Abort, KeyboardInterrupt):
        _stop("interrupted; nothing was changed", 130)
    except EigenthemesError as error:
        _stop(str(error), 1)
    except OSError as error:
        _stop(f"the system refused ({error.strerror or error}); check the place you read from or write to", 1)


def _stop(sentence: str, code: int) -> None:
    click.echo(f"eigenthemes: {sentence}", err=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
