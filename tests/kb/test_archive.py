"""A KB as an archive: unpacked once per machine, its hash checked, nothing outside its folder."""

from __future__ import annotations

import io
import shutil
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

from eigenthemes import KB, EigenthemesError, KBDamagedError, KBNotFoundError
from eigenthemes.kb.archive import archive_hash, unpacked


@pytest.fixture
def packed(tiny: KB, tmp_path: Path) -> Path:
    return Path(shutil.make_archive(str(tmp_path / "tiny"), "gztar", tiny.path.parent, tiny.path.name))


@pytest.mark.parametrize(("kind", "inside"), [("gztar", False), ("zip", False), ("tar", True), ("zip", True)])
def test_the_kb_comes_out_as_it_went_in(tiny: KB, tmp_path: Path, kind: str, inside: bool) -> None:
    root, base = (tiny.path, None) if inside else (tiny.path.parent, tiny.path.name)
    archive = shutil.make_archive(str(tmp_path / "kb"), kind, root, base)
    opened = KB.open(unpacked(archive, archive_hash(archive), cache=tmp_path / "cache"))
    assert opened.state == tiny.state
    assert "paris" in opened


def test_it_is_unpacked_once_whoever_asks_at_once(packed: Path, tmp_path: Path) -> None:
    sha256, found = archive_hash(str(packed)), list[Path]()
    threads = [
        threading.Thread(target=lambda: found.append(unpacked(str(packed), sha256, cache=tmp_path / "cache"))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len(set(found)) == 1
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == [sha256, f"{sha256}.lock"]
    packed.unlink()  # not needed any more
    assert unpacked(str(packed), sha256, cache=tmp_path / "cache") == found[0]


def test_another_hash_is_refused_before_anything_is_unpacked(packed: Path, tmp_path: Path) -> None:
    with pytest.raises(KBDamagedError, match="another archive"):
        unpacked(str(packed), "0" * 64, cache=tmp_path / "cache")
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".lock"]


def tar_with(path: Path, member: tarfile.TarInfo, data: bytes = b"") -> str:
    with tarfile.open(path, "w:gz") as tar:
        member.size = len(data)
        tar.addfile(member, io.BytesIO(data))
    return str(path)


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "kb/../../evil", "..\\evil", "C:/evil"])
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_no_file_lands_outside_of_the_cache(tmp_path: Path, name: str, kind: str) -> None:
    if kind == "tar":
        archive = tar_with(tmp_path / "evil.tar.gz", tarfile.TarInfo(name), b"x")
    else:
        archive = str(tmp_path / "evil.zip")
        with zipfile.ZipFile(archive, "w") as opened:
            opened.writestr(name, b"x")
    with pytest.raises(EigenthemesError):
        unpacked(archive, archive_hash(archive), cache=tmp_path / "cache")
    assert all(file.is_relative_to(tmp_path / "cache" / archive_hash(archive)) for file in tmp_path.rglob("*evil"))
    assert not Path("/tmp/evil").exists()


@pytest.mark.parametrize("type_", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_refused(tmp_path: Path, type_: bytes) -> None:
    member = tarfile.TarInfo("manifest.json")
    member.type, member.linkname = type_, "/etc/passwd"
    archive = tar_with(tmp_path / "evil.tar.gz", member)
    with pytest.raises(EigenthemesError):
        unpacked(archive, archive_hash(archive), cache=tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 1  # the lock


def test_what_is_no_archive_of_a_kb(packed: Path, tmp_path: Path) -> None:
    whole = packed.read_bytes()
    packed.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(KBDamagedError, match="cannot be unpacked"):
        unpacked(str(packed), archive_hash(str(packed)), cache=tmp_path / "cache")
    other = tar_with(tmp_path / "other.tar.gz", tarfile.TarInfo("notes.txt"), b"x")
    with pytest.raises(KBNotFoundError, match="tar czf"):
        unpacked(other, archive_hash(other), cache=tmp_path / "cache")


def test_the_cache_is_ones_own(packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EIGENTHEMES_CACHE", raising=False)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    sha256 = archive_hash(str(packed))
    folder = unpacked(str(packed), sha256)
    assert folder.parent.parent.stat().st_mode & 0o077 == 0
    folder.parent.parent.chmod(0o777)
    with pytest.raises(EigenthemesError, match="EIGENTHEMES_CACHE"):
        unpacked(str(packed), sha256)
    monkeypatch.setenv("EIGENTHEMES_CACHE", str(tmp_path / "mine"))
    assert unpacked(str(packed), sha256).is_relative_to(tmp_path / "mine")
