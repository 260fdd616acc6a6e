"""Progress of long steps: the command line draws bars, a library call is silent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Advance = Callable[[float], None]


class Progress(Protocol):
    """Receives progress: `with progress.step("reading", total=n, unit="bytes") as advance: advance(10)`."""

    def step(self, label: str, *, total: float | None, unit: str) -> AbstractContextManager[Advance]: ...


class Silent:
    """Ignores progress."""

    @contextmanager
    def step(self, label: str, *, total: float | None, unit: str) -> Iterator[Advance]:
        yield lambda amount: None


class StepTimes:
    """Measures the seconds of each step; all reading is one step."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.seconds: dict[str, float] = {}
        self._clock, self._start = clock, clock()

    @contextmanager
    def step(self, label: str, *, total: float | None, unit: str) -> Iterator[Advance]:
        start = self._clock()
        yield lambda amount: None
        self.add("reading" if label.startswith("reading") else label, self._clock() - start)

    def add(self, label: str, seconds: float) -> None:
        """Add seconds to a step."""
        self.seconds[label] = self.seconds.get(label, 0.0) + seconds

    @property
    def elsewhere(self) -> float:
        """The time since the beginning that belongs to no step."""
        return self._clock() - self._start - sum(self.seconds.values())
