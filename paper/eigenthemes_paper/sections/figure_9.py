"""Figure 9: candidates T and exponent δ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, pairwise
from typing import TYPE_CHECKING

from eigenthemes.core.progress import Advance
from eigenthemes_paper.drawing import LINE_COLORS, common_legend, log_ticks, new_figure
from eigenthemes_paper.mention_scores import GoldMentions, MentionScores
from eigenthemes_paper.plan import PAPER_OPTIONS, Section, SectionPlan, candidate_options
from eigenthemes_paper.rows import GROUPS, SLACK, Claim, Row, Rows, by, judge
from eigenthemes_paper.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Evaluate the number of candidates and the exponent of the weights, easy and hard mentions apart.

    What is easy and what is hard is decided once, among all candidates: every point of a line counts the same mentions.
    """
    candidates = candidate_options(planned)
    for name in workspace.available(planned.sets):
        everything = workspace.batches(name, **{**candidates, "max_candidates": None})
        difficulty = GoldMentions.of(everything, workspace.kb_of(name)).difficulty
        for limit in planned.options["limits"]:
            for delta in planned.options["deltas"]:
                run = workspace.run(name, ["eigen"], delta=float(delta), **{**candidates, "max_candidates": limit})
                scores = replace(MentionScores.of(run), difficulty=difficulty)
                yield {"set": name, **scores.metrics("eigen"), "limit": limit, "delta": delta}
            advance(1 / len(planned.options["limits"]))


def draw(rows: Sequence[Row]) -> Figure:
    sets = by(rows, "set")
    columns = [*((f"{group}_p_at_1", f"{group}: P@1") for group in GROUPS), ("overall_mrr", "overall: MRR")]
    figure = new_figure(13, 2.6 * len(sets) + 0.5)
    grid = figure.subplots(len(sets), len(columns), squeeze=False)
    for line, (name, of_set) in zip(grid, sets.items(), strict=True):
        for axes, (metric, title) in zip(line, columns, strict=True):
            for color, (delta, of_delta) in zip(cycle(LINE_COLORS), by(of_set, "delta").items(), strict=False):
                x = [row["limit"] for row in of_delta]
                axes.plot(x, [row[metric] for row in of_delta], "o-", markersize=3, color=color, label=f"δ = {delta}")
            log_ticks(axes, x)
            axes.set(title=f"{name}, {title}", xlabel="T")
    common_legend(figure, grid.ravel().tolist())
    return figure


def claims(rows: Sequence[Row]) -> list[Claim]:
    def one_is_best(of_set: list[Row]) -> tuple[bool, str] | None:
        values = {row["delta"]: row["overall_p_at_1"] for row in of_set if row["limit"] == 20}
        if 1 not in values:
            return None
        best = max(values, key=lambda delta: values[delta])
        return values[1] >= values[best] - SLACK, f"{values[1]:.3f}; best {values[best]:.3f} with {best}"

    def graceful(of_set: list[Row]) -> tuple[bool, str] | None:
        values = {row["limit"]: row["overall_p_at_1"] for row in of_set if row["delta"] == 1}
        if not {5, 100} <= set(values):
            return None
        return values[100] >= values[5] - 0.02, f"{values[5]:.3f} with 5 candidates, {values[100]:.3f} with 100"

    def easy_gains(of_set: list[Row]) -> tuple[bool, str] | None:
        values = {row["delta"]: row["easy_p_at_1"] for row in of_set if row["limit"] == 20}
        ordered = [values[delta] for delta in sorted(values)]
        return (all(a <= b + SLACK for a, b in pairwise(ordered)), "") if len(values) > 1 else None

    def hard_peaks(of_set: list[Row]) -> tuple[bool, str] | None:
        values = {row["delta"]: row["hard_p_at_1"] for row in of_set if row["limit"] == 20}
        if 1 not in values:
            return None
        numbers = ", ".join(f"δ {delta}: {values[delta]:.3f}" for delta in sorted(values))
        return max(values, key=lambda delta: values[delta]) == 1, numbers

    return [
        judge("δ = 1 is the best with 20 candidates (or within half a point)", rows, one_is_best),
        judge("with δ = 1 more candidates do little harm (at most 2 points from 5 to 100)", rows, graceful),
        judge("a larger δ is always better for easy mentions", rows, easy_gains),
        judge("hard mentions improve until δ = 1 and decline beyond", rows, hard_peaks),
    ]


SECTION = Section(
    title="Figure 9: candidates T and exponent δ",
    about="Weighted Eigenthemes. What is easy and what is hard is decided among all candidates, so every point of a line "
    "counts the same mentions.",
    compute=compute,
    draw=draw,
    claims=claims,
    options={**PAPER_OPTIONS, "limits": [1, 2, 5, 10, 20, 50, 100], "deltas": [0.25, 0.5, 1, 2, 4]},
)
