"""The KB folder: layout, manifest, atomic write, memory-mapped opening, verification. The format is docs/kb-format.md.

    my.kb/manifest.json       the only commit point: it names the data folder and every file in it
    my.kb/data-<id>/*.npy     flat arrays
    my.kb/taumil.safetensors  a model that `train-taumil` made for this KB; writers leave it alone

Whoever writes puts new files beside the old ones, syncs them, and replaces manifest.json last. A process killed at any
moment leaves the old KB or the new one; what it leaves lying is removed by the next writer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import HashTable, Strings, hash_bytes, hash_strings
from eigenthemes.errors import KBDamagedError, KBError, OptionError, VectorError
from eigenthemes.kb.graph import Graph
from eigenthemes.kb.manifest import read_manifest
from eigenthemes.kb.name_index import NameIndexArrays, SpelledNames, TypoIndex

Made = TypeVar("Made")


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
        manifest = read_manifest(path)
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
        now = read_manifest(self.path)
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


def _sha256(file: Path) -> str:
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
