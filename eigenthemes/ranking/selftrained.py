"""The ranker that a KB keeps, and what it needs of the KB; both are opened once and shared by all threads."""

from __future__ import annotations

from eigenthemes.embeddings.word_context import WordContext
from eigenthemes.errors import OptionError
from eigenthemes.kb.store import KB, Vectors
from eigenthemes.ranking.batch import Batch
from eigenthemes.ranking.features import FeatureContext
from eigenthemes.ranking.ranker import BatchRanking, Ranker, rank_batch


def rank_with_kb(batch: Batch, kb: KB) -> BatchRanking:
    """Rank a batch by the KB's own ranker."""
    return rank_batch(ranker_of(kb, _name(batch.vectors)), batch, feature_context_of(kb, batch.vectors))


def has_ranker(kb: KB, vectors: str | None) -> bool:
    """Return whether a ranker was trained with these vectors (None: with none)."""
    return (vectors or "") in kb.rankers


def ranker_of(kb: KB, vectors: str | None) -> Ranker:
    """Return the ranker that was trained with a set of vectors (None: with none)."""
    if not has_ranker(kb, vectors):
        what = f"the vectors {vectors}" if vectors else "a KB without vectors"
        raise OptionError(
            f"{kb.path} has no ranker trained for {what}; train one, or choose another method",
            code="no-ranker-for-vectors" if vectors in list(kb.vector_sets)[1:] else "no-ranker",
            where=vectors if vectors in list(kb.vector_sets)[1:] else str(kb.path),
        )
    return kb.cached(f"ranker {vectors or ''}", lambda: Ranker.of(kb.rankers[vectors or ""]))


def feature_context_of(kb: KB, vectors: Vectors | None) -> FeatureContext:
    """Return the feature context of a KB and a set of vectors; all threads share it."""
    name = f"feature context {_name(vectors) or ''}"
    return kb.cached(name, lambda: FeatureContext.of(kb, vectors, WordContext.of(kb)))


def _name(vectors: Vectors | None) -> str | None:
    return None if vectors is None else vectors.name
