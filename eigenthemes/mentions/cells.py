"""The cells of a table that may be names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from eigenthemes.records import Mention, Table

_HAS_LETTER = re.compile(r"[^\W\d_]")


def cells(table: Table) -> Iterator[Mention]:
    """The cells of a table that may be names: those with a letter."""
    for row, line in enumerate(table.rows):
        for col, cell in enumerate(line):
            if _HAS_LETTER.search(cell):
                yield Mention(cell, row=row, col=col)
