"""CSV and TSV: values, order, encoding, delimiter and line ends are kept, and columns are added."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
from pathlib import Path

import pytest
from helpers.table_files import CITIES, link_bytes, linked_bytes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eigenthemes import Linker, OptionError, SourceError, TableOptions

BOM = codecs.BOM_UTF8


def test_columns_are_added_and_nothing_else_changes(degree_linker: Linker, tmp_path: Path) -> None:
    assert linked_bytes(degree_linker, CITIES, tmp_path) == (
        b"nr,city,note,city_id,city_label,city_probability\n"
        b"007,Paris,,paris,Paris,\n"
        b"008,Iowa,x,iowa,Iowa,\n"
        b"009,Nowhere Land,,,,\n"
    )


def test_the_file_of_an_analyst_with_excel(trained_tiny: object, tmp_path: Path) -> None:
    """Semicolons, Windows-1252 behind a mark of UTF-8, euro signs, decimal commas, CRLF."""
    linker = Linker(trained_tiny, top=1)  # type: ignore[arg-type]
    data = BOM + 'Ort;Preis;Währung\r\nUnited States;2,50;€\r\n"Iowa";1.234,5;"€ ""bar"""\r\n'.encode("cp1252")
    lines = linked_bytes(linker, data, tmp_path, columns=["Ort"]).split(b"\r\n")
    assert lines[0] == BOM + "Ort;Preis;Währung;Ort_id;Ort_label;Ort_probability".encode("cp1252")
    assert lines[1].startswith(b"United States;2,50;\x80;us;United States;0,")
    assert lines[2].startswith(b'Iowa;1.234,5;"\x80 ""bar""";iowa;Iowa;0,')
    assert lines[3:] == [b""]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_encoding_line_ends_and_delimiter_are_found_and_kept(
    degree_linker: Linker, tmp_path: Path, encoding: str, end: str, delimiter: str
) -> None:
    rows = [["straße", "city"], ["Köln", "Paris"], ["x", "Ville Lumière"]]
    added = [["city_id", "city_label", "city_probability"], ["paris", "Paris", ""], ["paris", "Paris", ""]]
    data = "".join(delimiter.join(row) + end for row in rows).encode(encoding)
    expected = "".join(delimiter.join(row + more) + end for row, more in zip(rows, added, strict=True)).encode(encoding)
    assert linked_bytes(degree_linker, data, tmp_path) == expected


def test_an_encoding_that_cannot_be_found_is_given(degree_linker: Linker, tmp_path: Path) -> None:
    data = "miasto,city\nŁódź,Paris\n".encode("cp1250")
    written = linked_bytes(degree_linker, data, tmp_path, reading=TableOptions(encoding="cp1250"))
    assert written.decode("cp1250").splitlines()[1] == "Łódź,Paris,paris,Paris,"
    with pytest.raises(OptionError, match="encoding 'klingon' is unknown"):
        linked_bytes(degree_linker, data, tmp_path, reading=TableOptions(encoding="klingon"))
    with pytest.raises(SourceError, match="give the encoding"):
        linked_bytes(degree_linker, b"a,city\n\xff\xfe\n1", tmp_path, reading=TableOptions(encoding="utf-16-le"))


def test_a_stray_line_of_latin_1_is_kept_and_told(degree_linker: Linker, tmp_path: Path) -> None:
    data = "x,city\nKöln,Paris\nMünchen,Iowa\n".encode() + b"n,Ville Lumi\xe8re\n"
    written, report = link_bytes(degree_linker, data, tmp_path)
    assert written.decode().splitlines()[3] == "n,Ville Lumière,paris,Paris,"
    assert report.notes == ["1 line has bytes that are not UTF-8; they are read as cp1252, and written as UTF-8"]


@pytest.mark.parametrize("encoding", ["cp1252", "cp1251", "cp1253"])
def test_bytes_that_the_encoding_does_not_define_are_kept(degree_linker: Linker, tmp_path: Path, encoding: str) -> None:
    data = b"x,city\n" + bytes(byte for byte in range(128, 256)) + b",Paris\n"
    written = linked_bytes(degree_linker, data, tmp_path, reading=TableOptions(encoding=encoding))
    assert written.splitlines()[1] == data.splitlines()[1] + b",paris,Paris,"


def test_letters_that_the_encoding_does_not_know(degree_linker: Linker, tmp_path: Path) -> None:
    written, report = link_bytes(degree_linker, "x,city\nKöln,Tokyo\n".encode("cp1252"), tmp_path)
    assert written.splitlines()[1] == b"K\xf6ln,Tokyo,tokyo,???,"
    assert "3 characters of labels" in report.notes[0]


