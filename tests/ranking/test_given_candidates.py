"""Candidates that mentions bring themselves."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes import KB
from eigenthemes.kb.store import Vectors
from eigenthemes.names.generator import CandidateGenerator, match_types_of
from eigenthemes.names.retrieval import CONTAINS
from eigenthemes.pipeline.batch import given_candidates

NAMES = ("Michael Jordan", "Jordan", "M. Jordan", "Paris", "UCLA", "nobody", "", "+")


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 100)), max_size=12))
def test_match_types_are_those_of_each_name_by_itself(demo_kb: KB, asked: list[tuple[str, int]]) -> None:
    generator = CandidateGenerator(demo_kb)
    names = list(dict.fromkeys(name for name, _ in asked))
    name_of = np.array([names.index(name) for name, _ in asked], np.int64)
    entity = np.array([entity for _, entity in asked], np.int64)
    found = match_types_of(generator, names, name_of, entity).tolist()
    assert found == [generator.match_types(name).get(entity, CONTAINS) for name, entity in asked]


@given(st.lists(st.lists(st.integers(-3, 30), max_size=6), max_size=4), st.integers(1, 4), st.booleans(), st.booleans())
def test_each_is_taken_once_in_the_order_of_the_list_or_of_its_scores(
    demo_kb: KB, lists: list[list[int]], most: int, has_priors: bool, embedded: bool
) -> None:
    ids = [tuple(f"nobody{i}" if i < 0 else demo_kb.id_of(i) for i in each) for each in lists]
    names, priors = ["Jordan"] * len(ids), [tuple(range(len(each))) for each in ids]
    vectors = Vectors("every other", np.zeros((len(demo_kb), 2), np.float32), np.arange(len(demo_kb)) % 2 == 0)
    dropped = np.full(len(ids), embedded)
    generator = CandidateGenerator(demo_kb, max_candidates=most)
    table, unknown, without_vector = given_candidates(
        names, ids, priors if has_priors else None, demo_kb, generator, vectors, dropped
    )
    assert without_vector == sum(embedded and i > 0 and i % 2 for each in lists for i in each)
    bounds = table.bounds
    for number, each in enumerate(lists):
        in_order = reversed(each) if has_priors else each  # the last has the highest number
        wanted = [i for i in dict.fromkeys(in_order) if i >= 0 and not (embedded and i % 2)][:most]
        rows = slice(bounds[number], bounds[number + 1])
        assert table.entity[rows].tolist() == wanted
        assert table.rank[rows].tolist() == list(range(1, len(wanted) + 1))
        numbers = [float(len(each) - 1 - each[::-1].index(i)) for i in wanted]
        assert table.prior[rows].tolist() == (numbers if has_priors else [demo_kb.prior[i] for i in wanted])
        assert unknown.get(number, ()) == tuple(dict.fromkeys(f"nobody{i}" for i in each if i < 0))


def test_what_is_not_of_an_asked_type_is_none(demo_kb: KB) -> None:
    generator = CandidateGenerator(demo_kb).only_of_types([str(demo_kb.types[0])])
    assert generator.allowed is not None
    everybody = [demo_kb.id_of(i) for i in range(len(demo_kb))]
    unlimited = CandidateGenerator(demo_kb, max_candidates=None).only_of_types([str(demo_kb.types[0])])
    table, _, _ = given_candidates(["Jordan"], [everybody], None, demo_kb, unlimited, None, np.zeros(1, dtype=bool))
    assert table.entity.tolist() == np.flatnonzero(generator.allowed).tolist()
