"""Rows of figures as tables for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenthemes.reproduction.earnings import FIGURES, GROUPS, NEURAL, OURS, THEIRS, Row

PAPER_DENSITIES = {
    "IMDb": 4.5,
    "Wikidata with English pages": 5.5,
    "SNOMED": 7.1,
    "Wikidata": 12.5,
    "Freebase": 16.0,
    "DBpedia": 26.0,
}
LINE = ("—",)  # a row that divides a table


@dataclass(frozen=True, slots=True)
class Shown:
    """A table: a title (may be empty), the names of its columns, and its rows; the first column is text, the others figures."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def datasets(rows: Sequence[Row]) -> list[Shown]:
    """Table 1, with all candidates and with T of them."""
    found = []
    for limit in dict.fromkeys(row["max_candidates"] for row in rows):
        header = ("set", "documents", "easy", "hard", "not found", "oracle recall", "gold in KB", "candidates, easy", "hard")
        lines = [
            (
                row["set"] + ("*" if row["given"] else ""),
                *(f"{row[key]:,}" for key in ("documents", "easy", "hard", "not_found")),
                *(f"{row[key]:.1%}" for key in ("oracle_recall", "gold_in_kb")),
                *(f"{row[key]:,.1f}" for key in ("candidates_easy", "candidates_hard")),
            )
            for row in rows
            if row["max_candidates"] == limit
        ]
        found.append(Shown("All candidates" if limit is None else f"At most {limit} candidates", header, lines))
    return found


def quality(rows: Sequence[Row]) -> list[Shown]:
    """Table 2: P@1 of all sets at a glance, then all figures of each set."""
    columns = [f"{group}_{figure}" for figure in FIGURES for group in GROUPS]
    found = [_at_a_glance(rows)] if len(by(rows, "set")) > 1 else []
    for name, some in by(rows, "set").items():
        first = some[0]
        counts = f"{first['mentions']:,} mentions, {first['easy']:,} easy, {first['hard']:,} hard"
        title = f"{name}: {counts}, ceiling {first['ceiling']:.3f}"
        best = {column: max(row[column] for row in some) for column in columns}
        lines: list[tuple[str, ...]] = []
        for row in some:
            if row["method"] == "prior-name":
                lines.append(LINE)
            cells = (_marked(row[column], best[column], column in row["significant"]) for column in columns)
            lines.append((row["method"], *cells))
        header = ("method", "P@1", "easy", "hard", "MRR", "easy", "hard")
        found.append(Shown(title, header, lines))
    return found


def neural(rows: Sequence[Row]) -> list[Shown]:
    """A table for each set: mean and deviation over seeds, training time, and documents a second."""
    header = ("method", "P@1", "easy", "hard", "MRR", "training, s", "documents/s", "times slower than eigen")
    found = []
    for name, some in by(rows, "set").items():
        speed = {
            row["method"]: row["documents_per_second"] for row in some if row["seed"] is None and "documents_per_second" in row
        }
        lines: list[tuple[str, ...]] = []
        for method, each in by(some, "method").items():
            if each[0]["seed"] is not None and (not lines or lines[-1][0] not in NEURAL):
                lines.append(LINE)
            columns = ("overall_p_at_1", "easy_p_at_1", "hard_p_at_1", "overall_mrr")
            values = ([row[column] for row in each] for column in columns)
            cells = (_spread(value) if len(value) > 1 else f"{value[0]:.3f}" for value in values)
            seconds = [row["training_seconds"] for row in each if "training_seconds" in row]
            mine = np.mean([row["documents_per_second"] for row in each]) if "documents_per_second" in each[0] else None
            slower = f"{speed['eigen'] / mine:.1f}" if mine and "eigen" in speed else ""
            lines.append(
                (method, *cells, f"{np.mean(seconds):,.0f}" if seconds else "", f"{mine:,.0f}" if mine else "", slower)
            )
        seeds = len({row["seed"] for row in some} - {None})
        found.append(Shown(f"{name}: {some[0]['mentions']:,} mentions, {seeds} trainings", header, lines))
    return found


def _at_a_glance(rows: Sequence[Row]) -> Shown:
    """P@1: methods down, sets across."""
    sets = by(rows, "set")
    best = {name: max(row["overall_p_at_1"] for row in some) for name, some in sets.items()}
    lines: list[tuple[str, ...]] = []
    for method, some in by_method(rows).items():
        value = {row["set"]: row["overall_p_at_1"] for row in some}
        lines.append((method, *(_marked(value[name], best[name], False) if name in value else "" for name in sets)))
    lines.append(("ceiling", *(f"{some[0]['ceiling']:.3f}" for some in sets.values())))
    return Shown("Precision@1, all mentions", ("method", *sets), lines)


def _marked(value: float, best: float, significant: bool) -> str:
    text = f"{value:.3f}"
    return (f"**{text}**" if value == best else text) + ("†" if significant else "")


def supervised(rows: Sequence[Row]) -> list[Shown]:
    """Table 3."""
    lines = []
    for (name, context), some in by(rows, "set", "context").items():
        without, withal = (
            [row["overall_p_at_1"] for row in some if row["features"] == features] for features in ("F1+F2+F3", "F1+F2+F3+F4")
        )
        lines.append(
            (
                name,
                context,
                _spread(without),
                _spread(withal),
                *(_signed(gains(some, group)) for group in GROUPS),
                f"{np.mean([row['ceiling'] for row in some]):.3f}",
            )
        )
    header = ("set", "context", "F1+F2+F3", "F1+F2+F3+F4", "gain of F4", "on easy", "on hard", "ceiling")
    return [Shown("", header, lines)]


def _spread(values: Sequence[float]) -> str:
    return f"{np.mean(values):.3f} ± {np.std(values):.3f}"


