"""Density of the graphs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from eigenthemes.core.progress import Advance
from eigenthemes_paper.drawing import LINE_COLORS, new_figure
from eigenthemes_paper.plan import Section, SectionPlan
from eigenthemes_paper.rows import DIVIDER, Claim, Row, Rows, Table, judge
from eigenthemes_paper.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPER_DENSITIES = {
    "IMDb": 4.5,
    "Wikidata with English pages": 5.5,
    "SNOMED": 7.1,
    "Wikidata": 12.5,
    "Freebase": 16.0,
    "DBpedia": 26.0,
}


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Measure how dense the graphs are, and how their degrees are distributed."""
    for kb_name in sorted({workspace.plan.sets[name].kb for name in workspace.available(planned.sets)}):
        graph = workspace.kb(kb_name).graph
        if not graph.edges:
            continue
        degree = np.sort(graph.degree)
        points = np.unique(np.geomspace(1, max(1, int(degree[-1])), 60).round().astype(int))
        at_least = 1 - np.searchsorted(degree, points) / len(degree)
        yield {
            "kb": kb_name,
            "nodes": len(graph),
            "edges": int(graph.edges),
            "density": graph.edges / len(graph),
            "median_degree": float(np.median(degree)),
            "degree": points.tolist(),
            "share_at_least": at_least.round(6).tolist(),
        }
    advance(len(planned.sets))


def draw(rows: Sequence[Row]) -> Figure:
    figure = new_figure(11, 4)
    left, right = figure.subplots(1, 2)
    for color, row in zip(cycle(LINE_COLORS), rows, strict=False):
        left.loglog(row["degree"], np.maximum(row["share_at_least"], 1e-7), ".-", color=color, label=row["kb"])
    left.set(xlabel="degree (distinct neighbours)", ylabel="share of nodes with at least that degree", ylim=(1e-6, 1.5))
    left.legend()
    density = {row["kb"]: row["density"] for row in rows}
    density |= {f"{name} (paper)": value for name, value in PAPER_DENSITIES.items()}
    ordered = sorted(density, key=lambda name: density[name])
    colors = ["#bbbbbb" if name.endswith("(paper)") else "#e6550d" for name in ordered]
    right.barh(ordered, [density[name] for name in ordered], color=colors)
    right.set(xlabel="edges a node")
    return figure


def tables(rows: Sequence[Row]) -> list[Table]:
    ours: list[tuple[str, ...]] = [
        (row["kb"], f"{row['nodes']:,}", f"{row['edges']:,}", f"{row['density']:.1f}", f"{row['median_degree']:.0f}")
        for row in rows
    ]
    theirs = [(name, "", "", f"{density:.1f}", "") for name, density in PAPER_DENSITIES.items()]
    return [Table("", ("graph", "nodes", "edges", "edges a node", "median degree"), [*ours, DIVIDER, *theirs])]


def claims(rows: Sequence[Row]) -> list[Claim]:
    def is_sparse(of_kb: list[Row]) -> tuple[bool, str]:
        density = of_kb[0]["density"]
        return density <= 7.1, f"{density:.1f}"

    statement = "the graph is as sparse as those of the paper's special domains (at most 7.1)"
    return [judge(statement, rows, is_sparse, key="kb")]


SECTION = Section(
    title="Density of the graphs",
    about="Edges divided by nodes, beside the paper's figures, and how many nodes have at least a degree.",
    compute=compute,
    draw=draw,
    tables=tables,
    claims=claims,
    method=None,
)
