"""How sure to be of an answer in the end: real documents surprise in ways that no made-up one does.

Answers that look certain fail more often than they should, and hopeless ones hit: the odds of the best candidate are drawn
towards even ones. Which candidate is the best does not change by it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.ranking.logit import sigmoid
from eigenthemes.ranking.mention_groups import MentionGroups

Floats = NDArray[np.float64]

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

        All others of a group share what the best one leaves, as before; equal best ones stay equal.
        """
        if self == AS_FOUND or not len(probability):
            return probability, nil
        having = np.diff(groups.bounds) > 0
        changed = having & np.repeat(groups.batch.in_text, np.diff(groups.document_bounds))
        best = np.zeros(len(groups))
        best[having] = np.maximum.reduceat(probability, groups.bounds[:-1][having])
        told = np.where(changed, self.of(best), best)
        rest = np.where(changed, (1 - told) / np.maximum(1 - best, _CERTAIN), 1.0)
        is_best = probability == best[groups.group]
        ties = np.maximum(1, np.bincount(groups.group[is_best], minlength=len(groups)))
        of_best = (told + (ties - 1) * best * rest) / ties
        return np.where(is_best & changed[groups.group], of_best[groups.group], probability * rest[groups.group]), nil * rest


AS_FOUND = Confidence()
