"""Workbooks: values of every format, and the limits that keep a small file from taking all memory."""

from __future__ import annotations

import datetime
import io
import zipfile
from typing import Any

import pytest

from eigenthemes import SourceError
from eigenthemes.core import spreadsheets
from eigenthemes.core.spreadsheets import Workbook

openpyxl = pytest.importorskip("openpyxl")

_ODS = """<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
<office:body><office:spreadsheet><table:table table:name="S">{}</table:table></office:spreadsheet></office:body>
</office:document-content>"""
_CELL = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
_FAR = (
    '<table:table-row table:number-rows-repeated="1048574"/><table:table-row>'
    f'<table:table-cell table:number-columns-repeated="16383"/>{_CELL.format("x")}</table:table-row>'
)


def xlsx(cells: dict[str, Any]) -> bytes:
    book = openpyxl.Workbook()
    for place, value in cells.items():
        book.active[place] = value
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def ods(rows: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", _ODS.format(rows), zipfile.ZIP_DEFLATED)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    return file.getvalue()


def rows(data: bytes, name: str) -> list[list[Any]]:
    book = Workbook(data, name)
    return list(book.rows(book.choose_sheet(None)))


def test_values_are_those_that_people_see() -> None:
    day, time = datetime.datetime(2020, 1, 2), datetime.datetime(2020, 1, 2, 3, 4)
    cells = {"A1": "a_x0041_", "B1": 3.0, "C1": day, "D1": time, "E1": "#N/A", "F1": True, "B3": " x ", "C3": None, "D3": ""}
    assert rows(xlsx(cells), "in.xlsx") == [["aA", 3, day.date(), time, None, True], [], [None, " x "]]


def test_other_formats_are_read_with_calamine() -> None:
    row = f"<table:table-row>{_CELL.format('city')}{_CELL.format('Paris')}</table:table-row>"
    assert rows(ods(row), "in.ods") == [["city", "Paris"]]
    with pytest.raises(SourceError, match=r"in\.xls is not a complete spreadsheet"):
        Workbook(b"\xd0\xcf\x11\xe0 and nothing else", "in.xls")


@pytest.mark.parametrize(
    ("data", "name"), [(xlsx({"A1": "city", "XFD1048576": "x"}), "in.xlsx"), (ods(_FAR), "in.ods")], ids=["xlsx", "ods"]
)
def test_a_cell_far_away_is_refused(data: bytes, name: str) -> None:
    assert len(data) < 5_000
    with pytest.raises(SourceError, match="save it") as refused:
        rows(data, name)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("limit", ["MOST_ROWS", "MOST_COLUMNS", "LONGEST_CELL", "MOST_CELLS", "MOST_UNPACKED"])
def test_limits_are_enforced(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    data = xlsx({"A1": "city", "D4": "x"})
    assert len(rows(data, "in.xlsx")) == 4
    monkeypatch.setattr(spreadsheets, limit, 3)
    with pytest.raises(SourceError) as refused:
        rows(data, "in.xlsx")
    assert refused.value.code == "spreadsheet-size"


def test_a_workbook_that_takes_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """However it does so, and whatever size it declares; only the process that reads it gets the memory."""
    monkeypatch.setattr(spreadsheets, "LEAST_MEMORY", 150 << 20)
    long_text = "a" * (100 << 20)
    long_cell = f"<row><c t='inlineStr'><is><t>{long_text}</t></is></c></row>"
    files = {
        "long.xlsx": _with_sheet(long_cell),
        "declares_less.xlsm": _declaring_less(_with_sheet(long_cell)),
        "rows.xlsx": _with_sheet("<row><c><v>1</v></c></row>" * 1_100_000),
        "long.ods": ods(f"<table:table-row>{_CELL.format(long_text)}</table:table-row>"),
    }
    for name, data in files.items():
        assert len(data) < 2_000_000
        with pytest.raises(SourceError) as refused:
            rows(data, name)
        assert refused.value.code == "spreadsheet-size"


def _with_sheet(rows_xml: str) -> bytes:
    file, source = io.BytesIO(), zipfile.ZipFile(io.BytesIO(xlsx({"A1": "city"})))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in source.namelist():
            start, tag, end = source.read(name).partition(b"<sheetData>")
            content = start + tag + rows_xml.encode() + b"</sheetData></worksheet>" if tag else start + end
            archive.writestr(name, content)
    return file.getvalue()


def _declaring_less(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size
    return data.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))


def test_a_sheet_may_be_read_by_several_iterators() -> None:
    book = Workbook(xlsx({f"A{number}": number for number in range(1, 3001)}), "in.xlsx")
    first, second = book.rows("Sheet"), book.rows("Sheet")
    assert all(one == other == [number] for number, (one, other) in enumerate(zip(first, second, strict=True), 1))
