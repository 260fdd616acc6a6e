"""What kernels that run as plain Python read and write instead of arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from eigenthemes.core.jit import kernel
from eigenthemes.core.plain_arrays import NumpyOfViews, arrays_of, views_of


class Pair(NamedTuple):
    first: Any
    second: Any


@kernel
def _doubled(values: Any, of: Any) -> Any:
    """Double the values in place; return them, those from the second on, and a new array."""
    made = np.zeros(len(values), np.float32)
    for i in range(len(values)):
        values[i] *= 2
        made[i] = values[i] + of.first[0]
    return values, values[1:], made


@pytest.mark.parametrize("kind", [np.int64, np.uint32, np.uint8, np.int32, np.float32, np.float64, np.bool_, np.uint64])
def test_arrays_come_back_as_they_were(kind: type) -> None:
    for values in (np.arange(4).astype(kind), np.zeros(0, kind)):
        view = views_of(values)
        assert isinstance(view, memoryview)
        back = arrays_of(view)
        assert back.dtype == values.dtype
        assert np.shares_memory(back, values) or not len(values)
        assert back.tolist() == view.tolist() == values.tolist()


def test_arrays_in_tuples_are_viewed_and_matrices_are_not() -> None:
    matrix = np.zeros((2, 2))
    viewed = views_of((Pair(np.arange(2), 3), matrix, "text"))
    assert isinstance(viewed[0], Pair)
    assert isinstance(viewed[0].first, memoryview)
    assert viewed[0].second == 3
    assert viewed[1] is matrix
    assert viewed[2] == "text"


def test_a_plain_kernel_changes_its_arrays_in_place_and_returns_arrays() -> None:
    values = np.arange(3)
    result = _doubled.plain(values, Pair(np.ones(1), None))
    assert values.tolist() == [0, 2, 4]
    assert [each.tolist() for each in result] == [[0, 2, 4], [2, 4], [1.0, 3.0, 5.0]]
    assert [each.dtype for each in result] == [np.int64, np.int64, np.float32]


def test_a_map_that_must_not_be_written_is_not(tmp_path: Any) -> None:
    np.save(tmp_path / "values.npy", np.arange(3))
    values = np.load(tmp_path / "values.npy", mmap_mode="r")
    with pytest.raises(TypeError, match="read-only"):
        _doubled.plain(values, Pair(np.ones(1), None))


def test_numpy_of_views_makes_views_of_one_dimension_and_numbers_of_python() -> None:
    numpy: Any = NumpyOfViews()
    assert isinstance(numpy.zeros(3, np.uint32), memoryview)
    assert isinstance(numpy.full(3, -1, numpy.int64), memoryview)
    assert isinstance(numpy.empty((3, 2), dtype=np.float32), np.ndarray)
    assert type(numpy.int64(np.uint8(3))) is int
    assert numpy.cumsum(numpy.full(3, 2, numpy.int64)).tolist() == [2, 4, 6]
