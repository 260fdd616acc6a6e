"""Numbers that people give as options: checked at the door, with what was found and what is expected."""

from __future__ import annotations

import math
import operator
from typing import Any

from eigenthemes.errors import OptionError

MOST_JOBS = 1024  # more are a slip of the finger, and systems refuse them in odd ways
MOST_TIMES = 10_000  # walks, rounds and the like: more would take years
MOST_DIMENSIONS = 65_536


def check_whole(name: str, value: Any, *, least: int = 1, most: int | None = None, otherwise: str = "") -> None:
    """Refuse what is no whole number from `least` to `most`; `otherwise` says what else is allowed."""
    try:
        number = operator.index(value)
    except TypeError:
        raise OptionError(
            f"{name} is {_shown(value)}; expected a whole number, {least} or more{otherwise}", where=name
        ) from None
    if number < least or (most is not None and number > most):
        wanted = f"{least} or more" if most is None or number < least else f"{least:,} to {most:,}"
        raise OptionError(f"{name} is {_shown(value)}; expected {wanted}{otherwise}", where=name)


def check_number(name: str, value: Any, expected: str, *, above: float = -math.inf, least: float = -math.inf) -> None:
    """Refuse what is no finite number above `above`, `least` or more; `expected` says so in words."""
    try:
        fits = math.isfinite(value) and value > above and value >= least
    except (TypeError, OverflowError):
        fits = False
    if not fits:
        raise OptionError(f"{name} is {_shown(value)}; expected {expected}", where=name)


def check_probability(name: str, value: Any) -> None:
    """Refuse what is no number from 0 to 1."""
    try:
        fits = 0 <= value <= 1
    except TypeError:
        fits = False
    if not fits:
        raise OptionError(f"{name} is {_shown(value)}; expected a probability, 0 to 1", where=name)


def check_seed(seed: Any) -> None:
    """Refuse what no generator of random numbers can begin with."""
    check_whole("seed", seed, least=0)


def check_jobs(jobs: Any) -> None:
    """Refuse a number of processes that cannot be started."""
    check_whole("jobs", jobs, most=MOST_JOBS)


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else text[:40] + "…"
