"""Check properties of every trained ranker."""

from __future__ import annotations

import json

import numpy as np

from eigenthemes.ranking.ranker import ROUNDS, Ranker

# the ranker


def assert_usable(ranker: Ranker) -> None:
    assert len(ranker.rounds) == ROUNDS
    assert 0.8 <= ranker.temperature <= 3
    assert 0 <= ranker.threshold < 1
    assert all(np.isfinite(each).all() for weights in ranker.rounds for each in weights)
    json.dumps(ranker.to_dict(), allow_nan=False)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def same_weights(one: Ranker, other: Ranker) -> bool:
    pairs = zip(one.rounds, other.rounds, strict=True)
    return all(np.array_equal(a.choice, b.choice) and np.array_equal(a.nil, b.nil) for a, b in pairs)
