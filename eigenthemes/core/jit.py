"""The one way kernels are compiled: by numba, on first call, cached on disk.

The cache lies beside the package, or in the user's cache folder where that cannot be written; where neither can, kernels are
compiled anew in each process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

ROOMS = ("core", "kernels", "candidates", "kb")  # kernels are here, and the constants they are compiled with


def kernel(function: Callable[..., Any]) -> Any:
    """Compile with numba: no Python objects inside, the GIL released."""
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # "no locator available": no folder for the cache can be written
        return numba.njit(nogil=True)(function)
    _forget_stale(compiled)
    return compiled


def announce_compilation(compiled: Any, what: str) -> None:
    """Tell a person at a terminal why the first call takes its time; silent where the cache will answer."""
    if sys.stderr.isatty() and not compiled.signatures and not _cached(compiled):
        print(f"compiling the kernels for {what} (once, about 20 s) ...", file=sys.stderr)


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
