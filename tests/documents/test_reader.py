"""The one reader: every layout found from content, compressed or not, from a file or standard input, one file or several."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.core import files
from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.documents import splitting
from eigenthemes.documents.layout import Layout, find_layout
from eigenthemes.documents.reader import DocumentFiles, Record, parse_record, read_documents, read_gold
from eigenthemes.errors import DocumentError, EigenthemesError, MissingExtraError, OptionError, SourceError
from eigenthemes.records import Document, Mention

BOM = b"\xef\xbb\xbf"

RECORDS = [{"id": "1", "text": "Ada", "mentions": [{"text": "Ada"}]}, {"id": "2", "text": 'Zoë said: "[{"'}]
JSON_LINES = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in RECORDS)
AUTHORS = {"947": [{"mention": "Ada", "wikidata_id": "Q1", "candidates": [["Q1", 4, "B"]]}], "948": []}
TABEL = {"_id": "7-1", "tableData": [[{"text": "Ada", "surfaceLinks": []}]], "tableHeaders": []}
AIDA = "-DOCSTART- (1 EU)\nGerman\tB\tGerman\tGermany\thttp://en.wikipedia.org/wiki/Germany\t11867\t/m/0345h\ncall\n"
WNED = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<wned.entityAnnotation><document docName="Paris"><annotation>'
    "<mention>Paris</mention><wikiName>Paris</wikiName><offset>0</offset></annotation></document></wned.entityAnnotation>"
)
TEXT = "Ada met Zoë, and Bob.\r\n\r\nThey went to Paris.\r\n"

LAYOUTS: list[tuple[Layout, str, list[Any]]] = [
    (Layout.JSON_LINES, JSON_LINES, ["1", "2"]),
    (Layout.JSON_LINES, '"Ada met Bob"\n"Bob met Ada"', [None, None]),
    (Layout.JSON_LINES, '{"tokens": [{"mention": 1}], "mention": "x", "text": "Ada", "id": 3}\n', [3]),
    (Layout.JSON_LINES, '{"tableData": [[1]], "text": "Ada", "id": 4}\n', [4]),
    (Layout.JSON_VALUES, json.dumps(RECORDS, ensure_ascii=False), ["1", "2"]),
    (Layout.JSON_VALUES, json.dumps(RECORDS, ensure_ascii=False, indent=2) + "\n", ["1", "2"]),
    (Layout.JSON_VALUES, "[\n" + ",\n".join(map(json.dumps, RECORDS)) + "\n]\n", ["1", "2"]),
    (Layout.JSON_VALUES, '["Ada", "Bob"]', [None, None]),
    (Layout.JSON_VALUES, "[]\n", []),
    (Layout.JSON_VALUES, json.dumps(RECORDS[0], indent=2), ["1"]),
    (Layout.JSON_VALUES, "\n".join(json.dumps(record, indent="\t") for record in RECORDS), ["1", "2"]),
    (Layout.JSON_VALUES, '{"id": "1", "text": "Ada",\n "mentions": []}', ["1"]),
    (Layout.AUTHORS, json.dumps(AUTHORS), ["947", "948"]),
    (Layout.AUTHORS, json.dumps(AUTHORS, indent=2), ["947", "948"]),
    (Layout.TABEL, json.dumps(TABEL) + "\n\n" + json.dumps(TABEL), ["7-1", "7-1"]),
    (Layout.AIDA, AIDA, ["1 EU"]),
    (Layout.WNED, WNED, ["Paris"]),
    (Layout.TEXT, TEXT, [None]),
    (Layout.TEXT, "<p>Ada met Bob</p>", [None]),
    (Layout.TEXT, "Ada, Bob\nEve, Zoë\nPaul, Mary\n", [None]),
    (Layout.JSON_LINES, "", []),
    (Layout.JSON_LINES, "\n \r\n", []),
]
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pyarrow.compress(data, codec="zstd", asbytes=True),
}


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def ids(documents: Iterator[Document]) -> list[Any]:
    return [document.id for document in documents]


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Put bytes on standard input."""

    def put(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return put


# layouts


@pytest.mark.parametrize(("layout", "content", "expected"), LAYOUTS)
@pytest.mark.parametrize("before", [b"", BOM, b"\n\r\n", BOM + b"\n"])
def test_the_layout_is_found_from_content(
    tmp_path: Path, layout: Layout, content: str, expected: list[Any], before: bytes
) -> None:
    data = before + content.encode()
    assert find_layout(data, "docs") is layout
    if not (layout is Layout.WNED and b"\n" in before):  # no XML: its declaration must come first
        assert ids(read_documents(write(tmp_path, "docs", data))) == expected


@pytest.mark.parametrize("suffix", COMPRESSIONS)
@pytest.mark.parametrize(("layout", "content", "expected"), LAYOUTS)
def test_any_layout_may_be_compressed_or_come_from_standard_input(
    tmp_path: Path, stdin: Callable[[bytes], None], suffix: str, layout: Layout, content: str, expected: list[Any]
) -> None:
    data = COMPRESSIONS[suffix](content.encode())
    assert ids(read_documents(str(write(tmp_path, f"docs{suffix}", data)))) == expected
    stdin(data)
    assert ids(read_documents("-")) == expected


@pytest.mark.parametrize("name", ["d.json", "d.jsonl", "d.NDJSON", "d.json.gz"])
def test_a_name_that_says_json_is_believed_where_the_content_is_broken(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, name, "no JSON\n" + JSON_LINES)
    records = list(DocumentFiles(path))
    assert [record.line for record in records] == [1, 2, 3]
    with pytest.raises(DocumentError, match="no JSON at character 1"):
        parse_record(records[0])
    assert ids(map(parse_record, records[1:])) == ["1", "2"]


@pytest.mark.parametrize("first", ["42", "null", "[]", '[{"text": "x"}]', '{"text": "Ada"', '{"id": 1,', "{", '{"id": 9}'])
def test_a_bad_first_line_does_not_spoil_the_others(tmp_path: Path, first: str) -> None:
    records = list(DocumentFiles(write(tmp_path, "docs", f"{first}\n{JSON_LINES}")))
    assert [record.where for record in records] == ["docs:1", "docs:2", "docs:3"]
    with pytest.raises(DocumentError):
        parse_record(records[0])
    assert ids(map(parse_record, records[1:])) == ["1", "2"]


def test_plain_text_may_be_forced(tmp_path: Path) -> None:
    for _, content, _ in LAYOUTS:
        documents = list(read_documents(write(tmp_path, "docs.jsonl", content), plain_text=True))
        expected = [Document(text=content.rstrip("\r\n"))] if content.strip() else []
        assert documents == expected


def test_lines_and_objects_longer_than_what_is_looked_at(tmp_path: Path) -> None:
    long = {"id": "1", "text": 'Ada { [ \\ " é ' * 20_000}
    for content in (
        json.dumps(long) + "\n" + json.dumps(RECORDS[1]),
        json.dumps([long, RECORDS[1]]),
        json.dumps(long, indent=2) + "\n" + json.dumps(RECORDS[1], indent=2),
    ):
        first, second = read_documents(write(tmp_path, "docs", content))
        assert (first.text, second.id) == (long["text"], "2")


def test_elements_of_an_array_are_read_one_at_a_time(tmp_path: Path) -> None:
    read, write_end = os.pipe()
    path = f"/dev/fd/{read}"
    documents = b",\n".join(b'{"id": %d, "text": "%s"}' % (i, b"x" * 100_000) for i in range(100))

    def feed() -> None:
        with os.fdopen(write_end, "wb") as pipe:
            pipe.write(b"[" + documents + b"]")

    writer = threading.Thread(target=feed)
    writer.start()
    reader = read_documents(path)
    assert next(reader).id == 0
    assert writer.is_alive()  # the rest is still to be read
    assert ids(reader) == list(range(1, 100))
    writer.join()
    os.close(read)


# web pages, and files that are no text

PAGE = """<!-- made by hand --><!DOCTYPE html>
<html><head><title>Ada &amp; Zo&euml;</title><style>.Rome {}</style><script>if (1 < 2) Oslo("</p>")</script></head>
<body><p>Ada   <b>Love</b>lace<br>met
Bob</p><ul><li>Eve<li>Paul</ul><table><tr><td>a</td><td>b</td></tr></table><noscript>x</noscript> 1 < 2 &nbsp; 3</body>"""
SHOWN = "Ada & Zoë\nAda Lovelace\nmet Bob\nEve\nPaul\na\nb\n1 < 2 3"


@pytest.mark.parametrize("before", ["", "\ufeff", '\n<?xml version="1.0"?>\n'])
def test_the_text_of_a_web_page(tmp_path: Path, before: str) -> None:
    (document,) = read_documents(write(tmp_path, "page", before + PAGE))
    assert document.text == SHOWN
    (document,) = read_documents(write(tmp_path, "page.htm", "<div>Ada</div>Bob"))
    assert document.text == "Ada\nBob"
    assert list(read_documents(write(tmp_path, "empty.html", "<html><script>1</script></html>"))) == []
    assert list(read_documents(tmp_path / "page.htm", plain_text=True)) == [Document(text="<div>Ada</div>Bob")]
    with pytest.raises(SourceError, match="begins with"):
        read_gold(write(tmp_path, "page", PAGE)).__next__()


@pytest.mark.parametrize("charset", ["windows-1251", "shift_jis", "gbk", "utf-8", "utf-16", None])
def test_the_encoding_that_a_web_page_declares(tmp_path: Path, charset: str | None) -> None:
    text = {"windows-1251": "Париж", "shift_jis": "東京", "gbk": "北京"}.get(charset or "", "Zoë")
    encoding = {None: "cp1252", "utf-16": "utf-8"}.get(charset, charset)
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">' if charset else ""
    (document,) = read_documents(write(tmp_path, "page", f"<html>{meta}<p>{text}</html>".encode(str(encoding))))
    assert document.text == text


def test_web_pages_need_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "selectolax.lexbor", None)
    write(tmp_path, "in/page.html", PAGE)
    with pytest.raises(MissingExtraError, match=r"pip install 'eigenthemes\[html\]'"):
        list(read_documents(tmp_path / "in/page.html"))
    write(tmp_path, "in/text.txt", TEXT)
    assert len(list(DocumentFiles(tmp_path / "in"))) == 2  # the error is a record


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\n", "a PDF file"),
        (rb"{\rtf1\ansi Paris}", "an RTF file"),
        (b"%!PS-Adobe-3.0 Paris", "a PostScript file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a binary file"),
        (b"\x7fELF\x02\x01\x01\0\0\0", "a binary file"),
        (bytes(range(256)), "a binary file"),
    ],
)
@pytest.mark.parametrize("plain_text", [False, True])
def test_what_is_no_text_is_refused(tmp_path: Path, data: bytes, kind: str, plain_text: bool) -> None:
    with pytest.raises(SourceError, match=f"file.bin is {kind}, not text; convert it") as refused:
        list(read_documents(write(tmp_path, "file.bin", data), plain_text=plain_text))
    assert refused.value.code == "binary-input"


