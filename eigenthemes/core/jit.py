"""Kernels: functions over arrays that numba compiles when they are first needed, and that plain Python runs until then.

Declaring a kernel does not import numba, which takes most of a second to load: `Kernel.select_backend` runs the function as
plain Python where there is little to do.

numba's cache keeps what it compiled. numba notices changes in the file of a kernel, but not in the kernels of other files that
it calls, so the cache folder is named by a hash of the sources of all kernels (`_fingerprint`).
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from functools import cache, partial, update_wrapper
from pathlib import Path
from types import FunctionType
from typing import Any, overload

from eigenthemes.core.threads import lazy

_SECONDS_PER_STEP = 5e-7  # of plain Python, as long as that is not measured
_SECONDS_OF_LOADING = 1.0  # that plain Python takes before numba is loaded
_SECONDS_PER_BYTE = 5e-4  # that compiling takes for each byte of bytecode
_MEASURED = 1000  # steps from which the time of a call is typical

_PACKAGE = Path(__file__).parent.parent
_lock = threading.Lock()


class Kernel:
    """A function over arrays, compiled when it is first called. Kernels that it calls are found by their global names."""

    _always_compiled = False
    _seconds_of_all = 0.0  # that this process has spent in plain Python
    _seconds = 0.0  # of this kernel
    _seconds_per_step = _SECONDS_PER_STEP

    def __init__(self, function: Callable[..., Any], *, plain: Callable[..., Any] | None = None) -> None:
        self.function = function
        update_wrapper(self, function)
        self._given_plain = plain
        self._is_ready = False
        self._folder: Path | None = None  # of its compiled code, once that is looked for there

    def __call__(self, *arguments: Any) -> Any:
        try:
            return self.compiled(*arguments) if self._is_ready else self._first_call(arguments)
        except Exception:
            folder, self._folder = self._folder, None
            if folder is None:
                raise
            # the cache may be damaged, or its disk full; any other error is raised again
            shutil.rmtree(folder, ignore_errors=True)
            self.__dict__["compiled"] = _compile(self.function)
            return self.compiled(*arguments)

    def __reduce__(self) -> str:
        return self.function.__qualname__  # pickled by name, as functions are

    def select_backend(self, steps: int) -> Callable[..., Any]:
        """Return the function for a call of about `steps` inner steps: `self`, which is compiled, or plain Python.

        A compiled kernel is used once all kernels together have taken as long as numba takes to load; one that is not
        compiled yet is compiled once it has taken as long as that takes. A command takes at most about twice the shortest time.
        """
        coming = steps * self._seconds_per_step
        is_worth_loading = Kernel._seconds_of_all + coming > _SECONDS_OF_LOADING or sys.modules.get("numba") is not None
        is_worth_compiling = self._seconds + coming > _SECONDS_PER_BYTE * self._bytes
        if Kernel._always_compiled or (is_worth_loading and (is_worth_compiling or self._is_cached)):
            return self
        return partial(self._run_plain, steps)

    def _run_plain(self, steps: int, *arguments: Any) -> Any:
        """Run plain Python, and add its time."""
        start = time.thread_time()
        result = self.plain(*arguments)
        self.add_plain_run(steps, time.thread_time() - start)
        return result

    def add_plain_run(self, steps: int, seconds: float) -> None:
        """Add the time that plain Python took for `steps`, by which `select_backend` estimates other calls."""
        self._seconds += seconds  # threads may lose some: it only decides which of two equal functions is used
        Kernel._seconds_of_all += seconds
        if steps > _MEASURED:
            self._seconds_per_step = seconds / steps

    @lazy
    def plain(self) -> Callable[..., Any]:
        """The function in plain Python, calling the plain functions of other kernels."""
        if self._given_plain is not None:
            return self._given_plain
        others = {name: other.plain for name, other in self._called.items()}
        if not others:
            return self.function
        copied = FunctionType(self.function.__code__, self.function.__globals__ | others, self.function.__name__)
        return update_wrapper(copied, self.function)

    @lazy
    def compiled(self) -> Callable[..., Any]:
        """The function compiled by numba, from its cache where it has been compiled before."""
        import numba

        for called in self._all_called:
            _register(called)
        folder = cache_folder()
        if folder is None:
            return _compile(self.function)
        self._folder = folder / self._name
        config: Any = numba.config
        with _lock:  # numba reads its configuration where a function is declared
            before, config.CACHE_DIR = config.CACHE_DIR, str(self._folder)
            try:
                return _compile(self.function, cache=True)
            finally:
                config.CACHE_DIR = before

    def _first_call(self, arguments: Any) -> Any:
        if not self._is_cached:
            _announce_compilation()
        result = self.compiled(*arguments)
        self._is_ready = True
        return result

    @lazy
    def _is_cached(self) -> bool:
        """Return True if it is in the cache, for any types; does not import numba."""
        folder = cache_folder()
        return folder is not None and any((folder / self._name).glob("*/*.nbc"))

    @property
    def _name(self) -> str:
        return f"{self.function.__module__}.{self.function.__qualname__}"

    @property
    def _called(self) -> dict[str, Kernel]:
        known = self.function.__globals__
        names = self.function.__code__.co_names
        return {name: known[name] for name in names if isinstance(known.get(name), Kernel)}

    @lazy
    def _all_called(self) -> set[Kernel]:
        """The kernels that it calls, and those that they call."""
        return set(self._called.values()).union(*(called._all_called for called in self._called.values()))

    @lazy
    def _bytes(self) -> int:
        """The size of its bytecode, and of that of all kernels that it calls: each is compiled once."""
        return sum(len(kernel.function.__code__.co_code) for kernel in {self} | self._all_called)


@overload
def kernel(function: Callable[..., Any]) -> Kernel: ...
@overload
def kernel(*, plain: Callable[..., Any]) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(function: Callable[..., Any] | None = None, *, plain: Callable[..., Any] | None = None) -> Any:
    """Make a kernel of a function: no Python objects inside, the GIL released.

    plain  what plain Python runs instead, with the same results
    """
    return partial(Kernel, plain=plain) if function is None else Kernel(function, plain=plain)


def _compile(function: Callable[..., Any], *, cache: bool = False) -> Callable[..., Any]:
    import numba

    return numba.njit(nogil=True, cache=cache)(function)


@cache
def _register(called: Kernel) -> None:
    """Let numba compile calls of a kernel by other kernels, once for all numbers that are written in such calls."""
    from numba import extending

    extending.overload(called, strict=False)(lambda *arguments: called.function)


def always_compile() -> None:
    """Run no kernel as plain Python any more in this process, however little there is to do."""
    Kernel._always_compiled = True


@cache
def cache_folder() -> Path | None:
    """Return the folder of compiled kernels; None where no folder can be written.

    That is in NUMBA_CACHE_DIR, beside the package, or in the user's cache. numba does not use a cache that it cannot write to
    (for instance in an image), so one beside the package is copied to the user's.
    """
    name = f"kernels-{_fingerprint()}"
    beside = _PACKAGE / "__pycache__" / name
    given = os.environ.get("NUMBA_CACHE_DIR")
    folders = [Path(given) / "eigenthemes" / name] if given else [beside, Path("~/.cache/eigenthemes").expanduser() / name]
    for folder in folders:
        is_new = not folder.exists()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                continue
            if is_new and folder == beside:
                for other in set(folder.parent.glob("kernels-*")) - {folder}:  # of other versions
                    shutil.rmtree(other, ignore_errors=True)
            elif is_new and beside.exists():
                shutil.copytree(beside, folder, dirs_exist_ok=True)
            return folder
        except OSError:
            continue
    return None


def _fingerprint() -> str:
    """Return a hash of the sources of all modules that declare kernels."""
    import hashlib

    known = hashlib.sha256()
    for file in sorted(_PACKAGE.rglob("*.py")):
        source = file.read_bytes()
        if b"core.jit import" in source:
            known.update(source)
    return known.hexdigest()[:16]


@cache
def _announce_compilation() -> None:
    """Print once, at a terminal, why the command takes some seconds."""
    if sys.stderr.isatty():
        print("compiling inner loops, which are kept for later ...", file=sys.stderr)
