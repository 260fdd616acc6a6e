"""Limits on RDF/XML: how deep elements may be nested, and how much text entities may expand to.

The parser takes quadratic time in the depth of elements. It also expands every entity. Ontologies abbreviate IRIs by entities
(`&owl;`), but nested ones ("billion laughs") would fill any memory. A file beyond a limit ends before its parser sees it.
Files and addresses that an entity names are never read.
"""

from __future__ import annotations

import io
import re
from typing import IO, Any

from eigenthemes.core.diagnostics import Diagnostics

MAX_DEPTH = 5000
_MAX_TAG = 1 << 20  # bytes
_END_OF = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}  # within these, nothing is a tag
_OPENING = re.compile(rb"<!--|<!\[CDATA\[")

_MAX_EXPANSION = 8 << 20  # bytes that the entities of any file may expand to
_MAX_FACTOR = 100  # or this factor times the bytes of the file
_MAX_NESTING = 30  # entities within entities
_MAX_UNFINISHED = 1 << 20  # bytes of a declaration or a reference that has not ended yet
_DECLARED = re.compile(rb"""<!ENTITY\s+([^\s"'<>%&;]+)\s+(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(rb"&([^\s&;<>#][^\s&;<>]*);")
_DECLARATION = b"<!ENTITY"
_UNFINISHED = (
    (_DECLARATION, re.compile(rb"""<!ENTITY[^"'<>]{0,1000}(?:"[^"]*|'[^']*)?\Z""")),
    (b"&", re.compile(rb"&[^\s&;<>]{0,1000}\Z")),
)


class LimitedXml(io.RawIOBase):
    """A stream of XML that ends where it exceeds a limit; diagnostics report it."""

    def __init__(self, stream: IO[bytes], origin: str, diagnostics: Diagnostics) -> None:
        self.stream, self.origin, self.diagnostics = stream, origin, diagnostics
        self.depth, self.size = 0, 0
        self._unfinished, self._skip_to = b"", b""
        self._ended = False
        self._entities = EntityExpansion()

    def readable(self) -> bool:
        """Return True, as `io.BufferedReader` expects."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes; none beyond a limit."""
        if self._ended:
            return 0
        data = self.stream.read(min(len(buffer), 1 << 14))
        self._update_depth(data)
        if self.depth > MAX_DEPTH:
            return self._end(f"elements are more than {MAX_DEPTH:,} deep")
        if not self._entities.add(data):
            return self._end("its entities expand to far more text than the file has")
        buffer[: len(data)] = data
        self.size += len(data)
        return len(data)

    def _end(self, cause: str) -> int:
        self._ended = True
        detail = f"{cause} after {self.size:,} bytes; the rest of the file is not read"
        self.diagnostics.add("given up", self.origin, detail)
        return 0

    def _update_depth(self, data: bytes) -> None:
        text = self._unfinished + data
        end = len(text) if len(text) > _MAX_TAG else text.rfind(b">") + 1
        self._unfinished, text = text[end:], text[:end]
        tags = self._without_comments(text)
        closing = tags.count(b"</")
        opening = tags.count(b"<") - closing - tags.count(b"<!") - tags.count(b"<?")
        self.depth = max(0, self.depth + opening - closing - tags.count(b"/>"))

    def _without_comments(self, text: bytes) -> bytes:
        if not self._skip_to and b"<!" not in text:
            return text
        outside = []
        while text:
            if self._skip_to:
                _, end, text = text.partition(self._skip_to)
                self._skip_to = b"" if end else self._skip_to
            else:
                match = _OPENING.search(text)
                outside.append(text[: match.start()] if match else text)
                self._skip_to, text = (_END_OF[match[0]], text[match.end() :]) if match else (b"", b"")
        return b"".join(outside)


class EntityExpansion:
    """Counts the bytes that the entities of a file expand to, as the file is read."""

    def __init__(self) -> None:
        self.values: dict[bytes, bytes] = {}
        self.expanded = 0
        self._sizes: dict[bytes, int] = {}
        self._unfinished = b""
        self._read = 0

    def add(self, data: bytes) -> bool:
        """Count the next bytes of the file; return whether its entities are within the limits."""
        self._read += len(data)
        text = self._unfinished + data
        end = _finished(text)
        text, self._unfinished = text[:end], text[end:]
        for name, double, single in _DECLARED.findall(text):
            self.values.setdefault(name, double or single)  # in XML, the first declaration counts
            self._sizes.clear()
        if self.values:
            self.expanded += sum(self._size(name, 0) for name in _REFERENCE.findall(text))
        return self.expanded <= max(_MAX_EXPANSION, _MAX_FACTOR * self._read) and len(self._unfinished) <= _MAX_UNFINISHED

    def _size(self, name: bytes, depth: int) -> int:
        """Return the bytes that an entity expands to; more than any limit where it is nested too deeply, or in itself."""
        if name not in self.values:
            return 0
        if depth > _MAX_NESTING:
            return 1 << 62
        if name not in self._sizes:
            value = self.values[name]
            self._sizes[name] = len(value) + sum(self._size(inner, depth + 1) for inner in _REFERENCE.findall(value))
        return self._sizes[name]


def _finished(text: bytes) -> int:
    """Return the place up to which declarations and references have ended."""
    for mark, unfinished in _UNFINISHED:
        at = text.rfind(mark)
        if at >= 0 and unfinished.match(text, at):
            return at
    last = text.rfind(b"<", -len(_DECLARATION))
    return last if last >= 0 and _DECLARATION.startswith(text[last:]) else len(text)
