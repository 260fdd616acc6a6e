"""Small kernels that several modules share: hash tables, binary search, sorting and random numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.jit import kernel
from eigenthemes.core.strings import FNV_OFFSET, FNV_PRIME, MIX, bounds_of, check_bounds, finish_hash

OFFSET = np.uint64(FNV_OFFSET)
_PRIME, _MIX = np.uint64(FNV_PRIME), np.uint64(MIX)
_S29, _S32 = np.uint64(29), np.uint64(32)
_MASK = (1 << 64) - 1
_AT_ONCE = 1 << 20  # buckets that are found at a time


@kernel(plain=lambda h, value: ((int(h) ^ int(value)) * FNV_PRIME) & _MASK)
def step(h: Any, value: Any) -> Any:
    """Return the state of the hash after one more byte (or code point)."""
    return (h ^ np.uint64(value)) * _PRIME


@kernel(plain=lambda h: finish_hash(int(h)))
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
    """Return False if a `bit_filter` excludes a hash."""
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


@kernel
def find_words(words: Any, hashes: Any, buckets: Any) -> Any:
    """Look words up by their hashes in a `HashTable` [w] int64; -1 where it has not got one."""
    rows, shift = np.full(len(words), -1, np.int64), shift_of(buckets)
    for word in range(len(words) if len(hashes) else 0):
        rows[word] = find(words[word], hashes, buckets, shift)
    return rows


@dataclass(frozen=True, slots=True)
class HashTable:
    """Sorted hashes with a bucket directory: row of a hash in about one probe.

    `hashes` [n] uint64 ascending; `buckets` [2^b + 1] uint32: rows whose top b bits are less.
    """

    hashes: NDArray[np.uint64]
    buckets: NDArray[np.uint32]

    @classmethod
    def of(cls, hashes: NDArray[np.uint64]) -> HashTable:
        """Make a table over hashes that are sorted already."""
        bits = max(1, (len(hashes) - 1).bit_length())
        buckets = np.empty((1 << bits) + 1, dtype=np.uint32)
        buckets[-1] = len(hashes)
        for first in range(0, 1 << bits, _AT_ONCE):
            begins = np.arange(first, min(first + _AT_ONCE, 1 << bits), dtype=np.uint64) << np.uint64(64 - bits)
            buckets[first : first + len(begins)] = np.searchsorted(hashes, begins)
        return cls(hashes, buckets)

    def find_all(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the rows of many hashes, -1 for those that the table does not have; OutOfBoundsError where it is damaged."""
        bucket = (hashes >> np.uint64(65 - len(self.buckets).bit_length())).astype(np.int64)
        check_bounds(self.buckets, bucket, len(self.hashes))
        return np.asarray(find_words.select_backend(len(hashes))(hashes, self.hashes, self.buckets))

    def find(self, h: int) -> int:
        """Return the row of the hash `h`, or -1."""
        bucket = h >> (65 - len(self.buckets).bit_length())  # its upper bits
        rows = range(*bounds_of(self.buckets, bucket, len(self.hashes)))
        return next((row for row in rows if self.hashes[row] == h), -1)


@kernel(plain=lambda values, first, last, value: values[first:last].fill(value))
def fill(values: Any, first: Any, last: Any, value: Any) -> None:
    """Set values[first:last] to one number; numba takes longer to compile an assignment to a slice."""
    for i in range(first, last):
        values[i] = value


@kernel
def position(entities: Any, first: Any, last: Any, wanted: Any) -> Any:
    """Return the first position in entities[first:last] (ascending) not below `wanted`, galloping from `first`."""
    stride, low, high = 1, first, first
    while high < last and entities[high] < wanted:
        low = high + 1
        high += stride
        stride *= 2
    high = min(high, last)
    while low < high:
        middle = (low + high) // 2
        if entities[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def table_size(least: Any, many: Any) -> Any:
    """Return a power of two that is `many` or more; `least` is one, too."""
    size = least
    while size < many:
        size *= 2
    return size


@kernel
def place_of(table: Any, number: Any) -> Any:
    """Return where a number is in a hash table, or where it would be; -1 is a free place, and there are some.

    table  [n] int64, n a power of 2
    """
    at = number & (len(table) - 1)
    while table[at] != number and table[at] >= 0:
        at = (at + 1) & (len(table) - 1)
    return at


@kernel
def grown(values: Any, many: Any, more: Any) -> Any:
    """Return a list of `many` numbers with room for more: the same array, or a larger one."""
    if many + more <= len(values):
        return values
    larger = np.empty(2 * (many + more), values.dtype)
    for at in range(many):
        larger[at] = values[at]
    return larger


@kernel
def note(found: Any, many: Any, seen: Any, number: Any, owner: Any) -> Any:
    """Add a number to the first `many` that were found, unless it is there for this owner; return them and how many they are.

    seen  [numbers] int64: the last owner of each
    """
    if seen[number] == owner:
        return found, many
    seen[number] = owner
    found = grown(found, many, 1)
    found[many] = number
    return found, many + 1


@kernel(plain=np.ndarray.sort)
def sort(values: Any) -> None:
    """Sort some hundred numbers [n] in place, ascending: Shell's sort, with Knuth's gaps."""
    gap = 1
    while gap < len(values) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, len(values)):
            value, at = values[i], i
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value
        gap //= 3


GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1, _MIX2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31 = np.uint64(27), np.uint64(30), np.uint64(31)


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
