"""Where candidates lie: on the first two themes of a document, and how near the right ones are to its subspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from eigenthemes.build import build_kb
from eigenthemes.core.progress import Advance
from eigenthemes.documents.reader import read_gold
from eigenthemes.kb.store import KB
from eigenthemes.kg.demo import DOCUMENTS, SMALL
from eigenthemes.metrics.significance import paired_bootstrap
from eigenthemes.ranking.baselines import candidate_weights
from eigenthemes.ranking.batch import Batch, batch_maker, gold_rows
from eigenthemes.ranking.methods import METHODS, MethodOptions
from eigenthemes.ranking.subspace import fit_subspace
from eigenthemes.reproduction.earnings import Row
from eigenthemes.reproduction.lab import Lab
from eigenthemes.reproduction.plan import SectionPlan

Rows = Iterator[Row]

_FIGURE_1 = "machine-learning"  # the paper's: "Michael Jordan" beside names of machine learning


def demo_space(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """Figure 1, right: the candidates of the demo's document; gold ones lie together."""
    with TemporaryDirectory() as folder:
        kb = build_kb([SMALL], Path(folder) / "demo.kb", train=False, seed=lab.plan.seed)
        documents = [document for document in read_gold(DOCUMENTS["small"]) if document.id == _FIGURE_1]
        yield from _points(batch_maker(kb, needs_vectors=True).make(documents), kb, "demo")
    advance(1)


def sample_spaces(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """Figure 2: the candidates of documents drawn at random on the first two themes."""
    for name in lab.sets(planned.sets):
        kb = lab.kb_of(name)
        makes = batch_maker(kb, needs_vectors=True, generator=planned.options["generator"])
        order = np.random.default_rng(lab.plan.seed).permutation(len(lab.documents(name)))
        shown = 0
        for number in order.tolist():
            batch = makes.make([lab.documents(name)[number]])
            found = len(np.unique(batch.table.mention_of[gold_rows(batch, kb)]))
            if planned.options["least"] <= found <= planned.options["most"]:
                yield from _points(batch, kb, name)
                shown += 1
            if shown == planned.options["documents"]:
                break
        advance(1)


def _points(batch: Batch, kb: KB, name: str) -> Rows:
    """Each distinct candidate of a document, projected on the two strongest themes of its weighted subspace."""
    assert batch.vectors is not None
    table = batch.table
    has = batch.vectors.has[table.entity]
    weights = candidate_weights(batch, kb, MethodOptions(), has)[has].astype(np.float32)
    entity, vectors = table.entity[has], batch.vectors.rows[table.entity[has]]
    if not len(entity):
        return
    places = vectors @ fit_subspace(vectors, weights, 2).components.T
    places *= np.where(weights @ places < 0, -1, 1)  # a component may point either way: most candidates lie to the right
    gold = set(table.entity[gold_rows(batch, kb)].tolist())
    for row in np.unique(entity, return_index=True)[1].tolist():
        each = int(entity[row])
        yield {
            "set": name,
            "document": str(batch.documents[0].id),
            "entity": kb.id_of(each),
            "label": kb.label_of(each),
            "mention": batch.mentions[int(table.mention_of[has][row])].text,
            "gold": each in gold,
            "x": round(float(places[row, 0]), 5),
            "y": round(float(places[row, 1]), 5) if places.shape[1] > 1 else 0.0,
        }


def gold_score(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """(G - N) / N: how much nearer to the subspace the gold entity of a mention is than its other candidates on average.

    The interval is bootstrapped over documents, whose mentions share a subspace.
    """
    for name in lab.sets(planned.sets):
        ratios, documents = [], []
        for number, batch in enumerate(lab.batches(name, generator=planned.options["generator"])):
            ratio, document = _relative(batch, lab.kb_of(name))
            ratios.append(ratio)
            documents.append(document + number * len(lab.documents(name)))
        ratio, document = np.concatenate(ratios), np.concatenate(documents)
        if len(ratio):
            low, high = paired_bootstrap(ratio, np.zeros_like(ratio), document, seed=lab.plan.seed)
            yield {"set": name, "mentions": len(ratio), "relative_score": float(ratio.mean()), "low": low, "high": high}
        advance(1)


def _relative(batch: Batch, kb: KB) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """(G - N) / N of the mentions that have a gold candidate with a vector and another one, and their documents."""
    assert batch.vectors is not None
    table = batch.table
    scores, is_gold = METHODS["eigen"](batch, kb, MethodOptions()), gold_rows(batch, kb)
    has = batch.vectors.has[table.entity]

    def mean(of: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        count = np.bincount(table.mention_of[of], minlength=table.mentions)
        return np.bincount(table.mention_of[of], weights=scores[of], minlength=table.mentions) / np.maximum(count, 1), count

    gold, golds = mean(has & is_gold)
    other, others = mean(has & ~is_gold)
    both = (golds > 0) & (others > 0) & (other > 0)
    document = np.repeat(np.arange(len(batch.documents)), np.diff(batch.mention_bounds))
    return (gold[both] - other[both]) / other[both], document[both]
