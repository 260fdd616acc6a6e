"""Attributes that the names of a text may share: on a page of results, every city can be a team."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext, about_length
from eigenthemes.ranking.features.feature_group import LocalGroup

_COLUMNS = {
    "coincidence": "how much more often than by chance the other names of the text can be of a type, or stand in a relation, "
    "that it has; not in tables, where the column says it",
}
_SCALE = 10.0
_MOST = 0.5  # synthetic documents hang together better than texts: of genes they would learn a weight that is four times this


class Coincidence(NamedTuple):
    """Attributes that a candidate shares with the other names of its text, [n] each.

    evidence   log-likelihood ratio
    attribute  the one that tells most, -1: none
    having     so many of the `others`, the other names that have candidates, can have it
    """

    evidence: NDArray[np.float64]
    attribute: NDArray[np.int64]
    having: NDArray[np.int64]
    others: NDArray[np.int64]

    @classmethod
    def of(cls, groups: MentionGroups, context: FeatureContext) -> Coincidence | None:
        """Count what the names of each text have in common; None where the KB keeps no attributes."""
        from eigenthemes.kernels.coincidence import coincidence

        if context.attributes is None:
            return None
        attributes, in_text = context.attributes, groups.batch.in_text
        count = coincidence.select_backend(3 * about_length(attributes.indptr, groups.entity))
        rows = groups.document_names, groups.name_bounds, in_text, groups.entity
        return cls(*count(*rows, attributes.lists, attributes.share))


def compute(groups: MentionGroups, context: FeatureContext) -> NDArray[np.float32]:
    """Compute the evidence [n, 1]: linear, since the root and the logarithm lose what it is worth."""
    found = Coincidence.of(groups, context)
    evidence = np.zeros(len(groups.table_row)) if found is None else found.evidence / _SCALE
    return evidence[:, None].astype(np.float32)


GROUP = LocalGroup(
    name="coincidence", columns=_COLUMNS, compute=compute, weakness="has less in common with the other names", most=_MOST
)
