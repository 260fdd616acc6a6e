"""The support that candidates of other names give, against a computation with sets and dicts."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eigenthemes.ranking.features.connections import (
    EDGES,
    LEAST,
    LONGER,
    SAME,
    SHARED,
    SHARED_RARE,
    Connections,
    connect,
    sum_support,
)

Floats = NDArray[np.float64]
MOST = 3  # neighbours that are walked: few, so that many an entity has more


# what the graph says


class Case(NamedTuple):
    """Documents as lists of names, each a list of (entity, weight); `longer[document][name]`: numbers of longer names."""

    neighbors: list[list[int]]
    documents: list[list[list[tuple[int, float]]]]
    longer: list[list[list[int]]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    size = draw(st.integers(2, 9))
    pairs = list(itertools.combinations(range(size), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True))
    neighbors: list[list[int]] = [[] for _ in range(size)]
    for a, b in edges:
        neighbors[a].append(b)
        neighbors[b].append(a)
    weights = st.sampled_from([0.0, LEAST / 3, 0.01, 0.25, 0.5, 0.75, 1.0])
    name = st.lists(st.tuples(st.integers(0, size - 1), weights), max_size=4, unique_by=lambda row: row[0])
    documents = draw(st.lists(st.lists(name, max_size=5), max_size=3))
    longer: list[list[list[int]]] = []
    for names in documents:
        others = [[t for t in range(len(names)) if t != s] for s in range(len(names))]
        longer.append([draw(st.lists(st.sampled_from(each), unique=True, max_size=2)) if each else [] for each in others])
    return Case([sorted(each) for each in neighbors], documents, longer)


def rarities(neighbors: list[list[int]]) -> list[float]:
    return [1 - math.log1p(len(each)) / math.log1p(max(1, len(neighbors))) for each in neighbors]


def scratch_of(size: int) -> tuple[Any, Any]:
    return np.zeros(size, np.int32), np.zeros(1, np.int64)


def bounds_of(counts: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(np.array(counts, np.int64)))).astype(np.int64)


def by_kernel(case: Case, scratch: Any = None, *, plain: bool = False, considered: Any = None) -> Floats:
    names = [name for document in case.documents for name in document]
    rows = [row for name in names for row in name]
    longer = [each for document in case.longer for each in document]
    graph = (
        bounds_of([len(each) for each in case.neighbors]),
        np.array([other for each in case.neighbors for other in each], np.uint32),
        np.array(rarities(case.neighbors), np.float32),
    )
    rows_of = bounds_of([len(document) for document in case.documents]), bounds_of([len(name) for name in names])
    entity = np.array([entity for entity, _ in rows], np.int64)
    weight = np.array([weight for _, weight in rows], np.float32)
    further = bounds_of([len(each) for each in longer]), np.array([other for each in longer for other in each], np.int64)
    walk, add_up = (connect.plain, sum_support.plain) if plain else (connect, sum_support)
    chosen = weight != 0 if considered is None else np.full(len(weight), considered)
    connections = Connections(*walk(*rows_of, entity, chosen, graph, MOST, scratch or scratch_of(len(case.neighbors))))
    found = add_up(*rows_of, weight, further, connections)
    return np.asarray(found)


def by_hand(case: Case) -> Floats:
    """The docstring of `sum_support` with sets and dicts."""
    near, rarity = [set(each) for each in case.neighbors], rarities(case.neighbors)
    walked = [set(each[:MOST]) for each in case.neighbors]
    found = []
    for names, longer in zip(case.documents, case.longer, strict=True):
        for s, name in enumerate(names):
            others = {t: dict(other) for t, other in enumerate(names) if t != s}
            for entity, weight in name:
                row = [0.0] * 5
                if weight == 0:
                    found.append(row)
                    continue
                for candidates in others.values():
                    row[EDGES] += min(1, sum(w for e, w in candidates.items() if w >= LEAST and e in near[entity]))
                for neighbor in walked[entity]:
                    every = [(e, w) for candidates in others.values() for e, w in candidates.items() if w >= LEAST]
                    mass = min(1, sum(w for e, w in every if neighbor in walked[e]))
                    row[SHARED] += mass
                    row[SHARED_RARE] += mass * rarity[neighbor]
                said = {t: candidates[entity] for t, candidates in others.items() if entity in candidates}
                row[LONGER] = max((w for t, w in said.items() if t in longer[s]), default=0)
                row[SAME] = min(1, sum(w for t, w in said.items() if t not in longer[s]))
                found.append(row)
    return np.array(found).reshape(-1, 5)


@given(cases())
@settings(max_examples=40)
def test_support_is_what_its_docstring_says(case: Case) -> None:
    assert by_kernel(case) == pytest.approx(by_hand(case), abs=1e-5)


@given(cases())
def test_plain_python_computes_the_same_bits(case: Case) -> None:
    assert np.array_equal(by_kernel(case, plain=True), by_kernel(case))


@given(cases(), cases())
def test_scratch_can_be_used_again(case: Case, other: Case) -> None:
    size = max(len(case.neighbors), len(other.neighbors))
    scratch = scratch_of(size)
    expected = by_kernel(case)
    for _ in range(2):
        assert np.array_equal(by_kernel(case, scratch), expected)
        by_kernel(other, scratch)


@given(cases())
def test_who_is_considered_and_has_no_weight_changes_nothing(case: Case) -> None:
    """In later rounds candidates have become hopeless: what they have to do with others stays, and counts for nobody."""
    assert by_kernel(case, considered=True) == pytest.approx(by_kernel(case), abs=1e-9)


@given(cases())
def test_documents_do_not_see_each_other_in_the_graph(case: Case) -> None:
    apart = [by_kernel(Case(case.neighbors, [d], [x])) for d, x in zip(case.documents, case.longer, strict=True)]
    assert np.array_equal(by_kernel(case), np.concatenate([np.zeros((0, 5)), *apart]))


@pytest.fixture(scope="module")
def hub_graph() -> list[list[int]]:
    """Entity 0 has many neighbours, 1 is a second hub with the same ones; the others have these two."""
    last = MOST + 188
    leaves = list(range(2, last + 2))
    return [leaves, leaves, *[[0, 1] for _ in leaves]]


def test_an_edge_of_a_hub_is_seen_however_far_down_its_list(hub_graph: list[list[int]]) -> None:
    far = len(hub_graph) - 1
    case = Case(hub_graph, [[[(0, 0.5)], [(far, 0.25), (2, 1.0)], [(far, 0.5)]]], [[[], [], []]])
    found = by_kernel(case)
    assert found == pytest.approx(by_hand(case), abs=1e-5)
    assert found[:, EDGES].tolist() == [1.5, 0.5, 0.5, 0.5]  # both candidates of the second name together: 1 at most


def test_of_a_hub_the_first_neighbours_are_walked(hub_graph: list[list[int]]) -> None:
    case = Case(hub_graph, [[[(0, 1.0)], [(1, 1.0)]]], [[[], []]])
    found = by_kernel(case)
    assert found == pytest.approx(by_hand(case), abs=1e-3)
    assert found[:, SHARED].tolist() == [MOST, MOST]


def test_hubs_among_others_are_as_by_hand(hub_graph: list[list[int]]) -> None:
    far = len(hub_graph) - 1
    names = [[(0, 0.5), (far, 0.5)], [(1, 0.3), (0, 0.7)], [(5, 1.0), (0, 0.2)]]
    case = Case(hub_graph, [names, names[:2]], [[[2], [], [0]], [[1], []]])
    assert by_kernel(case) == pytest.approx(by_hand(case), abs=1e-3)


def test_hubs_cost_no_pairs_of_candidates(hub_graph: list[list[int]]) -> None:
    def seconds(names: int) -> float:
        case = Case(hub_graph, [[[(0, 0.5), (1, 0.5)]] * names], [[[]] * names])
        start = time.process_time()
        by_kernel(case)
        return time.process_time() - start

    seconds(10)
    few, many = (min(seconds(names) for _ in range(3)) for names in (2000, 8000))
    assert many < 8 * few  # four times the names: four times the time; pairs would take sixteen times as long


def test_support_of_others_only() -> None:
    """A single name has no themes, however many candidates it has."""
    graph = [[1, 2], [0, 2], [0, 1]]
    found = by_kernel(Case(graph, [[[(0, 0.5), (1, 0.3), (2, 0.2)]]], [[[]]]))
    assert not found.any()
