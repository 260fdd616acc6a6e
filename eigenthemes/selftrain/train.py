"""From a KB to a ranker: make documents -> features -> fit -> calibrate -> report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.blas import one_thread
from eigenthemes.core.progress import Advance, Progress, Silent
from eigenthemes.embeddings.word_context import WordContext
from eigenthemes.kb.store import KB
from eigenthemes.ranking.batch import Batch, batch_maker, gold_of, gold_rows
from eigenthemes.ranking.features import COLUMNS, FeatureContext, MentionGroups, local_features, none_features, theme_features
from eigenthemes.ranking.logit import shares
from eigenthemes.ranking.ranker import ROUNDS, Ranker, Weights, chances, judge
from eigenthemes.records import Document
from eigenthemes.selftrain.calibrate import best_temperature, best_threshold, trust
from eigenthemes.selftrain.fit import fit_choice, fit_none
from eigenthemes.selftrain.recipe import RECIPE, Recipe, harsher
from eigenthemes.selftrain.sample import REMOVED, Sampler

Floats = NDArray[np.float64]

_DOCUMENTS = (200, 3000)  # made up for fitting: four for each named entity, within these bounds
_KEPT_ASIDE = 3  # one in so many more, to calibrate
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Lessons:
    """A batch to learn from: what does not change from round to round.

    gold  [n] which candidates of the distinct names are right
    """

    batch: Batch
    names: MentionGroups
    local: NDArray[np.float32]
    gold: NDArray[np.bool_]


def self_train(
    kb: KB,
    *,
    vectors: str | None = None,
    context: WordContext | None = None,
    seed: int = 0,
    documents: int | None = None,
    recipe: Recipe = RECIPE,
    left_out: Collection[str] = (),
    progress: Progress | None = None,
) -> Ranker:
    """A ranker for a KB, from documents made up from it; no label of anybody is used."""
    from eigenthemes.core.jit import announce_compilation
    from eigenthemes.kernels.support import support

    announce_compilation(support, "ranking")
    progress = progress or Silent()
    many = documents or int(np.clip(4 * kb.manifest["counts"]["named"], *_DOCUMENTS))
    makes = batch_maker(kb, needs_vectors=False, vectors=vectors)
    around = FeatureContext(kb, makes.vectors, context)
    sampler = Sampler(kb, np.random.default_rng(seed), recipe)
    aside, written = max(1, many // _KEPT_ASIDE), context is not None
    with progress.step("training", total=many + 2 * aside, unit="documents") as advance, one_thread():
        lessons = [
            lesson(makes.make(some), kb, around) for some in told(chunks(sampler.documents(many, written=written)), advance)
        ]
        ranker = fit_rounds(lessons, around, left_out=left_out)
        harsh = Sampler(kb, sampler.rng, harsher(recipe)).documents(aside, written=written)
        ranker = tempered(ranker, [lesson(makes.make(some), kb, around) for some in told(chunks(harsh), advance)], around)
        held = without_removed(makes.make(list(sampler.documents(aside, written=written))), kb)
        probability, right, inside = outcomes(ranker, held, kb, around)
        advance(aside)
    about = {
        "training": {"documents": many, "mentions": sum(len(each.batch.mentions) for each in lessons), "seed": seed},
        "made_up": {"documents": aside, "mentions": len(held.mentions), **trust(probability[inside], right[inside])},
        "unlearned": unlearned(ranker),
    }
    return replace(ranker, threshold=best_threshold(probability, right, inside), about=about)


def chunks(documents: Iterable[Document]) -> Iterator[list[Document]]:
    waiting = iter(documents)
    while some := list(islice(waiting, _CHUNK)):
        yield some


def told(some: Iterable[list[Document]], advance: Advance) -> Iterator[list[Document]]:
    for each in some:
        yield each
        advance(len(each))


def lesson(batch: Batch, kb: KB, around: FeatureContext) -> Lessons:
    """What is to be learned from documents with gold."""
    batch = without_removed(batch, kb)
    names = MentionGroups.of(batch)
    return Lessons(batch, names, local_features(names, around), gold_rows(batch, kb)[names.row])


def fit_rounds(
    lessons: Sequence[Lessons],
    around: FeatureContext,
    start: Ranker | None = None,
    strength: float = 1.0,
    left_out: Collection[str] = (),
) -> Ranker:
    """Fit the weights of each round on what the round before thinks.

    start     weights to stay near to
    left_out  columns that must not count: to see what each brings
    """
    rounds: list[Weights] = []
    features = [each.local for each in lessons]
    unwanted = [COLUMNS.index(name) for name in left_out]
    for number in range(ROUNDS):
        for x in features:
            x[:, [column for column in unwanted if column < x.shape[1]]] = 0
        rounds.append(fit_round(lessons, features, None if start is None else start.rounds[number], strength))
        if number < ROUNDS - 1:
            weights = [chances(rounds[-1], x, each.names)[0] for x, each in zip(features, lessons, strict=True)]
            features = [
                np.concatenate((each.local, theme_features(each.names, around, weight)), axis=1)
                for each, weight in zip(lessons, weights, strict=True)
            ]
    return Ranker(tuple(rounds))


def tempered(ranker: Ranker, harsh: Sequence[Lessons], around: FeatureContext) -> Ranker:
    """The ranker, as sure of itself as harsher documents allow."""
    found = [judge(ranker, each.batch, around) for each in harsh]

    def surprise(temperature: float) -> float:
        total = 0.0
        for each, seen in zip(harsh, found, strict=True):
            chance, none = chances(ranker.rounds[-1], seen.features, seen.names, temperature=temperature)
            right = np.bincount(seen.names.name, weights=chance * each.gold, minlength=len(none))
            has = np.bincount(seen.names.name, weights=each.gold, minlength=len(none)) > 0
            total -= float(np.log(np.maximum(np.where(has, right, none), 1e-12)).sum())
        return total

    return replace(ranker, temperature=best_temperature(surprise))


def fit_round(
    lessons: Sequence[Lessons], features: Sequence[NDArray[np.float32]], start: Weights | None, strength: float
) -> Weights:
    """The weights of one round: which candidate, then, given the best, whether none is right."""
    sizes = np.concatenate([np.diff(each.names.bounds) for each in lessons])
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    gold = np.concatenate([each.gold for each in lessons])
    choice = fit_choice(
        np.concatenate(features), bounds, gold, start=None if start is None else start.choice, strength=strength
    )
    known = np.concatenate(
        [none_features(each.names, x, shares(x @ choice, each.names.bounds)) for each, x in zip(lessons, features, strict=True)]
    )
    none = np.add.reduceat(np.append(gold, False), bounds[:-1]) == 0
    some = sizes > 0
    return Weights(choice, fit_none(known[some], none[some], start=None if start is None else start.none, strength=strength))


def without_removed(batch: Batch, kb: KB) -> Batch:
    """The batch with the right answers of some mentions taken out, as if they were not in the KG."""
    removed = np.array([REMOVED in mention.source for mention in batch.mentions], dtype=bool)
    table = batch.table
    kept = ~(gold_rows(batch, kb) & removed[table.mention_of]) if len(table) else np.ones(0, dtype=bool)
    columns = {name: getattr(table, name)[kept] for name in ("mention_of", "entity", "prior", "match_type")}
    mention_of = columns["mention_of"]  # ranks without gaps: a gap would give it away
    columns["rank"] = (1 + np.arange(len(mention_of)) - np.searchsorted(mention_of, mention_of)).astype(np.int32)
    smaller = replace(table, **columns)
    return replace(batch, table=smaller, bounds=np.searchsorted(smaller.mention_of, batch.mention_bounds))


def outcomes(ranker: Ranker, batch: Batch, kb: KB, around: FeatureContext) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Of each mention: the probability of its best candidate, whether it is right, and whether it has a right answer."""
    from eigenthemes.metrics.precision import credit

    found = judge(ranker, batch, around)
    table = batch.table
    golds, gold = gold_of(batch, kb)
    probability = found.probability[found.names.back]
    best = np.zeros(table.mentions)
    np.maximum.at(best, table.mention_of, probability)
    right, _ = credit(table.mentions, table.mention_of, gold, probability)
    there = [bool(known) and REMOVED not in mention.source for known, mention in zip(golds, batch.mentions, strict=True)]
    return best, right, np.array(there, dtype=bool)


def unlearned(ranker: Ranker) -> list[str]:
    """Columns whose weight is 0 because they never told two candidates of a made-up name apart."""
    return [name for name, weight in zip(COLUMNS, ranker.rounds[-1].choice, strict=True) if weight == 0]
