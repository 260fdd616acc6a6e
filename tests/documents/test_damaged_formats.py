"""Files that somebody damaged: every document is read, or refused in one sentence; and what is read can be written."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from helpers.format_files import COLLECTION, LIDOCAINE, OTHER, RUNNER, SONY, SONY_ANN
from helpers.gold_files import AIDA
from helpers.linked import link_of
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.documents.output import OUTPUT_FORMATS, open_output
from eigenthemes.documents.reader import DocumentFiles, Record, parse_record
from eigenthemes.errors import DocumentError, EigenthemesError
from eigenthemes.records import Document, LinkedDocument

FILES = {
    "x.ann": SONY_ANN.encode(),
    "x.pubtator": LIDOCAINE.encode() * 2,
    "x.json": json.dumps(COLLECTION, indent=1).encode(),
    "x.ttl": (RUNNER + OTHER).encode(),
    "x.tsv": AIDA.encode(),
}
ODD = [
    b"",
    b"\t",
    b"\n",
    b"\0",
    b"\xff",
    b"-1",
    b"99999999999999999999",
    b"null",
    b"{",
    b"]",
    b'"',
    b";",
    b"|",
    "🦊".encode(),
    b" ",
    b"T1",
]


@pytest.mark.parametrize("name", FILES)
@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 12), st.sampled_from(ODD)), min_size=1, max_size=4))
def test_any_damage(name: str, changes: list[tuple[int, int, bytes]]) -> None:
    data = FILES[name]
    for place, size, odd in changes:
        at = place % len(data) if data else 0
        data = data[:at] + odd + data[at + size :]
    with TemporaryDirectory() as folder:
        (Path(folder) / "x.txt").write_bytes(SONY.encode())
        path = Path(folder) / name
        path.write_bytes(data)
        try:
            records = list(DocumentFiles(path))
        except EigenthemesError as error:
            assert_told(error, None, name)
            return
        for record in records:
            try:
                document = parse_record(record)
            except DocumentError as error:
                assert_told(error, record, name)
            else:
                write_in_every_format(document)


def assert_told(error: EigenthemesError, record: Record | None, name: str) -> None:
    """An error is one sentence, that of a record with the file and the line."""
    assert "\n" not in str(error)
    assert record is None or (error.where or record.where).startswith(f"{name}:")


def write_in_every_format(document: Document) -> None:
    linked = LinkedDocument(document, tuple(link_of(mention, "Q1") for mention in document.mentions or ()))
    for mention in document.mentions or ():
        if mention.start is not None:
            assert (document.text or "")[mention.start : mention.end] == mention.text
    for name in OUTPUT_FORMATS:
        if name != "brat":
            with open_output(name, lambda data: None) as output:
                output.write(linked)
