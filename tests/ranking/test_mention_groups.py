"""Mention groups: which mentions are decided together."""

from __future__ import annotations

import numpy as np
import pytest

from eigenthemes import KB
from eigenthemes.pipeline.batch import BatchMaker, batch_maker
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features import FeatureContext, WeightedCandidates, theme_features
from eigenthemes.records import Document, Mention, Table

CELLS = [("Paris", 0, 0), ("Jordan", 0, 1), ("Paris", 1, 1), ("PARIS", 1, 0), ("Jordan", 2, 1)]
TABLE = Table(("city", "name"), (("Paris", "Jordan"), ("PARIS", "Paris"), ("", "Jordan")))


@pytest.fixture(scope="module")
def maker(tiny: KB) -> BatchMaker:
    return batch_maker(tiny, needs_vectors=True)


def cells() -> tuple[Mention, ...]:
    return tuple(Mention(text, row=row, col=col) for text, row, col in CELLS)


def test_a_name_in_two_columns_is_two_groups(maker: BatchMaker) -> None:
    groups = MentionGroups.of(maker.make([Document(table=TABLE, mentions=cells())]))
    assert groups.group_of.tolist() == [0, 2, 1, 0, 2]
    assert groups.names == ["paris", "jordan"]
    assert groups.name_of.tolist() == [0, 0, 1]
    assert groups.first_mention.tolist() == [0, 2, 1]
    assert groups.other_names.tolist() == [1, 1, 1]


def test_cells_found_in_a_table_are_grouped_by_column(maker: BatchMaker) -> None:
    batch = maker.make([Document(table=TABLE)])
    groups = MentionGroups.of(batch)
    keys = [(mention.text.lower(), mention.col) for mention in batch.mentions]
    assert len(groups) == len(set(keys))
    assert len(set(zip(keys, groups.group_of.tolist(), strict=True))) == len(groups)


def test_without_a_table_columns_do_not_count(maker: BatchMaker) -> None:
    text = Document(text="Paris Jordan Paris PARIS Jordan", mentions=cells())
    bare = Document(mentions=cells())
    for document in (text, bare):
        assert MentionGroups.of(maker.make([document])).group_of.tolist() == [0, 1, 0, 0, 1]


def test_columns_of_two_documents_are_apart(maker: BatchMaker) -> None:
    document = Document(table=TABLE, mentions=cells())
    alone, twice = (MentionGroups.of(maker.make([document] * many)) for many in (1, 2))
    assert twice.document_bounds.tolist() == [0, 3, 6]
    assert twice.document_names.tolist() == [0, 2, 4]
    assert twice.group_of.tolist() == [*alone.group_of, *(alone.group_of + 3)]
    assert np.array_equal(twice.entity, np.tile(alone.entity, 2))


def test_rows_of_candidates_come_back_in_the_order_of_the_table(maker: BatchMaker) -> None:
    batch = maker.make([Document(table=TABLE, mentions=cells()), Document(mentions=cells())])
    groups = MentionGroups.of(batch)
    assert np.array_equal(groups.entity[groups.row_of_candidate], batch.table.entity)
    assert np.array_equal(groups.group[groups.row_of_candidate], groups.group_of[batch.table.mention_of])


def test_a_name_is_no_witness_for_itself_in_another_column(tiny: KB, maker: BatchMaker) -> None:
    """The features of a name do not change where it also stands in another column."""
    apart = Document(table=TABLE, mentions=cells())
    once = Document(table=TABLE, mentions=tuple(mention for mention in cells() if mention.col != 1 or mention.text != "Paris"))
    context = FeatureContext(tiny, tiny.vectors())
    features = []
    for document in (apart, once):
        groups = MentionGroups.of(maker.make([document]))
        paris = groups.group == groups.group_of[0]
        features.append(theme_features(WeightedCandidates.of(groups, context, np.full(len(groups.entity), 0.25)))[paris])
    assert features[0] == pytest.approx(features[1], abs=1e-6)
    assert features[0].any()


def test_no_document_and_no_mention(maker: BatchMaker) -> None:
    for documents in ([], [Document(mentions=())], [Document(mentions=(Mention("xyzzy"),))]):
        groups = MentionGroups.of(maker.make(documents))
        assert len(groups.entity) == len(groups.group) == len(groups.row_of_candidate) == 0
        assert len(groups.document_bounds) == len(documents) + 1
