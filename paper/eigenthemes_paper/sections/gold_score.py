"""The score of gold entities against that of the other candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.progress import Advance
from eigenthemes.kb.store import KB
from eigenthemes.metrics.precision import paired_bootstrap
from eigenthemes.pipeline.batch import Batch, gold_rows
from eigenthemes_paper.drawing import METHOD_COLORS, new_figure
from eigenthemes_paper.plan import Section, SectionPlan
from eigenthemes_paper.rows import Claim, Row, Rows, Table, judge
from eigenthemes_paper.workspace import Workspace, eigen_scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Compute (G - N) / N: how much nearer to the subspace gold is than the other candidates of a mention on average.

    The interval is bootstrapped over documents, whose mentions share a subspace.
    """
    for name in workspace.available(planned.sets):
        ratios, documents = [], []
        for number, batch in enumerate(workspace.batches(name, generator=planned.options["generator"], needs_vectors=True)):
            ratio, document = _relative_scores(batch, workspace.kb_of(name))
            ratios.append(ratio)
            documents.append(document + number * len(workspace.documents(name)))
        ratio, document = np.concatenate(ratios), np.concatenate(documents)
        if len(ratio):
            low, high = paired_bootstrap(ratio, np.zeros_like(ratio), document, seed=workspace.plan.seed)
            yield {"set": name, "mentions": len(ratio), "relative_score": float(ratio.mean()), "low": low, "high": high}
        advance(1)


def _relative_scores(batch: Batch, kb: KB) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return (G - N) / N of the mentions that have a gold candidate with a vector and another one, and their documents."""
    assert batch.vectors is not None
    table, scores, is_gold = batch.table, eigen_scores(batch, kb), gold_rows(batch, kb)
    has_vector = batch.vectors.has[table.entity]

    def mean_of(chosen: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        mention_of = table.mention_of[chosen]
        count = np.bincount(mention_of, minlength=table.mentions)
        return np.bincount(mention_of, weights=scores[chosen], minlength=table.mentions) / np.maximum(count, 1), count

    gold, golds = mean_of(has_vector & is_gold)
    other, others = mean_of(has_vector & ~is_gold)
    both = (golds > 0) & (others > 0) & (other > 0)
    document = np.repeat(np.arange(len(batch.documents)), np.diff(batch.mention_bounds))
    return (gold[both] - other[both]) / other[both], document[both]


def draw(rows: Sequence[Row]) -> Figure:
    figure = new_figure(6.5, 0.34 * len(rows) + 1.4)
    axes = figure.subplots()
    value = np.array([row["relative_score"] for row in rows])
    interval = [value - [row["low"] for row in rows], [row["high"] for row in rows] - value]
    axes.errorbar(value, range(len(rows)), xerr=interval, fmt="o", color=METHOD_COLORS["eigen"], capsize=3, label="here")
    axes.axvspan(0.78, 0.84, color="#cccccc", alpha=0.6, label="the paper, CoNLL-Test")
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(yticks=range(len(rows)), yticklabels=[row["set"] for row in rows], xlabel="(G − N) / N, 95 % interval")
    axes.invert_yaxis()
    axes.legend()
    return figure


def tables(rows: Sequence[Row]) -> list[Table]:
    lines = [
        (row["set"], f"{row['mentions']:,}", f"{row['relative_score']:.2f}", f"[{row['low']:.2f}, {row['high']:.2f}]")
        for row in rows
    ]
    return [Table("", ("set", "mentions", "(G − N) / N", "95 % interval"), lines)]


def claims(rows: Sequence[Row]) -> list[Claim]:
    def higher(of_set: list[Row]) -> tuple[bool, str]:
        row = of_set[0]
        return row["low"] > 0, f"{row['relative_score']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"

    return [judge("gold entities score higher than the average of the others (the interval is above 0)", rows, higher)]


SECTION = Section(
    title="The score of gold entities against that of other candidates",
    about="(G − N) / N for every mention with a gold candidate and another one: G is the score of the gold entity, N the "
    "average of the others. Interval: bootstrap over documents, 95 %. The paper: 0.81 [0.78, 0.84].",
    compute=compute,
    draw=draw,
    tables=tables,
    claims=claims,
    options={"generator": "paper"},
)
