"""CSV and TSV: read with their encoding, delimiter and quotes, and written again byte for byte with columns more."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from eigenthemes.core.csv_records import CsvRecord, CsvRecords, is_well_quoted
from eigenthemes.core.files import BLOCK, open_decompressed
from eigenthemes.core.progress import Advance
from eigenthemes.documents.reader import RefuseTruncated
from eigenthemes.documents.table_files.dialect import (
    STYLES,
    WINDOWS,
    Encoding,
    find_delimiter,
    find_encoding,
    has_decimal_comma,
    is_quoted,
    quoted,
    unquoted,
)
from eigenthemes.documents.table_files.table_file import CHUNK, CHUNK_LETTERS, Answers, Look, Sampler, TableOptions
from eigenthemes.errors import OptionError, SourceError

Style = Callable[[str, str], str]

HEADER: list[str] = []  # in place of the cells of the header

# bytes that are none of the encoding's letters -> as Windows would read them
_AS_WINDOWS = {0xDC00 + byte: bytes([byte]).decode(WINDOWS, "replace") for byte in range(0x80, 0x100)}


@dataclass(slots=True)
class TextRows:
    """Rows of a delimited text, and the lines as they stand in the file, each with its cells: `HEADER`, or None for no row."""

    cells: list[list[str]]
    lines: list[tuple[str, list[str] | None]]

    def __len__(self) -> int:
        return len(self.cells)

    def texts(self, column: int) -> list[str]:
        return [_readable(row[column]) if column < len(row) else "" for row in self.cells]

    def values(self, column: int) -> list[Any]:
        return self.texts(column)


class DelimitedFile:
    """A CSV or TSV file."""

    def __init__(self, path: str, name: str, options: TableOptions, head: bytes) -> None:
        self.path, self.name, self.options = path, name, options
        self.encoding = find_encoding(head, self._blocks(), options.encoding)
        text = head[len(self.encoding.mark) :].decode(self.encoding.name, "replace")
        self.delimiter = _checked(options.delimiter) or find_delimiter(text)
        self.quotes = options.quotes and (self.delimiter != "\t" or is_quoted(text, self.delimiter))
        self.format = "tsv" if self.delimiter == "\t" and not name.lower().partition(".csv")[1] else "csv"
        self.style: Style = quoted if self.quotes else unquoted
        self.comma = False  # numbers are written 0,5
        self._header, self.width = self._find_header()

    @property
    def header(self) -> tuple[str, ...]:
        return self._header

    def _find_header(self) -> tuple[tuple[str, ...], int]:
        for record in self._records():
            self._refuse_fault(record)
            if _is_row(record):
                cells = tuple(map(_readable, record.cells))
                return (cells if self.options.header else (), len(cells))
        raise SourceError(f"{self.name} is empty; a table has at least a header", code="empty-table", where=self.name)

    # reading

    def look(self, advance: Advance) -> Look:
        sampler, widths, styles = Sampler(), Counter[int](), set(STYLES)
        wide = short = 0  # first lines of rows with more, or fewer cells than the header
        last, waits, odd = None, self.options.header, 0
        for record in self._records(advance):
            self._refuse_fault(record)
            last = record
            if not _is_row(record):
                continue
            widths[len(record.cells)] += 1
            styles -= {style for style in styles if not self._is_styled(record, style)} if sampler.seen < CHUNK else set()
            if waits:
                waits = False
                continue
            wide, short = self._ragged(record, wide, short)
            odd += any(map(_has_surrogates, record.cells))
            if sampler.wants():
                sampler.add(list(map(_readable, record.cells)))
        if last is not None and self.quotes and not is_well_quoted(last.lines, self.delimiter):
            self._refuse_fault(last._replace(fault="a quote is not closed before the end of the file"))
        header = len(self._header) or self.width
        self.width = max(widths)
        if self.quotes:
            self.style = next((style for style in STYLES if style in styles), quoted)
        self.comma = self.delimiter != "," and has_decimal_comma(sampler.kept)
        look = Look(sampler.seen, sampler.kept, {column: {"text"} for column in range(self.width)})
        look.notes = _notes(header, widths, wide, short, odd, self.encoding)
        return look

    def _ragged(self, record: CsvRecord, wide: int, short: int) -> tuple[int, int]:
        count, expected = len(record.cells), len(self._header) or self.width
        return wide or record.first * (count > expected), short or record.first * (count < expected)

    def _is_styled(self, record: CsvRecord, style: Style) -> bool:
        line = "".join(record.lines).rstrip("\r\n")
        return line == self.delimiter.join(style(cell, self.delimiter) for cell in record.cells)

    def chunks(self) -> Iterator[TextRows]:
        rows, size, waits = TextRows([], []), 0, self.options.header
        for record in self._records():
            line = "".join(record.lines)
            cells = None if not _is_row(record) else HEADER if waits else record.cells
            rows.lines.append((line, cells))
            size += len(line)
            if cells is HEADER:
                waits = False
            elif cells is not None:
                rows.cells.append(cells)
            if len(rows) >= CHUNK or size >= CHUNK_LETTERS:
                yield rows
                rows, size = TextRows([], []), 0
        if rows.lines:
            yield rows

    def _blocks(self) -> Iterator[bytes]:
        with open_decompressed(self.path, RefuseTruncated(), _ignore) as stream:
            while block := stream.read(BLOCK):
                yield block

    def _records(self, advance: Advance = lambda amount: None) -> Iterator[CsvRecord]:
        with open_decompressed(self.path, RefuseTruncated(), advance) as stream:
            stream.read(len(self.encoding.mark))
            text = io.TextIOWrapper(stream, encoding=self.encoding.name, errors=self.encoding.errors, newline="")
            try:
                yield from CsvRecords(text, self.delimiter) if self.quotes else _plain_records(text, self.delimiter)
            except UnicodeError as error:
                raise SourceError(
                    f"{self.name} is not {self.encoding.name} ({error.reason}); say which encoding it has",  # type: ignore[attr-defined]
                    code="table-encoding",
                    where=self.name,
                ) from None

    def _refuse_fault(self, record: CsvRecord) -> None:
        if record.fault is not None:
            raise SourceError(
                f"line {record.first:,} of {self.name}: {record.fault.partition(';')[0]}; mend its quotes, or say that quotes "
                "are letters",
                code="table-quotes",
                where=f"{self.name}:{record.first}",
            )

    # writing

    def writer(self, out: IO[bytes], added: Sequence[str]) -> DelimitedWriter:
        return DelimitedWriter(self, out, added)


class DelimitedWriter:
    """Writes the lines of a file as they are, each with cells more at its end."""

    def __init__(self, file: DelimitedFile, out: IO[bytes], added: Sequence[str]) -> None:
        self.file, self.out, self.added = file, out, added
        self.lost = 0  # labels with letters that the encoding does not know
        out.write(file.encoding.mark)

    def write(self, rows: Any, answers: Sequence[Answers]) -> None:
        columns = [column for answer in answers for column in answer.columns()]
        answered = zip(*columns, strict=True)
        lines = []
        for line, cells in rows.lines:
            if cells is None:
                lines.append(line)
            elif cells is HEADER:
                lines.append(self._extended(line, len(self.file.header), list(self.added)))
            else:
                lines.append(self._extended(line, len(cells), [self._text(value) for value in next(answered)]))
        self.out.write(self._encoded("".join(lines), answers))

    def close(self) -> None:
        """Nothing is left."""

    def _extended(self, line: str, width: int, cells: list[str]) -> str:
        body = line.rstrip("\r\n")
        end = line[len(body) :]
        delimiter, style = self.file.delimiter, self.file.style
        padding = [""] * (self.file.width - width)
        return delimiter.join([body, *padding, *(style(cell, delimiter) for cell in cells)]) + end

    def _text(self, value: str | float | None) -> str:
        if isinstance(value, float):
            text = f"{value:.4f}"
            return text.replace(".", ",") if self.file.comma else text
        return value or ""

    def _encoded(self, text: str, answers: Sequence[Answers]) -> bytes:
        encoding = self.file.encoding
        try:
            return encoding.encode(text)
        except UnicodeEncodeError:
            for id in (id for answer in answers for id in answer.ids if id is not None):
                if self._unknown(id):
                    raise SourceError(
                        f"the id {id!r} cannot be written in {encoding.name}, the encoding of {self.file.name}; convert the "
                        "file to UTF-8, or write a format that knows all letters",
                        code="table-letters",
                        where=self.file.name,
                    ) from None
            unknown = self._unknown(text)
            self.lost += sum(map(text.count, unknown))
            return encoding.encode(text.translate(dict.fromkeys(map(ord, unknown), "?")))

    def _unknown(self, text: str) -> list[str]:
        """Return the letters of a text that the encoding does not know."""
        return [letter for letter in set(text) if not letter.isascii() and not _is_known(letter, self.file.encoding)]


def _is_known(letter: str, encoding: Encoding) -> bool:
    try:
        encoding.encode(letter)
    except UnicodeEncodeError:
        return False
    return True


def _notes(header: int, widths: Counter[int], wide: int, short: int, odd: int, encoding: Encoding) -> list[str]:
    notes = []
    if wide:
        count = sum(number for width, number in widths.items() if width > header)
        notes.append(f"{_rows(count)} more than {header} cells (first: line {wide:,}); the header gets empty names")
    if short:
        count = sum(number for width, number in widths.items() if width < header)
        notes.append(f"{_rows(count)} fewer than {header} cells (first: line {short:,}); empty ones are added")
    if odd:
        notes.append(f"{_rows(odd)} bytes that are not {encoding.name}; they are read as {WINDOWS}, and kept as they are")
    return notes


def _rows(count: int) -> str:
    return "1 row has" if count == 1 else f"{count:,} rows have"


def _plain_records(lines: Iterator[str], delimiter: str) -> Iterator[CsvRecord]:
    """Records of a text in which quotes are letters; a cell that is wholly quoted is unwrapped for who reads it."""
    for number, line in enumerate(lines, 1):
        body = line.rstrip("\r\n")
        yield CsvRecord(number, [line], [_unwrapped(cell) for cell in body.split(delimiter)] if body else [], None)


def _unwrapped(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


def _is_row(record: CsvRecord) -> bool:
    """Return whether a record is a row: not an empty line, and not Excel's note on the separator."""
    if not record.cells or (len(record.cells) == 1 and not record.cells[0].strip()):
        return False
    return not (record.first == 1 and record.lines[0].lower().startswith("sep="))


def _has_surrogates(cell: str) -> bool:
    return not cell.isascii() and any("\udc80" <= letter <= "\udcff" for letter in cell)


def _readable(cell: str) -> str:
    """Return a cell in which bytes that are none of the encoding's letters are read as Windows would read them."""
    return cell.translate(_AS_WINDOWS) if _has_surrogates(cell) else cell


def _checked(delimiter: str | None) -> str | None:
    if delimiter is None:
        return None
    delimiter = {"\\t": "\t", "tab": "\t"}.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise OptionError(f"delimiter is {delimiter!r}; expected one letter, such as ; or |, or tab", where="delimiter")
    return delimiter


def _ignore(amount: float) -> None:
    """Count no progress."""
