"""BLAS held to one thread: its threads slow small matrices down, and change the last bits of the results.

The limit is set once for each library of the process, when a linker opens, a build begins or the library is loaded, and stays:
a switch that is turned back and forth would be turned under another thread's feet. Whoever wants numpy's own threads in the
same process (a notebook, say) sets the environment variable EIGENTHEMES_BLAS_THREADS to `keep`; then results may differ in
their last bits.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "EIGENTHEMES_BLAS_THREADS"

_LIBRARIES = ("numpy", "scipy.linalg")  # each brings a BLAS of its own
_limited: set[str] = set()
_lock = threading.Lock()


def keeps_threads() -> bool:
    """Return whether the user wants the threads of numerical libraries left alone."""
    return os.environ.get(VARIABLE) == "keep"


def limit_blas_threads() -> None:
    """Hold every BLAS that is loaded to one thread, for good; quick where that was done before."""
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


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread of BLAS; the limit stays afterwards."""
    import scipy.linalg  # noqa: F401  only a BLAS that is loaded can be limited

    limit_blas_threads()
    yield
