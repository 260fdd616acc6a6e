"""Read documents: any number of files and folders, each in any layout and compression, or standard input.

Files are read one record at a time. Records of most layouts are not parsed here, so that worker processes may do it:

    for record in DocumentFiles(["a.jsonl.gz", "b.xml", "-"]):
        document = parse_record(record)

`read_documents` does both.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from eigenthemes.core.checks import check_arguments
from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import TRUNCATED, Source
from eigenthemes.documents.benchmark_sets import parse_aida, parse_wikitable, read_authors, read_wned, split_aida
from eigenthemes.documents.bioc import read_bioc
from eigenthemes.documents.brat import read_brat
from eigenthemes.documents.json_lines import parse_document
from eigenthemes.documents.layout import Layout, find_layout, refuse_binary
from eigenthemes.documents.nif import read_nif
from eigenthemes.documents.pubtator import parse_pubtator, split_pubtator
from eigenthemes.documents.splitting import line_of, located, numbered_lines, split_values
from eigenthemes.documents.web import text_of_html
from eigenthemes.errors import DocumentError, EigenthemesError, OptionError, SourceError
from eigenthemes.records import Document

Paths = str | Path | Sequence[str | Path]
Data = bytes | Document | DocumentError


@check_arguments
def read_documents(
    paths: Paths,
    *,
    plain_text: bool = False,
    per_line: bool = False,
    format: str | None = None,
    annotated: bool = False,
    strict: bool = True,
) -> Iterator[Document]:
    """Read the documents of files and folders.

    Parameters
    ----------
    paths : path or sequence of paths
        Files and folders; ``"-"`` for standard input.
    plain_text : bool
        Read every file as one plain text.
    per_line : bool
        Read every file as plain text with one document per line.
    format : str, optional
        Format of all files, such as ``"jsonl"`` or ``"brat"``; by default it is detected for each.
    annotated : bool
        Refuse files without gold: plain text and empty files.
    strict : bool
        Raise the error of a truncated archive at once; else after the documents before it.

    Yields
    ------
    Document
        The documents, in order of the files.

    Raises
    ------
    SourceError
        If a file is missing or cannot be read.
    DocumentError
        If a document is broken; the message names file and line.
    """
    find_files(paths)
    return _read(paths, strict, plain_text=plain_text, per_line=per_line, format=format, annotated=annotated)


def _read(paths: Paths, strict: bool, **options: Any) -> Iterator[Document]:
    files = DocumentFiles(paths, diagnostics=RefuseTruncated() if strict else Diagnostics(), **options)
    for record in files:
        try:
            document = parse_record(record)
        except DocumentError as error:
            files.refuse_truncated()  # the better reason
            raise located(error.where or record.where, error) from None
        yield document
    files.refuse_truncated()


def read_gold(path: str | Path) -> Iterator[Document]:
    """Read annotated documents, as `read_documents` does; refuse formats without gold."""
    return read_documents(path, annotated=True)


def read_corrections(path: str | Path) -> tuple[list[Document], list[DocumentError]]:
    """Read annotated documents and the errors of the records that are skipped; raise the first error if all are broken."""
    documents: list[Document] = []
    broken: list[DocumentError] = []
    for record in DocumentFiles(path, annotated=True, diagnostics=RefuseTruncated()):
        try:
            documents.append(parse_record(record))
        except DocumentError as error:
            broken.append(located(error.where or record.where, error))
    if broken and not documents:
        raise broken[0]
    return documents, broken


def document_name(path: str | Path) -> str:
    """Return the file's name without any suffix: `wned-cweb` for `data/wned-cweb.jsonl.gz`."""
    name = Path(path).name
    return name.lstrip(".").partition(".")[0] or name


# files


class DocumentFile(NamedTuple):
    """A file of documents.

    path     `-` is standard input
    name     in messages and ids: its name, its path within a folder, or the full path if two have the same name
    walked   was found in a folder; if it cannot be read, it is reported and skipped
    text_id  id of a plain text: the name, or None for the only file
    """

    path: str
    name: str
    walked: bool = False
    text_id: str | None = None


