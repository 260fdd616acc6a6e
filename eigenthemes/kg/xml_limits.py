"""Limits on RDF/XML: how deep elements may be nested, and how much text entities may expand to.

The parser takes quadratic time in the depth of elements. It also expands every entity. Ontologies abbreviate IRIs by entities
(`&owl;`), but nested ones ("billion laughs") would fill any memory. A file beyond a limit ends before its parser sees it.
Files and addresses that an entity names are never read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from eigenthemes.core.diagnostics import Diagnostics

MAX_DEPTH = 5000
_BLOCK = 1 << 13  # bytes
_MAX_UNFINISHED = 1 << 20  # bytes of a tag, comment or declaration that has not ended yet
_MAX_EXPANSION = 8 << 20  # bytes that the entities of any file may expand to
_MAX_FACTOR = 100  # or this factor times the bytes of the file
_MAX_NESTING = 30  # entities within entities
_TOO_MUCH = 1 << 62

_NO_TAGS = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>", re.DOTALL)
_NO_TAGS_BEGIN = re.compile(rb"<!--|<!\[CDATA\[")
_DECLARATION = b"<!ENTITY"
_DECLARED = re.compile(rb"""<!ENTITY\s+([^\s"'<>%&;]+)\s+(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(rb"&([^\s&;<>#][^\s&;<>]*);")


class LimitedXml:
    """XML that ends where it exceeds a limit; diagnostics report it.

    entities  the values of each entity; the parser takes the last one, and those in comments, too
    expanded  bytes that the entities so far expand to
    """

    def __init__(self, stream: IO[bytes], origin: str, diagnostics: Diagnostics) -> None:
        self.stream, self.origin, self.diagnostics = stream, origin, diagnostics
        self.depth = self.size = self.expanded = 0
        self.entities: dict[bytes, set[bytes]] = {}
        self._sizes: dict[bytes, int] = {}  # that entities expand to
        self._unfinished = b""

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes in small blocks; none beyond a limit."""
        while data := self.stream.read(_BLOCK):
            self._follow(data)
            cause = ""
            if self.depth > MAX_DEPTH:
                cause = f"elements are more than {MAX_DEPTH:,} deep"
            elif self.expanded > max(_MAX_EXPANSION, _MAX_FACTOR * (self.size + len(data))):
                cause = "its entities expand to far more text than the file has"
            if cause:
                detail = f"{cause} after {self.size:,} bytes; the rest of the file is not read"
                self.diagnostics.add("given up", self.origin, detail)
                return
            self.size += len(data)
            yield data

    def _follow(self, data: bytes) -> None:
        """Update the depth and the size of entities by the next bytes of the file."""
        text = self._unfinished + data
        for name, double, single in _DECLARED.findall(text):
            self.entities.setdefault(name, set()).add(double or single)
            self._sizes.clear()
        text = _NO_TAGS.sub(b"", text) if b"<!" in text else text
        end = self._finished(text)
        tags, self._unfinished = text[:end], text[end:]
        closing = tags.count(b"</")
        opening = tags.count(b"<") - closing - tags.count(b"<!") - tags.count(b"<?")
        self.depth = max(0, self.depth + opening - closing - tags.count(b"/>"))
        if self.entities:
            self.expanded += sum(self._size(name, 0) for name in _REFERENCE.findall(tags))

    def _finished(self, text: bytes) -> int:
        """Return the place up to which tags, comments and declarations have ended."""
        opening = _NO_TAGS_BEGIN.search(text)
        end = opening.start() if opening else text.rfind(b">") + 1
        if len(text) - end > _MAX_UNFINISHED:
            end = max(text.rfind(b">") + 1, text.rfind(b"<"))
        if len(text) - end > _MAX_UNFINISHED:
            self.expanded += _TOO_MUCH if text.startswith(_DECLARATION, end) else 0
            end = len(text)
        return end

    def _size(self, name: bytes, depth: int) -> int:
        """Return the bytes that an entity expands to; more than any limit where it is nested too deeply, or in itself."""
        if depth > _MAX_NESTING:
            return _TOO_MUCH
        if name not in self._sizes:
            self._sizes[name] = max(
                (
                    len(value) + sum(self._size(inner, depth + 1) for inner in _REFERENCE.findall(value))
                    for value in self.entities.get(name, ())
                ),
                default=0,
            )
        return self._sizes[name]
