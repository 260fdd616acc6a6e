"""The candidates that mentions bring themselves, as a candidate table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.generator import CandidateGenerator, CandidateTable
from eigenthemes.kb.store import KB, Vectors
from eigenthemes.records import Mention

Ints = NDArray[np.int64]


def given_candidates(
    mentions: Sequence[Mention],
    kb: KB,
    generator: CandidateGenerator,
    vectors: Vectors | None,
    embedded_only: NDArray[np.bool_],
) -> tuple[CandidateTable, dict[int, tuple[str, ...]]]:
    """Return the candidates that mentions bring, each once, up to T, and the ids that the KB does not know, by mention.

    generator      what its `allowed` leaves out is no candidate
    embedded_only  [mentions] those without a vector are none, either
    """
    ids = [id for mention in mentions for id in mention.candidates or ()]
    counts = np.array([len(mention.candidates or ()) for mention in mentions], np.int64)
    mention_of, entity = np.repeat(np.arange(len(mentions)), counts), kb.indices_of(ids)
    kept = entity >= 0
    unknown = _by_mention(mention_of, ids, ~kept)
    if generator.allowed is not None:
        kept &= generator.allowed[entity]
    if vectors is not None:
        kept &= vectors.has[entity] | ~embedded_only[mention_of]
    rows = np.flatnonzero(kept)
    rows = rows[np.sort(np.unique(mention_of[rows] * len(kb) + entity[rows], return_index=True)[1])]
    rank = _ranks(mention_of[rows])
    if generator.max_candidates is not None:
        rows, rank = rows[rank <= generator.max_candidates], rank[rank <= generator.max_candidates]
    mention_of, entity, prior = mention_of[rows], entity[rows], _priors(mentions, kb, entity, rows)
    match_type = generator.match_types_of([mention.name for mention in mentions], mention_of, entity)
    columns = mention_of, entity.astype(np.uint32), rank.astype(np.int32), prior, match_type
    return CandidateTable(len(mentions), *columns), unknown


def _by_mention(mention_of: Ints, ids: Sequence[str], chosen: NDArray[np.bool_]) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    for row in np.flatnonzero(chosen).tolist():
        mention = int(mention_of[row])
        found[mention] = (*found.get(mention, ()), ids[row])
    return found


def _ranks(mention_of: Ints) -> Ints:
    """Number the rows of each mention from 1."""
    return np.arange(1, len(mention_of) + 1) - np.searchsorted(mention_of, mention_of)


def _priors(mentions: Sequence[Mention], kb: KB, entity: Ints, rows: Ints) -> NDArray[np.float64]:
    """Return the numbers that mentions bring for their candidates, and where they bring none, the priors of the KB."""
    priors = kb.priors_of(entity[rows])
    if all(mention.priors is None for mention in mentions):
        return priors
    given = [number for mention in mentions for number in mention.priors or [np.nan] * len(mention.candidates or ())]
    brought = np.array(given, np.float64)[rows]
    return np.where(np.isnan(brought), priors, brought)
