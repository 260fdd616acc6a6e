"""Names that people know and the sources lack: a file of names and ids."""

from __future__ import annotations

import csv
from pathlib import Path

from eigenthemes.core.paths import check_input
from eigenthemes.errors import SourceError

_REMEDY = "give a text file with a name and an id per line, separated by a tab or a comma"
_HEADER = ("name", "id")


def read_names(path: str | Path) -> list[tuple[str, str]]:
    """Read pairs of a name and the id of an entity: TSV where the first line has a tab, else CSV; a header is skipped."""
    check_input(path, remedy=_REMEDY, once=True)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"names cannot be read from {path} ({error}); {_REMEDY}", where=str(path)) from None
    first = next((line for line in text.splitlines() if line.strip()), "")
    rows = csv.reader(text.splitlines(), delimiter="\t" if "\t" in first else ",")
    names = list[tuple[str, str]]()
    for number, row in enumerate(rows, start=1):
        cells = tuple(cell.strip() for cell in row)
        if not any(cells) or (not names and tuple(map(str.lower, cells[:2])) == _HEADER):
            continue
        if len(cells) != 2 or not all(cells):
            raise SourceError(
                f"{path}:{number}: {len(cells)} cells where a name and an id were expected; {_REMEDY}", where=str(path)
            )
        names.append((cells[0], cells[1].removeprefix("<").removesuffix(">")))
    if not names:
        raise SourceError(f"{path} holds no names; {_REMEDY}", where=str(path))
    return names
