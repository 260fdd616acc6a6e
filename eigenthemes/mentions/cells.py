"""The cells of a table that may be names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, Mention, Table

_HAS_LETTER = re.compile(r"[^\W\d_]")
_UNKNOWN = frozenset(("n/a", "#n/a", "n.a.", "null", "nan", "none", "nil", "unknown", "not available", "not applicable", "tbd"))
_HAS_PARTS = re.compile(r"[,()\[\]]")
_BRACKETED = re.compile(r"\s*(\([^()]*\)|\[[^\[\]]*\])\s*")


class CellDetector:
    """Takes every cell of a table that may be a name for a mention; a document without a table is refused."""

    by_spelling = False

    def detect(self, document: Document) -> tuple[Mention, ...]:
        if document.table is None:
            raise DocumentError('the document has neither mentions nor a table; give "mentions", or a "table" of cells')
        return tuple(cells(document.table))


def cells(table: Table) -> Iterator[Mention]:
    """Yield the cells of a table that may be names: those with a letter, but for "n/a" and the like."""
    for row, line in enumerate(table.rows):
        for col, cell in enumerate(line):
            if _HAS_LETTER.search(cell) and cell.strip().casefold() not in _UNKNOWN:
                yield Mention(cell, row=row, col=col)


def cell_forms(text: str) -> list[str]:
    """Return what a cell that is no name as it stands may mean, the likeliest first.

    Without what stands in brackets; "Korea, Republic of" turned round; its first two parts, its first part ("Paris, France").
    """
    if not _HAS_PARTS.search(text):
        return []
    bare = _BRACKETED.sub(" ", text).strip()
    parts = [part for part in (part.strip() for part in bare.split(",")) if part]
    forms = [bare]
    if len(parts) > 1:
        turned = f"{parts[1]} {parts[0]}" if len(parts) == 2 else ""
        forms += [turned, f"{parts[0]}, {parts[1]}", parts[0]]
    return [form for form in dict.fromkeys(forms) if form != text and _HAS_LETTER.search(form)]
