"""The self-trained ranker as a method: the score of a candidate is its probability."""

from __future__ import annotations

import threading

from eigenthemes.embeddings.word_context import WordContext
from eigenthemes.errors import OptionError
from eigenthemes.kb.store import KB, Vectors
from eigenthemes.ranking.batch import Batch
from eigenthemes.ranking.features import FeatureContext
from eigenthemes.ranking.options import MethodOptions, Scores
from eigenthemes.ranking.ranker import Judgement, Ranker, judge


def selftrained(batch: Batch, kb: KB, *, options: MethodOptions) -> Scores:
    """The probability that a candidate is what a mention means; the rest, up to 1, is that none of them is."""
    found = judgement(batch, kb)
    return found.probability[found.names.back]


def judgement(batch: Batch, kb: KB) -> Judgement:
    """What the KB's ranker makes of a batch."""
    return judge(ranker_of(kb, _name(batch.vectors)), batch, feature_context_of(kb, batch.vectors))


def has_ranker(kb: KB, vectors: str | None) -> bool:
    """Was a ranker trained with these vectors (None: with none)?"""
    return (vectors or "") in kb.rankers


def ranker_of(kb: KB, vectors: str | None) -> Ranker:
    """The ranker that was trained with a set of vectors (None: with none)."""
    if not has_ranker(kb, vectors):
        wanted = f" --vectors {vectors}" if vectors in list(kb.vector_sets)[1:] else ""
        what = f"the vectors {vectors}" if vectors else "a KB without vectors"
        raise OptionError(
            f"{kb.path} has no ranker trained for {what}; train one with: eigenthemes train {kb.path}{wanted}, "
            "or choose another method"
        )
    return kb.cached(f"ranker {vectors or ''}", lambda: Ranker.of(kb.rankers[vectors or ""]))


def feature_context_of(kb: KB, vectors: Vectors | None) -> FeatureContext:
    """What features need of a KB; its room to work in is not shared between threads."""
    return kb.cached(
        f"surroundings {_name(vectors)} {threading.get_ident()}", lambda: FeatureContext(kb, vectors, WordContext.of(kb))
    )


def _name(vectors: Vectors | None) -> str | None:
    return None if vectors is None else vectors.name
