"""What the KG says of an entity, as bags of types and relations."""

from __future__ import annotations

import numpy as np
import pytest

from eigenthemes import KB
from eigenthemes_paper.taumil.entities import NEIGHBORS, PSEUDO_TYPES, EntityBags


def bag(kb: KB, name: str) -> tuple[dict[str, float], dict[str, float]]:
    """The types and the relations of an entity, by name."""
    bags, row = EntityBags.of(kb), np.array([kb.index_of(name)])
    relations = [f"{way}{relation}" for relation in kb.relations for way in (">", "<")]
    types, found = bags.of_types(row), bags.of_relations(row)
    named = [*kb.types, *relations]
    return (
        {str(named[i]): w for i, w in zip(types.ids.tolist(), types.weights.tolist(), strict=True)},
        {[*relations, "itself"][i]: w for i, w in zip(found.ids.tolist(), found.weights.tolist(), strict=True)},
    )


def test_the_bag_of_an_entity_worked_out_by_hand(family_kb: KB) -> None:
    """Itself: X/2, Y/2. Its neighbours: b is X; c has no type, so it is what is liked."""
    types, relations = bag(family_kb, "a")
    assert types == {"X": 1.5, "Y": 0.5, "<likes": 1.0}
    assert relations == {">knows": 1, ">likes": 1, "itself": 1}
    assert bag(family_kb, "b") == ({"X": 1.5, "Y": 0.5}, {"<knows": 1, "itself": 1})
    assert bag(family_kb, "alone") == ({}, {"itself": 1})


def test_neighbours_and_pseudo_types_are_capped(family_kb: KB) -> None:
    types, relations = bag(family_kb, "hub")
    assert types.pop("Y") == NEIGHBORS
    assert types == {name: pytest.approx(1 / PSEUDO_TYPES) for name in types}
    assert len(types) == PSEUDO_TYPES
    assert sum(relations.values()) == NEIGHBORS + 1
