"""Coreference: whether a candidate is also a candidate of a longer name of the document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from eigenthemes.explanations import LONGER, SAME, Reason
from eigenthemes.ranking.features.feature_group import JointGroup
from eigenthemes.ranking.features.support import Contributions, WeightedCandidates

Floats = NDArray[np.float64]

_COLUMNS = {
    "longer_name": 'the same entity is likely for a longer name that contains this one ("Jordan", "Michael Jordan")',
    "same_entity": "it is likely for another name of the document",
}


def compute(candidates: WeightedCandidates) -> NDArray[np.float32]:
    """Compute how likely the same entity is for longer names, and for others [n, 2]."""
    support = candidates.graph_support
    return np.stack((support.longer, support.same), axis=1).astype(np.float32)


# how they are explained


def reasons(contributions: Contributions, shares: Mapping[str, Floats], position: int) -> Iterator[Reason]:
    """Yield a reason if a candidate of another name (by its position in the document) is the same entity."""
    if contributions.entities[position] == contributions.entity:
        yield Reason(LONGER if contributions.is_longer(position) else SAME)


GROUP = JointGroup(
    name="coreference",
    columns=_COLUMNS,
    compute=compute,
    connections=("longer_name", "same_entity"),
    shares={
        "longer_name": lambda contributions: contributions.parts.longer,
        "same_entity": lambda contributions: contributions.parts.same,
    },
    reasons=reasons,
    weakness="is not what the other names mean",
)
