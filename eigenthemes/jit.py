"""Compiled kernels: numba is imported when the first kernel is needed, and its first compile says what it is doing.

Kernels are cached on disk beside the package, or in the user's cache folder; where neither can be written they are compiled
anew in each process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def kernel(function: Callable[..., Any]) -> Any:
    """Compile with numba on first call: no Python objects inside, the GIL released, the result cached on disk."""
    import numba

    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # "no locator available": no folder for the cache can be written
        return numba.njit(nogil=True)(function)


def announce_compilation(compiled: Any, what: str) -> None:
    """Tell a person at a terminal why the first call takes its time; silent where the cache will answer."""
    if sys.stderr.isatty() and not _is_cached(compiled):
        print(f"compiling the kernels for {what} (once, about 20 s) ...", file=sys.stderr)


def _is_cached(compiled: Any) -> bool:
    try:
        folder = Path(compiled._cache.cache_path)
        return any(folder.glob(f"*{compiled.py_func.__name__}*.nbi"))
    except AttributeError:
        return False
