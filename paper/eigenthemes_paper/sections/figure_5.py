"""Figure 5: the pipeline. A drawing without rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eigenthemes_paper.drawing import new_figure
from eigenthemes_paper.plan import Section
from eigenthemes_paper.rows import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STEPS = (
    ("document", "names m in\ntext or table"),
    ("candidates C(m)", "entities whose\nnames have all\nwords of m;\nat most T, by prior"),
    ("matrices E, W", "a row of E for\neach candidate,\nof unit length;\nweights rank$^{-δ}$"),
    ("subspace", "top k eigenvectors V\nof E$^T$W²E, and\ntheir strengths Σ:\nthe eigenthemes"),
    ("scores", "‖ e V Σ ‖ of\neach candidate e"),
    ("links", "for each m the\ncandidate nearest\nto the subspace"),
)


def draw(rows: Sequence[Row]) -> Figure:
    from matplotlib.patches import FancyBboxPatch

    figure = new_figure(12.5, 2.1)
    axes = figure.subplots()
    axes.set(xlim=(-0.5, len(_STEPS) - 0.5), ylim=(-0.75, 0.75))
    axes.axis("off")
    for x, (name, text) in enumerate(_STEPS):
        color = "#fff0e0" if name == "subspace" else "#f0f4f8"
        axes.add_patch(FancyBboxPatch((x - 0.38, -0.6), 0.76, 1.2, "round,pad=0.02", facecolor=color, edgecolor="#888888"))
        axes.text(x, 0.42, name, ha="center", va="center", fontsize=9.5, fontweight="bold")
        axes.text(x, -0.12, text, ha="center", va="center", fontsize=8.5)
        if x:
            axes.annotate("", (x - 0.4, 0), (x - 0.6, 0), arrowprops={"arrowstyle": "-|>", "color": "#555555"})
    return figure


SECTION = Section(
    title="Figure 5: the pipeline",
    about="From a document to its links: candidates, their vectors, the weighted subspace, the nearest candidate of each name.",
    draw=draw,
)
