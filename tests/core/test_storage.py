"""What is no file is refused in one sentence, neither waited for nor read without end."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from eigenthemes.assembly.nodes import read_ids
from eigenthemes.core.storage import (
    check_input,
    check_output,
    list_files,
    open_input,
    read_file,
    read_folder,
    remove,
    write_atomically,
)
from eigenthemes.documents.reader import read_documents, read_gold
from eigenthemes.embeddings.imported import read_vectors
from eigenthemes.errors import EigenthemesError, SourceError
from eigenthemes.kg.read import read_sources

FOUND = {"folder": "a folder", "pipe": "a named pipe", "socket": "a socket", "device": "a device without end"}


def matrix(path: Path) -> Path:
    np.save(path, np.ones((1, 1)))
    return path


READERS: dict[str, Callable[[Path], object]] = {
    "sources": lambda path: read_sources([path]),
    "documents": lambda path: list(read_documents(path)),
    "gold": lambda path: list(read_gold(path)),
    "vectors": read_vectors,
    "ids of vectors": lambda path: read_vectors(matrix(Path("rows.npy")), ids=path),
    "ids to keep": read_ids,
}


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Path]]:
    """Make what is no file, by its name in FOUND."""
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:

        def make(kind: str) -> Path:
            path = tmp_path / kind
            if kind == "folder":
                path.mkdir()
            elif kind == "pipe":
                os.mkfifo(path)
            elif kind == "socket":
                listening.bind(kind)  # short: systems allow about a hundred letters
            return Path("/dev/zero") if kind == "device" else path

        yield make


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", FOUND)
def test_what_is_no_file_is_not_read(odd: Callable[[str], Path], reader: str, kind: str) -> None:
    path = odd(kind)
    with pytest.raises(EigenthemesError, match=f" is {FOUND[kind]}; ") as caught:
        READERS[reader](path)
    assert caught.value.where == str(path)


@pytest.mark.parametrize("kind", ["folder", "pipe", "socket"])
def test_what_is_no_file_is_not_written_to(odd: Callable[[str], Path], kind: str) -> None:
    path = odd(kind)
    for replaced in (True, False):
        with pytest.raises(SourceError, match=f" is {FOUND[kind]} and cannot be written to") as caught:
            check_output(path, replaced=replaced)
        assert (caught.value.code, caught.value.where) == ("output-place", str(path))


def test_a_device_is_written_to_but_not_replaced() -> None:
    for device in ("/dev/null", "/dev/full"):
        check_output(device)
        with pytest.raises(SourceError, match="is a device"):
            check_output(device, replaced=True)


def test_files_nothing_and_what_is_not_there_are_left_to_whoever_opens_them(tmp_path: Path) -> None:
    for path in (__file__, "/dev/null", tmp_path / "nowhere", tmp_path / "a\0b"):
        check_input(path)
    check_output(tmp_path / "new")


ODD_NAMES = ["a::b.jsonl", "~x", "in[1].jsonl", "what?*.jsonl", "file:x", "new\nline", "\udcff"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_local_names_are_taken_literally(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.jsonl").write_bytes(b"other")
    with write_atomically(name, "unfinished") as out:
        out.write(b"data")
    assert (tmp_path / name).read_bytes() == read_file(name) == b"data"
    with open_input(name) as file:
        assert file.read() == b"data"
    for path in (name, str(tmp_path / name)):
        (entry,) = list_files(path)
        assert (entry.name, entry.path, entry.size) == (name, str(tmp_path / name), 4)
    assert {each.name for each in list_files(".")} == {name, "other.jsonl"}
    assert read_folder(".")[name] == b"data"
    remove(name)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["other.jsonl"]


def test_a_folder_with_brackets_links_and_pipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "in[1]"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.jsonl").write_bytes(b"1")
    (folder / "link.jsonl").symlink_to(folder / "a.jsonl")
    (folder / "folder-link").symlink_to(folder / "deep")
    (folder / "broken").symlink_to(folder / "nowhere")
    (folder / "deep" / "b.jsonl").write_bytes(b"22")
    os.mkfifo(folder / "pipe")
    files = {each.name: each for each in list_files(str(folder))}
    assert {name: entry.size for name, entry in files.items()} == {"a.jsonl": 1, "link.jsonl": 1, "deep/b.jsonl": 2}
    assert files["link.jsonl"].state == files["a.jsonl"].state
    monkeypatch.chdir(folder)
    assert [each.name for each in list_files("*.jsonl")] == ["a.jsonl", "link.jsonl"]


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"before")
    with pytest.raises(TypeError), write_atomically(str(out), str(tmp_path / "unfinished")) as file:
        file.writelines([b"half", "text"])  # type: ignore[list-item]
    assert out.read_bytes() == b"before"
    assert not list((tmp_path / "unfinished").iterdir())


def test_missing_files_and_unknown_protocols(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    assert (read_file(missing), read_folder(missing), list_files(missing)) == (None, {}, [])
    remove(missing)
    with pytest.raises(SourceError, match="does not exist"):
        open_input(missing)
    with pytest.raises(SourceError, match="cannot be opened"):
        open_input("nosuch://bucket/file")
