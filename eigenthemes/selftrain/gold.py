"""A little gold, if there is some: the same weights fitted on it, starting from the self-trained ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from eigenthemes.core.blas import one_thread
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.embeddings.word_context import WordContext
from eigenthemes.errors import DocumentError
from eigenthemes.kb.store import KB
from eigenthemes.ranking.batch import batch_maker
from eigenthemes.ranking.features import FeatureContext
from eigenthemes.ranking.ranker import Ranker
from eigenthemes.records import Document, Mention
from eigenthemes.selftrain.calibrate import best_threshold, reliability_report
from eigenthemes.selftrain.evidence import Evidence
from eigenthemes.selftrain.held_out import outcomes
from eigenthemes.selftrain.train import TrainingBatch, fit_rounds, fit_temperature

STRENGTH = 20.0  # how hard the weights are drawn to the self-trained ones: they count like some twenty mentions
_FOLDS = 5  # and documents at least, or nothing is kept aside


def gold_train(
    kb: KB,
    ranker: Ranker,
    documents: Iterable[Document],
    *,
    vectors: str | None = None,
    context: WordContext | None = None,
    strength: float = STRENGTH,
    progress: Progress | None = None,
) -> Ranker:
    """Fit a ranker on gold, too; what is reported of it was measured on documents it was not fitted on."""
    maker = batch_maker(kb, needs_vectors=False, vectors=vectors)
    features = Evidence.of(kb).context(kb, maker.vectors, context)
    annotated = labelled_documents(documents, kb)
    with (progress or Silent()).step("training on gold", total=len(annotated), unit="documents") as advance, one_thread():
        training = [TrainingBatch.of(maker.make([document]), kb, features) for document in annotated]
        if not any(part.gold.any() for part in training):
            gold = next(mention.gold[0] for document in annotated for mention in document.mentions or () if mention.gold)
            raise _unknown("among the candidates of its mention", gold, kb)
        held_out: list[tuple[TrainingBatch, Ranker]] = []
        for fold in range(_FOLDS if len(training) >= _FOLDS else 0):
            others = [part for number, part in enumerate(training) if number % _FOLDS != fold]
            fitted = _fit(others, features, ranker, strength)
            held_out.extend((part, fitted) for part in training[fold::_FOLDS])
            advance(len(training[fold::_FOLDS]))
        about = _compare(held_out, ranker, kb, features) if held_out else {}
        final = _fit(training, features, ranker, strength)
    about = {"documents": len(annotated), "mentions": sum(len(part.batch.mentions) for part in training), **about}
    threshold = about.pop("threshold", ranker.threshold)
    return replace(final, threshold=threshold, about={**ranker.about, "gold": about}, chance=ranker.chance)


def labelled_documents(documents: Iterable[Document], kb: KB) -> list[Document]:
    """Return the documents with those of their mentions that have gold; empty gold says that none is in any KB.

    What people say is not a name at all ("not_a_name") says nothing about names that are missing from the KB, and is left out.
    """
    annotated = []
    for document in documents:
        mentions = tuple(
            mention for mention in document.mentions or () if mention.gold is not None and not mention.source.get("not_a_name")
        )
        if mentions:
            annotated.append(replace(document, mentions=mentions))
    if not annotated:
        raise DocumentError('no mention has gold to train on; give documents whose mentions have "gold": ids of the KB')
    ids = [gold for document in annotated for mention in document.mentions or () for gold in mention.gold or ()]
    if not ids:
        raise DocumentError("the gold of all mentions is empty, so there is no answer to learn; give ids of the KB as gold")
    if (kb.indices_of(ids) < 0).all():
        raise _unknown("in the KB", ids[0], kb)
    return annotated


def _is_gold(mention: Mention) -> bool:
    return mention.gold is not None and not mention.source.get("not_a_name")


def _unknown(where: str, example: str, kb: KB) -> DocumentError:
    return DocumentError(
        f"no gold id is {where} (gold is like {example}, the KB's ids are like {kb.id_of(0)}); give gold with the KB's ids"
    )


def _fit(training: Sequence[TrainingBatch], context: FeatureContext, start: Ranker, strength: float) -> Ranker:
    fitted = replace(fit_rounds(training, context, start, strength), cells=start.cells, topic=start.topic)
    return fit_temperature(fitted, training, context)


def _compare(held_out: list[tuple[TrainingBatch, Ranker]], before: Ranker, kb: KB, context: FeatureContext) -> dict[str, Any]:
    """Measure both rankers on documents that neither was fitted on, and find the threshold that is best there."""
    new = [outcomes(fitted, part.batch, kb, context) for part, fitted in held_out]
    old = [outcomes(before, part.batch, kb, context) for part, _ in held_out]
    probability, right, has_answer = (np.concatenate(column) for column in zip(*new, strict=True))
    right_before = np.concatenate([outcome[1] for outcome in old])
    return {
        "threshold": best_threshold(probability, right, has_answer),
        "p_at_1_before": round(float(right_before.mean()), 4),
        **reliability_report(probability, right),
    }
