"""Distinct entities of documents, against plain Python."""

from __future__ import annotations

import numpy as np
from helpers.kernels import same_bits
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.ranking.baselines import distinct_entities

ENTITIES = 6
candidates = st.tuples(st.integers(0, ENTITIES - 1), st.booleans(), st.sampled_from([1.0, 0.5, 0.25]))


@given(st.lists(st.lists(candidates, max_size=8), max_size=4), st.booleans(), st.integers(-3, 40))
def test_each_entity_stands_once_in_each_document(
    documents: list[list[tuple[int, bool, float]]], best: bool, garbage: int
) -> None:
    rows = [candidate for document in documents for candidate in document]
    counted, number, entities, weights, begins = same_bits(
        distinct_entities,
        np.concatenate(([0], np.cumsum([len(document) for document in documents]))).astype(np.int64),
        np.array([row[0] for row in rows], np.uint32),
        np.array([row[1] for row in rows], bool),
        np.array([row[2] for row in rows], np.float64),
        best,
        np.full(ENTITIES, garbage, np.int64),
    )
    assert counted.tolist() == [row for row, (_, is_counted, _) in enumerate(rows) if is_counted]
    assert entities[number].tolist() == [rows[row][0] for row in counted]
    for document, first, last in zip(documents, begins[:-1], begins[1:], strict=True):
        together: dict[int, list[float]] = {}
        for entity, is_counted, weight in document:
            if is_counted:
                together.setdefault(entity, []).append(weight)
        assert entities[first:last].tolist() == list(together)
        assert weights[first:last].tolist() == [max(each) if best else sum(each) for each in together.values()]