def find_files(paths: Paths) -> list[DocumentFile]:
    """Return the files of paths; folders are walked in order of names, without hidden files and texts of BRAT annotations."""
    files: list[DocumentFile] = []
    for path in map(str, [paths] if isinstance(paths, str | Path) else paths):
        files += _walk(path) if _is_folder(path) else [DocumentFile(path, "stdin" if path == "-" else Path(path).name)]
    if not files:
        raise OptionError("there is no file of documents; give the path of at least one, or - for standard input")
    annotated = {file.path.removesuffix(".ann") + ".txt" for file in files if file.path.endswith(".ann")}
    files = [file for file in files if file.path not in annotated]
    twice = [path for path, count in Counter(file.path for file in files).items() if count > 1]
    if twice:
        raise OptionError(f"{twice[0]} is given twice; give each file of documents once", where=twice[0])
    counts = Counter(file.name for file in files)
    files = [file if counts[file.name] == 1 else file._replace(name=file.path) for file in files]
    return files if len(files) == 1 else [file._replace(text_id=file.name) for file in files]


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
    def refuse(error: OSError) -> None:
        problem = f"{error.filename} cannot be read ({error.strerror}); check its permissions"
        raise SourceError(problem, where=str(error.filename))

    files = []
    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        settings = ".conf" if any(name.endswith(".ann") for name in names) else None  # of BRAT
        for name in sorted(names):
            if not name.startswith(".") and (settings is None or not name.endswith(settings)):
                path = Path(parent) / name
                files.append(DocumentFile(str(path), path.relative_to(folder).as_posix(), walked=True))
    if not files:
        raise SourceError(f"{folder} is a folder; it holds no file of documents: give another one", where=folder)
    return files


class DocumentFiles:
    """Files of documents, and those in folders: iterate over their records. Errors of a file are raised at once.

    diagnostics   problems of the bytes of the files read so far
    files         the files
    several       there is more than one file
    """

    def __init__(
        self,
        paths: Paths,
        *,
        plain_text: bool = False,
        per_line: bool = False,
        format: str | None = None,
        annotated: bool = False,
        columns: Mapping[str, str] | None = None,
        diagnostics: Diagnostics | None = None,
    ) -> None:
        """Check that every file can be read, and its layout.

        plain_text   every file is one plain text
        per_line     every file is plain text with one document per line
        format       format of every file, a value of `Layout`; None to detect it
        annotated    refuse files without gold: plain texts and empty files
        columns      of Parquet files: names of the columns of documents by role, for instance {"text": "body"}
        diagnostics  collects problems of the bytes; see `refuse_truncated`
        """
        is_text = plain_text or per_line
        if is_text and format not in (None, "text"):
            raise OptionError(f"the documents cannot be plain text and {format} at once; choose one", where=format)
        if format is not None and format not in list(Layout):
            raise OptionError(f"there is no format {format!r}; choose one of {', '.join(Layout)}", where=format)
        self._given = Layout.TEXT if is_text else None if format is None else Layout(format)
        self._per_line, self._annotated, self._columns = per_line, annotated, columns
        self.diagnostics = Diagnostics() if diagnostics is None else diagnostics
        self.files = find_files(paths)
        self.several = len(self.files) > 1
        for file in self.files:  # standard input and pipes are checked when they are read
            if not file.walked and file.path != "-" and Path(file.path).is_file():
                with Source(file.path, Diagnostics(), ignore) as source:
                    self._find_layout(source)

    def __iter__(self) -> Iterator[Record]:
        for file in self.files:
            line = 0
            try:
                with Source(file.path, self.diagnostics, ignore) as source:
                    layout = self._find_layout(source)
                    for line, data in self._read(file, source, layout):
                        line = line_of(data, line) if isinstance(data, DocumentError) else line
                        yield Record(file.name, line, data, layout)
            except DocumentError as error:  # the file is broken from here on
                yield Record(file.name, line_of(error, line + 1), error)
            except EigenthemesError as error:
                if not file.walked:
                    raise
                yield Record(file.name, 1, DocumentError(str(error), code=error.code))

    def refuse_truncated(self) -> None:
        """Raise a `SourceError` if a file was truncated, after its documents were used."""
        if self.diagnostics.counts[TRUNCATED]:
            example = self.diagnostics.examples[TRUNCATED][0]
            problem = f"{TRUNCATED}: {example}; what came before was read: fetch or pack the file again"
            raise SourceError(problem, code="truncated", where=example.partition(":")[0])

    def _find_layout(self, source: Source) -> Layout:
        if self._given is None:
            return find_layout(source.head, source.name, annotated=self._annotated)
        if self._given is not Layout.PARQUET:
            refuse_binary(source.head, source.name, is_text=self._given in (Layout.TEXT, Layout.HTML))
        return self._given

    def _read(self, file: DocumentFile, source: Source, layout: Layout) -> Iterator[tuple[int, Data]]:
        """Yield line and data of each record; of layouts that are read at once, the number of the document."""
        if layout in _SPLIT:
            source.is_lines = layout is not Layout.JSON_VALUES
            split, _ = _SPLIT[layout]
            return split(source.stream)
        if layout is Layout.BIOC:
            return read_bioc(source.stream)
        if layout is Layout.TEXT and self._per_line:
            return _text_lines(source, file)
        if layout is Layout.PARQUET:
            from eigenthemes.documents.arrow_rows import read_parquet

            return enumerate(read_parquet(file.path, file.name, self._columns), 1)
        return enumerate(_READERS[layout](source, file), 1)


