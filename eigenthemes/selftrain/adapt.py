"""Adapt a KB to a corpus of the user's documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.progress import Advance, Progress, Silent
from eigenthemes.core.threads import hold_blas_to_one_thread
from eigenthemes.errors import DocumentError
from eigenthemes.kb.store import KB
from eigenthemes.pipeline.batch import BATCH, batch_maker, batches_of
from eigenthemes.ranking.adaptation import NUMBERS, Adaptation, CorpusPrior, entity_numbers, mention_features, type_columns
from eigenthemes.ranking.detection import NEARLY_CERTAIN, POPULARITY, best_candidates, name_odds, settle
from eigenthemes.ranking.features import FeatureContext
from eigenthemes.ranking.features.nil import logit
from eigenthemes.ranking.ranker import AS_FOUND, BatchRanking, Ranker, rank_batch
from eigenthemes.records import Document
from eigenthemes.selftrain.fit import fit_soft
from eigenthemes.selftrain.sampling import Sampler

_ROUNDS = 3
_STRENGTH = 20.0
_COMMONEST = 300  # words before names, and as many after them
_LEAST = 3  # times that a feature must occur
_LEAST_NAMES = 20

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _CorpusNames:
    """The names of a corpus.

    odds        [k] that each is a name at all, by the KB and its document
    document    [k] and how many there are
    popularity  [k, 4]
    features    of the mentions of each name
    """

    odds: Floats
    document: NDArray[np.int64]
    documents: int
    popularity: Floats
    features: list[list[list[str]]]


def adapt(
    kb: KB, ranker: Ranker, documents: Iterable[Document], *, vectors: str | None = None, progress: Progress | None = None
) -> Ranker:
    """Return the ranker adapted to a corpus; given mentions and gold are ignored."""
    plain = [replace(document, mentions=None) for document in documents if has_text(document)]
    hold_blas_to_one_thread()
    with (progress or Silent()).step("adapting", total=len(plain), unit="documents") as advance:
        pile = _read_corpus(kb, ranker, plain, vectors, advance)
    if len(pile.odds) < _LEAST_NAMES:
        raise DocumentError(
            f"the documents have {len(pile.odds)} names of the KB in their texts, too few to learn from; expected "
            f"{_LEAST_NAMES} or more; give more texts"
        )
    return replace(ranker, adaptation=Adaptation(len(plain), len(pile.odds), _co_train(pile)))


def has_text(document: Document) -> bool:
    """Return whether names can be found in a document."""
    return bool(document.text) and document.table is None


def _read_corpus(kb: KB, ranker: Ranker, documents: list[Document], vectors: str | None, advance: Advance) -> _CorpusNames:
    odds, document, popularity = [np.zeros(0)], [np.zeros(0, np.int64)], [np.zeros((0, len(POPULARITY)))]
    features: list[list[list[str]]] = []
    ranker, done = replace(ranker, confidence=AS_FOUND), 0  # names are told from chance by what the models find
    for ranking, context in _rankings(kb, ranker, documents, vectors, advance):
        groups = ranking.groups
        best = best_candidates(groups, ranking.features, ranking.probability, ranking.nil_probability, context)
        names_odds, documents_of, _ = name_odds(groups, best, context, ranker.false_matches)
        of_group: list[list[list[str]]] = [[] for _ in range(len(groups))]
        for group, of_mention in zip(groups.group_of.tolist(), mention_features(groups), strict=True):
            of_group[group].append(of_mention)
        features += [of_group[group] for group in best.having.tolist()]
        odds.append(names_odds)
        document.append(documents_of + done)
        popularity.append(best.popularity)
        done += len(groups.batch.documents)
    return _CorpusNames(np.concatenate(odds), np.concatenate(document), len(documents), np.concatenate(popularity), features)


def _rankings(
    kb: KB, ranker: Ranker, documents: Iterable[Document], vectors: str | None, advance: Advance
) -> Iterator[tuple[BatchRanking, FeatureContext]]:
    """Rank documents batch by batch."""
    maker = batch_maker(kb, needs_vectors=False, vectors=vectors)
    context = FeatureContext.of(kb, maker.vectors)
    for some in batches_of(documents, BATCH):
        yield rank_batch(ranker, maker.make(some), context), context
        advance(len(some))


def _co_train(pile: _CorpusNames) -> dict[str, float]:
    """Return the weights of features and columns of popularity."""
    vocabulary = _vocabulary(pile)
    columns = _columns(pile, vocabulary)
    factor = settle(pile.odds, pile.document, pile.documents)
    weights = np.zeros(columns.shape[1])
    for _ in range(_ROUNDS):
        weights = fit_soft(columns, factor, strength=_STRENGTH)
        weights[0] -= float(logit(np.array([factor.mean()]), NEARLY_CERTAIN)[0])
        factor = settle(pile.odds + columns @ weights, pile.document, pile.documents)
    scale = _scale(pile.popularity)
    of_entity = weights[1 : 1 + len(POPULARITY)] / scale
    weights[0] -= float(pile.popularity.mean(axis=0) @ of_entity)
    named = {"one": weights[0], **dict(zip(POPULARITY, of_entity, strict=True))}
    named |= dict(zip(vocabulary, weights[1 + len(POPULARITY) :], strict=True))
    return {feature: round(float(weight), 4) for feature, weight in named.items() if abs(weight) >= 1e-4}


def _vocabulary(pile: _CorpusNames) -> list[str]:
    """Return the features that count: all shapes, and the commonest words before and after names."""
    counts = Counter(feature for name in pile.features for mention in name for feature in mention)
    common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    kept: list[str] = []
    for kind in ("before ", "after "):
        kept += [feature for feature, count in common if feature.startswith(kind) and count >= _LEAST][:_COMMONEST]
    return kept + sorted(feature for feature in counts if not feature.startswith(("before ", "after ")))


def _columns(pile: _CorpusNames, vocabulary: list[str]) -> Floats:
    """Return [k, 1 + 4 + features]: one, popularity brought to one scale, the share of a name's mentions with each feature."""
    number_of = {feature: 1 + len(POPULARITY) + i for i, feature in enumerate(vocabulary)}
    columns = np.zeros((len(pile.odds), 1 + len(POPULARITY) + len(vocabulary)))
    columns[:, 0] = 1
    columns[:, 1 : 1 + len(POPULARITY)] = (pile.popularity - pile.popularity.mean(axis=0)) / _scale(pile.popularity)
    for row, mentions in enumerate(pile.features):
        for features in mentions:
            for feature in features:
                if feature in number_of:
                    columns[row, number_of[feature]] += 1 / len(mentions)
    return columns