def test_a_text_may_hold_a_few_control_characters(tmp_path: Path) -> None:
    text = "\x1b[1mAda\x1b[0m met\fBob.\b\n" * 100 + "\0"
    (document,) = read_documents(write(tmp_path, "a.txt", text))
    assert document.text == text


# tables that are no documents


CSV = "name,place\nAda,London\nZoë,Paris\n"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", CSV, ["2 columns", "commas"]),
        ("a.csv", 'name, place\n"Ada, Countess", London\n', ["2 columns", "commas"]),
        ("a.CSV.gz", "name;place;year\nAda;London;1\n", ["3 columns", "semicolons"]),
        ("a.tsv", "name\tplace\nAda\tLondon\nZoë\tParis\nnote\n" + "Bob\tRome\n" * 5, ["2 columns", "tabs"]),
        ("docs", CSV, ["2 columns", "commas"]),
        ("docs", CSV.replace(",", "\t"), ["2 columns", "tabs"]),
        ("docs", CSV.replace("\n", "\r\n").replace(",", ";"), ["2 columns", "semicolons"]),
    ],
)
@pytest.mark.parametrize("annotated", [False, True])
def test_a_table_of_delimited_values_is_not_taken_for_prose(
    tmp_path: Path, name: str, content: str, words: list[str], annotated: bool
) -> None:
    path = write(tmp_path, name, content)
    with pytest.raises(SourceError) as refused:
        list(read_documents(path, annotated=annotated))
    assert (refused.value.code, refused.value.where) == ("table-input", name)
    assert not [word for word in [*words, name, '{"table": '] if word not in str(refused.value)], str(refused.value)
    (document,) = read_documents(path, plain_text=True)
    assert document.text == content.rstrip("\r\n")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "Ada met Bob in Paris.\nThen, after a while, they left.\n"),
        ("a.txt", "Ada, Bob and Eve\nPaul, Mary and Zoë\nJohn, Jane and Sue\n"),
        ("a.txt", "Ada met Bob;\nBob met Eve;\nEve met Zoë;\n" + "The end."),
        ("a.txt", "Ada\tBob"),
        ("a.txt", "Ada met Bob.\n" * 50),
    ],
)
def test_prose_is_not_taken_for_a_table(tmp_path: Path, name: str, content: str) -> None:
    (document,) = read_documents(write(tmp_path, name, content))
    assert document.text == content.rstrip("\n")


