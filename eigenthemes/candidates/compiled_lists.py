"""Entities in several posting lists, compiled: those of the shortest, some at a time, are looked for in the others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eigenthemes.core.jit import kernel
from eigenthemes.kernels.common import position

SOME = 16  # entities that are looked for at a time: none waits for the memory of another


class Lists(NamedTuple):
    """Lists of ascending entities that are read."""

    at: Any  # where each is read, and where it ends
    ends: Any
    some: Any  # [SOME] uint32: entities that are in all, and whether the label of each begins with the first token
    begin: Any
    places: Any  # [SOME]: where they are in one list
    hits: Any  # room for entities


def lists_buffers(lists: int, hits: int) -> Lists:
    """Allocate buffers for so many lists, and so many entities of them."""
    return Lists(
        np.empty(lists, dtype=np.int64),
        np.empty(lists, dtype=np.int64),
        np.empty(SOME, dtype=np.uint32),
        np.empty(SOME, dtype=np.bool_),
        np.empty(SOME, dtype=np.int64),
        np.empty(hits, dtype=np.uint32),
    )


@kernel
def open_lists(tokens: Any, indptr: Any, lists: Any) -> Any:
    """Write where the posting lists of tokens begin and end, shortest first.

    Returns where the shortest begins and ends, and which one is that of the first token.
    """
    at, ends, of_first = lists.at, lists.ends, 0
    for i in range(len(tokens)):
        first, last = indptr[tokens[i]], indptr[tokens[i] + 1]
        j = i
        while j > 0 and last - first < ends[j - 1] - at[j - 1]:
            at[j], ends[j] = at[j - 1], ends[j - 1]
            j -= 1
        at[j], ends[j] = first, last
        of_first += i > 0 and j <= of_first
    return at[0], ends[0], of_first


@kernel
def next_in_all(posting: Any, last: Any, of_first: Any, count: Any, postings: Any, labels_only: Any, lists: Any) -> Any:
    """Write those of the next entities of the first of `count` lists, from `posting` on, that are in all, into `some`.

    Returns where to go on, `last` where there are no more, and how many there are.
    """
    entities, in_label, begins = postings.entities, postings.in_label, postings.begins
    some, begin, places = lists.some, lists.begin, lists.places
    held, after = 0, min(last, posting + SOME)
    for entry in range(posting, after):
        if not labels_only or in_label[entry] != 0:
            some[held], begin[held] = entities[entry], begins[entry]
            held += 1
    for i in range(1, count):
        if held == 0:
            break
        first, end = lists.at[i], lists.ends[i]
        lists.at[i] = position(entities, first, end, some[held - 1])
        if lists.at[i] == end:
            after = last
        find_places(entities, first, min(lists.at[i] + 1, end), some, held, places)
        left = 0
        for k in range(held):
            place = places[k]
            if entities[place] == some[k] and (not labels_only or in_label[place] != 0):
                some[left], begin[left] = some[k], begins[place] if i == of_first else begin[k]
                left += 1
        held = left
    return after, held


@kernel
def find_places(entities: Any, first: Any, last: Any, wanted: Any, count: Any, places: Any) -> None:
    """Write where each of the first `count` wanted entities is in entities[first:last] (ascending, not empty).

    Of one that is not there, the place of another. All are looked for in step, without a branch.
    """
    for k in range(count):
        places[k] = first
    size = last - first
    while size > 1:
        half = size // 2
        for k in range(count):
            places[k] += half if entities[places[k] + half] <= wanted[k] else 0
        size -= half
