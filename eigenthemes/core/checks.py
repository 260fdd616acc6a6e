"""Checks of numbers that people give as options; errors name the value and the values that are allowed."""

from __future__ import annotations

import math
import operator
from typing import Any

from eigenthemes.errors import OptionError

MOST_JOBS = 1024  # more are a typing error, and systems refuse them with unclear messages
MOST_TIMES = 10_000  # walks, rounds and the like: more would take years
MOST_DIMENSIONS = 65_536


def check_integer(name: str, value: Any, *, least: int = 1, most: int | None = None, otherwise: str = "") -> None:
    """Raise an error unless a value is an integer from `least` to `most`; `otherwise` names other allowed values."""
    try:
        number = operator.index(value)
    except TypeError:
        raise OptionError(
            f"{name} is {_quoted(value)}; expected a whole number, {least} or more{otherwise}", where=name
        ) from None
    if number < least or (most is not None and number > most):
        wanted = f"{least} or more" if most is None or number < least else f"{least:,} to {most:,}"
        raise OptionError(f"{name} is {_quoted(value)}; expected {wanted}{otherwise}", where=name)


def check_number(name: str, value: Any, expected: str, *, above: float = -math.inf, least: float = -math.inf) -> None:
    """Raise an error unless a value is finite, above `above` and at least `least`; `expected` describes that in words."""
    try:
        fits = math.isfinite(value) and value > above and value >= least
    except (TypeError, OverflowError):
        fits = False
    if not fits:
        raise OptionError(f"{name} is {_quoted(value)}; expected {expected}", where=name)


def check_probability(name: str, value: Any) -> None:
    """Raise an error unless a value is from 0 to 1."""
    try:
        fits = 0 <= value <= 1
    except TypeError:
        fits = False
    if not fits:
        raise OptionError(f"{name} is {_quoted(value)}; expected a probability, 0 to 1", where=name)


def check_seed(seed: Any) -> None:
    """Raise an error unless a value is a seed of random numbers."""
    check_integer("seed", seed, least=0)


def check_jobs(jobs: Any) -> None:
    """Raise an error for a number of processes that cannot be started."""
    check_integer("jobs", jobs, most=MOST_JOBS)


def _quoted(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else text[:40] + "…"
