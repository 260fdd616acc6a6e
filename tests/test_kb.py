"""The KB folder: whole or not there, checked when opened, the same bytes every time."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import write_jsonl
from looking import file_bytes

from eigenthemes import KB, build_kb
from eigenthemes.errors import KBDamagedError, KBError, KBExistsError, KBNotFoundError, KBVersionError
from eigenthemes.kb.writer import KBWriter

FORMATS = Path(__file__).parent / "formats"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "kg.jsonl", [{"id": "a", "name": "Alpha"}, {"source": "a", "target": "b"}])


def test_the_same_input_gives_the_same_bytes(source: Path, tmp_path: Path) -> None:
    build_kb([source], tmp_path / "one.kb")
    build_kb([source], tmp_path / "two.kb")
    assert file_bytes(tmp_path / "one.kb") == file_bytes(tmp_path / "two.kb")


def test_opening_maps_the_arrays_read_only(tiny: KB) -> None:
    assert isinstance(tiny.array("postings").base, np.memmap)
    assert not tiny.array("postings").flags.writeable


def test_verify_finds_a_changed_byte(source: Path, tmp_path: Path) -> None:
    kb = build_kb([source], tmp_path / "a.kb")
    assert all(right for _, right in kb.verify())
    file = tmp_path / "a.kb" / kb.manifest["data"] / "names_blob.npy"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(bytes(data))
    assert [name for name, right in KB.open(tmp_path / "a.kb").verify() if not right] == ["names_blob.npy"]


@pytest.mark.parametrize("harm", ["cut", "missing"])
def test_a_damaged_kb_is_refused_when_opened(source: Path, tmp_path: Path, harm: str) -> None:
    kb = build_kb([source], tmp_path / "a.kb")
    file = tmp_path / "a.kb" / kb.manifest["data"] / "postings.npy"
    if harm == "cut":
        file.write_bytes(file.read_bytes()[:-1])
    else:
        file.unlink()
    with pytest.raises(KBDamagedError, match=r"postings\.npy .*; build it again"):
        KB.open(tmp_path / "a.kb")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": "other"}', '{"format": "eigenthemes-kb", "version": 1, "data": "../x"}']
)
def test_a_manifest_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(KBDamagedError, match="is not the manifest of a KB"):
        KB.open(tmp_path)


def test_a_newer_format_says_upgrade(source: Path, tmp_path: Path) -> None:
    build_kb([source], tmp_path / "a.kb")
    manifest = json.loads((tmp_path / "a.kb" / "manifest.json").read_text())
    (tmp_path / "a.kb" / "manifest.json").write_text(json.dumps({**manifest, "version": 99}))
    with pytest.raises(KBVersionError, match=r"format version 99.*pip install -U eigenthemes"):
        KB.open(tmp_path / "a.kb")


def test_a_place_without_a_kb_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(KBNotFoundError, match="build a KB there first"):
        KB.open(tmp_path / "nothing.kb")
    with pytest.raises(KBNotFoundError, match=r"no manifest\.json"):
        KB.open(tmp_path)


def test_a_kb_of_each_released_format_still_opens() -> None:
    folders = sorted(FORMATS.glob("*.kb"))
    assert folders
    for folder in folders:
        kb = KB.open(folder)
        assert all(right for _, right in kb.verify())
        entity = kb.index_of("a")
        assert entity is not None
        assert kb.names_of(entity) == ["Alpha", "First letter"]


def test_an_existing_kb_is_replaced_only_with_force(source: Path, tmp_path: Path) -> None:
    build_kb([source], tmp_path / "a.kb")
    before = file_bytes(tmp_path / "a.kb")
    with pytest.raises(KBExistsError, match="say that it is to be replaced"):
        build_kb([source], tmp_path / "a.kb")
    assert file_bytes(tmp_path / "a.kb") == before
    build_kb([source], tmp_path / "a.kb", force=True)
    assert len(list((tmp_path / "a.kb").glob("data-*"))) == 1


def test_a_folder_of_other_things_is_never_touched(source: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    with pytest.raises(KBExistsError, match="other files"):
        build_kb([source], tmp_path / "mine", force=True)
    with pytest.raises(KBExistsError, match="is a file"):
        build_kb([source], source, force=True)


def test_an_open_kb_stays_readable_while_it_is_replaced(source: Path, tmp_path: Path) -> None:
    old = build_kb([source], tmp_path / "a.kb")
    prior = old.prior
    other = write_jsonl(tmp_path / "other.jsonl", [{"id": "z", "name": "Zeta"}])
    new = build_kb([other], tmp_path / "a.kb", force=True)
    assert prior.tolist() == [1.0, 1.0]
    assert [new.id_of(0), new.label_of(0)] == ["z", "Zeta"]


def test_a_second_writer_is_told_to_wait(source: Path, tmp_path: Path) -> None:
    with KBWriter(tmp_path / "a.kb"), pytest.raises(KBError, match="another process"), KBWriter(tmp_path / "a.kb"):
        pass
    assert not (tmp_path / "a.kb").exists()


def test_a_full_disk_is_one_sentence_and_leaves_nothing(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(KBError, match=r"disk of .* is full; nothing was changed"):
        build_kb([source], tmp_path / "a.kb")
    assert not (tmp_path / "a.kb").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is a place on Linux where nobody may write")
def test_a_place_where_nothing_can_be_written_is_one_sentence(source: Path) -> None:
    with pytest.raises(KBError, match="cannot be written"):
        build_kb([source], "/proc/my.kb")


def test_an_interrupted_build_leaves_nothing(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(KBWriter, "commit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build_kb([source], tmp_path / "a.kb")
    assert not (tmp_path / "a.kb").exists()


def written(folder: Path, files: int) -> Callable[[], bool]:
    """Has a build written so many files of its new data?"""
    return lambda: any(len(list(data.glob("*.npy"))) >= files for data in folder.glob("data-new-*"))


def moments(folder: Path) -> dict[str, Callable[[], bool]]:
    return {
        "reading": lambda: (folder.parent / "started").exists(),
        "first file": written(folder, 1),
        "half": written(folder, 15),
        "nearly all": written(folder, 35),
        "named": lambda: len([d for d in folder.glob("data-*") if "new" not in d.name]) > 1,
        "manifest": lambda: (folder / "manifest.json.new").exists(),
    }


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
@pytest.mark.parametrize("moment", ["reading", "first file", "half", "nearly all", "named", "manifest"])
def test_kill_9_leaves_the_old_kb_or_the_new_one(tmp_path: Path, moment: str) -> None:
    old = write_jsonl(tmp_path / "old.jsonl", [{"id": "old", "name": "Old"}])
    new = write_jsonl(tmp_path / "new.jsonl", [{"id": f"n{i}", "name": f"Name {i}"} for i in range(3000)])
    folder = tmp_path / "a.kb"
    build_kb([old], folder)
    command = f"from pathlib import Path; from eigenthemes import build_kb; Path({str(tmp_path / 'started')!r}).touch(); "
    command += f"build_kb([{str(new)!r}], {str(folder)!r}, force=True)"
    process = subprocess.Popen([sys.executable, "-c", command])
    reached = moments(folder)[moment]
    while process.poll() is None and not reached():
        time.sleep(0.0005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kb = KB.open(folder)
    assert all(right for _, right in kb.verify())
    assert len(kb) in (1, 3000)
    rebuilt = build_kb([new], folder, force=True)
    assert len(rebuilt) == 3000
    assert sorted(entry.name for entry in folder.iterdir()) == [".lock", rebuilt.manifest["data"], "manifest.json"]
