"""A KB about places called Paris, and a ranker whose weights a person would give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eigenthemes import KB
from eigenthemes.documents.json_lines import as_document
from eigenthemes.explanations import Explanation
from eigenthemes.pipeline.batch import batch_maker
from eigenthemes.ranking.decide import NIL_REASONS, DecisionRule, decide
from eigenthemes.ranking.explainer import Explainer
from eigenthemes.ranking.features import COLUMNS, JOINT_GROUPS, FeatureContext, WeightedCandidates
from eigenthemes.ranking.features.nil import NIL_COLUMNS
from eigenthemes.ranking.methods import METHODS, Scored
from eigenthemes.ranking.ranker import BatchRanking, Ranker, Weights, rank_batch
from eigenthemes.train import store_ranker
from helpers.documents import names_document
from helpers.kbs import build_untrained

PARIS_NODES = """id,name,aliases,description,prior
fr,Paris,City of Light,capital of France,1000
tx,Paris,,city in Texas,50
lamar,Lamar County,,county in Texas,40
red,Red River,Big Red,river,30
texas,Texas,,state,500
france,France,,country,900
springfield,Springfield,,city in Illinois,100
smith,John Smith,,explorer,20
smithy,Smith,,trade,60
spin,Spinward,,,5
dallas,Dallas,,city,80
"""
PARIS_EDGES = """source,relation,target
tx,part_of,lamar
lamar,part_of,texas
tx,part_of,texas
red,flowsThrough,texas
fr,http://example.org/capital_of,france
smith,visited,springfield
dallas,part_of,texas
"""
WEIGHTS = {
    "alias": -0.5, "contains": -1.0, "typo": -2.0, "covered": 1.0, "log_prior": 0.4,
    "coherence": 0.5, "edges": 2.0, "shared_rare": 1.0, "shared": 1.0, "longer_name": 3.0, "same_entity": 1.0,
}  # fmt: skip


def ranker_by_hand(**weights: float) -> Ranker:
    """Return a ranker with weights a person would give, some of them replaced."""
    named = {**WEIGHTS, **weights}
    choice = np.array([named.get(name, 0.0) for name in COLUMNS])
    local = choice[: COLUMNS.index("coherence")]
    none = np.zeros(len(NIL_COLUMNS) + len(COLUMNS))
    none[0] = -3.0
    none[len(NIL_COLUMNS) + COLUMNS.index("typo")] = 5.0
    first = Weights(local, none[: len(NIL_COLUMNS) + len(local)])
    return Ranker((first, Weights(choice, none), Weights(choice, none)), temperature=1.25, threshold=0.41)


def build_paris(folder: Path) -> KB:
    """Build the KB of places called Paris, without vectors, with the ranker made by hand."""
    (folder / "nodes.csv").write_text(PARIS_NODES)
    (folder / "edges.csv").write_text(PARIS_EDGES)
    kb = build_untrained([folder / "nodes.csv", folder / "edges.csv"], folder / "paris.kb", embedding=None)
    return store_ranker(kb, ranker_by_hand())


def explainer_of(kb: KB, *documents: Any, ranker: Ranker | None = None, threshold: float | None = None) -> Explainer:
    """Return the explainer of a batch of documents, decided by the ranker (that made by hand) and the threshold (its own)."""
    maker = batch_maker(kb, needs_vectors=False)
    context = FeatureContext(kb, maker.vectors)
    ranker = ranker or ranker_by_hand()
    threshold = ranker.threshold if threshold is None else threshold
    batch = maker.make([as_document(document) for document in documents])
    ranking = rank_batch(ranker, batch, context)
    scored = Scored(ranking.candidate_probability, ranking=ranking)
    decisions = decide(batch, scored, METHODS["selftrained"], DecisionRule(threshold))
    nil_reasons = [NIL_REASONS[reason] for reason in decisions.nil_reason.tolist()]
    return Explainer(ranker, ranking, context, nil_reasons=nil_reasons, rule=DecisionRule(threshold))


def explain_names(kb: KB, *names: str, **options: Any) -> list[Explanation]:
    """Explain each mention of a document of these names."""
    explainer = explainer_of(kb, names_document(*names), **options)
    return [explainer.explain(mention) for mention in range(len(names))]


def assert_contributions_give_the_features(ranking: BatchRanking, context: FeatureContext) -> int:
    """Assert that what all places contributed to each candidate gives the columns the ranker saw; return how many there are."""
    groups = ranking.groups
    candidates = WeightedCandidates.weighing(groups, context, ranking.weight)
    closeness = next(group for group in JOINT_GROUPS if group.name == "themes").shares["coherence"]
    others = np.maximum(1, groups.other_names[groups.group])
    for row, features in enumerate(ranking.features):
        seen = dict(zip(COLUMNS, features.tolist(), strict=True))
        by_place = candidates.contributions(row)
        near = float(closeness(by_place).sum()) / others[row]
        assert seen["coherence"] == pytest.approx(np.log((0.02 + near) / 0.02), abs=1e-4)
        *sums, longer, same = (float(part.sum()) for part in by_place.parts)
        graph = [seen[column] for column in ("edges", "shared_rare", "shared")]
        assert graph == pytest.approx(np.log1p(sums).tolist(), abs=1e-5)
        assert [seen["longer_name"], seen["same_entity"]] == pytest.approx([longer, same], abs=1e-5)
    return len(ranking.features)
