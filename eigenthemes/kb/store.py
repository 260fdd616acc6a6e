"""The KB folder, opened: mapped arrays, and the entities in them. The format is docs/kb-format.md.

    my.kb/manifest.json       the only commit point: it names the data folder and every file in it
    my.kb/data-<id>/*.npy     flat arrays
    my.kb/taumil.safetensors  a model that `train-taumil` made for this KB; writers leave it alone

Whoever writes puts new files beside the old ones, syncs them, and replaces manifest.json last. A process killed at any
moment leaves the old KB or the new one; stale files are removed on the next write.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby, islice
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import HashTable
from eigenthemes.core.checks import check_arguments, check_integer
from eigenthemes.core.entity_ids import spellings_of
from eigenthemes.core.strings import OutOfBoundsError, Strings, hash_bytes, hash_strings
from eigenthemes.display import Displayed
from eigenthemes.errors import EigenthemesError, OptionError, UnknownEntityError, VectorError
from eigenthemes.kb.data_files import ATTEMPTS, KBFiles, replaced
from eigenthemes.kb.entity_records import BLANK, StoredStrings, damaged, entity_records, neighbor_records
from eigenthemes.kb.manifest import OF_THE_FOLDER, find_damage, missing_parts, overview_rows, read_manifest
from eigenthemes.kb.name_arrays import INDEX_FILES, NameIndexArrays, SpelledNames, TypoIndex
from eigenthemes.kb.search import of_types
from eigenthemes.records import Entity, Neighbor

if TYPE_CHECKING:
    from eigenthemes.display import Part
    from eigenthemes.kb.graph import FurtherRelations, Graph

Made = TypeVar("Made")

_INTEGERS = (int, np.integer)
_BLOCK = 4096  # entities that are read at once where all are
_SHOWN = 5  # entities that a notebook shows


@dataclass(frozen=True, slots=True)
class Vectors:
    """A set of vectors of a KB: `rows` [entities, d] float32 of unit length, `has` [entities] bool; others are zero.

    known_lengths  [entities] float32: how long they were before; None where that is not known
    """

    name: str
    rows: NDArray[np.float32]
    has: NDArray[np.bool_]
    known_lengths: NDArray[np.float32] | None = None

    @property
    def lengths(self) -> NDArray[np.float32]:
        """How long the vectors were before; raise OptionError where that is not known."""
        if self.known_lengths is None:
            raise OptionError(
                f"how long the vectors {self.name} were is not known; import them again to keep their lengths",
                code="lengths-unknown",
            )
        return self.known_lengths


def _strings_of(name: str) -> cached_property[StoredStrings]:
    """Return a property of a KB: strings by the name of their files."""
    return cached_property(lambda kb: kb._strings(name))


class KB(KBFiles, Displayed):
    """A KB on disk, mapped read-only: it never changes, and any number of threads may use it.

        with KB.open("my.kb") as kb:
            kb["Q42"], "Q42" in kb, kb.get("Q42"), kb.search("Doug"), kb.neighbors("Q42")
            for entity in kb: ...

    What people see of an entity is its id. Inside the package entities have an index: 0, 1, ... from the highest prior down.
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        super().__init__(path, manifest)
        self._cache: dict[tuple[Any, ...], Any] = {}
        self._lock = RLock()

    @classmethod
    @check_arguments
    def open(cls, path: str | Path) -> KB:
        """Open a KB: read the manifest and check that every file is there in its size. Nothing is loaded.

        While another process replaces the KB, the old one or the new one is opened.
        """
        path, previous, damage = Path(path), None, ""
        for _ in range(ATTEMPTS):
            manifest = read_manifest(path)
            damage = find_damage(path / manifest["data"], manifest["files"]) or ""
            if not damage:
                return cls(path, manifest)
            if manifest == previous:  # not replaced meanwhile
                break
            previous = manifest
        raise damaged(path, damage)

    def close(self) -> None:
        """Release the mapped files; arrays that are still referenced stay valid."""
        with self._lock:
            super().close()
            self._cache.clear()
            for name in _VIEWS:
                self.__dict__.pop(name, None)

    def __enter__(self) -> KB:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[object, ...]:
        return _reopen, (str(self.path.absolute()), self.state)

    @property
    def state(self) -> str:
        """Return a string that changes whenever the KB changes."""
        return str(self.manifest["sha256"])

    def __len__(self) -> int:
        return int(self.manifest["counts"]["entities"])

    def __repr__(self) -> str:
        return f"KB({str(self.path)!r}, {len(self):,} entities)"

    def _view(self) -> Iterator[Part]:
        """Yield what a notebook shows: the overview, and the entities of the highest priors."""
        from eigenthemes.display import Grid, Heading, Prose
        from eigenthemes.display.views import view_of_entities

        yield Heading(self.path.name)
        yield Grid((), overview_rows(self.manifest))
        try:
            yield view_of_entities(list(entity_records(self, 0, min(_SHOWN, len(self)))))
        except EigenthemesError as error:  # closed, replaced or damaged
            yield Prose(str(error))

    # entities, by their ids

    def __iter__(self) -> Iterator[Entity]:
        """Yield all entities from the highest prior down; connectors, which have no name, show their id as label."""
        for first in range(0, len(self), _BLOCK):
            yield from entity_records(self, first, min(first + _BLOCK, len(self)))

    def __getitem__(self, entity_id: str) -> Entity:
        """Return the entity of an id or of its replaced id; raise UnknownEntityError, a KeyError, if there is none."""
        index = self._known_index(entity_id)
        return next(entity_records(self, index, index + 1))

    def __contains__(self, entity_id: object) -> bool:
        return isinstance(entity_id, str) and self.index_of(entity_id) is not None

    @check_arguments
    def get(self, entity_id: str) -> Entity | None:
        """Return the entity of an id, or None."""
        index = self.index_of(entity_id)
        return None if index is None else next(entity_records(self, index, index + 1))

    @check_arguments
    def search(self, prefix: str, *, limit: int | None = 10) -> list[Entity]:
        """Return the entities with a name that begins with a prefix, the highest prior first.

        Names are compared as they are looked up: small and capital letters, accents and punctuation count for nothing. The last
        word may be a part of one, unless a space follows it.
        """
        _check_limit(limit)
        from eigenthemes.kb.search import NamePrefixes, owners_of

        owners = owners_of(self.cached(NamePrefixes.of).find(prefix), self.array("entity_names"))
        return [next(entity_records(self, index, index + 1)) for index, _ in islice(groupby(owners), limit)]

    @check_arguments
    def neighbors(self, entity_id: str, *, limit: int | None = None) -> list[Neighbor]:
        """Return what an entity is connected to, the highest prior first; one record for each relation, the rarest first."""
        _check_limit(limit)
        return neighbor_records(self, self._known_index(entity_id), limit)

    @check_arguments
    def relations_between(self, entity_id: str, other_id: str) -> list[Neighbor]:
        """Return the records of `neighbors(entity_id)` that are of one neighbour."""
        index, other = self._known_index(entity_id), self._known_index(other_id)
        return neighbor_records(self, index, None, only=other)

    @check_arguments
    def names_with_languages(self, entity_id: str) -> list[tuple[str, str]]:
        """Return all names, the label first, each with the language tag of its source; "" for none."""
        index = self._known_index(entity_id)
        return list(zip(self.names_of(index), self.languages_of(index), strict=True))

    def _known_index(self, entity_id: str) -> int:
        index = self.index_of(entity_id) if isinstance(entity_id, str) else None
        if index is None:
            remedy = f"its ids are like {self.id_of(0)}" if len(self) else "it has no entities"
            raise UnknownEntityError(f"{self.path} has no entity of the id {entity_id!r:.80}; {remedy}", where=str(entity_id))
        return index

    def _known_row(self, index: int) -> int:
        """Return an index; raise OptionError if the KB has no entity of that index."""
        if not (isinstance(index, _INTEGERS) and 0 <= index < self._sizes["entities"]):
            raise OptionError(f"index is {index!r:.40}; expected a whole number from 0 to {len(self) - 1:,}", where="index")
        return int(index)

    # entities, by their indices

    def index_of(self, entity_id: str) -> int | None:
        """Return the index of an id; redirects (merged, replaced ids) and other spellings resolve. None if unknown."""
        if not isinstance(entity_id, str):
            raise OptionError(f"entity_id is {entity_id!r:.40}; expected a text", where="entity_id")
        for spelling in spellings_of(entity_id):
            raw = spelling.encode("utf-8", "replace")
            try:
                row = self._id_table.find(hash_bytes(raw))
            except OutOfBoundsError:
                raise damaged(self.path, "id_buckets.npy does not ascend") from None
            if row < 0:
                continue
            index = int(self.mapped("id_entities")[row])
            if index >= len(self):
                raise damaged(self.path, f"id_entities.npy has the number {index:,}, and there are {len(self):,} entities")
            return index
        return None

    def indices_of(self, entity_ids: Sequence[str]) -> NDArray[np.int64]:
        """Return the indices of many ids at once; -1 where unknown."""
        try:  # no check of each of thousands of ids
            entity_ids = list(entity_ids)
            hashes = hash_strings(Strings.of(entity_ids))
        except (AttributeError, TypeError):
            raise OptionError(f"entity_ids is {entity_ids!r:.40}; expected a list of texts", where="entity_ids") from None
        row = HashTable(self.array("id_hashes"), self.array("id_buckets")).find_all(hashes)
        indices = np.where(row >= 0, self.array("id_entities")[row].astype(np.int64), -1)
        for i in np.flatnonzero(indices < 0).tolist():
            index = self.index_of(entity_ids[i])
            indices[i] = -1 if index is None else index
        return indices

    def id_of(self, index: int) -> str:
        """Return the id of an entity."""
        return str(self.ids[self._known_row(index)])

    def label_of(self, index: int) -> str:
        """Return the label; a node without any name shows its id, unless that is of a blank node."""
        index = self._known_row(index)
        first, last = self.bounds("entity_names", index, index + 1)
        if first < last:
            return str(self.names[first])
        entity_id = self.id_of(index)
        return "(unnamed)" if entity_id.startswith(BLANK) else entity_id

    def names_of(self, index: int) -> list[str]:
        """Return all names that the KG gives, the label first."""
        first, derived, _ = self._name_bounds(index)
        return [str(self.names[row]) for row in range(first, derived)]

    def derived_names_of(self, index: int) -> list[str]:
        """Return the names that a lexicon adds."""
        _, derived, last = self._name_bounds(index)
        return [str(self.names[row]) for row in range(derived, last)]

    def _name_bounds(self, index: int) -> tuple[int, int, int]:
        """Return the rows at which the names of an entity begin, those that a lexicon adds begin, and all of them end."""
        index = self._known_row(index)
        first, last = self.bounds("entity_names", index, index + 1)
        return first, last - len(self.derived_rows(first, last)), last

    @check_arguments
    def derived_rows(self, first: int, last: int) -> list[int]:
        """Return which of the names in these rows a lexicon added; they are the last ones of their entity."""
        if not self.has("name_derived"):
            return []
        rows = self.mapped("name_derived")
        begin, end = np.searchsorted(rows, [first, last]).tolist()
        return [row for row in rows[begin:end].tolist() if first <= row < last]  # in a damaged file they may not ascend

    def languages_of(self, index: int) -> list[str]:
        """Return the language tag of each of the names; "" for none."""
        first, derived, _ = self._name_bounds(index)
        return [str(self.languages[row]) for row in self.numbers("name_languages", first, derived)]

    @check_arguments
    def label_in(self, index: int, language: str) -> str | None:
        """Return the first name in a language (its tag in small letters), or in one of its regions (de-AT for de), or None."""
        first, _, last = self._name_bounds(index)
        tags = [*enumerate(self.languages_of(index), first), *self._further_languages(first, last)]
        tags = sorted((row, tag.lower()) for row, tag in tags)
        exact = (row for row, tag in tags if tag == language)
        regional = (row for row, tag in tags if tag.startswith(f"{language}-"))
        row = next(chain(exact, regional), None)
        return None if row is None else str(self.names[row])

    def _further_languages(self, first: int, last: int) -> list[tuple[int, str]]:
        """Return rows of names that are labels in further languages, and the tags of these."""
        if not self.has("name_more_entries"):
            return []
        entries = self.mapped("name_more_entries")
        begin, end = np.searchsorted(entries, [first, last]).tolist()
        tags = [str(self.languages[row]) for row in self.numbers("name_more_languages", begin, end)]
        found = zip(entries[begin:end].tolist(), tags, strict=True)
        return [(row, tag) for row, tag in found if first <= row < last]  # in a damaged file they may not ascend

    def description_of(self, index: int) -> str:
        """Return the description; "" for none."""
        return str(self.descriptions[self._known_row(index)])

    def types_of(self, index: int) -> list[str]:
        """Return the ids of the types."""
        index = self._known_row(index)
        first, last = self.bounds("type_indptr", index, index + 1)
        return [str(self.types[row]) for row in self.numbers("entity_types", first, last)]

    def priors_of(self, indices: NDArray[Any]) -> NDArray[np.float64]:
        """Return the priors of some entities, checked."""
        indices = np.asarray(indices)
        if indices.dtype.kind not in "iu" or (indices.size and not 0 <= indices.min() <= indices.max() < len(self)):
            raise OptionError(f"indices are no numbers from 0 to {len(self) - 1:,}; give indices of the KB", where="indices")
        priors: NDArray[np.float64] = self.mapped("prior")[indices]
        if not np.all(np.isfinite(priors)):
            raise damaged(self.path, "prior.npy has a number that is no prior")
        return priors

    # the arrays

    ids = _strings_of("ids")
    names = _strings_of("names")
    languages = _strings_of("languages")  # the tags that occur
    descriptions = _strings_of("descriptions")
    types = _strings_of("types")
    relations = _strings_of("relations")

    @cached_property
    def memory_lines(self) -> Strings:
        """Corrections as JSON lines, one document each; see `kb.name_memory`."""
        return self._strings("memory") if self.has("memory_blob") else Strings.of(())

    @cached_property
    def prior(self) -> NDArray[np.float64]:
        """The prior of each entity [n], descending."""
        return self.array("prior")

    @cached_property
    def linkable(self) -> NDArray[np.bool_]:
        """Return a mask of linkable entities [n]: named, and not kept only as connectors."""
        named: NDArray[np.bool_] = np.diff(self.array("entity_names")) > 0
        return named & (self.array("answers") != 0) if self.has("answers") else named

    @check_arguments
    def of_types(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Return which entities have one of some types [n], given by id, its last part or label; unknown ones are an error."""
        indptr, types = self.array("type_indptr"), self.array("entity_types")
        return of_types(names, types=self.types, type_indptr=indptr, entity_types=types, label_of=self._label_of_id)

    def _label_of_id(self, entity_id: str) -> str | None:
        index = self.index_of(entity_id)
        return None if index is None else self.label_of(index)

    @cached_property
    def graph(self) -> Graph:
        """The undirected graph."""
        from eigenthemes.kb.graph import Graph

        return Graph(self.array("graph_indptr"), self.array("graph_neighbors"), self.array("graph_relations"))

    @cached_property
    def further_relations(self) -> FurtherRelations:
        """The relations beside the one that `graph` has of each pair."""
        from eigenthemes.kb.graph import FurtherRelations

        return FurtherRelations(self.mapped("graph_more_entries"), self.mapped("graph_more_relations"))

    @cached_property
    def name_index(self) -> NameIndexArrays:
        """The name index, checked as a whole: for many names, and for compiled code."""
        for name in ("tokens_offsets", *(f"{table}_{part}" for table in ("token", "key") for part in ("hashes", "buckets"))):
            self.array(name)
        return self._name_index(self.array)

    @cached_property
    def mapped_name_index(self) -> NameIndexArrays:
        """The memory-mapped name index, for a few look-ups; callers check the rows they read."""
        return self._name_index(self.mapped)

    def _name_index(self, array: Callable[[str], NDArray[Any]]) -> NameIndexArrays:
        return NameIndexArrays(
            tokens=self._strings("tokens"),
            token_table=self._table("token"),
            in_label=array("postings_in_label"),
            key_table=self._table("key"),
            typos=TypoIndex(*(array(f"typo_{part}") for part in ("indptr", "members", "checks", "filter"))),
            share=array("postings_share"),
            **dict[str, Any]((name, array(name)) for name in INDEX_FILES),
        )

    @cached_property
    def spelled_names(self) -> SpelledNames:
        """The tokens and the letter case of names."""
        return SpelledNames(*(self.array(f"name_{part}") for part in ("token_indptr", "tokens", "letters")))

    @cached_property
    def _id_table(self) -> HashTable:
        return self._table("id")

    @check_arguments
    def vectors(self, name: str | None = None) -> Vectors:
        """Return a set of vectors; without a name the first."""
        sets = self.vector_sets
        if not sets:
            raise VectorError(
                f"{self.path} has no vectors, and this method needs them; make some, or import them",
                code="no-vectors",
                where=str(self.path),
            )
        if name is not None and name not in sets:
            raise OptionError(f"{self.path} has no vectors named {name!r}; it has {', '.join(sets)}", where="vectors")
        name = name or next(iter(sets))
        lengths = f"vectors-{name}-lengths"
        known = self.array(lengths) if self.has(lengths) else None
        return Vectors(name, self.array(f"vectors-{name}"), self.array(f"vectors-{name}-has"), known)

    def cached(self, make: Callable[..., Made], *arguments: Hashable) -> Made:
        """Return make(kb, *arguments): computed at the first call, by one thread, and kept as long as the KB is open."""
        key = (make, *arguments)
        if key not in self._cache:
            with self._lock:
                if key not in self._cache:
                    self._cache[key] = make(self, *arguments)
        made: Made = self._cache[key]
        return made

    def set_cached(self, value: object, make: Callable[..., object], *arguments: Hashable) -> None:
        """Let `cached` return this value instead of what `make` would compute."""
        self._cache[(make, *arguments)] = value

    # the manifest

    @property
    def described(self) -> dict[str, Any]:
        """Return the manifest's description of the KB, for writing a changed version."""
        return {key: value for key, value in self.manifest.items() if key not in OF_THE_FOLDER}

    @property
    def rankers(self) -> dict[str, dict[str, Any]]:
        """Name of a set of vectors ("" for none) -> the ranker trained with them, as `ranking.ranker.Ranker.to_dict`."""
        return dict(self.manifest.get("rankers", {}))

    @property
    def vector_sets(self) -> dict[str, dict[str, Any]]:
        """Return how each set of vectors was made, by name; the default set comes first."""
        return dict(self.manifest.get("vectors", {}))

    def missing_parts(self) -> list[str]:
        """Return a sentence for each part that the KB was built to have and lacks: without its ranker another method links."""
        return missing_parts(self.path, self.manifest)


def _check_limit(limit: int | None) -> None:
    if limit is not None:
        check_integer("limit", limit, most=sys.maxsize, otherwise=", or None")


_VIEWS = tuple(name for name, value in vars(KB).items() if isinstance(value, cached_property))


def _reopen(path: str, state: str) -> KB:
    """Open a KB that was pickled: its path, and what it held then."""
    kb = KB.open(path)
    if kb.state != state:
        raise replaced(kb.path)
    return kb
