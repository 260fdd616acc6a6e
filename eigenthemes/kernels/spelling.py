"""Kernels that compare the spelling of mentions with the names of their candidates."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.jit import kernel

CASED, COVERED, BEGINS, ENDS, IN_LABEL, OVERLAP = range(6)  # columns of the result


@kernel
def spelling(
    mentions: Any, letters: Any, bounds: Any, entity: Any, match_type: Any, worst_whole: Any, sharing: Any, names: Any
) -> Any:
    """Compare m mentions with the names of their candidates, those of mention i in bounds[i]:bounds[i + 1]; [n, 6] float32.

    mentions  (indptr [m + 1], tokens int64; -1: unknown to the KB); letters [m] uint64, as `SpelledNames.letters`
    entity    [n] int64; match_type [n] uint8: how its name matched, `worst_whole` and better: by a whole name;
              one of `sharing`: names share some words only
    names     (names of each entity, then the arrays of `SpelledNames`) of the KB

    CASED             matched by a whole name, and one is written in the same letters, capitals and all
    COVERED           the share of a name's words that the mention has, as a part of it; 1 for a whole name
    BEGINS, ENDS      a name begins, ends with the mention; IN_LABEL: the label contains it
    OVERLAP           of names that share some words only: words in both the mention and a name, by words in either
    """
    columns, fetched = np.zeros((len(entity), 6), np.float32), np.zeros(len(entity), np.int64)
    for mention in range(len(bounds) - 1):
        first, last = bounds[mention], bounds[mention + 1]
        begin, end = mentions[0][mention], mentions[0][mention + 1]
        _prefetch_names(first, last, entity, names, fetched)
        for row in range(first, last):
            if match_type[row] <= worst_whole:
                columns[row, COVERED] = 1
                for name in range(names[0][entity[row]], names[0][entity[row] + 1]):
                    if names[3][name] == letters[mention]:
                        columns[row, CASED] = 1
                        break
        _overlaps(columns, first, last, mentions[1], begin, end, entity, match_type, sharing, names)
        if end > begin:
            _parts(columns, first, last, mentions[1], begin, end, entity, match_type, worst_whole, sharing, names)
    return columns


@kernel
def _prefetch_names(first: Any, last: Any, entity: Any, names: Any, fetched: Any) -> None:
    """Touch the name offsets of some candidates in one pass, so that later reads hit the cache."""
    for row in range(first, last):
        fetched[row] = names[0][entity[row]]
    for row in range(first, last):
        fetched[row] = names[1][fetched[row]]
    for row in range(first, last):
        if fetched[row] < len(names[2]):
            fetched[row] = names[2][fetched[row]]


@kernel
def _overlaps(
    columns: Any,
    first: Any,
    last: Any,
    words: Any,
    begin: Any,
    end: Any,
    entity: Any,
    match_type: Any,
    sharing: Any,
    names: Any,
) -> None:
    """Note how many of its words a mention and the names of its candidates have in common, as a part of those in either."""
    for row in range(first, last):
        if match_type[row] != sharing[0] and match_type[row] != sharing[1]:
            continue
        most = np.float32(0)
        for name in range(names[0][entity[row]], names[0][entity[row] + 1]):
            common = 0
            for i in range(begin, end):
                for k in range(names[1][name], names[1][name + 1]):
                    if words[i] == np.int64(names[2][k]):
                        common += 1
                        break
            if common:
                either = max(1, end - begin + names[1][name + 1] - names[1][name] - common)
                most = max(most, np.float32(common / either))
        columns[row, OVERLAP] = most


@kernel
def _parts(
    columns: Any,
    first: Any,
    last: Any,
    words: Any,
    begin: Any,
    end: Any,
    entity: Any,
    match_type: Any,
    worst_whole: Any,
    sharing: Any,
    names: Any,
) -> None:
    """Record the positions of a mention's words in the names of its candidates.

    The words of all names of an entity are looked through at once: few of them are the first word of the mention.
    """
    size = end - begin
    for row in range(first, last):
        if match_type[row] <= worst_whole or match_type[row] == sharing[0] or match_type[row] == sharing[1]:
            continue
        label, beyond = names[0][entity[row]], names[0][entity[row] + 1]
        name = label
        for at in range(names[1][label], names[1][beyond]):
            if np.int64(names[2][at]) != words[begin]:
                continue
            while names[1][name + 1] <= at:
                name += 1
            same = at + size <= names[1][name + 1]
            for k in range(1, size if same else 1):
                same = same and np.int64(names[2][at + k]) == words[begin + k]
            if same:
                covered = np.float32(size / (names[1][name + 1] - names[1][name]))
                columns[row, COVERED] = max(columns[row, COVERED], covered)
                if at == names[1][name]:
                    columns[row, BEGINS] = 1
                if at + size == names[1][name + 1]:
                    columns[row, ENDS] = 1
                if name == label:
                    columns[row, IN_LABEL] = 1