# several files


def test_several_files_of_mixed_layouts(tmp_path: Path, stdin: Callable[[bytes], None]) -> None:
    paths = [
        write(tmp_path, "a.jsonl.gz", gzip.compress(JSON_LINES.encode())),
        write(tmp_path, "b.txt", TEXT),
        write(tmp_path, "c.xml.bz2", bz2.compress(WNED.encode())),
        str(write(tmp_path, "d.tsv", AIDA)),
        "-",
        write(tmp_path, "e", json.dumps(RECORDS)),
        write(tmp_path, "empty", ""),
    ]
    stdin(b"Ada met Bob")
    files = DocumentFiles(paths)
    assert files.several
    records = list(files)
    assert [record.where for record in records] == [
        "a.jsonl.gz:1", "a.jsonl.gz:2", "b.txt:1", "c.xml.bz2:1", "d.tsv:1", "stdin:1", "e:1", "e:1",
    ]  # fmt: skip
    assert ids(map(parse_record, records)) == ["1", "2", "b.txt", "Paris", "1 EU", "stdin", "1", "2"]


def test_a_single_text_has_no_id_and_several_have_the_names_of_their_files(tmp_path: Path) -> None:
    one, other = write(tmp_path, "a/x.txt", "Ada"), write(tmp_path, "b/x.txt", "Bob")
    third = write(tmp_path, "y.txt", "Eve")
    assert list(read_documents(one)) == list(read_documents([one])) == [Document(text="Ada")]
    assert ids(read_documents([one, third])) == ["x.txt", "y.txt"]
    assert ids(read_documents([one, other, third])) == [str(one), str(other), "y.txt"]


