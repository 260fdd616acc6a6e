"""Words of entities, and those around a name, against plain Python."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from helpers.graphs import graph_of
from helpers.kernels import same_bits
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.kb.profiles import NEIGHBORS, collect_words, overlap

WORDS = 9


def lists(parts: list[list[int]], kind: Any = np.int64) -> tuple[Any, Any]:
    indptr = np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64)
    return indptr, np.array([each for part in parts for each in part], dtype=kind)


words = st.lists(st.integers(0, WORDS - 1), max_size=4)


@given(st.lists(st.lists(words, max_size=3), min_size=5, max_size=5), st.lists(words, min_size=5, max_size=5))
def test_profiles_are_what_plain_python_collects(names: list[list[list[int]]], descriptions: list[list[int]]) -> None:
    graph = graph_of([(0, 1), (0, 2), (1, 3), (3, 4)], 5)
    entity_names = np.concatenate(([0], np.cumsum([len(of_entity) for of_entity in names]))).astype(np.int64)
    name_indptr, tokens = lists([name for of_entity in names for name in of_entity], np.uint32)
    spelled, near = (entity_names, name_indptr, tokens), (graph.indptr, graph.neighbors)
    found = same_bits(collect_words, lists(descriptions), spelled, near, WORDS)
    for entity, of_entity in enumerate(names):
        near = [word for other in graph.around(entity).tolist() for word in (names[other][0] if names[other] else [])]
        own = {word for name in of_entity for word in name}
        expected = sorted({*descriptions[entity], *near} - own) if of_entity else []
        assert found[1][found[0][entity] : found[0][entity + 1]].tolist() == expected


def test_unknown_words_and_far_neighbours_do_not_count() -> None:
    many = NEIGHBORS + 10
    graph = graph_of([(0, other) for other in range(1, many + 1)], many + 1)
    names = np.arange(many + 2), np.arange(many + 2), np.arange(many + 1, dtype=np.uint32)
    descriptions = np.array([0, 2, *([2] * many)]), np.array([-1, many])
    indptr, found = collect_words(descriptions, names, (graph.indptr, graph.neighbors), many + 1)
    assert found[: indptr[1]].tolist() == [*range(1, NEIGHBORS + 1), many]


windows_of_words = st.lists(st.lists(st.integers(-1, WORDS - 1), max_size=40), min_size=1, max_size=4)


@given(windows_of_words, st.lists(words, min_size=3, max_size=3), st.integers(0, 2))
def test_overlap_is_what_plain_python_sums(windows: list[list[int]], profiles: list[list[int]], first: int) -> None:
    profiles = [sorted(set(each)) for each in profiles]
    rarity = np.linspace(0.5, 3, WORDS).astype(np.float32)
    entity = np.array([first, 2] * len(windows), np.int64)
    found = same_bits(overlap, lists(windows), 2 * np.arange(len(windows) + 1), entity, lists(profiles, np.uint32), rarity)
    expected = [
        sum(float(rarity[word]) for word in set(window) if word in profiles[each]) / sqrt(5 + len(profiles[each]))
        for window in windows
        for each in (first, 2)
    ]
    assert found == pytest.approx(expected)


def test_words_that_share_a_place_are_told_apart() -> None:
    rarity = np.ones(10_000, np.float32)
    window, profiles = [1, 4097, 8193], [[2049], [1], [1, 8193], [2]]
    found = same_bits(overlap, lists([window]), np.array([0, 4]), np.arange(4), lists(profiles, np.uint32), rarity)
    assert found == pytest.approx([0.0, 1 / sqrt(6), 2 / sqrt(7), 0.0])
