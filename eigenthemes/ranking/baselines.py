"""The paper's method and its baselines: one score for each candidate of a batch, higher is better.

All have one signature, `score(batch, kb, options) -> float64 [n]`. Documents do not see each other. A candidate without a
vector scores -1 - rank where vectors decide: behind all others, in order of prior; so does a whole document without any vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.generator import CandidateTable
from eigenthemes.candidates.rules import CONTAINS, ENDING, REMEMBERED, SHARES, SPELLING, TYPO, WORDING
from eigenthemes.kb.name_arrays import ACRONYM, ALIAS, INITIALS, LABEL, UNBRACKETED
from eigenthemes.kb.store import KB
from eigenthemes.pipeline.batch import Batch
from eigenthemes.ranking.context_methods import context_scores
from eigenthemes.ranking.options import AverageOptions, EigenOptions, Scores
from eigenthemes.ranking.subspace import Subspace, fit_subspace, rank_weights, score, score_by_all

Vectors = NDArray[np.float32]

_STEPS = 4  # of finding what is distinct, per candidate

# What a name match counts beside the prior (round numbers; a finer search on the tuning sets gains 0.1 points).
NAME_MATCH_WEIGHTS = {
    LABEL: 1.0, ALIAS: 0.5, UNBRACKETED: 0.5, ENDING: 0.2, ACRONYM: 0.1, INITIALS: 0.05, CONTAINS: 0.01, SHARES: 0.005,
    TYPO: 0.005, REMEMBERED: 1.0, SPELLING: 0.1, WORDING: 0.1,
}  # fmt: skip


def eigen(batch: Batch, kb: KB, options: EigenOptions) -> Scores:
    """Score by (weighted) Eigenthemes: how near each candidate is to the subspace of its document."""

    def nearness(vectors: Vectors, weights: Scores) -> Scores:
        if options.strengths and (options.k is None or options.k >= min(vectors.shape)):
            return score_by_all(vectors, weights.astype(np.float32))
        subspace = fit_subspace(vectors, weights.astype(np.float32), options.k)
        return score(vectors, subspace if options.strengths else Subspace(np.ascontiguousarray(subspace.components.T)))

    # Rows that stand there twice, with weights v and w, are one row with the weight sqrt(v^2 + w^2).
    return _by_document(batch, kb, options, 2, nearness)


def average(batch: Batch, kb: KB, options: AverageOptions) -> Scores:
    """Score by the cosine of each candidate with the (weighted) mean of all candidates of its document."""

    def nearness(vectors: Vectors, weights: Scores) -> Scores:
        mean = weights @ vectors
        return np.asarray(vectors @ (mean / max(float(np.linalg.norm(mean)), 1e-30)), dtype=np.float64)

    return _by_document(batch, kb, options, 1, nearness)


def degree(batch: Batch, kb: KB, options: None = None) -> Scores:
    """Score by prior: 1 / position."""
    return 1.0 / _position(batch)


def namematch(batch: Batch, kb: KB, options: None = None) -> Scores:
    """Score by prior, 1 / position, where the label is the mention, but for case; 0 (no answer) elsewhere."""
    table, mentions = batch.table, [mention.name.casefold() for mention in batch.mentions]
    pairs = zip(table.mention_of.tolist(), table.entity.tolist(), strict=True)
    same = np.array([kb.label_of(entity).casefold() == mentions[i] for i, entity in pairs], dtype=bool)
    return np.asarray(np.where(same, 1.0 / _position(batch), 0.0))


def prior_name(batch: Batch, kb: KB, options: None = None) -> Scores:
    """Score by the prior, times what the name match counts."""
    weights_by_type = np.array([NAME_MATCH_WEIGHTS[match_type] for match_type in range(len(NAME_MATCH_WEIGHTS))])
    return np.asarray((1.0 + np.maximum(batch.table.prior, 0)) * weights_by_type[batch.table.match_type])


def _position(batch: Batch) -> Scores:
    """Return the position of each candidate within its mention: by prior, ties by rank."""
    table = batch.table
    same = np.diff(table.mention_of) == 0
    first = table.bounds[:-1]
    if np.all((table.prior[1:] <= table.prior[:-1])[same]):  # they are in order of rank
        return np.arange(1.0, len(table) + 1) - first[table.mention_of]
    order = np.lexsort((table.rank, -table.prior, table.mention_of))
    position = np.empty(len(table))
    position[order] = np.arange(1, len(table) + 1) - first[table.mention_of]
    return position


def _by_document(
    batch: Batch, kb: KB, options: AverageOptions, power: int, nearness: Callable[[Vectors, Scores], Scores]
) -> Scores:
    """Score by vectors and weights, one document at a time.

    An entity's vector is taken once a document. Its weights add up in the given power: as if it stood there again and again.
    """
    scores = -1.0 - batch.table.rank.astype(np.float64)
    rows, inverse, entities, weights, begins = _distinct(batch, kb, options, power)
    near = np.empty(len(entities))
    for first, last in pairwise(begins.tolist()):
        if first < last:
            near[first:last] = nearness(_vectors_of(batch, entities[first:last], options), weights[first:last])
    scores[rows] = near[inverse]
    return scores


class WeightedEntities(NamedTuple):
    """The entities among the candidates of a document that have a vector, each once.

    rows      [r] of the batch's table; those of the candidates with a vector
    inverse   [r] where each row's entity is among the distinct ones
    entities  [n] the distinct ones
    vectors   [n, d]
    weights   [n]
    """

    rows: NDArray[np.int64]
    inverse: NDArray[np.int64]
    entities: NDArray[np.uint32]
    vectors: Vectors
    weights: Scores


def weighted_entities(
    batch: Batch, kb: KB, options: AverageOptions, power: int, documents: slice = slice(None)
) -> Iterator[WeightedEntities]:
    """Yield for each document, or some, its candidates' vectors with their weights, which add up in the given power."""
    rows, inverse, entities, weights, begins = _distinct(batch, kb, options, power)
    row_begins = np.searchsorted(rows, batch.bounds)
    for document in range(len(batch.documents))[documents]:
        own = slice(*begins[document : document + 2])
        own_rows = slice(*row_begins[document : document + 2])
        vectors = _vectors_of(batch, entities[own], options)
        yield WeightedEntities(rows[own_rows], inverse[own_rows] - own.start, entities[own], vectors, weights[own])


