"""Fit on a little gold, and on corrections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from eigenthemes.core.progress import Advance, Progress, Silent
from eigenthemes.core.threads import hold_blas_to_one_thread
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.kb.store import KB
from eigenthemes.names.name_memory import NOT_A_NAME, Memory, document_key
from eigenthemes.names.retrieval import REMEMBERED
from eigenthemes.pipeline.batch import Batch, batch_maker
from eigenthemes.ranking.features import FeatureContext
from eigenthemes.ranking.features.feature_context import WALKED_IN_TRAINING
from eigenthemes.ranking.ranker import Ranker, rank_batch
from eigenthemes.records import Document
from eigenthemes.selftrain.cell_training import evidence_of
from eigenthemes.selftrain.fit import best_threshold, keep_rows, outcomes, reliability_report
from eigenthemes.selftrain.training import TrainingBatch, fit_rounds, fit_temperature
from eigenthemes.text.normalize import normalize, squash

STRENGTH = 20.0  # how hard the weights are drawn to the self-trained ones: they count like some twenty mentions
STRENGTHS = (5000.0, 200.0, STRENGTH)  # of the weights that choose: which is best, documents kept aside tell
_MARGIN = 0.01  # of the loss that the next weaker one must spare
_FOLDS = 5  # and documents at least, or nothing is kept aside
DECIDING = ("rounds", "temperature", "threshold", "confidence")  # of a ranker: what gold changes
_FEW = 5000.0  # the strength of all weights where there are too few documents to tell


def gold_train(
    kb: KB,
    ranker: Ranker,
    documents: Iterable[Document],
    *,
    vectors: str | None = None,
    progress: Progress | None = None,
) -> Ranker:
    """Fit a ranker on gold, too; the same one where no gold is among the candidates of its mention.

    What is reported of it was measured on documents it was not fitted on.
    """
    annotated = labelled_documents(documents)
    total = len(annotated) * len(STRENGTHS)
    hold_blas_to_one_thread()
    with (progress or Silent()).step("training on gold", total=total, unit="documents") as advance:
        maker = batch_maker(kb, needs_vectors=False, vectors=vectors)
        given = kb, maker.vectors, evidence_of(kb)
        features = FeatureContext(*given, leaves_out_own=True, walked=WALKED_IN_TRAINING)
        batches = (without_own(maker.make([document]), features) for document in annotated)
        training = [TrainingBatch.of(batch, kb, features) for batch in batches]
        if not any(part.gold.any() for part in training):
            return ranker
        if len(training) < _FOLDS:
            about, final = {}, replace(fit_rounds(training, features, ranker, _FEW), cells=ranker.cells)
            final = replace(final, temperature=ranker.temperature, confidence=ranker.confidence)
        else:
            tried = {each: _cross_fitted(training, features, ranker, each, advance) for each in STRENGTHS}
            losses = [_loss(held_out, features) for held_out in tried.values()]
            best = STRENGTHS[int(np.argmin([(1 + _MARGIN * place) * loss for place, loss in enumerate(losses)]))]
            forgetful = FeatureContext(*given, remembers=False, walked=WALKED_IN_TRAINING)
            about, final = _compare(tried[best], features, ranker, forgetful), _fit(training, features, ranker, best)
    about = {"documents": len(annotated), "mentions": sum(len(part.batch.mentions) for part in training), **about}
    threshold = about.pop("threshold", ranker.threshold)
    started = {key: value for key, value in ranker.to_dict().items() if key in DECIDING}
    return replace(
        final,
        threshold=threshold,
        about={**ranker.about, "gold": about, "self_trained": started},
        false_matches=ranker.false_matches,
        adaptation=ranker.adaptation,
        corpus_prior=ranker.corpus_prior,
    )


def without_own(batch: Batch, context: FeatureContext) -> Batch:
    """Remove candidates that come only from the document's own corrections, in a batch of one document."""
    table, memory = batch.table, context.memory
    remembered = np.flatnonzero(table.match_type == REMEMBERED)
    if memory is None or not len(remembered):
        return batch
    own, kept = memory.corrections_in(batch.documents[0]), np.ones(len(table), dtype=bool)
    for row in remembered.tolist():
        name = normalize(batch.names[int(table.mention_of[row])])
        said = memory.find(name, without=own.get(squash(name)))
        kept[row] = said is not None and int(table.entity[row]) in said.linked
    return keep_rows(batch, kept)


def labelled_documents(documents: Iterable[Document]) -> list[Document]:
    """Return the documents with their mentions that have gold; empty gold means NIL.

    What people say is not a name at all ("not_a_name") says nothing about names that are missing from the KB, and is left out.
    """
    annotated = []
    for document in documents:
        mentions = tuple(
            mention for mention in document.mentions or () if mention.gold is not None and not mention.source.get(NOT_A_NAME)
        )
        if mentions:
            annotated.append(replace(document, mentions=mentions))
    return annotated


