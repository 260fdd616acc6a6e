"""Made-up tables: what their columns have in common is true of the KG."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.kbs import build_from_records

from eigenthemes import KB, Document
from eigenthemes.kb.attributes import collect_attributes
from eigenthemes.selftrain.recipe import TABLE_RECIPE, TableRecipe
from eigenthemes.selftrain.sampling import REMOVED
from eigenthemes.selftrain.synthetic_tables import TableSampler

PLAIN = replace(TABLE_RECIPE, strangers=0.0, documents=0.0, cells=replace(TABLE_RECIPE.cells, crossed=0.0))


def tables_of(kb: KB, recipe: TableRecipe = TABLE_RECIPE, many: int = 40, seed: int = 0) -> list[Document]:
    return list(TableSampler(kb, np.random.default_rng(seed), collect_attributes(kb), recipe).tables(many))


def test_the_same_seed_makes_the_same_tables(demo_kb: KB) -> None:
    assert tables_of(demo_kb) == tables_of(demo_kb)
    assert tables_of(demo_kb) != tables_of(demo_kb, seed=1)


def test_mentions_are_the_cells_of_the_table(demo_kb: KB) -> None:
    for made in tables_of(demo_kb):
        table, mentions = made.table, made.mentions
        assert table is not None
        assert mentions is not None
        assert len(table.rows) <= TABLE_RECIPE.largest
        assert all(table.rows[mention.row or 0][mention.col or 0] == mention.text for mention in mentions)
        assert len(mentions) == sum(bool(cell) for row in table.rows for cell in row)


def test_the_entities_of_a_column_have_something_in_common(demo_kb: KB) -> None:
    indptr, attributes = collect_attributes(demo_kb)
    for made in tables_of(demo_kb, PLAIN):
        first = [mention.gold[0] for mention in made.mentions or () if mention.col == 0 and mention.gold]
        indices = demo_kb.indices_of(first).tolist()
        types = [set(attributes[indptr[index] : indptr[index + 1]].tolist()) for index in indices]
        near = [set(demo_kb.graph.around(index).tolist()) for index in indices]
        assert len(first) > 1
        assert set.intersection(*types) | set.intersection(*near)


def test_the_second_column_follows_one_relation(demo_kb: KB) -> None:
    related = 0
    for made in tables_of(demo_kb, PLAIN):
        gold = {(each.row, each.col): (each.gold or ("",))[0] for each in made.mentions or ()}
        joined = [
            {(each.relation, each.reverse) for each in demo_kb.relations_between(gold[row, 0], entity)}
            for (row, column), entity in gold.items()
            if column == 1
        ]
        assert not joined or set.intersection(*joined)
        related += len(joined)
    assert related


def test_columns_differ_in_how_much_of_them_is_missing(demo_kb: KB) -> None:
    shares = [
        np.mean([REMOVED in mention.source for mention in made.mentions or () if mention.gold])
        for made in tables_of(demo_kb, PLAIN, many=120)
        if len(made.mentions or ()) >= 8
    ]
    assert min(shares) < 0.1
    assert max(shares) > 0.7
    assert np.mean(shares) == pytest.approx(0.4, abs=0.12)


@pytest.mark.parametrize("edges", [[], [("a", "b")]])
def test_a_kg_with_nothing_in_common_makes_columns_of_documents(tmp_path: Path, edges: list[tuple[str, str]]) -> None:
    kb = build_from_records(tmp_path, [{"id": each, "name": each * 3} for each in "abc"], edges)
    assert all(made.mentions for made in tables_of(kb, many=10))
