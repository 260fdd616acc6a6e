"""The one place where scores become decisions: the best candidate, its probability, or NIL and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.name_arrays import UNBRACKETED, WHOLE
from eigenthemes.pipeline.batch import Batch
from eigenthemes.ranking.methods import Method, Scored

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Why a mention has no link. The first two hold for all methods.
NIL_REASONS = (None, "no_candidate", "low_probability", "no_embedding", "no_name_match")
LINKED, NO_CANDIDATE, LOW_PROBABILITY, NO_EMBEDDING, NO_NAME_MATCH = range(len(NIL_REASONS))

_FEW = 4  # candidates of a mention that are chosen one after the other sooner than all are sorted
_OF_ALL = 1 / 3  # of the probability of all candidates that an exact name must have
_DUPLICATES = 2  # entities of one name that may well be the same
_RIVAL = 1 / 3  # of the probability of the best candidate, from which on another one of that very name is a second meaning


@dataclass(frozen=True, slots=True)
class DecisionRule:
    """From where on a candidate is an answer.

    threshold  least probability of a link; of methods without probabilities it has no meaning
    allow_nil  False: the best candidate always is the answer
    detected   the threshold of mentions found by their spelling, whose probability holds the detection factor; None: the same
    cells      the threshold of cells of tables; None: the same
    exact      where the best candidate and one other at most have that very name, and it has a third of what all have, the
               threshold is of any candidate being right: that longer names share its words is no reason for NIL, nor is a
               second entity of its name
    """

    threshold: float = 0.0
    allow_nil: bool = True
    detected: float | None = None
    exact: bool = False
    cells: float | None = None

    def thresholds(self, batch: Batch) -> Floats:
        """Return the threshold of each mention [mentions]."""
        thresholds = np.full(batch.table.mentions, self.threshold)
        if self.detected is not None and batch.detected is not None:
            thresholds[batch.detected] = self.detected
        if self.cells is not None:
            thresholds[batch.is_cell] = self.cells
        return thresholds


@dataclass(frozen=True, slots=True)
class Decisions:
    """Decisions for the mentions of a batch.

    order        [k] rows of the batch's table, best first within a mention, the first `top` of each
    bounds       [mentions + 1] where the rows of each mention begin in `order`
    scores       [n] of the table's rows
    nil_reason   [mentions] an index of NIL_REASONS
    probability  [mentions] of the best candidate; nan where there is none, and for methods that are not calibrated
    if_in_kg     [mentions] the same, if the right entity is in the KG
    ambiguous    linked mention -> rows of other candidates of that very name that are not much less probable, best first
    """

    order: Ints
    bounds: Ints
    scores: Floats
    nil_reason: NDArray[np.int8]
    probability: Floats
    if_in_kg: Floats
    ambiguous: dict[int, list[int]]

    @property
    def linked(self) -> NDArray[np.bool_]:
        """Return a mask of the linked mentions [mentions]."""
        return np.asarray(self.nil_reason == LINKED)


def decide(batch: Batch, scored: Scored, method: Method, rule: DecisionRule, *, top: int = 1) -> Decisions:
    """Decide every mention of a batch; equal scores in order of rank.

    The probability of a mention that was found by its spelling is multiplied by that of its being a name at all.
    """
    table = batch.table
    order, bounds = top_rows(batch, scored.scores, max(1, top))
    if scored.detection_factor is not None:
        scored = replace(scored, scores=scored.scores * scored.detection_factor[table.mention_of])
    has_candidate = np.diff(bounds) > 0
    best = order[bounds[:-1][has_candidate]]  # the best row of each mention that has any
    nil_reason = np.full(table.mentions, NO_CANDIDATE, dtype=np.int8)
    nil_reason[has_candidate] = _reasons(batch, scored, method, rule, best)
    probability = np.full(table.mentions, np.nan)
    if method.calibrated:
        probability[has_candidate] = scored.scores[best]
    if_in_kg = probability if scored.if_in_kg is None else np.maximum(scored.if_in_kg, probability)
    is_best = np.zeros(len(scored.scores), bool)
    is_best[best[nil_reason[has_candidate] == LINKED]] = method.calibrated
    ambiguous = _namesakes(batch, scored.scores, is_best)
    return Decisions(order, bounds, scored.scores, nil_reason, probability, if_in_kg, ambiguous)


def top_rows(batch: Batch, scores: Floats, top: int) -> tuple[Ints, Ints]:
    """Return the rows of the `top` best candidates of each mention, best first [k], and their bounds [mentions + 1]."""
    table = batch.table
    bounds = table.bounds
    counts = np.diff(bounds)
    in_order = (np.diff(scores) <= 0) | (np.diff(table.mention_of) > 0)
    top = min(top, int(counts.max(initial=0)))
    shown = np.minimum(counts, top)
    ends = np.cumsum(shown)
    if not in_order.all() and top <= _FEW:
        return _chosen(scores, bounds, top), np.concatenate(([0], ends))
    # the sort is stable, and the table is in order of rank
    order = np.arange(len(scores)) if in_order.all() else np.lexsort((-scores, table.mention_of))
    places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(bounds[:-1] - ends + shown, shown)
    return order[places], np.concatenate(([0], ends))


def _chosen(scores: Floats, bounds: Ints, top: int) -> Ints:
    """Return the rows of the `top` best candidates of each mention, best first, of equal ones the first [k]; without a sort."""
    counts = np.diff(bounds)
    having = np.flatnonzero(counts)
    counts, first = counts[having], bounds[having]
    mention_of = np.repeat(np.arange(len(having)), counts)
    left, chosen = scores.copy(), np.zeros((len(having), top), np.int64)
    for place in range(top):
        best = np.flatnonzero(left == np.maximum.reduceat(left, first)[mention_of])
        chosen[:, place] = best[np.flatnonzero(np.diff(mention_of[best], prepend=-1))]
        left[chosen[:, place]] = -np.inf
    return chosen[np.arange(top) < counts[:, None]]


def _reasons(batch: Batch, scored: Scored, method: Method, rule: DecisionRule, best: Ints) -> NDArray[np.int8]:
    """Return why the best candidates are no answers [len(best)]; LINKED where they are."""
    reasons = np.full(len(best), LINKED, dtype=np.int8)
    if not rule.allow_nil:
        return reasons
    scores = scored.scores[best]
    reasons[scores <= method.min_score] = NO_NAME_MATCH
    if method.calibrated:
        threshold = rule.thresholds(batch)[batch.table.mention_of[best]]
        reasons[(scores < threshold) & ~(_is_exact(batch, scored, best, threshold) & rule.exact)] = LOW_PROBABILITY
        if batch.vectors is not None:  # the themes had no say
            reasons[(reasons == LOW_PROBABILITY) & ~batch.vectors.has[batch.table.entity[best]]] = NO_EMBEDDING
    elif scored.match_probability is not None:
        probability = scored.match_probability[batch.table.mention_of[best]]
        reasons[(probability < rule.threshold) & (reasons == LINKED)] = LOW_PROBABILITY
    return reasons


def _is_exact(batch: Batch, scored: Scored, best: Ints, threshold: Floats) -> NDArray[np.bool_]:
    """Return which best candidates have that very name with one other at most, and are likely enough.

    More than two namesakes, as towns have them, are no duplicates: links to the best of them cost more than they bring (mean
    F1 of plain texts on four sets .648 with all of them, .654 with two at most).
    """
    table = batch.table
    any_right = np.bincount(table.mention_of, weights=scored.scores, minlength=table.mentions)[table.mention_of[best]]
    likely = (scored.scores[best] >= any_right * _OF_ALL) & (any_right >= threshold)
    exact = np.zeros(len(best), bool)
    for least in (WHOLE, UNBRACKETED):  # a name without its brackets is that very name where nothing else has it
        whole = table.match_type <= least
        namesakes = np.bincount(table.mention_of[whole], minlength=table.mentions)[table.mention_of[best]]
        exact |= whole[best] & (namesakes <= _DUPLICATES)
    return exact & likely


def _namesakes(batch: Batch, scores: Floats, is_best: NDArray[np.bool_]) -> dict[int, list[int]]:
    """Return the rows of the candidates that share the very name of a linked one and are not much less probable.

    is_best  [n] the rows of linked candidates
    """
    table = batch.table
    whole = np.flatnonzero((table.match_type <= WHOLE) & (scores > 0))
    best_score = np.full(table.mentions, np.inf)
    linked = whole[is_best[whole]]
    best_score[table.mention_of[linked]] = scores[linked]
    others = whole[(scores[whole] >= _RIVAL * best_score[table.mention_of[whole]]) & ~is_best[whole]]
    found = dict[int, list[int]]()
    for row in others[np.argsort(-scores[others], kind="stable")].tolist():
        found.setdefault(int(table.mention_of[row]), []).append(row)
    return found
