"""A document on its way: found in a file, maybe not parsed yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from eigenthemes.documents.aida import parse_aida
from eigenthemes.documents.json_lines import parse_document
from eigenthemes.documents.json_values import parse_value
from eigenthemes.documents.layout import Layout
from eigenthemes.documents.located import line_of
from eigenthemes.documents.pubtator import parse_pubtator
from eigenthemes.documents.wikitables import parse_wikitable
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document


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
