"""Elements within elements: parsing RDF/XML takes time by the square of their depth, so a file is given up at some depth.

The same goes for entities that come to too much (`xml_entities`).
"""

from __future__ import annotations

import io
import re
from typing import IO, Any

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.kg.xml_entities import EntitySizes

DEEPEST = 5000
_LONGEST_TAG = 1 << 20  # bytes
_END_OF = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}  # what may hold tags that are none
_MARK = re.compile(rb"<!--|<!\[CDATA\[")


class BoundedDepth(io.RawIOBase):
    """A stream of XML that ends where its elements are too deep, which is noted."""

    def __init__(self, stream: IO[bytes], origin: str, diagnostics: Diagnostics) -> None:
        self.stream, self.origin, self.diagnostics = stream, origin, diagnostics
        self.depth, self.size = 0, 0
        self.carried, self.until = b"", b""
        self.ended = False
        self.entities = EntitySizes()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.ended:
            return 0
        data = self.stream.read(min(len(buffer), 1 << 14))
        self._measure(data)
        if self.depth > DEEPEST:
            return self._give_up(f"elements are more than {DEEPEST:,} deep")
        if not self.entities.pass_by(data):
            return self._give_up("its entities stand for far more text than it has")
        buffer[: len(data)] = data
        self.size += len(data)
        return len(data)

    def _give_up(self, cause: str) -> int:
        self.ended = True
        detail = f"{cause} after {self.size:,} bytes; the rest of the file is not read"
        self.diagnostics.add("given up", self.origin, detail)
        return 0

    def _measure(self, data: bytes) -> None:
        text = self.carried + data
        end = len(text) if len(text) > _LONGEST_TAG else text.rfind(b">") + 1  # what is cut is counted with what comes next
        self.carried, text = text[end:], text[:end]
        tags = self._without_passed_over(text)
        closing = tags.count(b"</")
        opening = tags.count(b"<") - closing - tags.count(b"<!") - tags.count(b"<?")
        self.depth = max(0, self.depth + opening - closing - tags.count(b"/>"))

    def _without_passed_over(self, text: bytes) -> bytes:
        if not self.until and b"<!" not in text:
            return text
        kept = []
        while text:
            if self.until:
                _, end, text = text.partition(self.until)
                self.until = b"" if end else self.until
            else:
                mark = _MARK.search(text)
                kept.append(text[: mark.start()] if mark else text)
                self.until, text = (_END_OF[mark[0]], text[mark.end() :]) if mark else (b"", b"")
        return b"".join(kept)
