"""A document's candidates as points of the plane: where they lie on its two strongest eigenthemes (figure 1 of the paper)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.explanations import CandidateMap, Explanation, MapPoint, MapSupport
from eigenthemes.kb.store import KB
from eigenthemes.pipeline.batch import Batch
from eigenthemes.ranking.baselines import vectors_of, weighted_entities
from eigenthemes.ranking.decide import LINKED, Decisions
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
    points, shares = project(vectors_of(batch, part.entities, options), part.weights.astype(np.float32))
    shown = batch.is_own[batch.table.mention_of[part.rows]]
    drawn = _drawn(batch, decisions, part.rows[shown], part.inverse[shown], first)
    records = tuple(_point(kb, int(part.entities[place]), points[place], role) for place, role in drawn.items())
    supports = () if explanations is None else tuple(_supports(explanations[first:last], records))
    return CandidateMap(records, supports, (float(shares[0]), float(shares[1])))


class _Role(NamedTuple):
    """The role of an entity in a document: its mentions, its best score, and if it is linked."""

    mentions: tuple[int, ...]
    chosen: bool
    score: float


def _drawn(
    batch: Batch, decisions: Decisions, rows: NDArray[np.int64], inverse: NDArray[np.int64], first: int
) -> dict[int, _Role]:
    """Return the entities of a document that are drawn, by their place among its distinct ones, the most important first."""
    table, chosen_rows = batch.table, _chosen_rows(decisions)
    mentions: dict[int, list[int]] = {}
    for row, place in zip(rows.tolist(), inverse.tolist(), strict=True):
        mentions.setdefault(place, []).append(int(table.mention_of[row]) - first)
    size = max(mentions, default=-1) + 1
    chosen = np.bincount(inverse, weights=np.isin(rows, chosen_rows), minlength=size) > 0
    score = np.full(size, -np.inf)
    np.maximum.at(score, inverse, decisions.scores[rows])
    rank = np.full(size, np.iinfo(np.int32).max)
    np.minimum.at(rank, inverse, table.rank[rows])
    order = np.lexsort((rank, -score, ~chosen)).tolist()
    order = [place for place in order if place in mentions][:MAX_POINTS]
    return {place: _Role(tuple(mentions[place]), bool(chosen[place]), float(score[place])) for place in order}


def _chosen_rows(decisions: Decisions) -> NDArray[np.int64]:
    """Return the rows of the table that are answers."""
    return np.asarray(decisions.order[decisions.bounds[:-1][decisions.nil_reason == LINKED]])


def _point(kb: KB, entity: int, place: Floats, role: _Role) -> MapPoint:
    x, y = place.tolist()
    return MapPoint(role.mentions, kb.id_of(entity), kb.label_of(entity), x, y, role.chosen, role.score)


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
