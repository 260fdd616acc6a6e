"""Attributes of entities: their types, and the relations they stand in, with the direction.

They are numbered: the types first, then relations as `Graph.relations` has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.store import KB

FILES = ("attribute_indptr", "entity_attributes", "attribute_share")


@dataclass(frozen=True, slots=True)
class EntityAttributes:
    """The distinct attributes of each entity, and how frequent they are by chance.

    indptr      [n + 1] int64
    attributes  [q] uint32: those of entity i are attributes[indptr[i]:indptr[i + 1]]
    share       [attributes] float64 in (0, 1): of made-up names, those with a candidate that has it
    """

    indptr: NDArray[np.int64]
    attributes: NDArray[np.uint32]
    share: NDArray[np.float64]

    @property
    def lists(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The attributes of each entity, as kernels take them."""
        return self.indptr, self.attributes

    def files(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a KB keeps, by name."""
        return dict(zip(FILES, (self.indptr, self.attributes, self.share), strict=True))

    @classmethod
    def of(cls, kb: KB) -> EntityAttributes | None:
        """Return those that a KB keeps; None: it was trained before there were any."""
        return cls(*(kb.array(name) for name in FILES)) if all(map(kb.has, FILES)) else None


def attribute_count(kb: KB) -> int:
    """Return how many attributes there are."""
    return len(kb.types) + 2 * len(kb.relations)


def collect_attributes(kb: KB) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the distinct attributes of each entity of a KB (indptr [n + 1], attributes [q])."""
    from eigenthemes.kernels.columns import entity_attributes

    types = kb.array("type_indptr"), kb.array("entity_types")
    graph = kb.graph.indptr, kb.graph.relations
    further = np.zeros(0, np.int64), graph[1][:0]
    if kb.has("graph_more_entries"):
        further = kb.array("graph_more_entries"), kb.array("graph_more_relations")
    collect = entity_attributes.for_steps(len(types[1]) + len(graph[1]))
    indptr, attributes = collect(types, graph, further, len(kb.types), attribute_count(kb))
    return indptr, attributes
