"""DeepWalk: the steps are those of a plain transcription, near things get near vectors, the seed decides every byte."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from helpers.graphs import communities, graph_of
from numpy.typing import NDArray

from eigenthemes.core.progress import Advance
from eigenthemes.embeddings import deepwalk as module
from eigenthemes.embeddings.deepwalk import (
    GROUP,
    LANES,
    LAST_RATE,
    PAPER,
    RATE,
    deepwalk,
    learn_pairs,
    train_walks,
    tree_targets,
)
from eigenthemes.errors import OptionError


def matrix(rows: int, seed: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(scale=0.3, size=(rows, LANES)).astype(np.float32)


def plain_step(
    inputs: NDArray[Any], outputs: NDArray[Any], context: int, targets: list[int], signs: list[int], rate: float
) -> None:
    """word2vec's step for one context, in float64."""
    before = inputs[context].copy()
    for first in range(0, len(targets), GROUP):
        some = range(first, min(first + GROUP, len(targets)))
        steps = [rate * signs[t] / (1 + np.exp(signs[t] * before @ outputs[targets[t]])) for t in some]
        inputs[context] += sum(step * outputs[targets[t]] for step, t in zip(steps, some, strict=True))
        for step, t in zip(steps, some, strict=True):
            outputs[targets[t]] += step * before


def test_a_window_is_that_of_a_plain_transcription() -> None:
    """Two contexts of a token; a target that comes twice counts twice, one with the sign 0 not at all."""
    inputs, outputs = matrix(5, 1), matrix(5, 2)
    expected_inputs, expected_outputs = inputs.astype(np.float64), outputs.astype(np.float64)
    targets, signs = [0, 3, 4, 3, 0, 2], [1, -1, -1, -1, 0, -1]
    row = np.empty(LANES, dtype=np.float32)
    for context in (1, 2):
        plain_step(expected_inputs, expected_outputs, context, targets, signs, 0.5)
        ids, of_ids = np.array(targets, dtype=np.uint32), np.array(signs, dtype=np.float32)
        learn_pairs(inputs, outputs, context, ids, of_ids, len(targets), np.float32(0.5), row)
    assert inputs == pytest.approx(expected_inputs, abs=5e-4)
    assert outputs == pytest.approx(expected_outputs, abs=5e-4)
    assert np.abs(outputs - matrix(5, 2)).max() > 0.05


def test_a_whole_walk_is_that_of_a_plain_transcription() -> None:
    """Two nodes leave nothing to chance: the walk is 0 1 0 1, the window 1, the tree has one inner node."""
    graph = graph_of([(0, 1)], 2)
    targets = tree_targets(graph.degree)
    inputs, outputs = matrix(2, 1), matrix(2, 2)
    expected_inputs, expected_outputs = inputs.astype(np.float64), outputs.astype(np.float64)
    starts = np.zeros(1, dtype=np.uint32)
    train_walks(graph.indptr, graph.neighbors, starts, 4, 1, np.uint64(7), 0.5, 0.1, *targets, inputs, outputs)
    walk, sign_of = [0, 1, 0, 1], targets[2][targets[0]].tolist()
    for place, node in enumerate(walk):
        for other in (place - 1, place + 1):
            if 0 <= other < len(walk):
                plain_step(expected_inputs, expected_outputs, walk[other], [0], [sign_of[node]], 0.5 - 0.1 * place)
    assert inputs == pytest.approx(expected_inputs, abs=1e-3)
    assert outputs == pytest.approx(expected_outputs, abs=1e-3)


def test_the_tree_is_huffmans() -> None:
    """Its mean depth is the least there is, as the sum of the merges of a heap says; no code begins another."""
    degree = np.array([3, 0, 1, 1, 8, 2, 0, 5, 13])
    leaf_of, parents, branches = tree_targets(degree)
    codes = {}
    for node in np.flatnonzero(degree).tolist():
        place, code = int(leaf_of[node]), ""
        while place != len(parents) - 1:
            code = "-+"[int(branches[place] > 0)] + code
            place = int(parents[place])
        codes[node] = code
    heap, least = degree[degree > 0].tolist(), 0
    heapq.heapify(heap)
    while len(heap) > 1:
        merged = heapq.heappop(heap) + heapq.heappop(heap)
        least += merged
        heapq.heappush(heap, merged)
    assert sum(int(degree[node]) * len(code) for node, code in codes.items()) == least
    assert not any(a != b and a.startswith(b) for a in codes.values() for b in codes.values())
    assert len(set(codes.values())) == 7