@pytest.mark.parametrize("content", [CSV, '{"text": "Ada"}'.encode("utf-16"), b"PK\x03\x04"])
def test_a_file_that_is_no_document_is_refused_before_another_is_read(tmp_path: Path, content: str | bytes) -> None:
    good, bad = write(tmp_path, "good.jsonl", JSON_LINES), write(tmp_path, "bad", content)
    for paths in ([good, bad], [bad, good]):
        with pytest.raises(SourceError, match="bad"):
            DocumentFiles(paths)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    good = write(tmp_path, "good.jsonl", JSON_LINES)
    empty = tmp_path / "empty"
    empty.mkdir()
    for read in (DocumentFiles, read_documents):
        with pytest.raises(SourceError, match="nowhere does not exist; give the path of a file of documents"):
            read([good, tmp_path / "nowhere"])
        with pytest.raises(SourceError, match="is a folder; it holds no file of documents: give another one") as refused:
            read(empty)
        assert refused.value.where == str(empty)
        with pytest.raises(OptionError, match=r"good\.jsonl is given twice"):
            read([good, tmp_path])
        with pytest.raises(OptionError, match="there is no file of documents"):
            read([])
        with pytest.raises(OptionError, match="- is given twice"):
            read(["-", good, "-"])


def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    good = write(tmp_path, "good.jsonl", JSON_LINES)
    with pytest.raises(SourceError, match="is a named pipe; to read the output of a program, give -"):
        list(read_documents([good, pipe]))