def _distinct(batch: Batch, kb: KB, options: AverageOptions, power: int) -> tuple[NDArray[Any], ...]:
    """Return rows, inverse, entities and weights, as in `WeightedEntities` but of all documents, and where each one's begin."""
    from eigenthemes.kernels.distinct import distinct_entities

    assert batch.vectors is not None
    table, has_vector = batch.table, batch.vectors.has
    has = has_vector[table.entity]
    weights = candidate_weights(batch, kb, options, has) ** power
    find = distinct_entities.select_backend(_STEPS * len(table))
    rows, inverse, entities, sums, begins = find(
        batch.bounds, table.entity, has, weights, options.unique, np.empty(len(has_vector), np.int64)
    )
    return rows, inverse, entities, sums ** (1 / power), begins


def _vectors_of(batch: Batch, entities: NDArray[np.uint32], options: AverageOptions) -> Vectors:
    assert batch.vectors is not None
    vectors = np.take(batch.vectors.rows, entities, axis=0, mode="clip")  # quicker: nobody asks again whether they are there
    return vectors if options.unit_length else vectors * batch.vectors.lengths[entities, None]


def candidate_weights(batch: Batch, kb: KB, options: AverageOptions, has: NDArray[np.bool_]) -> Scores:
    """Compute the weights rank^-delta of each candidate [n], the rank among those with a vector, by prior or by context."""
    table = batch.table
    if options.weights == "none" or options.delta == 0:
        return np.ones(len(table))
    if options.weights == "degree":
        return rank_weights(_rank_of_embedded(table, has), options.delta).astype(np.float64)
    return rank_weights(context_rank(batch, context_scores(batch, kb, options.weights, options), has), options.delta).astype(
        np.float64
    )


def context_rank(batch: Batch, fits: Scores, counted: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """Return the rank of each candidate within its mention by how well it fits the text, ties by prior [n].

    counted  only these have a rank (for the others it means nothing); None: all
    """
    table = batch.table
    order = np.lexsort((table.rank, -fits, table.mention_of))
    rank = np.empty(len(table), dtype=np.int64)
    among = np.ones(len(table), dtype=bool) if counted is None else counted
    rank[order] = _rank_of_embedded(table, among[order])  # the mentions stand in the same order
    return rank


def _rank_of_embedded(table: CandidateTable, has: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the rank of each candidate among those of its mention that have a vector (for the others it means nothing)."""
    before = np.zeros(len(table) + 1, np.int64)
    np.cumsum(has, out=before[1:])
    return np.asarray(np.maximum(1, before[1:] - before[table.bounds[:-1]][table.mention_of]))
