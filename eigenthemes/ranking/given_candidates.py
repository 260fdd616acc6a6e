"""The candidates that mentions bring themselves, as a candidate table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice, repeat

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.generator import CandidateGenerator, CandidateTable
from eigenthemes.kb.store import KB, Vectors

Ints = NDArray[np.int64]


def given_candidates(
    names: Sequence[str],
    candidates: Sequence[Sequence[str]],
    priors: Sequence[Sequence[float] | None] | None,
    kb: KB,
    generator: CandidateGenerator,
    vectors: Vectors | None,
    embedded_only: NDArray[np.bool_],
) -> tuple[CandidateTable, dict[int, tuple[str, ...]]]:
    """Return the candidates that mentions bring, each once, up to T, and the ids that the KB does not know, by mention.

    names, candidates  of each mention: its name, and the ids it brings, best first
    priors             numbers for these ids, None: those of the KB; None: no mention brings any
    generator          what its `allowed` leaves out is no candidate
    embedded_only      [mentions] those without a vector are none, either
    """
    ids, counts = list(chain.from_iterable(candidates)), np.array(list(map(len, candidates)), np.int64)
    mention_of, entity = np.repeat(np.arange(len(names)), counts), kb.indices_of(ids)
    kept = entity >= 0
    unknown = _by_mention(mention_of, ids, ~kept)
    if generator.allowed is not None:
        kept &= generator.allowed[entity]
    if vectors is not None and embedded_only.any():
        kept &= vectors.has[entity] | ~embedded_only[mention_of]
    rows = np.flatnonzero(kept)
    rows = rows[np.sort(np.unique(mention_of[rows] * len(kb) + entity[rows], return_index=True)[1])]
    rank = _ranks(mention_of[rows])
    if generator.max_candidates is not None:
        rows, rank = rows[rank <= generator.max_candidates], rank[rank <= generator.max_candidates]
    mention_of, entity = mention_of[rows], entity[rows]
    prior = kb.priors_of(entity) if priors is None else _priors(priors, counts, kb.priors_of(entity), rows)
    number_of: dict[str, int] = {}
    number = np.array([number_of.setdefault(name, len(number_of)) for name in names], np.int64)
    match_type = generator.match_types_of(list(number_of), number[mention_of], entity)
    return CandidateTable(len(names), mention_of, entity.astype(np.uint32), rank.astype(np.int32), prior, match_type), unknown


def _by_mention(mention_of: Ints, ids: Sequence[str], chosen: NDArray[np.bool_]) -> dict[int, tuple[str, ...]]:
    """Return the chosen ids of each mention that has any, each once."""
    found: dict[int, dict[str, None]] = {}
    for row in np.flatnonzero(chosen).tolist():
        found.setdefault(int(mention_of[row]), {})[ids[row]] = None
    return {mention: tuple(of_mention) for mention, of_mention in found.items()}


def _ranks(mention_of: Ints) -> Ints:
    """Number the rows of each mention from 1."""
    return np.arange(1, len(mention_of) + 1) - np.searchsorted(mention_of, mention_of)


def _priors(
    priors: Sequence[Sequence[float] | None], counts: Ints, of_kb: NDArray[np.float64], rows: Ints
) -> NDArray[np.float64]:
    """Return the numbers that mentions bring for these of their candidates, and where they bring none, those of the KB."""
    brought = [islice(chain(each or (), repeat(np.nan)), count) for each, count in zip(priors, counts.tolist(), strict=True)]
    numbers = np.array(list(chain.from_iterable(brought)), np.float64)[rows]
    return np.where(np.isnan(numbers), of_kb, numbers)
