"""Sorting inside kernels: as numpy sorts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.core.array_kernels import sort


@given(st.lists(st.integers(-(2**62), 2**62), max_size=300))
def test_sorts_as_numpy(numbers: list[int]) -> None:
    for function in (sort, sort.plain, sort.function):
        values = np.array(numbers, dtype=np.int64)
        function(values)
        assert values.tolist() == sorted(numbers)
