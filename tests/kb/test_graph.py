"""The undirected graph of distinct neighbours."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.core.scratch import Scratch
from eigenthemes.kb.graph import build_graph, distinct_edges

NODES = 8
edges = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1), st.integers(0, 3)))


def columns(rows: list[tuple[int, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    table = np.array(rows, dtype=np.uint32).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


@given(edges, st.permutations(range(NODES)))
def test_degree_is_the_number_of_distinct_neighbours(rows: list[tuple[int, int, int]], names: list[int]) -> None:
    new_number = np.array(names, dtype=np.uint32)
    graph = build_graph(distinct_edges(*columns(rows), NODES), new_number)
    neighbours: list[set[int]] = [set() for _ in range(NODES)]
    for a, b, _ in rows:
        if a != b:
            neighbours[names[a]].add(names[b])
            neighbours[names[b]].add(names[a])
    assert [graph.around(i).tolist() for i in range(NODES)] == [sorted(each) for each in neighbours]
    assert graph.degree.tolist() == [len(each) for each in neighbours]
    assert graph.edges * 2 == sum(map(len, neighbours))


@given(edges)
def test_the_kept_relation_is_the_rarest_and_knows_its_direction(rows: list[tuple[int, int, int]]) -> None:
    graph = build_graph(distinct_edges(*columns(rows), NODES), np.arange(NODES, dtype=np.uint32))
    counts = [sum(1 for a, b, r in rows if r == relation and a != b) for relation in range(4)]
    for node in range(NODES):
        for place in range(graph.indptr[node], graph.indptr[node + 1]):
            other, code = int(graph.neighbors[place]), int(graph.relations[place])
            statement = (other, node, code // 2) if code % 2 else (node, other, code // 2)
            assert statement in rows
            joining = [r for a, b, r in rows if {a, b} == {node, other}]
            assert counts[code // 2] == min(counts[r] for r in joining)


def test_self_loops_are_dropped_and_counted() -> None:
    listed = distinct_edges(*columns([(1, 1, 0), (1, 2, 0), (2, 1, 0)]), NODES)
    assert (listed.self_loops, len(listed.low)) == (1, 1)


def test_rows_too_wide_for_one_key_sort_the_same() -> None:
    rng = np.random.default_rng(0)
    table = tuple(rng.integers(0, 5, 200).astype(np.uint32) for _ in range(3))
    packed, wide = (Scratch().sort_rows(table, 3 * (limit,)) for limit in (5, 2**32))
    assert all((a == b).all() for a, b in zip(packed, wide, strict=True))
