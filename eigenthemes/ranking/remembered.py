"""What people said about names found by their spelling: that they are names, or that they are none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.ranking.features.feature_context import FeatureContext
from eigenthemes.ranking.mention_groups import MentionGroups
from eigenthemes.text.normalize import squash

_WEIGHT, _DRAWN = 2.5, 0.25  # one document that says so, against none: 4 in log-odds
_CERTAIN = 12.0  # log-odds where the document itself says so


def remembered_odds(groups: MentionGroups, having: NDArray[np.int64], context: FeatureContext) -> NDArray[np.float64]:
    """Return what corrections add to the log-odds that each group in `having` is a name at all [b]."""
    odds = np.zeros(len(groups))
    memory = context.memory
    if memory is None:
        return odds[having]
    names, bounds = groups.name_of.tolist(), groups.document_bounds.tolist()
    for number, document in enumerate(groups.batch.documents):
        said = memory.said_by(document)
        for group in range(bounds[number], bounds[number + 1]):
            name = groups.names[names[group]]
            here, found = said.get(squash(name)), memory.find(name)
            if here is not None:
                odds[group] = _CERTAIN * (bool(here.entities) - here.not_a_name)
            elif found is not None:
                linked = sum(found.linked.values())  # that it was none of the KG, NIL knows
                odds[group] = _WEIGHT * np.log((linked + _DRAWN) / (found.not_a_name + _DRAWN))
    return odds[having]