class RefuseTruncated(Diagnostics):
    """Diagnostics that refuse a truncated archive, as incomplete gold would give wrong figures."""

    def add(self, problem: str, where: str, detail: str = "") -> None:
        if problem == TRUNCATED:
            raise SourceError(f"{where} is a {problem} ({detail}); fetch or pack the file again", code="truncated", where=where)
        super().add(problem, where, detail)


# records


class Record(NamedTuple):
    """A document that may not be parsed yet; it is flat, as thousands of them go to worker processes.

    file    name of the file
    line    first line, from 1; of layouts that are read at once (WNED, NIF, the authors' JSON) the number of the document
    data    bytes to parse, a document, or the error that `parse_record` raises
    layout  of the bytes
    """

    file: str
    line: int
    data: Data
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
    """Return the document of a record; the message of a `DocumentError` is without file and line, which are its `where`."""
    file, line, data, layout = record
    try:
        if isinstance(data, bytes):
            _, parse = _SPLIT[layout]
            return parse(data, line)
        if isinstance(data, DocumentError):
            raise data
    except DocumentError as error:
        error.where = f"{file}:{line_of(error, line)}"
        raise
    return data


# layouts whose records are split first and parsed later
_SPLIT: dict[Layout, tuple[Callable[[Any], Iterator[tuple[int, bytes]]], Callable[[bytes, int], Document]]] = {
    Layout.JSON_LINES: (numbered_lines, parse_document),
    Layout.JSON_VALUES: (split_values, parse_document),
    Layout.TABEL: (numbered_lines, parse_wikitable),
    Layout.AIDA: (split_aida, parse_aida),
    Layout.PUBTATOR: (split_pubtator, parse_pubtator),
}
_READERS: dict[Layout, Callable[[Source, DocumentFile], Iterable[Document | DocumentError]]] = {
    Layout.TEXT: lambda source, file: _document_of_text(source.text().read().decode("utf-8", "replace").rstrip("\r\n"), file),
    Layout.HTML: lambda source, file: _document_of_text(text_of_html(source), file),
    Layout.WNED: lambda source, file: read_wned(source.xml(), None if file.path == "-" else Path(file.path).parent),
    Layout.AUTHORS: lambda source, file: read_authors(source.stream),
    Layout.NIF: lambda source, file: read_nif(source.stream),
    Layout.BRAT: lambda source, file: read_brat(file.path, file.name, source.diagnostics),
}


def _document_of_text(text: str, file: DocumentFile) -> list[Document]:
    """Return the document of a plain text; none if it is blank."""
    return [Document(id=file.text_id, text=text)] if text and not text.isspace() else []


def _text_lines(source: Source, file: DocumentFile) -> Iterator[tuple[int, Document]]:
    """Yield a document for each line that is not blank; its id is the number of the line."""
    for number, line in enumerate(source.lines(), 1):
        if line.strip():
            yield number, Document(id=number if file.text_id is None else f"{file.text_id}:{number}", text=line)


def ignore(amount: float) -> None:
    """Count no progress."""
