"""Arrays for kernels that run as plain Python: it reads a memoryview, one number at a time, in a third of the time.

Such a kernel is given views of its arrays, and makes views where it makes arrays; what it returns are arrays again. Only arrays
of one dimension are viewed. A number read from a view is one of Python's: floats of 32 bits are rounded only when kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def views_of(value: Any) -> Any:
    """Return an array of one dimension as a view, a tuple with its arrays as views; anything else as it is."""
    return _in_tuples(_view_of, value)


def arrays_of(value: Any) -> Any:
    """Return a view as an array, a tuple with its views as arrays; anything else as it is."""
    return _in_tuples(_array_of, value)


class NumpyOfViews:
    """numpy, as kernels use it, that makes views and numbers of Python's."""

    int64, float32 = int, np.float32

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def zeros(self, *arguments: Any, **named: Any) -> Any:
        return _view_of(np.zeros(*arguments, **named))

    def empty(self, *arguments: Any, **named: Any) -> Any:
        return _view_of(np.empty(*arguments, **named))

    def full(self, *arguments: Any, **named: Any) -> Any:
        return _view_of(np.full(*arguments, **named))


def _in_tuples(change: Any, value: Any) -> Any:
    if isinstance(value, tuple):
        changed = [_in_tuples(change, each) for each in value]
        return type(value)(*changed) if hasattr(value, "_fields") else tuple(changed)
    return change(value)


def _view_of(value: Any) -> Any:
    return value.data if isinstance(value, np.ndarray) and value.ndim == 1 else value


def _array_of(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, memoryview) else value
