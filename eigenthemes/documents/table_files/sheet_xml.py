"""Cells added to a sheet of an .xlsx file: its XML gets them in place, and every other part of the archive is copied.

So formulas, formats, charts, other sheets and macros stay; texts are written as texts, whatever they begin with.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import xml.parsers.expat
import zipfile
import zlib
from collections.abc import Iterator
from itertools import chain
from typing import IO, Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from eigenthemes.errors import SourceError

_RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
_BLOCK = 1 << 20
_SPANS = re.compile(rb'\s+spans="[^"]*"')
_REF = re.compile(rb'(ref="[A-Z]+\d+(?::))([A-Z]+)(\d+")')
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

Values = list[str | float | None]


class SheetEditor:
    """A sheet of an .xlsx file to which cells are added.

    width  columns that its rows use, those that are merely formatted among them
    """

    def __init__(self, data: IO[bytes], sheet: str, name: str) -> None:
        self.name = name
        try:
            self.archive = zipfile.ZipFile(data)
            self.part = _part_of_sheet(self.archive, sheet)
            self.width = max((edit.column + 1 for edit in self._events() if edit.tag == "c"), default=0)
        except (*_DAMAGE, KeyError, ElementTree.ParseError, xml.parsers.expat.ExpatError) as error:
            raise self._damaged(error) from None
        self.cells: dict[int, tuple[int, Values, bool]] = {}

    def add(self, row: int, column: int, values: Values, *, header: bool = False) -> None:
        """Write these values into a row from a column on, both from 0."""
        self.cells[row] = (column, values, header)

    def save(self, out: IO[bytes]) -> None:
        """Write the whole archive."""
        try:
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
                for part in self.archive.infolist():
                    self._copy(part, target)
        except _DAMAGE as error:
            raise self._damaged(error) from None

    def _copy(self, part: zipfile.ZipInfo, target: zipfile.ZipFile) -> None:
        with self.archive.open(part) as source, target.open(_like(part), "w", force_zip64=True) as copy:
            if part.filename == self.part:
                copy.writelines(self._edited())
            else:
                shutil.copyfileobj(source, copy, _BLOCK)

    def _damaged(self, error: BaseException) -> SourceError:
        return SourceError(f"{self.name} is not a whole spreadsheet ({error}); save it again", where=self.name)

    def _edited(self) -> Iterator[bytes]:
        """Yield the XML of the sheet with the cells in their rows."""
        last = max((column + len(values) for column, values, _ in self.cells.values()), default=self.width)
        events = _Events()
        window, start, row, style = b"", 0, -1, None  # bytes that are not written yet, and where they begin
        with self.archive.open(self.part) as source:
            for block in chain(iter(lambda: source.read(_BLOCK), b""), [b""]):
                window += block
                done = 0
                for event in events.parse(block):
                    if event.tag == "c":
                        style = event.style
                        continue
                    at = event.at - start
                    yield window[done:at]
                    done = at
                    if event.tag == "/row":
                        yield self._xml(row, event.prefix, style)
                        continue
                    done = window.index(b">", at) + 1
                    if event.tag == "dimension":
                        yield _REF.sub(lambda match: match[1] + _wider(match[2], last) + match[3], window[at:done])
                    else:
                        row, style = event.row, None
                        yield self._opening(row, event.prefix, window[at:done])
                settled = max(done, events.position - start) if block else len(window)
                yield window[done:settled]
                window, start = window[settled:], start + settled

    def _opening(self, row: int, prefix: str, tag: bytes) -> bytes:
        """The tag that opens a row, without the columns it spans; a row without cells gets them here."""
        tag = _SPANS.sub(b"", tag)
        if not tag.endswith(b"/>") or row not in self.cells:
            return tag
        return tag[:-2].rstrip() + b">" + self._xml(row, prefix, None) + f"</{prefix}row>".encode()

    def _events(self) -> Iterator[_Event]:
        events = _Events()
        with self.archive.open(self.part) as source:
            for block in chain(iter(lambda: source.read(_BLOCK), b""), [b""]):
                yield from events.parse(block)

    def _xml(self, row: int, prefix: str, style: str | None) -> bytes:
        """The cells of a row; those of the header look like the one before them."""
        if row not in self.cells:
            return b""
        column, values, header = self.cells[row]
        looks = f' s="{style}"' if header and style is not None else ""
        cells = []
        for number, value in enumerate(values, column):
            place = f"{_letters(number)}{row + 1}"
            if isinstance(value, float):
                cells.append(f'<{prefix}c r="{place}"{looks}><{prefix}v>{value}</{prefix}v></{prefix}c>')
            elif value is not None:
                text = escape(escaped(value))
                cells.append(
                    f'<{prefix}c r="{place}"{looks} t="inlineStr"><{prefix}is><{prefix}t xml:space="preserve">{text}'
                    f"</{prefix}t></{prefix}is></{prefix}c>"
                )
        return "".join(cells).encode()


class _Event:
    """The beginning of a tag of the sheet (or the end of a row): where it is, and what it says."""

    __slots__ = ("at", "column", "prefix", "row", "style", "tag")

    def __init__(self, tag: str, prefix: str, at: int, row: int = -1, column: int = -1, style: str | None = None) -> None:
        self.tag, self.prefix, self.at, self.row, self.column, self.style = tag, prefix, at, row, column, style


class _Events:
    """Finds the rows and cells of a sheet in its bytes."""

    def __init__(self) -> None:
        self.parser: Any = xml.parsers.expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.found: list[_Event] = []
        self.row = self.column = -1
        self.row_starts_at = -1

    @property
    def position(self) -> int:
        """Where the parser is: all before it is known."""
        return int(self.parser.CurrentByteIndex)

    def parse(self, block: bytes) -> list[_Event]:
        self.found = []
        self.parser.Parse(block, not block)
        return self.found

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        prefix, colon, tag = name.rpartition(":")
        at = self.parser.CurrentByteIndex
        if tag == "row":
            self.row = int(attributes["r"]) - 1 if "r" in attributes else self.row + 1
            self.column, self.row_starts_at = -1, at
            self.found.append(_Event("row", prefix + colon, at, self.row))
        elif tag == "c":
            self.column = _column_of(attributes["r"]) if "r" in attributes else self.column + 1
            self.found.append(_Event("c", prefix + colon, at, self.row, self.column, attributes.get("s")))
        elif tag == "dimension":
            self.found.append(_Event("dimension", prefix + colon, at))

    def _end(self, name: str) -> None:
        prefix, colon, tag = name.rpartition(":")
        if tag == "row" and self.parser.CurrentByteIndex != self.row_starts_at:
            self.found.append(_Event("/row", prefix + colon, self.parser.CurrentByteIndex))


def _part_of_sheet(archive: zipfile.ZipFile, sheet: str) -> str:
    """Return where the XML of a sheet is in the archive."""
    book = "xl/workbook.xml"
    relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    targets = {each.get("Id"): each.get("Target", "") for each in relations.iter(f"{_RELATIONS}Relationship")}
    for element in ElementTree.fromstring(archive.read(book)).iter():
        if element.tag.endswith("}sheet") and element.get("name") == sheet:
            id = next((value for key, value in element.attrib.items() if key.endswith("}id")), None)
            target = targets[id]
            return target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join("xl", target))
    raise KeyError(sheet)


def _like(part: zipfile.ZipInfo) -> zipfile.ZipInfo:
    copy = zipfile.ZipInfo(part.filename, part.date_time)
    copy.compress_type, copy.external_attr, copy.comment = part.compress_type, part.external_attr, part.comment
    return copy


def _column_of(place: str) -> int:
    number = 0
    for letter in place:
        if not letter.isalpha():
            break
        number = number * 26 + ord(letter.upper()) - 64
    return number - 1


def _letters(column: int) -> str:
    letters, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _wider(letters: bytes, columns: int) -> bytes:
    return _letters(max(_column_of(letters.decode()) + 1, columns) - 1).encode()


def escaped(text: str) -> str:
    """Return a text as spreadsheets escape letters that XML cannot hold."""
    text = re.sub("_(?=x[0-9A-Fa-f]{4}_)", "_x005F_", text)
    return _NOT_XML.sub(lambda match: f"_x{ord(match[0]):04X}_", text)
