"""The records of an opened file, by its layout: cut into documents that are parsed later, or parsed as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import orjson

from eigenthemes.core.files import Source
from eigenthemes.documents.aida import split_aida
from eigenthemes.documents.authors import read_authors
from eigenthemes.documents.bioc import documents_of
from eigenthemes.documents.brat import parse_brat
from eigenthemes.documents.files import DocumentFile
from eigenthemes.documents.json_lines import numbered_lines
from eigenthemes.documents.json_values import split_values
from eigenthemes.documents.layout import Layout
from eigenthemes.documents.located import without_location
from eigenthemes.documents.nif import read_nif
from eigenthemes.documents.pubtator import split_pubtator
from eigenthemes.documents.record import Record
from eigenthemes.documents.wned import read_wned
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document


def read_records(
    source: Source,
    layout: Layout,
    file: DocumentFile,
    *,
    per_line: bool,
    several: bool,
    columns: Mapping[str, str] | None = None,
) -> Iterator[Record]:
    """Yield the records of a file.

    per_line  each line of a plain text is a document
    several   there are other files, so that texts are told apart by the names of their files
    columns   of Parquet: what the columns of documents are called, by role
    """
    source.is_lines = layout in _SPLITTERS
    name = file.name
    if layout is Layout.JSON_VALUES:
        return (Record(name, line, value, layout) for line, value in split_values(source.stream, name))
    if layout in _SPLITTERS:
        return (Record(name, number, data, layout) for number, data in _SPLITTERS[layout](source.stream))
    if layout is Layout.PARQUET:
        from eigenthemes.documents.parquet import read_parquet

        return _parsed(read_parquet(file.path, file.name, columns), name)
    if layout is Layout.BIOC:
        return _bioc_records(source, name)
    if layout is Layout.TEXT and per_line:
        return _line_records(source, name, several=several)
    return _parsed(_read_whole(source, layout, file, name if several else None), name)


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
    with Source(text_file, source.diagnostics, ignore) as text_source:
        text = text_source.text().read().decode("utf-8", "replace")
    document_id = file.name.removesuffix(".ann").removesuffix(".txt")
    with Source(annotations, source.diagnostics, ignore) as lines:
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
    """Enumerate documents; where the file is broken, the last record is the error."""
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


def ignore(amount: float) -> None:
    """Count no progress."""
