"""The hash of `eigenthemes.core.strings`, and look-up in a `HashTable`."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel
from eigenthemes.core.strings import FNV_OFFSET, FNV_PRIME, MIX, finish_hash

OFFSET = np.uint64(FNV_OFFSET)
_PRIME, _MIX = np.uint64(FNV_PRIME), np.uint64(MIX)
_S29, _S32 = np.uint64(29), np.uint64(32)
_MASK = (1 << 64) - 1


def _step(h: Any, value: Any) -> Any:
    return ((int(h) ^ int(value)) * FNV_PRIME) & _MASK


def _finish(h: Any) -> Any:
    return finish_hash(int(h))


@kernel(plain=_step)
def step(h: Any, value: Any) -> Any:
    """Return the state of the hash after one more byte (or code point)."""
    return (h ^ np.uint64(value)) * _PRIME


@kernel(plain=_finish)
def finish(h: Any) -> Any:
    """Return the final mix."""
    h = h ^ (h >> _S32)
    return (h * _MIX) ^ (h >> _S29)


@kernel
def shift_of(buckets: Any) -> Any:
    """Return how many bits of a hash are below those that number its bucket."""
    size, bits = len(buckets) - 1, 0
    while size > 1:
        size >>= 1
        bits += 1
    return np.uint64(64 - bits)


@kernel
def may_hold(h: Any, bits: Any) -> Any:
    """Return False where a `bit_filter` knows that a hash is not among its own."""
    bit = np.int64(h & np.uint64(8 * len(bits) - 1))
    return (bits[bit >> 3] >> np.uint8(bit & 7)) & 1 != 0


@kernel
def find(h: Any, hashes: Any, buckets: Any, shift: Any) -> Any:
    """Return the row of a hash, or -1."""
    bucket = np.int64(h >> shift)
    for row in range(buckets[bucket], buckets[bucket + 1]):
        if hashes[row] == h:
            return np.int64(row)
    return np.int64(-1)
