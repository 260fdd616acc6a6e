"""The layout of a file of documents, detected by its first bytes, and by its name if they do not decide."""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8 as BOM
from enum import StrEnum
from typing import Any

import orjson

from eigenthemes.documents.benchmark_sets import is_wikitables
from eigenthemes.documents.bioc import is_bioc
from eigenthemes.documents.brat import is_brat
from eigenthemes.documents.nif import is_nif
from eigenthemes.documents.pubtator import is_pubtator
from eigenthemes.documents.splitting import split_values
from eigenthemes.errors import SourceError

_JSON_NAME = re.compile(r"\.(json|jsonl|ndjson)(\.\w+)?$", re.IGNORECASE)
_HTML_NAME = re.compile(r"\.x?html?(\.\w+)?$", re.IGNORECASE)
_TABLE_NAME = re.compile(r"\.(csv|tsv|tab)(\.\w+)?$", re.IGNORECASE)
_WNED_ROOT = re.compile(rb"<[\w.:-]*entityAnnotation\b")
_FIRST_KEY = re.compile(rb'\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*\[\s*[\]{]')  # of an object whose first value is a list of objects
_GOES_ON = re.compile(rb'[{,]\s*\n\s*"|[\[:]\s*\n')  # where JSON over several lines is broken
_HTML = re.compile(rb"(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL)
_FIELDS = ("text", "table", "mentions")  # every document of JSON lines has one of these

_DELIMITERS = {"\t": "tabs", ",": "commas", ";": "semicolons"}
_LINES_LOOKED_AT = 20
_FEWEST_LINES = 3  # of a table without the name of a table
_CUT = 60_000  # bytes of a beginning from which on its last line may be cut
PARQUET_START = b"PAR1"
_NO_TEXT = {
    b"%PDF-": "a PDF file",
    b"{\\rtf": "an RTF file",
    b"%!PS": "a PostScript file",
    b"\xd0\xcf\x11\xe0": "an office document",  # of the time before .docx, which is a zip archive
}
_CONTROLS = bytes(set(range(32)) - set(b"\b\t\n\v\f\r\x1a\x1b"))  # without those that occur in texts
_MOST_CONTROLS = 0.01  # of the bytes of a text
_MOST = 0.8  # of the lines of a table have as many columns as the first

_EXPECTED = (
    "expected JSON lines, the authors' JSON, TabEL's tables, AIDA-CoNLL lines, WNED XML, NIF, BRAT, PubTator, BioC JSON or "
    "Parquet"
)


class Layout(StrEnum):
    """The layouts of documents in a file, by the names of their formats; JSON is a value per line, or values over lines."""

    JSON_LINES = "jsonl"
    JSON_VALUES = "json"
    PARQUET = "parquet"
    TEXT = "text"
    HTML = "html"
    NIF = "nif"
    BRAT = "brat"
    PUBTATOR = "pubtator"
    BIOC = "bioc"
    AIDA = "aida"
    WNED = "wned"
    TABEL = "tabel"
    AUTHORS = "authors"


def find_layout(head: bytes, name: str, *, annotated: bool = False) -> Layout:
    """Return the layout of a file by its name and its first 64 kB.

    annotated  refuse layouts without gold: plain text and empty files
    """
    if head.startswith(PARQUET_START):
        return Layout.PARQUET
    head = head.removeprefix(BOM).lstrip()
    refuse_binary(head, name)
    if is_nif(head):
        return Layout.NIF
    if is_brat(head) or name.lower().endswith(".ann"):
        return Layout.BRAT
    if is_pubtator(head):
        return Layout.PUBTATOR
    is_html = _HTML.match(head) is not None
    if head.startswith(b"<") and not is_html and (annotated or _WNED_ROOT.search(head)):
        return Layout.WNED
    if head.startswith(b"-DOCSTART-"):
        return Layout.AIDA
    if head.startswith((b"{", b"[", b'"')):
        return _json_layout(head)
    if annotated:
        _refuse_table(head, name)
        beginning = f"begins with {head[:20].decode(errors='replace')!r}" if head else "is empty"
        raise SourceError(f"{name} {beginning}; {_EXPECTED}", code="no-documents", where=name)
    if not head or _JSON_NAME.search(name) or _json(head.partition(b"\n")[0]) is not _BROKEN:
        return Layout.JSON_LINES
    if is_html or (head.startswith(b"<") and _HTML_NAME.search(name)):
        return Layout.HTML
    _refuse_table(head, name)
    refuse_binary(head, name, is_text=True)
    return Layout.TEXT


def refuse_binary(
    head: bytes, name: str, *, is_text: bool = False, remedy: str = "convert it to plain text or HTML first"
) -> None:
    """Refuse a file that begins as one that is no text, like PDF; with `is_text`, any with many control characters."""
    kind = next((kind for start, kind in _NO_TEXT.items() if head.startswith(start)), None)
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if kind is None and is_text and controls > _MOST_CONTROLS * len(head):
        kind = "a binary file"
    if kind is not None:
        raise SourceError(f"{name} is {kind}, not text; {remedy}", code="binary-input", where=name)


# JSON

_BROKEN: Any = object()


def _json(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return _BROKEN


def _json_layout(head: bytes) -> Layout:
    line, _, rest = head.partition(b"\n")
    first = _json(line)
    if isinstance(first, dict) and any(field in first for field in _FIELDS):
        return Layout.JSON_LINES
    if is_wikitables(head):
        return Layout.TABEL
    if is_bioc(head):
        return Layout.BIOC
    if _is_authors(head):
        return Layout.AUTHORS
    if head.startswith(b"["):
        is_one_of_many = first is not _BROKEN and bool(rest.strip())
        return Layout.JSON_LINES if is_one_of_many else Layout.JSON_VALUES
    return Layout.JSON_VALUES if first is _BROKEN and _spans_lines(head, line) else Layout.JSON_LINES


def _is_authors(head: bytes) -> bool:
    """Return whether this is one object with a list of mentions per document, maybe one long line that is cut here."""
    first = _FIRST_KEY.match(head)
    return first is not None and first[1] != b"mentions" and re.search(rb'"mention"\s*:', head) is not None


def _spans_lines(head: bytes, line: bytes) -> bool:
    """Return whether the first object continues after the first line; else that line is just broken."""
    if not head.startswith(b"{"):
        return False
    _, value = next(split_values(io.BytesIO(head)))
    if _json(value) is not _BROKEN:
        return True
    return _GOES_ON.match(head, len(line.rstrip()) - 1) is not None


# tables of delimited values


def _refuse_table(head: bytes, name: str) -> None:
    """Refuse a table of delimited values, which would be linked as plain text.

    Without the name of a table, all lines need as many columns, and no delimiter may be followed by a space, as in prose.
    """
    lines = [line for line in head.decode("utf-8", "replace").splitlines() if line.strip()]
    lines = lines[: -1 if len(head) >= _CUT else None][:_LINES_LOOKED_AT]
    is_named = _TABLE_NAME.search(name) is not None
    for delimiter, plural in _DELIMITERS.items():
        is_tab = delimiter == "\t"  # between tabs, quotes are plain characters
        rows = (line.split("\t") for line in lines) if is_tab else csv.reader(lines, delimiter=delimiter)
        try:
            widths = [len(row) for row in rows]
        except csv.Error:
            continue
        if len(widths) < (2 if is_named else _FEWEST_LINES) or widths[0] < 2:
            continue
        alike = widths.count(widths[0]) / len(widths)
        is_table = alike >= _MOST if is_named else alike == 1 and not any(f"{delimiter} " in line for line in lines)
        if is_table:
            problem = f"{name} is a table of {widths[0]} columns separated by {plural}, not a text; link it as a table file"
            example = 'or as a document {"table": {"header": [...], "rows": [[...], ...]}}'
            raise SourceError(f"{problem}, {example}", code="table-input", where=name)
