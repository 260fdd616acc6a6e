"""Files of documents: compressed or not, the layout found from the content, broken ones, real ones."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pyarrow
import pytest
from helpers.gold_files import AIDA, AUTHORS, WNED, refusal, write

from eigenthemes.documents.reader import document_name, read_gold
from eigenthemes.errors import DocumentError, SourceError

# files

LINES = '{"id": "1", "text": "Ada", "mentions": [{"text": "Ada"}]}\n\n{"id": "2", "text": "Zoë"}\n'


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        ("", bytes),
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", lambda data: pyarrow.compress(data, codec="zstd", asbytes=True)),
    ],
)
def test_files_may_be_packed(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    path = write(tmp_path, f"docs.jsonl{suffix}", pack(LINES.encode()))
    assert [document.id for document in read_gold(str(path))] == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (LINES, ["1", "2"]),
        ("\ufeff\n" + LINES, ["1", "2"]),
        ('"Ada met Bob"\n"Bob met Ada"', [None, None]),
        ('{"mentions": [{"text": "Ada", "mention": 1}], "id": "1"}', ["1"]),
        ('{"mentions": [], "id": "1"}', ["1"]),
        ('[{"id": "1", "text": "Ada"}, "Bob met Ada"]', ["1", None]),
        ('[\n  {\n    "id": "1",\n    "text": "Ada"\n  }\n]\n', ["1"]),
        (json.dumps(AUTHORS), ["947", "948"]),
        (json.dumps(AUTHORS, indent=2), ["947", "948"]),
        ("\ufeff" + json.dumps({'a " b': [], **AUTHORS}, indent=2), ['a " b', "947", "948"]),
        (AIDA, ["1 EU", "947testa CRICKET"]),
        ("\ufeff\n" + AIDA, ["1 EU", "947testa CRICKET"]),
        (WNED, ["Paris & co"]),
    ],
)
def test_the_layout_is_told_by_the_content(tmp_path: Path, text: str, ids: list[str | None]) -> None:
    assert [document.id for document in read_gold(write(tmp_path, "docs", text))] == ids


def test_a_bad_record_is_named_by_file_and_line(tmp_path: Path) -> None:
    path = write(tmp_path, "docs.jsonl", LINES + '{"text": 5}\n')
    documents = read_gold(path)
    assert [document.id for document in islice(documents, 2)] == ["1", "2"]
    assert refusal(lambda: next(documents)) == 'docs.jsonl:4: "text" is 5; expected a string, or no such field'


@pytest.mark.parametrize(
    ("content", "phrase"),
    [
        (b"", "docs is empty; expected JSON lines"),
        (b"\n \n", "docs is empty; expected JSON lines"),
        (b"name,id\n", "docs begins with 'name,id\\n'; expected JSON lines"),
        (b"<rdf:RDF xmlns:rdf='urn:x'/>", "the XML has the root <{urn:x}RDF>; expected WNED's"),
        (gzip.compress(LINES.encode() * 99, mtime=0)[:-20], "docs is a truncated or damaged archive"),
        ("{}".encode("utf-16"), "docs is UTF-16"),
    ],
)
def test_files_that_hold_no_documents(tmp_path: Path, content: bytes, phrase: str) -> None:
    path = write(tmp_path, "docs", content)
    with pytest.raises((SourceError, DocumentError)) as refused:
        list(read_gold(path))
    assert phrase in str(refused.value)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="nowhere does not exist; give the path of a file of documents"):
        read_gold(tmp_path / "nowhere")
    with pytest.raises(SourceError, match="is a folder; it holds no file of documents: give another one"):
        read_gold(tmp_path)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/wned-cweb.jsonl.gz", "wned-cweb"),
        (Path("b/aida.tsv"), "aida"),
        ("plain", "plain"),
        ("c.d/plain", "plain"),
        (".hidden.jsonl", "hidden"),
        ("-", "-"),
    ],
)
def test_names_of_files(path: str | Path, name: str) -> None:
    assert document_name(path) == name


# real files

REAL = [
    "aida/testa", "general/aida-testa", "general/dwie-train", "general/wned-cweb", "general/wned-wiki", "genes/biored-train",
    "phenotypes/gsc", "places/gwn", "places/lgl", "tables/t2d-dev", "tables/wikitables-dev",
]  # fmt: skip


@pytest.mark.real_data
@pytest.mark.parametrize("name", REAL)
def test_real_documents(real_data: Callable[[str], Path], name: str) -> None:
    documents = list(islice(read_gold(real_data(f"{name}.jsonl.gz")), 50))
    assert len(documents) == 50
    for document in documents:
        assert document.mentions
        for mention in document.mentions:
            assert mention.gold
            if mention.start is not None:
                assert document.text is not None
                assert document.text[mention.start : mention.end] == mention.text
            if mention.row is not None:
                assert document.table is not None
                assert document.table.rows[mention.row][mention.col or 0] == mention.text


@pytest.mark.real_data
def test_the_reference_of_the_authors(real_data: Callable[[str], Path]) -> None:
    documents = list(read_gold(real_data("../reference/documents.json.gz")))
    mentions = [mention for document in documents for mention in document.mentions or ()]
    assert (len(documents), len(mentions)) == (40, 1129)
    assert all(document.embedded_only for document in documents)
    assert all(each.gold and each.candidates and each.priors for each in mentions)
    assert all(each.priors == tuple(sorted(each.priors or (), reverse=True)) for each in mentions)
