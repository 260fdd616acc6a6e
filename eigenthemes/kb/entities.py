"""Entities of a KB as the records that people see."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from eigenthemes.kb.stored_strings import damaged
from eigenthemes.records import Entity, Neighbor

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB

BLANK = "_:"  # what the ids of blank nodes begin with: they connect, and nobody is shown them
_BLOCK = 256  # neighbours that are read at once


def entity_records(kb: KB, first: int, last: int) -> Iterator[Entity]:
    """Yield the entities with the indices first, ..., last - 1; many at once are read much faster than one by one."""
    name_bounds, type_bounds = kb.bounds("entity_names", first, last), kb.bounds("type_indptr", first, last)
    names = _texts(kb, "names", name_bounds[0], name_bounds[-1])
    types = kb.numbers("entity_types", type_bounds[0], type_bounds[-1])
    type_names = {row: str(kb.types[row]) for row in set(types)}
    columns = zip(
        _texts(kb, "ids", first, last),
        pairwise(name_bounds),
        _texts(kb, "descriptions", first, last),
        pairwise(type_bounds),
        kb.mapped("prior")[first:last].tolist(),
        strict=True,
    )
    for entity_id, (name, name_end), description, (type_, type_end), prior in columns:
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


def _texts(kb: KB, name: str, first: int, last: int) -> list[str]:
    """Return some strings in a row, decoded from one piece of the blob."""
    bounds = kb.bounds(f"{name}_offsets", first, last)
    blob = kb.mapped(f"{name}_blob")[bounds[0] : bounds[-1]].tobytes()
    try:
        return [blob[start - bounds[0] : end - bounds[0]].decode("utf-8") for start, end in pairwise(bounds)]
    except UnicodeDecodeError:
        raise damaged(kb.path, f"{name}_blob.npy holds bytes that are no text") from None
