"""Entities of a KB as the records that people see."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from eigenthemes.core.strings import Strings
from eigenthemes.records import Entity, Neighbor

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB


def entity_records(kb: KB, first: int, last: int) -> Iterator[Entity]:
    """Yield the entities with the indices first, ..., last - 1; many at once are read much faster than one by one."""
    name_bounds = kb.array("entity_names")[first : last + 1].tolist()
    type_bounds = kb.array("type_indptr")[first : last + 1].tolist()
    names = _texts(kb.names, name_bounds[0], name_bounds[-1])
    types = kb.array("entity_types")[type_bounds[0] : type_bounds[-1]].tolist()
    type_names = {row: str(kb.types[row]) for row in set(types)}
    columns = zip(
        _texts(kb.ids, first, last),
        pairwise(name_bounds),
        _texts(kb.descriptions, first, last),
        pairwise(type_bounds),
        kb.prior[first:last].tolist(),
        strict=True,
    )
    for entity_id, (name, name_end), description, (type_, type_end), prior in columns:
        label, *aliases = names[name - name_bounds[0] : name_end - name_bounds[0]] or [entity_id]
        own_types = types[type_ - type_bounds[0] : type_end - type_bounds[0]]
        yield Entity(entity_id, label, tuple(aliases), description, tuple(type_names[row] for row in own_types), prior)


def neighbor_records(kb: KB, index: int, limit: int | None, *, only: int | None = None) -> list[Neighbor]:
    """Return a record for each relation of an entity to a neighbour, at most `limit`; `only`: of this neighbour."""
    graph, further = kb.graph, kb.further_relations
    first, last = graph.indptr[index : index + 2].tolist()
    if only is not None:
        first += int(graph.neighbors[first:last].searchsorted(only))
        last = first + 1 if first < last and graph.neighbors[first] == only else first
    records: list[Neighbor] = []
    for entry in range(first, last):
        neighbor = int(graph.neighbors[entry])
        for code in (int(graph.relations[entry]), *further.of(entry)):
            if len(records) == limit:
                return records
            records.append(Neighbor(kb.id_of(neighbor), kb.label_of(neighbor), str(kb.relations[code >> 1]), bool(code & 1)))
    return records


def _texts(strings: Strings, first: int, last: int) -> list[str]:
    """Return some strings in a row, decoded from one piece of the blob."""
    bounds = strings.offsets[first : last + 1].tolist()
    blob = strings.blob[bounds[0] : bounds[-1]].tobytes()
    return [blob[start - bounds[0] : end - bounds[0]].decode("utf-8") for start, end in pairwise(bounds)]
