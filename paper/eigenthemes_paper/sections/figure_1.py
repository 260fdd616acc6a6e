"""Figure 1, right: the candidates of a document, on its two strongest themes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenthemes.build import build_kb
from eigenthemes.core.progress import Advance
from eigenthemes.documents.reader import read_gold
from eigenthemes.kg.demo import DOCUMENTS, SMALL
from eigenthemes_paper.drawing import new_figure
from eigenthemes_paper.plan import Section, SectionPlan
from eigenthemes_paper.rows import Row, Rows
from eigenthemes_paper.sections.theme_space import points_of, scatter
from eigenthemes_paper.workspace import Workspace, batches_with_candidates

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DOCUMENT = "machine-learning"  # the paper's: "Michael Jordan" beside names of machine learning


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Project the candidates of the demo's document; gold ones lie together."""
    with TemporaryDirectory() as folder:
        kb = build_kb([SMALL], Path(folder) / "demo.kb", train=False, seed=workspace.plan.seed)
        documents = [document for document in read_gold(DOCUMENTS["small"]) if document.id == _DOCUMENT]
        for batch in batches_with_candidates(kb, documents, needs_vectors=True):
            yield from points_of(batch, kb, "demo")
    advance(1)


def draw(rows: Sequence[Row]) -> Figure:
    """Draw gold with its name where it lies; the other Michael Jordans, who lie together, are named in a column beside."""
    figure = new_figure(9.5, 5.6)
    axes = figure.subplots()
    scatter(axes, rows)
    for row in rows:
        if row["gold"]:
            _name_beside(axes, row)
    others = sorted((row for row in rows if not row["gold"] and row["mention"] == "Michael Jordan"), key=lambda row: row["y"])
    for height, row in zip(np.linspace(-0.35, 0.45, max(2, len(others))), others, strict=False):
        _name_in_column(axes, row, float(height))
    axes.set(xlabel="first theme", ylabel="second theme", title="Candidates of a text on machine learning")
    axes.set_xlim(left=-0.75)
    axes.margins(x=0.25)
    axes.legend(loc="upper left")
    return figure


def _name_beside(axes: Axes, row: Row) -> None:
    below = row["label"] == "Andrew Ng"  # beside Michael I. Jordan
    text: dict[str, Any] = {"textcoords": "offset points", "xytext": (6, -10 if below else 3), "fontsize": 8}
    axes.annotate(row["label"], (row["x"], row["y"]), color="#a63603", **text)


def _name_in_column(axes: Axes, row: Row, height: float) -> None:
    line: dict[str, Any] = {"arrowstyle": "-", "color": "#aaaaaa", "linewidth": 0.6}
    text: dict[str, Any] = {"xytext": (-0.22, height), "ha": "right", "va": "center", "fontsize": 8, "color": "#555555"}
    axes.annotate(row["label"], (row["x"], row["y"]), arrowprops=line, **text)


SECTION = Section(
    title="Figure 1 (right): the candidates of a document",
    about="The candidates of every name in the demo's text on machine learning, on the two strongest themes of the document. "
    "Triangles are what the names mean.",
    compute=compute,
    draw=draw,
)
