"""What the cells of a row say of each other, on graphs small enough to know the answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.kernels import same_bits
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.ranking.features.row import CHANCE, leads, row_factors

IN, LIKES = 0, 1  # relations: codes 0 and 1, 2 and 3


def graph_of(nodes: int, statements: list[tuple[int, int, int]], more: tuple[tuple[int, int, int], ...] = ()) -> Any:
    """The CSR graph of (source, relation, target); `more`: further relations of pairs that are joined already."""
    lists: list[list[tuple[int, int]]] = [[] for _ in range(nodes)]
    for source, relation, target in statements:
        lists[source].append((target, 2 * relation))
        lists[target].append((source, 2 * relation + 1))
    flat = [edge for edges in lists for edge in sorted(edges)]
    indptr = np.concatenate(([0], np.cumsum([len(edges) for edges in lists]))).astype(np.int64)
    both = [(a, b, 2 * r) for a, r, b in more] + [(b, a, 2 * r + 1) for a, r, b in more]
    entries = sorted((int(indptr[a]) + [n for n, _ in sorted(lists[a])].index(b), code) for a, b, code in both)
    return (
        indptr,
        np.array([node for node, _ in flat], np.uint32),
        np.array([code for _, code in flat], np.uint16),
        np.array([entry for entry, _ in entries], np.int64),
        np.array([code for _, code in entries], np.uint16),
    )


def factors_of(cells: list[list[int]], candidates: list[list[tuple[int, float]]], graph: Any) -> tuple[Any, list[list[float]]]:
    """The relations between columns, and the factors of the candidates of each cell, row by row."""
    bounds = np.concatenate(([0], np.cumsum([len(each) for each in candidates]))).astype(np.int64)
    entity = np.array([entity for each in candidates for entity, _ in each], np.int64)
    probability = np.array([likely for each in candidates for _, likely in each])
    nil = np.array([1 - sum(likely for _, likely in each) for each in candidates])
    names = np.array(cells)
    counts = np.where(names >= 0, np.diff(bounds)[names], 0)
    starts = np.cumsum(counts.ravel()).reshape(counts.shape) - counts
    factor = np.ones(int(counts.sum()))
    found = same_bits(row_factors, names, starts, bounds, (entity, probability, nil), graph, 4, factor)
    parts = zip(starts.ravel().tolist(), counts.ravel().tolist(), strict=True)
    return found, [factor[start : start + count].tolist() for start, count in parts]


# four cities (0 to 3) in two countries (4, 5); 6 is a namesake of city 3 in the other country
CITIES = [(0, IN, 4), (1, IN, 4), (2, IN, 5), (3, IN, 5), (6, IN, 4)]
NAMES = [[(0, 0.9)], [(1, 0.9)], [(2, 0.9)], [(3, 0.6), (6, 0.3)], [(4, 1.0)], [(5, 1.0)]]


def test_the_relation_of_the_rows_tells_namesakes_apart() -> None:
    rows = [[0, 4], [1, 4], [2, 5], [3, 5], [3, 4]]  # the last name twice, with either country
    (relation, chained, having, pairs), factors = factors_of(rows, NAMES, graph_of(7, CITIES))
    assert relation.tolist() == [[-1, 2 * IN], [2 * IN + 1, -1]]
    assert not chained.any()
    assert having[0, 1] == pytest.approx(pairs[0, 1], rel=0.1)
    with_5, with_4 = factors[6], factors[8]
    assert with_5[0] > 5 > 1 > with_5[1]
    assert with_4[1] > 5 > 1 > with_4[0]


def test_a_row_does_not_count_for_itself() -> None:
    rows = [[0, 4], [1, 5], [2, 4]]  # only the first states it
    (relation, *_), factors = factors_of(rows, NAMES, graph_of(7, CITIES))
    assert (relation == -1).all()
    assert all(value == 1 for values in factors for value in values)


def test_repeated_rows_count_once() -> None:
    rows = [[0, 4]] * 20 + [[1, 5], [2, 4]]
    (relation, *_), _ = factors_of(rows, NAMES, graph_of(7, CITIES))
    assert (relation == -1).all()


def test_a_cell_that_is_not_in_the_kg_says_nothing() -> None:
    names = [*NAMES[:3], NAMES[3], *NAMES[4:], [(4, 0.0), (5, 0.0)]]
    _, factors = factors_of([[0, 4], [1, 4], [2, 5], [3, 6]], names, graph_of(7, CITIES))
    assert factors[6] == pytest.approx([1, 1])


def test_empty_cells_are_left_out() -> None:
    (relation, *_), factors = factors_of([[0, 4], [1, 4], [-1, 5], [3, 5], [2, -1]], NAMES, graph_of(7, CITIES))
    assert relation[0, 1] == 2 * IN
    assert factors[8] == [1]  # alone in its row
    assert factors[4] == []


def test_a_chain_of_one_relation_leads_over_one_between() -> None:
    between = [(0, IN, 7), (1, IN, 7), (7, IN, 4), (2, IN, 8), (3, IN, 8), (8, IN, 5), (6, IN, 7)]
    rows = [[0, 4], [1, 4], [2, 5], [3, 5], [3, 4]]
    (relation, chained, *_), factors = factors_of(rows, NAMES, graph_of(9, between))
    assert (relation[0, 1], chained[0, 1]) == (2 * IN, True)
    assert factors[6][0] > 1 > factors[6][1]
    assert factors[8][1] > 1 > factors[8][0]
    mixed = [(0, IN, 7), (1, IN, 7), (7, LIKES, 4), (2, IN, 8), (3, IN, 8), (8, LIKES, 5)]
    (relation, *_), _ = factors_of(rows, NAMES, graph_of(9, mixed))
    assert (relation == -1).all()


def test_further_relations_of_a_pair_count() -> None:
    graph = graph_of(7, [(0, IN, 4), (1, LIKES, 4), (2, LIKES, 5), (3, LIKES, 5)], more=((0, LIKES, 4),))
    (relation, *_), _ = factors_of([[0, 4], [1, 4], [2, 5], [3, 5]], NAMES, graph)
    assert relation[0, 1] == 2 * LIKES
    assert leads(0, 4, 2 * LIKES, False, graph)
    assert leads(4, 0, 2 * LIKES + 1, False, graph)
    assert not leads(4, 0, 2 * LIKES, False, graph)


@given(st.data())
def test_columns_may_change_places(data: st.DataObject) -> None:
    edges = st.tuples(st.integers(0, 5), st.sampled_from((IN, LIKES)), st.integers(0, 5)).filter(
        lambda each: each[0] != each[2]
    )
    statements = data.draw(st.lists(edges, unique_by=lambda each: frozenset((each[0], each[2]))))
    entities = st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True)
    candidates = [
        [(entity, 0.9 / len(each)) for entity in each] for each in data.draw(st.lists(entities, min_size=6, max_size=6))
    ]
    rows = data.draw(st.lists(st.tuples(st.integers(0, 2), st.integers(3, 5)), min_size=3, max_size=6))
    graph = graph_of(6, statements)
    (relation, *_), factors = factors_of([[a, b] for a, b in rows], candidates, graph)
    (turned, *_), other = factors_of([[b, a] for a, b in rows], candidates, graph)
    assert (relation >= 0).tolist() == (turned >= 0).tolist()
    if relation[0, 1] == turned[1, 0]:  # of two equally frequent ones either may be taken
        for place in range(0, len(factors), 2):
            assert factors[place] == pytest.approx(other[place + 1])
            assert factors[place + 1] == pytest.approx(other[place])
    assert all(0 <= value <= 1 / CHANCE for values in factors for value in values)
