"""Pictures of the figures of `metrics.calibration`; matplotlib is an extra."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, product
from math import ceil
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.storage import check_output
from eigenthemes.errors import MissingExtraError, OptionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Bin = dict[str, Any]  # of `calibration.reliability`

# Of Okabe and Ito: can be distinguished by colour-blind readers too. Their yellow is too pale for a line.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_LINES = ("-", "--", ":")  # dashes only when colours run out: they blur steps
_BAR, _DOT, _PALE, _TRUTH = "#56B4E9", "#0072B2", "#C8C8C8", "#404040"
_COLUMNS = 3
_SETTLED = 0.05  # coverage from which a line has found its height
_STYLE: dict[Any, Any] = {
    "font.size": 11,
    "text.parse_math": False,  # names of sets may hold dollar signs
    "svg.hashsalt": "eigenthemes",  # the same picture has the same bytes
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def draw_reliability(sets: dict[str, list[Bin]], path: str | Path) -> None:
    """Draw for each set what was promised against what came true, above how many mentions had which probability."""
    columns = max(1, min(_COLUMNS, len(sets)))
    rows = ceil(len(sets) / columns)
    tallest = max([0.1, *(share for bins in sets.values() for share in _shares(bins))])
    with _picture(path, len(sets), width=1.4 + 3.2 * columns, height=1.5 + 3.9 * rows) as figure:
        grid = figure.subplots(2 * rows, columns, squeeze=False, height_ratios=[4, 1] * rows)
        panels = list(zip(grid[0::2].flat, grid[1::2].flat, strict=True))
        for number, ((name, bins), (upper, lower)) in enumerate(zip(sets.items(), panels, strict=False)):
            _draw_bins(upper, lower, bins, tallest=ceil(10 * tallest) / 10)
            upper.set_title(f"{fill(name, 28)}\n{sum(of_bin['mentions'] for of_bin in bins):,} mentions", fontsize=12)
            lower.set_xlabel("probability given")
            if number % columns == 0:
                upper.set_ylabel("share that is right")
                lower.set_ylabel("share of\nmentions")
        for unused in panels[len(sets) :]:
            for axes in unused:
                axes.remove()
        figure.align_ylabels()
        figure.suptitle("Do the probabilities come true?", fontsize=14)
        handles, labels = panels[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=1 if columns == 1 else len(labels), frameon=False)


def draw_risk_coverage(curves: dict[str, tuple[Floats, Floats]], path: str | Path) -> None:
    """Draw how much goes wrong when only the most probable mentions are answered, a line for each set.

    The height leaves out the first mentions of each line, where a single error is a large share.
    """
    top = max([0.02, *(risk[coverage >= _SETTLED].max() for coverage, risk in curves.values() if len(risk))])
    with _picture(path, len(curves), width=8.5, height=4.8) as figure:
        axes = figure.subplots()
        for (name, curve), (line, color) in zip(curves.items(), cycle(product(_LINES, _COLORS)), strict=False):
            _draw_curve(axes, *curve, label=fill(name, 28), linestyle=line, color=color)
        axes.set(
            xlabel="share of mentions answered, the most probable first",
            ylabel="share of the answered that is wrong",
            xlim=(0, 1),
            ylim=(-0.02 * top, 1.05 * top),  # so that no risk at all is a line that can be seen
        )
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
        axes.grid(alpha=0.3)
        figure.suptitle("Errors when only the most probable mentions are answered", fontsize=14)
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)


def _draw_bins(upper: Axes, lower: Axes, bins: list[Bin], *, tallest: float) -> None:
    """Draw the bars of one set, with the diagonal that true probabilities would follow, above its histogram."""
    filled = [of_bin for of_bin in bins if of_bin["mentions"]]
    left, width = [of_bin["from"] for of_bin in filled], [of_bin["to"] - of_bin["from"] for of_bin in filled]
    confidence, accuracy = [of_bin["confidence"] for of_bin in filled], [of_bin["accuracy"] for of_bin in filled]
    upper.plot([0, 1], [0, 1], color=_TRUTH, linestyle="--", linewidth=1.2, label="if probabilities were exact")
    upper.bar(left, accuracy, width, align="edge", color=_BAR, edgecolor="white", label="share that is right")
    # A dot on the rim is shown whole; but no dots that are not clipped have no size, and the layout falls apart.
    upper.plot(confidence, accuracy, "o", color=_DOT, markersize=5, clip_on=not filled, label="at their mean probability")
    lower.bar(left, _shares(filled), width, align="edge", color=_PALE, edgecolor="white")
    fifths = np.arange(6) / 5
    upper.set(xlim=(0, 1), ylim=(0, 1), xticks=fifths, yticks=fifths, xticklabels=[])
    lower.set(xlim=(0, 1), ylim=(0, tallest), xticks=fifths, yticks=(0, tallest))


def _shares(bins: list[Bin]) -> list[float]:
    total = sum(of_bin["mentions"] for of_bin in bins)
    return [of_bin["mentions"] / max(1, total) for of_bin in bins]


def _draw_curve(axes: Axes, coverage: Floats, risk: Floats, *, label: str, **style: Any) -> None:
    """Draw one line, from coverage 0 and in steps, as `calibration.area_under_risk` takes them."""
    if len(risk):
        axes.step(np.append(0.0, coverage), np.append(risk[0], risk), where="pre", label=label, linewidth=1.8, **style)
    else:
        axes.plot([], label=f"{label}\n(no mentions)", **style)


@contextmanager
def _picture(path: str | Path, parts: int, *, width: float, height: float) -> Iterator[Figure]:
    """Yield an empty figure, written to the path when it has been drawn."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing", "matplotlib", "plot") from None
    suffix = Path(path).suffix.lower()
    if suffix not in (".png", ".svg"):
        raise OptionError(f"{path} is no picture file; give a name that ends in .png or .svg", where=str(path))
    check_output(path, OptionError)
    if not parts:
        raise OptionError("there is no set to draw; give one or more")
    with rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        try:
            figure.savefig(path, dpi=150, metadata={"Date": None} if suffix == ".svg" else None)
        except OSError as error:
            raise OptionError(f"{path} cannot be written ({error.strerror}); give another place", where=str(path)) from None
