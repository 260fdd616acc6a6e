"""The KB folder: layout, manifest, atomic write, memory-mapped opening, verification. The format is docs/kb-format.md.

    my.kb/manifest.json       the only commit point: it names the data folder and every file in it
    my.kb/data-<id>/*.npy     flat arrays
    my.kb/taumil.safetensors  a model that `train-taumil` made for this KB; writers leave it alone

Whoever writes puts new files beside the old ones, syncs them, and replaces manifest.json last. A process killed at any
moment leaves the old KB or the new one; what it leaves lying is removed by the next writer.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from eigenthemes.errors import KBDamagedError, KBError, KBExistsError, KBNotFoundError, KBVersionError, OptionError, VectorError
from eigenthemes.graph import Graph
from eigenthemes.names import NameIndexArrays, SpelledNames
from eigenthemes.strings import HashTable, Strings, hash_bytes, hash_strings
from eigenthemes.typos import TypoIndex

FORMAT = "eigenthemes-kb"
VERSION = 1
MANIFEST = "manifest.json"
_LOCK = ".lock"
Made = TypeVar("Made")
_DATA = re.compile(r"data-[0-9a-z-]+")
_OURS = re.compile(r"data-[0-9a-z-]+|taumil\.safetensors(\.[a-z]+)*")  # with the checkpoint of an unfinished training


@dataclass(frozen=True, slots=True)
class Vectors:
    """A set of vectors of a KB: `rows` [entities, d] float32 of unit length, `has` [entities] bool; others are zero.

    `lengths` [entities] float32 is how long they were before, where that is known: for those who want to see what it changes.
    """

    name: str
    rows: NDArray[np.float32]
    has: NDArray[np.bool_]
    known_lengths: NDArray[np.float32] | None = None

    @property
    def lengths(self) -> NDArray[np.float32]:
        if self.known_lengths is None:
            raise OptionError(
                f"how long the vectors {self.name} were is not known; keep it by importing them: eigenthemes embed --import"
            )
        return self.known_lengths


class KB:
    """A KB on disk, mapped read-only. Entities are numbered 0, 1, ... from the highest prior down."""

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self._folder = path / str(manifest["data"])
        self._made: dict[str, Any] = {}

    @classmethod
    def open(cls, path: str | Path) -> KB:
        """Open a KB: reads the manifest and checks that every file is there in its size. Nothing is loaded."""
        path = Path(path)
        manifest = _read_manifest(path)
        folder = path / manifest["data"]
        for name, described in manifest["files"].items():
            try:
                size = (folder / f"{name}.npy").stat().st_size
            except OSError:
                raise KBDamagedError(f"{path} is damaged: {name}.npy is missing; build it again with --force") from None
            if size != described["bytes"]:
                raise KBDamagedError(
                    f"{path} is damaged: {name}.npy has {size:,} bytes, the manifest says {described['bytes']:,}; "
                    "build it again with --force"
                )
        return cls(path, manifest)

    def __len__(self) -> int:
        return int(self.manifest["counts"]["entities"])

    def __repr__(self) -> str:
        return f"KB({str(self.path)!r}, {len(self):,} entities)"

    # what an entity is

    def id(self, entity: int) -> str:
        """The external id."""
        return str(self.ids[entity])

    def entity(self, external_id: str) -> int | None:
        """The number of an external id; redirects (merged, replaced or alternative ids) resolve. None if unknown."""
        raw = external_id.encode("utf-8", "replace")
        row = self._id_table.find(hash_bytes(raw))
        return None if row < 0 else int(self.array("id_entities")[row])

    def entities(self, external_ids: Sequence[str]) -> NDArray[np.int64]:
        """The numbers of many external ids at once; -1 where unknown."""
        row = self._id_table.find_all(hash_strings(Strings.of(external_ids)))
        return np.where(row >= 0, self.array("id_entities")[row].astype(np.int64), -1)

    def label(self, entity: int) -> str:
        """The label; a node without any name shows its id."""
        first, last = self.array("entity_names")[entity : entity + 2]
        return str(self.names[int(first)]) if first < last else self.id(entity)

    def names_of(self, entity: int) -> list[str]:
        """All names, the label first."""
        first, last = self.array("entity_names")[entity : entity + 2].tolist()
        return [str(self.names[row]) for row in range(first, last)]

    def description(self, entity: int) -> str:
        return str(self.descriptions[entity])

    def types_of(self, entity: int) -> list[str]:
        first, last = self.array("type_indptr")[entity : entity + 2].tolist()
        return [str(self.types[row]) for row in self.array("entity_types")[first:last].tolist()]

    # the arrays

    @cached_property
    def ids(self) -> Strings:
        return self._strings("ids")

    @cached_property
    def names(self) -> Strings:
        return self._strings("names")

    @cached_property
    def descriptions(self) -> Strings:
        return self._strings("descriptions")

    @cached_property
    def types(self) -> Strings:
        return self._strings("types")

    @cached_property
    def relations(self) -> Strings:
        return self._strings("relations")

    @cached_property
    def prior(self) -> NDArray[np.float64]:
        return self.array("prior")

    @cached_property
    def graph(self) -> Graph:
        return Graph(self.array("graph_indptr"), self.array("graph_neighbors"), self.array("graph_relations"))

    @cached_property
    def name_index(self) -> NameIndexArrays:
        return NameIndexArrays(
            self._strings("tokens"),
            self._table("token"),
            self.array("postings_indptr"),
            self.array("postings"),
            self.array("postings_in_label"),
            self._table("key"),
            self.array("key_indptr"),
            self.array("key_entities"),
            self.array("key_kinds"),
            self.array("key_filter"),
            TypoIndex(*(self.array(f"typo_{part}") for part in ("indptr", "members", "checks", "filter"))),
        )

    @cached_property
    def spelled_names(self) -> SpelledNames:
        return SpelledNames(*(self.array(f"name_{part}") for part in ("token_indptr", "tokens", "letters")))

    @property
    def described(self) -> dict[str, Any]:
        """What the manifest says of the KB, for one that is changed and written again."""
        return {key: value for key, value in self.manifest.items() if key not in ("format", "version", "data", "files")}

    @property
    def rankers(self) -> dict[str, dict[str, Any]]:
        """Name of a set of vectors ("" for none) -> the ranker trained with them, as `selftrain.ranker.Ranker.to_dict`."""
        return dict(self.manifest.get("rankers", {}))

    @property
    def vector_sets(self) -> dict[str, dict[str, Any]]:
        """Name -> how it was made, of every set of vectors; the one used unless another is asked for comes first."""
        return dict(self.manifest.get("vectors", {}))

    def vectors(self, name: str | None = None) -> Vectors:
        """A set of vectors; without a name the first."""
        sets = self.vector_sets
        if not sets:
            raise VectorError(
                f"{self.path} has no vectors, and this method needs them; make them with: eigenthemes embed {self.path}"
            )
        if name is not None and name not in sets:
            raise OptionError(f"{self.path} has no vectors named {name!r}; it has {', '.join(sets)}")
        name = name or next(iter(sets))
        lengths = f"vectors-{name}-lengths"
        known = self.array(lengths) if lengths in self.manifest["files"] else None
        return Vectors(name, self.array(f"vectors-{name}"), self.array(f"vectors-{name}-has"), known)

    @cached_property
    def _id_table(self) -> HashTable:
        return self._table("id")

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """Something made from the KB, made when first asked for and kept as long as the KB is open."""
        if name not in self._made:
            self._made[name] = make()
        made: Made = self._made[name]
        return made

    def array(self, name: str) -> NDArray[Any]:
        """A file of the KB as a read-only mapped array."""
        found = self.__dict__.get(f"array {name}")
        if found is None:
            if name not in self.manifest["files"]:
                raise KBDamagedError(
                    f"{self.path} has no {name}.npy: it is older than this program; build it again with --force"
                )
            empty = 0 in self.manifest["files"][name]["shape"]  # nothing to map
            found = np.asarray(np.load(self._file(name), mmap_mode=None if empty else "r", allow_pickle=False))
            self.__dict__[f"array {name}"] = found
        return found

    def _file(self, name: str) -> Path:
        """The place of a file; where the KB was changed since it was opened, that of the same file in the new one."""
        if (self._folder / f"{name}.npy").exists():
            return self._folder / f"{name}.npy"
        now = _read_manifest(self.path)
        if now["files"].get(name) != self.manifest["files"][name]:
            raise KBError(f"{self.path} was replaced by another process since it was opened; open it again")
        folder: str = now["data"]
        return self.path / folder / f"{name}.npy"

    def _strings(self, name: str) -> Strings:
        return Strings(self.array(f"{name}_blob"), self.array(f"{name}_offsets"))

    def _table(self, name: str) -> HashTable:
        return HashTable(self.array(f"{name}_hashes"), self.array(f"{name}_buckets"))

    def verify(self) -> Iterator[tuple[str, bool]]:
        """Check the hash of every file: (file name, is it right)."""
        for name, described in self.manifest["files"].items():
            yield f"{name}.npy", _sha256(self._folder / f"{name}.npy") == described["sha256"]


class KBWriter:
    """Writes a new data folder beside the old one; `commit` makes it the KB, anything else leaves no trace.

    With `base`, a KB that is to be changed, the files that are not written anew are taken over from it.
    """

    def __init__(self, path: str | Path, *, force: bool = False, base: KB | None = None) -> None:
        self.path, self.base = Path(path), base
        check_place(self.path, force=force or base is not None)
        self.files: dict[str, dict[str, Any]] = {}
        self._made_folder = not self.path.exists()
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
        if self.base is not None and _read_manifest(self.path) != self.base.manifest:
            self._lock.close()
            raise KBError(f"{self.path} was replaced by another process since it was opened; run the command again")

    def _take_over(self, left_out: set[str]) -> None:
        """The files of the base that are not written anew: the same file under a second name, or a copy."""
        if self.base is None:
            return
        for name, described in self.base.manifest["files"].items():
            if name not in self.files and name not in left_out:
                old = self.path / self.base.manifest["data"] / f"{name}.npy"
                try:
                    os.link(old, self._folder / f"{name}.npy")
                except OSError:  # a file system without links
                    shutil.copyfile(old, self._folder / f"{name}.npy")
                self.files[name] = described

    def add(self, name: str, array: NDArray[Any]) -> None:
        """Write one array and sync it."""
        file = self._folder / f"{name}.npy"
        with _one_sentence(self.path), open(file, "wb") as out:
            hashing = _HashingFile(out)
            np.lib.format.write_array(hashing, np.ascontiguousarray(array), allow_pickle=False)
            out.flush()
            os.fsync(out.fileno())
        self.files[name] = {
            "dtype": array.dtype.str,
            "shape": list(array.shape),
            "bytes": hashing.size,
            "sha256": hashing.sha256.hexdigest(),
        }

    def add_strings(self, name: str, strings: Strings) -> None:
        self.add(f"{name}_blob", strings.blob)
        self.add(f"{name}_offsets", strings.offsets)

    def add_table(self, name: str, table: HashTable) -> None:
        self.add(f"{name}_hashes", table.hashes)
        self.add(f"{name}_buckets", table.buckets)

    def commit(self, description: dict[str, Any], *, left_out: set[str] | None = None) -> KB:
        """Name the data folder by its content, replace the manifest, remove the old data.

        `left_out`: files of the base that are not wanted any more.
        """
        with _one_sentence(self.path):
            self._take_over(left_out or set())
        content = hashlib.sha256(json.dumps(self.files, sort_keys=True).encode()).hexdigest()[:12]
        with _one_sentence(self.path):
            folder = self.path / f"data-{content}"
            while folder.exists():  # the same content again; the old one may be in use, or damaged
                folder = folder.with_name(f"{folder.name}-2")
            self._folder.rename(folder)
            _sync_folder(self.path)
            manifest = {
                "format": FORMAT,
                "version": VERSION,
                "data": folder.name,
                **description,
                "files": dict(sorted(self.files.items())),
            }
            _replace_manifest(self.path, manifest)
            self._committed = True
            _remove_leftovers(self.path)
        return KB.open(self.path)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not self._committed:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._lock.close()
        if not self._committed and self._made_folder:
            (self.path / _LOCK).unlink(missing_ok=True)
            if not any(self.path.iterdir()):
                self.path.rmdir()


def check_place(path: Path, *, force: bool) -> None:
    """May a KB be written here? Asked before hours of reading, and again before writing."""
    if path.is_dir():
        names = {entry.name for entry in path.iterdir()}
        ours = {name for name in names if name in (MANIFEST, _LOCK, f"{MANIFEST}.new") or _OURS.fullmatch(name)}
        if names - ours:
            raise KBExistsError(f"{path} is a folder with other files in it; give a new place for the KB with -o")
        if MANIFEST in names and not force:
            raise KBExistsError(f"{path} exists; use --force to replace it, or give another place with -o")
    elif path.exists():
        raise KBExistsError(f"{path} is a file, and a KB is a folder; give another place with -o")
    place = next(parent for parent in (path, *path.absolute().parents) if parent.exists())
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise KBError(f"{place} cannot be written to; choose another place for the KB, or change its permissions")


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        text = (path / MANIFEST).read_bytes()
    except FileNotFoundError:
        what = "has no manifest.json, so it is not a KB" if path.is_dir() else "does not exist"
        raise KBNotFoundError(f"{path} {what}; make one with: eigenthemes build KG_FILE -o {path}") from None
    except OSError as error:
        raise KBNotFoundError(f"{path} cannot be opened as a KB ({error.strerror}); give the folder a build made") from None
    try:
        manifest = json.loads(text)
        name, version, data = manifest["format"], manifest["version"], manifest["data"]
        whole = name == FORMAT and _DATA.fullmatch(data) and isinstance(version, int)
        whole = whole and {"files", "counts"} <= manifest.keys()
    except (ValueError, KeyError, TypeError):
        whole = False
    if not whole:
        raise KBDamagedError(f"{path / MANIFEST} is not the manifest of a KB; build it again with --force")
    if version > VERSION:
        raise KBVersionError(
            f"{path} has format version {version}, this program reads up to {VERSION}; upgrade with: pip install -U eigenthemes"
        )
    return dict(manifest)


def _replace_manifest(path: Path, manifest: dict[str, Any]) -> None:
    new = path / f"{MANIFEST}.new"
    with open(new, "w", encoding="utf-8", newline="\n") as out:
        json.dump(manifest, out, indent=1, ensure_ascii=False)
        out.write("\n")
        out.flush()
        os.fsync(out.fileno())
    new.replace(path / MANIFEST)
    _sync_folder(path)


def _remove_leftovers(path: Path) -> None:
    """Remove data folders that no manifest names. A folder that cannot go (mapped, on Windows) is left to the next."""
    try:
        current = _read_manifest(path)["data"]
    except KBError:
        current = None
    for entry in path.iterdir():
        if _DATA.fullmatch(entry.name) and entry.name != current:
            shutil.rmtree(entry, ignore_errors=True)
    (path / f"{MANIFEST}.new").unlink(missing_ok=True)


class _HashingFile:
    def __init__(self, out: IO[bytes]) -> None:
        self.out, self.size, self.sha256 = out, 0, hashlib.sha256()

    def write(self, data: bytes) -> int:
        view = memoryview(data)
        self.sha256.update(view)
        self.size += view.nbytes
        return self.out.write(view)


def _sha256(file: Path) -> str:
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sync_folder(path: Path) -> None:
    if os.name == "posix":  # elsewhere a folder cannot be opened, and need not be
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _take_lock(path: Path) -> IO[bytes]:
    """Hold the KB against a second writer; the system frees it when the process ends, however it ends."""
    lock = open(path / _LOCK, "ab")  # noqa: SIM115
    try:
        if os.name == "posix":
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:  # pragma: no cover: Windows is not tested
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        lock.close()
        raise KBError(f"{path} is being written by another process; wait for it to end") from None
    return lock


class _one_sentence:
    """Turn the system's errors on writing into one sentence."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not isinstance(error, OSError):
            return
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise KBError(f"the disk of {self.path} is full; nothing was changed: free some space and build again") from error
        raise KBError(
            f"{self.path} cannot be written ({error.strerror}); nothing was changed: give another place with -o"
        ) from error
