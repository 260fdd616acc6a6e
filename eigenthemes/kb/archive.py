"""A KB that travels as an archive (tar, tar.gz, tar.bz2, tar.xz or zip): unpacked once per machine, its hash checked.

    folder = unpacked("s3://bucket/my.kb.tar.gz", sha256)

Any number of processes may do so at once: the first unpacks, the others wait for it. A KB appears in the cache only when it is
whole, so a process that is killed leaves nothing that another would take for a KB.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from eigenthemes.core.storage import is_url, lock, open_input, reason
from eigenthemes.errors import KBDamagedError, KBError, KBNotFoundError
from eigenthemes.kb.data_files import sha256_of_file
from eigenthemes.kb.manifest import MANIFEST

CACHE = "EIGENTHEMES_CACHE"  # environment: where KBs are unpacked
_BLOCK = 1 << 20


def archive_hash(path: str) -> str:
    """Return the SHA-256 of an archive."""
    with open_input(path) as file:
        return hashlib.file_digest(cast(Any, file), "sha256").hexdigest()


def unpacked(path: str, sha256: str, *, cache: Path | None = None) -> Path:
    """Return the folder of an archived KB, unpacked once per machine.

    sha256  what the archive must have; another one is refused before anything is unpacked
    """
    cache = _cache_folder() if cache is None else cache
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / sha256
    if not folder.is_dir():  # it is there only when it is whole
        with open(cache / f"{sha256}.lock", "ab") as file:
            lock(file.fileno(), wait=True)
            if not folder.is_dir():
                _unpack(path, sha256, folder)
    return _kb_in(folder, path)


def _unpack(path: str, sha256: str, folder: Path) -> None:
    unfinished = folder.with_name(f"{sha256}.{uuid4().hex}.unfinished")
    unfinished.mkdir()
    try:
        archive = _fetched(path, unfinished / "archive")
        found = sha256_of_file(archive)
        if found != sha256:
            raise KBDamagedError(
                f"{path} has the hash {found[:12]}..., expected {sha256[:12]}...: it is another archive than the job began "
                "with; give that one, or begin a new job",
                code="archive-hash",
                where=path,
            )
        _extract(archive, unfinished / "kb", path)
        (unfinished / "kb").rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _fetched(path: str, place: Path) -> Path:
    """Return an archive as a file of this machine."""
    if not is_url(path):
        with open_input(path):  # raises an error if the path is wrong
            return Path(path)
    with open_input(path) as file, open(place, "wb") as out:
        shutil.copyfileobj(file, out, _BLOCK)
    return place


def _extract(archive: Path, folder: Path, name: str) -> None:
    """Unpack an archive; what would lie outside of the folder, and devices, are refused or put inside."""
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                opened.extractall(folder)
        else:
            with tarfile.open(archive) as tar:
                tar.extractall(folder, filter="data")
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise KBDamagedError(
            f"{name} cannot be unpacked ({reason(error)}); pack the KB again", code="archive", where=name
        ) from None


def _kb_in(folder: Path, archive: str) -> Path:
    """Return the folder of the KB: the given one, or the only one in it that is a KB."""
    if (folder / MANIFEST).is_file():
        return folder
    found = [each.parent for each in folder.glob(f"*/{MANIFEST}")]
    if len(found) != 1:
        raise KBNotFoundError(
            f"{archive} holds {len(found) or 'no'} KBs; pack the folder of one, for instance: tar czf my.kb.tar.gz my.kb",
            code="archive",
            where=archive,
        )
    return found[0]


def _cache_folder() -> Path:
    """Return a cache folder on local disk that only this user can write."""
    if os.environ.get(CACHE):
        return Path(os.environ[CACHE])
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"eigenthemes-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if folder.is_symlink() or (hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022)):
        raise KBError(
            f"{folder} belongs to somebody else, or others may write to it; set {CACHE} to a folder of your own",
            code="archive",
            where=str(folder),
        )
    return folder
