"""Entities that a file of RDF/XML declares: the parser writes out whatever they stand for, so it is told how much that may be.

Ontologies abbreviate IRIs by them (`&owl;`). Entities of entities of entities, or a long one used very often, would fill any
memory: such a file is given up before its parser sees the reference. Files and addresses that an entity names are never read.
"""

from __future__ import annotations

import re

_MOST = 8 << 20  # bytes that entities may come to in any file
_FACTOR = 100  # and in a long one, times its bytes
_DEEPEST = 30  # entities within entities
_LONGEST = 1 << 20  # bytes of a declaration or a reference that has not ended yet
_DECLARED = re.compile(rb"""<!ENTITY\s+([^\s"'<>%&;]+)\s+(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(rb"&([^\s&;<>#][^\s&;<>]*);")
_BEGINS = b"<!ENTITY"
_DECLARATION_GOES_ON = re.compile(rb"""<!ENTITY[^"'<>]{0,1000}(?:"[^"]*|'[^']*)?\Z""")
_REFERENCE_GOES_ON = re.compile(rb"&[^\s&;<>]{0,1000}\Z")


class EntitySizes:
    """Counts what the entities of a file come to, as the file passes by."""

    def __init__(self) -> None:
        self.values: dict[bytes, bytes] = {}
        self.sizes: dict[bytes, int] = {}
        self.rest = b""  # what is not whole yet: a declaration, or a reference
        self.read, self.grown = 0, 0

    def pass_by(self, data: bytes) -> bool:
        """Take in the next bytes; return whether entities still come to an amount that can be borne."""
        self.read += len(data)
        text = self.rest + data
        end = self._whole(text)
        text, self.rest = text[:end], text[end:]
        for name, double, single in _DECLARED.findall(text):
            self.values.setdefault(name, double or single)  # the first one counts, in XML
            self.sizes.clear()
        if self.values:
            self.grown += sum(self._size(name, 0) for name in _REFERENCE.findall(text))
        return self.grown <= max(_MOST, _FACTOR * self.read) and len(self.rest) <= _LONGEST

    def _size(self, name: bytes, depth: int) -> int:
        """Return the bytes that an entity comes to; more than any file may have where it is too deep, or its own part."""
        if name not in self.values:
            return 0
        if depth > _DEEPEST:
            return 1 << 62
        if name not in self.sizes:
            value = self.values[name]
            self.sizes[name] = len(value) + sum(self._size(inner, depth + 1) for inner in _REFERENCE.findall(value))
        return self.sizes[name]

    def _whole(self, text: bytes) -> int:
        """Return up to where declarations and references are whole."""
        for mark, goes_on in ((_BEGINS, _DECLARATION_GOES_ON), (b"&", _REFERENCE_GOES_ON)):
            at = text.rfind(mark)
            if at >= 0 and goes_on.match(text, at):
                return at
        last = text.rfind(b"<", -len(_BEGINS))
        return last if last >= 0 and _BEGINS.startswith(text[last:]) else len(text)
