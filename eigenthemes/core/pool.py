"""A pool of objects that are costly to make and that one thread may use at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Pool(Generic[T]):
    """Lend objects to threads, each to one thread at a time.

    A new one is made only when all are lent. At most one more than are lent wait: after a rush of threads the rest
    is dropped. A borrower leaves an object as it was; where an exception ends the borrowing it may not be, and is dropped.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = Lock()
        self._idle: list[T] = []
        self._lent = 0

    def __len__(self) -> int:
        """Count the objects, lent or idle."""
        with self._lock:
            return self._lent + len(self._idle)

    @contextmanager
    def borrow(self) -> Iterator[T]:
        """Lend an object until the block ends."""
        with self._lock:
            self._lent += 1
            item = self._idle.pop() if self._idle else None
        try:
            if item is None:
                item = self._make()
            yield item
        except BaseException:
            with self._lock:
                self._lent -= 1
            raise
        with self._lock:
            self._lent -= 1
            self._idle.append(item)
            del self._idle[self._lent + 1 :]
