"""BLAS held to one thread: its threads slow small matrices down, and change the last bits of the results."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """While this is open, BLAS uses one thread."""
    return _controller().limit(limits=1)  # type: ignore[no-any-return]


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401  it brings a BLAS of its own, and only loaded ones are found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
