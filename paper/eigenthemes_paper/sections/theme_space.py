"""Candidates as points: where they lie on the two strongest themes of their document (figures 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from eigenthemes.kb.store import KB
from eigenthemes.pipeline.batch import Batch, gold_rows
from eigenthemes.ranking.candidate_map import project
from eigenthemes_paper.rows import Row, Rows
from eigenthemes_paper.workspace import eigen_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def points_of(batch: Batch, kb: KB, set_name: str) -> Rows:
    """Yield each distinct candidate of a document, projected on the two strongest themes of its weighted subspace."""
    assert batch.vectors is not None
    table = batch.table
    has = batch.vectors.has[table.entity]
    weights = eigen_weights(batch, kb, has)[has].astype(np.float32)
    entities, vectors = table.entity[has], batch.vectors.rows[table.entity[has]]
    if not len(entities):
        return
    points, _ = project(vectors, weights)
    gold = set(table.entity[gold_rows(batch, kb)].tolist())
    for row in np.unique(entities, return_index=True)[1].tolist():
        entity = int(entities[row])
        yield {
            "set": set_name,
            "vectors": batch.vectors.name,
            "document": str(batch.documents[0].id),
            "entity": kb.id_of(entity),
            "label": kb.label_of(entity),
            "mention": batch.mentions[int(table.mention_of[has][row])].text,
            "gold": entity in gold,
            "x": round(float(points[row, 0]), 5),
            "y": round(float(points[row, 1]), 5),
        }


def scatter(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw candidates as circles, gold ones as triangles."""
    for gold, marker, color, size, label in (
        (False, "o", "#9ecae1", 12, "other candidates"),
        (True, "^", "#e6550d", 34, "gold"),
    ):
        x, y = ([row[axis] for row in rows if row["gold"] is gold] for axis in ("x", "y"))
        axes.scatter(x, y, s=size, c=color, marker=marker, alpha=0.8, linewidths=0, label=label)
