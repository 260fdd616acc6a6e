"""Table files: written, linked, and what was added to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eigenthemes import Linker
from eigenthemes.tables.table_stream import TableSummary, link_table_file

CITIES = b"nr,city,note\n007,Paris,\n008,Iowa,x\n009,Nowhere Land,\n"


def link_bytes(
    linker: Linker, data: bytes, folder: Path, name: str = "in.csv", output: str = "", **options: Any
) -> tuple[bytes, TableSummary]:
    """Link a table file of these bytes; return what was written, and the report."""
    source, target = folder / name, folder / (output or f"out_{name}")
    source.write_bytes(data)
    options.setdefault("columns", ["city"])
    report = link_table_file(linker, source, target, **options)
    assert not list(folder.glob(".*part")), "nothing is left lying about"
    return target.read_bytes(), report


def linked_bytes(linker: Linker, data: bytes, folder: Path, name: str = "in.csv", **options: Any) -> bytes:
    return link_bytes(linker, data, folder, name, **options)[0]
