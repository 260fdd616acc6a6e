"""What was learned from a pile of documents without labels: how names are written there, and what stands beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.mentions.surroundings import surroundings
from eigenthemes.ranking.mention_groups import MentionGroups

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Adaptation:
    """Log-odds that add to those of a name found by its spelling.

    documents, names  how many it was learned from
    weights           feature of `mentions.surroundings`, or column of popularity -> log-odds; "one" is added to all
    """

    documents: int
    names: int
    weights: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Describe it for the manifest."""
        return {"documents": self.documents, "names": self.names, "weights": self.weights}

    @classmethod
    def of(cls, described: dict[str, Any]) -> Adaptation:
        """Make it from the manifest."""
        return cls(int(described["documents"]), int(described["names"]), described["weights"])

    def odds(self, groups: MentionGroups, having: NDArray[np.int64], popularity: Floats, columns: tuple[str, ...]) -> Floats:
        """Return what it adds to the log-odds of each group in `having` [b]; popularity [b, 4] are its `columns`."""
        weights = self.weights
        of_mention = [sum(weights.get(feature, 0.0) for feature in features) for features in mention_features(groups)]
        total = np.bincount(groups.group_of, weights=np.array(of_mention, dtype=np.float64), minlength=len(groups))
        mean = total / np.maximum(1, np.bincount(groups.group_of, minlength=len(groups)))
        of_entity = np.einsum("ij,j->i", popularity, np.array([weights.get(column, 0.0) for column in columns]))
        return np.asarray(mean[having] + of_entity + weights.get("one", 0.0))


def mention_features(groups: MentionGroups) -> list[list[str]]:
    """Return the features of each mention of a batch."""
    batch = groups.batch
    return [
        surroundings(document, mention)
        for document, first, last in batch.document_spans()
        for mention in batch.mentions[first:last]
    ]
