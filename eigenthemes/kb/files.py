"""The files of an opened KB: arrays mapped read-only, and checked before anything is indexed with them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import HashTable
from eigenthemes.errors import EigenthemesError, KBDamagedError, KBError
from eigenthemes.kb.array_rules import damage_of_array, damage_of_numbers, part_size, sizes_of
from eigenthemes.kb.manifest import MANIFEST, is_sealed, no_permission, parse_manifest, read_manifest
from eigenthemes.kb.stored_strings import StoredStrings, damaged

Read = TypeVar("Read")

ATTEMPTS = 20  # at reading a KB that other processes replace again and again


class KBFiles:
    """The files that a manifest names. Any number of threads may use them.

    array    an array, all of its numbers checked once: for many look-ups, and for compiled code
    mapped   the same, nothing of it read yet: whoever uses it checks the rows it reads, as `bounds` and `numbers` do
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self._folder = path / str(manifest["data"])
        self._mapped: dict[str, NDArray[Any]] = {}
        self._checked: dict[str, NDArray[Any]] = {}
        self._sizes = sizes_of(int(manifest["counts"]["entities"]), manifest["files"])
        self._mapping = Lock()
        self._closed = False

    def close(self) -> None:
        """Let go of the mapped files; arrays that somebody still holds stay as they are."""
        with self._mapping:
            self._closed = True
            self._mapped.clear()
            self._checked.clear()

    def has(self, name: str) -> bool:
        """Return whether the KB holds this file: some are optional, and an older KB lacks some."""
        return name in self.manifest["files"]

    def array(self, name: str) -> NDArray[Any]:
        """Return a file of the KB as a read-only mapped array, all of its numbers checked once (see `array_rules`)."""
        array = self._checked.get(name)
        if array is None:
            array = self.mapped(name)
            wrong = damage_of_array(name, array, self._sizes)
            if wrong:
                raise damaged(self.path, f"{name}.npy {wrong}")
            self._checked[name] = array
        return array

    def mapped(self, name: str) -> NDArray[Any]:
        """Return a file of the KB as a read-only mapped array; nothing of it is read."""
        array = self._mapped.get(name)
        if array is None:
            with self._mapping:
                array = self._mapped.get(name)
                if array is None:
                    array = self._mapped[name] = self._map(name)
        return array

    def map_files(self) -> None:
        """Map all files now: then the KB stays as it is, whatever becomes of the folder."""
        for name in self.manifest["files"]:
            self.mapped(name)

    def bounds(self, name: str, first: int, last: int) -> list[int]:
        """Return the bounds of the parts first, ..., last - 1 that an array holds, checked."""
        bounds: list[int] = self.mapped(name)[first : last + 1].tolist()
        ascending = bounds[0] <= bounds[1] if len(bounds) == 2 else len(bounds) > 0 and bounds == sorted(bounds)
        if not ascending or bounds[0] < 0 or bounds[-1] > part_size(name, self._sizes):
            raise damaged(self.path, f"{name}.npy does not ascend")
        return bounds

    def numbers(self, name: str, first: int, last: int) -> list[int]:
        """Return the numbers first, ..., last - 1 that an array holds, checked."""
        numbers = self.mapped(name)[first:last]
        wrong = damage_of_numbers(name, numbers, self._sizes)
        if wrong:
            raise damaged(self.path, f"{name}.npy {wrong}")
        as_list: list[int] = numbers.tolist()
        return as_list

    def verify(self) -> Iterator[tuple[str, bool]]:
        """Check the hash of the manifest and of every file: (file name, is it right)."""
        yield MANIFEST, is_sealed(parse_manifest(self.path))
        for name, described in self.manifest["files"].items():
            yield f"{name}.npy", self._read_file(name, sha256_of_file) == described["sha256"]

    def _map(self, name: str) -> NDArray[Any]:
        if self._closed:
            raise KBError(f"{self.path} was closed; open it again", where=str(self.path))
        if not self.has(name):
            raise KBDamagedError(
                f"{self.path} has no {name}.npy: it is older than this program; build it again", where=str(self.path)
            )
        described = self.manifest["files"][name]
        empty = 0 in described["shape"]  # nothing to map
        is_another = f"{name}.npy is not the array that the manifest names"
        try:
            array = self._read_file(
                name, lambda file: np.asarray(np.load(file, mmap_mode=None if empty else "r", allow_pickle=False))
            )
        except PermissionError:
            raise no_permission(self.path, f"{name}.npy") from None
        except (EigenthemesError, OSError, MemoryError):
            raise
        except Exception:  # numpy parses the header as Python: a broken one raises TokenError, SyntaxError, ValueError, ...
            raise damaged(self.path, is_another) from None
        if (list(array.shape), array.dtype.str) != (described["shape"], described["dtype"]):
            raise damaged(self.path, is_another)
        array.flags.writeable = False  # an empty one, as if it were mapped: the compiler takes another type for another kernel
        return array

    def _read_file(self, name: str, read: Callable[[Path], Read]) -> Read:
        """Read a file; where the KB was changed since it was opened, the same file in the new one."""
        folder = self._folder
        for _ in range(ATTEMPTS):
            try:
                return read(folder / f"{name}.npy")
            except FileNotFoundError:  # removed by another process, perhaps this very moment
                now = read_manifest(self.path)
                if now["files"].get(name) != self.manifest["files"][name]:
                    break
                folder = self.path / str(now["data"])
        raise replaced(self.path)

    def _strings(self, name: str) -> StoredStrings:
        return StoredStrings(self.mapped(f"{name}_blob"), self.mapped(f"{name}_offsets"), self.path, name)

    def _table(self, name: str) -> HashTable:
        return HashTable(self.mapped(f"{name}_hashes"), self.mapped(f"{name}_buckets"))


def replaced(path: Path) -> KBError:
    """Return the error for a KB that is no longer the one that was opened."""
    sentence = f"{path} was replaced by another process since it was opened; open it again"
    return KBError(sentence, code="kb-replaced", where=str(path))


def sha256_of_file(file: Path) -> str:
    """Return the hash of a file, as the manifest keeps it."""
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
