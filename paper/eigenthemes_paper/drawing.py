"""Style, colours, axes, bars and lines of all figures. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenthemes.errors import OptionError
from eigenthemes_paper.rows import Row, by, value_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

METHOD_COLORS = {
    "namematch": "#b0b0b0", "local-context": "#c49c5a", "global-context": "#8c6d31", "degree": "#7f7f7f",
    "average-unweighted": "#9ecae1", "average": "#3182bd", "eigen-unweighted": "#fdae6b", "eigen": "#e6550d",
    "prior-name": "#a1d99b", "selftrained": "#238b45", "taumil": "#bcbddc", "taumil-weighted": "#756bb1",
}  # fmt: skip
LINE_COLORS = (  # for whatever else lines stand for
    "#e6550d", "#3182bd", "#238b45", "#756bb1", "#8c6d31", "#de77ae", "#7f7f7f", "#17becf", "#bcbd22", "#393b79", "#843c39",
)  # fmt: skip
_STYLE: dict[Any, Any] = {
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25,
    "axes.titlesize": 10, "legend.frameon": False, "svg.hashsalt": "eigenthemes",
}  # fmt: skip


@contextmanager
def style() -> Iterator[None]:
    """Set the style of all figures, while they are drawn and saved."""
    from matplotlib import rc_context

    with rc_context(_STYLE):
        yield


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG and as SVG, the same bytes for the same rows."""
    for suffix in (".png", ".svg"):
        file = path.with_suffix(suffix)
        try:
            figure.savefig(file, dpi=130, metadata={"Date": None} if suffix == ".svg" else {"Software": None})
        except OSError as error:
            raise OptionError(
                f"{file} cannot be written ({error.strerror}); give another place", code="output-place", where=str(file)
            ) from None


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def grid_of_axes(number: int, *, columns: int = 3, width: float = 3.6, height: float = 2.9) -> tuple[Figure, list[Axes]]:
    """Return a figure with some axes in lines; those left over in the last line are invisible."""
    columns = min(columns, max(1, number))
    lines = -(-number // columns)
    figure = new_figure(width * columns, height * lines + 0.5)
    axes = figure.subplots(lines, columns, squeeze=False).ravel().tolist()
    for spare in axes[number:]:
        spare.set_visible(False)
    return figure, axes[:number]


def common_legend(figure: Figure, all_axes: Sequence[Axes], *, columns: int = 6) -> None:
    """Add one legend for all axes, in as many columns as the width of the figure allows."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    handle_of: dict[str, Any] = {}
    for axes in all_axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handle_of.setdefault(label, handle)
    renderer: Any = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    for number in range(min(columns, len(handle_of)), 0, -1):
        legend = figure.legend(list(handle_of.values()), list(handle_of), loc="outside lower center", ncols=number)
        if number == 1 or legend.get_window_extent(renderer).width <= figure.bbox.width:
            return
        legend.remove()


def add_settings(figure: Figure, settings: str) -> None:
    """Write with which vectors and options a figure was computed above it, in small letters."""
    if settings:
        figure.suptitle(settings, fontsize=7, color="#666666", wrap=True)


def log_ticks(axes: Axes, ticks: Sequence[float], labels: Sequence[str] | None = None) -> None:
    """Make the horizontal axis logarithmic, with these ticks and no others."""
    axes.set_xscale("log")
    axes.set_xticks(ticks, list(map(str, ticks)) if labels is None else labels)
    axes.minorticks_off()


def draw_lines_by_set(rows: Sequence[Row], key: str, label: str, *, log: bool = False) -> Figure:
    """Draw P@1 on the left and MRR on the right against a key, a line for each set."""
    figure, both = grid_of_axes(2, columns=2, width=4.6, height=3.6)
    for axes, (metric, title) in zip(both, (("overall_p_at_1", "P@1"), ("overall_mrr", "MRR")), strict=True):
        for color, (name, of_set) in zip(cycle(LINE_COLORS), by(rows, "set").items(), strict=False):
            x = [row[key] for row in of_set]
            axes.plot(x, [row[metric] for row in of_set], "o-", markersize=3, color=color, label=name)
            if log:
                log_ticks(axes, x)
        axes.set(title=title, xlabel=label)
    common_legend(figure, both)
    return figure


def draw_bars_by_set(
    rows: Sequence[Row],
    lines: Mapping[str, Mapping[str, Any]],
    key: str,
    bars: Sequence[str],
    colors: Mapping[str, str],
    *,
    group: str | None = "overall",
) -> Figure:
    """Draw P@1 on the left and MRR on the right; a line of axes for each title in `lines`, with the values of its rows.

    key    what the bars of a set differ in
    group  the mentions that count; None: those that the title of a line names
    """
    sets = by(rows, "set")
    figure = new_figure(12, 2.7 * len(lines) + 0.9)
    grid = figure.subplots(len(lines), 2, sharex=True, squeeze=False)
    for line, (title, wanted) in zip(grid, lines.items(), strict=True):
        for axes, (metric, name) in zip(line, (("p_at_1", "P@1"), ("mrr", "MRR")), strict=True):
            column = f"{group or title}_{metric}"
            heights = {(of, bar): value_of(sets[of], column, **wanted, **{key: bar}) for of in sets for bar in bars}
            draw_bars(axes, list(sets), bars, lambda of, bar, heights=heights: heights[of, bar], colors)  # type: ignore[misc]
            axes.set(title=f"{title}: {name}", ylim=(0, 1))
            axes.tick_params(axis="x", rotation=30)
    common_legend(figure, grid.ravel().tolist())
    return figure


def draw_bars(
    axes: Axes, groups: list[str], bars: Sequence[str], height: Callable[[str, str], Any], colors: Mapping[str, str]
) -> None:
    """Draw bars side by side for each group; what was not measured (None) has none."""
    width = 0.84 / max(1, len(bars))
    for number, bar in enumerate(bars):
        heights = [height(group, bar) for group in groups]
        x = np.arange(len(groups)) - 0.42 + (number + 0.5) * width
        known = [i for i, value in enumerate(heights) if value is not None]
        axes.bar(x[known], [heights[i] for i in known], width * 0.95, color=colors[bar], label=bar)
    axes.set_xticks(range(len(groups)), groups)
    axes.grid(visible=False, axis="x")
