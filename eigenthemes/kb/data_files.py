"""The data files of a KB folder: opening arrays and strings, and checking their shapes and contents."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import HashTable
from eigenthemes.errors import EigenthemesError, KBDamagedError, KBError, OptionError
from eigenthemes.kb.entity_records import StoredStrings, damaged
from eigenthemes.kb.manifest import MANIFEST, is_sealed, no_permission, parse_manifest, read_manifest
from eigenthemes.kb.name_arrays import ACRONYM


class _Rule(NamedTuple):
    """What an array of a KB must be like; names are those of other arrays, or of what `sizes_of` counts.

    rows     what it has one entry for each of; of bounds without it, there are a power of two
    parts    it holds bounds, one more than there are rows: they ascend from 0 to the size of what they cut into parts
    numbers  what its entries number, each less than its size
    """

    rows: str = ""
    parts: str = ""
    numbers: str = ""


_COUNTED_BY_OFFSETS = ("names", "tokens", "types", "relations", "languages", "memory")
_OWNERS_OF_STRINGS = {"ids": "entities", "descriptions": "entities", **{name: name for name in _COUNTED_BY_OFFSETS}}
_RULES = {
    **{f"{name}_offsets": _Rule(owner, parts=f"{name}_blob") for name, owner in _OWNERS_OF_STRINGS.items()},
    **{f"{name}_buckets": _Rule(parts=f"{name}_hashes") for name in ("id", "token", "key")},
    **dict.fromkeys(("prior", "answers"), _Rule("entities")),
    **dict.fromkeys(("profile_rarity", "token_hashes", "token_information", "token_kinds"), _Rule("tokens")),
    **dict.fromkeys(("name_letters", "name_brackets", "name_costs"), _Rule("names")),
    **dict.fromkeys(("postings_in_label", "postings_share"), _Rule("postings")),
    **dict.fromkeys(
        ("graph_neighbors", "hub_entities", "kind_entities", "postings", "key_entities"), _Rule(numbers="entities")
    ),
    **dict.fromkeys(("profile_words", "related_tokens", "typo_members", "name_tokens"), _Rule(numbers="tokens")),
    **dict.fromkeys(("name_more_entries", "name_derived"), _Rule(numbers="names")),
    "graph_indptr": _Rule("entities", parts="graph_neighbors"),
    "graph_relations": _Rule("graph_neighbors", numbers="directed relations"),
    "graph_more_entries": _Rule(numbers="graph_neighbors"),
    "graph_more_relations": _Rule("graph_more_entries", numbers="directed relations"),
    "type_indptr": _Rule("entities", parts="entity_types"),
    "entity_types": _Rule(numbers="types"),
    "attribute_indptr": _Rule("entities", parts="entity_attributes"),
    "entity_attributes": _Rule(numbers="attributes"),
    "attribute_share": _Rule("attributes"),
    "profile_indptr": _Rule("entities", parts="profile_words"),
    "hub_share": _Rule("hub_entities"),
    "kind_of": _Rule("entities", numbers="kinds and none"),
    "id_entities": _Rule("id_hashes", numbers="entities"),
    "stem_tokens": _Rule("stem_hashes", numbers="tokens"),
    "root_tokens": _Rule("root_hashes", numbers="tokens"),
    "related_indptr": _Rule("tokens", parts="related_tokens"),
    "related_kinds": _Rule("related_tokens", numbers="relations of tokens"),
    "postings_indptr": _Rule("tokens", parts="postings"),
    "key_indptr": _Rule("key_hashes", parts="key_entities"),
    "key_kinds": _Rule("key_entities", numbers="match types"),
    "key_summary": _Rule("key_hashes"),
    "typo_indptr": _Rule(parts="typo_members"),
    "typo_checks": _Rule("typo_members"),
    "entity_names": _Rule("entities", parts="names"),
    "name_token_indptr": _Rule("names", parts="name_tokens"),
    "name_languages": _Rule("names", numbers="languages"),
    "name_more_languages": _Rule("name_more_entries", numbers="languages"),
}
_BIT_FILTERS = ("key_filter", "typo_filter")


def _rule_of(name: str) -> _Rule:
    return _RULES.get(name, _Rule("entities" if name.startswith("vectors-") else ""))


def sizes_of(entities: int, files: dict[str, dict[str, Any]]) -> dict[str, int]:
    """Return the size of everything that arrays number or have entries for, as the manifest gives it."""
    sizes = {name: int(described["shape"][0]) for name, described in files.items() if described["shape"]}
    for name in _COUNTED_BY_OFFSETS:
        sizes[name] = max(0, sizes.get(f"{name}_offsets", 1) - 1)
    directed = 2 * sizes["relations"]
    attributes = sizes["types"] + directed
    numbered = {"directed relations": directed, "attributes": attributes, "match types": ACRONYM + 1, "relations of tokens": 6}
    numbered["kinds and none"] = sizes.get("kind_entities", 0) + 1
    return {**sizes, "entities": entities, **numbered}


def damage_of_array(name: str, array: NDArray[Any], sizes: dict[str, int]) -> str | None:
    """Return a description of the damage in an array; None if it is sound or has no rule."""
    rule = _rule_of(name)
    is_bounds = bool(rule.parts)
    expected = sizes[rule.rows] + is_bounds if rule.rows in sizes else len(array)
    if len(array) != expected:
        return f"has {len(array):,} rows, not {expected:,}"
    if is_bounds and not rule.rows and not _is_power_of_two(len(array) - 1):
        return f"has {len(array) - 1:,} buckets, which is no power of two"
    if name in _BIT_FILTERS and not _is_power_of_two(len(array)):
        return f"has {len(array):,} bytes, which is no power of two"
    if is_bounds:
        return _damage_of_bounds(array, sizes[rule.parts])
    if name == "prior":
        return None if np.all(np.isfinite(array)) else "has a number that is no prior"
    if name in ("profile_rarity", "token_information", "name_costs"):
        return None if np.all(np.isfinite(array)) else "has a number that is not finite"
    if name in ("attribute_share", "hub_share"):
        return None if np.all((array > 0) & (array < 1)) else "has a number that is no share"
    return damage_of_numbers(name, array, sizes)


def damage_of_numbers(name: str, numbers: NDArray[Any], sizes: dict[str, int]) -> str | None:
    """Return a description of the damage in some indices of an array; None if they are sound."""
    counted = _rule_of(name).numbers
    if not counted or not len(numbers):
        return None
    if numbers.dtype.kind == "i" and int(numbers.min()) < 0:
        return f"has the number {int(numbers.min()):,}"
    largest = int(numbers.max())
    return f"has the number {largest:,}, and there are {sizes[counted]:,} {counted}" if largest >= sizes[counted] else None


def _damage_of_bounds(bounds: NDArray[Any], last: int) -> str | None:
    if not len(bounds) or bounds[0] != 0 or bounds[-1] != last:
        return f"does not lead from 0 to {last:,}"
    return None if np.all(bounds[1:] >= bounds[:-1]) else "does not ascend"


def _is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


Read = TypeVar("Read")

ATTEMPTS = 20  # at reading a KB that other processes replace again and again


class KBFiles:
    """The files that a manifest names. Any number of threads may use them.

    array    an array, all of its numbers checked once: for many look-ups, and for compiled code
    mapped   the same, nothing of it read yet: callers check the rows they read, as `bounds` and `numbers` do
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
        """Release the mapped files; arrays that are still referenced stay valid."""
        with self._mapping:
            self._closed = True
            self._mapped.clear()
            self._checked.clear()

    def has(self, name: str) -> bool:
        """Return whether the KB holds this file: some are optional."""
        _check_request(name)
        return name in self.manifest["files"]

    def array(self, name: str) -> NDArray[Any]:
        """Return a file of the KB as a read-only mapped array, all of its numbers checked once (see `_RULES`)."""
        _check_request(name)
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
        _check_request(name)
        array = self._mapped.get(name)
        if array is None:
            with self._mapping:
                array = self._mapped.get(name)
                if array is None:
                    array = self._mapped[name] = self._map(name)
        return array

    def map_files(self) -> None:
        """Map all files now, so that later changes of the folder have no effect."""
        for name in self.manifest["files"]:
            self.mapped(name)

    def bounds(self, name: str, first: int, last: int) -> list[int]:
        """Return the bounds of the parts first, ..., last - 1 that an array holds, checked."""
        _check_request(name, first, last)
        rule = _rule_of(name)
        if not (rule.rows and rule.parts):
            known = ", ".join(other for other, rule in _RULES.items() if rule.rows and rule.parts)
            raise OptionError(f"{name} holds no bounds of parts; expected one of {known}", where="name")
        bounds: list[int] = self.mapped(name)[first : last + 1].tolist()
        ascending = bounds[0] <= bounds[1] if len(bounds) == 2 else len(bounds) > 0 and bounds == sorted(bounds)
        if not ascending or bounds[0] < 0 or bounds[-1] > self._sizes[rule.parts]:
            raise damaged(self.path, f"{name}.npy does not ascend")
        return bounds

    def numbers(self, name: str, first: int, last: int) -> list[int]:
        """Return the numbers first, ..., last - 1 that an array holds, checked."""
        _check_request(name, first, last)
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
                f"{self.path} has no {name}.npy, which this version of eigenthemes needs; build it again", where=str(self.path)
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


