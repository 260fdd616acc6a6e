"""Figure 2: gold entities lie together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from eigenthemes.core.progress import Advance
from eigenthemes.kb.store import KB
from eigenthemes.pipeline.batch import Batch, gold_rows
from eigenthemes_paper.drawing import common_legend, grid_of_axes
from eigenthemes_paper.plan import Section, SectionPlan
from eigenthemes_paper.rows import Claim, Row, Rows, by, judge
from eigenthemes_paper.sections.theme_space import points_of, scatter
from eigenthemes_paper.workspace import Workspace, batches_with_candidates

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Project the candidates of documents drawn at random on the first two themes."""
    options = planned.options
    for name in workspace.available(planned.sets):
        kb, documents = workspace.kb_of(name), workspace.documents(name)
        order = np.random.default_rng(workspace.plan.seed).permutation(len(documents)).tolist()
        batches = batches_with_candidates(
            kb, (documents[i] for i in order), size=1, needs_vectors=True, generator=options["generator"]
        )
        suitable = (batch for batch in batches if options["least"] <= _found_gold(batch, kb) <= options["most"])
        for batch in islice(suitable, options["documents"]):
            yield from points_of(batch, kb, name)
        advance(1)


def _found_gold(batch: Batch, kb: KB) -> int:
    return len(np.unique(batch.table.mention_of[gold_rows(batch, kb)]))


def draw(rows: Sequence[Row]) -> Figure:
    documents = by(rows, "set", "document")
    figure, all_axes = grid_of_axes(len(documents), columns=5, width=2.8, height=2.8)
    for axes, ((name, document), points) in zip(all_axes, documents.items(), strict=True):
        scatter(axes, points)
        axes.set_title(f"{name}: {document[:22]}", fontsize=8)
        axes.set(xlabel="PC1", ylabel="PC2" if axes is all_axes[0] else "")
    common_legend(figure, all_axes)
    return figure


def claims(rows: Sequence[Row]) -> list[Claim]:
    def clustered(points: list[Row]) -> tuple[bool, str] | None:
        positions, gold = np.array([(row["x"], row["y"]) for row in points]), np.array([row["gold"] for row in points])
        if gold.sum() < 2 or gold.all():
            return None
        distance = np.linalg.norm(positions[:, None] - positions[None], axis=2)
        np.fill_diagonal(distance, np.inf)
        beside, chance = gold[distance[gold].argmin(axis=1)].mean(), (gold.sum() - 1) / (len(gold) - 1)
        return bool(beside > chance), f"{beside:.0%}, by chance {chance:.0%}"

    def outside(points: list[Row]) -> tuple[bool, str] | None:
        gold, other = (
            [float(np.hypot(row["x"], row["y"])) for row in points if row["gold"] is is_gold] for is_gold in (True, False)
        )
        if not gold or not other:
            return None
        return np.mean(gold) > np.mean(other), f"{np.mean(gold):.2f} against {np.mean(other):.2f}"

    documents = [{**row, "set": f"{row['set']}: {row['document']}"} for row in rows]
    return [
        judge("the nearest neighbour of a gold entity is gold, more often than by chance", documents, clustered),
        judge("gold entities reach further along the two themes than the others", documents, outside),
    ]


SECTION = Section(
    title="Figure 2: gold entities lie together",
    about="The candidates of documents drawn at random, on the first two components of their subspace. Triangles are gold.",
    compute=compute,
    draw=draw,
    claims=claims,
    options={"generator": "paper", "documents": 5, "least": 8, "most": 40},
)
