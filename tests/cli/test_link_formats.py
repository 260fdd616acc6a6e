"""eigenthemes link and eval with the formats of the field, in and out, and with folders."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import assert_one_sentence, call, json_output

from eigenthemes import KB
from eigenthemes.documents.output import OUTPUT_FORMATS
from eigenthemes.documents.reader import read_documents, read_gold

TEXT = "🦊 Michael Jordan went to Paris."
DEGREE = ("--method", "degree")


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl"
    mentions = [{"start": 2, "end": 16, "text": "Michael Jordan"}, {"start": 25, "end": 30, "text": "Paris"}]
    path.write_text(json.dumps({"id": "d", "text": TEXT, "mentions": mentions}) + "\n")
    return path


@pytest.mark.parametrize("name", sorted(set(OUTPUT_FORMATS) - {"html", "jsonl", "json"}))
def test_links_come_back_as_gold(tiny: KB, tmp_path: Path, document: Path, name: str) -> None:
    out = tmp_path / "out"
    done = call("link", tiny.path, document, *DEGREE, "--output-format", name, "-o", out)
    assert (done.returncode, done.stdout) == (0, "")
    (read,) = read_gold(out)
    assert [
        (mention.text, "mj" in (mention.gold or ()) or "paris" in (mention.gold or ())) for mention in read.mentions or ()
    ] == [
        ("Michael Jordan", True),
        ("Paris", True),
    ]
    scores = json.loads(call("eval", tiny.path, out, "--methods", "degree", "--json").stdout)
    assert scores["out"]["degree"]["overall"]["p_at_1"] == 1
    again = json_output(call("link", tiny.path, out, *DEGREE))
    assert [mention["entity"] for mention in again[0]["mentions"]] == ["mj", "paris"]
    assert again[0]["mentions"][0]["gold"]


@pytest.mark.parametrize(
    ("file", "beginning"),
    [
        ("x.html", "<!doctype html>"),
        ("x.ttl", "@prefix nif:"),
        ("x.pubtator", "d|t|🦊 Michael"),
        ("x.json", '[\n{"id":"d"'),
        ("x.JSONL", '{"id":"d"'),
        ("x", '{"id":"d"'),
    ],
)
def test_the_name_of_the_output_says_its_format(tiny: KB, tmp_path: Path, document: Path, file: str, beginning: str) -> None:
    assert call("link", tiny.path, document, *DEGREE, "-o", tmp_path / file).returncode == 0
    assert (tmp_path / file).read_text().startswith(beginning)


@pytest.mark.parametrize("file", ["x.csv", "x.xlsx", "x.parquet", "x.xml", "x.ann", "x.txt", "x.csv.gz"])
def test_a_suffix_that_is_no_format_is_refused(tiny: KB, tmp_path: Path, document: Path, file: str) -> None:
    (tmp_path / file).write_text("mine")
    done = call("link", tiny.path, document, *DEGREE, "-o", tmp_path / file)
    assert_one_sentence(done, f"{file} ends in .", "expected .jsonl, ", "--output-format")
    assert (tmp_path / file).read_text() == "mine"
    assert call("link", tiny.path, document, *DEGREE, "-o", tmp_path / file, "--output-format", "bioc").returncode == 0


@pytest.mark.parametrize(("suffix", "opened"), [("gz", gzip.open), ("bz2", bz2.open), ("xz", lzma.open)])
def test_an_output_is_compressed_by_its_suffix(tiny: KB, tmp_path: Path, document: Path, suffix: str, opened: Any) -> None:
    for name in ("x.jsonl", f"x.jsonl.{suffix}", f"x.{suffix}"):
        assert call("link", tiny.path, document, *DEGREE, "-o", tmp_path / name).returncode == 0
    plain = (tmp_path / "x.jsonl").read_bytes()
    assert opened(tmp_path / f"x.jsonl.{suffix}").read() == opened(tmp_path / f"x.{suffix}").read() == plain


def test_a_web_page_is_linked_without_its_scripts(tiny: KB, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><script>Tokyo()</script><style>.Iowa{}</style><p>Michael\n <b>Jordan</b> in Paris")
    (record,) = json_output(call("link", tiny.path, page, *DEGREE))
    assert record["text"] == "Michael Jordan in Paris"
    assert [(each["start"], each["end"], each["text"]) for each in record["mentions"]] == [
        (0, 14, "Michael Jordan"),
        (18, 23, "Paris"),
    ]


@pytest.mark.parametrize("flags", [[], ["--text"], ["--per-line"], ["--format", "html"], ["--format", "jsonl"]])
def test_a_pdf_is_refused(tiny: KB, tmp_path: Path, flags: list[str]) -> None:
    data = b"%PDF-1.4\n1 0 obj <</Length 20>> stream\nx\x9c\xe3Paris\nendstream"
    (tmp_path / "report.pdf").write_bytes(data)
    assert_one_sentence(call("link", tiny.path, tmp_path / "report.pdf", *flags), "report.pdf is a PDF file, not text; convert")
    assert_one_sentence(call("link", tiny.path, "-", *flags, stdin=data), "stdin is a PDF file, not text; convert")


def test_several_processes_write_the_same(tiny: KB, tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("".join(f"{number} Michael Jordan in Paris\n" for number in range(150)))
    outputs = [
        call("link", tiny.path, path, *DEGREE, "--per-line", "--output-format", "nif", "--jobs", n).stdout for n in (1, 2)
    ]
    assert outputs[0] == outputs[1]
    (tmp_path / "out.ttl").write_text(outputs[0])
    assert len(list(read_documents(tmp_path / "out.ttl"))) == 150


def test_a_folder_with_a_broken_file(tiny: KB, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("Michael Jordan")
    (folder / "b.pubtator").write_text("1|t|Paris\n1|a|\n1\t0\tx\tParis\n\n2|t|Paris\n2|a|\n")
    (folder / "c.bin").write_bytes(b"\0\1\2")
    done = call("link", tiny.path, folder, *DEGREE)
    assert done.returncode == 1
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["a.txt", "2"]
    assert "b.pubtator:3: the fields ['0', 'x', 'Paris'] are no annotation" in done.stderr
    assert "c.bin:1: c.bin is a binary file, not text" in done.stderr
    assert "2 records could not be linked" in done.stderr


def test_an_output_in_the_folder_that_is_read(tiny: KB, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Paris")
    done = call("link", tiny.path, tmp_path, *DEGREE, "-o", tmp_path / "a.txt")
    assert done.returncode == 1
    assert "a.txt is the input itself" in done.stderr
    assert (tmp_path / "a.txt").read_text() == "Paris"


def test_a_document_that_a_format_cannot_hold_is_told_and_counted(tiny: KB, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"mentions": [{"text": "Paris"}]}\n{"id": "b", "text": "Paris"}\n')
    done = call("link", tiny.path, path, *DEGREE, "--output-format", "pubtator")
    assert done.returncode == 1
    assert done.stdout.startswith("b|t|Paris\n")
    assert "line 1: the document is a list of mentions without a text, which PubTator needs" in done.stderr
    strict = call("link", tiny.path, path, *DEGREE, "--output-format", "pubtator", "--strict")
    assert strict.returncode == 1
    assert "line 1: the document is a list" in strict.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--output-format", "docx"), "there is no output format 'docx'; choose one of jsonl, json, nif"),
        (("--format", "docx"), "there is no format 'docx'; choose one of"),
        (("--output-format", "brat"), "BRAT is two files for each document; name a folder to write them to (-o names it)"),
        (("--table", "--output-format", "nif"), "--table and --output-format nif are two formats; choose one"),
        (("--label-lang", "de"), "the KB has no name in the language 'de'"),
    ],
)
def test_options_that_cannot_be(tiny: KB, document: Path, options: tuple[str, ...], sentence: str) -> None:
    done = call("link", tiny.path, document, *DEGREE, *options)
    assert (done.returncode, done.stdout) == (1, "")
    assert sentence in done.stderr


def test_a_table_as_a_web_page(tiny: KB, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(
        '{"id": "<t>", "table": {"header": ["a&b"], "rows": [["Paris"], ["<b>"]]}}\n{"mentions": [{"text": "Paris"}]}\n'
    )
    page = call("link", tiny.path, path, *DEGREE, "--output-format", "html").stdout
    assert '<td dir="auto"><mark title="Paris (paris)" data-id="paris">Paris</mark></td>' in page
    assert '<h2 dir="auto">&lt;t&gt;</h2>' in page
    assert "<b>" not in page
