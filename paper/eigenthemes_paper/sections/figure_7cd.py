"""Figure 7c-d: how many components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eigenthemes.core.progress import Advance
from eigenthemes_paper.drawing import draw_lines_by_set
from eigenthemes_paper.mention_scores import MentionScores
from eigenthemes_paper.plan import PAPER_OPTIONS, Section, SectionPlan, candidate_options
from eigenthemes_paper.rows import SLACK, Claim, Outcome, Row, Rows, is_gain, judge, value_of
from eigenthemes_paper.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_METHOD = "eigen-unweighted"


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Evaluate Eigenthemes without weights with k components."""
    for name in workspace.available(planned.sets):
        for k in planned.options["components"]:
            scores = MentionScores.of(workspace.run(name, [_METHOD], k=k, **candidate_options(planned)))
            yield {"set": name, "k": k, **scores.metrics(_METHOD)}
        advance(1)


def draw(rows: Sequence[Row]) -> Figure:
    return draw_lines_by_set(rows, "k", "components k")


def claims(rows: Sequence[Row]) -> list[Claim]:
    def grows(of_set: list[Row]) -> tuple[Outcome, str] | None:
        one, ten = (value_of(of_set, "overall_p_at_1", k=k) for k in (1, 10))
        return None if one is None or ten is None else (is_gain(ten - one), f"{one:.3f} with 1, {ten:.3f} with 10")

    def is_flat(of_set: list[Row]) -> tuple[bool, str] | None:
        ten, more = value_of(of_set, "overall_p_at_1", k=10), [row for row in of_set if row["k"] > 10]
        if ten is None or not more:
            return None
        best = max(more, key=lambda row: row["overall_p_at_1"])
        return best["overall_p_at_1"] < ten + SLACK, f"{ten:.3f} with 10, {best['overall_p_at_1']:.3f} with {best['k']}"

    return [
        judge("more components are better at first", rows, grows),
        judge("beyond 10 components nothing is gained (less than half a point)", rows, is_flat),
    ]


SECTION = Section(
    title="Figure 7c-d: how many components",
    about="Eigenthemes without weights.",
    compute=compute,
    draw=draw,
    claims=claims,
    options={**PAPER_OPTIONS, "components": [1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50]},
)
