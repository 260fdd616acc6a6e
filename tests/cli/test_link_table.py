"""eigenthemes link-table: what it reads, writes and says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.commands import assert_one_sentence, call, run_shell, without_progress
from helpers.kbs import build_untrained, write_sources
from helpers.table_files import CITIES

from eigenthemes import KB

DEGREE = ("--method", "degree")
ADDED = b"nr,city,note,city_id,city_label,city_probability\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    path.write_bytes(CITIES)
    return path


def test_a_table_goes_to_standard_output(tiny: KB, source: Path) -> None:
    done = call("link-table", tiny.path, source, "--columns", "city", *DEGREE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.encode().startswith(ADDED + b"007,Paris,,paris,Paris,\n")
    assert "city: 2 of 3 cells linked\n3 rows in " in done.stderr
    again = call("link-table", tiny.path, "-", "--columns", "city", *DEGREE, stdin=CITIES)
    assert again.stdout == done.stdout


@pytest.mark.parametrize("name", ["o.csv", "o.xlsx", "o.parquet", "o.jsonl", "o.tsv", "o.csv.gz"])
def test_the_ending_says_the_format(tiny: KB, source: Path, name: str) -> None:
    out = source.parent / name
    done = call("link-table", tiny.path, source, "-o", out, "--columns", "city", *DEGREE)
    assert (done.returncode, done.stdout) == (0, "")
    begins = {"o.xlsx": b"PK", "o.parquet": b"PAR1", "o.jsonl": b"{", "o.csv.gz": b"\x1f\x8b"}.get(name, b"nr")
    assert out.read_bytes().startswith(begins)
    assert {path.name for path in source.parent.iterdir()} == {"in.csv", name}


def test_columns_are_proposed_with_a_reason(tiny: KB, source: Path) -> None:
    done = call("link-table", tiny.path, source, *DEGREE)
    assert "nr: not linked, its cells have no letters\ncity: linked, " in done.stderr
    assert "of its cells are names of the KB" in done.stderr
    assert done.stdout.encode().startswith(ADDED)


@pytest.mark.parametrize(
    "columns",
    [
        ("a,b", "city"),
        ('"a,b",city',),
        ("city", '"a,b"'),
        ("1,2",),
        ("1", "city"),
    ],
)
def test_columns_by_name_number_and_with_commas(tiny: KB, tmp_path: Path, columns: tuple[str, ...]) -> None:
    given = [part for column in columns for part in ("--columns", column)]
    done = call("link-table", tiny.path, "-", *given, *DEGREE, stdin='"a,b",city\nIowa,Paris\n')
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].startswith('"a,b",city,"a,b_id",')
    assert done.stdout.splitlines()[1] == "Iowa,Paris,iowa,Iowa,,paris,Paris,"


def test_a_column_called_like_a_number_wins(tiny: KB) -> None:
    done = call("link-table", tiny.path, "-", "--columns", "1", *DEGREE, stdin="x,1\nIowa,Paris\n")
    assert done.stdout.splitlines()[0] == "x,1,1_id,1_label,1_probability"


def test_without_header(tiny: KB) -> None:
    done = call("link-table", tiny.path, "-", "--no-header", "--columns", "2", *DEGREE, stdin="7;Paris\n")
    assert done.stdout == "7;Paris;paris;Paris;\n"


@pytest.mark.parametrize(
    ("options", "stdin", "words"),
    [
        (("--columns", "town"), CITIES, ["no column 'town'"]),
        (("--columns", "9"), CITIES, ["no column 9", "3", "counts from 1"]),
        (("--columns", "city"), b"city,city\nParis,Iowa\n", ["2 columns are called 'city'", "--columns (1 and 2)"]),
        (("--columns", '"open'), CITIES, ["--columns"]),
        (("--columns", "city"), b"city,city_id\nParis,1\n", ["city_id already", "--suffix _kb"]),
        ((), b"a,b\n1,2\n", ["no column of stdin looks like names", "--columns"]),
        (("--columns", "city"), b"", ["stdin is empty"]),
        (("--columns", "city"), b'city\n"Paris\n', ["line 2 of stdin", "--no-quotes"]),
        (("--columns", "city", "--encoding", "x"), CITIES, ["encoding 'x'"]),
        (("--columns", "city", "--sheet", "x"), CITIES, ["sheet does not apply to"]),
        (("--columns", "city", "--only-type", "city=Nothing"), CITIES, ["column city: no entity is of the type Nothing"]),
        (("--columns", "city", "--threshold", "0.5"), CITIES, ["threshold"]),
    ],
)
def test_mistakes_end_in_one_sentence(tiny: KB, options: tuple[str, ...], stdin: bytes, words: list[str]) -> None:
    done = call("link-table", tiny.path, "-", *options, *DEGREE, stdin=stdin)
    assert_one_sentence(done, *words)
    assert done.stdout == ""


def test_the_input_is_never_written_over(tiny: KB, source: Path) -> None:
    for option in ("-o", "--sssom"):
        done = call("link-table", tiny.path, source, option, source, "--columns", "city", *DEGREE)
        assert_one_sentence(done, "is the input itself")
        assert source.read_bytes() == CITIES


def test_output_that_is_no_file(tiny: KB, source: Path) -> None:
    for place in (source.parent, source.parent / "none" / "o.csv"):
        done = call("link-table", tiny.path, source, "-o", place, "--columns", "city", *DEGREE)
        assert_one_sentence(done, "cannot be written")


def test_an_unknown_sheet_names_those_there_are(tiny: KB, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["city"])
    book.save(tmp_path / "in.xlsx")
    done = call("link-table", tiny.path, tmp_path / "in.xlsx", "--sheet", "x", *DEGREE)
    assert_one_sentence(done, "no sheet 'x'; it has 'Sheet'", "--sheet NAME")


@pytest.mark.parametrize("name", ["o.xlsx", "o.parquet", "o.jsonl"])
def test_standard_input_takes_every_format(tiny: KB, source: Path, name: str) -> None:
    first = source.parent / name
    call("link-table", tiny.path, source, "-o", first, "--columns", "city", *DEGREE)
    out = source.parent / f"again_{name}"
    options = ("-o", out, "--columns", "city", "--suffix", "2", *DEGREE)
    done = call("link-table", tiny.path, "-", *options, stdin=first.read_bytes())
    assert done.returncode == 0, done.stderr
    assert out.read_bytes()[:2] == first.read_bytes()[:2]


def test_table_and_mappings_need_two_files(tiny: KB, source: Path) -> None:
    out = source.parent / "o.csv"
    assert_one_sentence(call("link-table", tiny.path, source, "-o", out, "--sssom", out, *DEGREE), "give two files")


def test_types_for_a_column_and_for_all(tiny: KB, tmp_path: Path) -> None:
    from helpers.kbs import build_untrained, write_sources

    nodes = [
        {"id": "p1", "name": "Paris", "types": ["City"]},
        {"id": "p2", "name": "Paris", "types": ["Person"]},
        {"id": "h", "name": "Helen", "types": ["Person"]},
    ]
    edges = [("p2", "h"), ("p1", "h"), ("p2", "italy"), ("p2", "rome")]
    kb = build_untrained(write_sources(tmp_path / "kg", nodes, edges), tmp_path / "my.kb").path
    stdin = "who,where\nParis,Paris\n"
    both = ("--columns", "who,where", *DEGREE)
    done = call("link-table", kb, "-", *both, "--only-type", "where=City", stdin=stdin)
    assert done.stdout.splitlines()[1] == "Paris,Paris,p2,Paris,,p1,Paris,"
    done = call("link-table", kb, "-", *both, "--only-type", "City", stdin=stdin)
    assert done.stdout.splitlines()[1] == "Paris,Paris,p1,Paris,,p1,Paris,"
    done = call("link-table", kb, "-", *both, "--only-type", "2=City", stdin=stdin)
    assert done.stdout.splitlines()[1] == "Paris,Paris,p2,Paris,,p1,Paris,"


def test_sssom_is_written_beside(tiny: KB, source: Path) -> None:
    out = source.parent / "o.sssom.tsv"
    done = call("link-table", tiny.path, source, "-o", source.parent / "o.csv", "--sssom", out, "--columns", "city", *DEGREE)
    assert done.returncode == 0, done.stderr
    assert "subject_label\tsubject_category\tpredicate_id\tobject_id" in out.read_text()


def test_link_names_the_command_for_tables(tiny: KB, source: Path, tmp_path: Path) -> None:
    assert_one_sentence(call("link", tiny.path, source), "in.csv is a table of 3 columns", "eigenthemes link-table KB in.csv")
    openpyxl = pytest.importorskip("openpyxl")
    openpyxl.Workbook().save(tmp_path / "a b.xlsx")
    assert_one_sentence(call("link", tiny.path, tmp_path / "a b.xlsx"), "a spreadsheet", "eigenthemes link-table KB 'a b.xlsx'")


def test_a_reader_that_goes_away_is_no_error(tiny: KB, tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_bytes(b"city\n" + b"Paris\n" * 30_000)
    done = run_shell(f"{{program}} link-table {tiny.path} {path} --columns city --method degree --context none | head -1")
    assert done.stdout == "city,city_id,city_label,city_probability\n"
    assert without_progress(done.stderr) == ""


def test_missing_packages_name_the_extra(tiny: KB, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "openpyxl", None)
    done = call("link-table", tiny.path, source, "-o", tmp_path / "o.xlsx", "--columns", "city", *DEGREE)
    assert_one_sentence(done, "openpyxl", "pip install 'eigenthemes[excel]'")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    (tmp_path / "in.xls").write_bytes(b"\xd0\xcf\x11\xe0")
    done = call("link-table", tiny.path, tmp_path / "in.xls", *DEGREE)
    assert_one_sentence(done, "python-calamine", "pip install 'eigenthemes[excel]'")


def test_what_a_table_is_about_is_told_and_written(tmp_path: Path) -> None:
    nodes = [{"id": f"c{i}", "name": f"Town{i}", "types": ["City"]} for i in range(4)]
    nodes += [{"id": f"s{i}", "name": f"Land{i}", "types": ["Country"]} for i in range(2)]
    edges = [(f"c{i}", f"s{i % 2}") for i in range(4)]
    kb = build_untrained(write_sources(tmp_path / "sources", nodes, edges, relation="located_in"), tmp_path / "my.kb")
    table = "town,land\n" + "".join(f"Town{i},Land{i % 2}\n" for i in range(4))
    done = call("link-table", kb.path, "-", *DEGREE, "--report", "--report-json", tmp_path / "r.json", stdin=table)
    assert "town: city (4 of 4 cells)\nland: country (4 of 4 cells)\ntown -> land: located in (4 of 4 rows)" in done.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    assert [(each["column"], each["id"], each["support"]) for each in report["types"]] == [
        ("town", "City", 4),
        ("land", "Country", 4),
    ]
    assert [(each["subject"], each["object"], each["rows"]) for each in report["relations"]] == [("town", "land", 4)]


def test_a_report_that_cannot_be_written_is_told_first(tiny: KB, source: Path) -> None:
    done = call("link-table", tiny.path, source, "--columns", "city", *DEGREE, "--report-json", source.parent)
    assert_one_sentence(done, "--report-json")