def _signed(values: Sequence[float]) -> str:
    return f"{round(float(np.mean(values)), 3) + 0.0:+.3f} ± {np.std(values):.3f}" if len(values) else ""


def gains(rows: Sequence[Row], group: str) -> list[float]:
    """What F4 adds to P@1, seed by seed, where there are mentions of the group."""
    value = {(row["seed"], row["features"]): row[f"{group}_p_at_1"] for row in rows}
    pairs = ((value[seed, "F1+F2+F3"], value[seed, "F1+F2+F3+F4"]) for seed in dict.fromkeys(row["seed"] for row in rows))
    return [withal - without for without, withal in pairs if without is not None and withal is not None]


def gold_score(rows: Sequence[Row]) -> list[Shown]:
    lines = [
        (row["set"], f"{row['mentions']:,}", f"{row['relative_score']:.2f}", f"[{row['low']:.2f}, {row['high']:.2f}]")
        for row in rows
    ]
    return [Shown("", ("set", "mentions", "(G − N) / N", "95 % interval"), lines)]


def ablations(rows: Sequence[Row]) -> list[Shown]:
    """One row for each variant: how P@1 differs from the paper's way."""
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    lines = []
    for (name, vectors), some in by(rows, "set", "vectors").items():
        value = {row["variant"]: row["overall_p_at_1"] for row in some}
        first = value[variants[0]]
        others = (f"{value[each] - first:+.3f}" if each in value else "" for each in variants[1:])
        lines.append((f"{name}, {vectors}", f"{first:.3f}", *others))
    return [Shown("P@1 as in the paper, and what the variants change", ("set, vectors", *variants), lines)]


def graphs(rows: Sequence[Row]) -> list[Shown]:
    lines: list[tuple[str, ...]] = [
        (row["kb"], f"{row['nodes']:,}", f"{row['edges']:,}", f"{row['density']:.1f}", f"{row['median_degree']:.0f}")
        for row in rows
    ]
    theirs = [(name, "", "", f"{density:.1f}", "") for name, density in PAPER_DENSITIES.items()]
    return [Shown("", ("graph", "nodes", "edges", "edges a node", "median degree"), [*lines, LINE, *theirs])]


def run_times(rows: Sequence[Row]) -> list[Shown]:
    """Documents a second: methods down, sets across."""
    sets = list(by(rows, "set"))
    lines = []
    for method, some in by_method(rows).items():
        value = {row["set"]: row["documents_per_second"] for row in some}
        lines.append((method, *(f"{value[name]:,.0f}" if name in value else "" for name in sets)))
    counts = {row["set"]: f"{row['mentions'] / row['documents']:.0f}" for row in rows}
    lines.append(("(mentions a document)", *(counts[name] for name in sets)))
    return [Shown("Documents a second", ("method", *sets), lines)]


def spectrum(rows: Sequence[Row]) -> list[Shown]:
    """Figure 4 as a table."""
    header = ("method", "efficacy", "robustness", "documents a second", "letters")
    lines = [
        (row["method"], f"{row['efficacy']:.2f}", f"{row['robustness']:.2f}", f"{row['scalability']:,.0f}", row["letters"])
        for row in spectrum_of(rows)
    ]
    return [Shown("", header, lines)]


def spectrum_of(rows: Sequence[Row]) -> list[Row]:
    """Efficacy, robustness and scalability of each method that was measured in all three ways."""
    quality = [row for row in rows if row["section"] == "table-2"]
    mutilated = [row for row in rows if row["section"] == "figure-3a"]
    timed = [row for row in rows if row["section"] == "run-times"]
    efficacy = _average(quality, lambda row: row["overall_p_at_1"] / max(1e-9, row["ceiling"]))
    whole = _average([row for row in mutilated if row["fraction"] == 1], lambda row: row["p_at_1"])
    half = _average([row for row in mutilated if row["fraction"] == 0.5], lambda row: row["p_at_1"])
    speed = _average(timed, lambda row: row["documents_per_second"])
    found: list[Row] = [
        {
            "method": name,
            "efficacy": efficacy[name],
            "robustness": half[name] / max(1e-9, whole[name]),
            "scalability": speed[name],
        }
        for name in efficacy
        if name in whole and name in speed
    ]
    best = max((row["efficacy"] for row in found), default=0)
    floor = next((row["robustness"] for row in found if row["method"] == "degree"), 0)
    for row in found:
        given = {
            "R": row["robustness"] >= floor + 0.2 * (1 - floor),
            "E": row["efficacy"] >= 0.9 * best,
            "S": row["scalability"] > 100,
        }
        row["letters"] = "".join(letter for letter, earned in given.items() if earned)
    return found


def _average(rows: Sequence[Row], value: Callable[[Row], float]) -> dict[str, float]:
    """Method -> the mean over sets."""
    return {method: float(np.mean([value(row) for row in some])) for method, some in by(rows, "method").items()}


def value_of(rows: Sequence[Row], figure: str, **wanted: Any) -> Any:
    """The figure of the first row with these values; None: there is none."""
    return next((row.get(figure) for row in rows if all(row[key] == value for key, value in wanted.items())), None)


def by_method(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each method, in the order of tables."""
    found, order = by(rows, "method"), [*THEIRS, *OURS]
    return {name: found[name] for name in sorted(found, key=lambda name: order.index(name) if name in order else len(order))}


def by(rows: Sequence[Row], *keys: str) -> dict[Any, list[Row]]:
    """The rows of each value of a key, or of each combination of several, in order."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        value = row[keys[0]] if len(keys) == 1 else tuple(row[key] for key in keys)
        found.setdefault(value, []).append(row)
    return found
