"""Tables for people: the record, and how cells are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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