class StoredArrays:
    """Arrays that training adds to a KB: the fields of a dataclass, called FILES in the KB."""

    FILES: ClassVar[tuple[str, ...]]

    def files(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by their names in a KB."""
        return {name: getattr(self, field.name) for name, field in zip(self.FILES, fields(cast(Any, self)), strict=True)}

    @classmethod
    def of(cls, kb: KBFiles) -> Self | None:
        """Return those of a KB; None if it has no ranker."""
        return cls(*map(kb.array, cls.FILES)) if all(map(kb.has, cls.FILES)) else None


def _check_request(name: object, *rows: object) -> None:
    """Raise OptionError unless these are the name of a file of a KB and numbers of rows in it."""
    if not isinstance(name, str):
        raise OptionError(f"name is {name!r:.40}; expected the name of a file of the KB, such as prior", where="name")
    for row in rows:
        if not isinstance(row, int | np.integer):
            raise OptionError(f"row is {row!r:.40}; expected a whole number", where="row")


def replaced(path: Path) -> KBError:
    """Return the error for a KB that is no longer the one that was opened."""
    sentence = f"{path} was replaced by another process since it was opened; open it again"
    return KBError(sentence, code="kb-replaced", where=str(path))


def sha256_of_file(file: Path) -> str:
    """Return the hash of a file, as the manifest keeps it."""
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
