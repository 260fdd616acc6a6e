"""Prior of a candidate relative to the others of its mention."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext, LocalGroup
from eigenthemes.ranking.features.nil import highest_beside

_COLUMNS = {
    "log_prior": "log of the prior, beside the highest of the mention's candidates",
    "log_rank": "minus the log of the rank by prior",
    "log_names": "log of the number of names, beside the highest of the mention's candidates",
}


def compute(groups: MentionGroups, context: FeatureContext) -> NDArray[np.float32]:
    """Compute popularity within each mention group [n, 3]."""
    table = groups.batch.table
    prior = np.log1p(np.maximum(table.prior[groups.table_row], 0))
    names = np.log1p(context.name_counts(groups.entity))
    columns = np.empty((len(groups.table_row), len(_COLUMNS)), np.float32)
    columns[:, 0] = prior - highest_beside(prior, groups.bounds)
    columns[:, 1] = -np.log(table.rank[groups.table_row])
    columns[:, 2] = names - highest_beside(names, groups.bounds)
    return columns


GROUP = LocalGroup(name="prior", columns=_COLUMNS, compute=compute)
