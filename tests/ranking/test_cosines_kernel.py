"""Squared cosines of candidates of different names."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.ranking.features.support import square_of_other_names


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=3), st.integers(0, 100))
def test_pairs_of_one_name_become_0_and_the_others_are_squared(names: list[list[int]], seed: int) -> None:
    products = np.random.default_rng(seed).normal(size=(len(names), 4, 4)).astype(np.float32)
    compiled, plain = products.copy(), products.copy()
    square_of_other_names(compiled, np.array(names, np.int64))
    square_of_other_names.plain(plain, np.array(names, np.int64))
    assert np.array_equal(compiled, plain)
    for document, of_document in enumerate(names):
        for one in range(4):
            for other in range(4):
                product = products[document, one, other]
                expected = 0 if of_document[one] == of_document[other] else product * product
                assert compiled[document, one, other] == expected
