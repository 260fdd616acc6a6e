"""What the names of a text could have in common, against plain Python."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest
from helpers.kernels import same_bits
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.ranking.features.coincidence import coincidence

ATTRIBUTES = 5
SHARE = [0.01, 0.1, 0.3, 0.6, 0.9]


def bounds_of(parts: list[list[Any]]) -> Any:
    return np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64)


def plain(names: list[list[int]], attributes: list[list[int]]) -> list[float]:
    """The evidence of each candidate of a document, by the formula of the study."""
    having = [{a for entity in candidates for a in attributes[entity]} for candidates in names if candidates]
    n = len(having) - 1
    ratio = [0.0] * ATTRIBUTES
    for a in range(ATTRIBUTES):
        entities = {entity for candidates in names for entity in candidates if a in attributes[entity]}
        k = min(sum(a in each for each in having), len(entities)) - 1
        p = min(k / max(1, n + 1), 0.98)
        if n >= 2 and k >= 2 and p > SHARE[a]:
            ratio[a] = min(200.0, k * log(p / SHARE[a]) + (n - k) * log((1 - p) / (1 - SHARE[a])))
    return [max([0.0, *(ratio[a] for a in attributes[entity])]) for candidates in names for entity in candidates]


documents_of_names = st.lists(st.lists(st.integers(0, 6), max_size=4, unique=True), max_size=9)
attribute_lists = st.lists(st.lists(st.integers(0, ATTRIBUTES - 1), unique=True), min_size=7, max_size=7)


@given(st.lists(documents_of_names, max_size=3), attribute_lists)
def test_evidence_is_what_plain_python_finds(documents: list[list[list[int]]], attributes: list[list[int]]) -> None:
    names = [candidates for document in documents for candidates in document]
    entity = np.array([each for candidates in names for each in candidates], np.int64)
    lists = bounds_of(attributes), np.array([a for each in attributes for a in each], np.uint32)
    counted = np.ones(len(documents), bool)
    found = same_bits(coincidence, bounds_of(documents), bounds_of(names), counted, entity, lists, np.array(SHARE))
    evidence, attribute, having, others = found
    assert evidence == pytest.approx([each for document in documents for each in plain(document, attributes)])
    assert ((attribute >= 0) == (evidence > 0)).all()
    assert (having <= others).all()
    unasked = coincidence(bounds_of(documents), bounds_of(names), ~counted, entity, lists, np.array(SHARE))
    assert not unasked[0].any()


def test_one_entity_of_all_names_is_no_coincidence() -> None:
    lists = np.array([0, 1, 2, 3, 4]), np.zeros(4, np.uint32)
    documents, bounds, share = np.array([0, 4]), np.arange(5), np.array([0.01])
    same = coincidence(documents, bounds, np.ones(1, bool), np.zeros(4, np.int64), lists, share)
    different = coincidence(documents, bounds, np.ones(1, bool), np.arange(4), lists, share)
    assert not same[0].any()
    assert different[0].min() > 10
    assert different[2].tolist() == different[3].tolist() == [3] * 4
