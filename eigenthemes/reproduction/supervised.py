"""Table 3: does the Eigenthemes score still help where there is gold to learn from?

As in the paper, a random forest judges each candidate by itself from

    F1  the prior P(e | m): how often the name meant the entity, in a dictionary of mentions or in the training documents
    F2  how well the local or the global context fits the candidate's description
    F3  the cosine of the candidate with the global entity context: the average vector of the entities that a first forest,
        without F3, chose in the document
    F4  the Eigenthemes score

with and without F4. Nothing a mention's own document says enters its F1, and the first forest never judges what it was trained
on: else the labels would leak into the features.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.progress import Advance
from eigenthemes.errors import MissingExtraError, SourceError
from eigenthemes.kb.store import KB, Vectors
from eigenthemes.metrics.precision import EASY, HARD, credit, difficulty
from eigenthemes.ranking.batch import Batch, gold_rows, judged
from eigenthemes.ranking.context import context_scores
from eigenthemes.ranking.methods import METHODS, MethodOptions
from eigenthemes.reproduction.earnings import Row, mean
from eigenthemes.reproduction.lab import Lab
from eigenthemes.reproduction.plan import SectionPlan
from eigenthemes.text.normalize import normalize

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_CHOICES = 2  # features that a split chooses from, however many there are: F4 shall be the only difference
_FOLDS = 2  # of the training documents, for the first forest's judgements of them


@dataclass(frozen=True, slots=True)
class Pairs:
    """All mention-candidate pairs of a set, [n], and its mentions, [m].

    mention, entity, rank   of each pair
    gold                    is the candidate right?
    document                of each pair
    context                 "local" and "global" -> F2
    eigen                   F4: the score, divided by the best of the document
    names                   what each mention says, normalised
    difficulty, document_of of each mention; only mentions with gold are counted
    """

    mention: NDArray[np.int64]
    entity: NDArray[np.uint32]
    rank: NDArray[np.int32]
    gold: Bools
    document: NDArray[np.int64]
    context: dict[str, Floats]
    eigen: Floats
    names: list[str]
    difficulty: NDArray[np.int8]
    document_of: NDArray[np.int64]
    judged: Bools


def supervised(lab: Lab, planned: SectionPlan, advance: Advance) -> Iterator[Row]:
    """Table 3: precision@1 with and without F4, over some seeds, which draw the split and grow the forest."""
    file = planned.options["dictionary"]
    for name in lab.sets(planned.sets):
        if not lab.reads(name):
            advance(1)
            continue
        pairs, kb = _pairs(lab, name, planned), lab.kb_of(name)
        dictionary = Counts.read(lab.plan.file(file), kb) if file else None
        for seed in range(planned.options["seeds"]):
            training = _split(pairs, planned.options["training_share"], seed)
            if not _can_be_learned(pairs, training):
                continue
            prior = _prior(pairs, training, dictionary)
            for context in ("local", "global"):
                for features, figures in _by_forests(kb.vectors(), pairs, training, prior, context, planned, seed):
                    yield {"set": name, "context": context, "features": features, "seed": seed, **figures}
            advance(1 / planned.options["seeds"])


def _pairs(lab: Lab, name: str, planned: SectionPlan) -> Pairs:
    kb, options = lab.kb_of(name), lab.options()
    parts: list[tuple[Any, ...]] = []
    names: list[str] = []
    mentions = documents = 0
    for batch in lab.batches(name, generator=planned.options["generator"], max_candidates=planned.options["max_candidates"]):
        table = batch.table
        document_of = np.repeat(np.arange(len(batch.documents)), np.diff(batch.mention_bounds)) + documents
        gold = gold_rows(batch, kb)
        parts.append(
            (
                table.mention_of + mentions,
                table.entity,
                table.rank,
                gold,
                document_of[table.mention_of],
                context_scores(batch, kb, "local", options),
                context_scores(batch, kb, "nouns", options),
                _eigen(batch, kb),
                difficulty(table.mentions, table.mention_of, table.rank, gold),
                document_of,
                judged(batch),
            )
        )
        names.extend(normalize(mention.text) for mention in batch.mentions)
        mentions += table.mentions
        documents += len(batch.documents)
    mention, entity, rank, gold, document, local, whole, eigen, level, document_of, counted = map(
        np.concatenate, zip(*parts, strict=True)
    )
    context = {"local": local, "global": whole}
    return Pairs(mention, entity, rank, gold, document, context, eigen, names, level, document_of, counted)


def _eigen(batch: Batch, kb: KB) -> Floats:
    """The Eigenthemes score, comparable between documents: divided by the best one; 0 without a vector."""
    assert batch.vectors is not None
    scores = np.where(batch.vectors.has[batch.table.entity], METHODS["eigen"](batch, kb, MethodOptions()), 0.0)
    for first, last in zip(batch.bounds[:-1].tolist(), batch.bounds[1:].tolist(), strict=True):
        scores[first:last] /= max(1e-30, scores[first:last].max(initial=0.0))
    return np.asarray(scores)


def _split(pairs: Pairs, share: float, seed: int) -> Bools:
    """Which documents are for training [documents], drawn at random."""
    documents = int(pairs.document_of.max()) + 1
    training = np.zeros(documents, dtype=bool)
    training[np.random.default_rng(seed).permutation(documents)[: round(share * documents)]] = True
    return training


def _can_be_learned(pairs: Pairs, training: Bools) -> bool:
    """Is there gold to learn from and something wrong beside it, and are there mentions to test on?"""
    gold = pairs.gold[training[pairs.document]]
    return bool(gold.any() and not gold.all() and (pairs.judged & ~training[pairs.document_of]).any())


def _prior(pairs: Pairs, training: Bools, dictionary: Counts | None) -> Floats:
    """F1: P(e | m), smoothed by one occurrence that candidates share by rank (1 / rank).

    Counted in a dictionary, or in the training documents; a training document does not count for itself.
    """
    spread = 1.0 / pairs.rank
    spread /= np.bincount(pairs.mention, weights=spread, minlength=len(pairs.names))[pairs.mention]
    if dictionary is not None:
        pair, name = dictionary.of(pairs)
    else:
        pair, name = _counted(pairs, training)
    return np.asarray((pair + spread) / (name + 1))


def _counted(pairs: Pairs, training: Bools) -> tuple[Floats, Floats]:
    """How often the name of each pair meant its entity, and how often it occurred, in training documents but its own [n]."""
    named = {name: number for number, name in enumerate(dict.fromkeys(pairs.names))}
    name_of = np.array([named[name] for name in pairs.names], dtype=np.int64)  # of each mention
    documents = len(training)
    counted = training[pairs.document_of] & pairs.judged
    occurs = _Tally(name_of[counted], pairs.document_of[counted], documents)
    key = name_of[pairs.mention] * (int(pairs.entity.max(initial=0)) + 1) + pairs.entity
    right = counted[pairs.mention] & pairs.gold
    means = _Tally(key[right], pairs.document[right], documents)
    return means.elsewhere(key, pairs.document), occurs.elsewhere(name_of[pairs.mention], pairs.document)


class _Tally:
    """How often keys occur, in all and in each document."""

    def __init__(self, key: NDArray[np.int64], document: NDArray[np.int64], documents: int) -> None:
        self.documents = documents
        self.keys, self.counts = np.unique(key, return_counts=True)
        self.both, self.own = np.unique(key * documents + document, return_counts=True)

    def elsewhere(self, key: NDArray[np.int64], document: NDArray[np.int64]) -> Floats:
        """How often each key occurs outside a document."""
        return _looked_up(self.keys, self.counts, key) - _looked_up(self.both, self.own, key * self.documents + document)


def _looked_up(keys: NDArray[np.int64], values: NDArray[np.int64], wanted: NDArray[np.int64]) -> Floats:
    if not len(keys):
        return np.zeros(len(wanted))
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, values[place], 0).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Counts:
    """A dictionary of mentions: normalised name -> entity -> how often it is meant."""

    counts: dict[str, Counter[int]]

    @classmethod
    def read(cls, path: Path, kb: KB) -> Counts:
        """Lines of name, id and count, with tabs between them; ids the KB does not have count for the name alone."""
        if not path.exists():
            raise SourceError(f"{path} does not exist; give the path of a mention dictionary, or leave it out")
        found: dict[str, Counter[int]] = {}
        with open(path, encoding="utf-8", newline="") as lines:
            for number, row in enumerate(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE), start=1):
                try:
                    name, external, count = row
                    times = int(count)
                except ValueError:
                    raise SourceError(f"{path}:{number} is {row!r}; expected a name, an id and a count, tabs between") from None
                entity = kb.index_of(external)
                found.setdefault(normalize(name), Counter())[-1 if entity is None else entity] += times
        return cls(found)

    def of(self, pairs: Pairs) -> tuple[Floats, Floats]:
        """How often the name of each pair meant its entity, and how often it occurred [n]."""
        none: Counter[int] = Counter()
        counters = [self.counts.get(name, none) for name in pairs.names]
        totals = np.array([counter.total() for counter in counters], dtype=np.float64)
        both = zip(pairs.mention.tolist(), pairs.entity.tolist(), strict=True)
        return np.array([counters[mention][entity] for mention, entity in both], dtype=np.float64), totals[pairs.mention]


def _by_forests(
    vectors: Vectors, pairs: Pairs, training: Bools, prior: Floats, context: str, planned: SectionPlan, seed: int
) -> Iterator[tuple[str, Row]]:
    """The figures on the test documents of the forest with F1 to F3, and of the one with F4."""
    plant = _planter(planned.options["trees"], planned.options["least_in_leaf"], seed)
    learn, test = training[pairs.document], ~training[pairs.document]
    first = np.column_stack((prior, pairs.context[context]))
    chance = _first_pass(plant, first, pairs, training, seed)
    coherence = entity_context(vectors, pairs, chance)
    for name, columns in (("F1+F2+F3", (coherence,)), ("F1+F2+F3+F4", (coherence, pairs.eigen))):
        features = np.column_stack((first, *columns))
        scores = np.zeros(len(features))
        scores[test] = plant(features[learn], pairs.gold[learn])(features[test])
        yield name, _figures(pairs, scores, ~training[pairs.document_of] & pairs.judged)


def _first_pass(plant: Any, features: NDArray[Any], pairs: Pairs, training: Bools, seed: int) -> Floats:
    """What a forest without F3 thinks of every pair; of training documents, one that did not see them."""
    chance = np.zeros(len(features))
    learn = training[pairs.document]
    chance[~learn] = plant(features[learn], pairs.gold[learn])(features[~learn])
    fold = np.random.default_rng(seed).integers(_FOLDS, size=len(training))[pairs.document]
    for number in range(_FOLDS):
        aside, others = learn & (fold == number), learn & (fold != number)
        if aside.any() and 0 < pairs.gold[others].sum() < others.sum():
            chance[aside] = plant(features[others], pairs.gold[others])(features[aside])
    return chance


def entity_context(vectors: Vectors, pairs: Pairs, chance: Floats) -> Floats:
    """F3: the cosine of each candidate with the average vector of the entities chosen in its document [n]."""
    order = np.lexsort((pairs.rank, -chance, pairs.mention))
    chosen = order[np.unique(pairs.mention[order], return_index=True)[1]]  # the best pair of each mention
    sums = np.zeros((int(pairs.document_of.max(initial=-1)) + 1, vectors.rows.shape[1]))
    np.add.at(sums, pairs.document[chosen], vectors.rows[pairs.entity[chosen]])
    sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-30)
    return np.asarray(np.einsum("ij,ij->i", vectors.rows[pairs.entity], sums[pairs.document]))


def _planter(trees: int, least: int, seed: int) -> Any:
    """Features and labels -> a function from features to the forest's probability."""
    try:
        from sklearn.ensemble import RandomForestClassifier
    except ImportError:
        raise MissingExtraError("the supervised comparison", "scikit-learn", "paper") from None

    def plant(features: NDArray[Any], gold: Bools) -> Any:
        forest = RandomForestClassifier(
            n_estimators=trees, min_samples_leaf=least, max_features=_CHOICES, random_state=seed, n_jobs=1
        )
        forest.fit(features, gold)
        at = list(forest.classes_).index(True)
        return lambda rows: forest.predict_proba(rows)[:, at]

    return plant


def _figures(pairs: Pairs, scores: Floats, counted: Bools) -> Row:
    p_at_1, _ = credit(len(pairs.names), pairs.mention, pairs.gold, scores)
    easy, hard = counted & (pairs.difficulty == EASY), counted & (pairs.difficulty == HARD)
    groups = {"overall": counted, "easy": easy, "hard": hard}
    return {
        "mentions": int(counted.sum()),
        **{f"{group}_p_at_1": mean(p_at_1[of]) if of.any() else None for group, of in groups.items()},
        "ceiling": mean((easy | hard)[counted]),
    }
