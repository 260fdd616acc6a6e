"""How mentions are spelled beside the names of their candidates."""

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
    columns, asked = np.zeros((len(entity), 6), np.float32), np.zeros(len(entity), np.int64)
    for mention in range(len(bounds) - 1):
        words = mentions[0][mention], mentions[0][mention + 1]
        _ask_for(bounds[mention], bounds[mention + 1], entity, names, asked)
        for row in range(bounds[mention], bounds[mention + 1]):
            first, last = names[0][entity[row]], names[0][entity[row] + 1]
            if match_type[row] <= worst_whole:
                columns[row, COVERED] = 1
                for name in range(first, last):
                    if names[3][name] == letters[mention]:
                        columns[row, CASED] = 1
                        break
            elif match_type[row] == sharing[0] or match_type[row] == sharing[1]:
                for name in range(first, last):
                    overlap = _overlap(mentions[1], words, names[2], (names[1][name], names[1][name + 1]))
                    columns[row, OVERLAP] = max(columns[row, OVERLAP], overlap)
            elif words[1] > words[0]:
                for name in range(first, last):
                    within = names[1][name], names[1][name + 1]
                    _part(columns, row, mentions[1], words, names[2], within, name == first)
    return columns


@kernel
def _ask_for(first: Any, last: Any, entity: Any, names: Any, asked: Any) -> None:
    """Read where the names of some candidates are, all at once: later nobody waits for each in turn."""
    for row in range(first, last):
        asked[row] = names[0][entity[row]]
    for row in range(first, last):
        asked[row] = names[1][asked[row]]
    for row in range(first, last):
        if asked[row] < len(names[2]):
            asked[row] = names[2][asked[row]]


# Words are given as their list and where they stand in it: a slice of an array costs more than to compare a name.


@kernel
def _overlap(words: Any, of_mention: Any, tokens: Any, of_name: Any) -> Any:
    """Return how many words two lists have in common, as a part of those in either."""
    common = 0
    for i in range(of_mention[0], of_mention[1]):
        for k in range(of_name[0], of_name[1]):
            if words[i] == np.int64(tokens[k]):
                common += 1
                break
    return np.float32(common / max(1, of_mention[1] - of_mention[0] + of_name[1] - of_name[0] - common))


@kernel
def _part(columns: Any, row: Any, words: Any, of_mention: Any, tokens: Any, of_name: Any, is_label: Any) -> None:
    """Note where the words of a mention stand in a name, side by side."""
    size, length = of_mention[1] - of_mention[0], of_name[1] - of_name[0]
    for start in range(length - size + 1):
        same = True
        for k in range(size):
            if np.int64(tokens[of_name[0] + start + k]) != words[of_mention[0] + k]:
                same = False
                break
        if same:
            columns[row, COVERED] = max(columns[row, COVERED], np.float32(size / length))
            if start == 0:
                columns[row, BEGINS] = 1
            if start == length - size:
                columns[row, ENDS] = 1
            if is_label:
                columns[row, IN_LABEL] = 1
