"""Candidates that no name of the KG gives: what people said a name means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.name_memory import NameMemories
from eigenthemes.text.normalize import normalize

_MOST = 10  # entities of a name; those it meant most often


def remembered_rows(
    names: Sequence[str],
    mention_of: NDArray[np.int64],
    entity: NDArray[np.uint32],
    memory: NameMemories,
    allowed: NDArray[np.bool_] | None,
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return which mention and which entity [r], for what these names are remembered to mean and is no candidate yet.

    mention_of, entity  [n] the candidates there are, in order of mention
    allowed             [entities] those that may be meant; None: all
    """
    places, entities = list[int](), list[int]()
    for number, name in enumerate(names):
        remembered = memory.find(normalize(name))
        if remembered is None or not remembered.linked:
            continue
        first, last = np.searchsorted(mention_of, (number, number + 1))
        known = set(entity[first:last].tolist())
        often = sorted(remembered.linked, key=lambda each: (-remembered.linked[each], each))[:_MOST]
        new = [each for each in often if each not in known and (allowed is None or allowed[each])]
        places.extend([number] * len(new))
        entities.extend(new)
    return np.array(places, dtype=np.int64), np.array(entities, dtype=np.uint32)
