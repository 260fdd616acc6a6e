"""Comparison of methods on documents with gold: candidates are found once, every method scores them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.checks import check_arguments, check_probability
from eigenthemes.core.progress import Advance
from eigenthemes.core.threads import hold_blas_to_one_thread
from eigenthemes.errors import OptionError, SourceError
from eigenthemes.kb.store import KB
from eigenthemes.metrics.calibration import summarize_confidence
from eigenthemes.metrics.precision import (
    DIFFICULTIES,
    by_document,
    compare,
    credit,
    difficulty,
    gold_ranks,
    recall_at,
    summarize,
)
from eigenthemes.names.generator import CandidateOptions
from eigenthemes.names.name_memory import name_memories
from eigenthemes.pipeline.batch import BATCH, Batch, BatchMaker, batch_maker, batches_of, gold_of, gold_rows, has_gold
from eigenthemes.ranking.decide import DecisionRule, Decisions, decide
from eigenthemes.ranking.methods import Method, Scored, method_named, scoring_options
from eigenthemes.ranking.ranker import ranker_of
from eigenthemes.records import Document, Mention

Columns = dict[str, Any]

_MANY = 100  # names for which kernels are loaded
_SETTINGS = ("k", "delta", "weights")  # options of methods that are shown beside their figures


@dataclass(slots=True)
class MethodScores:
    """The scores of a method on each mention with gold; all arrays are [mentions].

    Attributes
    ----------
    p_at_1
        Precision@1; candidates with the same score share it.
    reciprocal_rank
        Of the first gold candidate; 0: there is none.
    predicted
        The best candidate, as a number of the KB; -1: there is none.
    probability
        Of the best candidate; empty unless the method is calibrated.
    linked
        Whether a link was given; empty unless the method is calibrated.
    threshold, cell_threshold
        The least probability of a link, and that of a cell of a table, where it is another.
    settings
        Vectors, generator, T and options of the method.
    seconds
        Time for scoring.
    """

    p_at_1: NDArray[np.float64]
    reciprocal_rank: NDArray[np.float64]
    predicted: NDArray[np.int64]
    probability: NDArray[np.float64]
    linked: NDArray[np.bool_]
    threshold: float = 0.0
    cell_threshold: float | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(slots=True)
class Evaluation:
    """The result of `evaluate`: the mentions with gold, and the scores of each method on them.

    Attributes
    ----------
    kb
        The KB.
    ids
        The id of each document.
    mentions
        The mentions with gold; all arrays are about these.
    document
        The number of its document among `ids`.
    difficulty
        0 easy, 1 hard, 2 not found.
    in_kb
        Whether the KB has its gold.
    gold_rank
        Rank of its first gold candidate; 0: not found.
    methods
        Name of a method -> its scores.
    cells, trained_on, unknown, without_vector
        How many mentions are in tables; documents the KB was trained on, whose figures are too good; candidates given by
        documents that the KB does not have; and such that were left out because they have no vector.
    outside
        Gold ids that the KB does not have, with their mentions.
    seconds
        Time for finding candidates.
    """

    kb: KB
    ids: list[str | int | None]
    mentions: list[Mention]
    document: NDArray[np.int64]
    difficulty: NDArray[np.int8]
    in_kb: NDArray[np.bool_]
    gold_rank: NDArray[np.int64]
    methods: dict[str, MethodScores]
    cells: int = 0
    trained_on: int = 0
    unknown: int = 0
    without_vector: int = 0
    outside: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def summary(self, *, by_document: bool = False) -> dict[str, dict[str, Any]]:
        """Return method -> its figures, as `eval --json` prints them.

        Parameters
        ----------
        by_document
            The figures of each document, too.

        Returns
        -------
        dict
            "overall", "easy", "hard", "not_found", "macro", "gold_in_kb", "gold_nameless" (mentions whose gold has no name in
            the KB, so that no method finds it), "recall_at", "documents_per_second", "settings",
            "confidence" of a calibrated method, and "against": other method -> difference of P@1, its 95 % interval, p-value.
        """
        figures_of = {name: self._figures(scores, by_document) for name, scores in self.methods.items()}
        for one, other in combinations(self.methods, 2):
            there = compare(self.methods[one].p_at_1, self.methods[other].p_at_1, self.document)
            figures_of[one]["against"][other] = there
            back = {"difference": -there["difference"], "low": -there["high"], "high": -there["low"]}
            figures_of[other]["against"][one] = {**back, "p_value": there["p_value"]}
        return figures_of

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row of figures and settings for each method, e.g. for `pandas.DataFrame`."""
        rows = []
        for name, figures in self.summary().items():
            row: dict[str, Any] = {"method": name, **figures["settings"], "documents": figures["macro"]["documents"]}
            for part in ("overall", "easy", "hard", "not_found", "macro", "gold_in_kb"):
                prefix = "" if part == "overall" else f"{part}_"
                row |= {f"{prefix}{key}": value for key, value in figures[part].items() if key != "documents"}
            rows.append({**row, "documents_per_second": figures["documents_per_second"]})
        return rows

    def mention_rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each mention and method: what was predicted, and what it scored."""
        for number, mention in enumerate(self.mentions):
            shared = {
                "document": self.ids[self.document[number]],
                "mention": mention.text,
                "start": mention.start,
                "row": mention.row,
                "col": mention.col,
                "gold": list(mention.gold or ()),
                "difficulty": DIFFICULTIES[self.difficulty[number]],
                "in_kb": bool(self.in_kb[number]),
                "gold_rank": int(self.gold_rank[number]) or None,
            }
            for name, scores in self.methods.items():
                predicted = int(scores.predicted[number])
                yield {
                    **shared,
                    "method": name,
                    "predicted": None if predicted < 0 else self.kb.id_of(predicted),
                    "label": None if predicted < 0 else self.kb.label_of(predicted),
                    "p_at_1": float(scores.p_at_1[number]),
                    "reciprocal_rank": float(scores.reciprocal_rank[number]),
                    "probability": float(scores.probability[number]) if len(scores.probability) else None,
                    "linked": bool(scores.linked[number]) if len(scores.linked) else None,
                }

    def check_gold(self, name: str) -> None:
        """Refuse a set of documents whose figures mean nothing: they would be zeros, as of methods that fail."""
        if not self.mentions:
            raise SourceError(
                f'no mention of {name} has gold to compare with; give documents whose mentions have "gold"',
                code="no-gold",
                where=name,
            )
        if not self.in_kb.any():
            example = next(mention.gold[0] for mention in self.mentions if mention.gold)
            raise SourceError(
                f"no gold id of {name} is in the KB (they are like {example}, the KB's are like {self.kb.id_of(0)}); "
                "check that the gold is for this KB, or give it the KB's ids",
                code="gold-of-another-kb",
                where=name,
            )

    @property
    def nameless(self) -> NDArray[np.bool_]:
        """Return a mask of the mentions whose gold is in the KB without a name [mentions]."""
        golds = ([self.kb.index_of(gold) for gold in mention.gold or ()] for mention in self.mentions)
        known = ([index for index in gold if index is not None] for gold in golds)
        return np.array([bool(gold) and not self.kb.linkable[gold].any() for gold in known], bool)

    def _figures(self, scores: MethodScores, documents: bool) -> dict[str, Any]:
        columns: tuple[Any, ...] = (self.document, scores.p_at_1, scores.reciprocal_rank, self.difficulty)
        figures: dict[str, Any] = summarize(*columns)
        figures["gold_in_kb"] = summarize(*(column[self.in_kb] for column in columns))["overall"]
        figures["gold_nameless"] = {"mentions": int(self.nameless.sum())}
        figures["recall_at"] = {str(k): share for k, share in recall_at(self.gold_rank).items()}
        figures["documents_per_second"] = len(self.ids) / max(1e-9, self.seconds + scores.seconds)
        figures["settings"] = scores.settings
        if len(scores.probability):
            of_cells = {"cell_threshold": scores.cell_threshold} if self.cells and scores.cell_threshold is not None else {}
            summary = summarize_confidence(scores.probability, scores.p_at_1, self.in_kb, scores.linked)
            figures["confidence"] = {"threshold": scores.threshold, **of_cells, **summary}
        figures["against"] = {}
        if documents:
            seen = np.unique(self.document).tolist()
            rows = zip(seen, by_document(*columns), strict=True)
            figures["documents"] = [{"id": self.ids[number], **row} for number, row in rows]
        return figures


def with_same(documents: Iterable[Document], same: Sequence[tuple[str, str]]) -> Iterator[Document]:
    """Yield documents whose gold also is what pairs of ids call the same entity, directly or by others."""
    group_of: dict[str, set[str]] = {}
    for one, other in same:
        group = group_of.get(one, {one}) | group_of.get(other, {other})
        group_of.update(dict.fromkeys(group, group))
    for document in documents:
        mentions = [
            replace(mention, gold=tuple(dict.fromkeys(chain(gold, *(sorted(group_of.get(each, ())) for each in gold)))))
            if (gold := mention.gold)
            else mention
            for mention in document.mentions or ()
        ]
        yield replace(document, mentions=tuple(mentions)) if document.mentions else document


@check_arguments
def evaluate(
    kb: KB | str | Path,
    documents: Iterable[Document],
    methods: Sequence[str] | Mapping[str, Method | str],
    *,
    scoring: Mapping[str, Any] | None = None,
    candidates: CandidateOptions | None = None,
    vectors: str | None = None,
    threshold: float | None = None,
    ties: str = "share",
    advance: Advance = lambda amount: None,
) -> Evaluation:
    """Compare methods on documents whose mentions have gold.

    Parameters
    ----------
    kb
        The KB, or its folder.
    documents
        Mentions without gold take part in their document, and are not counted.
    methods
        Names of methods; or any name -> the name of a method, or a `Method`, such as your own.
    scoring
        Option name -> value, for the methods that use it; one that none of them uses is refused.
    candidates
        Options of the candidate generator.
    vectors
        The set of vectors; None: the KB's first one.
    threshold
        Least probability of a link, for calibrated methods; None: that of the KB's ranker.
    ties
        "share": candidates with the same score share the credit; "authors": each of them counts as right.
    advance
        Called with the number of documents that were evaluated.

    Returns
    -------
    Evaluation
        Scores of each mention, with `summary()`, `to_rows()` and `mention_rows()`.

    Examples
    --------
    >>> mine = Method(lambda batch, kb, options: -batch.table.rank.astype(float))
    >>> evaluate("my.kb", read_documents("gold.jsonl"), {"degree": "degree", "mine": mine}).summary()
    """
    kb = kb if isinstance(kb, KB) else KB.open(kb)
    chosen = _chosen(methods)
    options = scoring_options(chosen, scoring or {})
    _check_threshold(threshold, chosen)
    candidates = candidates or CandidateOptions()
    makers = _batch_makers(kb, chosen, candidates, vectors)
    first_maker = next(iter(makers.values()))
    vectors = None if first_maker.vectors is None else first_maker.vectors.name
    rules = {name: _decision_rule(method, kb, vectors, threshold) for name, method in chosen.items()}
    for name, method in chosen.items():
        method.make_ready(kb, options[name])
    memory = name_memories(kb)
    ids, mentions, totals = list[str | int | None](), list[Mention](), Counter[str]()  # fields of the result
    gold_parts, score_parts = list[Columns](), {name: list[Columns]() for name in chosen}
    finding, seconds = 0.0, dict.fromkeys(chosen, 0.0)

    def add(some: Sequence[Document]) -> None:
        """Score some documents by all methods."""
        nonlocal finding
        start = time.perf_counter()
        first = first_maker.make(some)
        finding += time.perf_counter() - start
        batches = _make_batches(makers, some, first)
        gold_parts.append(_gold_columns(first, kb, len(ids)))
        for name, method in chosen.items():
            batch = batches[method.calibrated, method.needs_vectors]
            start = time.perf_counter()
            scored = method(batch, kb, options[name])
            seconds[name] += time.perf_counter() - start
            score_parts[name].append(_score_columns(batch, kb, method, scored, rules[name], ties))
        mentions.extend(mention for mention in first.mentions if mention.gold)
        totals.update(
            cells=int(first.is_cell.sum()),
            unknown=sum(map(len, first.unknown.values())),
            trained_on=0 if memory is None else sum(document in memory for document in some),
            without_vector=max(batch.without_vector for batch in batches.values()),
        )

    hold_blas_to_one_thread()
    first_maker.generator.find_batch([""] * _MANY)
    add([Document(mentions=())])
    finding, seconds = 0.0, dict.fromkeys(chosen, 0.0)  # what is loaded at first use is nobody's time
    for some in batches_of(documents, BATCH):
        add(some)
        ids += [document.id for document in some]
        advance(len(some))
    columns = _joined(gold_parts)
    known = columns["in_kb"].tolist()
    outside = Counter(mention.gold[0] for mention, in_kb in zip(mentions, known, strict=True) if mention.gold and not in_kb)
    scores = {
        name: MethodScores(
            **_joined(score_parts[name]),
            threshold=rules[name].threshold,
            cell_threshold=rules[name].cells,
            settings=_settings(method, method.effective(options[name]), candidates, vectors),
            seconds=seconds[name],
        )
        for name, method in chosen.items()
    }
    return Evaluation(kb, ids, mentions, **columns, methods=scores, **dict[str, Any](totals), outside=outside, seconds=finding)


def _chosen(methods: Sequence[str] | Mapping[str, Method | str]) -> dict[str, Method]:
    """Return the methods by name."""
    if isinstance(methods, str) or not methods:
        raise OptionError(
            f"methods is {methods!r}; expected a list of at least one, such as ['eigen', 'degree']", where="methods"
        )
    named = methods if isinstance(methods, Mapping) else dict(zip(methods, methods, strict=True))
    return {name: method if isinstance(method, Method) else method_named(method) for name, method in named.items()}


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


_Kind = tuple[bool, bool]  # of candidates that a method uses: incomplete names as well, and whether they need a vector


def _batch_makers(
    kb: KB, methods: Mapping[str, Method], candidates: CandidateOptions, vectors: str | None
) -> dict[_Kind, BatchMaker]:
    """Return a batch maker for all methods that use the same candidates.

    Whether a mention is easy or hard does not depend on the methods: it is decided by the candidates of the first maker, which
    leaves the lists that documents bring complete.
    """
    kinds = sorted({(method.calibrated, method.needs_vectors) for method in methods.values()}, reverse=True)
    return {
        kind: batch_maker(kb, needs_vectors=kind[1], candidates=candidates, vectors=vectors, incomplete=kind[0])
        for kind in dict.fromkeys([(kinds[0][0], False), *kinds])
    }


def _make_batches(makers: Mapping[_Kind, BatchMaker], documents: Sequence[Document], first: Batch) -> dict[_Kind, Batch]:
    """Return the batch of each kind; where documents bring no lists, methods that need vectors have the same as others."""
    has_lists = bool(first.brings_candidates.any())
    batches: dict[_Kind, Batch] = {}
    for (incomplete, needs_vectors), maker in makers.items():
        same = None if has_lists else batches.get((incomplete, not needs_vectors))
        batches[incomplete, needs_vectors] = same or (maker.make(documents) if batches else first)
    return batches


def _decision_rule(method: Method, kb: KB, vectors: str | None, threshold: float | None) -> DecisionRule:
    if threshold is not None or not method.calibrated:
        return DecisionRule(threshold or 0.0)
    ranker = ranker_of(kb, vectors)
    return DecisionRule(ranker.threshold, exact=True, cells=ranker.cell_threshold)


def _settings(method: Method, used: Any, candidates: CandidateOptions, vectors: str | None) -> dict[str, Any]:
    """Return the vectors, the generator and the options that a method used."""
    options = {name: getattr(used, name, None) for name in _SETTINGS}
    if hasattr(used, "k"):
        options["k"] = used.k or "all"
    return {
        "vectors": vectors if method.uses_vectors or candidates.generator == "paper" else None,
        "generator": candidates.generator,
        "max_candidates": candidates.max_candidates,
        **options,
    }


def _score_columns(batch: Batch, kb: KB, method: Method, scored: Scored, rule: DecisionRule, ties: str) -> Columns:
    """Return the columns of `MethodScores` about the mentions of a batch that have gold."""
    table, counted = batch.table, has_gold(batch)
    p_at_1, reciprocal = credit(
        table.mentions, table.mention_of, gold_rows(batch, kb), scored.scores, ties=ties, min_score=method.min_score
    )
    decisions = decide(batch, scored, method, rule)
    calibrated = counted & method.calibrated
    return {
        "p_at_1": p_at_1[counted],
        "reciprocal_rank": reciprocal[counted],
        "predicted": _best_entities(batch, decisions, method)[counted],
        "probability": np.nan_to_num(decisions.probability)[calibrated],
        "linked": decisions.linked[calibrated],
    }


def _best_entities(batch: Batch, decisions: Decisions, method: Method) -> NDArray[np.int64]:
    """Return the best candidate of each mention that is an answer [mentions]; -1: there is none."""
    best = np.full(batch.table.mentions, -1, np.int64)
    is_answer = decisions.scores[decisions.order] > method.min_score
    best[batch.table.mention_of[decisions.order[is_answer]]] = batch.table.entity[decisions.order[is_answer]]
    return best


def _gold_columns(batch: Batch, kb: KB, documents: int) -> Columns:
    """Return the columns of `Evaluation` about the mentions of a batch that have gold; documents: how many came before."""
    table = batch.table
    gold, is_gold = gold_of(batch, kb)
    counted = has_gold(batch)
    document = documents + np.repeat(np.arange(len(batch.documents)), np.diff(batch.mention_bounds))
    candidates = table.mentions, table.mention_of, table.rank, is_gold
    return {
        "document": document[counted],
        "difficulty": difficulty(*candidates)[counted],
        "in_kb": np.array([bool(each) for each in gold], dtype=bool)[counted],
        "gold_rank": gold_ranks(*candidates)[counted],
    }


def _joined(parts: Sequence[Columns]) -> Columns:
    """Return the columns of all parts, one behind the other."""
    return {name: np.concatenate([part[name] for part in parts]) for name in (parts[0] if parts else ())}
