"""Run kernels compiled and as plain Python."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from eigenthemes.core.jit import Kernel


def same_bits(kernel: Kernel, *arguments: Any) -> Any:
    """Return what a compiled kernel returns, if plain Python returns the same bits, and leaves the same in its arguments."""
    own = deepcopy(arguments)
    plain = kernel.plain(*own)
    compiled = kernel(*arguments)
    assert _bits(plain) == _bits(compiled)
    assert _bits(own) == _bits(arguments)
    return compiled


def _bits(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_bits, value))
    return (value.dtype, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value
