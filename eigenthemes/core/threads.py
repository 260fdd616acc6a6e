"""Objects that threads share: attributes computed once, a pool of buffers, forks beside threads, and the threads of BLAS.

BLAS is held to one thread: its threads slow small matrices down, and change the last bits of results. The limit is set once for
each library of the process, when a linker opens, a build begins or the library is loaded, and stays, because another thread may
rely on it. To keep numpy's threads in the same process, for instance in a notebook, set the environment variable
EIGENTHEMES_BLAS_THREADS to `keep`; then results may differ in their last bits.
"""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401  takes a lock at a fork, as does logging; both must be known before the first fork
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")

VARIABLE = "EIGENTHEMES_BLAS_THREADS"
_LIBRARIES = ("numpy", "scipy.linalg")  # each brings a BLAS of its own
_limited: set[str] = set()
_lock = threading.Lock()
_FORK_SECONDS = 30.0  # that a fork waits at most: a guarded block may itself wait for the thread that forks


class lazy(Generic[T]):
    """As `functools.cached_property`, which in Python 3.11 holds one lock for all instances while it computes.

    Two threads that read it at the same moment may both compute it: use it where the result is the same.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> lazy[T]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any]) -> T: ...
    def __get__(self, instance: object | None, owner: type[Any]) -> lazy[T] | T:
        if instance is None:
            return self
        value = self.compute(instance)
        instance.__dict__[self.name] = value  # found before this descriptor from now on
        return value


class Pool(Generic[T]):
    """Lend objects to threads, each to one thread at a time; as many as there are cores are kept for later.

    A borrower leaves an object as it was; after an exception that is not certain, and the object is dropped.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._idle: deque[T] = deque(maxlen=os.cpu_count())

    def __len__(self) -> int:
        """Count the objects that are kept."""
        return len(self._idle)

    @contextmanager
    def borrow(self) -> Iterator[T]:
        """Lend an object until the block ends."""
        try:
            item = self._idle.pop()
        except IndexError:
            item = self._make()
        yield item
        self._idle.append(item)


class ForkGuard:
    """Let `os.fork` wait until no other thread is in a guarded block.

    Only the thread that forks lives on in the child, so a lock that another thread holds at that moment (of an import, of
    numba's compiler, of a cache) would never be released there.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside: set[int] = set()  # threads in a guarded block
        self._forks = 0  # that wait or run; no thread enters meanwhile
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._wait, after_in_parent=self._end, after_in_child=self._forget)

    @contextmanager
    def block(self) -> Iterator[None]:
        """Guard a block; as a decorator, a function. Blocks may be nested."""
        thread = threading.get_ident()
        if thread in self._inside:
            yield
            return
        with self._changed:
            self._changed.wait_for(lambda: not self._forks)
            self._inside.add(thread)
        try:
            yield
        finally:
            with self._changed:
                self._inside.discard(thread)
                self._changed.notify_all()

    def _wait(self) -> None:
        thread = threading.get_ident()
        with self._changed:
            self._forks += 1
            self._changed.wait_for(lambda: self._inside <= {thread}, _FORK_SECONDS)

    def _end(self) -> None:
        with self._changed:
            self._forks -= 1
            self._changed.notify_all()

    def _forget(self) -> None:
        """Forget the threads that the child does not have."""
        self._changed = threading.Condition()
        self._inside &= {threading.get_ident()}
        self._forks = 0


forks = ForkGuard()  # of all linkers


def keeps_threads() -> bool:
    """Return whether the user wants the threads of numerical libraries left alone."""
    return os.environ.get(VARIABLE) == "keep"


def limit_blas_threads() -> None:
    """Hold every BLAS that is loaded to one thread from now on; does nothing where that was done before."""
    loaded = {name for name in _LIBRARIES if _is_loaded(name)}
    if loaded <= _limited or keeps_threads():
        return
    with _lock:
        if not loaded <= _limited:
            from threadpoolctl import ThreadpoolController

            ThreadpoolController().limit(limits=1, user_api="blas")
            _limited.update(loaded)


def _is_loaded(name: str) -> bool:
    """Return whether a library is loaded, and not just being loaded by another thread."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return spec is not None and not getattr(spec, "_initializing", False)


def hold_blas_to_one_thread() -> None:
    """Load every BLAS that is used here, and hold it to one thread from now on."""
    import scipy.linalg  # noqa: F401  only a BLAS that is loaded can be limited

    limit_blas_threads()
