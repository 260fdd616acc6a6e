"""Entity records of a KB, their strings and their labels in a language."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
from numpy.typing import NDArray

from eigenthemes.core.strings import Strings
from eigenthemes.errors import KBDamagedError, OptionError
from eigenthemes.records import Entity, Neighbor

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB


@dataclass(frozen=True, slots=True)
class StoredStrings(Strings):
    """`Strings` in the files of a KB: invalid UTF-8 and invalid offsets raise KBDamagedError."""

    path: Path
    name: str

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice) and np.any((self.offsets[index] < 0) | (self.offsets[index] > len(self.blob))):
            raise self._no_order()
        try:
            return super(StoredStrings, self).__getitem__(index)
        except UnicodeDecodeError:
            raise self._no_text() from None

    def raw(self, index: int) -> bytes:
        """Return the UTF-8 bytes of one string."""
        first, last = int(self.offsets[index]), int(self.offsets[index + 1])
        if not 0 <= first <= last <= len(self.blob):
            raise self._no_order()
        return self.blob[first:last].tobytes()

    def many(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the strings of some rows, read at once."""
        first, last = self.offsets[rows], self.offsets[rows + 1]
        if np.any((first < 0) | (first > last) | (last > len(self.blob))):
            raise self._no_order()
        try:
            return list(self.take(rows))
        except UnicodeDecodeError:
            raise self._no_text() from None

    def __iter__(self) -> Iterator[str]:
        if np.any(self.offsets[1:] < self.offsets[:-1]) or self.offsets[-1] > len(self.blob):
            raise self._no_order()
        try:
            yield from super(StoredStrings, self).__iter__()
        except UnicodeDecodeError:
            raise self._no_text() from None

    def _no_order(self) -> KBDamagedError:
        return damaged(self.path, f"{self.name}_offsets.npy does not ascend")

    def _no_text(self) -> KBDamagedError:
        return damaged(self.path, f"{self.name}_blob.npy holds bytes that are no text")


def damaged(path: Path, what: str) -> KBDamagedError:
    """Return the error for a damaged KB."""
    return KBDamagedError(f"{path} is damaged: {what}; build it again", where=str(path))


BLANK = "_:"  # prefix of the ids of blank nodes, which connect and are never shown
_BLOCK = 256  # neighbours that are read at once


def entity_records(kb: KB, first: int, last: int) -> Iterator[Entity]:
    """Yield the entities with the indices first, ..., last - 1; many at once are read much faster than one by one."""
    name_bounds, type_bounds = kb.bounds("entity_names", first, last), kb.bounds("type_indptr", first, last)
    names, derived = kb.names[name_bounds[0] : name_bounds[-1]], kb.derived_rows(name_bounds[0], name_bounds[-1])
    types = kb.numbers("entity_types", type_bounds[0], type_bounds[-1])
    type_names = {row: str(kb.types[row]) for row in set(types)}
    columns = zip(
        kb.ids[first:last],
        pairwise(name_bounds),
        kb.descriptions[first:last],
        pairwise(type_bounds),
        kb.mapped("prior")[first:last].tolist(),
        strict=True,
    )
    for entity_id, (name, name_end), description, (type_, type_end), prior in columns:
        name_end -= bisect_left(derived, name_end) - bisect_left(derived, name)
        label, *aliases = names[name - name_bounds[0] : name_end - name_bounds[0]] or [entity_id]
        own_types = types[type_ - type_bounds[0] : type_end - type_bounds[0]]
        yield Entity(entity_id, label, tuple(aliases), description, tuple(type_names[row] for row in own_types), prior)


def neighbor_records(kb: KB, index: int, limit: int | None, *, only: int | None = None) -> list[Neighbor]:
    """Return a record for each relation of an entity to a neighbour, at most `limit`; `only`: of this neighbour."""
    first, last = kb.bounds("graph_indptr", index, index + 1)
    if only is not None:
        first += int(kb.mapped("graph_neighbors")[first:last].searchsorted(only))
        last = first + 1 if first < last and kb.mapped("graph_neighbors")[first] == only else first
    return list(islice(_neighbors(kb, first, last), limit))


