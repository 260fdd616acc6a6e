"""What the names of a column have in common, against plain Python."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest
from helpers.kernels import same_bits
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes import KB
from eigenthemes.kb.attributes import (
    LEAST_UNITS,
    SAMPLE,
    attribute_count,
    collect_attributes,
    column_evidence,
    entity_attributes,
    names_with,
)

ATTRIBUTES = 5


def bounds_of(parts: list[list[int]]) -> Any:
    return np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64)


def flat(parts: list[list[int]], kind: Any = np.int64) -> Any:
    return np.array([each for part in parts for each in part], dtype=kind)


def plain_evidence(names: list[list[int]], attributes: list[list[int]], share: list[float]) -> list[float]:
    """The evidence of each candidate of a column, name by name and attribute by attribute."""
    having = [{a for entity in candidates for a in attributes[entity]} for candidates in names]
    evidence = []
    for number, candidates in enumerate(names):
        others = [each for place, each in enumerate(having) if place != number]
        for entity in candidates:
            best = 0.0
            for a in attributes[entity]:
                k, n = sum(a in each for each in others), len(others)
                p = min(k / (n + 1), 0.98)
                if p > share[a]:
                    best = max(best, (k * log(p / share[a]) + (n - k) * log((1 - p) / (1 - share[a]))) / (n + 1))
            evidence.append(best if len(names) >= LEAST_UNITS else 0.0)
    return evidence


columns_of_names = st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=4, unique=True), max_size=9)
attribute_lists = st.lists(st.lists(st.integers(0, ATTRIBUTES - 1), unique=True), min_size=7, max_size=7)


@given(st.lists(columns_of_names, max_size=3), attribute_lists)
def test_evidence_is_what_plain_python_finds(columns: list[list[list[int]]], attributes: list[list[int]]) -> None:
    names = [candidates for column in columns for candidates in column]
    share = [0.01, 0.1, 0.3, 0.6, 0.9]
    lists = bounds_of(attributes), flat(attributes, np.uint32)
    parts = bounds_of(columns), np.arange(len(names))  # type: ignore[arg-type]
    rows = bounds_of(names), flat(names)
    evidence, attribute, having, others = same_bits(column_evidence, parts, *rows, lists, np.array(share))
    same_bits(names_with, *rows, lists, ATTRIBUTES)
    expected = [each for column in columns for each in plain_evidence(column, attributes, share)]
    assert evidence == pytest.approx(expected)
    assert ((attribute >= 0) == (evidence > 0)).all()
    assert (having <= others).all()


def test_of_a_long_column_evenly_spaced_names_are_counted() -> None:
    names = [[0]] * (3 * SAMPLE)
    lists = np.array([0, 1]), np.zeros(1, np.uint32)
    columns = np.array([0, len(names)]), np.arange(len(names))
    evidence, _, having, others = column_evidence(columns, bounds_of(names), flat(names), lists, np.array([0.1]))
    assert (having == others).all()
    assert sorted(np.unique(others, return_counts=True)[1].tolist()) == [SAMPLE, 2 * SAMPLE]
    assert set(others.tolist()) == {SAMPLE - 1, SAMPLE}
    assert evidence.min() > 2


def test_a_name_counts_once_for_an_attribute() -> None:
    lists = np.array([0, 1, 3]), np.array([0, 0, 1], np.uint32)
    counts = names_with(np.array([0, 2, 3, 3]), np.array([0, 1, 1]), lists, 3)
    assert counts.tolist() == [2, 2, 0]


@given(st.lists(st.lists(st.integers(0, 9), max_size=3), min_size=3, max_size=3), st.lists(st.integers(0, 5), max_size=4))
def test_attributes_are_numbered_the_same_in_plain_python(relations: list[list[int]], further: list[int]) -> None:
    types = 70_000  # more than the numbers of relations can hold
    graph, entries = flat(relations, np.uint16), np.arange(len(further))
    of_entities = np.array([0, 1, 1, 2]), np.array([69_999, 0], np.uint32)
    more = entries[: len(graph)], np.array(further, np.uint16)[: len(graph)]
    found = same_bits(entity_attributes, of_entities, (bounds_of(relations), graph), more, types, types + 10)
    stated = [set(each) for each in relations]
    for entry, relation in zip(*more, strict=True):
        stated[int(np.searchsorted(bounds_of(relations), entry, side="right")) - 1].add(int(relation))
    for entity, own in enumerate(({69_999}, set(), {0})):
        attributes = found[1][found[0][entity] : found[0][entity + 1]].tolist()
        assert sorted(attributes) == sorted(own | {types + relation for relation in stated[entity]})


def test_attributes_are_types_and_relations_with_their_direction(demo_kb: KB) -> None:
    indptr, attributes = collect_attributes(demo_kb)
    types = len(demo_kb.types)
    for index in range(len(demo_kb)):
        found = attributes[indptr[index] : indptr[index + 1]].tolist()
        records = demo_kb.neighbors(demo_kb.id_of(index))
        expected = {(each.relation, each.reverse) for each in records} | {(each, None) for each in demo_kb.types_of(index)}
        names = [
            (demo_kb.types[a], None) if a < types else (demo_kb.relations[(a - types) >> 1], bool((a - types) & 1))
            for a in found
        ]
        assert len(found) == len(set(found))
        assert set(names) == expected
    assert attributes.max() < attribute_count(demo_kb)
