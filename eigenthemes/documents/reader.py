"""The one reader of documents: any number of files, each in any layout and compression, or standard input.

Files are read one record at a time. A record of JSON is not parsed here, so that worker processes may do it:

    with open_documents(["a.jsonl.gz", "b.xml", "-"]) as files:
        for record in files:
            document = parse_record(record)

`read_documents` does both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import orjson

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import TRUNCATED, Source
from eigenthemes.documents.aida import parse_aida, split_aida
from eigenthemes.documents.authors import read_authors
from eigenthemes.documents.bioc import documents_of
from eigenthemes.documents.brat import parse_brat
from eigenthemes.documents.files import DocumentFile, Paths, find_files
from eigenthemes.documents.json_lines import document_of, numbered_lines, parse_document
from eigenthemes.documents.json_values import parse_value, split_values
from eigenthemes.documents.layout import Layout, find_layout, layout_named
from eigenthemes.documents.located import line_of, located, without_location
from eigenthemes.documents.nif import read_nif
from eigenthemes.documents.pubtator import parse_pubtator, split_pubtator
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


class Record(NamedTuple):
    """A document that may not be parsed yet; thousands of them go to worker processes, so it is flat.

    file    name of the file
    line    where it begins, from 1; in layouts that are parsed as a whole (WNED, NIF, the authors' JSON) the number of
            the document
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
            error.where = f"{record.file}:{line_of(error, record.line)}"
            raise
    if isinstance(data, DocumentError):
        raise data
    return data


_PARSERS: dict[Layout, Callable[[bytes, int], Document]] = {
    Layout.JSON_LINES: lambda data, line: parse_document(data),
    Layout.JSON_VALUES: parse_value,
    Layout.TABEL: lambda data, line: parse_wikitable(data),
    Layout.AIDA: parse_aida,
    Layout.PUBTATOR: parse_pubtator,
}


def open_documents(
    paths: Paths,
    *,
    plain_text: bool = False,
    per_line: bool = False,
    format: str | None = None,
    annotated: bool = False,
    diagnostics: Diagnostics | None = None,
) -> DocumentFiles:
    """Open files of documents, and those in folders; `-` is standard input. What is wrong with a file as a whole is said now.

    plain_text   every file is one text, whatever it begins with
    per_line     every file is plain text, and each line a document
    format       what every file is: one of `layout.FORMATS`; None: found from its content
    annotated    files without gold are refused: plain texts and empty files
    diagnostics  told what is wrong with the bytes; see `DocumentFiles.refuse_truncated`
    """
    if (plain_text or per_line) and format not in (None, "text"):
        raise OptionError(f"the documents cannot be plain text and {format} at once; choose one", where=format)
    layout = Layout.TEXT if plain_text or per_line else None if format is None else layout_named(format)
    return DocumentFiles(paths, layout=layout, per_line=per_line, annotated=annotated, diagnostics=diagnostics)


def read_documents(
    paths: Paths,
    *,
    plain_text: bool = False,
    per_line: bool = False,
    format: str | None = None,
    annotated: bool = False,
    strict: bool = True,
) -> Iterator[Document]:
    """Read the documents of files and folders; a missing one is refused at once, and errors name the file and the line.

    strict  a truncated archive is refused as soon as it is seen; else at the end, after the documents that came before
    """
    find_files(paths)
    return _read(paths, strict, plain_text=plain_text, per_line=per_line, format=format, annotated=annotated)


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
    files         what is read
    several       whether there is more than one file, so that a line alone does not say where something is
    """

    def __init__(
        self, paths: Paths, *, layout: Layout | None, per_line: bool, annotated: bool, diagnostics: Diagnostics | None
    ) -> None:
        self.diagnostics = Diagnostics() if diagnostics is None else diagnostics
        self.files = find_files(paths)
        self.several = len(self.files) > 1
        self._given, self._per_line, self._annotated = layout, per_line, annotated
        self._source: Source | None = None
        self._layout = Layout.TEXT
        first, *others = self.files
        for file in others:
            if not file.walked:
                self._check_layout(file.path)
        if not first.walked:
            self._layout = self._open(first)

    def __iter__(self) -> Iterator[Record]:
        for file in self.files:
            try:
                if self._source is None:
                    self._layout = self._open(file)
            except SourceError as error:
                if not file.walked:
                    raise
                yield Record(file.name, 1, DocumentError(str(error), code=error.code, where=f"{file.name}:1"))
                continue
            assert self._source is not None
            yield from self._records(self._source, self._layout, file)
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

    def _open(self, file: DocumentFile) -> Layout:
        self._source = Source(file.path, self.diagnostics, _ignore)
        try:
            if file.walked and b"\0" in self._source.head:
                raise SourceError(f"{file.name} is no text; leave it out of the folder", where=file.name)
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
        return find_layout(source.head, source.name, annotated=self._annotated) if self._given is None else self._given

    def _records(self, source: Source, layout: Layout, file: DocumentFile) -> Iterator[Record]:
        source.is_lines = layout in _SPLITTERS
        name = file.name
        if layout is Layout.JSON_VALUES:
            return (Record(name, line, value, layout) for line, value in split_values(source.stream, name))
        if layout in _SPLITTERS:
            return (Record(name, number, data, layout) for number, data in _SPLITTERS[layout](source.stream))
        if layout is Layout.BIOC:
            return _bioc_records(source, name)
        if layout is Layout.TEXT and self._per_line:
            return _line_records(source, name, several=self.several)
        return _parsed(_read_whole(source, layout, file, name if self.several else None), name)


_SPLITTERS: dict[Layout, Callable[[Iterable[bytes]], Iterator[tuple[int, bytes]]]] = {
    Layout.JSON_LINES: numbered_lines,
    Layout.TABEL: numbered_lines,
    Layout.AIDA: split_aida,
    Layout.PUBTATOR: split_pubtator,
}


def _read_whole(
    source: Source, layout: Layout, file: DocumentFile, text_id: str | None
) -> Iterator[Document] | Iterator[Document | DocumentError]:
    """Read the documents of a layout that is parsed as a whole."""
    if layout is Layout.WNED:
        return read_wned(source.xml(), origin=file.name, folder=None if file.path == "-" else Path(file.path).parent)
    if layout is Layout.AUTHORS:
        return read_authors(source.stream, origin=file.name)
    if layout is Layout.NIF:
        return read_nif(source.stream, origin=file.name)
    if layout is Layout.BRAT:
        return _read_brat(source, file)
    return _read_text(source, text_id)


def _read_text(source: Source, text_id: str | None) -> Iterator[Document]:
    """Read a plain text: one document, or none where it is blank."""
    data = source.text().read()
    if data and not data.isspace():
        yield Document(id=text_id, text=data.decode("utf-8", "replace").rstrip("\r\n"))


def _line_records(source: Source, name: str, *, several: bool) -> Iterator[Record]:
    """Read a plain text, a document per line that is not blank: its id is the number of the line."""
    for number, line in enumerate(source.lines(), 1):
        if line.strip():
            yield Record(name, number, Document(id=f"{name}:{number}" if several else number, text=line))


def _read_brat(source: Source, file: DocumentFile) -> Iterator[Document]:
    """Read the annotations of a text that is beside them; `doc.txt` stands for `doc.ann` here."""
    base = file.path.removesuffix(".ann").removesuffix(".txt")
    text_file, annotations = Path(f"{base}.txt"), Path(f"{base}.ann")
    if file.path == "-" or not text_file.is_file() or not annotations.is_file():
        missing = "text" if file.path.endswith(".ann") or file.path == "-" else "annotations"
        raise DocumentError(f"{file.name} has no {missing}; expected a file of the same name that ends in .txt, one in .ann")
    with Source(text_file, source.diagnostics, _ignore) as text_source:
        text = text_source.text().read().decode("utf-8", "replace")
    document_id = file.name.removesuffix(".ann").removesuffix(".txt")
    with Source(annotations, source.diagnostics, _ignore) as lines:
        yield parse_brat(lines.stream, text, document_id)


def _bioc_records(source: Source, name: str) -> Iterator[Record]:
    """Read BioC JSON; a collection is parsed as a whole, documents one after the other are parsed so."""
    for line, value in split_values(source.stream, name):
        try:
            for document in documents_of(orjson.loads(value)):
                yield Record(name, line, document)
        except orjson.JSONDecodeError as error:
            at = line + error.lineno - 1
            problem = f"no JSON in column {error.colno} ({error.msg}); expected a whole BioC collection or document"
            yield Record(name, at, DocumentError(problem, where=f"{name}:{at}"))
        except DocumentError as error:
            yield Record(name, line, error)


def _parsed(documents: Iterator[Document] | Iterator[Document | DocumentError], name: str) -> Iterator[Record]:
    """Number documents; where the file is broken, the last record is the error."""
    number = 0
    try:
        for document in documents:
            number += 1
            yield Record(name, number, document) if isinstance(document, Document) else _failed(document, name, number)
    except DocumentError as error:
        yield _failed(error, name, number + 1)


def _failed(error: DocumentError, name: str, number: int) -> Record:
    _, _, line = (error.where or "").removeprefix(name).rpartition(":")
    at = int(line) if line.isdecimal() else number
    return Record(name, at, DocumentError(without_location(error), where=f"{name}:{at}"))


class RefuseTruncated(Diagnostics):
    """Diagnostics that refuse a truncated archive: gold that is cut short would give wrong figures in silence."""

    def add(self, problem: str, where: str, detail: str = "") -> None:
        if problem == TRUNCATED:
            raise SourceError(f"{where} is a {problem} ({detail}); fetch or pack the file again", code="truncated", where=where)
        super().add(problem, where, detail)


def _read(paths: Paths, strict: bool, **options: Any) -> Iterator[Document]:
    diagnostics = RefuseTruncated() if strict else Diagnostics()
    with open_documents(paths, diagnostics=diagnostics, **options) as files:
        for record in files:
            try:
                document = parse_record(record)
            except DocumentError as error:
                files.refuse_truncated()  # the better reason
                raise located(error.where or record.where, error) from None
            yield document
        files.refuse_truncated()


def _ignore(amount: float) -> None:
    """Count no progress."""
