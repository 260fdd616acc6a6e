"""Read documents: any number of files, each in any layout and compression, or standard input.

Files are read one record at a time. A record of JSON is not parsed here, so that worker processes may do it:

    with open_documents(["a.jsonl.gz", "b.xml", "-"]) as files:
        for record in files:
            document = parse_record(record)

`read_documents` does both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from eigenthemes.core.checks import check_arguments
from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import TRUNCATED, Source
from eigenthemes.documents.json_lines import document_of, parse_document
from eigenthemes.documents.layout import Layout, find_layout, layout_named, refuse_binary
from eigenthemes.documents.record_reader import DocumentFile, Paths, Record, find_files, ignore, parse_record, read_records
from eigenthemes.documents.standoff import located
from eigenthemes.errors import DocumentError, EigenthemesError, OptionError, SourceError
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
    "read_corrections",
    "read_documents",
    "read_gold",
]


def open_documents(
    paths: Paths,
    *,
    plain_text: bool = False,
    per_line: bool = False,
    format: str | None = None,
    annotated: bool = False,
    columns: Mapping[str, str] | None = None,
    diagnostics: Diagnostics | None = None,
) -> DocumentFiles:
    """Open files of documents, and those in folders; `-` is standard input. Errors of a file are raised at once.

    plain_text   every file is one plain text
    per_line     every file is plain text with one document per line
    format       format of every file, one of `layout.FORMATS`; None to detect it
    annotated    refuse files without gold: plain texts and empty files
    columns      of Parquet files: names of the columns of documents by role, for instance {"text": "body"}
    diagnostics  collects problems of the bytes; see `DocumentFiles.refuse_truncated`
    """
    if (plain_text or per_line) and format not in (None, "text"):
        raise OptionError(f"the documents cannot be plain text and {format} at once; choose one", where=format)
    layout = Layout.TEXT if plain_text or per_line else None if format is None else layout_named(format)
    return DocumentFiles(paths, layout=layout, per_line=per_line, annotated=annotated, columns=columns, diagnostics=diagnostics)


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


def read_gold(path: str | Path) -> Iterator[Document]:
    """Read annotated documents, as `read_documents` does; refuse formats without gold."""
    return read_documents(path, annotated=True)


def read_corrections(path: str | Path) -> tuple[list[Document], list[DocumentError]]:
    """Read annotated documents and the errors of the records that are skipped; raise the first error if all are broken."""
    documents: list[Document] = []
    broken: list[DocumentError] = []
    with open_documents(path, annotated=True, diagnostics=RefuseTruncated()) as files:
        for record in files:
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


class DocumentFiles:
    """Opened files of documents: iterate over their records, once.

    diagnostics   problems of the bytes of the files read so far
    files         the files
    several       there is more than one file, so ids of texts contain the name of the file
    """

    def __init__(
        self,
        paths: Paths,
        *,
        layout: Layout | None,
        per_line: bool,
        annotated: bool,
        columns: Mapping[str, str] | None,
        diagnostics: Diagnostics | None,
    ) -> None:
        self.diagnostics = Diagnostics() if diagnostics is None else diagnostics
        self.files = find_files(paths)
        self.several = len(self.files) > 1
        self._given, self._per_line, self._annotated, self._columns = layout, per_line, annotated, columns
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
                yield from self._records(file)
            except EigenthemesError as error:
                if not file.walked:
                    raise
                yield Record(file.name, 1, DocumentError(str(error), code=error.code, where=f"{file.name}:1"))
            finally:
                self.close()

    def _records(self, file: DocumentFile) -> Iterator[Record]:
        if self._source is None:
            self._layout = self._open(file)
        assert self._source is not None
        return read_records(
            self._source, self._layout, file, per_line=self._per_line, several=self.several, columns=self._columns
        )

    def refuse_truncated(self) -> None:
        """Raise a `SourceError` if a file was truncated, after its documents were used."""
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
        self._source = Source(file.path, self.diagnostics, ignore)
        try:
            return self._layout_of(self._source)
        except BaseException:
            self.close()
            raise

    def _check_layout(self, path: str) -> None:
        """Refuse a file before another one is read; standard input and pipes are checked when they are read."""
        if path != "-" and Path(path).is_file():
            with Source(path, Diagnostics(), ignore) as source:
                self._layout_of(source)

    def _layout_of(self, source: Source) -> Layout:
        if self._given is None:
            return find_layout(source.head, source.name, annotated=self._annotated)
        if self._given is not Layout.PARQUET:
            refuse_binary(source.head, source.name, is_text=self._given in (Layout.TEXT, Layout.HTML))
        return self._given


class RefuseTruncated(Diagnostics):
    """Diagnostics that refuse a truncated archive, as incomplete gold would give wrong figures."""

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
