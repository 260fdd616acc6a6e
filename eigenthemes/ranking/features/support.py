"""Support of a candidate by the candidates of other names, weighted by their probabilities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.jit import kernel
from eigenthemes.core.threads import lazy
from eigenthemes.kb.store import Vectors
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext
from eigenthemes.ranking.features.nil import highest_beside

if TYPE_CHECKING:
    from eigenthemes.ranking.features.connections import Connections


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FEW = 4  # times as many candidates as dimensions: so many are compared pair by pair, which takes half the time
_AT_ONCE = 16  # numbers that are squared in the time of a step, also in plain Python
_TOGETHER, _STEP = 128, 16  # documents of up to so many candidates are compared together, those of 1 to 16, 17 to 32, ...
_SMALL = 64  # candidates: BLAS multiplies a matrix of so few with its turned copy sooner than with itself
_PRUNE_BELOW = 0.01  # of the probability of the best candidate: below it, what other names say changes no answer


def pruned(groups: MentionGroups, probability: Floats) -> NDArray[np.float32]:
    """Return the probabilities [n], 0 for candidates far less likely than the best of their mention."""
    best = highest_beside(probability, groups.bounds)
    unlikely = probability < _PRUNE_BELOW * best  # what is no number is not unlikely: damage must show
    return np.where(unlikely, 0.0, probability).astype(np.float32)


class GraphSupport(NamedTuple):
    """Support of candidates by the graph, [n] each, in the order of the kernel's columns."""

    edges: Floats
    shared_rare: Floats
    shared: Floats
    longer: Floats
    same: Floats


