"""Sums and lengths of rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.core.arrays import sum_rows, unit_rows

# sums


@given(counts=st.lists(st.integers(0, 4), max_size=6), seed=st.integers(0, 99))
def test_sums_are_those_of_a_loop(counts: list[int], seed: int) -> None:
    random = np.random.default_rng(seed)
    matrix = random.standard_normal((5, 3)).astype(np.float32)
    rows = random.integers(0, 5, sum(counts))
    ends = np.cumsum(counts, dtype=np.int64)
    found = sum_rows(matrix, rows, np.array(counts, dtype=np.int64))
    assert found.shape == (len(counts), 3)
    for sums, count, end in zip(found, counts, ends.tolist(), strict=True):
        assert np.allclose(sums, matrix[rows[end - count : end]].sum(axis=0), atol=1e-5)


def test_unit_rows_of_any_size() -> None:
    rows = np.array([[3e30, 4e30], [3e-40, 4e-40], [0, 0]], dtype=np.float32)
    assert np.allclose(unit_rows(rows), np.array([[0.6, 0.8], [0.6, 0.8], [0, 0]]), atol=1e-4)