@pytest.mark.parametrize(
    "beginning", ['{"text": "', '[{"text": "', '{\n"text": "', "-DOCSTART- (1 EU)\n", "Once upon a time", '{"tableData": [["']
)
def test_a_document_without_end_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beginning: str
) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 2 << 20)
    monkeypatch.setattr(splitting, "LONGEST_LINE", 2 << 20)
    path = write(tmp_path, "bomb", gzip.compress(beginning.encode() + b"x" * (32 << 20), 1))
    with pytest.raises(EigenthemesError, match=r"more than 2 MB.* check the file") as caught:
        list(read_documents(path))
    assert str(caught.value.where).startswith("bomb:")


# records


@st.composite
def json_documents(draw: st.DrawFn) -> dict[str, Any]:
    """A document of JSON lines with any text, mentions in it, and other fields of any kind."""
    text = draw(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
    spans = draw(st.lists(st.tuples(st.integers(0, len(text) - 1), st.integers(1, 5)), max_size=3))
    mentions = [{"start": a, "end": min(a + n, len(text)), "text": text[a : a + n]} for a, n in spans]
    other = draw(
        st.dictionaries(st.sampled_from(["a", "[", '"', "\\", "é"]), st.sampled_from([1, None, "]}", [{}, []]]), max_size=2)
    )
    return {**other, "id": draw(st.integers(0, 9) | st.text("ab\n", max_size=3)), "text": text, "mentions": mentions}


WAYS: dict[str, Callable[[list[Any]], str]] = {
    "lines": lambda records: "\n".join(json.dumps(record) for record in records),
    "lines, as they are": lambda records: "\r\n\r\n".join(json.dumps(record, ensure_ascii=False) for record in records),
    "array": json.dumps,
    "array over lines": lambda records: json.dumps(records, indent=1, ensure_ascii=False),
    "values over lines": lambda records: "\n".join(json.dumps(record, indent=1) for record in records),
}


@given(st.lists(json_documents(), min_size=1, max_size=4), st.sampled_from(sorted(WAYS)), st.integers(1, 40))
def test_whatever_json_documents_go_in_come_out(
    tmp_path_factory: pytest.TempPathFactory, records: list[Any], way: str, block: int
) -> None:
    path = write(tmp_path_factory.getbasetemp(), "property", WAYS[way](records))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("eigenthemes.documents.splitting._BLOCK", block)  # values and strings are cut anywhere
        documents = list(read_documents(path))
    assert [document.source for document in documents] == records
    assert [[mention.text for mention in document.mentions or ()] for document in documents] == [
        [mention["text"] for mention in record["mentions"]] for record in records
    ]


@given(st.binary(max_size=60) | st.text('[]{}",:\\ \n1a', max_size=40).map(str.encode))
def test_any_bytes_are_documents_or_one_sentence(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = write(tmp_path_factory.getbasetemp(), "any", data)
    messages = []
    try:
        for record in DocumentFiles(path):
            assert record.line >= 1
            try:
                parse_record(record)
            except DocumentError as error:
                messages.append(str(error))
    except SourceError as error:
        messages.append(str(error))
    assert not [message for message in messages if "\n" in message]


def test_records_can_be_sent_to_workers_and_say_how_large_they_are(tmp_path: Path) -> None:
    paths = [write(tmp_path, f"docs{i}", content) for i, (_, content, _) in enumerate(LAYOUTS)]
    for record in DocumentFiles(paths):
        sent: Record = pickle.loads(pickle.dumps(record))
        assert sent == record
        assert parse_record(sent) == parse_record(record)
        assert 0 < record.size < 1000


def test_lines_of_values_are_where_they_begin(tmp_path: Path) -> None:
    content = '\n[{"text": "a\\n"},\n\n  {"text":\n "b"}, "c"\n, {"text": "d"}\n]'
    assert [record.line for record in DocumentFiles(write(tmp_path, "docs", content))] == [2, 4, 5, 6]


# errors


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (JSON_LINES + '\n{"text": 5}\n', 4, '"text" is 5; expected a string, or no such field'),
        (JSON_LINES.encode() + b'{"text": "\xff"}', 3, "a byte that is not UTF-8 at character 11; save the file as UTF-8"),
        (JSON_LINES + '{"text": "Ada"\n', 3, "no JSON at character 15"),
        ('[{"text": "a"},\n {"text": 5}]', 2, '"text" is 5'),
        ('[{"text": "a"},\n {"text":\n 5x}]', 3, "no JSON at character 3"),
        ('[{"text": "a"},\n', 2, "no JSON at character 2"),
        ('{\n "text": "a",\n "mentions": [', 3, "no JSON at character 15"),
        (json.dumps(TABEL) + '\n{"tableData": 5}', 2, 'the table has no list "tableData"'),
        (AIDA + "x\ty\n", 4, "2 columns that begin with ['x', 'y']"),
        (WNED.replace("</document>", ""), 2, "broken XML at column"),
        (WNED.replace("<mention>Paris</mention>", ""), 1, 'document "Paris", annotation 0 has no text'),
        (json.dumps({**AUTHORS, "949": [{}], "950": []}), 3, 'document "949", mention 0 has no text'),
        (json.dumps(AUTHORS, indent=1)[:-2], 15, "no JSON at character"),
    ],
)
def test_broken_files_are_one_sentence_with_file_and_line(
    tmp_path: Path, content: str | bytes, line: int, message: str
) -> None:
    path = write(tmp_path, "docs", content)
    *_, last = DocumentFiles(path)
    assert (last.file, last.where) == ("docs", f"docs:{last.line}")
    assert last.line <= line  # a document of many lines is parsed later
    with pytest.raises(DocumentError) as refused:
        parse_record(last)
    assert str(refused.value).startswith(message)
    assert (refused.value.where, refused.value.code) == (f"docs:{line}", "document")
    with pytest.raises(DocumentError) as raised:
        list(read_documents(path))
    assert str(raised.value) == f"docs:{line}: {refused.value}"
    assert raised.value.where == f"docs:{line}"
    assert "\n" not in str(raised.value)


