"""Rows: one JSON object per result, and how to find some of them. Tables, claims and figures are made of rows alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

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
