"""Spreadsheets as sources: each sheet is a table of nodes or of edges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.kbs import build_untrained

from eigenthemes import SourceError
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.read import read_sources

openpyxl = pytest.importorskip("openpyxl")


def write_workbook(path: Path, **sheets: list[tuple[Any, ...]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


NODES = [(), ("id", "name", "aliases"), (1, "Paris", "City of Light|Ville Lumière"), ("007", "France", None)]
EDGES = [("source", "target", "relation"), (1, "007", "in")]


def test_sheets_of_nodes_and_edges_make_a_kb(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "kg.xlsx", places=NODES, edges=EDGES, notes=[("made by hand",)])
    kb = build_untrained([path], tmp_path / "my.kb")
    assert sorted(entity.id for entity in kb) == ["007", "1"]
    assert kb["1"].aliases == ("City of Light", "Ville Lumière")
    assert [(neighbor.id, neighbor.relation) for neighbor in kb.neighbors("1")] == [("007", "in")]


def test_sheets_that_are_no_tables_are_counted_or_refused(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "kg.xlsx", places=NODES, notes=[("made by hand",)])
    statements, _ = read_sources([path])
    assert statements.diagnostics.counts == {"sheet that is no table of nodes or edges": 1}
    with pytest.raises(SourceError, match=r"has the columns|seems to have no header|no column with a usual name"):
        read_sources([write_workbook(tmp_path / "other.xlsx", notes=[("made", "by hand"), ("a", "b")])])
    with pytest.raises(SourceError):
        read_sources([path], ReadOptions(strict=True))


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "kg.xlsx", places=[("Nummer", "Ort"), (5, "Köln")])
    kb = build_untrained([path], tmp_path / "my.kb", options=ReadOptions(columns=(("id", "Nummer"), ("name", "Ort"))))
    assert kb["5"].label == "Köln"


def test_a_cell_far_away_is_refused(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "kg.xlsx", places=NODES)
    book = openpyxl.load_workbook(path)
    book["places"]["XFD1048576"] = "x"
    book.save(path)
    with pytest.raises(SourceError) as refused:
        read_sources([path])
    assert refused.value.code == "spreadsheet-size"