@pytest.mark.parametrize("encoding", ["cp1251", "cp932", "gb18030", "cp1253"])
def test_other_encodings_are_found(degree_linker: Linker, tmp_path: Path, encoding: str) -> None:
    words = {
        "cp1251": "Москва,Россия",
        "cp932": "東京,日本\n大阪,日本\n京都府,日本",
        "gb18030": "北京,中国",
        "cp1253": "Αθήνα,Ελλάδα",
    }
    lines = [f"{line},Paris" for line in words[encoding].split("\n")]
    data = "\n".join(["a,b,city", *lines * 5, ""]).encode(encoding)
    written = linked_bytes(degree_linker, data, tmp_path, output="o.jsonl")
    assert words[encoding].partition(",")[0] in written.decode()
    assert linked_bytes(degree_linker, data, tmp_path).splitlines()[1] == data.splitlines()[1] + b",paris,Paris,"


@pytest.mark.parametrize("text", ["Köln", "México D.F.", "naïve €", "Ville Lumière", "Århus", "Señor Peña", "Łódź"])
def test_windows_1252_is_taken_where_nothing_speaks_against_it(degree_linker: Linker, tmp_path: Path, text: str) -> None:
    encoding = "cp1250" if text == "Łódź" else "cp1252"
    written = linked_bytes(degree_linker, f"x,city\n{text},Paris\n".encode(encoding), tmp_path, output="o.jsonl")
    assert json.loads(written)["x"] == text.encode(encoding).decode("cp1252")


@pytest.mark.parametrize(("row", "value"), [(b'1,"Paris"', "1"), (b'"x""y",Paris', 'x"y'), (b'"a\rb",Paris', "a\rb")])
def test_quoted_values_are_kept(degree_linker: Linker, tmp_path: Path, row: bytes, value: str) -> None:
    written = linked_bytes(degree_linker, b'a,"city"\n' + row + b"\n", tmp_path).decode()
    header, cells = csv.reader(io.StringIO(written, newline=""))
    assert (header[:2], cells) == (["a", "city"], [value, "Paris", "paris", "Paris", ""])


def test_cells_over_several_lines_are_kept_and_blank_lines_left_out(degree_linker: Linker, tmp_path: Path) -> None:
    data = b'\ncity,note\n\nParis,"one\r\ntwo, ""three"""\n  \nIowa,\n\n'
    written = linked_bytes(degree_linker, data, tmp_path)
    assert written == (
        b'city,note,city_id,city_label,city_probability\nParis,"one\r\ntwo, ""three""",paris,Paris,\nIowa,,iowa,Iowa,\n'
    )


def test_the_last_line_may_lack_its_end(degree_linker: Linker, tmp_path: Path) -> None:
    assert linked_bytes(degree_linker, b"city\nParis", tmp_path).splitlines() == [
        b"city,city_id,city_label,city_probability",
        b"Paris,paris,Paris,",
    ]


def test_the_note_of_excel_on_the_separator_stays(degree_linker: Linker, tmp_path: Path) -> None:
    written = linked_bytes(degree_linker, b"sep=|\r\na|city\r\n1,2|Paris\r\n", tmp_path)
    assert written.splitlines()[0] == b"sep=|"
    assert written.splitlines()[2] == b"1,2|Paris|paris|Paris|"


def test_ragged_rows_are_filled_and_told(degree_linker: Linker, tmp_path: Path) -> None:
    written, report = link_bytes(degree_linker, b"city,a\nParis\nIowa,1,2,3\n", tmp_path)
    assert [line.split(b",") for line in written.splitlines()] == [
        [b"city", b"a", b"", b"", b"city_id", b"city_label", b"city_probability"],
        [b"Paris", b"", b"", b"", b"paris", b"Paris", b""],
        [b"Iowa", b"1", b"2", b"3", b"iowa", b"Iowa", b""],
    ]
    assert ["more than 2" in note or "fewer than 2" in note for note in report.notes] == [True, True]


def test_without_header(degree_linker: Linker, tmp_path: Path) -> None:
    written = linked_bytes(degree_linker, b"1;Paris\n2;Iowa\n", tmp_path, columns=[1], reading=TableOptions(header=False))
    assert written == b"1;Paris;paris;Paris;\n2;Iowa;iowa;Iowa;\n"


def test_a_header_alone(degree_linker: Linker, tmp_path: Path) -> None:
    assert linked_bytes(degree_linker, b"city\r\n", tmp_path) == b"city,city_id,city_label,city_probability\r\n"


