"""CSV and TSV: read and written with Python's csv module; encoding, delimiter and line ends of a file are detected and kept."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from types import SimpleNamespace
from typing import IO, Any

from eigenthemes.core.csv_records import CsvRecord, csv_records
from eigenthemes.core.files import open_decompressed, wide_encoding
from eigenthemes.core.progress import Advance
from eigenthemes.documents.layout import refuse_binary
from eigenthemes.documents.reader import RefuseTruncated, ignore
from eigenthemes.errors import OptionError, SourceError
from eigenthemes.tables.table_file import ColumnLinks, Scan, TableFile, TableOptions, TableWriter, value_text

WINDOWS = "cp1252"  # Latin-1 as Windows extends it: with dashes, quotes and the euro sign

_LEGACY = [WINDOWS, "cp1250", "cp1251", "cp1253", "cp1254", "cp1257", "cp932", "euc_jp", "gb18030", "big5", "euc_kr"]
_DELIMITERS = (",", ";", "\t", "|")
_BOMS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",  # begins with the mark of UTF-16
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_WITHOUT_MARK = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_LINES_SAMPLED = 50
_FEW_BYTES = 500  # a small file may well be a text with a control character in it
_ALIKE = 0.8  # of the rows of a table have as many cells as the header
_PROSE = 0.1  # of the lines of prose hold the end of a sentence; a line is a paragraph or a part of one
_SENTENCE_END = re.compile(r"(?:\S+\s+){4}.*?\s[^\W\d_A-Z][^\W\d_]{2,}[.!?][\"')»”’]*(?:\s|$)|.*[。！？]")  # not "... Inc."
_CLEARLY = 0.1  # difference of two scores of charset-normalizer ("chaos", from 0 to 1)
_BYTES_SAMPLED = 1 << 16  # of the lines that are not UTF-8
_CUT = 30_000  # characters of a beginning that may end within a cell
_LONGEST_LINE = 1 << 24  # bytes that are checked together
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n?$", re.IGNORECASE)  # Excel writes and reads it as the first line
_DECIMAL_COMMA = re.compile(r"-?\d{1,3}(?:\.\d{3})*,\d+$|-?\d+,\d+$")
_DECIMAL_POINT = re.compile(r"-?\d+\.\d+$")
_FORMULA = re.compile("[=+@\t\r-]")  # a spreadsheet takes a cell that begins so for a formula
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?$")


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet would run a cell as a formula."""
    return bool(_FORMULA.match(text)) and not _NUMBER.match(text)


@dataclass(frozen=True, slots=True)
class TextStyle:
    """The way a delimited text is written.

    mark    byte-order mark
    quotes  cells may be quoted; otherwise quotes are characters like any other
    comma   numbers are written 0,5
    """

    encoding: str = "utf-8"
    mark: bytes = b""
    delimiter: str = ","
    line_end: str = "\n"
    quotes: bool = True
    comma: bool = False


