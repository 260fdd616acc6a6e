"""Figure 8a-b: weights on and off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eigenthemes_paper.drawing import METHOD_COLORS, draw_bars_by_set
from eigenthemes_paper.plan import Section
from eigenthemes_paper.rows import GROUPS, SLACK, Claim, Row, above, judge

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(rows: Sequence[Row]) -> Figure:
    methods = ["average-unweighted", "average", "eigen-unweighted", "eigen"]
    chosen = [row for row in rows if row["method"] in methods]
    return draw_bars_by_set(chosen, {group: {} for group in GROUPS}, "method", methods, METHOD_COLORS, group=None)


def claims(rows: Sequence[Row]) -> list[Claim]:
    def easy_gain_most(of_set: list[Row]) -> tuple[bool, str] | None:
        value = {
            (row["method"], group): row[f"{group}_p_at_1"]
            for row in of_set
            for group in ("easy", "hard")
            if row["method"] in ("eigen", "eigen-unweighted")
        }
        if len(value) < 4:
            return None
        easy, hard = (value["eigen", group] - value["eigen-unweighted", group] for group in ("easy", "hard"))
        return easy > hard and hard >= -SLACK, f"easy {easy:+.3f}, hard {hard:+.3f}"

    metric = "overall_p_at_1"
    return [
        judge("weights improve Eigenthemes", rows, above(metric, "method", "eigen", "eigen-unweighted")),
        judge("weights improve the average", rows, above(metric, "method", "average", "average-unweighted")),
        judge("they gain much on easy mentions and lose nothing on hard ones", rows, easy_gain_most),
    ]


SECTION = Section(
    title="Figure 8a-b: weights on and off",
    about="Weights are 1 / rank by prior.",
    draw=draw,
    claims=claims,
    uses=("table-2",),
)