def test_a_broken_file_does_not_spoil_the_next(tmp_path: Path) -> None:
    broken, good = write(tmp_path, "a.tsv", AIDA + "-DOCSTART-\n"), write(tmp_path, "b.jsonl", JSON_LINES)
    first, failed, *others = DocumentFiles([broken, good])
    assert (parse_record(first).id, ids(map(parse_record, others))) == ("1 EU", ["1", "2"])
    with pytest.raises(DocumentError, match="has no document id") as refused:
        parse_record(failed)
    assert refused.value.where == "a.tsv:4"


LONG = "".join(json.dumps({"id": i, "text": f"Ada {i * i}"}) + "\n" for i in range(4000)).encode()


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_a_truncated_archive_is_refused_at_once_or_at_the_end(tmp_path: Path, suffix: str) -> None:
    packed = COMPRESSIONS[suffix](os.urandom(30_000).hex().encode().join([b'{"text": "', b'"}\n']) + LONG)
    path = write(tmp_path, f"docs.jsonl{suffix}", packed[:-1000])
    with pytest.raises(SourceError, match=f"docs.jsonl{suffix} is a truncated or damaged archive") as refused:
        list(read_documents(path))
    assert (refused.value.code, refused.value.where) == ("truncated", f"docs.jsonl{suffix}")
    documents = read_documents(path, strict=False)
    with pytest.raises(SourceError, match="what came before was read") as refused:
        for _ in documents:
            pass
    assert (refused.value.code, refused.value.where) == ("truncated", f"docs.jsonl{suffix}")


