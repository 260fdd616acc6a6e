"""Several files and folders: which are read, in which order, under which names; and a document per line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.gold_files import refusal, write

from eigenthemes.core import storage
from eigenthemes.documents.reader import DocumentFiles, find_files, parse_record, read_documents, read_gold
from eigenthemes.errors import OptionError, SourceError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Texts in folders, and what is no text."""
    (tmp_path / "in" / "sub" / ".git").mkdir(parents=True)
    write(tmp_path / "in", "b.txt", "Bob was there.")
    write(tmp_path / "in", "a.txt", "Ada was there.")
    write(tmp_path / "in", ".hidden", "nobody")
    write(tmp_path / "in" / "sub", "a.txt", "Ada again.")
    write(tmp_path / "in" / "sub", "c.jsonl", '{"id": 5, "text": "x"}\n')
    write(tmp_path / "in" / "sub" / ".git", "config", "nobody")
    return tmp_path / "in"


def test_a_folder_is_walked_in_order(folder: Path) -> None:
    documents = list(read_documents(folder))
    assert [document.id for document in documents] == ["a.txt", "b.txt", "sub/a.txt", 5]


def test_files_and_folders_together(folder: Path) -> None:
    other = write(folder.parent, "a.txt", "Another Ada.")
    names = [file.name for file in find_files([other, folder])]
    assert names == [str(other), str(folder / "a.txt"), "b.txt", "sub/a.txt", "sub/c.jsonl"]  # two are called a.txt


def test_a_loop_of_links_ends(folder: Path) -> None:
    (folder / "sub" / "up").symlink_to(folder, target_is_directory=True)
    assert len(find_files(folder)) == 4


def test_what_cannot_be_read_is_told_and_costs_no_other(folder: Path) -> None:
    write(folder, "picture.png", b"\x89PNG\0\0\0")
    pq.write_table(pa.table({"body": ["Paris"]}), folder / "columns.parquet")
    write(folder, "table.csv", "id,name,town\n1,Ada,Rome\n2,Bob,Oslo\n3,Eve,Bonn\n")
    os.mkfifo(folder / "pipe")
    records = list(DocumentFiles(folder))
    failed = {}
    for record in records:
        if record.file in ("picture.png", "columns.parquet", "table.csv", "pipe"):
            failed[record.file] = refusal(lambda record=record: parse_record(record))  # type: ignore[misc]
        else:
            parse_record(record)
    assert len(records) == 8
    assert failed["picture.png"].startswith("picture.png is a binary file, not text; convert it")
    assert failed["columns.parquet"].startswith("columns.parquet has no column 'text' (it has body)")
    assert "is a table of 3 columns" in failed["table.csv"]
    assert "is a named pipe" in failed["pipe"]


def test_a_file_without_permission(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(path: str, *options: str) -> IO[bytes]:
        if path.endswith("in/a.txt"):
            raise PermissionError(13, "Permission denied")
        return open(path, "rb")

    monkeypatch.setattr(storage, "open", opened, raising=False)  # of root, who may read everything, too
    first, *others = DocumentFiles(folder)
    assert "a.txt cannot be read (Permission denied); check its permissions" in refusal(lambda: parse_record(first))
    assert len(others) == 3


def test_gold_in_a_folder_has_to_be_gold(folder: Path) -> None:
    with pytest.raises(Exception, match=r"a\.txt begins with 'Ada was there\.'; expected JSON lines"):
        list(read_gold(folder))


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_document_per_line(tmp_path: Path, line_end: str) -> None:
    path = write(tmp_path, "lines", line_end.join(["\ufeff{Ada}", "", "  ", "Bob\x85 🦊", "Zoë"]))
    documents = list(read_documents(path, per_line=True))
    assert [(document.id, document.text) for document in documents] == [(1, "{Ada}"), (4, "Bob\x85 🦊"), (5, "Zoë")]
    other = write(tmp_path, "more", "Eve")
    assert [document.id for document in read_documents([path, other], per_line=True)][2:] == ["lines:5", "more:1"]


def test_a_format_that_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "x", "-DOCSTART- (1)\nAda\tB\tAda\tAda\n")
    assert [document.text for document in read_documents(path, format="text")] == ["-DOCSTART- (1)\nAda\tB\tAda\tAda"]
    assert [document.text for document in read_documents(path, format="aida")] == ["Ada"]
    with pytest.raises(OptionError, match="there is no format 'docx'; choose one of jsonl, json, parquet, text, html, nif"):
        DocumentFiles(path, format="docx")
    with pytest.raises(OptionError, match="cannot be plain text and aida at once"):
        DocumentFiles(path, per_line=True, format="aida")


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        find_files(tmp_path / "nowhere")
