"""Feature groups, and the parts of a KB that they are computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import spans_joined
from eigenthemes.core.threads import Pool, lazy
from eigenthemes.explanations import Reason
from eigenthemes.kb.attributes import EntityAttributes
from eigenthemes.kb.graph import Hubs, Kinds
from eigenthemes.kb.profiles import EntityProfiles
from eigenthemes.kb.store import KB, Vectors
from eigenthemes.names.alignment import names_and_tokens
from eigenthemes.names.name_memory import name_memories
from eigenthemes.names.token_model import TokenModel
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.text.normalize import normalize

if TYPE_CHECKING:
    from eigenthemes.ranking.features.support import Contributions, WeightedCandidates

Features = NDArray[np.float32]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
WALKED = 128  # neighbours; 512 say no more, and take twice the time
WALKED_IN_TRAINING = 512  # but weights that were learned with fewer are worse: on news about places by .3 points
_SAMPLE = 500  # owners of lists by which the length of all is told, for `Kernel.select_backend`
_MOST_NEIGHBORS = 512  # of an entity among which hubs are looked for: the first ones, which are those of the highest prior
_BLOCK = 1 << 16  # entities whose hubs are found together
_WALKS = 3  # times that the neighbours of a candidate are walked, at most: twice to connect, and those that count in a round

Scratch = tuple[NDArray[np.int32], Ints]


class Evidence(NamedTuple):
    """The arrays that a KB keeps for the features of its ranker, each None where it keeps none."""

    attributes: EntityAttributes | None = None
    profiles: EntityProfiles | None = None
    hubs: Hubs | None = None
    kinds: Kinds | None = None

    @classmethod
    def of(cls, kb: KB) -> Evidence:
        """Return what a KB keeps."""
        return cls(EntityAttributes.of(kb), EntityProfiles.of(kb), Hubs.of(kb), Kinds.of(kb))


_NO_EVIDENCE = Evidence()


class FeatureContext:
    """The arrays of a KB that features are computed from. Never changes once made: any number of threads may share one.

    vectors       of the entities; None: there are none, and nothing is close
    graph         neighbours (indptr, neighbors), and how rare each node is as one: 1 for a lonely node, 0 for one that is
                  everybody's neighbour
    token_model   what is known of the tokens of names; aligned_with: the arrays that `names.alignment` compares with
    spelled       names of each entity, and the tokens and letters of each name: what the spelling kernel compares with
    attributes    types and relations of the entities; None: what names could have in common says nothing
    profiles      words that belong to the entities; None: the words around a name say nothing
    hubs          what a document may be about; None: that says nothing. hub_numbers [entities]: their numbers, -1: no hub
    kinds         entities to one of which each of many others belongs; None: there are none
    memory        what people said names mean; None: nothing, or it is not to be looked at
    walked        neighbours of a candidate that may be shared with others: the first ones; all of its edges count
    leaves_out_own  what a document itself said does not count for it: where weights are fitted on it
    scratch       room for `connections.connect` to work in, as long as the KB
    """

    def __init__(
        self,
        kb: KB,
        vectors: Vectors | None,
        evidence: Evidence = _NO_EVIDENCE,
        *,
        remembers: bool = True,
        leaves_out_own: bool = False,
        walked: int = WALKED,
    ) -> None:
        self.kb, self.vectors = kb, vectors
        self.attributes, self.profiles, self.hubs, self.kinds = evidence
        self.memory, self.leaves_out_own = name_memories(kb) if remembers else None, leaves_out_own
        self.walked = walked
        degree = kb.graph.degree
        rarity = 1 - np.log1p(degree) / np.log1p(max(1, len(degree)))
        self.graph = kb.graph.indptr, kb.graph.neighbors, rarity.astype(np.float32)
        names = kb.spelled_names
        self.spelled = kb.array("entity_names"), names.indptr, names.tokens, names.letters
        self.hub_numbers = None if self.hubs is None else self.hubs.numbers(len(degree))
        self.scratch = Pool(lambda: _new_scratch(len(degree)))
        self.token_table = kb.name_index.token_table
        self.token_model = kb.cached(TokenModel.of)
        self.aligned_with = kb.cached(names_and_tokens)

    @classmethod
    def of(cls, kb: KB, vectors: Vectors | None) -> FeatureContext:
        """Make it with all that the KB keeps for its ranker."""
        return cls(kb, vectors, Evidence.of(kb))

    @lazy
    def edges(self) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[Any], NDArray[np.int64], NDArray[Any]]:
        """All relations of entities: (indptr, neighbors, relations) of `Graph`, (entries, relations) of `FurtherRelations`."""
        graph = self.kb.graph
        further = self.kb.array("graph_more_entries"), self.kb.array("graph_more_relations")
        return graph.indptr, graph.neighbors, graph.relations, *further

    @lazy
    def names_of_kinds(self) -> dict[str, int]:
        """The names of each kind, normalised, and its number."""
        entities = [] if self.kinds is None else self.kinds.entities.tolist()
        names = ((self.kb.names_of(entity) + self.kb.derived_names_of(entity), kind) for kind, entity in enumerate(entities))
        return {normalize(name): kind for of_kind, kind in names for name in of_kind}

    @lazy
    def _hubs_of_all(self) -> tuple[Ints, NDArray[np.int32]]:
        """The hubs that each entity of the KB is, or is adjacent to (indptr, numbers)."""
        everybody = np.arange(len(self.kb))
        lists = [self._find_hubs(everybody[first : first + _BLOCK]) for first in range(0, len(everybody), _BLOCK)]
        counts, numbers = zip(*lists, strict=True)
        return np.concatenate(([0], np.cumsum(np.concatenate(counts)))), np.concatenate(numbers)

    def hubs_near(self, entities: Ints, *, of_all: bool) -> tuple[Ints, Ints, NDArray[np.int32]]:
        """Return the hubs that each of some entities is, or is adjacent to (list of each, indptr, numbers).

        of_all  find those of all entities of the KB, once, which pays where many are asked for; done anyway in small KBs
        """
        if of_all or len(self.kb) <= len(entities):
            return entities, *self._hubs_of_all
        counts, numbers = self._find_hubs(entities)
        return np.arange(len(entities)), np.concatenate(([0], np.cumsum(counts))), numbers

    def _find_hubs(self, entities: Ints) -> tuple[Ints, NDArray[np.int32]]:
        """Return how many hubs each of some entities is, or is adjacent to [n], and their numbers."""
        assert self.hub_numbers is not None
        indptr, neighbors, _ = self.graph
        ends = np.minimum(indptr[entities + 1], indptr[entities] + _MOST_NEIGHBORS)
        hubs = self.hub_numbers[neighbors[spans_joined(indptr[entities], ends)]]
        owner = np.repeat(np.arange(len(entities)), ends - indptr[entities])
        own = np.flatnonzero(self.hub_numbers[entities] >= 0)
        owner = np.concatenate((own, owner[hubs >= 0]))
        numbers = np.concatenate((self.hub_numbers[entities[own]], hubs[hubs >= 0]))
        return np.bincount(owner, minlength=len(entities)), numbers[np.argsort(owner, kind="stable")]

    def name_counts(self, entities: Ints) -> Ints:
        """Count the names of each entity."""
        bounds = self.spelled[0]
        return np.asarray(bounds[entities + 1] - bounds[entities])

    def walk_steps(self, entities: Ints) -> int:
        """Return about how many steps the support kernels take along the neighbours of these entities."""
        return _WALKS * about_length(self.graph[0], entities, most=self.walked)

    def tokens(self, words: NDArray[np.uint64]) -> Ints:
        """Look words up by their hashes: their tokens, -1 where the KB does not know one."""
        return self.token_table.find_all(words)


def about_length(indptr: Ints, owners: Ints, *, most: int | None = None) -> int:
    """Estimate the total length of the lists of some owners, from a sample where there are many.

    most  so much of each list counts; None: all
    """
    sample = owners[:: max(1, len(owners) // _SAMPLE)]
    lengths = indptr[sample + 1] - indptr[sample]
    counted = lengths if most is None else np.minimum(lengths, most)
    return int(counted.sum()) * len(owners) // max(1, len(sample))


def _new_scratch(entities: int) -> Scratch:
    return np.zeros(entities, np.int32), np.zeros(1, np.int64)


@dataclass(frozen=True, kw_only=True)
class FeatureGroup:
    """Columns about one thing.

    columns   column -> what it means, in a line for the docs
    weakness  what is said of a more popular candidate that this group holds back most; "": nothing, it never does
    """

    name: str
    columns: Mapping[str, str]
    weakness: str = ""
    weakness_unconnected: str = ""  # the same, where the better candidate has a connection and the other has none
    most: float = np.inf  # what its columns may weigh where candidates are compared, 0 at least; inf: anything is learned


@dataclass(frozen=True, kw_only=True)
class LocalGroup(FeatureGroup):
    """Columns that a mention has by itself.

    compute  the columns [n, c] of the candidates of some mention groups
    """

    compute: Callable[[MentionGroups, FeatureContext], Features]


@dataclass(frozen=True, kw_only=True)
class JointGroup(FeatureGroup):
    """Columns that depend on what the other names of the document may mean.

    compute      the columns [n, c], given how likely each candidate is
    connections  columns which, where they are not 0, say that a candidate is connected with other names in the KG
    shares       column -> what each candidate of the document contributed to it [r]; what the column adds is shared accordingly
    reasons      why a candidate of the document (by its position there) supports, given the shares; the most telling first
    """

    compute: Callable[[WeightedCandidates], Features]
    shares: Mapping[str, Callable[[Contributions], Floats]]
    reasons: Callable[[Contributions, Mapping[str, Floats], int], Iterator[Reason]]
    connections: tuple[str, ...] = ()
