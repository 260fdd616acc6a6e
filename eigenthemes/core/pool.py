"""Things that are costly to make and that one thread may use at a time: made when needed, kept while they are in demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Pool(Generic[T]):
    """Lend things to threads, each to one thread at a time.

    A new one is made only when all are lent. What waits is one more than what is lent at most: after a rush of threads the
    rest is dropped. A borrower leaves a thing as it was; where an exception ends the borrowing it may not be, and is dropped.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = Lock()
        self._idle: list[T] = []
        self._lent = 0

    def __len__(self) -> int:
        """Count what there is, lent or idle."""
        with self._lock:
            return self._lent + len(self._idle)

    @contextmanager
    def borrow(self) -> Iterator[T]:
        """Lend a thing until the block ends."""
        with self._lock:
            self._lent += 1
            thing = self._idle.pop() if self._idle else None
        try:
            if thing is None:
                thing = self._make()
            yield thing
        except BaseException:
            with self._lock:
                self._lent -= 1
            raise
        with self._lock:
            self._lent -= 1
            self._idle.append(thing)
            del self._idle[self._lent + 1 :]
