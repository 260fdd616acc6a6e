"""Fit the cell model on synthetic tables, and collect the evidence that a KB stores beside its ranker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.progress import Advance
from eigenthemes.kb.attributes import EntityAttributes, attribute_count, collect_attributes
from eigenthemes.kb.graph import hubs_of, kinds_of
from eigenthemes.kb.profiles import collect_profiles
from eigenthemes.kb.store import KB
from eigenthemes.names.generator import CandidateGenerator
from eigenthemes.pipeline.batch import Batch, BatchMaker, batches_of, gold_rows
from eigenthemes.ranking.cells import CellModel
from eigenthemes.ranking.decide import DecisionRule, decide
from eigenthemes.ranking.features.feature_context import Evidence, FeatureContext
from eigenthemes.ranking.features.nil import dot, nil_features, softmax
from eigenthemes.ranking.methods import Scored, method_named
from eigenthemes.ranking.ranker import Ranker, rank_batch
from eigenthemes.ranking.table_report import report_cells
from eigenthemes.records import Document, Mention
from eigenthemes.selftrain.fit import best_threshold, fit_nil, outcomes, reliability_report, without_removed
from eigenthemes.selftrain.sampling import Sampler

Floats = NDArray[np.float64]

_NAMES = 4000  # made-up ones whose candidates tell how frequent an attribute is by chance
_CHUNK = 100  # tables


def count_attributes(kb: KB) -> EntityAttributes:
    """Collect the attributes of entities, and count how many made-up names have a candidate with each."""
    from eigenthemes.kb.attributes import names_with

    indptr, attributes = collect_attributes(kb)
    sampler = Sampler(kb, np.random.default_rng(0))
    names = [sampler.namer.name(sampler.entity()) for _ in range(_NAMES)]
    table = CandidateGenerator(kb, remembers=False).find_batch(names)
    bounds = table.bounds
    entity = table.entity.astype(np.int64)
    count = names_with.select_backend(int((indptr[entity + 1] - indptr[entity]).sum()))
    counts = count(bounds, entity, (indptr, attributes), attribute_count(kb))
    return EntityAttributes(indptr, attributes, (counts + 0.5) / (_NAMES + 1))


def fit_cells(
    ranker: Ranker,
    training: Sequence[Document],
    aside: Sequence[Document],
    maker: BatchMaker,
    context: FeatureContext,
    advance: Advance = lambda amount: None,
) -> CellModel | None:
    """Fit NIL on made-up tables and the threshold of cells on others; None where no cell of them has a candidate."""
    kb, drafted = context.kb, replace(ranker, cells=CellModel())
    told = [_nil_columns(drafted, batch, kb, context) for batch in _batches(training, maker, advance)]
    columns, is_nil = (np.concatenate(parts) for parts in zip(*told, strict=True))
    if not len(is_nil):
        return None
    model = CellModel(nil=fit_nil(columns, is_nil))
    fitted = replace(ranker, cells=model)
    held_out = list(_batches(aside, maker))
    found = [outcomes(fitted, batch, kb, context) for batch in held_out]
    probability, right, has_answer = (np.concatenate(parts) for parts in zip(*found, strict=True))
    model = replace(model, threshold=best_threshold(probability, right, has_answer))
    reports = compare_reports(replace(ranker, cells=model), held_out, kb, context)
    reliability = reliability_report(probability[has_answer], right[has_answer])
    made_up = {"tables": len(aside), "mentions": len(right), **reliability}
    about = {"training": {"tables": len(training)}, "made_up": made_up, "reports": reports}
    return replace(model, about=about)


def _batches(tables: Iterable[Document], maker: BatchMaker, advance: Advance = lambda amount: None) -> Iterator[Batch]:
    """Yield the batches of made-up tables, without what is not to be found."""
    for chunk in batches_of(tables, _CHUNK):
        yield without_removed(maker.make(chunk), maker.kb)
        advance(len(chunk))


def _nil_columns(
    ranker: Ranker, batch: Batch, kb: KB, context: FeatureContext
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return the NIL features of cells with candidates [b, g], and a mask of those without a right one [b]."""
    ranking = rank_batch(ranker, batch, context)
    groups = ranking.groups
    assert ranking.cells is not None
    choice = softmax(dot(ranking.features, ranker.rounds[-1].choice) + ranking.cells.utility, groups.bounds)
    cells, columns = ranking.cells.nil_features(nil_features(groups, ranking.features, choice), choice)
    right = np.bincount(groups.group, weights=gold_rows(batch, kb)[groups.table_row], minlength=len(groups))
    return columns, right[cells] == 0


def compare_reports(ranker: Ranker, batches: Iterable[Batch], kb: KB, context: FeatureContext) -> dict[str, int]:
    """Count the types and relations that are reported of made-up tables, and those that the right answers would report, too."""
    counts: Counter[str] = Counter({"types": 0, "types_right": 0, "relations": 0, "relations_right": 0})
    for batch in batches:
        entity = _answers(ranker, batch, context)
        gold = kb.indices_of([mention.gold[0] if mention.gold else "" for mention in batch.mentions]).tolist()
        for _, first, last in batch.document_spans():
            mentions = batch.mentions[first:last]
            said, right = (_reported(kb, mentions, answers[first:last]) for answers in (entity, gold))
            counts.update(types=len(said[0]), types_right=len(said[0] & right[0]))
            counts.update(relations=len(said[1]), relations_right=len(said[1] & right[1]))
    return dict(counts)


def _answers(ranker: Ranker, batch: Batch, context: FeatureContext) -> list[int]:
    """Return the entity that each mention is linked to; -1 for none."""
    ranking = rank_batch(ranker, batch, context)
    rule = DecisionRule(ranker.threshold, exact=True, cells=ranker.cell_threshold)
    decisions = decide(batch, Scored(ranking.candidate_probability), method_named("selftrained"), rule)
    entity = np.full(len(batch.mentions), -1)
    linked = np.flatnonzero(decisions.linked)
    entity[linked] = batch.table.entity[decisions.order[decisions.bounds[:-1][linked]]]
    return entity.tolist()


def _reported(kb: KB, mentions: Sequence[Mention], entities: Sequence[int]) -> tuple[set[Any], set[Any]]:
    """Return what is reported of a table with these answers: its columns with their types, its relations."""
    columns = {mention.col: str(mention.col) for mention in mentions if mention.col is not None}
    answers = zip(mentions, entities, strict=True)
    cells = ((mention.row or 0, mention.col or 0, entity if entity >= 0 else None) for mention, entity in answers)
    report = report_cells(kb, columns, cells)
    types = {(each.column, each.id) for each in report.types if each.id}
    return types, {(each.subject, each.object, each.id) for each in report.relations}


def evidence_of(kb: KB) -> Evidence:
    """Return the evidence that a KB keeps, and collect what it does not keep yet; once for each KB that is open."""
    return kb.cached(_collect_evidence)


def _collect_evidence(kb: KB) -> Evidence:
    kept = Evidence.of(kb)
    return Evidence(
        kept.attributes or count_attributes(kb),
        kept.profiles or collect_profiles(kb, kb.spelled_names),
        kept.hubs or hubs_of(kb, Sampler(kb, np.random.default_rng(0)).popularity),
        kept.kinds or kinds_of(kb),
    )
