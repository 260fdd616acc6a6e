"""What tells whether none of the candidates of a name is right."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.ranking.mention_groups import MentionGroups

NIL_COLUMNS = {
    "none": "1: there are candidates",
    "alone": "the document has no other name",
    "name_words": "log of the number of words",
    "candidates": "log of the number of candidates",
    "doubt": "minus the log of the best candidate's probability among them",
}  # of a mention group; the columns of its best candidate follow: no two may have one name
# Rankers that were kept before called it like the words around a name, which then had the same weight.
WEIGHED_LIKE = {"name_words": "words"}


def nil_features(groups: MentionGroups, features: NDArray[np.float32], probability: NDArray[np.float64]) -> NDArray[np.float32]:
    """Compute NIL_COLUMNS of each mention group, and the columns of its best candidate [m, g]; zeros without candidates.

    probability  [n] of each candidate, if one of them is right
    """
    columns = np.zeros((len(groups), len(NIL_COLUMNS) + features.shape[1]), np.float32)
    best_row = best_rows(groups, probability)
    having = np.flatnonzero(best_row >= 0)
    columns[having, 0] = 1
    columns[having, 1] = groups.other_names[having] == 0
    columns[having, 2] = groups.log_words[having]
    columns[having, 3] = np.log(np.diff(groups.bounds)[having])
    columns[having, 4] = -np.log(np.maximum(probability[best_row[having]], 1e-6))
    columns[having, len(NIL_COLUMNS) :] = features[best_row[having]]
    return columns


def best_rows(groups: MentionGroups, probability: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the row of the best candidate of each mention group [m], of equal ones the first; -1 without candidates."""
    best = np.flatnonzero(probability == groups.best_of_group(probability))[::-1]
    best_row = np.full(len(groups), -1)
    best_row[groups.group[best]] = best
    return best_row
