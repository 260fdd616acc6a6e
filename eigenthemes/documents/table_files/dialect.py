"""How a delimited text is written: encoding, byte-order mark, delimiter, quotes, decimal comma."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eigenthemes.core.csv_records import CsvRecords, is_well_quoted
from eigenthemes.core.files import wide_encoding
from eigenthemes.errors import OptionError

BOM = b"\xef\xbb\xbf"
DELIMITERS = (",", ";", "\t", "|")
WINDOWS = "cp1252"  # what Windows calls Latin-1: with dashes, quotes and the euro

_MARKS = {"UTF-16": {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"},
          "UTF-32": {codecs.BOM_UTF32_LE: "utf-32-le", codecs.BOM_UTF32_BE: "utf-32-be"}}  # fmt: skip
_LINES_LOOKED_AT = 50
_CUT = 30_000  # letters of a beginning whose last record may be cut
_SEPARATOR_NOTE = re.compile(r"sep=(.)\r?\n?$", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?%?$")
_DECIMAL_COMMA = re.compile(r"-?\d{1,3}(?:\.\d{3})*,\d+$|-?\d+,\d+$")
_DECIMAL_POINT = re.compile(r"-?\d+\.\d+$")


@dataclass(frozen=True, slots=True)
class Encoding:
    """How letters are written: the byte-order mark at the beginning, and Python's name of the encoding."""

    name: str
    mark: bytes = b""

    def decode(self, data: bytes) -> str:
        return data.decode(self.name, self.errors)

    def encode(self, text: str) -> bytes:
        """The same bytes again that were decoded."""
        return text.encode(self.name, self.errors)

    @property
    def errors(self) -> str:
        """Bytes that are no letters are kept as surrogates, and written as they were; UTF-16 has surrogates of its own."""
        return "surrogatepass" if self.name.startswith(("utf-16", "utf-32")) else "surrogateescape"


def find_encoding(head: bytes, whole: Iterable[bytes], given: str | None) -> Encoding:
    """Return the encoding of a text: by its mark, what was given, or else UTF-8, or what Windows uses where it is not that."""
    if given is not None:
        return Encoding(_known_encoding(given), _mark_of(head, given))
    wide = wide_encoding(head)
    if wide in _MARKS:
        mark, name = next((mark, name) for mark, name in _MARKS[wide].items() if head.startswith(mark))
        return Encoding(name, mark)
    if wide is not None:
        return Encoding(wide.lower().replace("le", "-le").replace("be", "-be"))
    return Encoding(_utf_8_or_windows(whole), BOM if head.startswith(BOM) else b"")


def _known_encoding(given: str) -> str:
    try:
        "a".encode(given)  # knows letters only; codecs also has hex and zip
        return codecs.lookup(given).name
    except (LookupError, UnicodeError, ValueError):
        raise OptionError(f"encoding {given!r} is unknown; expected e.g. utf-8, cp1252 or latin-1", where="encoding") from None


def _mark_of(head: bytes, given: str) -> bytes:
    name = codecs.lookup(given).name
    marks = {mark: each for group in _MARKS.values() for mark, each in group.items()}
    own = next((mark for mark, each in marks.items() if each == name and head.startswith(mark)), b"")
    return BOM if head.startswith(BOM) else own


def _utf_8_or_windows(blocks: Iterable[bytes]) -> str:
    """Return what most lines with other letters than ASCII's are written in."""
    lines: Counter[bool] = Counter()
    rest = b""
    for block in blocks:
        if block.isascii() and not rest:
            continue
        whole, _, rest = (rest + block).rpartition(b"\n")
        _count_lines(whole, lines)
        if len(rest) > 1 << 24 and b"\n" not in rest:  # a line without end
            _count_lines(rest, lines)
            rest = b""
    _count_lines(rest, lines)
    return WINDOWS if lines[False] > lines[True] else "utf-8"


def _count_lines(block: bytes, lines: Counter[bool]) -> None:
    if block.isascii():
        return
    for line in block.split(b"\n"):
        if not line.isascii():
            lines[_is_utf_8(line)] += 1


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def find_delimiter(text: str) -> str:
    """Return what separates the cells, by the first lines of a text: what gives most rows as many cells as the header has."""
    lines = [line for line in text.splitlines(keepends=True) if line.strip()][: _LINES_LOOKED_AT + 1]
    note = _SEPARATOR_NOTE.match(lines[0]) if lines else None
    if note:
        return note[1]
    best, found = (0.0, 0), ","
    for delimiter in DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        except csv.Error:
            continue
        if widths and widths[0] > 1:
            alike = widths.count(widths[0]) / len(widths)
            best, found = max((best, found), ((round(alike, 1), widths[0]), delimiter), key=lambda each: each[0])
    return found


def is_quoted(text: str, delimiter: str) -> bool:
    """Return whether quotes around the cells of a text between tabs mean something, by its beginning."""
    records = list(CsvRecords(io.StringIO(text, newline=""), delimiter))
    whole = records[:-1] if len(records) > 1 and len(text) >= _CUT else records
    return all(record.fault is None and is_well_quoted(record.lines, delimiter) for record in whole)


# cells as they are written


def quoted(cell: str, delimiter: str) -> str:
    """Return a cell with quotes if it needs them."""
    if delimiter in cell or '"' in cell or "\n" in cell or "\r" in cell:
        return '"' + cell.replace('"', '""') + '"'
    return cell


def unquoted(cell: str, delimiter: str) -> str:
    """Return a cell where quotes are letters: what separates cells and rows is a space."""
    return cell.replace(delimiter, " ").replace("\r", " ").replace("\n", " ")


def always_quoted(cell: str, delimiter: str) -> str:
    """Return a cell with quotes."""
    return '"' + cell.replace('"', '""') + '"'


def text_quoted(cell: str, delimiter: str) -> str:
    """Return a cell with quotes unless it is a number or empty."""
    return cell if not cell or _NUMBER.match(cell) else always_quoted(cell, delimiter)


STYLES = (always_quoted, text_quoted)


def has_decimal_comma(rows: Iterable[Sequence[str]]) -> bool:
    """Return whether the numbers of a table are written 0,5 and not 0.5."""
    commas = points = 0
    for row in rows:
        for cell in row:
            commas += _DECIMAL_COMMA.match(cell) is not None
            points += _DECIMAL_POINT.match(cell) is not None
    return commas > points
