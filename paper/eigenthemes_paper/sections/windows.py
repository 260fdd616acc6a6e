"""The window of the local context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eigenthemes.core.progress import Advance
from eigenthemes_paper.drawing import draw_lines_by_set
from eigenthemes_paper.mention_scores import MentionScores
from eigenthemes_paper.plan import PAPER_OPTIONS, Section, SectionPlan, candidate_options
from eigenthemes_paper.rows import SLACK, Claim, Row, Rows, judge
from eigenthemes_paper.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Evaluate how many words on each side make the best local context (the paper: 5)."""
    candidates = candidate_options(planned)
    for name in workspace.available(planned.sets):
        if workspace.is_readable(name):
            for window in planned.options["windows"]:
                local = MentionScores.of(workspace.run(name, ["local-context"], window=window, **candidates))
                yield {"set": name, "window": window, **local.metrics("local-context")}
            whole = MentionScores.of(workspace.run(name, ["global-context"], **candidates))
            yield {"set": name, "window": None, **whole.metrics("global-context")}
        advance(1)


def draw(rows: Sequence[Row]) -> Figure:
    local = [row for row in rows if row["window"] is not None]
    figure = draw_lines_by_set(local, "window", "words on each side", log=True)
    whole = {row["set"]: row for row in rows if row["window"] is None}
    for axes, metric in zip(figure.axes, ("overall_p_at_1", "overall_mrr"), strict=True):
        for line in axes.get_lines():
            if line.get_label() in whole:
                axes.axhline(whole[str(line.get_label())][metric], color=line.get_color(), linestyle="--", linewidth=0.9)
    return figure


def claims(rows: Sequence[Row]) -> list[Claim]:
    def five_are_best(of_set: list[Row]) -> tuple[bool, str] | None:
        values = {row["window"]: row["overall_p_at_1"] for row in of_set if row["window"] is not None}
        best = max(values, key=lambda window: values[window])
        return values.get(5, 0) >= values[best] - SLACK, f"{values.get(5, 0):.3f}; best {values[best]:.3f} with {best}"

    return [judge("5 words on each side are best (or within half a point)", rows, five_are_best)]


SECTION = Section(
    title="The window of the local context",
    about="Precision@1 of the local context by the number of words on each side; the dashed line is the global context.",
    compute=compute,
    draw=draw,
    claims=claims,
    options={**PAPER_OPTIONS, "windows": [1, 2, 3, 5, 10, 20, 50]},
    reads=True,
)
