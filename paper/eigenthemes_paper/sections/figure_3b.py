"""Figure 3b: other domains, and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eigenthemes_paper.drawing import METHOD_COLORS, common_legend, draw_bars, new_figure
from eigenthemes_paper.plan import Section
from eigenthemes_paper.rows import RIVALS, Claim, Row, above, by, by_method, judge, value_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(rows: Sequence[Row]) -> Figure:
    sets = by(rows, "set")
    methods = [name for name in by_method(rows) if not name.endswith("-unweighted")]
    figure = new_figure(1.05 * len(sets) + 1.5, 4.2)
    axes = figure.subplots()
    draw_bars(
        axes,
        list(sets),
        methods,
        lambda name, method: value_of(sets[name], "overall_p_at_1", method=method),
        METHOD_COLORS,
    )
    for x, of_set in enumerate(sets.values()):
        ceiling = of_set[0]["ceiling"]
        label = "ceiling" if x == 0 else None
        axes.plot([x - 0.42, x + 0.42], [ceiling, ceiling], color="#555555", linewidth=1.2, label=label)
    axes.set(ylabel="P@1", ylim=(0, 1))
    axes.tick_params(axis="x", rotation=20)
    common_legend(figure, [axes])
    return figure


def claims(rows: Sequence[Row]) -> list[Claim]:
    test = above("overall_p_at_1", "method", "eigen", *RIVALS)
    return [judge("Eigenthemes are the best of the paper's methods in other domains, too", rows, test)]


SECTION = Section(
    title="Figure 3b: other domains, and tables",
    about="Precision@1 of the methods on sets of other kinds, nothing tuned again. The grey line is the ceiling of the "
    "candidates.",
    draw=draw,
    claims=claims,
    uses=("table-2",),
)
