"""Learn what a pile of documents is about, without labels.

A ridge logistic regression tells the entities that the pile's documents were linked to, by their probability, from those of
made-up documents. One pass: the links that it changes are not learned from again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.blas import one_thread
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.embeddings.word_context import WordContext
from eigenthemes.kb.attributes import EntityAttributes
from eigenthemes.kb.store import KB
from eigenthemes.ranking.batch import BATCH, batch_maker, batches_of
from eigenthemes.ranking.features import FeatureContext
from eigenthemes.ranking.pile import NUMBERS, PileModel, entity_numbers, type_columns
from eigenthemes.ranking.ranker import Ranker, rank_batch
from eigenthemes.records import Document
from eigenthemes.selftrain.fit import fit_soft
from eigenthemes.selftrain.sample import Sampler

ENOUGH = 100  # documents
_STRENGTH = 20.0
_LEAST = 10.0  # entities of a type, in the pile and made-up documents together
_MOST_TYPES = 500
_SURE = 0.05  # less likely candidates are not counted
_MADE_UP = (300, 2000)  # documents, at least and at most

Floats = NDArray[np.float64]


def learn_pile(
    kb: KB, ranker: Ranker, documents: Sequence[Document], *, vectors: str | None = None, progress: Progress | None = None
) -> PileModel:
    """Return what a pile of documents is about; their gold, if they have any, is not looked at."""
    with (progress or Silent()).step("learning the pile", total=len(documents), unit="documents") as advance, one_thread():
        there = np.zeros(len(kb))
        maker = batch_maker(kb, needs_vectors=False, vectors=vectors)
        context = FeatureContext(kb, maker.vectors, WordContext.of(kb), EntityAttributes.of(kb))
        for some in batches_of(documents, BATCH):
            ranking = rank_batch(ranker, maker.make(some), context)
            groups = ranking.groups
            factor = np.ones(len(groups)) if ranking.detection is None else ranking.detection.factor
            document = np.repeat(np.arange(len(some)), np.diff(groups.bounds[groups.document_bounds]))
            there += _mass(groups.entity, ranking.probability * factor[groups.group], document, len(kb))
            advance(len(some))
        made_up = _made_up(kb, len(documents))
    return _fit(kb, len(documents), there, made_up * there.sum() / made_up.sum())


def _mass(entity: NDArray[np.int64], probability: Floats, document: NDArray[np.int64], entities: int) -> Floats:
    """Return in how many documents each entity is, by its highest probability in each [entities]."""
    kept = probability >= _SURE
    pairs, place = np.unique(document[kept] * entities + entity[kept], return_inverse=True)
    highest = np.zeros(len(pairs))
    np.maximum.at(highest, place, probability[kept])
    return np.bincount(pairs % entities, weights=highest, minlength=entities).astype(np.float64)


def _made_up(kb: KB, documents: int) -> Floats:
    """Return how often each entity is in made-up documents [entities]."""
    sampler, counts = Sampler(kb, np.random.default_rng(0)), np.zeros(len(kb))
    least, most = _MADE_UP
    for document in sampler.documents(min(max(documents, least), most)):
        entities = kb.indices_of([mention.gold[0] for mention in document.mentions or () if mention.gold])
        counts[np.unique(entities)] += 1
    return counts


def _fit(kb: KB, documents: int, there: Floats, made_up: Floats) -> PileModel:
    """Tell the entities of the pile from those of made-up documents, both given by how often they are there [entities]."""
    entities = np.flatnonzero(there + made_up > 0)
    indptr, entity_types = kb.array("type_indptr"), kb.array("entity_types")
    owner = np.repeat(np.arange(len(kb)), np.diff(indptr))
    by_type = [np.bincount(entity_types, weights=amount[owner], minlength=len(kb.types)) for amount in (there, made_up)]
    common = np.argsort(-(by_type[0] + by_type[1]), kind="stable")[:_MOST_TYPES]
    types = common[(by_type[0] + by_type[1])[common] >= _LEAST].tolist()
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
    return PileModel(
        documents,
        {name: round(float(weight), 4) for name, weight in weights.items()},
        dict(zip(ids, (round(float(weight), 4) for weight in fitted[1 + len(NUMBERS) :]), strict=True)),
        dict(zip(ids, (round(float(times), 2) for times in often), strict=True)),
    )
