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
from eigenthemes.records import Document
from eigenthemes.selftrain.calibrate import best_threshold, trust
from eigenthemes.selftrain.train import Lessons, fit_rounds, lesson, outcomes, tempered

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
    """The ranker fitted on gold, too; what is reported of it was measured on documents it was not fitted on."""
    makes = batch_maker(kb, needs_vectors=False, vectors=vectors)
    around = FeatureContext(kb, makes.vectors, context)
    given = labelled(documents, kb)
    with (progress or Silent()).step("training on gold", total=len(given), unit="documents") as advance, one_thread():
        lessons = [lesson(makes.make([document]), kb, around) for document in given]
        if not any(each.gold.any() for each in lessons):
            gold = next(mention.gold[0] for document in given for mention in document.mentions or () if mention.gold)
            raise _unknown("among the candidates of its mention", gold, kb)
        seen: list[tuple[Lessons, Ranker]] = []
        for fold in range(_FOLDS if len(lessons) >= _FOLDS else 0):
            held = lessons[fold::_FOLDS]
            others = [each for number, each in enumerate(lessons) if number % _FOLDS != fold]
            fitted = _fitted(others, around, ranker, strength)
            seen.extend((each, fitted) for each in held)
            advance(len(held))
        about = _compared(seen, ranker, kb, around) if seen else {}
        final = _fitted(lessons, around, ranker, strength)
    about = {"documents": len(given), "mentions": sum(len(each.batch.mentions) for each in lessons), **about}
    threshold = about.pop("threshold", ranker.threshold)
    return replace(final, threshold=threshold, about={**ranker.about, "gold": about})


def labelled(documents: Iterable[Document], kb: KB) -> list[Document]:
    """The documents with those of their mentions that have gold; empty gold says that none is in any KB."""
    given = []
    for document in documents:
        mentions = tuple(mention for mention in document.mentions or () if mention.gold is not None)
        if mentions:
            given.append(replace(document, mentions=mentions))
    if not given:
        raise DocumentError('no mention has gold to train on; give documents whose mentions have "gold": ids of the KB')
    ids = [each for document in given for mention in document.mentions or () for each in mention.gold or ()]
    if not ids:
        raise DocumentError("the gold of all mentions is empty, so there is no answer to learn; give ids of the KB as gold")
    if (kb.indices_of(ids) < 0).all():
        raise _unknown("in the KB", ids[0], kb)
    return given


def _unknown(where: str, example: str, kb: KB) -> DocumentError:
    return DocumentError(
        f"no gold id is {where} (gold is like {example}, the KB's ids are like {kb.id_of(0)}); give gold with the KB's ids"
    )


def _fitted(lessons: Sequence[Lessons], around: FeatureContext, start: Ranker, strength: float) -> Ranker:
    return tempered(fit_rounds(lessons, around, start, strength), lessons, around)


def _compared(seen: list[tuple[Lessons, Ranker]], before: Ranker, kb: KB, around: FeatureContext) -> dict[str, Any]:
    """Both rankers on documents that neither was fitted on, and the threshold that is best there."""
    now = [outcomes(fitted, each.batch, kb, around) for each, fitted in seen]
    then = [outcomes(before, each.batch, kb, around) for each, _ in seen]
    probability, right, inside = (np.concatenate(column) for column in zip(*now, strict=True))
    old = np.concatenate([each[1] for each in then])
    return {
        "threshold": best_threshold(probability, right, inside),
        "p_at_1_before": round(float(old.mean()), 4),
        **trust(probability, right),
    }