@pytest.mark.parametrize("fast", [False, True], ids=["one thread", "hogwild"])
def test_groups_of_a_graph_are_groups_of_vectors(fast: bool) -> None:
    graph, group = communities(4, 30)
    vectors = deepwalk(graph, dimensions=20, walks=30, fast=fast, jobs=2)
    assert vectors.shape == (120, 20)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(120), abs=1e-5)
    cosines = vectors @ vectors.T
    same = group[:, None] == group
    assert cosines[same].mean() > cosines[~same].mean() + 0.4


def test_the_seed_decides_every_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TOKENS", 400)  # many tasks
    graph, _ = communities(3, 40)

    def made(seed: int, jobs: int) -> bytes:
        return deepwalk(graph, dimensions=16, walks=2, seed=seed, jobs=jobs).tobytes()

    assert made(0, 1) == made(0, 3)
    assert made(0, 1) != made(1, 1)


def test_the_rate_falls_to_the_last_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each task begins where the one before it ends."""
    graph, _ = communities(2, 20)
    monkeypatch.setattr(module, "_TOKENS", 100)
    rates = []

    def recorded(*arguments: Any) -> None:
        starts, length, rate, decay = arguments[2], arguments[3], arguments[6], arguments[7]
        rates.append((rate, rate - len(starts) * length * decay))

    monkeypatch.setattr("eigenthemes.embeddings.deepwalk.train_walks", recorded)
    deepwalk(graph, dimensions=4, walks=3, length=10)
    assert len(rates) == 12
    assert rates[0][0] == RATE
    assert [begin for begin, _ in rates[1:]] == pytest.approx([end for _, end in rates[:-1]])
    assert rates[-1][1] == pytest.approx(LAST_RATE)


def test_isolated_nodes_get_no_vector() -> None:
    vectors = deepwalk(graph_of([(0, 1), (1, 2), (2, 0)], 5), dimensions=3, walks=2)
    assert vectors.any(axis=1).tolist() == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("edges", "nodes"),
    [([(0, 1)], 2), ([(0, 1), (2, 3)], 4), ([(0, i) for i in range(1, 9)], 9), ([(0, 1)], 50)],
    ids=["one edge", "two components", "star", "mostly isolated"],
)
def test_odd_graphs_have_vectors(edges: list[tuple[int, int]], nodes: int) -> None:
    vectors = deepwalk(graph_of(edges, nodes), walks=3)
    assert vectors.shape == (nodes, 128)
    assert np.isfinite(vectors).all()
    linked = sorted({node for edge in edges for node in edge})
    assert np.flatnonzero(vectors.any(axis=1)).tolist() == linked


def test_progress_counts_every_token() -> None:
    class Heard:
        def __init__(self) -> None:
            self.steps: list[tuple[str, float | None, str]] = []
            self.done = 0.0

        @contextmanager
        def step(self, label: str, *, total: float | None, unit: str) -> Iterator[Advance]:
            self.steps.append((label, total, unit))

            def advance(amount: float) -> None:
                self.done += amount

            yield advance

    heard = Heard()
    deepwalk(graph_of([(0, 1), (1, 2)], 4), dimensions=4, walks=5, length=6, progress=heard)
    assert heard.steps == [("walking", 90, "tokens")]
    assert heard.done == 90


def test_the_papers_preset_is_accepted() -> None:
    assert deepwalk(graph_of([(0, 1), (1, 2)], 3), **PAPER).shape == (3, 128)


def test_what_cannot_be_made_is_told() -> None:
    graph = graph_of([(0, 1)], 2)
    for name, least in {"walks": 1, "length": 2, "window": 1}.items():
        options: dict[str, Any] = {name: least - 1}
        with pytest.raises(OptionError, match=f"{name} is {least - 1}; expected {least} or more"):
            deepwalk(graph, **options)
