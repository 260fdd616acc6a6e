"""Rows of results, one JSON object each, and what is made of them: tables and claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Row = dict[str, Any]
Rows = Iterator[Row]

# the methods, in the order of tables
PAPER_METHODS = (
    "namematch", "local-context", "global-context", "degree", "average-unweighted", "average", "eigen-unweighted", "eigen",
)  # fmt: skip
OWN_METHODS = ("prior-name", "selftrained")
NEURAL_METHODS = ("taumil", "taumil-weighted")
RIVALS = tuple(name for name in PAPER_METHODS if name != "eigen" and not name.endswith("-unweighted"))  # of Eigenthemes

GROUPS = ("overall", "easy", "hard")  # of mentions
METRICS = ("p_at_1", "mrr")


def by(rows: Sequence[Row], *keys: str) -> dict[Any, list[Row]]:
    """Group rows by the value of a key, or by the combination of several, in order."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        value = row[keys[0]] if len(keys) == 1 else tuple(row[key] for key in keys)
        groups.setdefault(value, []).append(row)
    return groups


def by_method(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Group rows by method, in the order of tables."""
    groups, order = by(rows, "method"), [*PAPER_METHODS, *OWN_METHODS]
    return {name: groups[name] for name in sorted(groups, key=lambda name: order.index(name) if name in order else len(order))}


def value_of(rows: Sequence[Row], key: str, **wanted: Any) -> Any:
    """Return the value of the first row in which the other keys have these values; None: there is no such row."""
    return next((row.get(key) for row in rows if all(row[name] == value for name, value in wanted.items())), None)


DIVIDER = ("—",)  # a row that divides a table


@dataclass(frozen=True, slots=True)
class Table:
    """A title (may be empty), the names of the columns, and rows; the first column is text, the others are numbers."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def marked(value: float, best: float, *, significant: bool = False) -> str:
    """Write a value: bold if it is the best, with a dagger if it is significantly so."""
    text = f"{value:.3f}"
    return (f"**{text}**" if value == best else text) + ("†" if significant else "")


def spread(values: Sequence[float]) -> str:
    """Write mean and standard deviation."""
    return f"{np.mean(values):.3f} ± {np.std(values):.3f}"


SIGNIFICANT = 0.01  # the paper's level; here for the t-test and for the bootstrap over documents
SLACK = 0.005  # half a point: no difference

Outcome = bool | None  # does it hold? None: there is no clear difference
Test = Callable[[list[Row]], tuple[Outcome, str] | None]  # the outcome and its numbers; None: it was not measured


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim, and the sets where it holds, where there is no clear difference, and where it fails: "set (numbers)" each."""

    statement: str
    holds: tuple[str, ...]
    unclear: tuple[str, ...]
    fails: tuple[str, ...]

    @property
    def was_measured(self) -> bool:
        return bool(self.holds or self.unclear or self.fails)


def judge(statement: str, rows: Sequence[Row], test: Test, *, key: str = "set") -> Claim:
    """Test a claim set by set."""
    sets: dict[Outcome, list[str]] = {True: [], None: [], False: []}
    for name, of_set in by(rows, key).items():
        if (result := test(of_set)) is not None:
            outcome, numbers = result
            sets[outcome].append(f"{name} ({numbers})" if numbers else str(name))
    return Claim(statement, tuple(sets[True]), tuple(sets[None]), tuple(sets[False]))


def above(metric: str, key: str, one: str, *others: str) -> Test:
    """Test whether one is above all others that were measured.

    Less than half a point is no difference; neither is one that is not significant, where rows say so.
    """

    def test(rows: list[Row]) -> tuple[Outcome, str] | None:
        mine = value_of(rows, metric, **{key: one})
        rivals = {other: value for other in others if (value := value_of(rows, metric, **{key: other})) is not None}
        if mine is None or not rivals:
            return None
        best = max(rivals, key=lambda other: rivals[other])
        is_tested = one == "eigen" and metric == "overall_p_at_1"
        differs = value_of(rows, "differs_from_eigen", **{key: best}) if is_tested else None
        clear = abs(mine - rivals[best]) >= SLACK and differs is not False
        numbers = f"{mine:.3f} against {rivals[best]:.3f}" + (f" of {best}" if len(others) > 1 else "")
        return (mine > rivals[best] if clear else None), numbers

    return test


def is_gain(difference: float) -> Outcome:
    """Return whether a difference is a gain; None if it is less than half a point."""
    return None if abs(difference) < SLACK else difference > 0
