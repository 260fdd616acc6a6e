"""Adaptation to a corpus: its prior over entities and how it writes names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.store import KB
from eigenthemes.names.evidence import surroundings
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureGroup

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

    def odds(self, groups: MentionGroups, having: NDArray[np.int64], popularity: Floats, columns: tuple[str, ...]) -> Floats:
        """Return what it adds to the log-odds of each group in `having` [b]; popularity [b, 4] are its `columns`."""
        weights = self.weights
        of_mention = [sum(weights.get(feature, 0.0) for feature in features) for features in mention_features(groups)]
        of_entity = np.einsum("ij,j->i", popularity, np.array([weights.get(column, 0.0) for column in columns]))
        return np.asarray(groups.mean_of_mentions(of_mention)[having] + of_entity + weights.get("one", 0.0))


def mention_features(groups: MentionGroups) -> list[list[str]]:
    """Return the features of each mention of a batch."""
    batch = groups.batch
    return [
        surroundings(document, mention)
        for document, first, last in batch.document_spans()
        for mention in batch.mentions[first:last]
    ]


Ints = NDArray[np.int64]

NUMBERS = {
    "log_prior": "log of the prior",
    "log_names": "log of the number of names",
    "log_degree": "log of the number of neighbours",
    "described": "1: it has a description",
}
_TRUST = 0.5  # the share of the log-odds that counts
_MOST = 8.0  # log-odds

GROUP = FeatureGroup(name="pile", columns={"pile": "what the pile of documents is about"}, weakness="fits the pile less well")


@dataclass(frozen=True, slots=True)
class CorpusPrior:
    """Log-odds that an entity occurs in the user's corpus rather than in synthetic documents; they add to its utility.

    documents  how many it was learned from
    weights    of "one" and NUMBERS
    types      id of a type -> its weight
    often      id of a type -> how many times as often its entities are in the pile as in made-up documents
    """

    documents: int
    weights: dict[str, float]
    types: dict[str, float]
    often: dict[str, float]

    def utility(self, groups: MentionGroups, kb: KB) -> Floats:
        """Return what it adds to the utility of each candidate [n]."""
        return kb.cached(_entity_utility, tuple(self.weights.items()), tuple(self.types.items()))[groups.entity]

    def of_entities(self, kb: KB) -> Floats:
        """Return what it adds to the utility of each entity [entities]."""
        odds = np.full(len(kb), self.weights.get("one", 0.0))
        odds += np.einsum("ij,j->i", entity_numbers(kb), np.array([self.weights.get(name, 0.0) for name in NUMBERS]))
        of_type = np.array([self.types.get(type_id, 0.0) for type_id in kb.types])
        indptr, types = kb.array("type_indptr"), kb.array("entity_types")
        if len(types):
            odds += np.bincount(np.repeat(np.arange(len(kb)), np.diff(indptr)), weights=of_type[types], minlength=len(kb))
        return np.asarray(_TRUST * np.clip(odds, -_MOST, _MOST))


def _entity_utility(kb: KB, weights: tuple[tuple[str, float], ...], types: tuple[tuple[str, float], ...]) -> Floats:
    """Return what a model adds to the utility of each entity [entities]; its fields are hashable here, as a cache key."""
    return CorpusPrior(0, dict(weights), dict(types), {}).of_entities(kb)


def entity_numbers(kb: KB) -> Floats:
    """Return NUMBERS of each entity [entities, 4]."""
    columns = (
        np.log1p(np.maximum(kb.prior, 0)),
        np.log1p(np.diff(kb.array("entity_names"))),
        np.log1p(kb.graph.degree),
        np.diff(kb.array("descriptions_offsets")) > 0,
    )
    return np.stack(columns, axis=1).astype(np.float64)


def type_columns(kb: KB, entities: Ints, types: Sequence[int]) -> Floats:
    """Return which entities have which of some types, given by their numbers [n, types]."""
    number_of = np.full(len(kb.types), -1)
    number_of[list(types)] = np.arange(len(types))
    columns = np.zeros((len(entities), len(types)))
    indptr, entity_types = kb.array("type_indptr"), kb.array("entity_types")
    for row, entity in enumerate(entities.tolist()):
        numbers = number_of[entity_types[indptr[entity] : indptr[entity + 1]]]
        columns[row, numbers[numbers >= 0]] = 1
    return columns
