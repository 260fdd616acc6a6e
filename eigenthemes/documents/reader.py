"""Documents in the layouts people have them in, told apart by their content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import Source
from eigenthemes.documents.aida import read_aida
from eigenthemes.documents.authors import read_authors
from eigenthemes.documents.json_lines import BOM, document_of, parse_document, read_json_lines
from eigenthemes.documents.wikitables import is_wikitables, read_wikitables
from eigenthemes.documents.wned import read_wned
from eigenthemes.errors import SourceError
from eigenthemes.records import Document

__all__ = ["document_name", "document_of", "parse_document", "read_gold"]

_FIRST_KEY = re.compile(rb'\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*\[')  # of an object whose first value is a list


def read_gold(path: str | Path) -> Iterator[Document]:
    """The documents of a file in any of the layouts, packed or not; a missing file is refused at once."""
    with suppress(PermissionError):  # opening it will say so
        if Path(path).is_dir():
            raise SourceError(f"{path} is a folder; give the files of documents in it one by one")
        if not Path(path).exists():
            raise SourceError(f"{path} does not exist; give the path of a file of documents")
    return _read(path)


def document_name(path: str | Path) -> str:
    """The file's name without any suffix: `wned-cweb` for `data/wned-cweb.jsonl.gz`."""
    name = Path(path).name
    return name.lstrip(".").partition(".")[0] or name


def _read(path: str | Path) -> Iterator[Document]:
    with Source(path, _Strict(), lambda amount: None) as source:
        yield from _documents(source, Path(path).parent)


def _documents(source: Source, folder: Path) -> Iterator[Document]:
    head = source.head.removeprefix(BOM).lstrip()
    if head.startswith(b"<"):
        return read_wned(source.xml(), origin=source.name, folder=folder)
    if head.startswith(b"-DOCSTART-"):
        return read_aida(source.stream, origin=source.name)
    if is_wikitables(head):
        return read_wikitables(source.stream, origin=source.name)
    if _is_authors(head):
        return read_authors(source.stream, origin=source.name)
    if head.startswith((b"{", b'"')):
        return read_json_lines(source.stream, origin=source.name)
    found = f"begins with {head[:20].decode(errors='replace')!r}" if head else "is empty"
    raise SourceError(
        f"{source.name} {found}; expected JSON lines, the authors' JSON, TabEL's tables, AIDA-CoNLL lines or WNED XML"
    )


def _is_authors(head: bytes) -> bool:
    """One object with a list of mentions for each document; only the beginning is looked at, for it may be on one long line."""
    first = _FIRST_KEY.match(head)
    return first is not None and first[1] != b"mentions" and re.search(rb'"mention"\s*:', head) is not None


class _Strict(Diagnostics):
    """Gold that is cut short would give wrong figures in silence: unlike a KG, it is not read as far as it goes."""

    def add(self, kind: str, where: str, detail: str = "") -> None:
        raise SourceError(f"{where} is a {kind} ({detail}); fetch or pack the file again")
