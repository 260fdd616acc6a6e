"""The one reader of documents: any number of files, each in any layout and compression, or standard input.

Files are read one record at a time. A record of JSON is not parsed here, so that worker processes may do it:

    with open_documents(["a.jsonl.gz", "b.xml", "-"]) as files:
        for record in files:
            document = parse_record(record)

`read_documents` does both.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import TRUNCATED, Source
from eigenthemes.documents.aida import read_aida
from eigenthemes.documents.authors import read_authors
from eigenthemes.documents.json_lines import document_of, numbered_lines, parse_document
from eigenthemes.documents.json_values import parse_value, split_values
from eigenthemes.documents.layout import Layout, find_layout
from eigenthemes.documents.located import located, without_location
from eigenthemes.documents.wikitables import parse_wikitable
from eigenthemes.documents.wned import read_wned
from eigenthemes.errors import DocumentError, OptionError, SourceError
from eigenthemes.records import Document

__all__ = [
    "DocumentFiles",
    "Record",
    "RefuseTruncated",
    "document_name",
    "document_of",
    "open_documents",
    "parse_document",
    "parse_record",
    "read_documents",
    "read_gold",
]

Paths = str | Path | Sequence[str | Path]


class Record(NamedTuple):
    """A document that may not be parsed yet; thousands of them go to worker processes, so it is flat.

    file    name of the file
    line    where it begins, from 1; in layouts that are parsed as a whole (AIDA-CoNLL, WNED, the authors' JSON) the number
            of the document
    data    bytes to parse, a document, or why there is none: the error that `parse_record` raises
    layout  how the bytes are to be parsed
    """

    file: str
    line: int
    data: bytes | Document | DocumentError
    layout: Layout = Layout.JSON_LINES

    @property
    def where(self) -> str:
        """File and line, as people write it."""
        return f"{self.file}:{self.line}"

    @property
    def size(self) -> int:
        """About how many bytes it has."""
        if isinstance(self.data, bytes):
            return len(self.data)
        if isinstance(self.data, DocumentError):
            return 100
        return len(self.data.text or "") + 100 * (1 + len(self.data.mentions or ()))


def parse_record(record: Record) -> Document:
    """Return the document of a record; the message of a `DocumentError` leaves out where it is, for the record says so."""
    data = record.data
    if isinstance(data, bytes):
        try:
            return _PARSERS[record.layout](data, record.line)
        except DocumentError as error:
            error.where = record.where
            raise
    if isinstance(data, DocumentError):
        raise data
    return data


_PARSERS: dict[Layout, Callable[[bytes, int], Document]] = {
    Layout.JSON_LINES: lambda data, line: parse_document(data),
    Layout.JSON_VALUES: parse_value,
    Layout.TABEL: lambda data, line: parse_wikitable(data),
}


def open_documents(
    paths: Paths, *, plain_text: bool = False, annotated: bool = False, diagnostics: Diagnostics | None = None
) -> DocumentFiles:
    """Open files of documents; `-` is standard input. What is wrong with a file as a whole is said now.

    plain_text   every file is one text, whatever it begins with
    annotated    files without gold are refused: plain texts and empty files
    diagnostics  told what is wrong with the bytes; see `DocumentFiles.refuse_truncated`
    """
    return DocumentFiles(paths, plain_text=plain_text, annotated=annotated, diagnostics=diagnostics)


def read_documents(
    paths: Paths, *, plain_text: bool = False, annotated: bool = False, strict: bool = True
) -> Iterator[Document]:
    """Read the documents of files; a missing file is refused at once, and errors name the file and the line.

    strict  a truncated archive is refused as soon as it is seen; else at the end, after the documents that came before
    """
    names = _names(paths)
    for path in names:
        _check_path(path)
    return _read(list(names), plain_text, annotated, strict)


def read_gold(path: str | Path) -> Iterator[Document]:
    """Read annotated documents, as `read_documents` does; what can hold no gold is refused."""
    return read_documents(path, annotated=True)


def document_name(path: str | Path) -> str:
    """Return the file's name without any suffix: `wned-cweb` for `data/wned-cweb.jsonl.gz`."""
    name = Path(path).name
    return name.lstrip(".").partition(".")[0] or name


class DocumentFiles:
    """Opened files of documents: iterate over their records, once.

    diagnostics   what is wrong with the bytes of the files read so far
    several       whether there is more than one file, so that a line alone does not say where something is
    """

    def __init__(self, paths: Paths, *, plain_text: bool, annotated: bool, diagnostics: Diagnostics | None) -> None:
        self.diagnostics = Diagnostics() if diagnostics is None else diagnostics
        self._names = _names(paths)
        self._plain_text, self._annotated = plain_text, annotated
        self._source: Source | None = None
        self.several = len(self._names) > 1
        for path in self._names:
            _check_path(path)
        first, *others = self._names
        for path in others:
            self._check_layout(path)
        self._layout = self._open(first)

    def __iter__(self) -> Iterator[Record]:
        for path, name in self._names.items():
            if self._source is None:
                self._layout = self._open(path)
            assert self._source is not None
            yield from self._records(self._source, self._layout, path, name)
            self.close()

    def refuse_truncated(self) -> None:
        """Raise a `SourceError` if a file was truncated, once what came before was used."""
        if self.diagnostics.counts[TRUNCATED]:
            example = self.diagnostics.examples[TRUNCATED][0]
            raise SourceError(
                f"{TRUNCATED}: {example}; what came before was read: fetch or pack the file again",
                code="truncated",
                where=example.partition(":")[0],
            )

    def close(self) -> None:
        """Close the file that is being read."""
        if self._source is not None:
            self._source.__exit__(None, None, None)
            self._source = None

    def __enter__(self) -> DocumentFiles:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self, path: str) -> Layout:
        self._source = Source(path, self.diagnostics, _ignore)
        try:
            return self._layout_of(self._source)
        except BaseException:
            self.close()
            raise

    def _check_layout(self, path: str) -> None:
        """Refuse a file before another one is read; standard input and pipes can only be looked at when their turn comes."""
        if path != "-" and Path(path).is_file():
            with Source(path, Diagnostics(), _ignore) as source:
                self._layout_of(source)

    def _layout_of(self, source: Source) -> Layout:
        return Layout.TEXT if self._plain_text else find_layout(source.head, source.name, annotated=self._annotated)

    def _records(self, source: Source, layout: Layout, path: str, name: str) -> Iterator[Record]:
        source.is_lines = layout in (Layout.JSON_LINES, Layout.TABEL, Layout.AIDA)
        if layout is Layout.JSON_VALUES:
            return (Record(name, line, value, layout) for line, value in split_values(source.stream, name))
        if layout in _PARSERS:
            return (Record(name, number, line, layout) for number, line in numbered_lines(source.stream))
        return _parsed(_read_whole(source, layout, path, name, name if self.several else None), name)