def _scale(popularity: Floats) -> Floats:
    scale = popularity.std(axis=0)
    return np.asarray(np.where(scale < 1e-9, 1.0, scale))


ENOUGH = 100  # documents
_PILE_LEAST = 10.0  # entities of a type, in the pile and made-up documents together
_MOST_TYPES = 500
_SURE = 0.05  # less likely candidates are not counted
_MADE_UP = (300, 2000)  # documents, at least and at most


def learn_corpus_prior(
    kb: KB, ranker: Ranker, documents: Sequence[Document], *, vectors: str | None = None, progress: Progress | None = None
) -> CorpusPrior:
    """Return the corpus prior of some documents; their gold is ignored."""
    hold_blas_to_one_thread()
    with (progress or Silent()).step("learning the pile", total=len(documents), unit="documents") as advance:
        there = np.zeros(len(kb))
        for ranking, _ in _rankings(kb, ranker, documents, vectors, advance):
            groups = ranking.groups
            factor = np.ones(len(groups)) if ranking.detection is None else ranking.detection.factor
            document = np.repeat(np.arange(len(groups.batch.documents)), np.diff(groups.bounds[groups.document_bounds]))
            there += _mass(groups.entity, ranking.probability * factor[groups.group], document, len(kb))
        made_up = _synthetic_frequencies(kb, len(documents))
    return _fit(kb, len(documents), there, made_up * there.sum() / made_up.sum())


def _mass(entity: NDArray[np.int64], probability: Floats, document: NDArray[np.int64], entities: int) -> Floats:
    """Return in how many documents each entity is, by its highest probability in each [entities]."""
    kept = probability >= _SURE
    pairs, place = np.unique(document[kept] * entities + entity[kept], return_inverse=True)
    highest = np.zeros(len(pairs))
    np.maximum.at(highest, place, probability[kept])
    return np.bincount(pairs % entities, weights=highest, minlength=entities).astype(np.float64)


def _synthetic_frequencies(kb: KB, documents: int) -> Floats:
    """Return the frequency of each entity in synthetic documents [entities]."""
    sampler, counts = Sampler(kb, np.random.default_rng(0)), np.zeros(len(kb))
    least, most = _MADE_UP
    for document in sampler.documents(min(max(documents, least), most)):
        entities = kb.indices_of([mention.gold[0] for mention in document.mentions or () if mention.gold])
        counts[np.unique(entities)] += 1
    return counts


def _fit(kb: KB, documents: int, there: Floats, made_up: Floats) -> CorpusPrior:
    """Fit log-odds between entity frequencies of the corpus and of synthetic documents [entities]."""
    entities = np.flatnonzero(there + made_up > 0)
    indptr, entity_types = kb.array("type_indptr"), kb.array("entity_types")
    owner = np.repeat(np.arange(len(kb)), np.diff(indptr))
    by_type = [np.bincount(entity_types, weights=amount[owner], minlength=len(kb.types)) for amount in (there, made_up)]
    common = np.argsort(-(by_type[0] + by_type[1]), kind="stable")[:_MOST_TYPES]
    types = common[(by_type[0] + by_type[1])[common] >= _PILE_LEAST].tolist()
    numbers = entity_numbers(kb)[entities]
    mean, scale = numbers.mean(axis=0), np.maximum(numbers.std(axis=0), 1e-9)
    scaled = (numbers - mean) / scale
    x = np.concatenate((np.ones((len(entities), 1)), scaled, type_columns(kb, entities, types)), axis=1)
    x, y = np.concatenate((x, x)), np.repeat((1.0, 0.0), len(entities))
    fitted = fit_soft(x, y, strength=_STRENGTH, amount=np.concatenate((there[entities], made_up[entities])))
    of_numbers = fitted[1 : 1 + len(NUMBERS)] / scale
    weights = {"one": fitted[0] - float(of_numbers @ mean), **dict(zip(NUMBERS, of_numbers, strict=True))}
    ids = [str(kb.types[number]) for number in types]
    often = (by_type[0][types] + 1) / (by_type[1][types] + 1)
    return CorpusPrior(
        documents,
        {name: round(float(weight), 4) for name, weight in weights.items()},
        dict(zip(ids, (round(float(weight), 4) for weight in fitted[1 + len(NUMBERS) :]), strict=True)),
        dict(zip(ids, (round(float(times), 2) for times in often), strict=True)),
    )
