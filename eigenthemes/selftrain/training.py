"""From a KB to a ranker: synthetic documents -> features -> fit -> calibrate -> report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.progress import Advance, Progress, Silent
from eigenthemes.core.threads import hold_blas_to_one_thread
from eigenthemes.core.workers import Workers
from eigenthemes.kb.store import KB
from eigenthemes.pipeline.batch import Batch, BatchMaker, batch_maker, batches_of, gold_rows
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features import (
    COLUMN_BOUNDS,
    COLUMNS,
    FeatureContext,
    WeightedCandidates,
    local_features,
    theme_features,
)
from eigenthemes.ranking.features.feature_context import WALKED_IN_TRAINING
from eigenthemes.ranking.features.nil import nil_features, softmax
from eigenthemes.ranking.features.support import pruned
from eigenthemes.ranking.features.topic import GROUP as TOPIC
from eigenthemes.ranking.features.topic import STRENGTH
from eigenthemes.ranking.ranker import (
    ROUNDS,
    BatchRanking,
    Ranker,
    Weights,
    last_probabilities,
    probabilities,
    rank_batch,
    with_memory_weights,
)
from eigenthemes.records import Document
from eigenthemes.selftrain.cell_training import evidence_of, fit_cells
from eigenthemes.selftrain.false_matches import fit_false_matches
from eigenthemes.selftrain.fit import (
    CONFIDENCE,
    THRESHOLD,
    best_temperature,
    fit_choice,
    fit_nil,
    outcomes,
    reliability_report,
    without_removed,
)
from eigenthemes.selftrain.synthetic import Amounts, make_up

Floats = NDArray[np.float64]
Features = NDArray[np.float32]

_DOCUMENTS = (200, 3000)  # synthetic ones for fitting, at least and at most
_ENOUGH = 600  # of them for a small KG: 3,000 find the same weights in five times the time
_KEPT_ASIDE = 3  # one in so many more, to calibrate; of tables, too
_TABLES = 3  # one in so many more, and a third of them again, to fit what is different for tables
_WITH_FALSE_MATCHES = 2  # one in so many more, to tell names from chance
_CHUNK = 500  # documents


@dataclass(frozen=True, slots=True)
class TrainingBatch:
    """A batch to fit on: what does not change from round to round.

    local  [n, l] the columns LOCAL of the candidates of the mention groups
    gold   [n] which of them are right
    """

    batch: Batch
    groups: MentionGroups
    local: Features
    gold: NDArray[np.bool_]

    @classmethod
    def of(cls, batch: Batch, kb: KB, context: FeatureContext) -> TrainingBatch:
        """Make it from a batch of documents with gold."""
        batch = without_removed(batch, kb)
        groups = MentionGroups.of(batch)
        return cls(batch, groups, local_features(groups, context), gold_rows(batch, kb)[groups.table_row])


def self_train(
    kb: KB,
    *,
    vectors: str | None = None,
    seed: int = 0,
    documents: int | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Ranker:
    """Train a ranker for a KB on synthetic documents, without labels.

    vectors    name of a set of vectors; None: the first
    documents  how many to fit on; None: as many as the KB needs
    jobs       with more than one, documents are made up in other processes; the ranker is the same
    """
    progress = progress or Silent()
    many = documents or documents_for(kb.manifest["counts"]["named"])
    maker = batch_maker(kb, needs_vectors=False, vectors=vectors, remembers=False)
    features = FeatureContext(kb, maker.vectors, evidence_of(kb), remembers=False, walked=WALKED_IN_TRAINING)
    amounts = amounts_for(many)
    aside = amounts.aside
    total = many + 2 * aside + amounts.tables
    hold_blas_to_one_thread()
    with progress.step("training", total=total, unit="documents") as advance, Workers(jobs) as workers:
        fitted_on, rest, tables = make_up(kb, seed, amounts, workers)
        training = training_batches(fitted_on, maker, features, advance)
        ranker = fit_rounds(training, features)
        harder_documents, ordinary, with_false_matches = rest()
        harder = training_batches(harder_documents, maker, features, advance)
        ranker = fit_confidence(ranker, harder, training[: len(harder)], features)
        held_out = without_removed(maker.make(ordinary), kb)
        calibrated = replace(ranker, confidence=CONFIDENCE)
        probability, right, has_answer = outcomes(calibrated, held_out, kb, features)
        advance(aside)
        false_matches = fit_false_matches(ranker, with_false_matches, maker, features)
        to_fit, kept_aside = tables()
        cells = fit_cells(ranker, to_fit, kept_aside, maker, features, advance)
    about = {
        "training": {"documents": many, "mentions": sum(len(part.batch.mentions) for part in training), "seed": seed},
        "made_up": {
            "documents": aside,
            "mentions": len(held_out.mentions),
            **reliability_report(probability[has_answer], right[has_answer]),
        },
        "unlearned": unlearned(ranker),
    }
    return with_memory_weights(replace(calibrated, threshold=THRESHOLD, about=about, false_matches=false_matches, cells=cells))


def documents_for(named: int) -> int:
    """Return the number of synthetic documents for a KB with `named` named entities."""
    least, most = _DOCUMENTS
    return max(least, min(4 * named, _ENOUGH), min(named // 2, most))


def amounts_for(documents: int) -> Amounts:
    """Return the amounts of synthetic data for `documents` fitting documents."""
    tables = max(1, documents // _TABLES)
    aside, with_false_matches = max(1, documents // _KEPT_ASIDE), max(1, documents // _WITH_FALSE_MATCHES)
    return Amounts(documents, aside, with_false_matches, tables, max(1, tables // _KEPT_ASIDE))


def training_batches(
    documents: Iterable[Document], maker: BatchMaker, context: FeatureContext, advance: Advance
) -> list[TrainingBatch]:
    """Make training batches of documents with gold, and count the documents for the progress."""

    def make() -> Iterator[TrainingBatch]:
        for chunk in batches_of(documents, _CHUNK):
            yield TrainingBatch.of(maker.make(chunk), context.kb, context)
            advance(len(chunk))

    return list(make())


def fit_rounds(
    training: Sequence[TrainingBatch],
    context: FeatureContext,
    start: Ranker | None = None,
    strength: float = 1.0,
    left_out: Collection[str] = (),
    nil_strength: float | None = None,
) -> Ranker:
    """Fit the weights of each round, given the probabilities of the round before.

    start         weights to stay near to, by `strength`
    left_out      columns that must not count
    nil_strength  the same as `strength`, for NIL in the last round, which alone decides; before, it says how much names support
                  others. None: the same
    """
    rounds: list[Weights] = []
    unwanted = [COLUMNS.index(column) for column in left_out if column != TOPIC.name]
    if unwanted:
        training = [replace(part, local=part.local.copy()) for part in training]
    weights = [np.ones(len(part.local), np.float32) for part in training]
    features = [part.local for part in training]
    for number in range(ROUNDS):
        for x in features:
            x[:, [column for column in unwanted if column < x.shape[1]]] = 0
        near = None if start is None else start.rounds[number]
        rounds.append(fit_round(training, features, near, strength, nil_strength if number == ROUNDS - 1 else None))
        if number < ROUNDS - 1:
            weights = [
                pruned(part.groups, np.where(weight == 0, 0.0, probabilities(rounds[-1], x, part.groups)[0]))
                for x, weight, part in zip(features, weights, training, strict=True)
            ]
            features = [
                np.concatenate((part.local, theme_features(WeightedCandidates.weighing(part.groups, context, weight))), axis=1)
                for part, weight in zip(training, weights, strict=True)
            ]
    return Ranker(tuple(rounds), topic=0.0 if TOPIC.name in left_out else STRENGTH)


def fit_round(
    training: Sequence[TrainingBatch],
    features: Sequence[Features],
    start: Weights | None,
    strength: float,
    nil_strength: float | None = None,
) -> Weights:
    """Fit the weights of one round: which candidate is right, then, given the best, whether none is."""
    sizes = np.concatenate([np.diff(part.groups.bounds) for part in training])
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    gold = np.concatenate([part.gold for part in training])
    columns = np.concatenate(features)
    limits = COLUMN_BOUNDS[: columns.shape[1]] if start is None else None
    choice = fit_choice(columns, bounds, gold, start=None if start is None else start.choice, strength=strength, limits=limits)
    of_best, is_nil = nil_examples(training, features, choice)
    nil_strength = strength if nil_strength is None else nil_strength
    nil = fit_nil(of_best, is_nil, start=None if start is None else start.nil, strength=nil_strength)
    return Weights(choice, nil)


def nil_examples(
    training: Sequence[TrainingBatch], features: Sequence[Features], choice: Floats
) -> tuple[Features, NDArray[np.bool_]]:
    """Return the NIL features of mention groups with candidates [m, g], and their NIL labels [m]."""
    of_best, is_nil = [], []
    for part, x in zip(training, features, strict=True):
        groups = part.groups
        having = np.diff(groups.bounds) > 0
        of_best.append(nil_features(groups, x, softmax(x @ choice, groups.bounds))[having])
        is_nil.append((np.bincount(groups.group, weights=part.gold, minlength=len(groups)) == 0)[having])
    return np.concatenate(of_best), np.concatenate(is_nil)


def fit_confidence(
    ranker: Ranker, harder: Sequence[TrainingBatch], ordinary: Sequence[TrainingBatch], context: FeatureContext
) -> Ranker:
    """Calibrate choices by a temperature on the harder documents, and NIL by its weights on both kinds."""
    rankings = [rank_batch(ranker, part.batch, context) for part in (*harder, *ordinary)]
    last = ranker.rounds[-1]
    of_best, is_nil = nil_examples([*harder, *ordinary], [ranking.features for ranking in rankings], last.choice)
    last = last._replace(nil=fit_nil(of_best, is_nil, start=last.nil))
    with_nil = replace(ranker, rounds=(*ranker.rounds[:-1], last))
    return fit_temperature(with_nil, harder, rankings[: len(harder)], context)


def fit_temperature(
    ranker: Ranker, documents: Sequence[TrainingBatch], rankings: Sequence[BatchRanking], context: FeatureContext
) -> Ranker:
    """Make the ranker as sure of its choices as some documents allow; rankings of each."""

    def loss(temperature: float) -> float:
        """Minus the log likelihood of the right answers."""
        total = 0.0
        for part, ranking in zip(documents, rankings, strict=True):
            groups, tempered = ranking.groups, replace(ranker, temperature=temperature)
            probability, nil, _ = last_probabilities(tempered, ranking.features, groups, context, ranking.cells)
            right = np.bincount(groups.group, weights=probability * part.gold, minlength=len(nil))
            has_answer = np.bincount(groups.group, weights=part.gold, minlength=len(nil)) > 0
            total -= float(np.log(np.maximum(right[has_answer], 1e-12)).sum())
        return total

    return replace(ranker, temperature=best_temperature(loss))


def unlearned(ranker: Ranker) -> list[str]:
    """List the columns whose weight is 0 because they never varied within a synthetic mention."""
    return [column for column, weight in zip(COLUMNS, ranker.rounds[-1].choice, strict=True) if weight == 0]
