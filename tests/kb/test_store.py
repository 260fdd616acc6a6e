"""Opening a KB folder: checked, mapped read-only, every released format; damage is one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.files import file_bytes, write_jsonl
from helpers.kbs import build_untrained

from eigenthemes import KB
from eigenthemes.cli.advice import advise
from eigenthemes.errors import KBDamagedError, KBNotFoundError, KBVersionError


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "kg.jsonl", [{"id": "a", "name": "Alpha"}, {"source": "a", "target": "b"}])


def test_the_same_input_gives_the_same_bytes(source: Path, tmp_path: Path) -> None:
    build_untrained([source], tmp_path / "one.kb")
    build_untrained([source], tmp_path / "two.kb")
    assert file_bytes(tmp_path / "one.kb") == file_bytes(tmp_path / "two.kb")


def test_opening_maps_the_arrays_read_only(tiny: KB) -> None:
    assert isinstance(tiny.array("postings").base, np.memmap)
    assert not tiny.array("postings").flags.writeable


def test_verify_finds_a_changed_byte(source: Path, tmp_path: Path) -> None:
    kb = build_untrained([source], tmp_path / "a.kb")
    assert all(right for _, right in kb.verify())
    file = tmp_path / "a.kb" / kb.manifest["data"] / "names_blob.npy"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(bytes(data))
    assert [name for name, right in KB.open(tmp_path / "a.kb").verify() if not right] == ["names_blob.npy"]


@pytest.mark.parametrize("harm", ["cut", "missing"])
def test_a_damaged_kb_is_refused_when_opened(source: Path, tmp_path: Path, harm: str) -> None:
    kb = build_untrained([source], tmp_path / "a.kb")
    file = tmp_path / "a.kb" / kb.manifest["data"] / "postings.npy"
    if harm == "cut":
        file.write_bytes(file.read_bytes()[:-1])
    else:
        file.unlink()
    with pytest.raises(KBDamagedError, match=r"postings\.npy .*; build it again") as refused:
        KB.open(tmp_path / "a.kb")
    assert advise(refused.value, "link") == f"{refused.value} (eigenthemes build KG_FILE -o {tmp_path / 'a.kb'} --force)"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": "other"}', '{"format": "eigenthemes-kb", "version": 1, "data": "../x"}']
)
def test_a_manifest_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(KBDamagedError, match="is not the manifest of a KB") as refused:
        KB.open(tmp_path)
    assert refused.value.where == str(tmp_path)


def test_a_newer_format_says_upgrade(source: Path, tmp_path: Path) -> None:
    build_untrained([source], tmp_path / "a.kb")
    manifest = json.loads((tmp_path / "a.kb" / "manifest.json").read_text())
    (tmp_path / "a.kb" / "manifest.json").write_text(json.dumps({**manifest, "version": 99}))
    with pytest.raises(KBVersionError, match=r"format version 99.*pip install -U eigenthemes"):
        KB.open(tmp_path / "a.kb")


def test_a_place_without_a_kb_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(KBNotFoundError, match=r"nothing\.kb does not exist; build a KB there first") as refused:
        KB.open(tmp_path / "nothing.kb")
    assert advise(refused.value, "link").endswith(f"first (eigenthemes build KG_FILE -o {tmp_path / 'nothing.kb'})")
    with pytest.raises(KBNotFoundError, match=r"is an empty folder, and no KB; build a KB there first"):
        KB.open(tmp_path)
    (tmp_path / "kg.ttl").write_text("")
    for place in (tmp_path, tmp_path / "kg.ttl"):  # no place for a KB: building there would be refused
        with pytest.raises(KBNotFoundError, match=r"; give the folder that a build made") as refused:
            KB.open(place)
        assert advise(refused.value, "link") == str(refused.value)
