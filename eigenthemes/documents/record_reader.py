"""Records of documents: find the files, split them by their layout, and parse records later, maybe in other processes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import orjson

from eigenthemes.core.files import Source
from eigenthemes.documents.aida import parse_aida, split_aida
from eigenthemes.documents.benchmark_sets import parse_wikitable, read_authors, read_wned
from eigenthemes.documents.bioc import documents_of
from eigenthemes.documents.brat import parse_brat
from eigenthemes.documents.json_lines import numbered_lines, parse_document
from eigenthemes.documents.json_values import parse_value, split_values
from eigenthemes.documents.layout import Layout
from eigenthemes.documents.nif import read_nif
from eigenthemes.documents.pubtator import parse_pubtator, split_pubtator
from eigenthemes.documents.standoff import line_of, without_location
from eigenthemes.documents.web import text_of_html
from eigenthemes.errors import DocumentError, OptionError, SourceError
from eigenthemes.records import Document

Paths = str | Path | Sequence[str | Path]

_SETTINGS = ".conf"  # of BRAT, beside its annotations


class DocumentFile(NamedTuple):
    """A file of documents.

    path    `-` is standard input
    name    in messages and ids: its name, its path within a folder, or the full path if two have the same name
    walked  was found in a folder; if it cannot be read, it is reported and skipped
    """

    path: str
    name: str
    walked: bool = False


def find_files(paths: Paths) -> list[DocumentFile]:
    """Return the files of paths; folders are walked in order of names, without hidden files and texts of BRAT annotations."""
    listed = [os.fspath(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    if not listed:
        raise OptionError("there is no file of documents; give the path of at least one, or - for standard input")
    _refuse_twice(listed)
    files: list[DocumentFile] = []
    for path in listed:
        files += _walk(path) if _is_folder(path) else [DocumentFile(path, "stdin" if path == "-" else Path(path).name)]
    files = _without_texts(files)
    _refuse_twice([file.path for file in files])
    counts = Counter(file.name for file in files)
    return [file if counts[file.name] == 1 else file._replace(name=file.path) for file in files]


def _refuse_twice(paths: list[str]) -> None:
    twice = [path for path, count in Counter(paths).items() if count > 1]
    if twice:
        raise OptionError(f"{twice[0]} is given twice; give each file of documents once", where=twice[0])


def _is_folder(path: str) -> bool:
    if path == "-":
        return False
    with suppress(PermissionError):  # opening it will say so
        if Path(path).is_dir():
            return True
        if not Path(path).exists():
            raise SourceError(f"{path} does not exist; give the path of a file of documents", where=path)
    return False


def _walk(folder: str) -> list[DocumentFile]:
    found = list(_walked(Path(folder)))
    if not found:
        raise SourceError(f"{folder} is a folder; it holds no file of documents: give another one", where=folder)
    return found


def _walked(folder: Path) -> Iterator[DocumentFile]:
    def refuse(error: OSError) -> None:
        raise SourceError(
            f"{error.filename} cannot be read ({error.strerror}); check its permissions", where=str(error.filename)
        )

    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        annotated = any(name.endswith(".ann") for name in names)
        for name in sorted(names):
            if name.startswith(".") or (annotated and name.endswith(_SETTINGS)):
                continue
            path = Path(parent) / name
            yield DocumentFile(str(path), path.relative_to(folder).as_posix(), walked=True)


def _without_texts(files: list[DocumentFile]) -> list[DocumentFile]:
    """Leave out texts that have a file of annotations."""
    annotated = {file.path.removesuffix(".ann") for file in files if file.path.endswith(".ann")}
    if not annotated:
        return files
    return [file for file in files if not (file.path.endswith(".txt") and file.path.removesuffix(".txt") in annotated)]


# records


class Record(NamedTuple):
    """A document that may not be parsed yet; it is flat, as thousands of them go to worker processes.

    file    name of the file
    line    first line, from 1; of layouts that are parsed at once (WNED, NIF, the authors' JSON) the number of the document
    data    bytes to parse, a document, or the error that `parse_record` raises
    layout  of the bytes
    """

    file: str
    line: int
    data: bytes | Document | DocumentError
    layout: Layout = Layout.JSON_LINES

    @property
    def where(self) -> str:
        """Return file and line."""
        return f"{self.file}:{self.line}"

    @property
    def size(self) -> int:
        """Return the approximate size in bytes."""
        if isinstance(self.data, bytes):
            return len(self.data)
        if isinstance(self.data, DocumentError):
            return 100
        return len(self.data.text or "") + 100 * (1 + len(self.data.mentions or ()))


def parse_record(record: Record) -> Document:
    """Return the document of a record; the message of a `DocumentError` is without file and line, which the record has."""
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
    several   there are other files, so ids of texts contain the name of the file
    columns   of Parquet: names of the columns of documents, by role
    """
    source.is_lines = layout in _SPLITTERS
    name = file.name
    if layout is Layout.JSON_VALUES:
        return (Record(name, line, value, layout) for line, value in split_values(source.stream, name))
    if layout in _SPLITTERS:
        return (Record(name, number, data, layout) for number, data in _SPLITTERS[layout](source.stream))
    if layout is Layout.PARQUET:
        from eigenthemes.documents.arrow_rows import read_parquet

        return _parsed(read_parquet(file.path, file.name, columns), name)
    if layout is Layout.BIOC:
        return _bioc_records(source, name)
    if layout is Layout.TEXT and per_line:
        return _line_records(source, name, several=several)
    return _parsed(_read_at_once(source, layout, file, name if several else None), name)


_SPLITTERS: dict[Layout, Callable[[Iterable[bytes]], Iterator[tuple[int, bytes]]]] = {
    Layout.JSON_LINES: numbered_lines,
    Layout.TABEL: numbered_lines,
    Layout.AIDA: split_aida,
    Layout.PUBTATOR: split_pubtator,
}


def _read_at_once(
    source: Source, layout: Layout, file: DocumentFile, text_id: str | None
) -> Iterator[Document] | Iterator[Document | DocumentError]:
    """Read the documents of a layout that is parsed at once."""
    if layout is Layout.WNED:
        return read_wned(source.xml(), origin=file.name, folder=None if file.path == "-" else Path(file.path).parent)
    if layout is Layout.AUTHORS:
        return read_authors(source.stream, origin=file.name)
    if layout is Layout.NIF:
        return read_nif(source.stream, origin=file.name)
    if layout is Layout.BRAT:
        return _read_brat(source, file)
    return _read_text(source, text_id, is_html=layout is Layout.HTML)


def _read_text(source: Source, text_id: str | None, *, is_html: bool) -> Iterator[Document]:
    """Read a plain text, or that of a web page: one document, or none if it is blank."""
    text = text_of_html(source) if is_html else source.text().read().decode("utf-8", "replace").rstrip("\r\n")
    if text and not text.isspace():
        yield Document(id=text_id, text=text)


def _line_records(source: Source, name: str, *, several: bool) -> Iterator[Record]:
    """Read a plain text with one document per line that is not blank; the id is the number of the line."""
    for number, line in enumerate(source.lines(), 1):
        if line.strip():
            yield Record(name, number, Document(id=f"{name}:{number}" if several else number, text=line))


def _read_brat(source: Source, file: DocumentFile) -> Iterator[Document]:
    """Read annotations and the text beside them; the file is `doc.ann` or `doc.txt`."""
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
    """Read BioC JSON; a collection is parsed at once, several documents one by one."""
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
    """Yield numbered records; if the file is broken, the last one is the error."""
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
