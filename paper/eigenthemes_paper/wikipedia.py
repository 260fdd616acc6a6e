"""Pages of Wikipedia as Wikidata items, read from the SQL dumps of Wikipedia."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import Source, check_readable, source_size
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.errors import OptionError, SourceError

_CHUNK = 1 << 20  # bytes read at a time
_LONGEST = 1 << 20  # bytes of a row: the longest values of these tables have 64 KB
_STRING = rb"'[^'\\]*+(?:(?:\\.|'')[^'\\]*+)*+'"
_FIELD = rb"(?:_binary )?(%b|[^\s',()]++)" % _STRING
_OTHERS = rb"(?:,\s*+(?:_binary )?(?:%b|[^\s',()]++)\s*+)*+" % _STRING
_ESCAPE = re.compile(rb"\\(.)|''", re.DOTALL)
_ESCAPED = {b"0": b"\0", b"b": b"\b", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"Z": b"\x1a"}


def read_dump_rows(
    stream: IO[bytes], table: str, columns: int, *, second: bytes | None = None, origin: str
) -> Iterator[tuple[bytes | None, ...]]:
    """Yield the first columns of every row that a dump inserts into a table; numbers come as their digits, NULL as None.

    second   only rows whose second column is written like this, `'wikibase_item'` or `0`: decoding is most of the work

    A string may hold anything, a line break or `),(` too, and a statement any number of rows: what is cut by the end of a
    chunk does not match and is read again with the next.
    """
    insert = re.compile(rb"INSERT INTO `?%b`? VALUES" % re.escape(table.encode()))
    row = re.compile(rb"\s*+\(\s*+" + rb"\s*+,\s*+".join([_FIELD] * columns) + rb"\s*+" + _OTHERS + rb"\)\s*+([,;])", re.DOTALL)
    number, inside, buffer = 0, False, b""
    while chunk := stream.read(_CHUNK):
        buffer += chunk
        at = 0
        while True:
            if not inside:
                statement = insert.search(buffer, at)
                if statement is None:
                    at = max(at, len(buffer) - 100)  # where the next statement may have begun
                    break
                at, inside = statement.end(), True
            match = row.match(buffer, at)
            if match is None:
                break
            number += 1
            *fields, end = match.groups()
            at, inside = match.end(), end == b","
            if second is None or fields[1] == second:
                yield tuple(map(_value, fields))
        buffer = buffer[at:]
        if inside and len(buffer) > _LONGEST:
            content = buffer[:40].decode(errors="replace")
            expected = f"expected at least {columns} columns of a MySQL dump"
            raise SourceError(f"{origin}: row {number + 1:,} of {table} cannot be read ({content!r}); {expected}", where=origin)
    if inside:
        raise SourceError(
            f"{origin} ends within row {number + 1:,} of {table}, or that row is broken; fetch the file again", where=origin
        )
    if not number:
        raise SourceError(
            f"{origin} holds no rows of the table {table}; give the file ...-{table}.sql.gz of a Wikipedia dump", where=origin
        )


def _value(raw: bytes) -> bytes | None:
    if not raw.startswith(b"'"):
        return None if raw == b"NULL" else raw
    body = raw[1:-1]
    if b"\\" in body or b"'" in body:
        return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]) if match[1] else b"'", body)
    return body


_ITEM = re.compile(r"(?:https?://www\.wikidata\.org/(?:entity|wiki)/)?Q([1-9][0-9]{0,17})")
_PAGE_IRI = re.compile(r"https?://(?:[\w.-]+\.)?(?:wikipedia\.org/wiki|dbpedia\.org/resource)/([^#]+).*", re.DOTALL)
_PAGE_ID = re.compile(r"[0-9]{1,18}")


class _Strict(Diagnostics):
    """A dump that is cut short would lose pages in silence: it is not read as far as it goes."""

    def add(self, kind: str, where: str, detail: str = "") -> None:
        raise SourceError(f"{where} is a {kind} ({detail}); fetch the file again", where=where)


class _Numbers:
    """A map between integers in 16 bytes per pair, since Wikipedia has tens of millions; the first of a key counts."""

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
        index = int(np.searchsorted(self.keys, key))
        return int(self.values[index]) if index < len(self.keys) and self.keys[index] == key else None


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
                pages._items.add(_parse_number(number, page_props), int(item[1]))
        if page is not None:
            pages.has_titles = True
            for number, _, title in _read(page, "page", 3, b"0", progress):
                if title:
                    pages._pages.add(hash(title), _parse_number(number, page))
        if redirect is not None:
            for number, _, title, other_wiki in _read(redirect, "redirect", 4, b"0", progress):
                if title and not other_wiki:
                    pages._redirects.add(_parse_number(number, redirect), hash(title))
        for numbers in (pages._items, pages._pages, pages._redirects):
            numbers.seal()
        return pages

    def find(self, gold: str) -> str | None:
        """Return the Wikidata id of a page: its id, its title, or an IRI of Wikipedia or DBpedia. A Wikidata id is itself."""
        return self.find_any((gold,))

    def find_any(self, gold: Sequence[str]) -> str | None:
        """Return the Wikidata id of a page with several names; its id counts before its titles: moved pages keep it.

        `1990` may be the id of a page and the title of another: where an IRI has it for its title, it is a title.
        """
        named = [_key(title) for name in gold if (title := _title(name))]
        bare = [name for name in gold if not _title(name) and _key(name) not in named]
        items = chain(map(_as_item, bare), map(self._by_id, bare), map(self._by_title, (*named, *map(_key, bare))))
        number = next((item for item in items if item is not None), None)
        return None if number is None else f"Q{number}"

    def entities(self) -> Iterator[str]:
        """Return the Wikidata ids of all articles, or of all pages where titles were not read."""
        items = self._items
        articles = items.values[np.isin(items.keys, self._pages.values)] if self.has_titles else items.values
        return (f"Q{number}" for number in np.unique(articles).tolist())

    def _by_id(self, text: str) -> int | None:
        return self._of_page(int(text)) if _PAGE_ID.fullmatch(text) else None

    def _by_title(self, title: bytes) -> int | None:
        page = self._pages.find(hash(title))
        return None if page is None else self._of_page(page)

    def _of_page(self, page: int) -> int | None:
        """Return the item of a page, or of the page that it leads to: one hop, as Wikipedia itself follows them."""
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
        yield from read_dump_rows(source.stream, table, columns, second=second, origin=source.name)


def _parse_number(number: bytes | None, path: str | Path) -> int:
    if number is None or not number.isdigit() or len(number) > 18:
        value = "NULL" if number is None else repr(number[:20].decode(errors="replace"))
        raise SourceError(
            f"{Path(path).name} has {value} for the id of a page; expected a number, as in a Wikipedia dump", where=str(path)
        )
    return int(number)


def _key(title: str) -> bytes:
    """Return a title as the dumps spell it: underscores, the first letter a capital."""
    text = "_".join(unicodedata.normalize("NFC", title).replace("_", " ").split())
    first = text[:1].upper()
    return ((first if len(first) == 1 else text[:1]) + text[1:]).encode(errors="replace")


def _title(gold: str) -> str | None:
    """Return the title in an IRI of a page."""
    match = _PAGE_IRI.fullmatch(gold)
    return unquote(match[1]) if match else None


def _as_item(gold: str) -> int | None:
    match = _ITEM.fullmatch(gold)
    return int(match[1]) if match else None