def _fit(training: Sequence[TrainingBatch], context: FeatureContext, start: Ranker, strength: float) -> Ranker:
    fitted = fit_rounds(training, context, start, strength, nil_strength=min(strength, STRENGTH))
    fitted = replace(fitted, cells=start.cells, topic=start.topic)
    return fit_temperature(fitted, training, [rank_batch(fitted, part.batch, context) for part in training], context)


def _cross_fitted(
    training: Sequence[TrainingBatch], context: FeatureContext, start: Ranker, strength: float, advance: Advance
) -> list[tuple[TrainingBatch, Ranker]]:
    """Return each document with a ranker fitted on the other folds."""
    held_out: list[tuple[TrainingBatch, Ranker]] = []
    for fold in range(_FOLDS):
        others = [part for number, part in enumerate(training) if number % _FOLDS != fold]
        fitted = _fit(others, context, start, strength)
        held_out.extend((part, fitted) for part in training[fold::_FOLDS])
        advance(len(training[fold::_FOLDS]))
    return held_out


def _loss(held_out: Sequence[tuple[TrainingBatch, Ranker]], context: FeatureContext) -> float:
    """Return minus the log likelihood of the right candidates, given that one is right."""
    total = 0.0
    for part, ranker in held_out:
        ranking = rank_batch(ranker, part.batch, context)
        groups = ranking.groups
        right = np.bincount(groups.group, weights=ranking.probability * part.gold, minlength=len(groups))
        any_right = np.maximum(1 - ranking.nil_probability, 1e-12)
        total -= float(np.log(np.maximum((right / any_right)[right > 0], 1e-12)).sum())
    return total


def _compare(
    held_out: Sequence[tuple[TrainingBatch, Ranker]], context: FeatureContext, before: Ranker, forgetful: FeatureContext
) -> dict[str, Any]:
    """Measure both rankers on documents that neither was fitted on, and find the threshold that is best there.

    forgetful  features without corrections, for the ranker as it was before
    """
    new = [outcomes(fitted, part.batch, context.kb, context) for part, fitted in held_out]
    plain = [keep_rows(part.batch, part.batch.table.match_type != REMEMBERED) for part, _ in held_out]
    old = [outcomes(before, batch, context.kb, forgetful) for batch in plain]
    probability, right, has_answer = (np.concatenate(column) for column in zip(*new, strict=True))
    right_before = np.concatenate([outcome[1] for outcome in old])
    return {
        "threshold": best_threshold(probability, right, has_answer),
        "p_at_1_before": round(float(right_before.mean()), 4),
        **reliability_report(probability, right),
    }


ENOUGH = 20  # corrections from which on weights are fitted


def check_gold(documents: Iterable[Document], kb: KB) -> list[Document]:
    """Return the documents with usable gold; raise if no gold id is in the KB."""
    said = [document for document in documents if any(mention.gold is not None for mention in document.mentions or ())]
    if not said:
        raise DocumentError('no mention has gold to train on; give documents whose mentions have "gold": ids of the KB')
    ids = [entity_id for document in said for mention in document.mentions or () for entity_id in mention.gold or ()]
    if ids and (kb.indices_of(ids) < 0).all():
        raise DocumentError(
            f"no gold id is in the KB (gold is like {ids[0]}, the KB's ids are like {kb.id_of(0)}); give gold with the KB's ids"
        )
    return said


def check_names(names: Iterable[tuple[str, str]], kb: KB) -> list[tuple[str, str]]:
    """Return pairs of a name and an id; refuse an id that the KB does not have."""
    checked = list(names)
    for name, entity_id in checked:
        if entity_id not in kb:
            raise OptionError(
                f"{entity_id} is to be called {name}, and the KB has no such id; give ids like {kb.id_of(0)}",
                where=entity_id,
            )
    return checked


def refit(kb: KB, ranker: Ranker, given: Iterable[Document] = (), **options: Any) -> Ranker:
    """Fit a self-trained ranker on all corrections that a KB remembers, if they are enough.

    given    documents that were remembered just now: with their texts, which a KB does not keep
    options  of `gold_train`
    """
    remembered = Memory.of(kb)
    if remembered.answers < ENOUGH:
        return ranker
    whole = {document_key(document): document for document in given}
    documents = [whole.get(said.key) or said.to_document() for said in remembered.corrected]
    return gold_train(kb, ranker, documents, **options)


def self_trained(kb: KB, vectors: str | None, *, seed: int) -> Ranker | None:
    """Return the ranker that a KB was trained with before anybody corrected it; None: it has none of this seed."""
    described = kb.rankers.get(vectors or next(iter(kb.vector_sets), ""))
    if described is None or described.get("training", {}).get("seed") != seed:
        return None
    kept = {key: value for key, value in described.items() if key not in ("gold", "self_trained")}
    return Ranker.of(kept | described.get("self_trained", {}))