def _neighbors(kb: KB, first: int, last: int) -> Iterator[Neighbor]:
    """Yield the records of the entries first, ..., last - 1 of the graph, a block at a time; without blank nodes."""
    further = kb.further_relations
    for start in range(first, last, _BLOCK):
        end = min(start + _BLOCK, last)
        neighbors, codes = (kb.numbers(name, start, end) for name in ("graph_neighbors", "graph_relations"))
        for entry, neighbor, code_of_entry in zip(range(start, end), neighbors, codes, strict=True):
            if kb.id_of(neighbor).startswith(BLANK):
                continue
            for code in (code_of_entry, *further.of(entry)):
                if code >> 1 >= len(kb.relations):
                    raise damaged(kb.path, f"graph_more_relations.npy has the number {code}")
                yield Neighbor(kb.id_of(neighbor), kb.label_of(neighbor), str(kb.relations[code >> 1]), bool(code & 1))


_REMEMBERED = 200_000  # entities whose id and label are cached
_MANY = 64  # entities whose ids and labels are read at once


class Labels:
    """The ids and labels of the entities of a KB; any number of threads may use it.

    language  tag, e.g. "de": an entity is shown by its first name in that language, if any; None: by its label
    """

    def __init__(self, kb: KB, language: str | None = None) -> None:
        self.kb, self.language = kb, _checked_language(kb, language)
        self._known: dict[int, tuple[str, str]] = {}
        self._encoded: dict[int, bytes] = {}

    def of(self, entity: int) -> tuple[str, str]:
        """Return the id and the label of an entity."""
        known = self._known.get(entity)
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            known = self._known[entity] = (self.kb.id_of(entity), self._label_of(entity))
        return known

    def encoded(self, entities: Sequence[int]) -> list[bytes]:
        """Return what entities are called in JSON: `ID,"label":LABEL,"score":`; each is encoded once."""
        known = self._encoded
        try:
            return list(map(known.__getitem__, entities))
        except KeyError:
            missing = set(entities) - known.keys()
        if len(known) + len(missing) > _REMEMBERED:
            known, missing = {}, set(entities)
        for entity, *texts in self._texts_of(sorted(missing)):
            known[entity] = b'%b,"label":%b,"score":' % tuple(map(orjson.dumps, texts))
        self._encoded = known
        return list(map(known.__getitem__, entities))

    def _texts_of(self, entities: list[int]) -> Iterator[tuple[int, str, str]]:
        """Yield each entity with its id and label; many are read at once."""
        rows = np.array(entities)
        if self.language is not None or len(rows) < _MANY:
            yield from ((entity, *self.of(entity)) for entity in entities)
            return
        bounds = self.kb.array("entity_names")
        named = bounds[rows] < bounds[rows + 1]
        yield from ((entity, *self.of(entity)) for entity in rows[~named].tolist())
        named_rows = rows[named]
        labels = self.kb.names.many(bounds[named_rows].astype(np.int64))
        yield from zip(named_rows.tolist(), self.kb.ids.many(named_rows), labels, strict=True)

    def _label_of(self, entity: int) -> str:
        found = None if self.language is None else self.kb.label_in(entity, self.language)
        return self.kb.label_of(entity) if found is None else found


def _checked_language(kb: KB, language: str | None) -> str | None:
    """Return a language tag in lower case; raise OptionError if the KB has no names in it."""
    if language is None:
        return None
    if not isinstance(language, str):
        raise OptionError(f"label_lang is {language!r:.40}; expected a language tag such as de", where="label_lang")
    wanted = language.lower().replace("_", "-")
    tags = sorted({str(tag) for tag in kb.languages} - {""})
    if not any(f"{tag.lower()}-".startswith(f"{wanted}-") for tag in tags):
        have = f"it has {', '.join(tags[:10])}" if tags else "it does not know the languages of its names"
        raise OptionError(
            f"the KB has no name in the language {language[:40]!r}; {have}: choose another, or leave it out",
            code="no-labels-in-language",
            where="label_lang",
        )
    return wanted