class DelimitedFile(TableFile):
    """A CSV or TSV file; one whose name does not say so may turn out to be prose, and is refused."""

    def __init__(self, path: str, name: str, options: TableOptions, head: bytes, *, is_named: bool = True) -> None:
        self.path, self.name, self.options = path, name, options
        is_described = options.delimiter is not None or options.encoding is not None or wide_encoding(head) is not None
        is_text = len(head) > _FEW_BYTES and not is_described
        refuse_binary(head, name, is_text=is_text, remedy="give CSV, TSV, Excel, Parquet or JSON lines")
        encoding, mark, self._broken_lines = self._find_encoding(head)
        text = head[len(mark) :].decode(encoding, "replace")
        delimiter = _checked(options.delimiter)
        if delimiter is None:
            delimiter, alike = find_delimiter(text)
            if alike < _ALIKE and not is_named and _is_prose(text):
                problem = "is a text, not a table; link it as a document, or name the delimiter of its cells"
                raise self.error(problem, "text-input")
        quotes = options.quotes and (delimiter != "\t" or is_quoted(text, delimiter))
        end = re.search("\r\n|\n|\r", text)
        self.style = TextStyle(encoding, mark, delimiter, end[0] if end else "\n", quotes)
        self.format = "tsv" if delimiter == "\t" and not name.lower().partition(".csv")[1] else "csv"
        self.has_separator_line = any(map(_SEPARATOR_LINE.match, text.splitlines()[:1]))
        first = next(self._records(), None)
        if first is None:
            raise self.error("is empty; a table has at least a header", "empty-table")
        self.width = self._expected = len(first.cells)
        names = first.cells if quotes else [cell.strip('"') for cell in first.cells]
        self.header = tuple(names) if options.header else ()
        self._ragged: dict[str, tuple[int, int]] = {}  # "more" or "fewer" cells than the first -> rows, and the first line

    def rows(self, advance: Advance = ignore) -> Iterator[tuple[list[Any], bytes]]:
        """Read the rows, shorter ones filled up, and count those that are longer or shorter."""
        self._ragged = {}
        for record in islice(self._records(advance), self.options.header, None):
            count = len(record.cells)
            if count != self._expected:
                kind = "more" if count > self._expected else "fewer"
                rows, first = self._ragged.get(kind, (0, record.first))
                self._ragged[kind] = rows + 1, first
            yield record.cells + [""] * (self.width - count), b""

    def scan(self, advance: Advance) -> Scan:
        """Scan the file, and look whether its numbers have decimal commas."""
        scan = super().scan(advance)
        if self.style.delimiter != "," and has_decimal_comma(scan.sample):
            self.style = replace(self.style, comma=True)
        return scan

    def notes(self) -> list[str]:
        remedies = {"more": "the header gets empty names", "fewer": "empty ones are added"}
        notes = [
            f"{_have(rows, 'row')} {kind} than {self._expected} cells (first: line {first:,}); {remedies[kind]}"
            for kind, (rows, first) in self._ragged.items()
        ]
        if self._broken_lines:
            read = f"they are read as {WINDOWS}, and written as UTF-8"
            notes.append(f"{_have(self._broken_lines, 'line')} bytes that are not UTF-8; {read}")
        return notes

    def writer(self, out: IO[bytes], added: Sequence[str]) -> DelimitedWriter:
        return DelimitedWriter(self, out, added, self.style)

    def _find_encoding(self, head: bytes) -> tuple[str, bytes, int]:
        """Return the encoding, the byte-order mark, and the number of lines that are not in the encoding if it is UTF-8."""
        mark = next((mark for mark in _BOMS if head.startswith(mark)), b"")
        if self.options.encoding is not None:
            encoding = _known_encoding(self.options.encoding)
            return encoding, mark if mark and _BOMS[mark] in (encoding, "utf-8") else b"", 0
        wide = wide_encoding(head)
        if wide is not None:
            return _BOMS[mark] if mark else codecs.lookup(wide).name, mark, 0
        with open_decompressed(self.path, RefuseTruncated(), ignore) as stream:
            good, bad, sample = _count_utf_8(iter(lambda: stream.readline(_LONGEST_LINE), b""))
        return ("utf-8", mark, bad) if good >= bad else (_legacy_encoding(sample), mark, 0)

    def _records(self, advance: Advance = ignore) -> Iterator[CsvRecord]:
        """Yield the records that are rows or the header: neither blank nor Excel's line about the separator."""
        style = self.style
        with open_decompressed(self.path, RefuseTruncated(), advance) as stream:
            stream.read(len(style.mark))
            text = io.TextIOWrapper(stream, encoding=style.encoding, errors=_errors(style.encoding), newline="")
            try:
                for record in (csv_records if style.quotes else _unquoted_records)(text, style.delimiter):
                    if record.fault is not None:
                        problem = f"line {record.first:,} of {self.name}: {str(record.fault).partition(';')[0]}"
                        remedy = "correct its quotes, or read quotes as characters like any other"
                        raise SourceError(f"{problem}; {remedy}", code="table-quotes", where=f"{self.name}:{record.first}")
                    cells = record.cells
                    if (len(cells) > 1 or (cells and cells[0].strip())) and (record.first > 1 or not self.has_separator_line):
                        yield record
            except UnicodeError as error:
                problem = f"is not {style.encoding} ({error}); give the encoding that it has"
                raise self.error(problem, "table-encoding") from None


