"""Topics of documents, against plain Python."""

from __future__ import annotations

from math import expm1, log1p
from typing import Any

import numpy as np
import pytest
from helpers.graphs import graph_of
from helpers.kernels import same_bits
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.ranking.features.topic import TOPICS, topic_factors

NODES = 8
SHARE = {0: 0.05, 1: 0.2, 2: 0.4}  # the hubs
GAIN = expm1(1.0)


def lists_of(near: list[list[int]]) -> tuple[Any, Any, Any]:
    """The hubs near each candidate, as the kernel takes them."""
    indptr = np.concatenate(([0], np.cumsum([len(each) for each in near]))).astype(np.int64)
    return np.arange(len(near)), indptr, np.array([hub for each in near for hub in each], np.int32)


def plain(names: list[list[tuple[int, float]]], near: list[set[int]]) -> tuple[list[float], int, float]:
    """The factor of each candidate of a document, its topic and how likely that is, by the formula of the study."""
    counted = sum(bool(candidates) for candidates in names)
    mass = {hub: [min(1.0, sum(p for entity, p in candidates if hub in near[entity])) for candidates in names] for hub in SHARE}
    met = [hub for hub in SHARE if any(mass[hub])]
    score = {hub: sum(log1p(m * GAIN) for m in mass[hub]) - counted * log1p(SHARE[hub] * GAIN) for hub in met}
    exps = {hub: np.exp(score[hub]) for hub in met}
    total = 1.0 + sum(exps.values())
    shares = {hub: exps[hub] / total for hub in met}
    factors: list[float] = []
    for candidates in names:
        others = {hub: min(1.0, sum(p for e, p in candidates if hub in near[e] and hub != e)) for hub in met}
        raw = [
            1 / total + sum(shares[h] * (1 + (h in near[entity] and h != entity) * GAIN) / (1 + others[h] * GAIN) for h in met)
            for entity, _ in candidates
        ]
        before, after = sum(p for _, p in candidates), sum(p * f for (_, p), f in zip(candidates, raw, strict=True))
        factors += [f * before / after for f in raw]
    best = max(met, key=lambda hub: score[hub], default=-1)
    return (factors, best, shares[best]) if best >= 0 and shares[best] > 1 / total else (factors, -1, 0.0)


weights = st.floats(0.01, 0.24)
a_name = st.lists(st.tuples(st.integers(0, NODES - 1), weights), max_size=4, unique_by=lambda each: each[0])
edges = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)), min_size=1, max_size=20)


@given(st.lists(st.lists(a_name, max_size=5), max_size=3), edges)
def test_factors_are_what_plain_python_finds(documents: list[list[list[tuple[int, float]]]], pairs: Any) -> None:
    graph = graph_of([(a, b) for a, b in pairs if a != b] or [(0, 1)], NODES)
    near = [{int(n) for n in graph.around(node)} | {node} for node in range(NODES)]
    near = [each & set(SHARE) for each in near]
    names = [candidates for document in documents for candidates in document]
    rows = [each for candidates in names for each in candidates]
    document_bounds = np.concatenate(([0], np.cumsum([len(document) for document in documents]))).astype(np.int64)
    bounds = np.concatenate(([0], np.cumsum([len(candidates) for candidates in names]))).astype(np.int64)
    numbers = np.full(NODES, -1, np.int32)
    numbers[list(SHARE)] = range(len(SHARE))
    entity, probability = np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float64)
    factor, topic, weight = same_bits(
        topic_factors,
        document_bounds,
        np.ones(len(documents), bool),
        bounds,
        probability,
        lists_of([sorted(near[each]) for each in entity.tolist()]),
        numbers[entity],
        np.array(list(SHARE.values())),
        GAIN,
    )
    expected = [plain(document, near) for document in documents]
    assert factor == pytest.approx([each for factors, _, _ in expected for each in factors])
    assert weight == pytest.approx([share for _, _, share in expected])
    assert [int(each) for each, share in zip(topic, weight, strict=True) if share > 0.5] == [
        best for _, best, share in expected if share > 0.5
    ]


def test_no_more_topics_than_the_best_are_weighed() -> None:
    hubs = 3 * TOPICS
    one_document = np.array([0, 4]), np.ones(1, bool), np.arange(5), np.full(4, 0.9)
    near = lists_of([list(range(hubs))] * 4)
    own = np.full(4, -1, np.int32)
    factor, topic, weight = same_bits(topic_factors, *one_document, near, own, np.full(hubs, 0.01), GAIN)
    assert factor == pytest.approx(np.ones(4))  # one candidate each: nothing can become likelier
    assert topic[0] >= 0
    assert weight[0] < 1 / TOPICS
