"""The one way kernels are compiled: by numba, when one is first called, cached on disk.

Declaring a kernel costs nothing: numba takes most of a second to load, which one sentence does not need. A kernel can also
run as it is written, as plain Python, which answers sooner where there is little to do (`Kernel.for_steps`), and where numba
is not installed at all.

The cache lies beside the package, or in the user's cache folder where that cannot be written, or in NUMBA_CACHE_DIR; where
none can be written, kernels are compiled anew in each process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache, update_wrapper
from pathlib import Path
from types import FunctionType
from typing import Any

from eigenthemes.core.lazy import lazy

ROOMS = ("core", "kernels", "candidates", "kb")  # kernels are here, and the constants they are compiled with

# inner steps of all kernels so far: where plain Python has taken as long as numba takes to load, and to compile
_STEPS_OF_LOADING = 1_500_000
_STEPS_OF_COMPILING = 60_000_000


class Kernel:
    """A function over arrays, compiled when it is first called. Kernels that it calls are found by their global names."""

    _plain_steps = 0  # of all kernels of this process

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        return self.compiled(*arguments)

    def __reduce__(self) -> str:
        return self.function.__qualname__  # pickled by name, as functions are

    def for_steps(self, steps: int) -> Callable[..., Any]:
        """Return the function for a call of about so many inner steps: plain Python while numba would take longer."""
        return self.plain if self.is_sooner_plain(steps) else self

    def is_sooner_plain(self, steps: int) -> bool:
        """Return whether plain Python takes so many inner steps, after those before, sooner than numba is ready."""
        total = Kernel._plain_steps + steps
        if sys.modules.get("numba") is not None:
            return False
        if total > _STEPS_OF_COMPILING or (total > _STEPS_OF_LOADING and self._is_on_disk):
            return _numba() is None
        Kernel._plain_steps = total  # threads may lose some: it only decides which of two equal functions is used
        return True

    @lazy
    def _is_on_disk(self) -> bool:
        """Whether some process has compiled it before, where numba keeps such files; known without numba."""
        source = Path(self.function.__code__.co_filename)
        pattern = f"{source.stem}.{self.function.__qualname__}-*.nbi"
        users = Path(os.environ.get("NUMBA_CACHE_DIR") or "~/.cache/numba").expanduser()
        return any((source.parent / "__pycache__").glob(pattern)) or any(users.glob(f"*/{pattern}"))

    @lazy
    def plain(self) -> Callable[..., Any]:
        """The function as it is written, calling other kernels as they are written."""
        return _with_globals(self.function, {name: other.plain for name, other in self._called.items()})

    @lazy
    def compiled(self) -> Callable[..., Any]:
        """The function compiled by numba; where that is not installed, as it is written."""
        numba = _numba()
        if numba is None:
            return self.plain
        function = _with_globals(self.function, {name: other.compiled for name, other in self._called.items()})
        try:
            compiled = numba.njit(cache=True, nogil=True)(function)
        except RuntimeError:  # "no locator available": no folder for the cache can be written
            return numba.njit(nogil=True)(function)  # type: ignore[no-any-return]
        _forget_stale(compiled)
        return compiled  # type: ignore[no-any-return]

    @property
    def is_ready(self) -> bool:
        """Whether the next call compiles nothing: it was compiled before, by this process or another."""
        compiled: Any = self.compiled
        return isinstance(compiled, FunctionType) or bool(compiled.signatures or _cached(compiled))

    @property
    def _called(self) -> dict[str, Kernel]:
        known = self.function.__globals__
        names = self.function.__code__.co_names
        return {name: known[name] for name in names if isinstance(known.get(name), Kernel)}


def kernel(function: Callable[..., Any]) -> Any:
    """Make a kernel of a function: no Python objects inside, the GIL released."""
    return Kernel(function)


def always_compile() -> None:
    """Run no kernel as plain Python any more in this process, however little there is to do."""
    Kernel._plain_steps = _STEPS_OF_COMPILING + 1


def cache_folder(compiled: Kernel) -> Path | None:
    """Return the folder where a kernel is kept once it is compiled; None where numba is missing or no folder can be written."""
    stats = getattr(compiled.compiled, "stats", None)
    return None if stats is None or stats.cache_path is None else Path(stats.cache_path)


def announce_compilation(compiled: Kernel, what: str) -> None:
    """Tell a person at a terminal why the first call takes its time; silent where the cache will answer."""
    if sys.stderr.isatty() and not compiled.is_ready:
        print(f"compiling the kernels for {what} (once, some seconds) ...", file=sys.stderr)


def _with_globals(function: Callable[..., Any], others: dict[str, Any]) -> Callable[..., Any]:
    """Return the same function with some global names meaning something else."""
    if not others:
        return function
    changed = FunctionType(function.__code__, function.__globals__ | others, function.__name__, function.__defaults__)
    return update_wrapper(changed, function)


@cache
def _numba() -> Any:
    try:
        import numba
    except ImportError:
        print("eigenthemes: numba is not installed, so that long work takes much longer; pip install numba", file=sys.stderr)
        return None
    return numba


def _forget_stale(compiled: Any) -> None:
    """numba only looks at the function's own file: forget what was compiled before another kernel or constant changed."""
    for file in _cached(compiled):
        try:
            if file.stat().st_mtime < _newest_source():
                file.unlink()
        except OSError:
            return  # another process was quicker, or the folder is read-only: then it came with the package


def _cached(compiled: Any) -> list[Path]:
    folder = compiled.stats.cache_path
    function = compiled.py_func
    return [] if folder is None else list(Path(folder).glob(f"*.{function.__qualname__}-*.nbi"))


@cache
def _newest_source() -> float:
    package = Path(__file__).parent.parent
    return max(file.stat().st_mtime for room in ROOMS for file in (package / room).glob("*.py"))
