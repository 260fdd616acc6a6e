"""How popular a candidate is beside the others of its mention."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.ranking.features.feature_context import FeatureContext
from eigenthemes.ranking.features.feature_group import LocalGroup
from eigenthemes.ranking.mention_groups import MentionGroups

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
    rank = -np.log(table.rank[groups.table_row])
    columns = np.stack((prior - groups.best_of_group(prior), rank, names - groups.best_of_group(names)), axis=1)
    return columns.astype(np.float32)


GROUP = LocalGroup(name="prior", columns=_COLUMNS, compute=compute)
