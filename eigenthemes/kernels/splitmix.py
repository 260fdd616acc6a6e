"""Random numbers inside kernels: SplitMix64, whose state goes on by adding GOLDEN."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1, _MIX2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@kernel
def mixed(state: Any) -> Any:
    """Return 64 random bits of a state."""
    z = (state ^ (state >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)


@kernel
def below(bits: Any, limit: Any) -> Any:
    """Return a number from 0 to limit - 1, limit < 2^32, of the upper 32 bits."""
    return ((bits >> _S32) * np.uint64(limit)) >> _S32
