"""Methods against gold: candidates are found once, every method scores them, and what each mention scores is kept."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.options import CandidateOptions
from eigenthemes.candidates.rules import Sharing
from eigenthemes.core.checks import check_probability
from eigenthemes.core.progress import Advance
from eigenthemes.core.threads import one_thread
from eigenthemes.errors import OptionError, SourceError
from eigenthemes.kb.name_memory import name_memories
from eigenthemes.kb.store import KB
from eigenthemes.metrics.calibration import summarize_confidence
from eigenthemes.metrics.precision import by_document, credit, difficulty, recall_at, summarize
from eigenthemes.metrics.significance import compare
from eigenthemes.pipeline.batch import BATCH, Batch, BatchMaker, batch_maker, batches_of, gold_of, has_gold
from eigenthemes.ranking.decide import DecisionRule, decide
from eigenthemes.ranking.methods import Method, method_named, scoring_options
from eigenthemes.ranking.ranker import ranker_of
from eigenthemes.records import Document

_MANY = 100  # names for which kernels are loaded


@dataclass(slots=True)
class MethodScores:
    """The scores of a method per mention, and its time in seconds.

    probability  of the best candidate, by a calibrated method; 0 where there is none
    linked       was a link given? by a calibrated method
    """

    p_at_1: list[NDArray[np.float64]] = field(default_factory=list)
    reciprocal_rank: list[NDArray[np.float64]] = field(default_factory=list)
    probability: list[NDArray[np.float64]] = field(default_factory=list)
    linked: list[NDArray[np.bool_]] = field(default_factory=list)
    threshold: float = 0.0
    own_threshold: bool = False  # of the KB's ranker, not of somebody who asked for it
    cell_threshold: float | None = None  # of cells of tables; None: the same
    seconds: float = 0.0


@dataclass(slots=True)
class Run:
    """The mentions with gold of a set of documents, and what every method scored on them."""

    ids: list[str | int | None] = field(default_factory=list)
    document: list[NDArray[np.int64]] = field(default_factory=list)
    difficulty: list[NDArray[np.int8]] = field(default_factory=list)
    in_kb: list[NDArray[np.bool_]] = field(default_factory=list)
    first_rank: list[NDArray[np.int64]] = field(default_factory=list)  # of the first gold candidate; 0: not found
    cells: int = 0  # mentions in tables
    trained_on: int = 0  # documents that the KB remembers: their figures say nothing
    unknown: int = 0  # candidates that documents gave and the KB does not know
    outside: Counter[str] = field(default_factory=Counter)  # gold ids that the KB does not have, by mentions
    gold_example: str = ""
    seconds: float = 0.0  # finding the candidates
    methods: dict[str, MethodScores] = field(default_factory=dict)


def evaluate(
    kb: KB,
    documents: Iterable[Document],
    methods: Sequence[str] | Mapping[str, Method],
    *,
    scoring: Mapping[str, Any] | None = None,
    candidates: CandidateOptions | None = None,
    vectors: str | None = None,
    threshold: float | None = None,
    ties: str = "share",
    advance: Advance = lambda amount: None,
) -> Run:
    """Run methods over documents with gold: those of these names, or others that are no part of the product.

    Parameters
    ----------
    scoring
        Option name -> value, for the methods that use it; one that none of them uses is refused.
    """
    if isinstance(methods, str) or not methods:
        raise OptionError(
            f"methods is {methods!r}; expected a list of at least one, such as ['eigen', 'degree']", where="methods"
        )
    chosen = dict(methods) if isinstance(methods, Mapping) else {name: method_named(name) for name in methods}
    options = scoring_options(chosen, scoring or {})
    makers = _batch_makers(kb, chosen, candidates, vectors)
    batches = next(iter(makers.values()))
    _check_threshold(threshold, chosen)
    run = Run(methods={name: MethodScores() for name in chosen})
    for name, method in chosen.items():
        method.make_ready(kb, options[name])
        if method.calibrated:
            used = None if batches.vectors is None else batches.vectors.name
            ranker = ranker_of(kb, used)
            run.methods[name].threshold = ranker.threshold if threshold is None else threshold
            run.methods[name].own_threshold = threshold is None
            run.methods[name].cell_threshold = ranker.cell_threshold if threshold is None else None
    with one_thread():
        batches.generator.find_batch([""] * _MANY)  # what is loaded at first use is nobody's time
        nothing = batches.make([Document(mentions=())])
        for name, method in chosen.items():
            method(nothing, kb, options[name])
        memory = name_memories(kb)
        for some in batches_of(documents, BATCH):
            run.trained_on += 0 if memory is None else sum(document in memory for document in some)
            start = time.perf_counter()
            batch = batches.make(some)
            run.seconds += time.perf_counter() - start
            counted, is_gold = _note_gold(run, batch, kb)
            made = {sharing: _with_gold(maker.make(some), kb) for sharing, maker in makers.items() if maker is not batches}
            for name, method in chosen.items():
                own, own_gold = made.get(method.sharing, (batch, is_gold))
                _score(run.methods[name], own, kb, method, options[name], counted, own_gold, ties)
            advance(len(some))
    return run


def _batch_makers(
    kb: KB, methods: Mapping[str, Method], candidates: CandidateOptions | None, vectors: str | None
) -> dict[Sharing | None, BatchMaker]:
    """Return batch makers by the candidates that methods use; the one with most candidates comes first."""
    kinds = sorted({method.sharing for method in methods.values()}, key=lambda sharing: sharing is not None)
    needs_vectors = any(method.needs_vectors for method in methods.values())
    return {
        sharing: batch_maker(kb, needs_vectors=needs_vectors, candidates=candidates, vectors=vectors, sharing=sharing)
        for sharing in kinds
    }


def _with_gold(batch: Batch, kb: KB) -> tuple[Batch, NDArray[np.bool_]]:
    return batch, gold_of(batch, kb)[1]


def _check_threshold(threshold: float | None, methods: Mapping[str, Method]) -> None:
    if threshold is None:
        return
    check_probability("threshold", threshold)
    if not any(method.calibrated for method in methods.values()):
        raise OptionError(
            f"none of {', '.join(methods)} gives probabilities, so a threshold means nothing; leave it out",
            code="unused-option",
            where="threshold",
        )


def _score(
    scores: MethodScores,
    batch: Batch,
    kb: KB,
    method: Method,
    options: Any,
    counted: NDArray[np.bool_],
    is_gold: NDArray[np.bool_],
    ties: str,
) -> None:
    """Note what a method scores on a batch."""
    start = time.perf_counter()
    scored = method(batch, kb, options)
    scores.seconds += time.perf_counter() - start
    table = batch.table
    p_at_1, reciprocal = credit(table.mentions, table.mention_of, is_gold, scored.scores, ties=ties, min_score=method.min_score)
    scores.p_at_1.append(p_at_1[counted])
    scores.reciprocal_rank.append(reciprocal[counted])
    if method.calibrated:
        rule = DecisionRule(scores.threshold, exact=scores.own_threshold, cells=scores.cell_threshold)
        decisions = decide(batch, scored, method, rule)
        scores.probability.append(np.nan_to_num(decisions.probability)[counted])
        scores.linked.append(decisions.linked[counted])


def check_gold(run: Run, kb: KB, name: str) -> None:
    """Refuse a set of documents whose figures mean nothing: they would be zeros, as of methods that fail."""
    if not sum(map(len, run.document)):
        raise SourceError(
            f'no mention of {name} has gold, so there is nothing to compare with; give documents whose mentions have "gold"',
            code="no-gold",
            where=name,
        )
    if not any(part.any() for part in run.in_kb):
        raise SourceError(
            f"no gold id of {name} is in the KB (they are like {run.gold_example}, the KB's are like {kb.id_of(0)}); "
            "check that the gold is for this KB, or give it the KB's ids",
            code="gold-of-another-kb",
            where=name,
        )


def report(run: Run, *, documents: bool = False) -> dict[str, dict[str, Any]]:
    """Return the figures of each method, as `eval --json` prints them."""
    document, hard = _joined(run.document, np.int64), _joined(run.difficulty, np.int8)
    in_kb, rank = _joined(run.in_kb, np.bool_), _joined(run.first_rank, np.int64)
    recall = recall_at(len(rank), np.flatnonzero(rank), rank[rank > 0], np.ones(int((rank > 0).sum()), dtype=bool))
    figures_of: dict[str, dict[str, Any]] = {}
    for name, scores in run.methods.items():
        p_at_1, reciprocal = _joined(scores.p_at_1, np.float64), _joined(scores.reciprocal_rank, np.float64)
        figures: dict[str, Any] = summarize(document, p_at_1, reciprocal, hard)
        inside = summarize(document[in_kb], p_at_1[in_kb], reciprocal[in_kb], hard[in_kb])["overall"]
        figures["gold_in_kb"] = inside
        figures["recall_at"] = {str(k): share for k, share in recall.items()}
        figures["documents_per_second"] = len(run.ids) / max(1e-9, run.seconds + scores.seconds)
        if scores.probability:
            probability, linked = _joined(scores.probability, np.float64), _joined(scores.linked, np.bool_)
            of_cells = {"cell_threshold": scores.cell_threshold} if run.cells and scores.cell_threshold is not None else {}
            summary = summarize_confidence(probability, p_at_1, in_kb, linked)
            figures["confidence"] = {"threshold": scores.threshold, **of_cells, **summary}
        figures["against"] = {}
        if documents:
            rows = by_document(document, p_at_1, reciprocal, hard)
            seen = np.unique(document).tolist()
            figures["documents"] = [{"id": run.ids[i], **row} for i, row in zip(seen, rows, strict=True)]
        figures_of[name] = figures
    for one, other in combinations(run.methods, 2):
        p_one, p_other = (_joined(run.methods[name].p_at_1, np.float64) for name in (one, other))
        figures_of[one]["against"][other] = there = compare(p_one, p_other, document)
        figures_of[other]["against"][one] = {
            "difference": -there["difference"],
            "low": -there["high"],
            "high": -there["low"],
            "p_value": there["p_value"],
        }
    return figures_of


def _note_gold(run: Run, batch: Batch, kb: KB) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of mentions with gold [mentions] and of gold candidates [n], and record what all methods share."""
    table, bounds = batch.table, batch.mention_bounds
    gold, is_gold = gold_of(batch, kb)
    counted = has_gold(batch)
    document = len(run.ids) + np.repeat(np.arange(len(batch.documents)), np.diff(bounds))
    first = np.zeros(table.mentions, dtype=np.int64)
    at = np.flatnonzero(is_gold)[::-1]  # the first one stays
    first[table.mention_of[at]] = table.rank[at]
    run.document.append(document[counted])
    run.difficulty.append(difficulty(table.mentions, table.mention_of, table.rank, is_gold)[counted])
    run.in_kb.append(np.array([bool(each) for each in gold], dtype=bool)[counted])
    run.first_rank.append(first[counted])
    run.ids.extend(document.id for document in batch.documents)
    run.cells += int(batch.is_cell.sum())
    run.unknown += sum(map(len, batch.unknown.values()))
    outside = [mention.gold[0] for mention, known in zip(batch.mentions, gold, strict=True) if mention.gold and not known]
    run.outside.update(outside)
    if not run.gold_example:
        run.gold_example = next((mention.gold[0] for mention in batch.mentions if mention.gold), "")
    return counted, is_gold


def _joined(parts: list[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)
