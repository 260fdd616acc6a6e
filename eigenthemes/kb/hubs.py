"""Hubs: entities with a name that a large part of the KG has to do with, as a species, a country, a sport."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.store import KB

FILES = ("hub_entities", "hub_share")
_LEAST, _LEAST_SHARE = 20, 0.002  # neighbours that a hub has, at least: so many, and this share of the named entities


@dataclass(frozen=True, slots=True)
class Hubs:
    """The hubs of a KB.

    entities  [h] uint32 ascending
    share     [h] float64 in (0, 1): of made-up entities, those that are adjacent to it, or are it
    """

    entities: NDArray[np.uint32]
    share: NDArray[np.float64]

    def numbers(self, nodes: int) -> NDArray[np.int32]:
        """Return the number of the hub that each node is [nodes]; -1: it is none."""
        numbers = np.full(nodes, -1, np.int32)
        numbers[self.entities] = np.arange(len(self.entities))
        return numbers

    def files(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a KB keeps, by name."""
        return dict(zip(FILES, (self.entities, self.share), strict=True))

    @classmethod
    def of(cls, kb: KB) -> Hubs | None:
        """Return those that a KB keeps; None: it was trained before there were any."""
        return cls(*(kb.array(name) for name in FILES)) if all(map(kb.has, FILES)) else None


def hubs_of(kb: KB, popularity: NDArray[np.float64]) -> Hubs:
    """Find the hubs of a KB, and the share of entities around each, where entities are drawn by their popularity [n]."""
    named = kb.answers
    enough = max(_LEAST, _LEAST_SHARE * np.count_nonzero(named))
    entities = np.flatnonzero(named & (kb.graph.degree >= enough)).astype(np.uint32)
    drawn = np.where(named, popularity, 0.0)
    around = np.array([drawn[kb.graph.around(int(hub))].sum() + drawn[hub] for hub in entities])
    return Hubs(entities, np.clip(around / max(drawn.sum(), 1e-300), 1e-6, 1 - 1e-6))
