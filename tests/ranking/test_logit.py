"""Shares of a softmax over the candidates of each name."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.ranking.features.nil import highest, highest_beside, softmax


@given(st.lists(st.lists(st.floats(-1e4, 1e4), max_size=5), max_size=6))
def test_shares_sum_to_one(names: list[list[float]]) -> None:
    bounds = np.concatenate(([0], np.cumsum([len(name) for name in names]))).astype(np.int64)
    found = softmax(np.array([value for name in names for value in name], np.float64), bounds)
    for name, (first, last) in zip(names, itertools.pairwise(bounds.tolist()), strict=True):
        part = found[first:last]
        assert np.isfinite(part).all()
        assert part.sum() == pytest.approx(1 if name else 0)
        assert not name or part[int(np.argmax(name))] == part.max()


@given(st.lists(st.lists(st.floats(-1e4, 1e4), max_size=5), max_size=6))
def test_the_highest_of_each_group(groups: list[list[float]]) -> None:
    bounds = np.concatenate(([0], np.cumsum([len(group) for group in groups]))).astype(np.int64)
    values = np.array([value for group in groups for value in group], np.float64)
    assert highest(values, bounds).tolist() == [max(group, default=-np.inf) for group in groups]
    assert highest_beside(values, bounds).tolist() == [max(group) for group in groups for _ in group]


def test_what_is_no_number_shows_in_its_group() -> None:
    found = highest(np.array([1.0, np.nan, 2.0, 3.0]), np.array([0, 3, 4]))
    assert np.isnan(found[0])
    assert found[1] == 3
