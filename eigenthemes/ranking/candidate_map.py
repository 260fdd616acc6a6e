"""A document's candidates as points of the plane: where they lie on its two strongest eigenthemes (figure 1 of the paper)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from eigenthemes.explanations import CandidateMap, Explanation, MapPoint, MapSupport
from eigenthemes.kb.store import KB
from eigenthemes.pipeline.batch import Batch
from eigenthemes.ranking.baselines import WeightedEntities, vectors_of, weighted_entities
from eigenthemes.ranking.decide import Decisions
from eigenthemes.ranking.methods import check_vectors
from eigenthemes.ranking.options import AverageOptions
from eigenthemes.ranking.sentences import because
from eigenthemes.ranking.subspace import fit_subspace

Floats = NDArray[np.float64]

MAX_POINTS = 600  # of a document; those chosen first, then those that rank highest
_NOTHING = 1e-6  # an axis with less of the variance is rounding, and is drawn as a line


def project(vectors: NDArray[np.float32], weights: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """Return the rows of `vectors` [n, d] on the two strongest themes of their subspace [n, 2], and each theme's share [2].

    The share is of the (weighted) variance. A theme may point either way: most candidates lie to the right, and above.
    """
    subspace = fit_subspace(vectors, weights, 2)
    strengths, themes = subspace.strengths[:2].astype(np.float64), subspace.components[:2]
    total = float(np.square(vectors * weights[:, None], dtype=np.float64).sum())
    points, shares = np.zeros((len(vectors), 2)), np.zeros(2)
    shares[: len(themes)] = strengths**2 / max(total, np.finfo(np.float64).tiny)
    points[:, : len(themes)] = vectors @ themes.T
    points[:, shares < _NOTHING], shares[shares < _NOTHING] = 0.0, 0.0
    points *= np.where(weights @ points < 0, -1.0, 1.0)
    return points, shares


def candidate_map(
    batch: Batch,
    number: int,
    kb: KB,
    options: AverageOptions,
    decisions: Decisions,
    explanations: Sequence[Explanation] | None = None,
) -> CandidateMap | None:
    """Return the map of a document of a batch; None where no candidate has a vector, and no lines without explanations.

    Candidates are weighted by the options, as the paper's method weights them.
    """
    if batch.vectors is None:
        return None
    part = next(weighted_entities(batch, kb, options, 2, slice(number, number + 1)))
    if not len(part.rows):
        return None
    check_vectors(batch.vectors, part.entities, kb)
    first, last = batch.mention_bounds[number : number + 2].tolist()
    places, shares = project(vectors_of(batch, part.entities, options), part.weights.astype(np.float32))
    points = tuple(_points(batch, kb, decisions, part, first, places))
    supports = () if explanations is None else tuple(_supports(explanations[first:last], points))
    return CandidateMap(points, supports, (float(shares[0]), float(shares[1])))


def _points(
    batch: Batch, kb: KB, decisions: Decisions, part: WeightedEntities, first: int, places: Floats
) -> Iterator[MapPoint]:
    """Yield the points of a document, the most important first; first: its first mention; places [n, 2] of its entities."""
    table, size = batch.table, len(part.entities)
    shown = batch.is_own[table.mention_of[part.rows]]
    rows, entity = part.rows[shown], part.inverse[shown]
    mentions: list[list[int]] = [[] for _ in range(size)]
    for row, number in zip(rows.tolist(), entity.tolist(), strict=True):
        mentions[number].append(int(table.mention_of[row]) - first)
    answers = decisions.order[decisions.bounds[:-1][decisions.linked]]
    chosen = np.bincount(entity, weights=np.isin(rows, answers), minlength=size) > 0
    score, rank = np.full(size, -np.inf), np.full(size, np.iinfo(np.int32).max)
    np.maximum.at(score, entity, decisions.scores[rows])
    np.minimum.at(rank, entity, table.rank[rows])
    order = [number for number in np.lexsort((rank, -score, ~chosen)).tolist() if mentions[number]]
    for number in order[:MAX_POINTS]:
        index, (x, y) = int(part.entities[number]), places[number].tolist()
        of_point = tuple(mentions[number]), kb.id_of(index), kb.label_of(index), x, y
        yield MapPoint(*of_point, bool(chosen[number]), float(score[number]))


def _supports(explanations: Sequence[Explanation], points: Sequence[MapPoint]) -> Iterator[MapSupport]:
    """Yield a line for each candidate that supports the best one of another mention, where both are drawn."""
    number_of = {point.id: number for number, point in enumerate(points)}
    seen: set[tuple[int, int]] = set()
    for explanation in explanations:
        best = explanation.best
        if best is None or best.id not in number_of:
            continue
        for support in explanation.support:
            ends = number_of.get(support.id, -1), number_of[best.id]
            if ends[0] in (-1, ends[1]) or ends in seen:
                continue
            seen.add(ends)
            yield MapSupport(*ends, support.share, f"{support.label}: {because(support.reasons[0], best.label)}")
