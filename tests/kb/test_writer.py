"""Writing a KB folder: whole or not there, whatever interrupts it."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.files import file_bytes, write_jsonl
from helpers.kbs import build_untrained

from eigenthemes import KB
from eigenthemes.errors import KBError, KBExistsError
from eigenthemes.kb.writer import KBWriter


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "kg.jsonl", [{"id": "a", "name": "Alpha"}, {"source": "a", "target": "b"}])


def test_an_existing_kb_is_replaced_only_with_force(source: Path, tmp_path: Path) -> None:
    build_untrained([source], tmp_path / "a.kb")
    before = file_bytes(tmp_path / "a.kb")
    with pytest.raises(KBExistsError, match="say that it is to be replaced"):
        build_untrained([source], tmp_path / "a.kb")
    assert file_bytes(tmp_path / "a.kb") == before
    build_untrained([source], tmp_path / "a.kb", force=True)
    assert len(list((tmp_path / "a.kb").glob("data-*"))) == 1


def test_a_folder_of_other_things_is_never_touched(source: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    with pytest.raises(KBExistsError, match="other files"):
        build_untrained([source], tmp_path / "mine", force=True)
    with pytest.raises(KBExistsError, match="is a file"):
        build_untrained([source], source, force=True)


def test_an_open_kb_stays_readable_while_it_is_replaced(source: Path, tmp_path: Path) -> None:
    old = build_untrained([source], tmp_path / "a.kb")
    prior = old.prior
    other = write_jsonl(tmp_path / "other.jsonl", [{"id": "z", "name": "Zeta"}])
    new = build_untrained([other], tmp_path / "a.kb", force=True)
    assert prior.tolist() == [1.0, 1.0]
    assert [new.id_of(0), new.label_of(0)] == ["z", "Zeta"]


def test_a_second_writer_is_refused(source: Path, tmp_path: Path) -> None:
    with KBWriter(tmp_path / "a.kb"), pytest.raises(KBError, match="another process"), KBWriter(tmp_path / "a.kb"):
        pass
    assert not (tmp_path / "a.kb").exists()


def test_a_full_disk_is_one_sentence_and_leaves_nothing(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(KBError, match=r"disk of .* is full; nothing was changed"):
        build_untrained([source], tmp_path / "a.kb")
    assert not (tmp_path / "a.kb").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is a place on Linux where nobody may write")
def test_a_place_where_nothing_can_be_written_is_one_sentence(source: Path) -> None:
    with pytest.raises(KBError, match="cannot be written"):
        build_untrained([source], "/proc/my.kb")


def test_an_interrupted_build_leaves_nothing(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(KBWriter, "commit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build_untrained([source], tmp_path / "a.kb")
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
    build_untrained([old], folder)
    command = f"from pathlib import Path; from eigenthemes import build_kb; Path({str(tmp_path / 'started')!r}).touch(); "
    command += f"build_kb([{str(new)!r}], {str(folder)!r}, force=True, train=False)"
    process = subprocess.Popen([sys.executable, "-c", command])
    reached = moments(folder)[moment]
    while process.poll() is None and not reached():
        time.sleep(0.0005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() in (-signal.SIGKILL, 0), "killed, or done before the moment was seen"
    kb = KB.open(folder)
    assert all(right for _, right in kb.verify())
    assert len(kb) in (1, 3000)
    rebuilt = build_untrained([new], folder, force=True)
    assert len(rebuilt) == 3000
    assert sorted(entry.name for entry in folder.iterdir()) == [".lock", rebuilt.manifest["data"], "manifest.json"]
