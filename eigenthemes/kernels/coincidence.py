"""What the names of a text could have in common: attributes that more of them can have than by chance.

Attributes are those of `kernels.columns`. What counts is which candidates are *there*, not how likely they are: on a page of
sports results every city can be a team, long before any of them is likelier than its city.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel
from eigenthemes.kernels.columns import LEAST_UNITS, count_name, log_ratio
from eigenthemes.kernels.common import ask_for_lists
from eigenthemes.kernels.sorting import sort

_LEAST_OTHERS = 2  # other names that must be able to have an attribute
_MOST = 200.0


@kernel
def coincidence(documents: Any, names: Any, counted: Any, entity: Any, attributes: Any, share: Any) -> Any:
    """Compute what the names of its document say for each candidate by what they can have in common.

    documents   [d + 1] names of each document; names [m + 1] rows (candidates) of each name
    counted     [d] bool: documents that are looked at
    entity      [n] int64
    attributes  (indptr, attributes) as of `entity_attributes`; share [attributes] of all names that have a candidate with it

    Of each candidate the attribute that tells most counts: the log-likelihood ratio of so many of the other names having it, by
    what the document shows and by chance. One entity that all names share is no coincidence: no more names are counted than
    there are entities with the attribute. Returns (evidence [n] float64, attribute [n] int64: -1 for none; having, others [n]
    int64: so many of the other names can have it).
    """
    evidence = np.zeros(len(entity), np.float64)
    attribute = np.full(len(entity), -1, np.int64)
    having = np.zeros(len(entity), np.int64)
    others = np.zeros(len(entity), np.int64)
    count = np.zeros(len(share), np.int64)
    entities = np.zeros(len(share), np.int64)
    seen = np.full(len(share), -1, np.int64)
    touched = np.zeros(len(share), np.int64)
    ratio = np.zeros(len(share), np.float64)
    asked = np.zeros(len(entity), np.uint32)
    for document in range(len(documents) - 1):
        if not counted[document]:
            continue
        units, many = 0, 0
        ask_for_lists(names[documents[document]], names[documents[document + 1]], entity, attributes, asked)
        for name in range(documents[document], documents[document + 1]):
            if names[name + 1] > names[name]:
                units += 1
                many = count_name(name, names, entity, attributes, count, seen, touched, many)
        first, last = names[documents[document]], names[documents[document + 1]]
        if units >= LEAST_UNITS:
            in_order = np.copy(entity[first:last])
            sort(in_order)
            _count_entities(in_order, attributes, entities)
            for k in range(many):
                a = touched[k]
                count[a] = min(count[a], entities[a]) - 1
                ratio[a] = min(log_ratio(count[a], units - 1, share[a]), _MOST) if count[a] >= _LEAST_OTHERS else 0.0
            for row in range(first, last):
                most, best = 0.0, np.int64(-1)
                for k in range(attributes[0][entity[row]], attributes[0][entity[row] + 1]):
                    if ratio[attributes[1][k]] > most:
                        best = np.int64(attributes[1][k])
                        most = ratio[best]
                others[row] = units - 1
                if best >= 0:
                    evidence[row], attribute[row], having[row] = most, best, count[best]
        for k in range(many):
            count[touched[k]] = entities[touched[k]] = 0
            ratio[touched[k]] = 0.0
            seen[touched[k]] = -1
    return evidence, attribute, having, others


@kernel
def _count_entities(entity: Any, attributes: Any, entities: Any) -> None:
    """Count the distinct entities with each attribute; entity [r] is in order."""
    for row in range(len(entity)):
        if row == 0 or entity[row] != entity[row - 1]:
            for k in range(attributes[0][entity[row]], attributes[0][entity[row] + 1]):
                entities[attributes[1][k]] += 1
