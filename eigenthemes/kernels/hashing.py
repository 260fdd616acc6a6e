"""The hash of `eigenthemes.core.strings`, and look-up in a `HashTable`."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel
from eigenthemes.core.strings import FNV_OFFSET, FNV_PRIME, MIX

OFFSET = np.uint64(FNV_OFFSET)
_PRIME, _MIX = np.uint64(FNV_PRIME), np.uint64(MIX)
_S29, _S32 = np.uint64(29), np.uint64(32)


@kernel
def step(h: Any, value: Any) -> Any:
    """The state of the hash after one more byte (or code point)."""
    return (h ^ np.uint64(value)) * _PRIME


@kernel
def finish(h: Any) -> Any:
    """The final mix."""
    h = h ^ (h >> _S32)
    return (h * _MIX) ^ (h >> _S29)


@kernel
def shift_of(buckets: Any) -> Any:
    """The bits of a hash below those that number its bucket."""
    size, bits = len(buckets) - 1, 0
    while size > 1:
        size >>= 1
        bits += 1
    return np.uint64(64 - bits)


@kernel
def may_hold(h: Any, bits: Any) -> Any:
    """False where a `bit_filter` knows that a hash is not among its own."""
    place = np.int64(h & np.uint64(8 * len(bits) - 1))
    return (bits[place >> 3] >> np.uint8(place & 7)) & 1 != 0


@kernel
def find(h: Any, hashes: Any, buckets: Any, shift: Any) -> Any:
    """The row of a hash, or -1."""
    bucket = np.int64(h >> shift)
    for row in range(buckets[bucket], buckets[bucket + 1]):
        if hashes[row] == h:
            return np.int64(row)
    return np.int64(-1)
