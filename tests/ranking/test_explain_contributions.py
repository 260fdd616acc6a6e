"""Who contributed what to a candidate: the same sums as the ranker's features, by the same kernel."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from helpers.explaining import assert_contributions_give_the_features
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eigenthemes import KB
from eigenthemes.pipeline.batch import batch_maker
from eigenthemes.ranking.features import COLUMNS, FeatureContext
from eigenthemes.ranking.features.connections import (
    EDGES,
    LEAST,
    LONGER,
    LONGEST,
    SAME,
    SHARED,
    SHARED_RARE,
    Connections,
    connect,
    sum_support,
)
from eigenthemes.ranking.features.nil import NIL_COLUMNS
from eigenthemes.ranking.features.support import share_support
from eigenthemes.ranking.ranker import Ranker, Weights, rank_batch
from eigenthemes.records import Document, Mention

Floats = NDArray[np.float64]
MOST = 3  # neighbours that are walked: few, so that many an entity has more
Row = tuple[int, float]  # entity, weight


class Case(NamedTuple):
    """A graph and a document: names as lists of rows; `longer[name]`: numbers of longer names."""

    neighbors: list[list[int]]
    names: list[list[Row]]
    longer: list[list[int]]

    @property
    def rows(self) -> list[Row]:
        return [row for name in self.names for row in name]

    @property
    def name_of(self) -> list[int]:
        return [number for number, name in enumerate(self.names) for _ in name]

    def connections(self) -> Connections:
        """What its candidates have to do with each other."""
        size = len(self.neighbors)
        degree = np.array([len(near) for near in self.neighbors])
        rarity = (1 - np.log1p(degree) / np.log1p(size)).astype(np.float32)
        graph = bounds_of(degree.tolist()), np.array([node for near in self.neighbors for node in near], np.uint32), rarity
        entity = np.array([entity for entity, _ in self.rows], np.int64)
        documents, scratch = np.array([0, len(self.names)]), (np.zeros(size, np.int32), np.zeros(1, np.int64))
        return Connections(*connect(documents, self.bounds, entity, self.weight != 0, graph, MOST, scratch))

    @property
    def bounds(self) -> NDArray[np.int64]:
        return bounds_of([len(name) for name in self.names])

    @property
    def weight(self) -> NDArray[np.float32]:
        return np.array([weight for _, weight in self.rows], np.float32)

    def arrays(self) -> tuple[Any, ...]:
        """The arguments of the kernel after the names."""
        longer = bounds_of([len(names) for names in self.longer]), np.array(list(itertools.chain(*self.longer)), np.int64)
        return self.weight, longer, self.connections()

    def shares(self, row: int) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
        """Who contributed what to a row."""
        longer = np.array(self.longer[self.name_of[row]], np.int64)
        parts, positions, nodes = share_support(row, 0, len(self.rows), self.weight, longer, self.connections())
        return np.stack(parts, axis=1), positions, nodes


def bounds_of(counts: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(np.array(counts, np.int64)))).astype(np.int64)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    size = draw(st.integers(2, 9))
    edges = draw(st.lists(st.sampled_from(list(itertools.combinations(range(size), 2))), unique=True))
    neighbors = [sorted({a for a, b in edges if b == node} | {b for a, b in edges if a == node}) for node in range(size)]
    weights = st.sampled_from([0.0, LEAST / 3, LEAST, 0.01, 0.25, 0.5, 0.75, 1.0])
    name = st.lists(st.tuples(st.integers(0, size - 1), weights), max_size=4, unique_by=lambda row: row[0])
    names = draw(st.lists(name, min_size=1, max_size=5))
    others = [[t for t in range(len(names)) if t != s] for s in range(len(names))]
    longer = [draw(st.lists(st.sampled_from(each), unique=True, max_size=2)) if each else [] for each in others]
    return Case(neighbors, names, longer)


def hubs(names: int) -> Case:
    """Two hubs with more neighbours than are walked, as candidates of many names, and one of their last neighbours."""
    leaves = list(range(2, MOST + 100))
    rows = [[(0, 0.5), (1, 0.4)], [(leaves[-1], 0.9), (0, 0.1)], *[[(0, 0.7), (2, 0.3)]] * names]
    return Case([leaves, leaves, *[[0, 1] for _ in leaves]], rows, [[1], [], *[[0]] * names])


@given(cases())
@example(hubs(1))
@example(hubs(LONGEST + 10))
@settings(max_examples=40)
def test_contributions_sum_up_to_the_columns(case: Case) -> None:
    arrays = case.arrays()
    columns = sum_support(np.array([0, len(case.names)]), case.bounds, *arrays)
    for row, name in enumerate(case.name_of):
        parts, places, numbers = case.shares(row)
        nodes = arrays[-1].entities[numbers]
        assert parts.sum(axis=0) == pytest.approx(columns[row], rel=1e-5, abs=1e-5)
        assert (parts >= 0).all()
        assert not parts[np.array(case.name_of) == name].any()
        assert_meetings(case, row, parts, places.tolist(), nodes.tolist())
        if parts[:, LONGER].any():
            assert parts[:, LONGER].max() == columns[row, LONGER]


def assert_meetings(case: Case, row: int, parts: Floats, places: list[int], nodes: list[int]) -> None:
    """Whoever meets the candidate shares that neighbour with it, and whoever shares one has met it somewhere."""
    near = [set(case.neighbors[entity][:MOST]) for entity, _ in case.rows]
    assert all(node in near[row] and node in near[place] for place, node in zip(places, nodes, strict=True))
    assert set(places) == set(np.flatnonzero(parts[:, SHARED]).tolist())
    assert (parts[:, SHARED_RARE] <= parts[:, SHARED] + 1e-9).all()
    adjacent = [place for place, (entity, _) in enumerate(case.rows) if entity in case.neighbors[case.rows[row][0]]]
    assert set(np.flatnonzero(parts[:, EDGES]).tolist()) <= set(adjacent)
    same = [place for place, (entity, _) in enumerate(case.rows) if entity == case.rows[row][0]]
    assert set(np.flatnonzero(parts[:, LONGER] + parts[:, SAME]).tolist()) <= set(same)


def parts_of(case: Case, row: int) -> Floats:
    return case.shares(row)[0]


def test_a_capped_sum_is_shared_by_weight() -> None:
    names = [[(0, 1.0)], [(1, 0.9)], [(1, 0.6)]]
    shared = parts_of(Case([[2], [2], [0, 1]], names, [[], [], []]), 0)
    assert shared[:, SHARED].tolist() == pytest.approx([0, 0.6, 0.4])
    same = parts_of(Case([[]], [[(0, 1.0)], [(0, 0.9)], [(0, 0.6)]], [[], [], []]), 0)
    assert same[:, SAME].tolist() == pytest.approx([0, 0.6, 0.4])
    edges = parts_of(Case([[1, 2], [0], [0]], [[(0, 1.0)], [(1, 0.9), (2, 0.6)]], [[], []]), 0)
    assert edges[:, EDGES].tolist() == pytest.approx([0, 0.6, 0.4])


def test_of_longer_names_the_likeliest_contributes() -> None:
    names = [[(0, 1.0)], [(0, 0.3)], [(0, 0.8)], [(0, 0.1)]]
    parts = parts_of(Case([[]], names, [[1, 2], [], [], []]), 0)
    assert parts[:, LONGER].tolist() == pytest.approx([0, 0, 0.8, 0])
    assert parts[:, SAME].tolist() == pytest.approx([0, 0, 0, 0.1])


def test_contributions_give_the_features_of_the_ranker(tiny: KB) -> None:
    names = ("Michael Jordan", "Jordan", "Paris", "National Basketball Association", "U.S.", "Iowa", "MJ")
    batch = batch_maker(tiny, needs_vectors=True).make(
        [Document(mentions=tuple(map(Mention, names[first:]))) for first in range(3)]
    )
    context = FeatureContext(tiny, tiny.vectors())
    zeros = [np.zeros(width) for width in (COLUMNS.index("coherence"), len(COLUMNS))]
    rounds = [Weights(choice, np.zeros(len(NIL_COLUMNS) + len(choice))) for choice in zeros]
    ranking = rank_batch(Ranker(tuple(rounds)), batch, context)
    assert assert_contributions_give_the_features(ranking, context)
    for columns in (("edges", "shared_rare", "shared"), ("longer_name", "same_entity")):
        assert ranking.features[:, [COLUMNS.index(column) for column in columns]].any()