@dataclass(frozen=True)
class CandidateConnections:
    """Connections between the candidates of each document, independent of their probabilities and of the round.

    considered  [n] bool: the others have to do with nobody
    """

    groups: MentionGroups
    context: FeatureContext
    considered: NDArray[np.bool_]

    @lazy
    def steps(self) -> int:
        """About how many steps the kernels take."""
        return self.context.walk_steps(self.groups.entity[self.considered])

    @lazy
    def in_graph(self) -> Connections:
        """Return the connections of the candidates in the graph."""
        from eigenthemes.ranking.features.connections import Connections, connect

        groups, context = self.groups, self.context
        rows = groups.document_names, groups.name_bounds, groups.entity, self.considered
        with context.scratch.borrow() as scratch:
            return Connections(*connect.select_backend(self.steps)(*rows, context.graph, context.walked, scratch))

    @lazy
    def rows(self) -> Ints:
        """The rows that are considered [c]."""
        return np.flatnonzero(self.considered)

    @lazy
    def squared_cosines(self) -> list[SquaredCosines | SquaredCosinesOfSeveral]:
        """Of the documents with candidates of two names or more, small ones of one size together."""
        vectors, groups, rows = self.context.vectors, self.groups, self.rows
        if vectors is None or not len(rows):
            return []
        name, entity = groups.name_of_row[rows], groups.entity[rows]
        bounds = np.searchsorted(rows, groups.name_bounds[groups.document_names])
        first, count = bounds[:-1], np.diff(bounds)
        last = first + count - 1
        several = np.flatnonzero((count > 1) & (name[np.minimum(first, last)] != name[last]))
        most = min(_TOGETHER, _FEW * vectors.rows.shape[1]) // _STEP * _STEP
        small, large = several[count[several] <= most], several[count[several] > most]
        found: list[SquaredCosines | SquaredCosinesOfSeveral] = [
            SquaredCosines.of(vectors, entity, name, start, stop)
            for start, stop in zip(bounds[large].tolist(), bounds[large + 1].tolist(), strict=True)
        ]
        sizes = -(-count[small] // _STEP) * _STEP
        for size in np.unique(sizes).tolist():
            documents = small[sizes == size]
            found.append(SquaredCosinesOfSeveral.of(vectors, entity, name, first[documents], count[documents], size))
        return found


class SquaredCosines(NamedTuple):
    """The squared cosines of each two candidates of a document.

    place    of its candidates among the considered rows
    squared  [s, s] 0 where they are of the same name; None where they are many times more than dimensions
    """

    place: slice
    squared: NDArray[np.float32] | None

    @classmethod
    def of(cls, vectors: Vectors, entity: Ints, name: Ints, start: int, stop: int) -> SquaredCosines:
        """Compute those of the considered rows start:stop; entity, name [c] of all of them."""
        if stop - start > _FEW * vectors.rows.shape[1]:
            return cls(slice(start, stop), None)
        return cls(slice(start, stop), _squared(vectors, entity[None, start:stop], name[None, start:stop])[0])

    def times(self, weight: NDArray[np.float32], result: Floats) -> None:
        """Multiply by the weights of the considered rows [c] into their results [c]."""
        assert self.squared is not None
        result[self.place] = self.squared @ weight[self.place]


class SquaredCosinesOfSeveral(NamedTuple):
    """The same of documents with about as many candidates.

    places   [d, s]; where a document has fewer candidates, the last one stands there again
    inside   [d, s] bool: where it has not fewer
    squared  [d, s, s]
    """

    places: Ints
    inside: NDArray[np.bool_]
    squared: NDArray[np.float32]

    @classmethod
    def of(cls, vectors: Vectors, entity: Ints, name: Ints, first: Ints, count: Ints, size: int) -> SquaredCosinesOfSeveral:
        """Compute those of documents whose candidates are the considered rows first:first + count."""
        steps = np.arange(size)
        places = first[:, None] + np.minimum(steps, count[:, None] - 1)
        return cls(places, steps < count[:, None], _squared(vectors, entity[places], name[places]))

    def times(self, weight: NDArray[np.float32], result: Floats) -> None:
        """Multiply by the weights of the considered rows [c] into their results [c]."""
        inside = np.where(self.inside, weight[self.places], np.float32(0))
        result[self.places[self.inside]] = (self.squared @ inside[:, :, None])[self.inside, 0]


def _squared(vectors: Vectors, entity: Ints, name: Ints) -> NDArray[np.float32]:
    """Compute the squared cosines of each two candidates of each of some documents [d, s, s]; 0: they are of the same name."""
    unit = np.take(vectors.rows, entity, axis=0)
    turned = unit.transpose(0, 2, 1)
    squared = unit @ (np.ascontiguousarray(turned) if unit.shape[1] <= _SMALL else turned)  # the same bits, sooner
    square_of_other_names.select_backend(squared.size // _AT_ONCE)(squared, name)
    return np.asarray(squared)


@dataclass(frozen=True)
class WeightedCandidates:
    """The candidates of a batch, and how likely each of them was in the round before: `weight` [n].

    Those that were unlikely beside the best one of their mention have weight 0: they neither give nor get support, in this
    round and in all that follow.
    """

    groups: MentionGroups
    context: FeatureContext
    weight: NDArray[np.float32]
    connections: CandidateConnections

    @classmethod
    def of(cls, groups: MentionGroups, context: FeatureContext, probability: Floats) -> WeightedCandidates:
        """Weigh candidates by their probabilities [n] after the first round."""
        return cls.weighing(groups, context, pruned(groups, probability))

    @classmethod
    def weighing(cls, groups: MentionGroups, context: FeatureContext, weight: NDArray[np.float32]) -> WeightedCandidates:
        """Build from given weights of candidates [n]."""
        return cls(groups, context, weight, CandidateConnections(groups, context, weight != 0))

    def in_next_round(self, probability: Floats) -> WeightedCandidates:
        """Weigh the candidates that are still considered by their probabilities [n] after this round."""
        weight = pruned(self.groups, np.where(self.weight == 0, 0.0, probability))
        return replace(self, weight=weight)

    @lazy
    def graph_support(self) -> GraphSupport:
        """Return the support of the graph for each candidate."""
        from eigenthemes.ranking.features.graph_support import support

        groups, found = self.groups, self.connections
        compute = support.select_backend(found.steps)
        columns = compute(groups.document_names, groups.name_bounds, self.weight, groups.longer, found.in_graph)
        return GraphSupport(*columns.T)

    def contributions(self, row: int) -> Contributions:
        """Return what each candidate of the document contributed to the support of one of them."""
        from eigenthemes.ranking.features.graph_support import contributions

        groups, found = self.groups, self.connections
        name = int(groups.name_of[groups.group[row]])
        document = int(np.searchsorted(groups.document_names, name, side="right")) - 1
        first_name, last_name = groups.document_names[document : document + 2].tolist()
        names = groups.name_bounds[first_name : last_name + 1]
        share = contributions.select_backend(found.steps)
        parts, positions, nodes = share(row, name, names, self.weight, groups.longer, found.in_graph)
        meetings = positions, found.in_graph.entities[nodes]
        return Contributions(self, row, first_name, int(names[0]), int(names[-1]), GraphSupport(*parts.T), meetings)


@dataclass(frozen=True)
class Contributions:
    """Contributions of each candidate of a document to one of them.

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
        """Return the probability of the candidate at each position [r]; 0 for candidates of the same name.

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


def _square_by_numpy(products: Any, name: Any) -> None:
    np.square(products, out=products)
    products[name[:, :, None] == name[:, None]] = 0


@kernel(plain=_square_by_numpy)
def square_of_other_names(products: Any, name: Any) -> None:
    """Square numbers [d, s, s] of pairs in place; those of two candidates of one name become 0; name [d, s]."""
    for document in range(products.shape[0]):
        for one in range(products.shape[1]):
            for other in range(products.shape[2]):
                product = products[document, one, other]
                squared = product * product
                products[document, one, other] = squared if name[document, one] != name[document, other] else np.float32(0)
