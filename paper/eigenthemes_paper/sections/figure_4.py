"""Figure 4: the spectrum of methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from eigenthemes_paper.drawing import METHOD_COLORS, new_figure
from eigenthemes_paper.plan import Section
from eigenthemes_paper.rows import Claim, Row, Table, by, judge

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def spectrum_of(rows: Sequence[Row]) -> list[Row]:
    """Return efficacy, robustness and scalability of each method that was measured in all three ways."""
    quality, mutilated, timed = (
        [row for row in rows if row["section"] == section] for section in ("table-2", "figure-3a", "run-times")
    )
    efficacy = _mean_of_methods(quality, lambda row: row["overall_p_at_1"] / max(1e-9, row["ceiling"]))
    whole, half = (
        _mean_of_methods([row for row in mutilated if row["fraction"] == fraction], lambda row: row["p_at_1"])
        for fraction in (1, 0.5)
    )
    speed = _mean_of_methods(timed, lambda row: row["documents_per_second"])
    spectrum: list[Row] = [
        {
            "method": name,
            "efficacy": efficacy[name],
            "robustness": half[name] / max(1e-9, whole[name]),
            "scalability": speed[name],
        }
        for name in efficacy
        if name in whole and name in speed
    ]
    best = max((row["efficacy"] for row in spectrum), default=0)
    floor = next((row["robustness"] for row in spectrum if row["method"] == "degree"), 0)
    return [{**row, "letters": _letters(row, best, floor)} for row in spectrum]


def _letters(row: Row, best_efficacy: float, robustness_of_degree: float) -> str:
    given = {
        "R": row["robustness"] >= robustness_of_degree + 0.2 * (1 - robustness_of_degree),
        "E": row["efficacy"] >= 0.9 * best_efficacy,
        "S": row["scalability"] > 100,
    }
    return "".join(letter for letter, is_given in given.items() if is_given)


def _mean_of_methods(rows: Sequence[Row], value: Callable[[Row], float]) -> dict[str, float]:
    """Return method -> the mean over sets."""
    return {method: float(np.mean([value(row) for row in of_method])) for method, of_method in by(rows, "method").items()}


def draw(rows: Sequence[Row]) -> Figure:
    """Draw efficacy against robustness; the size of a circle is speed, its letters what the method is strong in."""
    figure = new_figure(7, 4.6)
    axes = figure.subplots()
    for row in spectrum_of(rows):
        size = 60 * max(0.5, np.log10(row["scalability"]))
        axes.scatter(row["efficacy"], row["robustness"], size, color=METHOD_COLORS[row["method"]], alpha=0.9)
        text = f"{row['method']}  [{row['letters'] or '–'}]\n{row['scalability']:,.0f} documents/s"
        axes.annotate(text, (row["efficacy"], row["robustness"]), textcoords="offset points", xytext=(10, -3), fontsize=8)
    axes.set(xlabel="efficacy: P@1 / ceiling", ylabel="robustness: P@1 kept without half of the easy mentions")
    axes.margins(0.22)
    axes.set_title("R robust, E effective, S scalable; circles grow with speed")
    return figure


def tables(rows: Sequence[Row]) -> list[Table]:
    lines = [
        (row["method"], f"{row['efficacy']:.2f}", f"{row['robustness']:.2f}", f"{row['scalability']:,.0f}", row["letters"])
        for row in spectrum_of(rows)
    ]
    return [Table("", ("method", "efficacy", "robustness", "documents a second", "letters"), lines)]


def claims(rows: Sequence[Row]) -> list[Claim]:
    expected = {
        "eigen": ("RES", "Eigenthemes are robust, effective and scalable (RES)"),
        "degree": ("ES", "degree is effective and scalable (ES)"),
    }
    letters = {row["method"]: row["letters"] for row in spectrum_of(rows)}
    return [
        judge(statement, [{"method": method}], _has(letters[method], wanted), key="method")
        for method, (wanted, statement) in expected.items()
        if method in letters
    ]


def _has(letters: str, wanted: str) -> Callable[[list[Row]], tuple[bool, str]]:
    return lambda of_method: (letters == wanted, letters or "none")


SECTION = Section(
    title="Figure 4: the spectrum of methods",
    about="The paper's summary, from measured values. Efficacy: precision@1 divided by the ceiling, mean over sets. "
    "Robustness: the share of precision@1 that remains when half of the easy mentions are gone. Scalability: documents "
    "linked a second, one core. A letter is given for efficacy within a tenth of the best, for robustness at least a "
    "fifth of the way from that of degree to 1, for more than 100 documents a second.",
    draw=draw,
    tables=tables,
    claims=claims,
    uses=("table-2", "figure-3a", "run-times"),
)
