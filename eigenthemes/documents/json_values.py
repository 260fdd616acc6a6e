"""Documents as one JSON array, or as JSON objects over several lines each, cut into documents without parsing the whole.

Only strings and brackets are looked at here: memory holds one document at a time, and it is parsed elsewhere.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8 as BOM
from collections.abc import Iterator
from typing import IO

import orjson

from eigenthemes.core.files import LONGEST_LINE
from eigenthemes.documents.json_lines import document_of_json
from eigenthemes.documents.standoff import located
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document

_BLOCK = 1 << 20
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BETWEEN = re.compile(rb"[\s,]*")
_SCALAR = re.compile(_STRING + rb'|[^\s,"\[\]{}]+|[\]}]', re.DOTALL)
_NEXT_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|' + _STRING + rb")*+([\[\]{}])", re.DOTALL)


def split_values(stream: IO[bytes], origin: str = "the file") -> Iterator[tuple[int, bytes]]:
    """Yield each element of a JSON array, or each of several JSON values in a row, with the line where it begins.

    A value or an array that never ends is yielded as far as it goes, for the parser to refuse.
    """
    scanner = _Scanner()
    while block := stream.read(max(_BLOCK, len(scanner.buffer))):
        if len(scanner.buffer) > LONGEST_LINE:
            problem = f"the value that begins there has more than {LONGEST_LINE >> 20:,} MB, or never ends"
            raise located(f"{origin}:{scanner.line}", f"{problem}; expected one document: check the file")
        yield from scanner.feed(block if scanner.started else block.removeprefix(BOM))
    yield from scanner.finish()


def parse_value(value: bytes, line: int) -> Document:
    """Parse the document of a JSON value that begins in that line."""
    try:
        record = orjson.loads(value)
    except orjson.JSONDecodeError as error:
        reason = f"no JSON in line {line + error.lineno - 1}, column {error.colno} ({error.msg})"
        raise DocumentError(f"{reason}; expected whole JSON objects, or one array of them") from None
    return document_of_json(record)


class _Scanner:
    """State of a scan: the bytes not yet yielded, the number of open brackets, and the line."""

    def __init__(self) -> None:
        self.buffer = b""
        self.started = False
        self.at = 0  # where to look on
        self.start = -1  # of the value under way
        self.depth = 0  # brackets open
        self.base = 0  # of which enclose all documents: 1 within an array
        self.line, self.counted = 1, 0  # the line, and up to where lines are counted

    def feed(self, block: bytes) -> Iterator[tuple[int, bytes]]:
        """Take in some bytes, and yield the values that end in them."""
        self.started = True
        self.buffer += block
        yield from self._scan(last=False)
        kept = self.start if self.start >= 0 else self.at
        self._count_lines(kept)
        self.buffer, self.at, self.counted = self.buffer[kept:], self.at - kept, 0
        self.start = min(self.start, 0)

    def finish(self) -> Iterator[tuple[int, bytes]]:
        """Yield what the end of the file ends, or leaves open."""
        yield from self._scan(last=True)
        if self.start >= 0:
            yield self.line, self.buffer[self.start :]
        elif self.depth:
            self._count_lines(len(self.buffer))
            yield self.line, b"["

    def _scan(self, *, last: bool) -> Iterator[tuple[int, bytes]]:
        while self._find_start() and self._find_end(last):
            yield self.line, self.buffer[self.start : self.at]
            self.start = -1

    def _find_start(self) -> bool:
        """Go to where the next value starts; it may have started already."""
        while self.start < 0:
            between = _BETWEEN.match(self.buffer, self.at)
            assert between is not None
            self.at = between.end()
            sign = self.buffer[self.at : self.at + 1]
            if not sign:
                return False
            if sign == (b"]" if self.base else b"["):  # of the array of documents
                self.depth = self.base = 1 - self.base
                self.at += 1
            else:
                self.start = self.at
                self._count_lines(self.start)
        return True

    def _find_end(self, last: bool) -> bool:
        """Go to where the value ends, if that is not in a later block."""
        if self.depth == self.base and self.buffer[self.start : self.start + 1] not in (b"{", b"["):
            scalar = _SCALAR.match(self.buffer, self.start)
            if scalar is None or (scalar.end() == len(self.buffer) and not last):
                return False
            self.at = scalar.end()
            return True
        while bracket := _NEXT_BRACKET.match(self.buffer, self.at):
            self.at = bracket.end()
            self.depth += 1 if bracket[1] in (b"{", b"[") else -1
            if self.depth == self.base:
                return True
        return False

    def _count_lines(self, upto: int) -> None:
        self.line += self.buffer.count(b"\n", self.counted, upto)
        self.counted = upto
