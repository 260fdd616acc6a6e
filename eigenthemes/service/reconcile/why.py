"""Why an entity is a candidate, in words: of the query it was last a candidate of, else of its own name."""

from __future__ import annotations

from dataclasses import dataclass

from eigenthemes.ranking.decide import NIL_REASONS
from eigenthemes.ranking.explain.explainer import Explainer
from eigenthemes.ranking.ranker import feature_context_of, ranker_of
from eigenthemes.records import Document, Mention
from eigenthemes.service.reconcile.documents import QueryDocument
from eigenthemes.service.reconcile.reconciler import Reconciler


@dataclass(frozen=True, slots=True)
class Why:
    """What a preview tells.

    asked     the name that was asked for; "" where it is the entity's own
    sentence  why that name was linked as it was
    chance    the probability of this entity; None where it was no candidate
    """

    asked: str
    sentence: str
    chance: float | None


def why(reconciler: Reconciler, entity_id: str) -> Why | None:
    """Say why an entity is a candidate; None where the method gives no reasons."""
    if not reconciler.linker.method.calibrated:
        return None
    remembered = reconciler.remembered.find(entity_id)
    document, mention = remembered or (_alone(reconciler, entity_id), 0)
    explainer = _explainer(reconciler, document)
    chances = {each.id: each.probability for each in explainer.candidates(mention)}
    asked = "" if remembered is None else explainer.batch.mentions[mention].text
    return Why(asked, explainer.explain(mention).sentence, chances.get(entity_id))


def _alone(reconciler: Reconciler, entity_id: str) -> QueryDocument:
    index = reconciler.kb.index_of(entity_id)
    label = entity_id if index is None else reconciler.kb.label_of(index)
    return QueryDocument(Document(mentions=(Mention(label),)), ((), False), [["query"]])


def _explainer(reconciler: Reconciler, document: QueryDocument) -> Explainer:
    linker, decided = reconciler.linker, reconciler.decide([document])
    vectors = decided.batch.vectors
    assert decided.scored.ranking is not None
    return Explainer(
        ranker_of(linker.kb, None if vectors is None else vectors.name),
        decided.scored.ranking,
        feature_context_of(linker.kb, vectors),
        nil_reasons=[NIL_REASONS[reason] for reason in decided.decisions.nil_reason.tolist()],
        threshold=linker.threshold,
        aliases=linker.options.candidates.aliases,
    )
