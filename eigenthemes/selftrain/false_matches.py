"""Fit the false-match model on synthetic documents with unrelated names inserted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.store import KB
from eigenthemes.pipeline.batch import BatchMaker, batches_of
from eigenthemes.ranking.detection import ALONE_PLACES, FalseMatchModel, best_candidates
from eigenthemes.ranking.features import FeatureContext
from eigenthemes.ranking.ranker import Ranker, rank_batch
from eigenthemes.records import Document, Mention
from eigenthemes.selftrain.fit import fit_nil
from eigenthemes.selftrain.sampling import REMOVED, Sampler
from eigenthemes.text.normalize import normalize

_RATE = 0.8  # chance names for each name
_SINGLE, _LONGEST = 0.85, 10  # of them are single words of so many letters at most: chance spells short names
_RECASED = 0.5
_TRIES = 200
_CHUNK = 250  # documents
_CHANCE = "\0chance"  # in a mention's source: nobody meant it

Floats = NDArray[np.float64]


def fit_false_matches(
    ranker: Ranker, documents: Iterable[Document], maker: BatchMaker, context: FeatureContext
) -> FalseMatchModel | None:
    """Fit a false-match model on documents of `with_false_matches`; None if they contain none."""
    parts: list[Floats] = []
    chance: list[NDArray[np.bool_]] = []
    for chunk in batches_of(documents, _CHUNK):
        batch = maker.make(chunk)
        ranking = rank_batch(ranker, batch, context)
        best = best_candidates(ranking.groups, ranking.features, ranking.probability, ranking.nil_probability, context)
        first = [batch.mentions[i] for i in ranking.groups.first_mention[best.having].tolist()]
        meant = np.array([bool(mention.gold) and REMOVED not in mention.source for mention in first], dtype=bool)
        meant &= best.known  # else no detector would find it
        thrown_in = np.array([_CHANCE in mention.source for mention in first], dtype=bool)
        kept = meant | thrown_in
        parts.append(best.columns[kept])
        chance.append(thrown_in[kept])
    is_name = ~np.concatenate(chance)
    if is_name.all() or not is_name.any():
        return None
    columns = np.concatenate(parts)
    return FalseMatchModel(_fit(columns, is_name), _fit(columns[:, ALONE_PLACES], is_name))


def _fit(columns: Floats, is_name: NDArray[np.bool_]) -> Floats:
    """Fit a logistic regression on columns brought to one scale; the first is the constant."""
    mean, scale = columns.mean(axis=0), columns.std(axis=0)
    mean[0], scale[scale < 1e-9] = 0.0, 1.0
    weights = fit_nil(((columns - mean) / scale).astype(np.float32), is_name) / scale
    weights[0] -= float(weights[1:] @ mean[1:])
    return np.asarray(weights)


def with_false_matches(sampler: Sampler, many: int) -> Iterator[Document]:
    """Yield synthetic documents with false matches inserted, in any order."""
    rng = sampler.rng
    for document in sampler.documents(many):
        mentions = list(document.mentions or ())
        known = {normalize(mention.text) for mention in mentions}
        for _ in range(int(rng.poisson(_RATE * len(mentions)))):
            name = _false_match(sampler.kb, rng)
            if normalize(name) and normalize(name) not in known:
                mentions.append(Mention(name, gold=(), source={_CHANCE: True}))
        yield Document(id=document.id, mentions=tuple(mentions[i] for i in rng.permutation(len(mentions))))


def _false_match(kb: KB, rng: np.random.Generator) -> str:
    """Draw a name of the KB, a short word mostly, half of the time in other letters."""
    single, name = rng.random() < _SINGLE, ""
    for _ in range(_TRIES):
        name = kb.names[int(rng.integers(len(kb.names)))]
        if not single or (" " not in name and 2 <= len(name) <= _LONGEST):
            break
    if rng.random() >= _RECASED:
        return name
    return (name.capitalize(), name.capitalize(), name.upper(), name.lower())[int(rng.integers(4))]
