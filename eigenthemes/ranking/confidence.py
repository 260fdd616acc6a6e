"""How sure to be of an answer in the end: real documents surprise in ways that no made-up one does.

Answers that look certain fail more often than they should, and hopeless ones hit: the odds of the best candidate are drawn
towards even ones. Which candidate is the best does not change by it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.ranking.logit import highest, sigmoid
from eigenthemes.ranking.mention_groups import MentionGroups

Floats = NDArray[np.float64]

_MOST_OF_NIL = 0.8  # that a best candidate may gain
_CERTAIN = 1e-12  # distance from 0 and 1 at which odds are counted as endless


class Confidence(NamedTuple):
    """The log-odds that are told of a best candidate are `slope` times those that the models find, plus `shift`."""

    slope: float = 1.0
    shift: float = 0.0

    def of(self, probability: Floats) -> Floats:
        """Return the probabilities to tell for those of best candidates."""
        inside = np.clip(probability, _CERTAIN, 1 - _CERTAIN)
        return sigmoid(self.slope * np.log(inside / (1 - inside)) + self.shift)

    def tell(self, groups: MentionGroups, probability: Floats, nil: Floats) -> tuple[Floats, Floats]:
        """Return the probability of each candidate [n] and of NIL [m] as they are told; those of tables as they are.

        What the best one gains it takes from NIL alone, so that two that are nearly as likely stay so; what it loses the
        others and NIL share. Equal best ones stay equal.
        """
        if self == AS_FOUND or not len(probability):
            return probability, nil
        counts = np.diff(groups.bounds)
        changed = (counts > 0) & np.repeat(groups.batch.in_text, np.diff(groups.document_bounds))
        best = np.where(counts > 0, highest(probability, groups.bounds), 0.0)
        change = np.where(changed, np.minimum(self.of(best) - best, _MOST_OF_NIL * nil), 0.0)
        share = np.where(change < 0, 1 - change / np.maximum(1 - best, _CERTAIN), 1.0)  # of what the others had
        is_best = probability == np.repeat(best, counts)
        ties = np.maximum(1, np.bincount(groups.group[is_best], minlength=len(groups)))
        of_best = (best + change + (ties - 1) * best * share) / ties
        told = np.where(
            is_best & np.repeat(changed, counts), np.repeat(of_best, counts), probability * np.repeat(share, counts)
        )
        return told, np.where(change > 0, nil - change, nil * share)


AS_FOUND = Confidence()
