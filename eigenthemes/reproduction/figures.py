"""The paper's figures, drawn from rows; nothing is computed here but places on paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenthemes.errors import MissingExtraError, OptionError
from eigenthemes.reproduction.earnings import GROUPS, Row
from eigenthemes.reproduction.shown import PAPER_DENSITIES, by, by_method, spectrum_of, value_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# one colour a method, everywhere; the last six are for whatever else lines stand for
COLORS = {
    "namematch": "#b0b0b0", "local-context": "#c49c5a", "global-context": "#8c6d31", "degree": "#7f7f7f",
    "average-unweighted": "#9ecae1", "average": "#3182bd", "eigen-unweighted": "#fdae6b", "eigen": "#e6550d",
    "prior-name": "#a1d99b", "selftrained": "#238b45", "taumil": "#bcbddc", "taumil-weighted": "#756bb1",
}  # fmt: skip
_LINES = (
    "#e6550d",
    "#3182bd",
    "#238b45",
    "#756bb1",
    "#8c6d31",
    "#de77ae",
    "#7f7f7f",
    "#17becf",
    "#bcbd22",
    "#393b79",
    "#843c39",
)
_STYLE: dict[Any, Any] = {
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25,
    "axes.titlesize": 10, "legend.frameon": False, "svg.hashsalt": "eigenthemes",
}  # fmt: skip


def save(figure: Figure, path: Path) -> None:
    """As PNG and as SVG, the same bytes for the same rows."""
    for suffix in (".png", ".svg"):
        file = path.with_suffix(suffix)
        try:
            figure.savefig(file, dpi=130, metadata={"Date": None} if suffix == ".svg" else {"Software": None})
        except OSError as error:
            raise OptionError(f"{file} cannot be written ({error.strerror}); give another place with -o") from None


@contextmanager
def style() -> Iterator[None]:
    """What all figures have in common, while they are drawn and saved."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise MissingExtraError("drawing", "matplotlib", "paper") from None
    with rc_context(_STYLE):
        yield


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _grid(
    parts: int, *, columns: int = 3, width: float = 3.6, height: float = 2.9, **options: Any
) -> tuple[Figure, list[Axes]]:
    """A figure with a place for each part; places left over are empty."""
    columns = min(columns, max(1, parts))
    lines = -(-parts // columns)
    figure = _figure(width * columns, height * lines + 0.5)
    axes = figure.subplots(lines, columns, squeeze=False, **options).ravel().tolist()
    for spare in axes[parts:]:
        spare.set_visible(False)
    return figure, axes[:parts]


def _legend(figure: Figure, axes: Sequence[Axes], *, columns: int = 6) -> None:
    """One legend for all places."""
    found: dict[str, Any] = {}
    for each in axes:
        for handle, label in zip(*each.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    figure.legend(list(found.values()), list(found), loc="outside lower center", ncols=min(columns, len(found)))


def demo_space(rows: Sequence[Row]) -> Figure:
    """Gold is named where it lies; the other Michael Jordans, who lie together, in a column beside them."""
    figure = _figure(9.5, 5.6)
    axes = figure.subplots()
    _scatter(axes, rows)
    for row in rows:
        if row["gold"]:
            below = row["label"] == "Andrew Ng"  # beside Michael I. Jordan
            style: dict[str, Any] = {
                "textcoords": "offset points",
                "xytext": (6, -10 if below else 3),
                "fontsize": 8,
                "color": "#a63603",
            }
            axes.annotate(row["label"], (row["x"], row["y"]), **style)
    others = sorted((row for row in rows if not row["gold"] and row["mention"] == "Michael Jordan"), key=lambda row: row["y"])
    for height, row in zip(np.linspace(-0.35, 0.45, max(2, len(others))), others, strict=False):
        line: dict[str, Any] = {"arrowstyle": "-", "color": "#aaaaaa", "linewidth": 0.6}
        place: dict[str, Any] = {
            "xytext": (-0.22, float(height)),
            "ha": "right",
            "va": "center",
            "fontsize": 8,
            "color": "#555555",
        }
        axes.annotate(row["label"], (row["x"], row["y"]), arrowprops=line, **place)
    axes.set(xlabel="first theme", ylabel="second theme", title="Candidates of a text on machine learning")
    axes.set_xlim(left=-0.75)
    axes.margins(x=0.25)
    axes.legend(loc="upper left")
    return figure


def sample_spaces(rows: Sequence[Row]) -> Figure:
    documents = by(rows, "set", "document")
    figure, axes = _grid(len(documents), columns=5, width=2.8, height=2.8)
    for place, ((name, document), some) in zip(axes, documents.items(), strict=True):
        _scatter(place, some)
        place.set_title(f"{name}: {document[:22]}", fontsize=8)
        place.set(xlabel="PC1", ylabel="PC2" if place is axes[0] else "")
    _legend(figure, axes)
    return figure


def _scatter(axes: Axes, rows: Sequence[Row]) -> None:
    for gold, marker, color, size, label in (
        (False, "o", "#9ecae1", 12, "other candidates"),
        (True, "^", "#e6550d", 34, "gold"),
    ):
        x, y = ([row[axis] for row in rows if row["gold"] is gold] for axis in ("x", "y"))
        axes.scatter(x, y, s=size, c=color, marker=marker, alpha=0.8, linewidths=0, label=label)


def gold_score(rows: Sequence[Row]) -> Figure:
    figure = _figure(6.5, 0.34 * len(rows) + 1.4)
    axes = figure.subplots()
    value = np.array([row["relative_score"] for row in rows])
    spread = [value - [row["low"] for row in rows], [row["high"] for row in rows] - value]
    axes.errorbar(value, range(len(rows)), xerr=spread, fmt="o", color=COLORS["eigen"], capsize=3, label="here")
    axes.axvspan(0.78, 0.84, color="#cccccc", alpha=0.6, label="the paper, CoNLL-Test")
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(yticks=range(len(rows)), yticklabels=[row["set"] for row in rows], xlabel="(G − N) / N, 95 % interval")
    axes.invert_yaxis()
    axes.legend()
    return figure


def mutilation(rows: Sequence[Row]) -> Figure:
    sets = by(rows, "set")
    figure, axes = _grid(len(sets))
    for place, (name, some) in zip(axes, sets.items(), strict=True):
        for method, line in by(some, "method").items():
            x, y = [row["fraction"] for row in line], np.array([row["p_at_1"] for row in line])
            band = 2 * np.array([row["deviation"] for row in line])
            place.plot(x, y, marker="o", markersize=3, color=COLORS[method], label=method)
            place.fill_between(x, y - band, y + band, color=COLORS[method], alpha=0.15, linewidth=0)
        place.set(title=name, xlim=(1.02, -0.02), xlabel="share of easy mentions kept", ylabel="P@1")
        place.set_ylim(bottom=0)
    _legend(figure, axes)
    return figure


def domains(rows: Sequence[Row]) -> Figure:
    sets = by(rows, "set")
    methods = [each for each in by_method(rows) if not each.endswith("-unweighted")]
    figure = _figure(1.05 * len(sets) + 1.5, 4.2)
    axes = figure.subplots()
    _bars(axes, list(sets), methods, lambda name, method: value_of(sets[name], "overall_p_at_1", method=method), COLORS)
    for place, some in enumerate(sets.values()):
        ceiling = some[0]["ceiling"]
        label = "ceiling" if place == 0 else None
        axes.plot([place - 0.42, place + 0.42], [ceiling, ceiling], color="#555555", linewidth=1.2, label=label)
    axes.set(ylabel="P@1", ylim=(0, 1))
    axes.tick_params(axis="x", rotation=20)
    _legend(figure, [axes])
    return figure


def spectrum(rows: Sequence[Row]) -> Figure:
    """Efficacy against robustness; the size of a circle is speed, its letters what the method is strong in."""
    found = spectrum_of(rows)
    figure = _figure(7, 4.6)
    axes = figure.subplots()
    for row in found:
        size = 60 * max(0.5, np.log10(row["scalability"]))
        axes.scatter(row["efficacy"], row["robustness"], size, color=COLORS[row["method"]], alpha=0.9)
        text = f"{row['method']}  [{row['letters'] or '–'}]\n{row['scalability']:,.0f} documents/s"
        axes.annotate(text, (row["efficacy"], row["robustness"]), textcoords="offset points", xytext=(10, -3), fontsize=8)
    axes.set(xlabel="efficacy: P@1 / ceiling", ylabel="robustness: P@1 kept without half of the easy mentions")
    axes.margins(0.22)
    axes.set_title("R robust, E effective, S scalable; circles grow with speed")
    return figure


def pipeline(rows: Sequence[Row]) -> Figure:
    """Figure 5, drawn."""
    from matplotlib.patches import FancyBboxPatch

    steps = (
        ("document", "names m in\ntext or table"),
        ("candidates C(m)", "entities whose\nnames have all\nwords of m;\nat most T, by prior"),
        ("matrices E, W", "a row of E for\neach candidate,\nof unit length;\nweights rank$^{-δ}$"),
        ("subspace", "top k eigenvectors V\nof E$^T$W²E, and\ntheir strengths Σ:\nthe eigenthemes"),
        ("scores", "‖ e V Σ ‖ of\neach candidate e"),
        ("links", "for each m the\ncandidate nearest\nto the subspace"),
    )
    figure = _figure(12.5, 2.1)
    axes = figure.subplots()
    axes.set(xlim=(-0.5, len(steps) - 0.5), ylim=(-0.75, 0.75))
    axes.axis("off")
    for place, (name, text) in enumerate(steps):
        color = "#fff0e0" if name == "subspace" else "#f0f4f8"
        axes.add_patch(FancyBboxPatch((place - 0.38, -0.6), 0.76, 1.2, "round,pad=0.02", facecolor=color, edgecolor="#888888"))
        axes.text(place, 0.42, name, ha="center", va="center", fontsize=9.5, fontweight="bold")
        axes.text(place, -0.12, text, ha="center", va="center", fontsize=8.5)
        if place:
            axes.annotate("", (place - 0.4, 0), (place - 0.6, 0), arrowprops={"arrowstyle": "-|>", "color": "#555555"})
    return figure


def recall(rows: Sequence[Row]) -> Figure:
    sets = by(rows, "set")
    figure, axes = _grid(len(sets))
    styles = {
        ("paper", True): ("paper's, with aliases", _LINES[1], "o-"),
        ("paper", False): ("paper's, labels only", _LINES[6], "o--"),
        ("default", True): ("this project's", _LINES[2], "s-"),
    }
    for place, (name, some) in zip(axes, sets.items(), strict=True):
        most = 4 * max(row["limit"] or 1 for row in some)  # "all" stands here
        for key, line in by(some, "generator", "aliases").items():
            label, color, style = styles[key]
            x, y = [row["limit"] or most for row in line], [row["recall"] for row in line]
            place.plot(x, y, style, color=color, label=label, markersize=3)
        ticks = [1, 5, 20, 100, most]
        place.set_xscale("log")
        place.set_xticks(ticks, [*map(str, ticks[:-1]), "all"])
        place.minorticks_off()
        place.set(title=name, xlabel="T", ylabel="recall", ylim=(0, 1))
    _legend(figure, axes)
    return figure


def embeddings(rows: Sequence[Row]) -> Figure:
    kinds = sorted({row["vectors"] for row in rows})
    colors = dict(zip(kinds, cycle(_LINES), strict=False)) | {"random": "#bbbbbb"}
    lines = {method: {"method": method} for method in ("average", "eigen")}
    return _bar_grid(by(rows, "set"), lines, "overall", "vectors", kinds, colors)


def components(rows: Sequence[Row]) -> Figure:
    return _lines_of_sets(rows, "k", "components k", [("overall_p_at_1", "P@1"), ("overall_mrr", "MRR")])


def windows(rows: Sequence[Row]) -> Figure:
    local = [row for row in rows if row["window"] is not None]
    figure = _lines_of_sets(
        local, "window", "words on each side", [("overall_p_at_1", "P@1"), ("overall_mrr", "MRR")], log=True
    )
    whole = {row["set"]: row for row in rows if row["window"] is None}
    for place, key in zip(figure.axes, ("overall_p_at_1", "overall_mrr"), strict=True):
        for line in place.get_lines():
            if line.get_label() in whole:
                place.axhline(whole[str(line.get_label())][key], color=line.get_color(), linestyle="--", linewidth=0.9)
    return figure


def _lines_of_sets(
    rows: Sequence[Row], key: str, label: str, values: Sequence[tuple[str, str]], *, log: bool = False
) -> Figure:
    """A place for each figure, a line for each set."""
    figure, axes = _grid(len(values), columns=2, width=4.6, height=3.6)
    for place, (value, title) in zip(axes, values, strict=True):
        for color, (name, line) in zip(cycle(_LINES), by(rows, "set").items(), strict=False):
            x = [row[key] for row in line]
            place.plot(x, [row[value] for row in line], "o-", markersize=3, color=color, label=name)
            if log:
                place.set_xscale("log")
                place.set_xticks(x, list(map(str, x)))
                place.minorticks_off()
        place.set(title=title, xlabel=label)
    _legend(figure, axes)
    return figure


def weights(rows: Sequence[Row]) -> Figure:
    methods = ["average-unweighted", "average", "eigen-unweighted", "eigen"]
    sets = by([row for row in rows if row["method"] in methods], "set")
    return _bar_grid(sets, {group: {} for group in GROUPS}, None, "method", methods, COLORS)


def schemes(rows: Sequence[Row]) -> Figure:
    kinds = ["degree", "local", "global", "none"]
    colors = dict(zip(kinds, ("#e6550d", "#c49c5a", "#8c6d31", "#bbbbbb"), strict=True))
    lines = {"weighted Eigenthemes": {"ranking": "eigen"}, "the ranking behind the weights, alone": {"ranking": "weight"}}
    return _bar_grid(by(rows, "set"), lines, "overall", "scheme", kinds, colors)


def limits_and_deltas(rows: Sequence[Row]) -> Figure:
    sets = by(rows, "set")
    shown = [*((f"{group}_p_at_1", f"{group}: P@1") for group in GROUPS), ("overall_mrr", "overall: MRR")]
    figure = _figure(13, 2.6 * len(sets) + 0.5)
    places = figure.subplots(len(sets), len(shown), squeeze=False)
    for line, (name, some) in zip(places, sets.items(), strict=True):
        for place, (value, title) in zip(line, shown, strict=True):
            for color, (delta, each) in zip(cycle(_LINES), by(some, "delta").items(), strict=False):
                x = [row["limit"] for row in each]
                place.plot(x, [row[value] for row in each], "o-", markersize=3, color=color, label=f"δ = {delta}")
            place.set_xscale("log")
            place.set_xticks(x, list(map(str, x)))
            place.minorticks_off()
            place.set(title=f"{name}, {title}", xlabel="T")
    _legend(figure, places.ravel().tolist())
    return figure


def graphs(rows: Sequence[Row]) -> Figure:
    figure = _figure(11, 4)
    left, right = figure.subplots(1, 2)
    for color, row in zip(cycle(_LINES), rows, strict=False):
        left.loglog(row["degree"], np.maximum(row["share_at_least"], 1e-7), ".-", color=color, label=row["kb"])
    left.set(xlabel="degree (distinct neighbours)", ylabel="share of nodes with at least that degree", ylim=(1e-6, 1.5))
    left.legend()
    found = {
        **{row["kb"]: row["density"] for row in rows},
        **{f"{name} (paper)": each for name, each in PAPER_DENSITIES.items()},
    }
    ordered = sorted(found, key=lambda name: found[name])
    colors = ["#bbbbbb" if name.endswith("(paper)") else "#e6550d" for name in ordered]
    right.barh(ordered, [found[name] for name in ordered], color=colors)
    right.set(xlabel="edges a node")
    return figure


def _bar_grid(
    sets: dict[str, list[Row]],
    lines: dict[str, dict[str, Any]],
    group: str | None,
    key: str,
    bars: list[str],
    colors: dict[str, str],
) -> Figure:
    """P@1 on the left, MRR on the right; a line of places for each title in `lines`, which tells the values of its rows.

    group  the mentions that count; None: those the title of a line names
    key    what the bars of a set differ in
    """
    figure = _figure(12, 2.7 * len(lines) + 0.9)
    places = figure.subplots(len(lines), 2, sharex=True, squeeze=False)
    for line, (title, wanted) in zip(places, lines.items(), strict=True):
        for place, (value, name) in zip(line, (("p_at_1", "P@1"), ("mrr", "MRR")), strict=True):

            def height(of: str, bar: str, wanted: Any = wanted, figure: str = f"{group or title}_{value}") -> float | None:
                found: float | None = value_of(sets[of], figure, **wanted, **{key: bar})
                return found

            _bars(place, list(sets), bars, height, colors)
            place.set(title=f"{title}: {name}", ylim=(0, 1))
            place.tick_params(axis="x", rotation=30)
    _legend(figure, places.ravel().tolist())
    return figure


def _bars(axes: Axes, groups: list[str], bars: list[str], value: Any, colors: dict[str, str]) -> None:
    """Bars side by side for each group; what was not measured has none."""
    width = 0.84 / max(1, len(bars))
    for number, bar in enumerate(bars):
        heights = [value(group, bar) for group in groups]
        places = np.arange(len(groups)) - 0.42 + (number + 0.5) * width
        known = [i for i, height in enumerate(heights) if height is not None]
        axes.bar(places[known], [heights[i] for i in known], width * 0.95, color=colors[bar], label=bar)
    axes.set_xticks(range(len(groups)), groups)
    axes.grid(visible=False, axis="x")
