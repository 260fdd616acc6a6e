"""Spreadsheets: cells are added to a copy; formulas, formats, other sheets and other columns are kept."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.table_files import link_bytes, linked_bytes

from eigenthemes import Linker, OptionError, SourceError, TableOptions

openpyxl = pytest.importorskip("openpyxl")
EMPTY_VALUE = re.compile(rb"<v ?/>|<v></v>")  # of a formula, as openpyxl writes it
DAY = datetime.datetime(2020, 1, 2)


def workbook(*rows: tuple[Any, ...], first: int = 1, **sheets: tuple[Any, ...]) -> Any:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "cities"
    for number, row in enumerate(rows, first):
        for column, value in enumerate(row, 1):
            sheet.cell(number, column).value = value
    for name, row in sheets.items():
        book.create_sheet(name).append(row)
    return book


def as_bytes(book: Any) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def edited(data: bytes, edit: Callable[[bytes], bytes]) -> bytes:
    """Return a workbook with the XML of its first sheet changed."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as copy:
        for name in archive.namelist():
            content = archive.read(name)
            copy.writestr(name, edit(content) if name.endswith("sheet1.xml") else content)
    return file.getvalue()


def read(data: bytes, sheet: str = "cities") -> list[tuple[Any, ...]]:
    return list(openpyxl.load_workbook(io.BytesIO(data))[sheet].values)


ROWS = (
    ("nr", "city", "when", "sum"),
    ("007", "Paris", DAY, "=1+1"),
    (8, "Iowa", True, 1.5),
    (None, None, None, None),
    (9, "x"),
)


def test_cells_are_added_and_types_stay(degree_linker: Linker, tmp_path: Path) -> None:
    written = linked_bytes(degree_linker, as_bytes(workbook(*ROWS)), tmp_path, "in.xlsx")
    assert read(written) == [
        ("nr", "city", "when", "sum", "city_id", "city_label", "city_probability"),
        ("007", "Paris", DAY, "=1+1", "paris", "Paris", None),
        (8, "Iowa", True, 1.5, "iowa", "Iowa", None),
        (None,) * 7,
        (9, "x", None, None, None, None, None),
    ]


def test_other_sheets_formulas_and_formats_are_kept(degree_linker: Linker, tmp_path: Path) -> None:
    book = workbook(*ROWS, second=("a", "=SUM(A1:A2)"))
    book["second"]["A1"].fill = openpyxl.styles.PatternFill("solid", fgColor="FF0000")
    book["cities"].column_dimensions["B"].width = 33
    data = as_bytes(book)
    written, report = link_bytes(degree_linker, data, tmp_path, "in.xlsx")
    copy = openpyxl.load_workbook(io.BytesIO(written))
    assert read(written, "second") == [("a", "=SUM(A1:A2)")]
    assert copy["second"]["A1"].fill.fgColor.rgb == "00FF0000"
    assert copy["cities"].column_dimensions["B"].width == 33
    assert copy["cities"].dimensions == "A1:G5"
    assert [note.partition(";")[0] for note in report.notes] == ["the sheet 'cities' is linked"]
    assert (tmp_path / "in.xlsx").read_bytes() == data


