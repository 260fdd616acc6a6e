"""Helpers of several kernels: positions in lists and in hash tables, other forms of a word."""

from __future__ import annotations

from typing import Any

from eigenthemes.core.jit import kernel
from eigenthemes.kernels.hashing import OFFSET, finish, step


def _fill(values: Any, first: Any, last: Any, value: Any) -> None:
    values[first:last] = value


@kernel(plain=_fill)
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
def other_form(endings: Any, lengths: Any, rule: Any, word: Any, states: Any) -> Any:
    """Return (whether the rule applies, hash of the word with the other ending); `states[i]`: its state after i bytes."""
    of_mention, of_name, letters_before = lengths[rule, 0], lengths[rule, 1], lengths[rule, 2]
    stem = len(word) - of_mention
    if stem < letters_before:
        return False, OFFSET
    for i in range(of_mention):
        if word[stem + i] != endings[rule, 0, i]:
            return False, OFFSET
    h = states[stem]
    for i in range(of_name):
        h = step(h, endings[rule, 1, i])
    return True, finish(h)


@kernel
def prefetch_lists(first: Any, last: Any, owner: Any, lists: Any, fetched: Any) -> None:
    """Read the beginning of the lists (indptr, values) of some owners: the processor fetches all of them at the same time.

    fetched  [n] of the type of the values, is written only to keep the compiler from removing the reads
    """
    for row in range(first, last):
        start = lists[0][owner[row]]
        if start < len(lists[1]):
            fetched[row] = lists[1][start]


@kernel
def place_of(table: Any, number: Any) -> Any:
    """Return where a number is in a hash table, or where it would be; -1 is a free place, and there are some.

    table  [n] int64, n a power of 2
    """
    at = number & (len(table) - 1)
    while table[at] != number and table[at] >= 0:
        at = (at + 1) & (len(table) - 1)
    return at