class DelimitedWriter(TableWriter):
    """Writes rows with cells added at their end, in the style of a text."""

    def __init__(self, table: TableFile, out: IO[bytes], added: Sequence[str], style: TextStyle) -> None:
        super().__init__(table, out)
        self.style = style
        self.replaced = self.escaped = 0  # characters that the encoding does not have; cells that a spreadsheet would run
        self._fitted = lru_cache(maxsize=1 << 16)(self._fit)
        out.write(style.mark)
        if isinstance(table, DelimitedFile) and table.style is style and table.has_separator_line:
            out.write(f"sep={style.delimiter}{style.line_end}".encode(style.encoding))
        if table.header:
            self._write_rows([[*table.full_header, *(self._fitted(name)[0] for name in added)]])

    def write(self, rows: Any, links: Sequence[ColumnLinks]) -> None:
        for each in links:
            self._check_ids(each.ids)
        width = self.table.width
        self._write_rows(
            [*map(value_text, row[:width]), *map(self._added_cell, row[width:])] for row in rows.extended(width, links)
        )

    def close(self) -> None:
        """Add the notes on characters that were replaced and cells that were escaped."""
        if self.replaced:
            self.notes.append(
                f"{self.replaced:,} characters of labels are not in {self.style.encoding} and are written as ?; another "
                "format, or a file in UTF-8, keeps them"
            )
        if self.escaped:
            self.notes.append(
                f"{self.escaped:,} ids and labels that a spreadsheet would run as a formula are written with ' in front; "
                "another format keeps them"
            )

    def _write_rows(self, rows: Iterable[Iterable[str]]) -> None:
        style, lines = self.style, list[str]()
        # csv quotes cells with characters of this line end only, and both of them end a line when the file is read again
        writer = csv.writer(
            SimpleNamespace(write=lines.append),
            delimiter=style.delimiter,
            lineterminator="\r\n",
            quoting=csv.QUOTE_MINIMAL if style.quotes else csv.QUOTE_NONE,
            quotechar='"' if style.quotes else None,
        )
        writer.writerows(rows)
        text = "".join(line[:-2] + style.line_end for line in lines)
        self.out.write(text.encode(style.encoding, _errors(style.encoding)))

    def _added_cell(self, value: str | float | None) -> str:
        if isinstance(value, float):
            text = f"{value:.4f}"
            return text.replace(".", ",") if self.style.comma else text
        if not value:
            return ""
        fitted, replaced = self._fitted(value)
        self.replaced += replaced
        if not is_formula(fitted):
            return fitted
        self.escaped += 1
        return f"'{fitted}"

    def _fit(self, text: str) -> tuple[str, int]:
        """Return a text that the style can hold, and the number of characters that its encoding does not have."""
        if not self.style.quotes:
            text = re.sub(f"[\r\n{re.escape(self.style.delimiter)}]", " ", text)
        fitted = text.encode(self.style.encoding, "replace").decode(self.style.encoding)
        return fitted, sum(before != after for before, after in zip(text, fitted, strict=True))

    def _check_ids(self, ids: Iterable[str | None]) -> None:
        for id in ids:
            if id is not None and not id.isascii() and self._fitted(id)[1]:
                problem = f"the id {id!r} cannot be written in {self.style.encoding}, the encoding of {self.table.name}"
                remedy = "convert the file to UTF-8, or write another format"
                raise SourceError(f"{problem}; {remedy}", code="table-letters", where=self.table.name)


def _have(count: int, what: str) -> str:
    return f"1 {what} has" if count == 1 else f"{count:,} {what}s have"


def _unquoted_records(lines: Iterable[str], delimiter: str) -> Iterator[CsvRecord]:
    for number, line in enumerate(lines, 1):
        body = line.rstrip("\r\n")
        yield CsvRecord(number, body.split(delimiter) if body else [])


def _checked(delimiter: str | None) -> str | None:
    if delimiter is None:
        return None
    delimiter = {"\\t": "\t", "tab": "\t"}.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise OptionError(f"delimiter is {delimiter!r}; expected one character, such as ; or |, or tab", where="delimiter")
    return delimiter


# encodings


def _errors(encoding: str) -> str:
    """Return Python's name for how to handle what an encoding does not define."""
    return "surrogatepass" if encoding.startswith(("utf-16", "utf-32")) else _AS_WINDOWS


