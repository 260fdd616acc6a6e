"""What people said about names found by their spelling: that they are names, or that they are none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from eigenthemes.ranking.features.feature_context import FeatureContext
from eigenthemes.ranking.mention_groups import MentionGroups
from eigenthemes.text.normalize import normalize, squash

_T = TypeVar("_T")

_WEIGHT, _DRAWN = 2.5, 0.25  # one document that says so, against none: 4 in log-odds
_CERTAIN = 12.0  # log-odds where the document itself says so


def remembered_odds(groups: MentionGroups, having: NDArray[np.int64], context: FeatureContext) -> NDArray[np.float64]:
    """Return what corrections add to the log-odds that each group in `having` is a name at all [b]."""
    odds = np.zeros(len(groups))
    memory = context.memory
    if memory is None:
        return odds[having]
    written, bounds = _written(groups), groups.document_bounds.tolist()
    for number, document in enumerate(groups.batch.documents):
        said = memory.said_by(document)
        for group in range(bounds[number], bounds[number + 1]):
            here = _first(said.get(squash(name)) for name in written[group])
            found = _first(memory.find(name) for name in written[group])
            if here is not None:
                odds[group] = _CERTAIN * (bool(here.entities) - here.not_a_name)
            elif found is not None:
                linked = sum(found.linked.values())  # that it was none of the KG, NIL knows
                odds[group] = _WEIGHT * np.log((linked + _DRAWN) / (found.not_a_name + _DRAWN))
    return odds[having]


def _written(groups: MentionGroups) -> list[list[str]]:
    """Return how each group is written: as it stands in the text ("B cells"), then by the name it was found by ("B cell")."""
    written: list[list[str]] = [[] for _ in range(len(groups))]
    for group, mention in zip(groups.group_of.tolist(), groups.batch.mentions, strict=True):
        text = normalize(mention.text)
        if text not in written[group]:
            written[group].append(text)
    for names, name in zip(written, groups.name_of.tolist(), strict=True):
        if groups.names[name] not in names:
            names.append(groups.names[name])
    return written


def _first(found: Iterable[_T | None]) -> _T | None:
    return next((each for each in found if each is not None), None)
