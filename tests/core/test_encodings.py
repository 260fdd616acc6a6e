"""Files that are not UTF-8: read properly or refused in one sentence that names the encoding, whoever reads them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eigenthemes.documents.reader import read_documents
from eigenthemes.embeddings.imported import read_vectors
from eigenthemes.errors import EigenthemesError, SourceError
from eigenthemes.kg.read import read_sources

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
NAME = "Zoé"
XML = '<?xml version="1.0" encoding="{encoding}"?>\n'


def names(path: Path) -> list[Any]:
    statements, _ = read_sources([path])
    return list(statements.name_text.strings())


def texts(path: Path) -> list[Any]:
    documents = list(read_documents(path))
    return [mention.text for document in documents for mention in document.mentions or ()] or [
        (document.text or "").rstrip(".") for document in documents
    ]


def ids(path: Path) -> list[Any]:
    np.save(path.parent / "rows.npy", np.ones((1, 2)))
    return read_vectors(path.parent / "rows.npy", ids=path)[0]


READERS: dict[str, tuple[Callable[[Path], list[Any]], str]] = {
    "kg.nt": (names, f'<http://e.org/a> {LABEL} "{NAME}" .\n'),
    "kg.ttl": (names, f'@prefix e: <http://e.org/> .\ne:a {LABEL} "{NAME}" .\n'),
    "kg.rdf": (
        names,
        f'{XML}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-'
        f'schema#"><rdf:Description rdf:about="http://e.org/a"><rdfs:label>{NAME}</rdfs:label></rdf:Description></rdf:RDF>\n',
    ),
    "kg.json": (names, f'{{"id": "Q1", "labels": {{"en": {{"language": "en", "value": "{NAME}"}}}}, "claims": []}}\n'),
    "kg.obo": (names, f"format-version: 1.2\n\n[Term]\nid: X:1\nname: {NAME}\n"),
    "kg.csv": (names, f"id,name\na,{NAME}\n"),
    "kg.tsv": (names, f"id\tname\na\t{NAME}\n"),
    "kg.jsonl": (names, f'{{"id": "a", "name": "{NAME}"}}\n'),
    "a.jsonl": (texts, f'{{"text": "{NAME}", "mentions": [{{"text": "{NAME}"}}]}}\n'),
    "pretty.json": (texts, f'[\n{{"text":\n"{NAME}", "mentions": [{{"text": "{NAME}"}}]}}]\n'),
    "authors.json": (texts, f'{{"a": [{{"mention": "{NAME}", "wikidata_id": "Q1", "candidates": []}}]}}\n'),
    "aida.tsv": (texts, f"-DOCSTART- (1 A)\n{NAME}\tB\t{NAME}\tParis\thttp://en.wikipedia.org/wiki/Paris\n"),
    "wned.xml": (
        texts,
        f'{XML}<a.entityAnnotation><document docName="a"><annotation><mention>{NAME}</mention><wikiName>B</wikiName>'
        "</annotation></document></a.entityAnnotation>\n",
    ),
    "a.txt": (texts, f"{NAME}.\n"),
    "words.vec": (lambda path: read_vectors(path)[0], f"1 2\n{NAME} 1 2\n"),
    "rows.ids": (ids, f"{NAME}\n"),
}
WIDE = {"utf-16": "UTF-16", "utf-32": "UTF-32", "utf-16-le": "UTF-16LE", "utf-16-be": "UTF-16BE", "utf-32-le": "UTF-32LE",
        "utf-32-be": "UTF-32BE"}  # fmt: skip


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("encoding", WIDE)
@pytest.mark.parametrize("file", READERS)
def test_wide_encodings_are_named(tmp_path: Path, file: str, encoding: str, compressed: bool) -> None:
    read, content = READERS[file]
    data = content.replace("{encoding}", encoding.upper()[:6]).encode(encoding)
    path = tmp_path / (f"{file}.gz" if compressed else file)
    path.write_bytes(gzip.compress(data) if compressed else data)
    with pytest.raises(EigenthemesError, match=f"{path.name} is {WIDE[encoding]}; convert it first: iconv -f ") as caught:
        read(path)
    assert path.name in str(caught.value.where)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("file", READERS)
def test_byte_order_marks_of_utf_8_are_no_part_of_the_text(tmp_path: Path, file: str, encoding: str) -> None:
    read, content = READERS[file]
    (tmp_path / file).write_bytes(content.replace("{encoding}", "UTF-8").encode(encoding))
    assert read(tmp_path / file) == [NAME]


REFUSED = ("a.jsonl", "pretty.json", "authors.json", "aida.tsv")  # whose offsets and gold must be sure


@pytest.mark.parametrize("file", [file for file in READERS if file not in REFUSED])
def test_latin_1_is_read(tmp_path: Path, file: str) -> None:
    read, content = READERS[file]
    (tmp_path / file).write_bytes(content.replace("{encoding}", "ISO-8859-1").encode("latin-1"))
    assert read(tmp_path / file) == [NAME]


@pytest.mark.parametrize("file", REFUSED)
def test_latin_1_is_told(tmp_path: Path, file: str) -> None:
    read, content = READERS[file]
    (tmp_path / file).write_bytes(content.encode("latin-1"))
    with pytest.raises(EigenthemesError, match=r"not (valid )?UTF-8") as caught:
        read(tmp_path / file)
    assert file in str(caught.value.where)


@pytest.mark.parametrize("encoding", ["klingon", "hex", "zlib", "idna", "undefined", "rot13"])
def test_an_encoding_that_is_none_is_told(tmp_path: Path, encoding: str) -> None:
    read, content = READERS["kg.rdf"]
    (tmp_path / "kg.rdf").write_text(content.replace("{encoding}", encoding))
    with pytest.raises(SourceError, match=f"declares the encoding {encoding}, which is unknown; convert it to UTF-8"):
        read(tmp_path / "kg.rdf")


def test_bytes_that_an_encoding_does_not_know_are_counted(tmp_path: Path) -> None:
    _, content = READERS["kg.rdf"]
    (tmp_path / "kg.rdf").write_bytes(
        content.replace("{encoding}", "shift_jis").encode("utf-8").replace(b"\xc3\xa9", b"\xff\xff")
    )
    statements, _ = read_sources([tmp_path / "kg.rdf"])
    assert statements.diagnostics.counts == {"bytes that are not shift_jis (replaced)": 2}
