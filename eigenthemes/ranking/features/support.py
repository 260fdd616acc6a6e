"""Support of a candidate by the candidates of the other names of its document: the sums, and who contributed what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.lazy import lazy
from eigenthemes.ranking.features.feature_context import FeatureContext
from eigenthemes.ranking.mention_groups import MentionGroups

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_HOPELESS = 0.005  # of the probability of the best candidate: below it, what other names say changes no answer


class GraphSupport(NamedTuple):
    """What the graph says for candidates, [n] each: the columns of `kernels.support`, in their order."""

    edges: Floats
    shared_rare: Floats
    shared: Floats
    longer: Floats
    same: Floats


@dataclass(frozen=True)
class WeightedCandidates:
    """The candidates of a batch, and how likely each of them was in the round before: `weight` [n].

    Those that were hopeless beside the best one of their mention have weight 0: they neither give nor get support.
    """

    groups: MentionGroups
    context: FeatureContext
    weight: NDArray[np.float32]

    @classmethod
    def of(cls, groups: MentionGroups, context: FeatureContext, probability: Floats) -> WeightedCandidates:
        """Weigh candidates by their probabilities [n]."""
        hopeless = probability < _HOPELESS * groups.best_of_group(probability)  # what is no number is not: damage must show
        return cls(groups, context, np.where(hopeless, 0.0, probability).astype(np.float32))

    @lazy
    def graph_support(self) -> GraphSupport:
        """What the graph says for each candidate."""
        from eigenthemes.kernels.support import support

        groups, context = self.groups, self.context
        with context.scratch.borrow() as scratch:
            columns = support.for_steps(context.walk_steps(groups.entity))(
                groups.document_names, groups.name_bounds, groups.entity, self.weight, context.graph, groups.longer, scratch
            )
        return GraphSupport(*columns.T)

    def contributions(self, row: int) -> Contributions:
        """Return what each candidate of the document contributed to the support of one of them."""
        from eigenthemes.kernels.support import contributions

        groups, context = self.groups, self.context
        name = int(groups.name_of[groups.group[row]])
        document = int(np.searchsorted(groups.document_names, name, side="right")) - 1
        first_name, last_name = groups.document_names[document : document + 2].tolist()
        first, last = groups.name_bounds[[first_name, last_name]].tolist()
        longer = groups.longer[0][first_name : last_name + 1], groups.longer[1]
        bounds = groups.name_bounds[first_name : last_name + 1] - first
        entity, weight = groups.entity[first:last], self.weight[first:last]
        row_and_name = row - first, name - first_name
        share = contributions.for_steps(context.walk_steps(entity))
        with context.scratch.borrow() as scratch:
            parts, *meetings = share(*row_and_name, bounds, entity, weight, context.graph, longer, scratch)
        return Contributions(self, row, first_name, first, last, GraphSupport(*parts.T), (meetings[0], meetings[1]))


@dataclass(frozen=True)
class Contributions:
    """What each candidate of a document contributed to one of them.

    A position is the number of a candidate within its document.

    row          the candidate, by its row in the batch
    first_name   of the document; first, last: its rows
    parts        what each contributed to what the graph says for the candidate, [r] each
    meetings     (positions [k], neighbours [k]): who shares which neighbours with the candidate
    """

    candidates: WeightedCandidates
    row: int
    first_name: int
    first: int
    last: int
    parts: GraphSupport
    meetings: tuple[Ints, Ints]

    @property
    def context(self) -> FeatureContext:
        return self.candidates.context

    @property
    def entity(self) -> int:
        """The entity of the candidate."""
        return int(self.candidates.groups.entity[self.row])

    @lazy
    def entities(self) -> Ints:
        """The entity of each position [r]."""
        return self.candidates.groups.entity[self.first : self.last]

    @lazy
    def groups(self) -> Ints:
        """The mention group of each position [r]."""
        return self.candidates.groups.group[self.first : self.last]

    @lazy
    def weights(self) -> Floats:
        """How likely the candidate of each position was [r]; 0 for candidates of the same name, which say nothing.

        All 0 where the candidate itself has no weight: nothing supports it.
        """
        if self.candidates.weight[self.row] == 0:
            return np.zeros(self.last - self.first)
        names = self.candidates.groups.name_of[self.groups]
        own = names == names[self.row - self.first]
        return np.where(own, 0.0, self.candidates.weight[self.first : self.last].astype(np.float64))

    def is_longer(self, position: int) -> bool:
        """Return whether the candidate at a position is of a longer name, which contains that of the candidate."""
        groups = self.candidates.groups
        own, other = groups.name_of[[groups.group[self.row], self.groups[position]]].tolist()
        indptr, longer = groups.longer
        return bool(np.any(longer[indptr[own] : indptr[own + 1]] == other - self.first_name))
