"""Spreadsheets as sources: each sheet is a table of nodes or of edges."""

from __future__ import annotations

from eigenthemes.core.spreadsheets import Workbook, cell_text
from eigenthemes.errors import SourceError
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.statements import Statements
from eigenthemes.kg.tabular import Rows, TableReader


def read_workbook(data: bytes, options: ReadOptions, origin: str, statements: Statements) -> None:
    """Read every sheet that is a table of nodes or edges; others are counted, unless none is one."""
    workbook = Workbook(data, origin)
    refused: list[SourceError] = []
    for sheet in workbook.sheets:
        rows: Rows = ((number, list(map(cell_text, row))) for number, row in enumerate(workbook.rows(sheet), 1) if any(row))
        reader = TableReader(statements, options, f"{origin}:{sheet}" if len(workbook.sheets) > 1 else origin)
        reader.options = options.of_file(origin)
        try:
            reader.read_rows(rows, ",")
        except SourceError as error:
            if error.code == "strict":
                raise
            refused.append(error)
    if refused and len(refused) == len(workbook.sheets):
        raise refused[0]
    for refusal in refused:
        statements.diagnostics.add("sheet that is no table of nodes or edges", origin, str(refusal).partition(";")[0])
