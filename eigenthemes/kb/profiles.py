"""Profiles of entities: the words of their descriptions and of their neighbours' labels."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import fill, note, place_of, sort, table_size
from eigenthemes.core.jit import kernel
from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.kb.data_files import StoredArrays
from eigenthemes.kb.name_arrays import SpelledNames
from eigenthemes.kb.store import KB
from eigenthemes.text.normalize import normalize
from eigenthemes.text.segment import FUNCTION_WORDS

_CHUNK = 20_000  # descriptions


@dataclass(frozen=True, slots=True)
class EntityProfiles(StoredArrays):
    """The words of each entity, and how rare they are.

    indptr  [n + 1] int64
    words   [q] uint32: those of entity i are words[indptr[i]:indptr[i + 1]], in order
    rarity  [tokens] float32: log of the number of profiles over the number of those with the word; 0: no profile has it
    """

    FILES = ("profile_indptr", "profile_words", "profile_rarity")

    indptr: NDArray[np.int64]
    words: NDArray[np.uint32]
    rarity: NDArray[np.float32]

    @property
    def lists(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The words of each entity, as kernels take them."""
        return self.indptr, self.words


def collect_profiles(kb: KB, spelled: SpelledNames) -> EntityProfiles:
    """Collect the profiles of the entities of a KB, given how its names are spelled."""
    many = len(kb.name_index.tokens)
    names = kb.array("entity_names"), spelled.indptr, spelled.tokens
    graph = kb.graph.indptr, kb.graph.neighbors
    collect = collect_words.select_backend(len(kb.graph.neighbors) + len(spelled.tokens))
    indptr, words = _without_function_words(kb, *collect(_words_of_descriptions(kb), names, graph, many))
    counts = np.bincount(words, minlength=many)
    having = np.count_nonzero(np.diff(indptr))
    rarity = np.where(counts > 0, np.log(max(1, having) / np.maximum(1, counts)), 0.0)
    return EntityProfiles(indptr, words, rarity.astype(np.float32))


def _without_function_words(
    kb: KB, indptr: NDArray[np.int64], words: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Remove function words from profiles; in a small KB they look as rare as content words."""
    found = kb.name_index.token_table.find_all(hash_strings(Strings.of(sorted(FUNCTION_WORDS))))
    is_content = np.ones(len(kb.name_index.tokens), dtype=bool)
    is_content[found[found >= 0]] = False
    kept = is_content[words]
    return np.concatenate(([0], np.cumsum(kept)))[indptr], words[kept]


def _words_of_descriptions(kb: KB) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the words of each description (indptr [n + 1], words, -1 where no name has it)."""
    counts, found = np.zeros(len(kb), np.int64), [np.zeros(0, np.int64)]
    for first in range(0, len(kb), _CHUNK):
        rows = range(first, min(len(kb), first + _CHUNK))
        words = [normalize(text).split() if (text := kb.description_of(row)) else [] for row in rows]
        counts[first : rows.stop] = [len(of_row) for of_row in words]
        hashes = hash_strings(Strings.of([word for of_row in words for word in of_row]))
        found.append(kb.name_index.token_table.find_all(hashes))
    return np.concatenate(([0], np.cumsum(counts))), np.concatenate(found)


NEIGHBORS = 40  # of an entity, whose labels count: the first ones, which are those of the highest prior
_SMOOTHING = 5.0  # words added to the size of every profile, so that short ones do not weigh too much
_MARKS = 2048  # a table that excludes most words that are in no window; a power of 2
_LEAST_ROOM, _ROOM_PER_WORD = 128, 4  # of the table of the words of a window, a power of 2


@kernel
def collect_words(descriptions: Any, names: Any, graph: Any, words: Any) -> Any:
    """Return the profile of each entity, its distinct words in order: (indptr [n + 1] int64, words [q] uint32).

    descriptions  (indptr [n + 1], words, -1 for one that is not counted)
    names         (names of each entity [n + 1], indptr [names + 1], words of each name): the first name is the label
    graph         (indptr [n + 1], neighbors)
    words         how many there are

    The words of its description and of its neighbours' labels, without those of its own names. None for an entity without name.
    """
    seen = np.full(words, -1, np.int64)
    indptr = np.zeros(len(names[0]), np.int64)
    found = np.zeros(1024, np.uint32)
    many = 0
    for entity in range(len(indptr) - 1):
        first = many
        for k in range(names[1][names[0][entity]], names[1][names[0][entity + 1]]):
            seen[names[2][k]] = entity
        if names[0][entity + 1] > names[0][entity]:
            for k in range(descriptions[0][entity], descriptions[0][entity + 1]):
                if descriptions[1][k] >= 0:
                    found, many = note(found, many, seen, descriptions[1][k], entity)
            left = NEIGHBORS
            for k in range(graph[0][entity], graph[0][entity + 1]):
                label = names[0][graph[1][k]]
                if label < names[0][graph[1][k] + 1] and left > 0:
                    left -= 1
                    for w in range(names[1][label], names[1][label + 1]):
                        found, many = note(found, many, seen, names[2][w], entity)
        sort(found[first:many])
        indptr[entity + 1] = many
    return indptr, np.copy(found[:many])


@kernel
def overlap(windows: Any, bounds: Any, entity: Any, profiles: Any, rarity: Any) -> Any:
    """Compute how much of the words around each name belongs to each candidate [n] float64.

    windows   (indptr [m + 1], words [q] int64): the words around each name, -1 for one that is not counted
    bounds    [m + 1] candidates of each name; entity [n] int64
    profiles  (indptr, words) as of `collect_words`; rarity [words] float32

    The sum of the rarity of the words that are in both, divided by the root of the size of the profile.
    """
    result = np.zeros(len(entity), np.float64)
    room, may_have = np.zeros(0, np.int64), np.zeros(_MARKS, np.bool_)
    for name in range(len(bounds) - 1):
        first, last = windows[0][name], windows[0][name + 1]
        if first == last or bounds[name] == bounds[name + 1]:
            continue
        size = table_size(_LEAST_ROOM, _ROOM_PER_WORD * (last - first))
        if size > len(room):
            room = np.zeros(size, np.int64)
        table = room[:size]
        fill(table, 0, size, -1)
        for k in range(first, last):
            if windows[1][k] >= 0:
                may_have[windows[1][k] & (_MARKS - 1)] = True
                table[place_of(table, windows[1][k])] = windows[1][k]
        for row in range(bounds[name], bounds[name + 1]):
            start, stop = profiles[0][entity[row]], profiles[0][entity[row] + 1]
            total = 0.0
            for k in range(start, stop):
                word = np.int64(profiles[1][k])
                if may_have[word & (_MARKS - 1)] and table[place_of(table, word)] == word:
                    total += float(rarity[word])
            if total > 0:
                result[row] = total / sqrt(_SMOOTHING + (stop - start))
        for k in range(first, last):
            may_have[windows[1][k] & (_MARKS - 1)] = False
    return result
