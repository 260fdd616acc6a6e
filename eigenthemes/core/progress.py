"""Progress of long steps: the command line draws bars, a library call is silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Advance = Callable[[float], None]


class Progress(Protocol):
    """Receives progress: `with progress.step("reading", total=n, unit="bytes") as advance: advance(10)`."""

    def step(self, label: str, *, total: float | None, unit: str) -> AbstractContextManager[Advance]:
        """Begin a step; `total` is None where its length is not known."""
        ...


class Silent:
    """Ignores progress."""

    @contextmanager
    def step(self, label: str, *, total: float | None, unit: str) -> Iterator[Advance]:
        """Give a function that does nothing."""
        yield lambda amount: None