def _as_windows(error: UnicodeError) -> tuple[str | bytes, int]:
    """Read bytes that an encoding does not define as Windows-1252, and write such characters as these bytes."""
    if isinstance(error, UnicodeDecodeError):
        return "".join(map(_LETTERS.__getitem__, error.object[error.start : error.end])), error.end
    if isinstance(error, UnicodeEncodeError):
        letters = error.object[error.start : error.end]
        return bytes(_LETTERS.index(letter) if letter in _LETTERS else ord("?") for letter in letters), error.end
    raise error


_AS_WINDOWS = "eigenthemes.as-windows"
_LETTERS = "".join(bytes([byte]).decode(WINDOWS, "ignore") or chr(byte) for byte in range(256))
codecs.register_error(_AS_WINDOWS, _as_windows)


def _known_encoding(given: str) -> str:
    try:
        "a".encode(given)  # encodings of text only; codecs also has hex and zip
        name = codecs.lookup(given).name
        return _WITHOUT_MARK.get(name, name)
    except (LookupError, UnicodeError, ValueError):
        raise OptionError(f"encoding {given!r} is unknown; expected e.g. utf-8, cp1252 or latin-1", where="encoding") from None


def _count_utf_8(lines: Iterable[bytes]) -> tuple[int, int, bytes]:
    """Return the number of lines that are UTF-8 and not ASCII, the number of those that are not UTF-8, and some of these."""
    good = bad = 0
    sample = bytearray()
    for line in lines:
        if line.isascii():
            continue
        try:
            line.decode("utf-8")
            good += 1
        except UnicodeDecodeError:
            bad += 1
            if len(sample) < _BYTES_SAMPLED:
                sample += line[:_BYTES_SAMPLED]
    return good, bad, bytes(sample)


def _legacy_encoding(data: bytes) -> str:
    """Return Windows-1252, or another encoding where charset-normalizer finds that the text cannot well be that."""
    from charset_normalizer import from_bytes

    matches = from_bytes(data, cp_isolation=_LEGACY)
    best = matches.best()
    western = next((match for match in matches if WINDOWS in match.could_be_from_charset), None)
    # its scores of Latin code pages differ by chance, so the most frequent one is taken unless it is clearly wrong
    if best is None or (western is not None and western.chaos <= best.chaos + _CLEARLY):
        return WINDOWS
    return codecs.lookup(best.encoding).name


# delimiter, quotes, decimal comma


def find_delimiter(text: str) -> tuple[str, float]:
    """Return the delimiter with which most of the first lines have as many cells as the header, and their share.

    The share is 0 where there is nothing to compare: a single line, or a single cell in each.
    """
    lines = _first_lines(text)
    noted = _SEPARATOR_LINE.match(lines[0]) if lines else None
    if noted:
        return noted[1], 1.0
    best, found = (0.0, 0), ","
    for delimiter in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        except csv.Error:
            continue
        if widths and widths[0] > 1:
            alike = round(widths.count(widths[0]) / len(widths), 1)
            best, found = max((best, found), ((alike, widths[0]), delimiter), key=lambda each: each[0])
    return found, best[0] if len(lines) > 1 else 0.0


def _is_prose(text: str) -> bool:
    """Return whether the first lines of a text are sentences, or parts of them."""
    lines = _first_lines(text)
    return sum(map(bool, map(_SENTENCE_END.match, lines))) > _PROSE * len(lines)


def _first_lines(text: str) -> list[str]:
    return [line for line in text.splitlines(keepends=True) if line.strip()][: _LINES_SAMPLED + 1]


def is_quoted(text: str, delimiter: str) -> bool:
    """Return whether the quotes at the beginning of a tab-separated text enclose cells."""
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            pass
    except csv.Error as error:
        return len(text) >= _CUT and "end of data" in str(error)
    return True


def has_decimal_comma(rows: Iterable[Sequence[str]]) -> bool:
    """Return whether more numbers of a table are written 0,5 than 0.5."""
    cells = [cell for row in rows for cell in row]
    return sum(map(bool, map(_DECIMAL_COMMA.match, cells))) > sum(map(bool, map(_DECIMAL_POINT.match, cells)))
