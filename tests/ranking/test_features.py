"""Mention groups and the features of their candidates."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.rankers import rng
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eigenthemes import KB
from eigenthemes.kb.name_arrays import ALIAS
from eigenthemes.names.name_index import letters_of
from eigenthemes.pipeline.batch import BatchMaker, batch_maker
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features import (
    COLUMNS,
    LOCAL,
    FeatureContext,
    WeightedCandidates,
    local_features,
    theme_features,
)
from eigenthemes.ranking.features.feature_context import about_length
from eigenthemes.ranking.features.themes import coherence
from eigenthemes.records import Document, Mention
from eigenthemes.text.normalize import normalize

# features


def mention_lists(kb: KB) -> st.SearchStrategy[list[Document]]:
    """Documents whose mentions are looked up or bring their candidates."""
    ids = [kb.id_of(entity) for entity in range(len(kb))]
    labels = [kb.label_of(entity) for entity in range(len(kb))]
    given_ids = st.lists(st.sampled_from(ids), max_size=5, unique=True).map(tuple)
    words = [word for label in labels for word in label.split()]
    mention = st.builds(Mention, st.sampled_from([*labels, *words, "xyzzy"]), candidates=st.none() | given_ids)
    return st.lists(st.lists(mention, max_size=6).map(lambda some: Document(mentions=tuple(some))), max_size=4)


def naive_coherence(names: MentionGroups, rows: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float64]:
    found = np.zeros(len(names.table_row))
    document = np.repeat(np.arange(len(names.document_bounds) - 1), np.diff(names.document_bounds))
    for i, j in itertools.product(range(len(found)), repeat=2):
        if names.group[i] != names.group[j] and document[names.group[i]] == document[names.group[j]]:
            found[i] += weight[j] * float(rows[names.entity[i]] @ rows[names.entity[j]]) ** 2
    return found


@given(st.data())
@settings(max_examples=25)
def test_coherence_is_the_weighted_sum_of_squared_cosines_with_other_names(tiny: KB, data: st.DataObject) -> None:
    names = MentionGroups.of(batch_maker(tiny, needs_vectors=True).make(data.draw(mention_lists(tiny))))
    weight = rng(1).random(len(names.table_row)).astype(np.float32)
    expected = naive_coherence(names, tiny.vectors().rows, weight)
    contexts = FeatureContext(tiny, tiny.vectors()), FeatureContext(tiny, None)
    found, nothing = (coherence(WeightedCandidates.weighing(names, context, weight)) for context in contexts)
    assert found == pytest.approx(expected, abs=1e-4)
    assert not nothing.any()


def test_a_longer_name_brings_an_entity_no_closer_to_the_document(demo_kb: KB) -> None:
    """That "Michael Jordan" is in the text speaks for him as "Jordan" once, by coreference, and not by his own vector again."""
    around, maker = FeatureContext(demo_kb, demo_kb.vectors()), batch_maker(demo_kb, needs_vectors=True)
    player = next(i for i in range(len(demo_kb)) if demo_kb.label_of(i) == "Michael Jordan")
    longer, close = COLUMNS.index("longer_name") - len(LOCAL), COLUMNS.index("coherence") - len(LOCAL)
    found = {}
    for names in (("Jordan", "Michael Jordan"), ("Jordan", "Michael Jordan", "Scottie Pippen")):
        groups = MentionGroups.of(maker.make([Document(mentions=tuple(map(Mention, names)))]))
        weight = (groups.entity == player).astype(np.float64)
        weight[groups.group == 2] = 1.0
        row = int(np.flatnonzero((groups.group == 0) & (groups.entity == player))[0])
        found[len(names)] = theme_features(WeightedCandidates.of(groups, around, weight))[row]
    assert found[2][longer] == found[3][longer] == 1
    assert found[2][close] == pytest.approx(0, abs=1e-4)
    assert found[3][close] > 0


@given(st.data())
@settings(max_examples=25)
def test_features_of_a_batch_are_those_of_its_documents(tiny: KB, data: st.DataObject) -> None:
    documents = data.draw(mention_lists(tiny))
    maker, around = batch_maker(tiny, needs_vectors=True), FeatureContext(tiny, tiny.vectors())
    names = MentionGroups.of(maker.make(documents))
    weight = rng(2).random(len(names.table_row))
    local = local_features(names, around)
    themes = theme_features(WeightedCandidates.of(names, around, weight))
    assert local.shape == (len(names.table_row), len(LOCAL))
    assert themes.shape == (len(names.table_row), len(COLUMNS) - len(LOCAL))
    assert np.isfinite(local).all()
    assert np.isfinite(themes).all()
    for document, (_, _, first, last) in zip(documents, names.spans(), strict=True):
        alone = MentionGroups.of(maker.make([document]))
        fresh = FeatureContext(tiny, tiny.vectors())
        assert np.array_equal(local_features(alone, fresh), local[first:last])
        assert np.array_equal(theme_features(WeightedCandidates.of(alone, fresh, weight[first:last])), themes[first:last])


@given(st.data())
@settings(max_examples=25)
def test_names_are_the_distinct_ones_of_each_document(tiny: KB, data: st.DataObject) -> None:
    documents = data.draw(mention_lists(tiny))
    batch = batch_maker(tiny, needs_vectors=True).make(documents)
    names = MentionGroups.of(batch)
    assert len(names.group_of) == len(batch.mentions)
    assert np.array_equal(names.group_of[names.first_mention], np.arange(len(names)))
    assert names.document_bounds[-1] == len(names)
    assert np.array_equal(names.entity[names.row_of_candidate], batch.table.entity)
    assert np.array_equal(names.group[names.row_of_candidate], names.group_of[batch.table.mention_of])
    for i, first in zip(range(len(batch.mentions)), names.first_mention[names.group_of].tolist(), strict=True):
        assert batch.mentions[i].text.casefold().split() == batch.mentions[first].text.casefold().split()
        assert first <= i


def test_a_name_again_in_other_letters_is_one_name(demo_batches: BatchMaker) -> None:
    said = ("Michael Jordan", "michael jordan", "Chicago", "MICHAEL  JORDAN")
    names = MentionGroups.of(
        demo_batches.make([Document(mentions=tuple(map(Mention, said))), Document(mentions=(Mention("Chicago"),))])
    )
    assert names.group_of.tolist() == [0, 0, 1, 0, 2]
    assert names.document_bounds.tolist() == [0, 2, 3]


def test_longer_names_hold_a_name_word_for_word(demo_batches: BatchMaker) -> None:
    said = ("Jordan", "Michael Jordan", "Jordanian", "Michael", "Hussein of Jordan")
    indptr, longer = MentionGroups.of(demo_batches.make([Document(mentions=tuple(map(Mention, said)))])).longer
    found = [sorted(longer[a:b].tolist()) for a, b in itertools.pairwise(indptr.tolist())]
    assert found == [[1, 4], [], [], [1], []]


def test_given_candidates_are_names_of_their_own(demo_kb: KB, demo_batches: BatchMaker) -> None:
    some = [
        Mention("Chicago"),
        Mention("Chicago", candidates=(demo_kb.id_of(0),)),
        Mention("Chicago", candidates=(demo_kb.id_of(1),)),
    ]
    names = MentionGroups.of(demo_batches.make([Document(mentions=(*some, some[1]))]))
    assert names.group_of.tolist() == [0, 1, 2, 1]


def naive_spelling(said: str, kind: int, names: list[str]) -> list[float]:
    """cased, covered, begins, ends, in_label"""
    if kind <= ALIAS:
        return [float(letters_of(said) in map(letters_of, names)), 1, 0, 0, 0]
    words = normalize(said).split()
    covered, begins, ends, in_label = 0.0, False, False, False
    for number, name in enumerate(normalize(name).split() for name in names):
        for start in range(len(name)):
            if name[start : start + len(words)] == words:
                covered = max(covered, len(words) / len(name))
                begins, ends = begins or start == 0, ends or start + len(words) == len(name)
                in_label = in_label or number == 0
    return [0, covered, float(begins), float(ends), float(in_label)]


@given(st.data())
@settings(max_examples=30)
def test_spelling_is_compared_with_every_name(tiny: KB, data: st.DataObject) -> None:
    batch = batch_maker(tiny, needs_vectors=True).make(data.draw(mention_lists(tiny)))
    names = MentionGroups.of(batch)
    columns = [LOCAL.index(name) for name in ("cased", "covered", "begins", "ends", "in_label")]
    found = local_features(names, FeatureContext(tiny, None))[:, columns]
    for row, (name, entity) in enumerate(zip(names.group.tolist(), names.entity.tolist(), strict=True)):
        mention = batch.mentions[int(names.first_mention[name])]
        kind = int(batch.table.match_type[names.table_row[row]])
        expected = naive_spelling(mention.text, kind, tiny.names_of(entity)) if mention.candidates is None else [0, 1, 0, 0, 0]
        assert found[row].tolist() == pytest.approx(expected), (mention, tiny.names_of(entity))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.lists(st.integers(0, 39), max_size=400))
def test_the_length_of_few_lists_is_told_exactly(lengths: list[int], owners: list[int]) -> None:
    indptr = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    chosen = np.array([owner % len(lengths) for owner in owners], np.int64)
    assert about_length(indptr, chosen) == sum(lengths[owner] for owner in chosen)
    assert about_length(indptr, chosen, most=3) == sum(min(3, lengths[owner]) for owner in chosen)


def test_the_length_of_many_lists_is_told_from_some() -> None:
    indptr = np.concatenate(([0], np.cumsum(rng(3).integers(0, 20, 50_000)))).astype(np.int64)
    assert about_length(indptr, np.arange(50_000)) == pytest.approx(indptr[-1], rel=0.1)