def test_only_the_rows_of_the_sheet_are_changed(degree_linker: Linker, tmp_path: Path) -> None:
    """Charts, formats and the values of formulas, which openpyxl would lose, are kept."""
    book = workbook(("city", "n"), ("Paris", 1), ("Iowa", "=B2+1"))
    chart = openpyxl.chart.BarChart()
    chart.add_data(openpyxl.chart.Reference(book.active, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    book.active.add_chart(chart, "D2")
    data = edited(as_bytes(book), lambda xml: EMPTY_VALUE.sub(b"<v>2</v>", xml))
    written, report = link_bytes(degree_linker, data, tmp_path, "in.xlsx")
    assert not report.notes
    before, after = zipfile.ZipFile(io.BytesIO(data)), zipfile.ZipFile(io.BytesIO(written))
    assert after.namelist() == before.namelist()
    assert [name for name in before.namelist() if before.read(name) != after.read(name)] == ["xl/worksheets/sheet1.xml"]
    assert b"<f>B2+1</f><v>2</v>" in after.read("xl/worksheets/sheet1.xml")
    assert read(written)[2][2:4] == ("iowa", "Iowa")


@pytest.mark.parametrize("prefix", [b"", b"x:"])
def test_rows_are_found_however_the_sheet_is_written(degree_linker: Linker, tmp_path: Path, prefix: bytes) -> None:
    """Tags have a prefix, rows have no number, more rows than are read at a time, a row without cells."""
    rows = b"".join(
        b"<row><c t='inlineStr'><is><t>%b</t></is></c></row>" % name for name in [b"city", *[b"Paris", b"x"] * 12_000]
    )
    xml = b'<worksheet xmlns="%b"><dimension ref="A1"/><sheetData>%b<row/></sheetData></worksheet>'
    xml = xml.replace(b"<", b"<" + prefix).replace(b"<" + prefix + b"/", b"</" + prefix)
    rows = rows.replace(b"<", b"<" + prefix).replace(b"<" + prefix + b"/", b"</" + prefix)
    if prefix:
        xml = xml.replace(b"xmlns=", b"xmlns:x=")
    xml %= (b"http://schemas.openxmlformats.org/spreadsheetml/2006/main", rows)
    written = linked_bytes(degree_linker, edited(as_bytes(workbook()), lambda _: xml), tmp_path, "in.xlsx")
    assert read(written)[0] == ("city", "city_id", "city_label", "city_probability")
    assert read(written)[1:] == [("Paris", "paris", "Paris", None), ("x", None, None, None)] * 12_000


def test_macros_are_kept(degree_linker: Linker, tmp_path: Path) -> None:
    data = io.BytesIO(as_bytes(workbook(*ROWS)))
    with zipfile.ZipFile(data, "a") as archive:
        archive.writestr("xl/vbaProject.bin", b"macros")
    written = linked_bytes(degree_linker, data.getvalue(), tmp_path, "in.xlsm", output="o.xlsm")
    assert zipfile.ZipFile(io.BytesIO(written)).read("xl/vbaProject.bin") == b"macros"


def test_probabilities_are_numbers(trained_tiny: Any, tmp_path: Path) -> None:
    written = linked_bytes(Linker(trained_tiny, top=1, allow_nil=False), as_bytes(workbook(*ROWS)), tmp_path, "in.xlsx")
    assert isinstance(read(written)[1][6], float)


def test_the_header_is_the_first_row_with_cells_and_formats_beyond_are_no_cells(degree_linker: Linker, tmp_path: Path) -> None:
    book = workbook(("city",), ("Paris",), first=4)
    book.active["F5"].font = openpyxl.styles.Font(bold=True)
    book.active["A4"].font = openpyxl.styles.Font(bold=True)
    written = linked_bytes(degree_linker, as_bytes(book), tmp_path, "in.xlsx")
    assert read(written)[3][0] == "city"
    assert read(written)[3][6:] == ("city_id", "city_label", "city_probability")
    assert read(written)[4][6:] == ("paris", "Paris", None)
    assert openpyxl.load_workbook(io.BytesIO(written)).active["G4"].font.bold


def test_texts_that_begin_with_an_equals_sign_are_never_formulas(tmp_path: Path) -> None:
    from helpers.kbs import build_untrained, write_sources

    nodes = [{"id": "=HYPERLINK(1)", "name": "=cmd|' /C calc'!A0", "aliases": ["Evil"]}, {"id": "x\x01", "name": "Odd"}]
    kb = build_untrained(write_sources(tmp_path / "kg", nodes, [("=HYPERLINK(1)", "x\x01")]), tmp_path / "my.kb")
    linker = Linker(kb, method="degree")
    book = workbook(("city", "text"), ("Evil", "x"), ("Odd", "y"))
    book.active["B2"].value = "=2+3"
    book.active["B2"].data_type = "s"
    for data, name, output in ((as_bytes(book), "in.xlsx", "o.xlsx"), (b"city,text\nEvil,=2+3\nOdd,y\n", "in.csv", "p.xlsx")):
        written = linked_bytes(linker, data, tmp_path, name, output=output)
        cells = next(openpyxl.load_workbook(io.BytesIO(written)).active.iter_rows(min_row=2, max_row=2))
        assert [(cell.value, cell.data_type) for cell in cells[1:4]] == [
            ("=2+3", "s"), ("=HYPERLINK(1)", "s"), ("=cmd|' /C calc'!A0", "s"),
        ]  # fmt: skip
        from python_calamine import CalamineWorkbook

        rows = CalamineWorkbook.from_filelike(io.BytesIO(written)).get_sheet_by_index(0).to_python()
        assert rows[2][2].replace("_x0001_", "\x01") == "x\x01"


def test_values_of_formulas_are_linked(degree_linker: Linker, tmp_path: Path) -> None:
    data = as_bytes(workbook(("city",), ("=PLACE()",)))
    data = edited(data, lambda xml: EMPTY_VALUE.sub(b"<v>Paris</v>", xml).replace(b'r="A2"', b'r="A2" t="str"'))
    written = linked_bytes(degree_linker, data, tmp_path, "in.xlsx")
    assert read(written)[1] == ("=PLACE()", "paris", "Paris", None)


def test_sheets_are_chosen_by_name_or_number(degree_linker: Linker, tmp_path: Path) -> None:
    book = workbook(("a",), ("b",), towns=("city",))
    book["towns"].append(("Paris",))
    for sheet in ("towns", "2"):
        written = linked_bytes(degree_linker, as_bytes(book), tmp_path, "in.xlsx", reading=TableOptions(sheet=sheet))
        assert read(written, "towns")[1] == ("Paris", "paris", "Paris", None)
        assert read(written) == [("a",), ("b",)]
    with pytest.raises(OptionError, match="no sheet 'x'; it has 'cities', 'towns'"):
        linked_bytes(degree_linker, as_bytes(book), tmp_path, "in.xlsx", reading=TableOptions(sheet="x"))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04nonsense", "not a complete spreadsheet"),
        (as_bytes(workbook()), "no sheet with cells"),
        (b"city\nParis\n", "not a xlsx file, although its name ends so"),
    ],
)
def test_damaged_and_empty_files_are_told(degree_linker: Linker, tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        linked_bytes(degree_linker, data, tmp_path, "in.xlsx")
    assert not (tmp_path / "out_in.xlsx").exists()


def test_a_cell_far_away_is_refused(degree_linker: Linker, tmp_path: Path) -> None:
    """Within Excel's limits, but the rectangle up to it takes all memory."""
    book = workbook(*ROWS)
    book["cities"]["XFD1048576"] = "x"
    with pytest.raises(SourceError) as refused:
        linked_bytes(degree_linker, as_bytes(book), tmp_path, "in.xlsx", output="o.csv")
    assert refused.value.code == "spreadsheet-size"
    assert [path.name for path in tmp_path.iterdir()] == ["in.xlsx"]


def test_a_damaged_part_is_told_before_anything_is_there(degree_linker: Linker, tmp_path: Path) -> None:
    data = bytearray(as_bytes(workbook(*ROWS)))
    at = data.index(b"xl/theme/theme1.xml") + 100
    data[at : at + 20] = bytes(20)
    with pytest.raises(SourceError, match="not a complete spreadsheet"):
        linked_bytes(degree_linker, bytes(data), tmp_path, "in.xlsx")
    assert [path.name for path in tmp_path.iterdir()] == ["in.xlsx"]


def test_a_new_workbook_that_is_given_up_leaves_nothing(
    degree_linker: Linker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(SourceError, match="a cell of 40,000 characters"):
        linked_bytes(degree_linker, b"city,x\nParis,1\nIowa," + b"x" * 40_000 + b"\n", tmp_path, output="o.xlsx")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_macros_need_their_own_ending(degree_linker: Linker, tmp_path: Path) -> None:
    """A program refuses a workbook whose ending does not say whether it holds macros."""
    data = as_bytes(workbook(*ROWS))
    with pytest.raises(SourceError, match=r"a workbook with macros, which in\.xlsx is not; write an \.xlsx file"):
        linked_bytes(degree_linker, data, tmp_path, "in.xlsx", output="o.xlsm")
    written, report = link_bytes(degree_linker, data, tmp_path, "in.xlsm", output="o.xlsx")
    assert read(written, "links")[1][4] == "paris"
    assert report.notes == ["only the values of one sheet are written: no formulas, formats and other sheets"]
    assert read(linked_bytes(degree_linker, data, tmp_path, "in.xlsm", output="o.xlsm"))[1][4] == "paris"


def test_kinds_that_are_only_read_are_written_as_another(degree_linker: Linker, tmp_path: Path) -> None:
    data = as_bytes(workbook(*ROWS))
    with pytest.raises(SourceError, match=r"only read; write an \.xlsx file"):
        linked_bytes(degree_linker, data, tmp_path, "in.xlsb")
    assert read(linked_bytes(degree_linker, data, tmp_path, "in.xlsb", output="o.xlsx"), "links")[1][4] == "paris"