def test_what_came_before_the_cut_is_read(tmp_path: Path) -> None:
    packed = gzip.compress(LONG)
    cut = write(tmp_path, "a.jsonl.gz", packed[: len(packed) // 2])
    whole = write(tmp_path, "b.jsonl", JSON_LINES)
    diagnostics = Diagnostics()
    files = DocumentFiles([cut, whole], diagnostics=diagnostics)
    assert files.diagnostics is diagnostics
    *before, last, one, two = files
    with pytest.raises(SourceError, match=r"a.jsonl.gz"):
        files.refuse_truncated()
    assert ids(map(parse_record, before)) == list(range(len(before)))
    assert len(before) > 1000
    assert last.file == "a.jsonl.gz"
    assert ids(map(parse_record, (one, two))) == ["1", "2"]


def test_a_whole_archive_is_not_refused(tmp_path: Path) -> None:
    files = DocumentFiles(write(tmp_path, "a.jsonl.gz", gzip.compress(LONG)))
    assert len(list(files)) == 4000
    files.refuse_truncated()


def test_bytes_of_a_text_that_are_not_utf_8_are_read_as_latin_1_and_noted(tmp_path: Path) -> None:
    files = DocumentFiles(write(tmp_path, "a.txt", "Zoë\nin Málaga".encode("latin-1")))
    (record,) = files
    assert parse_record(record).text == "Zoë\nin Málaga"
    assert files.diagnostics.examples == {"bytes that are not UTF-8 (read as Latin-1)": ["a.txt:1", "a.txt:2"]}
    assert list(read_documents(tmp_path / "a.txt")) == [Document(text="Zoë\nin Málaga")]


def test_a_file_is_closed_when_it_is_left_early(tmp_path: Path) -> None:
    path = write(tmp_path, "docs.jsonl", JSON_LINES)
    assert len(list(islice(DocumentFiles(path), 1))) == 1
    DocumentFiles(path)
    next(read_documents(path))


# gold


@pytest.mark.parametrize("content", ["", "\n", "Ada met Bob.", "42\n"])
def test_gold_is_no_text_and_not_empty(tmp_path: Path, content: str) -> None:
    path = write(tmp_path, "docs", content)
    with pytest.raises(SourceError, match=r"docs (begins with|is empty).*expected JSON lines") as refused:
        list(read_gold(path))
    assert (refused.value.code, refused.value.where) == ("no-documents", "docs")


def test_gold_may_be_an_array(tmp_path: Path) -> None:
    (document,) = read_gold(write(tmp_path, "docs", '[{"text": "Ada", "mentions": [{"text": "Ada", "gold": "a"}]}]'))
    assert document.mentions == (Mention("Ada", gold=("a",)),)


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["general/wned-cweb", "places/lgl", "tables/t2d-dev", "phenotypes/gsc"])
def test_real_files_come_out_as_they_went_in(real_data: Callable[[str], Path], tmp_path: Path, name: str) -> None:
    path = real_data(f"{name}.jsonl.gz")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in islice(lines, 100)]
    assert [document.source for document in islice(read_documents(path), 100)] == records
    array = write(tmp_path, "array.json", json.dumps(records, ensure_ascii=False, indent=1))
    assert [document.source for document in read_documents(array)] == records
