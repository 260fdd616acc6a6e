"""Full record of one entity, found by its id or by a name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from eigenthemes.errors import OptionError
from eigenthemes.kb.name_arrays import UNBRACKETED
from eigenthemes.kb.store import KB
from eigenthemes.names.generator import CandidateGenerator
from eigenthemes.records import Entity

_UNDERSCORED = re.compile(r"([A-Za-z][A-Za-z0-9.-]*)_([0-9][\w.-]*)")  # DOID_1612, the end of an OBO PURL
_MOST_NEIGHBORS = 10_000  # records read of an entity; the rest is counted only


@dataclass(frozen=True, slots=True)
class EntityName:
    """A name of an entity, with its language tag."""

    name: str
    language: str


@dataclass(frozen=True, slots=True)
class LabelledEntity:
    """The id of an entity, with its label."""

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class RelatedEntities:
    """The neighbours that one relation joins an entity to, the highest prior first.

    reverse   the statements run from the neighbours to the entity
    entities  the first of them
    """

    relation: str
    reverse: bool
    count: int
    entities: tuple[LabelledEntity, ...]


@dataclass(frozen=True, slots=True, repr=False)
class EntityCard(Entity):
    """An entity with its surroundings.

    names       all names, the label first
    rank        its place in the KB by prior, 1 being the highest
    namesakes   all entities that have its label as a name, itself included, the highest prior first
    name_rank   its place among them; 0 where it is no answer to its own name
    neighbors   by relation, the one with most neighbours first
    degree      the number of distinct neighbours
    """

    names: tuple[EntityName, ...]
    rank: int
    namesakes: tuple[LabelledEntity, ...]
    name_rank: int
    degree: int
    neighbors: tuple[RelatedEntities, ...]


def find_entity(kb: KB, id_or_name: str, generator: CandidateGenerator | None = None) -> int:
    """Return the index of an entity by its id or, if there is no such id, by a whole name: the one with the highest prior."""
    index = kb.index_of(id_or_name)
    if index is None and (parts := _UNDERSCORED.fullmatch(id_or_name)):
        index = kb.index_of(f"{parts[1]}:{parts[2]}")
    if index is not None:
        return index
    generator = generator or CandidateGenerator(kb)
    same_name = _namesakes(generator, id_or_name)
    if same_name:
        return same_name[0]
    near = ", ".join(f"{each.label} ({each.id})" for each in generator.records(id_or_name)[:3])
    remedy = f"the nearest are {near}" if near else f"it has ids like {kb.id_of(0)} and names like {kb.label_of(0)}"
    raise OptionError(
        f"{id_or_name!r} is neither an id nor a name of the KB; {remedy}", code="entity-unknown", where=id_or_name
    )


def entity_card(kb: KB, id_or_name: str, *, most: int | None = 10) -> EntityCard:
    """Return all that a KB holds of an entity; `most`: neighbours of each relation, None for all."""
    generator = CandidateGenerator(kb)
    index = find_entity(kb, id_or_name, generator)
    entity = kb[kb.id_of(index)]
    namesakes = _namesakes(generator, entity.label) if kb.names_of(index) else []
    return EntityCard(
        **entity.to_dict(),
        names=tuple(EntityName(*each) for each in kb.names_with_languages(entity.id)),
        rank=index + 1,
        namesakes=tuple(LabelledEntity(kb.id_of(other), kb.label_of(other)) for other in namesakes),
        name_rank=namesakes.index(index) + 1 if index in namesakes else 0,
        degree=len(kb.graph.around(index)),
        neighbors=_related(kb, entity.id, most),
    )


def _namesakes(generator: CandidateGenerator, name: str) -> list[int]:
    """Return the entities with this whole name, the highest prior first."""
    return sorted(index for index, match_type in generator.match_types(name).items() if match_type <= UNBRACKETED)


def _related(kb: KB, entity_id: str, most: int | None) -> tuple[RelatedEntities, ...]:
    groups: dict[tuple[str, bool], list[LabelledEntity]] = {}
    for neighbor in kb.neighbors(entity_id, limit=_MOST_NEIGHBORS):
        groups.setdefault((neighbor.relation, neighbor.reverse), []).append(LabelledEntity(neighbor.id, neighbor.label))
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    return tuple(RelatedEntities(*key, len(members), tuple(members[:most])) for key, members in ordered)
