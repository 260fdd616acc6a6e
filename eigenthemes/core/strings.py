"""Many strings as two flat arrays: UTF-8 bytes and offsets; and their hashes.

The hash is FNV-1a (64 bit) with a final mix. It is written three times, for one string (here), for many at once (here, numpy)
and inside the batch kernels (`core.array_kernels`); a test compares them.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

FNV_OFFSET = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3
MIX = 0x9E3779B97F4A7C15
_MASK = 0xFFFFFFFFFFFFFFFF
_ROWS = 1 << 16
S = TypeVar("S", bound="Strings")
_MARKED = 1 << 20  # hashes that are marked at a time
_FEW_BYTES = 128
_LONG = 1024  # bytes from which a string is hashed on its own


class OutOfBoundsError(Exception):
    """An offset is outside of its array: the file is damaged."""


def bounds_of(bounds: NDArray[Any], row: int, size: int) -> tuple[int, int]:
    """Return the begin and end of part `row`; `bounds` divide an array of `size` entries into parts."""
    first, last = int(bounds[row]), int(bounds[row + 1])
    if not 0 <= first <= last <= size:
        raise OutOfBoundsError(f"part {row:,} is {first:,} to {last:,}, of {size:,}")
    return first, last


def check_bounds(bounds: NDArray[Any], rows: NDArray[np.int64], size: int) -> None:
    """Raise an error if one of the parts `rows` does not lie within an array of `size` entries."""
    first, last = bounds[rows], bounds[rows + 1]
    for row in rows[(first < 0) | (first > last) | (last > size)]:
        bounds_of(bounds, int(row), size)


class StringBuilder:
    """Collects strings as UTF-8 bytes; `strings` returns them as arrays."""

    def __init__(self) -> None:
        self.blob = bytearray()
        self.ends = array("q")

    def append(self, text: str) -> None:
        """Add a string at the end."""
        self.blob += _encode(text)
        self.ends.append(len(self.blob))

    def extend(self, other: StringBuilder) -> None:
        """Add the strings of another builder at the end."""
        base = len(self.blob)
        self.blob += other.blob
        shifted = np.frombuffer(other.ends, dtype=np.int64) + base
        self.ends.frombytes(shifted.tobytes())

    def __len__(self) -> int:
        return len(self.ends)

    def strings(self) -> Strings:
        """Return the strings as arrays; nothing may be appended afterwards."""
        offsets = np.zeros(len(self.ends) + 1, dtype=np.int64)
        if self.ends:
            offsets[1:] = np.frombuffer(self.ends, dtype=np.int64)
        return Strings(np.frombuffer(self.blob, dtype=np.uint8), offsets)


def _encode(text: str) -> bytes:
    # A lone surrogate (from a broken JSON escape) cannot be written as UTF-8: it becomes U+FFFD.
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


@dataclass(frozen=True, slots=True)
class Strings(Sequence[str]):
    """A read-only list of strings: `blob` [bytes] uint8, `offsets` [n + 1] int64."""

    blob: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Strings:
        """Return the strings as arrays."""
        encoded = [_encode(text) for text in texts]
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(text) for text in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            return list(part_of(self, first, last))[::step]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.raw(index).decode("utf-8")

    def raw(self, index: int) -> bytes:
        """Return the UTF-8 bytes of one string."""
        return self.blob[self.offsets[index] : self.offsets[index + 1]].tobytes()

    def __iter__(self) -> Iterator[str]:
        blob = self.blob.tobytes()
        bounds = self.offsets.tolist()
        return (blob[a:b].decode("utf-8") for a, b in pairwise(bounds))

    def holding(self, text: str) -> NDArray[np.int64]:
        """Return the rows of the strings that contain a text, ascending."""
        sought = re.escape(text.encode("utf-8"))
        starts = np.array([match.start() for match in re.finditer(sought, self.blob.data)], dtype=np.int64)
        rows = np.searchsorted(self.offsets, starts, side="right") - 1
        return np.unique(rows[starts + len(text.encode("utf-8")) <= self.offsets[rows + 1]])

    def take(self, rows: NDArray[Any]) -> Strings:
        """Return the strings of `rows`, in that order, as new arrays."""
        lengths = self.offsets[1:][rows] - self.offsets[:-1][rows]
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        blob = np.empty(offsets[-1], dtype=np.uint8)
        for first in range(0, len(rows), _ROWS):  # the index of every byte takes 8: so in blocks of rows
            last = min(first + _ROWS, len(rows))
            a, b = offsets[first], offsets[last]
            shift = self.offsets[:-1][rows[first:last]] - offsets[first:last]
            blob[a:b] = self.blob[np.repeat(shift, lengths[first:last]) + np.arange(a, b)]
        return Strings(blob, offsets)


def part_of(strings: S, first: int, last: int) -> S:
    """Return the strings of consecutive rows; only the offsets are copied."""
    offsets = strings.offsets[first : last + 1]
    return replace(strings, blob=strings.blob[offsets[0] : offsets[-1]], offsets=offsets - offsets[0])


def hash_bytes(data: bytes) -> int:
    """Return the hash of one string: FNV-1a with a final mix."""
    h = FNV_OFFSET
    for byte in data:
        h = ((h ^ byte) * FNV_PRIME) & _MASK
    return finish_hash(h)


def finish_hash(h: int) -> int:
    """Apply the final mix."""
    h ^= h >> 32
    return ((h * MIX) & _MASK) ^ (h >> 29)


def hash_strings(strings: Strings) -> NDArray[np.uint64]:
    """Return `hash_bytes` of every string, one column of bytes at a time; few or long strings one by one, which is faster."""
    if strings.blob.size <= _FEW_BYTES:
        return np.array([hash_bytes(strings.raw(row)) for row in range(len(strings))], dtype=np.uint64)
    starts, lengths = strings.offsets[:-1], np.diff(strings.offsets)
    is_long = lengths >= _LONG
    order = np.argsort(-lengths, kind="stable")
    order = order[np.count_nonzero(is_long) :]  # the long ones, which come first, would take a step for each of their bytes
    starts, lengths = starts[order], lengths[order]
    longer = np.searchsorted(-lengths, -np.arange(int(lengths[0]) if len(lengths) else 0), side="left")
    h = np.full(len(order), FNV_OFFSET, dtype=np.uint64)
    for position, count in enumerate(longer.tolist()):
        h[:count] ^= strings.blob[starts[:count] + position]
        h[:count] *= np.uint64(FNV_PRIME)
    hashes = np.empty(len(strings), dtype=np.uint64)
    hashes[order] = mix(h)
    for row in np.flatnonzero(is_long).tolist():
        hashes[row] = hash_bytes(strings.raw(row))
    return hashes


def mix(h: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply the final mix of the hash to an array."""
    h = h ^ (h >> np.uint64(32))
    return (h * np.uint64(MIX)) ^ (h >> np.uint64(29))


def bit_filter(hashes: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Set one bit for the low bits of each hash, [2^b / 8] uint8: it fits into the cache and rules out most unknown hashes."""
    bits = max(3, int(8 * len(hashes)).bit_length())
    marked = np.zeros(1 << bits >> 3, dtype=np.uint8)
    for first in range(0, len(hashes), _MARKED):
        bit = (hashes[first : first + _MARKED] & np.uint64((1 << bits) - 1)).astype(np.int64)
        bit.sort()  # those of one byte follow one another
        byte, begins = np.unique(bit >> 3, return_index=True)
        marked[byte] |= np.bitwise_or.reduceat(np.uint8(1) << (bit & 7).astype(np.uint8), begins)
    return marked
