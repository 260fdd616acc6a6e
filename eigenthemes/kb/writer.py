"""Write a KB folder: new files beside the old ones, the manifest last."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import HashTable
from eigenthemes.core.storage import is_full, lock, reason
from eigenthemes.core.strings import Strings
from eigenthemes.errors import KBError, KBExistsError
from eigenthemes.kb.data_files import sha256_of_file
from eigenthemes.kb.manifest import (
    DATA_FOLDER,
    FORMAT,
    MANIFEST,
    NEW_MANIFEST,
    VERSION,
    read_manifest,
    replace_manifest,
    sync_folder,
)
from eigenthemes.kb.store import KB


class KBWriter:
    """Writes a new data folder beside the old one; `commit` makes it the KB, anything else leaves no trace.

        with KBWriter("my.kb") as writer:
            writer.add("prior", prior)
            kb = writer.preview(description)     # to make more from what is written, before anybody else sees it
            kb = writer.commit({**description, "rankers": train(kb)})

    With `base`, a KB that is to be changed here or copied with changes, the files that are not written anew are taken over.
    """

    def __init__(self, path: str | Path, *, force: bool = False, base: KB | None = None) -> None:
        self.path, self.base = Path(path), base
        check_writable(self.path, force=force or (base is not None and base.path == self.path))
        self.files: dict[str, dict[str, Any]] = {}
        self._made_folder = not self.path.exists()
        self._previews: list[KB] = []
        self._committed = False

    def __enter__(self) -> KBWriter:
        with _one_sentence(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = _take_lock(self.path)
            self._check_base()
            _remove_leftovers(self.path)
            self._folder = self.path / f"data-new-{os.getpid()}"
            self._folder.mkdir()
        return self

    def _check_base(self) -> None:
        if self.base is not None and read_manifest(self.base.path) != self.base.manifest:
            self._lock.close()
            raise KBError(
                f"{self.base.path} was replaced by another process since it was opened; open it again and repeat the change",
                code="kb-replaced",
                where=str(self.base.path),
            )

    def add(self, name: str, array: NDArray[Any]) -> None:
        """Write one array and sync it."""
        array = np.ascontiguousarray(array)
        file = self._folder / f"{name}.npy"
        with _one_sentence(self.path):
            file.unlink(missing_ok=True)  # where it was taken over: never write into a file of the old KB
            with open(file, "wb") as out:  # not by np.save, whose errors do not say that a disk is full
                header = np.lib.format.header_data_from_array_1_0(array)
                np.lib.format.write_array_header_1_0(out, header)
                out.write(array.data)
                out.flush()
                os.fsync(out.fileno())
            self.files[name] = {
                "dtype": array.dtype.str,
                "shape": list(array.shape),
                "bytes": file.stat().st_size,
                "sha256": sha256_of_file(file),
            }

    def add_strings(self, name: str, strings: Strings) -> None:
        """Write the two arrays of some strings."""
        self.add(f"{name}_blob", strings.blob)
        self.add(f"{name}_offsets", strings.offsets)

    def add_table(self, name: str, table: HashTable) -> None:
        """Write the two arrays of a table."""
        self.add(f"{name}_hashes", table.hashes)
        self.add(f"{name}_buckets", table.buckets)

    def preview(self, description: dict[str, Any], *, left_out: set[str] | None = None) -> KB:
        """Return the KB as it would be if it were committed now; only this process knows it, and only until `commit`."""
        self._take_over(left_out or set())
        preview = KB(self.path, self._manifest(self._folder.name, description))
        self._previews.append(preview)
        return preview

    def commit(self, description: dict[str, Any], *, left_out: set[str] | None = None) -> KB:
        """Name the data folder by its content, replace the manifest, remove the old data.

        `left_out`: files of the base that are not wanted any more.
        """
        self._take_over(left_out or set())
        self._close_previews()
        content = hashlib.sha256(json.dumps(self.files, sort_keys=True).encode()).hexdigest()[:12]
        with _one_sentence(self.path):
            folder = self.path / f"data-{content}"
            while folder.exists() and not self._is_held_by(folder):  # damaged, and perhaps in use
                folder = folder.with_name(f"{folder.name}-2")
            if not folder.exists():  # else it stays as it is: the same work again leaves the same bytes
                sync_folder(self._folder)
                self._folder.rename(folder)
                sync_folder(self.path)
            replace_manifest(self.path, self._manifest(folder.name, description))
            self._committed = True
            _remove_leftovers(self.path)
        return KB.open(self.path)

    def _is_held_by(self, folder: Path) -> bool:
        """Return whether a folder holds all that was written: the very same files, or others with the same hash."""
        for name, described in self.files.items():
            old = folder / f"{name}.npy"
            if not old.is_file() or not (old.samefile(self._folder / old.name) or sha256_of_file(old) == described["sha256"]):
                return False
        return True

    def _take_over(self, left_out: set[str]) -> None:
        """Take over the files of the base that are not written anew: the same file under a second name, or a copy."""
        if self.base is None:
            return
        with _one_sentence(self.path):
            for name, described in self.base.manifest["files"].items():
                if name not in self.files and name not in left_out:
                    old = self.base.path / self.base.manifest["data"] / f"{name}.npy"
                    try:
                        os.link(old, self._folder / f"{name}.npy")
                    except OSError:  # a file system without links
                        shutil.copyfile(old, self._folder / f"{name}.npy")
                    self.files[name] = described

    def _manifest(self, folder: str, description: dict[str, Any]) -> dict[str, Any]:
        files = dict(sorted(self.files.items()))
        return {"format": FORMAT, "version": VERSION, "data": folder, **description, "files": files}

    def _close_previews(self) -> None:
        for preview in self._previews:
            preview.close()

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._close_previews()
        if not self._committed:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._lock.close()
        if not self._committed and self._made_folder:
            (self.path / _LOCK).unlink(missing_ok=True)
            if not any(self.path.iterdir()):
                self.path.rmdir()
        if isinstance(error, KeyboardInterrupt) and not self._committed:
            is_there = (self.path / MANIFEST).exists()
            state = "is as it was before" if is_there else "was not written"
            raise KeyboardInterrupt(f"interrupted; {self.path} {state}") from None


def check_writable(path: Path, *, force: bool) -> None:
    """Raise if no KB may be written at a path; called before reading and again before writing."""
    if path.is_dir():
        names = {entry.name for entry in path.iterdir()}
        ours = {name for name in names if name in (MANIFEST, _LOCK, NEW_MANIFEST) or _OURS.fullmatch(name)}
        if names - ours:
            raise KBExistsError(f"{path} is a folder with other files in it{_OTHER_PLACE}", code="kb-place", where=str(path))
        if MANIFEST in names and not force:
            raise KBExistsError(f"{path} exists{_OTHER_PLACE}, or say that it is to be replaced", where=str(path))
    elif path.exists():
        raise KBExistsError(f"{path} is a file, and a KB is a folder{_OTHER_PLACE}", code="kb-place", where=str(path))
    parent = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise KBError(
            f"{parent} cannot be written to{_OTHER_PLACE}, or change its permissions", code="kb-place", where=str(parent)
        )


def _remove_leftovers(path: Path) -> None:
    """Remove data folders that no manifest names. A folder that cannot go (mapped, on Windows) is left to the next."""
    current = _current_data(path)
    for entry in path.iterdir():
        if DATA_FOLDER.fullmatch(entry.name) and entry.name != current:
            _remove(entry)
    (path / NEW_MANIFEST).unlink(missing_ok=True)


def _remove(entry: Path) -> None:
    """Remove a folder with all that is in it; of a link, or what else bears the name of a folder of ours, only itself."""
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        with suppress(OSError):
            entry.unlink()


def _current_data(path: Path) -> str | None:
    """Return the data folder that the manifest names, even if the manifest is damaged or of a newer format."""
    try:
        return str(json.loads((path / MANIFEST).read_bytes())["data"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _take_lock(path: Path) -> IO[bytes]:
    """Hold the KB against a second writer; the system frees it when the process ends, however it ends."""
    file = open(path / _LOCK, "ab")  # noqa: SIM115
    try:
        lock(file.fileno())
    except OSError:
        file.close()
        raise KBError(f"{path} is being written by another process; wait for it to end", where=str(path)) from None
    return file


@contextmanager
def _one_sentence(path: Path) -> Iterator[None]:
    """Turn the system's errors on writing into one sentence."""
    try:
        yield
    except OSError as error:
        cause, remedy = f"{path} cannot be written ({reason(error)})", "choose another place for the KB"
        if is_full(error):
            cause, remedy = f"the disk of {path} is full", "free some space and build again"
        raise KBError(
            f"{cause}; nothing was changed: {remedy}", code=None if is_full(error) else "kb-place", where=str(path)
        ) from error


_LOCK = ".lock"
_OTHER_PLACE = "; choose another place for the KB"
_OURS = re.compile(r"data-[0-9a-z-]+|taumil\.safetensors(\.[a-z]+)*")  # with the checkpoint of an unfinished training