def _read_whole(source: Source, layout: Layout, path: str, name: str, text_id: str | None) -> Iterator[Document]:
    """Read the documents of a layout that is parsed as a whole."""
    if layout is Layout.AIDA:
        return read_aida(source.stream, origin=name)
    if layout is Layout.WNED:
        return read_wned(source.xml(), origin=name, folder=None if path == "-" else Path(path).parent)
    if layout is Layout.AUTHORS:
        return read_authors(source.stream, origin=name)
    return _read_text(source, text_id)


def _read_text(source: Source, text_id: str | None) -> Iterator[Document]:
    """Read a plain text: one document, or none where it is blank."""
    data = source.text().read()
    if data and not data.isspace():
        yield Document(id=text_id, text=data.decode("utf-8", "replace").rstrip("\r\n"))


def _parsed(documents: Iterator[Document], name: str) -> Iterator[Record]:
    """Number documents; where the file is broken, the last record is the error."""
    number = 0
    try:
        for document in documents:
            number += 1
            yield Record(name, number, document)
    except DocumentError as error:
        _, _, line = (error.where or "").removeprefix(name).partition(":")
        at = int(line) if line else number + 1
        yield Record(name, at, DocumentError(without_location(error), where=f"{name}:{at}"))


class RefuseTruncated(Diagnostics):
    """Diagnostics that refuse a truncated archive: gold that is cut short would give wrong figures in silence."""

    def add(self, problem: str, where: str, detail: str = "") -> None:
        if problem == TRUNCATED:
            raise SourceError(f"{where} is a {problem} ({detail}); fetch or pack the file again", code="truncated", where=where)
        super().add(problem, where, detail)


def _read(paths: list[str], plain_text: bool, annotated: bool, strict: bool) -> Iterator[Document]:
    diagnostics = RefuseTruncated() if strict else Diagnostics()
    with open_documents(paths, plain_text=plain_text, annotated=annotated, diagnostics=diagnostics) as files:
        for record in files:
            try:
                document = parse_record(record)
            except DocumentError as error:
                files.refuse_truncated()  # the better reason
                raise located(record.where, error) from None
            yield document
        files.refuse_truncated()


def _names(paths: Paths) -> dict[str, str]:
    """Return what each file is called: its name, or the whole path where two files have the same name."""
    listed = [os.fspath(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    if not listed:
        raise OptionError("there is no file of documents; give the path of at least one, or - for standard input")
    twice = [path for path, count in Counter(listed).items() if count > 1]
    if twice:
        raise OptionError(f"{twice[0]} is given twice; give each file of documents once", where=twice[0])
    names = {path: "stdin" if path == "-" else Path(path).name for path in listed}
    counts = Counter(names.values())
    return {path: name if counts[name] == 1 else path for path, name in names.items()}


def _check_path(path: str) -> None:
    if path == "-":
        return
    with suppress(PermissionError):  # opening it will say so
        if Path(path).is_dir():
            raise SourceError(f"{path} is a folder; give the files of documents in it one by one", where=path)
        if not Path(path).exists():
            raise SourceError(f"{path} does not exist; give the path of a file of documents", where=path)


def _ignore(amount: float) -> None:
    """Count no progress."""
