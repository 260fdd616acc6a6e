"""A supervised model for Table 3: a random forest that judges each candidate alone.

As in the paper, it reads

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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.storage import check_input
from eigenthemes.errors import SourceError
from eigenthemes.kb.store import KB, Vectors
from eigenthemes.metrics.precision import EASY, HARD, credit, difficulty
from eigenthemes.pipeline.batch import Batch, gold_rows, has_gold
from eigenthemes.text.normalize import normalize
from eigenthemes_paper.mention_scores import mean
from eigenthemes_paper.rows import Row
from eigenthemes_paper.workspace import Workspace, eigen_scores

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Predict = Callable[[NDArray[Any]], Floats]  # features -> the probability of being right
Fit = Callable[[NDArray[Any], Bools], Predict]  # features and labels -> a forest

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
    has_gold: Bools


def pairs_of(workspace: Workspace, set_name: str, **candidates: Any) -> Pairs:
    """Return all pairs of a set; the options are those of the candidate generator."""
    kb = workspace.kb_of(set_name)
    parts: list[tuple[Any, ...]] = []
    names: list[str] = []
    mentions = documents = 0
    for batch in workspace.batches(set_name, **candidates):
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
                workspace.context_scores(set_name, batch, "local"),
                workspace.context_scores(set_name, batch, "nouns"),
                _eigen(batch, kb),
                difficulty(table.mentions, table.mention_of, table.rank, gold),
                document_of,
                has_gold(batch),
            )
        )
        names.extend(normalize(mention.text) for mention in batch.mentions)
        mentions += table.mentions
        documents += len(batch.documents)
    mention, entity, rank, gold, document, local, whole, eigen, level, document_of, with_gold = map(
        np.concatenate, zip(*parts, strict=True)
    )
    context = {"local": local, "global": whole}
    return Pairs(mention, entity, rank, gold, document, context, eigen, names, level, document_of, with_gold)


def _eigen(batch: Batch, kb: KB) -> Floats:
    """Return the Eigenthemes score, comparable between documents: divided by the best one; 0 without a vector."""
    assert batch.vectors is not None
    scores = np.where(batch.vectors.has[batch.table.entity], eigen_scores(batch, kb), 0.0)
    for first, last in zip(batch.bounds[:-1].tolist(), batch.bounds[1:].tolist(), strict=True):
        scores[first:last] /= max(1e-30, scores[first:last].max(initial=0.0))
    return np.asarray(scores)


def split(pairs: Pairs, share: float, seed: int) -> Bools:
    """Draw the documents for training at random [documents]."""
    documents = int(pairs.document_of.max()) + 1
    training = np.zeros(documents, dtype=bool)
    training[np.random.default_rng(seed).permutation(documents)[: round(share * documents)]] = True
    return training


def can_be_learned(pairs: Pairs, training: Bools) -> bool:
    """Return whether there are right and wrong candidates to learn from, and mentions to test on."""
    gold = pairs.gold[training[pairs.document]]
    return bool(gold.any() and not gold.all() and (pairs.has_gold & ~training[pairs.document_of]).any())


def mention_prior(pairs: Pairs, training: Bools, dictionary: MentionDictionary | None) -> Floats:
    """F1: P(e | m), smoothed by one occurrence that candidates share by rank (1 / rank).

    Counted in a dictionary, or in the training documents; a training document does not count for itself.
    """
    spread = 1.0 / pairs.rank
    spread /= np.bincount(pairs.mention, weights=spread, minlength=len(pairs.names))[pairs.mention]
    if dictionary is not None:
        pair, name = dictionary.of(pairs)
    else:
        pair, name = training_counts(pairs, training)
    return np.asarray((pair + spread) / (name + 1))


def training_counts(pairs: Pairs, training: Bools) -> tuple[Floats, Floats]:
    """Count meanings and occurrences of the name of each pair in the training documents, without its own document [n]."""
    named = {name: number for number, name in enumerate(dict.fromkeys(pairs.names))}
    name_of = np.array([named[name] for name in pairs.names], dtype=np.int64)  # of each mention
    documents = len(training)
    counted = training[pairs.document_of] & pairs.has_gold
    occurs = _Tally(name_of[counted], pairs.document_of[counted], documents)
    key = name_of[pairs.mention] * (int(pairs.entity.max(initial=0)) + 1) + pairs.entity
    right = counted[pairs.mention] & pairs.gold
    means = _Tally(key[right], pairs.document[right], documents)
    return means.elsewhere(key, pairs.document), occurs.elsewhere(name_of[pairs.mention], pairs.document)


class _Tally:
    """Counts of keys, in all documents and in each."""

    def __init__(self, key: NDArray[np.int64], document: NDArray[np.int64], documents: int) -> None:
        self.documents = documents
        self.keys, self.counts = np.unique(key, return_counts=True)
        self.both, self.own = np.unique(key * documents + document, return_counts=True)

    def elsewhere(self, key: NDArray[np.int64], document: NDArray[np.int64]) -> Floats:
        """Return the count of each key outside a document."""
        return _looked_up(self.keys, self.counts, key) - _looked_up(self.both, self.own, key * self.documents + document)


def _looked_up(keys: NDArray[np.int64], values: NDArray[np.int64], wanted: NDArray[np.int64]) -> Floats:
    if not len(keys):
        return np.zeros(len(wanted))
    index = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[index] == wanted, values[index], 0).astype(np.float64)


@dataclass(frozen=True, slots=True)
class MentionDictionary:
    """A dictionary of mentions: normalised name -> entity -> how often it is meant."""

    counts: dict[str, Counter[int]]

    @classmethod
    def read(cls, path: Path, kb: KB) -> MentionDictionary:
        """Lines of name, id and count, with tabs between them; ids the KB does not have count for the name alone."""
        remedy = "give the path of a mention dictionary, or leave it out"
        check_input(path, remedy=remedy, once=True)
        if not path.exists():
            raise SourceError(f"{path} does not exist; {remedy}", where=str(path))
        counts: dict[str, Counter[int]] = {}
        with open(path, encoding="utf-8", newline="") as lines:
            for number, row in enumerate(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE), start=1):
                try:
                    name, entity_id, count = row
                    times = int(count)
                except ValueError:
                    raise SourceError(
                        f"{path}:{number} is {row!r}; expected a name, an id and a count, tabs between",
                        where=f"{path}:{number}",
                    ) from None
                entity = kb.index_of(entity_id)
                counts.setdefault(normalize(name), Counter())[-1 if entity is None else entity] += times
        return cls(counts)

    def of(self, pairs: Pairs) -> tuple[Floats, Floats]:
        """Count how often the name of each pair meant its entity, and how often it occurred [n]."""
        never: Counter[int] = Counter()
        counters = [self.counts.get(name, never) for name in pairs.names]
        totals = np.array([counter.total() for counter in counters], dtype=np.float64)
        both = zip(pairs.mention.tolist(), pairs.entity.tolist(), strict=True)
        return np.array([counters[mention][entity] for mention, entity in both], dtype=np.float64), totals[pairs.mention]


def judge_by_forests(
    vectors: Vectors, pairs: Pairs, training: Bools, prior: Floats, context: str, *, trees: int, least_in_leaf: int, seed: int
) -> Iterator[tuple[str, Row]]:
    """Yield the metrics on the test documents of the forest with F1 to F3, and of the one with F4."""
    fit = _forest_fitter(trees, least_in_leaf, seed)
    learn, test = training[pairs.document], ~training[pairs.document]
    first = np.column_stack((prior, pairs.context[context]))
    probability = _first_pass(fit, first, pairs, training, seed)
    coherence = entity_context(vectors, pairs, probability)
    for name, columns in (("F1+F2+F3", (coherence,)), ("F1+F2+F3+F4", (coherence, pairs.eigen))):
        features = np.column_stack((first, *columns))
        scores = np.zeros(len(features))
        scores[test] = fit(features[learn], pairs.gold[learn])(features[test])
        yield name, _metrics(pairs, scores, ~training[pairs.document_of] & pairs.has_gold)


def _first_pass(fit: Fit, features: NDArray[Any], pairs: Pairs, training: Bools, seed: int) -> Floats:
    """Return the probability of every pair by a forest without F3; in training documents, by one that did not see them."""
    probability = np.zeros(len(features))
    learn = training[pairs.document]
    probability[~learn] = fit(features[learn], pairs.gold[learn])(features[~learn])
    fold = np.random.default_rng(seed).integers(_FOLDS, size=len(training))[pairs.document]
    for number in range(_FOLDS):
        aside, others = learn & (fold == number), learn & (fold != number)
        if aside.any() and 0 < pairs.gold[others].sum() < others.sum():
            probability[aside] = fit(features[others], pairs.gold[others])(features[aside])
    return probability


def entity_context(vectors: Vectors, pairs: Pairs, probability: Floats) -> Floats:
    """F3: the cosine of each candidate with the average vector of the entities chosen in its document [n]."""
    order = np.lexsort((pairs.rank, -probability, pairs.mention))
    chosen = order[np.unique(pairs.mention[order], return_index=True)[1]]  # the best pair of each mention
    sums = np.zeros((int(pairs.document_of.max(initial=-1)) + 1, vectors.rows.shape[1]))
    np.add.at(sums, pairs.document[chosen], vectors.rows[pairs.entity[chosen]])
    sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-30)
    return np.asarray(np.einsum("ij,ij->i", vectors.rows[pairs.entity], sums[pairs.document]))


def _forest_fitter(trees: int, least_in_leaf: int, seed: int) -> Fit:
    """Return a function that fits a forest."""
    from sklearn.ensemble import RandomForestClassifier

    def fit(features: NDArray[Any], gold: Bools) -> Predict:
        forest = RandomForestClassifier(
            n_estimators=trees, min_samples_leaf=least_in_leaf, max_features=_CHOICES, random_state=seed, n_jobs=1
        )
        forest.fit(features, gold)
        right = list(forest.classes_).index(True)
        return lambda rows: np.asarray(forest.predict_proba(rows)[:, right])

    return fit


def _metrics(pairs: Pairs, scores: Floats, counted: Bools) -> Row:
    p_at_1, _ = credit(len(pairs.names), pairs.mention, pairs.gold, scores)
    easy, hard = counted & (pairs.difficulty == EASY), counted & (pairs.difficulty == HARD)
    groups = {"overall": counted, "easy": easy, "hard": hard}
    return {
        "mentions": int(counted.sum()),
        **{f"{group}_p_at_1": mean(p_at_1[members]) if members.any() else None for group, members in groups.items()},
        "ceiling": mean((easy | hard)[counted]),
    }