@pytest.mark.parametrize("data", [b"", BOM, b"\n\n", b"\r\n  \r\n", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_told(degree_linker: Linker, tmp_path: Path, data: bytes) -> None:
    with pytest.raises(SourceError, match=r"in\.csv is empty; a table has at least a header"):
        linked_bytes(degree_linker, data, tmp_path)
    assert not (tmp_path / "out_in.csv").exists()


def test_nul_bytes_stay(degree_linker: Linker, tmp_path: Path) -> None:
    data = b"a,city,b\nx\x00y,Paris,\x00\n"
    assert linked_bytes(degree_linker, data, tmp_path).splitlines()[1] == b"x\x00y,Paris,\x00,paris,Paris,"


def test_a_cell_of_ten_megabytes(degree_linker: Linker, tmp_path: Path) -> None:
    long = b"word " * 2_000_000
    written = linked_bytes(degree_linker, b"city,text\n" + long + b"," + long + b"\nParis,x\n", tmp_path)
    assert written.splitlines()[1] == long + b"," + long + b",,,"
    assert written.splitlines()[2] == b"Paris,x,paris,Paris,"


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'city,a\nParis,"open\nIowa,1\nIowa,2\n', 2),
        (b'city,a\nParis,1\nIowa,"open', 3),
        (b'city,a\n"Paris,1\nIowa,"2"\n', 2),
    ],
)
def test_broken_quotes_are_told_with_their_line(degree_linker: Linker, tmp_path: Path, data: bytes, line: int) -> None:
    with pytest.raises(SourceError, match=f"line {line} of in.csv: a quote is not closed") as refused:
        linked_bytes(degree_linker, data, tmp_path)
    assert refused.value.code == "table-quotes"
    written = linked_bytes(degree_linker, data, tmp_path, reading=TableOptions(quotes=False))
    body = [text.rpartition(b",")[0].rpartition(b",")[0].rpartition(b",")[0] for text in written.splitlines()]
    assert body == data.splitlines()


def test_quotes_between_tabs_may_be_letters(degree_linker: Linker, tmp_path: Path) -> None:
    data = b'city\talbum\nParis\t"Heroes\nIowa\tthe 12" mix\n'
    assert linked_bytes(degree_linker, data, tmp_path, "in.tsv").splitlines()[1] == b'Paris\t"Heroes\tparis\tParis\t'


def test_quotes_between_tabs_may_be_quotes(degree_linker: Linker, tmp_path: Path) -> None:
    data = b'note\tcity\n"a\ttab"\tParis\n"two\nlines"\t"Iowa"\n'
    written = linked_bytes(degree_linker, data, tmp_path, "in.tsv")
    assert written.endswith(b'"a\ttab"\tParis\tparis\tParis\t\n"two\nlines"\tIowa\tiowa\tIowa\t\n')


def test_labels_with_delimiters_are_quoted(tmp_path: Path) -> None:
    from helpers.kbs import build_untrained, write_sources

    nodes = [{"id": "k", "name": 'Korea, "Republic" of', "aliases": ["Korea"]}, {"id": "x", "name": "Other"}]
    kb = build_untrained(write_sources(tmp_path / "kg", nodes, [("k", "x")]), tmp_path / "my.kb")
    linker = Linker(kb, method="degree")
    written = linked_bytes(linker, b"city\nKorea\n", tmp_path)
    assert list(csv.reader(io.StringIO(written.decode())))[1] == ["Korea", "k", 'Korea, "Republic" of', ""]
    plain = linked_bytes(linker, b"city\nKorea\n", tmp_path, reading=TableOptions(quotes=False))
    assert plain.splitlines()[1] == b'Korea,k,Korea  "Republic" of,'


def test_compressed_files_in_and_out(degree_linker: Linker, tmp_path: Path) -> None:
    packed = linked_bytes(degree_linker, gzip.compress(CITIES), tmp_path, "in.csv.gz", output="out.csv.gz")
    assert gzip.decompress(packed) == linked_bytes(degree_linker, CITIES, tmp_path)
    with pytest.raises(SourceError, match="truncated"):
        linked_bytes(degree_linker, gzip.compress(CITIES * 100)[:-20], tmp_path, "in.csv.gz")


@pytest.mark.parametrize("delimiter", ["", "ab", '"', "\n"])
def test_odd_delimiters_are_refused(degree_linker: Linker, tmp_path: Path, delimiter: str) -> None:
    with pytest.raises(OptionError, match="expected one character"):
        linked_bytes(degree_linker, CITIES, tmp_path, reading=TableOptions(delimiter=delimiter))


