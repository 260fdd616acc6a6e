"""Documents as one JSON array, or as JSON objects over several lines each, cut into documents without parsing the whole.

Only strings and brackets are looked at here: memory holds one document at a time, and it is parsed elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

import orjson

from eigenthemes.documents.json_lines import BOM, document_of_json
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document

_BLOCK = 1 << 20
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[\]{}]|[^\s\[\]{}",]+', re.DOTALL)
_BRACKETS = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}


def split_values(stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield each element of a JSON array, or each of several JSON values in a row, with the line where it begins.

    A value or an array that never ends is yielded as far as it goes, for the parser to refuse.
    """
    scanner = _Scanner()
    while block := stream.read(max(_BLOCK, len(scanner.buffer))):
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
    """Where the scan is: what is not yet yielded, how many brackets are open, and the line."""

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
            self._count_lines(self.at)
            yield self.line, b"["

    def _scan(self, *, last: bool) -> Iterator[tuple[int, bytes]]:
        for token in _TOKEN.finditer(self.buffer, self.at):
            step = _BRACKETS.get(token[0])
            if step is None and token.end() == len(self.buffer) and not last:
                return  # a string or a number that may go on in the next block
            self.at = token.end()
            if self._is_array_edge(token[0]):
                continue
            self.depth += step or 0
            if self.start < 0:
                self.start = token.start()
                self._count_lines(self.start)
            if self.depth <= self.base:
                yield self.line, self.buffer[self.start : self.at]
                self.start, self.depth = -1, self.base

    def _is_array_edge(self, token: bytes) -> bool:
        """Step into an array of documents, or out of it."""
        if self.start >= 0 or self.depth != self.base or token != (b"]" if self.base else b"["):
            return False
        self.depth = self.base = 1 - self.base
        return True

    def _count_lines(self, upto: int) -> None:
        self.line += self.buffer.count(b"\n", self.counted, upto)
        self.counted = upto
