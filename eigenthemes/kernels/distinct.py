"""The distinct entities among the candidates of each document, and what their candidates weigh together."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel


@kernel
def distinct_entities(bounds: Any, entity: Any, counted: Any, weight: Any, best: Any, place: Any) -> Any:
    """Find the distinct entities among the counted candidates of each document, in order of their first ones.

    bounds  [d + 1] candidates of each document; entity, counted (bool), weight (float64) [n] of each candidate
    best    an entity has its best weight; otherwise its weights add up
    place   [entities of the KB] int64, for work: whatever stands there is checked before it is used

    Returns (rows [r] of the candidates that are counted; number [r] of each one's entity among the distinct ones of all
    documents; entities [e]; weights [e]; where those of each document begin [d + 1]), int64 but for the entities and weights.
    """
    rows, number = np.empty(len(entity), np.int64), np.empty(len(entity), np.int64)
    entities, weights = np.empty(len(entity), np.uint32), np.zeros(len(entity), np.float64)
    begins = np.zeros(len(bounds), np.int64)
    many_rows, many = 0, 0
    for document in range(len(bounds) - 1):
        for row in range(bounds[document], bounds[document + 1]):
            if not counted[row]:
                continue
            at = place[entity[row]]
            if at < begins[document] or at >= many or entities[at] != entity[row]:
                at = many
                place[entity[row]] = at
                entities[at] = entity[row]
                many += 1
            weights[at] = max(weights[at], weight[row]) if best else weights[at] + weight[row]
            rows[many_rows], number[many_rows] = row, at
            many_rows += 1
        begins[document + 1] = many
    return rows[:many_rows], number[:many_rows], entities[:many], weights[:many], begins