# Python's csv does not quote a carriage return where lines end with a line feed
_CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(_CELLS, st.sampled_from(["Paris", "Iowa", "", "x"]), _CELLS), max_size=5),
    delimiter=st.sampled_from([",", ";", "\t"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_whatever_csv_writes_comes_back(
    degree_linker: Linker, tmp_path: Path, rows: list[tuple[str, ...]], delimiter: str, quoting: int, end: str
) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(  # type: ignore[arg-type]
        [("left", "city", "right"), *rows]
    )
    reading = TableOptions(delimiter=delimiter, encoding="utf-8")
    written = linked_bytes(degree_linker, file.getvalue().encode(), tmp_path, reading=reading).decode()
    read = [row for row in csv.reader(io.StringIO(written, newline=""), delimiter=delimiter) if row]
    known = {"Paris": ["paris", "Paris"], "Iowa": ["iowa", "Iowa"]}
    expected = [[*row, *known.get(row[1], ["", ""]), ""] for row in rows]
    assert read == [["left", "city", "right", "city_id", "city_label", "city_probability"], *expected]


def test_added_cells_that_a_spreadsheet_would_run_are_escaped(tmp_path: Path) -> None:
    """Numbers and the user's own cells are kept."""
    from helpers.kbs import build_untrained, write_sources

    nodes = [
        {"id": "=1+1", "name": "@SUM(A1)", "aliases": ["One"]},
        {"id": "-5", "name": "+3.5e7", "aliases": ["Two"]},
        {"id": "-a", "name": "\t=x", "aliases": ["Three"]},
        {"id": "x-1", "name": "a=b", "aliases": ["Four"]},
    ]
    kb = build_untrained(write_sources(tmp_path / "kg", nodes, [("=1+1", "-5")]), tmp_path / "my.kb")
    data = b"city,=own\nOne,=1+1\nTwo,-2+3\nThree,@x\nFour,+y\n"
    expected = [
        ["One", "=1+1", "'=1+1", "'@SUM(A1)", ""],
        ["Two", "-2+3", "-5", "+3.5e7", ""],
        ["Three", "@x", "'-a", "'=x", ""],
        ["Four", "+y", "x-1", "a=b", ""],
    ]
    jsonl = b"".join(json.dumps({"city": row[0], "=own": row[1]}).encode() + b"\n" for row in expected)
    for table, name, output in ((data, "in.csv", "o.csv"), (jsonl, "in.jsonl", "p.csv"), (data, "in2.csv", "q.tsv")):
        written, summary = link_bytes(Linker(kb, method="degree"), table, tmp_path, name, output=output)
        rows = list(csv.reader(written.decode().splitlines(), delimiter="\t" if output == "q.tsv" else ","))
        assert rows[0] == ["city", "=own", "city_id", "city_label", "city_probability"]
        assert rows[1:] == expected
        assert any(note.startswith("4 ids and labels") for note in summary.notes)


# files that are no tables

PROSE = """Paris, the capital of France, is a large city. It lies on the Seine,
and people who were born there, such as Sartre, wrote much about it.

Berlin is another one, with fewer rivers. Nobody
knows why that is so, although many have asked.
"""


PARAGRAPH = PROSE.partition("\n\n")[0].replace("\n", " ")


@pytest.mark.parametrize("text", [PROSE, PARAGRAPH, "巴黎是法国的首都。\n柏林是德国的首都。\n"])
def test_prose_is_no_table(degree_linker: Linker, tmp_path: Path, text: str) -> None:
    with pytest.raises(SourceError, match="is a text, not a table; link it as a document, or name the delimiter of its cells"):
        linked_bytes(degree_linker, text.encode(), tmp_path, "notes.txt", columns=[0])
    for name, reading in (("notes.csv", TableOptions()), ("notes.txt", TableOptions(delimiter=";"))):
        linked_bytes(degree_linker, text.encode(), tmp_path, name, columns=[0], reading=reading)


@pytest.mark.parametrize(
    "text",
    [
        "city\nParis\nNew York\nSt. John's\n",
        "company\nApple Inc.\nThe Coca Cola Company Inc.\nPhilips N.V.\nIBM\nJohnson & Johnson\n",
        "city,note\nParis,It is a very large city.\nBerlin,It is another rather large city.\n",
    ],
)
def test_lists_and_tables_of_other_names_are_tables(degree_linker: Linker, tmp_path: Path, text: str) -> None:
    assert linked_bytes(degree_linker, text.encode(), tmp_path, "names.txt", columns=[0]).startswith(text.encode()[:4])


@pytest.mark.parametrize("name", ["image.png", "image.csv"])
def test_a_binary_file_is_no_table(degree_linker: Linker, tmp_path: Path, name: str) -> None:
    data = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 10
    with pytest.raises(SourceError, match=f"{name} is a binary file, not text; give CSV, TSV, Excel, Parquet or JSON lines"):
        linked_bytes(degree_linker, data, tmp_path, name, columns=[0])
